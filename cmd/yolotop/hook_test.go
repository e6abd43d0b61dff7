package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHookIsPrinted promises the file that the help tells to save.
func TestHookIsPrinted(t *testing.T) {
	t.Parallel()
	got := command(t, "hook")
	if got.status != exitOK || !strings.HasPrefix(got.stdout, `"""Tells yolotop`) || !strings.Contains(got.stdout, "\ndef watch(") {
		t.Errorf("%+v", got)
	}
	for _, never := range []string{"reset_peak", "empty_cache", "synchronize"} {
		if strings.Contains(got.stdout, never) {
			t.Errorf("the hook calls %s", never)
		}
	}
}

// TestHookIsLaid promises both files in a folder of their own, before what PYTHONPATH had.
func TestHookIsLaid(t *testing.T) {
	t.Parallel()
	folder, path, err := layHook("/mine")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if path != folder+string(os.PathListSeparator)+"/mine" {
		t.Errorf("PYTHONPATH %q", path)
	}
	for _, name := range []string{"yolotop_hook.py", "sitecustomize.py"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, path, err := layHook(""); err != nil || strings.ContainsRune(path, os.PathListSeparator) {
		t.Errorf("%q, %v", path, err)
	} else {
		defer func() { _ = os.RemoveAll(path) }()
	}
}
