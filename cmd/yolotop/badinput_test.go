package main

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadInput promises a clear line and status 3 for whatever holds no training.
func TestBadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	noise := make([]byte, 200_000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	empty := filepath.Join(dir, "folder")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no such file":            {[]string{filepath.Join(dir, "nope.log")}, "no such file"},
		"a mistyped command":      {[]string{"chekc"}, "no such file or command: chekc (did you mean check?)"},
		"a folder without a run":  {[]string{empty}, "no run in"},
		"an empty file":           {[]string{write("empty.log", nil)}, "no training in it"},
		"a binary":                {[]string{write("noise.bin", noise)}, "no training in it"},
		"a log of something else": {[]string{write("nginx.log", []byte(strings.Repeat("127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 512\n", 200)))}, "no training in it"},
		"one with time stamps":    {[]string{write("app.log", []byte(strings.Repeat("2026-03-14T09:12:05.123Z served a page\n", 50)))}, "no training in it"},
		"half a UTF-8 sequence":   {[]string{write("half.log", []byte("caf\xc3"))}, "no training in it"},
		"zeros":                   {[]string{write("zeros", make([]byte, 100_000))}, "no training in it"},
		"standard input closed":   {[]string{"-"}, "no training in it"},
		"standard input twice":    {[]string{"-", "-"}, "twice"},
		"an unknown flag":         {[]string{"--nope", "x.log"}, "unknown flag: --nope"},
		"an unknown language":     {[]string{"--lang", "xx", write("l.log", nil)}, "en and zh"},
		"an unknown colour":       {[]string{"--color", "blue", write("c.log", nil)}, "auto, always and never"},
		"nothing at all":          {nil, "nothing to watch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			commands := [][]string{c.args}
			if len(c.args) > 0 && !strings.HasPrefix(c.args[0], "--color") && name != "a mistyped command" {
				commands = append(commands, append([]string{"check"}, c.args...))
			}
			for _, args := range commands {
				got := command(t, args...)
				if got.status != exitUsage || !strings.Contains(got.stderr, c.says) {
					t.Errorf("%v: status %d, %q; want status %d and %q", args, got.status, got.stderr, exitUsage, c.says)
				}
				if strings.Count(got.stderr, "\n") != 1 || !strings.HasPrefix(got.stderr, "yolotop: ") {
					t.Errorf("%v: not one line: %q", args, got.stderr)
				}
			}
		})
	}
}

func TestCompressedLogsAreRead(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(recordings, "8.4.82-detect-stable-merged.log"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "train.log.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := command(t, "check", path); got.status != exitOK || !strings.Contains(got.stdout, "30") {
		t.Errorf("status %d: %s%s", got.status, got.stdout, got.stderr)
	}
}

// TestALogAmongOthersIsRead promises that one unreadable input does not hide the
// others.
func TestALogAmongOthersIsRead(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(other, []byte("remember the milk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := command(t, "check", filepath.Join(recordings, "8.4.82-detect-stable-merged.log"), other)
	if got.status != exitOK || !strings.Contains(got.stderr, "notes.txt: no training in it") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

// TestPlainLines promises a line an epoch where there is no screen.
func TestPlainLines(t *testing.T) {
	t.Parallel()
	log := filepath.Join(recordings, "8.4.82-detect-leak-merged.log")
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]outcome{
		"file":           command(t, log),
		"standard input": commandWith(t, bytes.NewReader(data), "-"),
	} {
		if got.status != exitOK {
			t.Errorf("%s: status %d: %s", name, got.status, got.stderr)
		}
		for _, want := range []string{"1/30", "30/30", "3.84 GiB", "box_loss 3.886"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s: no %q in:\n%s", name, want, got.stdout)
			}
		}
		if n := strings.Count(got.stdout, "/30  "); n != 30 {
			t.Errorf("%s: %d lines of epochs, want 30:\n%s", name, n, got.stdout)
		}
	}
}

func TestTextsInChinese(t *testing.T) {
	t.Parallel()
	got := command(t, "--lang", "zh", "check", filepath.Join(recordings, "g11-a40-batch120.log"))
	if got.status != exitCritical || !strings.Contains(got.stdout, "显存不足") {
		t.Errorf("status %d: %s", got.status, got.stdout)
	}
}

func TestHelpFitsTheScreen(t *testing.T) {
	t.Parallel()
	got := command(t, "--help")
	if got.status != exitOK || !strings.Contains(got.stdout, "2>&1") || !strings.Contains(got.stdout, "pipefail") {
		t.Errorf("status %d: %s", got.status, got.stdout)
	}
	for line := range strings.Lines(got.stdout) {
		if len(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than 80: %s", line)
		}
	}
}
