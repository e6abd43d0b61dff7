//go:build unix

package sources

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"yolotop/parse"
)

// TestNvidiaSMIProcess promises that a real process is started with the question,
// and gone when the source has ended.
func TestNvidiaSMIProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "nvidia-smi")
	script := "#!/bin/sh\necho \"$$ $*\" >'" + dir + "/started'\necho warning >&2\nprintf '" +
		strings.ReplaceAll(strings.ReplaceAll(smiHeader+smiTick(400), "%", "%%"), "\n", `\n`) + "'\nexec sleep 1000\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	bus := NewBus(1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	n := NewNvidiaSMI(NvidiaSMIOptions{start: func(args []string) (*smiProcess, error) { return startProgram(program, args) }})
	go func() { done <- Run(ctx, bus, n) }()
	samples := 0
	for batch := range bus.Events() {
		for _, e := range batch {
			if _, ok := e.Record.(*parse.GPU); ok {
				samples++
			}
		}
		if samples == 2 {
			stop()
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	note, err := os.ReadFile(filepath.Join(dir, "started"))
	if err != nil {
		t.Fatal(err)
	}
	pid, args, _ := strings.Cut(strings.TrimSpace(string(note)), " ")
	if !strings.HasSuffix(args, "--format=csv,nounits -l 1") {
		t.Errorf("arguments %q", args)
	}
	if id, err := strconv.Atoi(pid); err != nil || !errors.Is(syscall.Kill(id, 0), syscall.ESRCH) {
		t.Errorf("process %q is still there (%v)", pid, err)
	}
}

// TestNoProgram promises that a program that is not there is told apart.
func TestNoProgram(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	program := filepath.Join(t.TempDir(), "nvidia-smi")
	n := NewNvidiaSMI(NvidiaSMIOptions{start: func(args []string) (*smiProcess, error) { return startProgram(program, args) }})
	if err := n.Run(t.Context(), r); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	equal(t, r.news(), []string{"failed: nvidia-smi is not installed"})
}
