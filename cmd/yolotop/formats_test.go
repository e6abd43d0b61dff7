package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"yolotop/parse"
)

// TestFormats promises a line for every format, that says what it is.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh"} {
		got := command(t, "formats", "--lang", lang)
		lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
		if got.status != exitOK || len(lines) != len(parse.Grammar{}.Names()) {
			t.Fatalf("status %d, %d lines", got.status, len(lines))
		}
		for i, name := range (parse.Grammar{}).Names() {
			if !strings.HasPrefix(lines[i], name+" ") || strings.Contains(lines[i], "format.") {
				t.Errorf("%s: %q", name, lines[i])
			}
		}
	}
}

// TestFormatIsForced promises that a stream is read in the format that is asked for,
// whatever it looks like, and that a name which is none is refused.
func TestFormatIsForced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "train.log")
	rows := "       0/2     9.63G   0.08877   0.02972   0.02985        43       640:  75%|███████▌  | 45/60 [00:20<00:06,  2.25it/s]\n"
	header := "     Epoch   gpu_mem       box       obj       cls    labels  img_size\n"
	if err := os.WriteFile(path, []byte(header+rows), 0o600); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{"": "epoch 1 of 3", "yolov7": "epoch 1 of 3", "yolox": ""} {
		args := []string{"check", path}
		if format != "" {
			args = append(args, "--format", format)
		}
		got := command(t, args...)
		if want == "" && got.status != exitUsage || want != "" && !strings.Contains(got.stdout, want) {
			t.Errorf("%q: status %d, %q %q", format, got.status, got.stdout, got.stderr)
		}
		if got := command(t, append([]string{path}, args[2:]...)...); want != "" && got.status != exitOK || want == "" && got.status == exitOK {
			t.Errorf("%q, watched: status %d, %q", format, got.status, got.stderr)
		}
	}
	for _, args := range [][]string{{"check", path}, {path}} {
		if got := command(t, append(args, "--format", "yolo99")...); got.status != exitUsage || !strings.Contains(got.stderr, "yolotop formats lists them") {
			t.Errorf("%v: status %d, %q", args, got.status, got.stderr)
		}
	}
}
