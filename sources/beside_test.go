package sources

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"yolotop/parse"
)

// TestBeside promises the logs of other runs in the same folder, or of the run folders beside
// one, the newest first, and nothing that is no log of a training.
func TestBeside(t *testing.T) {
	t.Parallel()
	log := training()
	for _, c := range []struct {
		name  string
		files [][2]string
		path  string
		want  []string
	}{
		{"logs in one folder", [][2]string{{"a.log", log}, {"b.log", log}, {"notes.txt", "buy milk\n"}, {"c.out", log}}, "b.log", []string{"c.out", "a.log"}},
		{"alone", [][2]string{{"a.log", log}}, "a.log", nil},
		{"run folders", [][2]string{
			{"p/train/results.csv", "epoch\n"},
			{"p/train/a.log", log},
			{"p/train/args.yaml", "batch: 8\n"},
			{"p/train2/results.csv", "epoch\n"},
			{"p/train2/a.log", log},
			{"p/train3/results.csv", "epoch\n"},
			{"p/notes.log", log},
		}, "p/train2/a.log", []string{"p/train/a.log p/train/args.yaml"}},
		{"not there", nil, "gone/a.log", nil},
	} {
		root := tree(t, c.files...)
		var got []string
		for _, b := range Beside(Target{Path: filepath.Join(root, c.path)}) {
			s, _ := filepath.Rel(root, b.Path)
			if b.Args != "" {
				args, _ := filepath.Rel(root, b.Args)
				s += " " + args
			}
			got = append(got, filepath.ToSlash(s))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestReadSome promises the events of a beginning and no more than was asked for.
func TestReadSome(t *testing.T) {
	t.Parallel()
	root := tree(t, [2]string{"a.log", training() + strings.Repeat(bar(3, 1), 1<<14)})
	target := Target{Path: filepath.Join(root, "a.log")}
	count := func(most int64, until int) (n int) {
		check(t, ReadSome(target, most, func(parse.Event) bool { n++; return n < until }))
		return n
	}
	all := count(1<<30, 1<<30)
	if some := count(2000, 1<<30); some < 3 || some >= all {
		t.Errorf("%d events of 2000 bytes, %d of all", some, all)
	}
	if n := count(1<<30, 2); n != 2 {
		t.Errorf("%d events after it was enough", n)
	}
	if err := ReadSome(Target{Path: root}, 10, nil); err == nil {
		t.Error("a folder was read")
	}
}
