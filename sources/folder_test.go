package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tree makes files in a folder, each a second newer than the one before. A name
// that ends in a slash is a folder.
func tree(t *testing.T, files ...[2]string) string {
	t.Helper()
	root := t.TempDir()
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f[0]))
		if strings.HasSuffix(f[0], "/") {
			check(t, os.MkdirAll(path, 0o700))
			continue
		}
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		put(t, path, f[1])
		at = at.Add(time.Second)
		check(t, os.Chtimes(path, at, at))
	}
	return root
}

func TestExpand(t *testing.T) {
	t.Parallel()
	const csv, yaml = "epoch,train/box_loss\n1,2.5\n", "model: yolov8n.pt\n"
	log := training()
	late := strings.Repeat("some other program prints this\n", 20000) + log
	cases := []struct {
		name  string
		files [][2]string
		path  string
		want  []string // "path args expected"
	}{
		{"a file", [][2]string{{"a.log", log}}, "a.log", []string{"a.log"}},
		{"results with arguments", [][2]string{{"results.csv", csv}, {"args.yaml", yaml}}, "results.csv", []string{"results.csv args.yaml"}},
		{"results of YOLOv5", [][2]string{{"results.csv", csv}, {"opt.yaml", yaml}}, "results.csv", []string{"results.csv opt.yaml"}},
		{"results with a prefix", [][2]string{{"a.results.csv", csv}, {"a.args.yaml", yaml}, {"args.yaml", yaml}}, "a.results.csv", []string{"a.results.csv a.args.yaml"}},
		{"another table", [][2]string{{"other.csv", csv}, {"args.yaml", yaml}}, "other.csv", []string{"other.csv"}},

		{"run folder", [][2]string{{"results.csv", csv}, {"args.yaml", yaml}, {"train.log", log}, {"weights/", ""}}, ".", []string{"results.csv args.yaml", "train.log"}},
		{"both argument files", [][2]string{{"results.csv", csv}, {"opt.yaml", yaml}, {"args.yaml", yaml}}, ".", []string{"results.csv args.yaml"}},
		{"only a log", [][2]string{{"nohup.out", log}, {"notes.txt", "buy milk\n"}}, ".", []string{"nohup.out"}},
		{"log and arguments", [][2]string{{"train.LOG", log}, {"args.yaml", yaml}}, ".", []string{"train.LOG args.yaml"}},
		{"a log that begins with something else", [][2]string{{"job.out", late}}, ".", []string{"job.out"}},
		{"packed log", [][2]string{{"train.log.gz", zipped(t, log)}}, ".", []string{"train.log.gz"}},
		{"run that has just begun", [][2]string{{"args.yaml", yaml}}, ".", []string{"results.csv args.yaml expected"}},
		{"empty results", [][2]string{{"results.csv", ""}}, ".", []string{"results.csv"}},

		{"newest of several", [][2]string{{"train/results.csv", csv}, {"train3/results.csv", csv}, {"train2/results.csv", csv}, {"train2/args.yaml", yaml}, {"val/", ""}}, ".", []string{"train2/results.csv train2/args.yaml"}},
		{"newest by its log", [][2]string{{"a/results.csv", csv}, {"b/results.csv", csv}, {"a/train.log", log}}, ".", []string{"a/results.csv", "a/train.log"}},
		{"newest text is no run", [][2]string{{"train/results.csv", csv}, {"docs/read.txt", "hello"}}, ".", []string{"train/results.csv"}},
		{"levels below", [][2]string{{"runs/detect/train/results.csv", csv}, {"runs/segment/train/results.csv", csv}}, ".", []string{"runs/segment/train/results.csv"}},

		{"empty", nil, ".", nil},
		{"hidden", [][2]string{{".git/results.csv", csv}}, ".", nil},
		{"something else", [][2]string{{"notes.txt", "buy milk\n"}, {"a/b/c/d/e/results.csv", csv}}, ".", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, c.files...)
			path := filepath.Join(root, c.path)
			targets, err := Expand(path)
			if c.want == nil {
				if want := "no run in " + path + ": looked for results.csv, args.yaml and logs"; err == nil || err.Error() != want {
					t.Errorf("got %v and %v, want %s", targets, err, want)
				}
				return
			}
			check(t, err)
			short := func(path string) string {
				path, err := filepath.Rel(root, path)
				check(t, err)
				return filepath.ToSlash(path)
			}
			var got []string
			for _, target := range targets {
				s := short(target.Path)
				if target.Args != "" {
					s += " " + short(target.Args)
				}
				if target.Expected {
					s += " expected"
				}
				got = append(got, s)
				group := ""
				if c.path == "." {
					group = filepath.Dir(target.Path)
				}
				if target.Group != group {
					t.Errorf("group %q, want %q", target.Group, group)
				}
			}
			equal(t, got, c.want)
		})
	}
}

func TestExpandOfNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none")
	if _, err := Expand(path); !errors.Is(err, fs.ErrNotExist) || err.Error() != "read "+path+": no such file" {
		t.Errorf("got %v", err)
	}
}

func TestExpandDoesNotLookIntoEveryLabel(t *testing.T) {
	t.Parallel()
	files := [][2]string{{"train.log", training()}}
	for i := range manyTexts + 1 {
		files = append(files, [2]string{fmt.Sprintf("%d.txt", i), training()})
	}
	targets, err := Expand(tree(t, files...))
	check(t, err)
	if len(targets) != 1 || filepath.Base(targets[0].Path) != "train.log" {
		t.Errorf("got %v", targets)
	}
}

func TestExpandFollowsLinks(t *testing.T) {
	t.Parallel()
	disk := tree(t, [2]string{"train/results.csv", ""})
	root := t.TempDir()
	if err := os.Symlink(disk, filepath.Join(root, "runs")); err != nil {
		t.Fatal(err)
	}
	targets, err := Expand(root)
	check(t, err)
	if want := filepath.Join(root, "runs", "train", "results.csv"); len(targets) != 1 || targets[0].Path != want {
		t.Errorf("got %v, want %s", targets, want)
	}
}
