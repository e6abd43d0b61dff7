package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckRedacts promises that check leaves out where things are and who is meant where it is asked
// to, and only then.
func TestCheckRedacts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "train.log")
	log := strings.ReplaceAll(logOf(16, 12, 12, 12), "data=coco8.yaml", "data=/home/mallory/sets/coco8.yaml") +
		"Traceback (most recent call last):\nFileNotFoundError: /home/mallory/sets/a.jpg with token=hunter2hunter2\n"
	log = strings.Replace(log, "3 epochs completed in 0.1 hours.\n", "", 1)
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	open, hidden := command(t, "check", path).stdout, command(t, "check", "--redact", path).stdout
	for _, secret := range []string{"/home/mallory", "hunter2", filepath.Dir(path)} {
		if !strings.Contains(open, secret) {
			t.Errorf("no %q in\n%s", secret, open)
		}
		if strings.Contains(hidden, secret) {
			t.Errorf("%q is in\n%s", secret, hidden)
		}
	}
	if !strings.Contains(hidden, "train.log") || strings.Count(open, "\n") != strings.Count(hidden, "\n") {
		t.Errorf("too much is hidden:\n%s", hidden)
	}
	if got := command(t, "check", "--redact", "--json", path); got.status != exitUsage || !strings.Contains(got.stderr, "--redact is for text") {
		t.Errorf("status %d, %s", got.status, got.stderr)
	}
}
