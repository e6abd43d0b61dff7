package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// outcome is what a command did.
type outcome struct {
	status         int
	stdout, stderr string
}

// command runs a whole command in memory, without a terminal.
func command(t *testing.T, args ...string) outcome {
	t.Helper()
	return commandWith(t, strings.NewReader(""), args...)
}

func commandWith(t *testing.T, stdin io.Reader, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), environment{
		args: args, getenv: func(string) string { return "" },
		stdin: stdin, stdout: &stdout, stderr: &stderr,
		now:         func() time.Time { return time.Unix(1_700_000_000, 0) },
		afterSignal: func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
	})
	return outcome{status: status, stdout: stdout.String(), stderr: stderr.String()}
}
