package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStatus promises one line on standard output, and an exit status that says how it is.
func TestStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, age time.Duration) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_700_000_000, 0).Add(-age) // what the command takes for now
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	died := liveLog + "\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
	tight := strings.ReplaceAll(liveLog, "15.1G", "22.9G")
	for _, c := range []struct {
		name, args string
		want       string
		status     int
	}{
		{"a run that goes on", write("live.log", liveLog, time.Minute), "· 3/10 · 15.1/23.7 GiB · 1min 25s left\n", exitOK},
		{"one that has fallen silent", write("old.log", liveLog, time.Hour), "· 3/10 · 15.1/23.7 GiB · the input ends here\n", exitOK},
		{"the end of a run", write("done.log", doneLog, time.Hour), "✓ 1/10 · 15.1/23.7 GiB · finished\n", exitOK},
		{"a warning", write("tight.log", tight, time.Minute), "! 3/10 · 22.9/23.7 GiB · 1min 25s left · 97% of the card is…\n", exitWarning},
		{"a death", write("died.log", died, time.Minute), "× 3/10 · 15.1/23.7 GiB · failed · ", exitCritical},
		{"fewer cells", "--width 24 " + write("tight.log", tight, time.Minute), "! 3/10 · 22.9/23.7 GiB\n", exitWarning},
		{"tmux", "--tmux " + write("tight.log", tight, time.Minute), "#[fg=yellow]! 3/10 · 22.9/23.7 GiB · 1min 25s left · 97% of the card is…#[default]\n", exitWarning},
		{"tmux, all well", "--tmux " + write("live.log", liveLog, time.Minute), "#[fg=green]· 3/10", exitOK},
		{"ASCII", "--ascii " + write("live.log", liveLog, time.Minute), "- 3/10 | 15.1/23.7 GiB | 1min 25s left\n", exitOK},
		{"another language", "--lang zh " + write("done.log", doneLog, time.Hour), "✓ 1/10 · 15.1/23.7 GiB · 已完成\n", exitOK},
	} {
		got := command(t, append([]string{"status"}, strings.Fields(c.args)...)...)
		if got.status != c.status || !strings.HasPrefix(got.stdout, c.want) || strings.Count(got.stdout, "\n") != 1 || got.stderr != "" {
			t.Errorf("%s: status %d, %q, %q, want %q", c.name, got.status, got.stdout, got.stderr, c.want)
		}
	}
	for args, want := range map[string]string{
		write("none.log", "hello\n", 0):             "none.log: no training in it",
		"--tmux " + write("none.log", "hello\n", 0): "none.log: no training in it",
		filepath.Join(dir, "missing.log"):           "no such file",
		"":                                          "here",
		"--width 0 " + write("live.log", liveLog, 0): "--width 0: ",
	} {
		got := command(t, append([]string{"status"}, strings.Fields(args)...)...)
		if got.status != exitUsage || got.stdout != "" || !strings.HasPrefix(got.stderr, "yolotop: ") || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// TestStatusFindsARun promises the run that is found here where no path is given.
func TestStatusFindsARun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "train.log")
	if err := os.WriteFile(path, []byte(liveLog), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), environment{
		args: []string{"status"}, getenv: func(string) string { return "" }, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr,
		now: time.Now, inputs: func() ([]string, error) { return []string{path}, nil },
	})
	if status != exitOK || !strings.Contains(stdout.String(), "3/10") {
		t.Errorf("status %d, %q, %q", status, stdout.String(), stderr.String())
	}
}

// TestTmuxLine promises that no text of a log is a command of tmux.
func TestTmuxLine(t *testing.T) {
	t.Parallel()
	if got := tmuxLine("! a#(reboot) #[fg=red]", 1); got != "#[fg=yellow]! a##(reboot) ##[fg=red]#[default]" {
		t.Error(got)
	}
}
