package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckSaysWhatARecordingHolds promises that of a recording of GPUs without a training each is
// told of, in the text and in a report.
func TestCheckSaysWhatARecordingHolds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("timestamp, index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n")
	for i := range 40 {
		fmt.Fprintf(&b, "2025/05/01 11:50:%02d.000, 0, NVIDIA GeForce RTX 4090, %d MiB, 24576 MiB, 90 %%\n", i, 8192+i%2*1024)
		fmt.Fprintf(&b, "2025/05/01 11:50:%02d.000, 1, NVIDIA GeForce RTX 4090, 2048 MiB, 24576 MiB, 20 %%\n", i)
	}
	folder := t.TempDir()
	log, page := filepath.Join(folder, "gpu.csv"), filepath.Join(folder, "report.md")
	if err := os.WriteFile(log, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	checked := command(t, "check", log)
	command(t, "report", log, "-o", page)
	reported, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"GPU 0 NVIDIA GeForce RTX 4090, uses 9.00 GiB of 24.0 GiB, at most 9.00 GiB, busy 90% on the mean", "GPU 1 NVIDIA GeForce RTX 4090, uses 2.00 GiB of 24.0 GiB"} {
		if !strings.Contains(checked.stdout, want) {
			t.Errorf("no %q in\n%s", want, checked.stdout)
		}
		if !strings.Contains(string(reported), want) {
			t.Errorf("no %q in\n%s", want, reported)
		}
	}
}
