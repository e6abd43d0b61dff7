package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// logOf is the log of a finished run with a batch and the memory of its epochs.
func logOf(batch int, memory ...float64) string {
	var b strings.Builder
	b.WriteString(strings.Replace(liveHead, "batch=16", fmt.Sprintf("batch=%d", batch), 1))
	for i, m := range memory {
		fmt.Fprintf(&b, "%s%8d/%d %9.3gG      1.%d3      0.944      1.222        120        640: 100%% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n%s", liveHeader, i+1, len(memory), m, batch, liveVal)
	}
	fmt.Fprintf(&b, "%d epochs completed in 0.1 hours.\n", len(memory))
	return b.String()
}

// TestCheckComparesWithRunsBeside promises that check compares with the run whose log lies beside
// the one that is named, in text and in JSON, and leaves alone what is no such run.
func TestCheckComparesWithRunsBeside(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	today := write("today.log", logOf(16, 12, 12, 12, 12))
	write("yesterday.log", logOf(8, 7, 7, 7, 7))
	write("another.log", strings.ReplaceAll(logOf(4, 5, 5, 5), "yolo11s.pt", "yolo11x.pt"))
	write("broken.log", "\xff\xfe\x00")
	write("\x1b]0;evil\a.log", strings.ReplaceAll(logOf(8, 6, 6, 6, 6), "1.", "2."))
	for _, args := range [][]string{{"check", today}, {"check", "--json", today}} {
		got := command(t, args...).stdout
		if !strings.Contains(got, "yesterday.log, with batch 8 and imgsz 640, needed 7.00 GiB at most in 4 epochs") || strings.Contains(got, "another.log") || strings.Contains(got, "broken.log") || strings.ContainsAny(got, "\x1b\a") {
			t.Errorf("%v:\n%s", args, got)
		}
	}
}
