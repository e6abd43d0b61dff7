package sources

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func zipped(t *testing.T, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&b)
		_, err := io.WriteString(z, p)
		check(t, err)
		check(t, z.Close())
	}
	return b.String()
}

func TestFileIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	log := training()
	packed := zipped(t, log)
	damaged := packed[:len(packed)-8] + "\x00\x00\x00\x00" + packed[len(packed)-4:]
	cases := []struct {
		name, content string
		want          string // text whose events come out
		last          string // what the source says in the end
		fails         bool
	}{
		{"log", log, log, "ended", false},
		{"no newline at the end", log[:len(log)-1], log[:len(log)-1], "ended", false},
		{"empty", "", "", "ended", false},
		{"one byte", "\x1f", "\x1f", "ended", false},
		{"not text", "\x00\xff\xfe\x80\r\n\x01", "\x00\xff\xfe\x80\r\n\x01", "ended", false},
		{"gzip", packed, log, "ended", false},
		{"gzip in parts", zipped(t, log[:777], log[777:]), log, "ended", false},
		{"gzip cut", packed[:len(packed)-9], log, "failed: cannot read %: compressed data ends too early", true},
		{"gzip cut in its header", packed[:5], "", "failed: cannot read %: compressed data ends too early", true},
		{"gzip with a wrong checksum", damaged, log, "failed: cannot read %: compressed data is damaged", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := logPath(t)
			put(t, path, c.content)
			var r recorder
			f := NewFile(FileOptions{Path: path})
			err := f.Run(t.Context(), &r)
			if (err != nil) != c.fails {
				t.Errorf("Run returned %v", err)
			}
			equal(t, facts(r.all()), facts(parsed(c.want)))
			said := story(r.all())
			last := string(bytes.ReplaceAll([]byte(c.last), []byte("%"), []byte(path)))
			if said[0] != "reading" || said[len(said)-1] != last {
				t.Errorf("began with %q and ended with %q", said[0], said[len(said)-1])
			}
			select {
			case <-f.Drained():
			default:
				t.Error("a file that was read is not drained")
			}
			for _, e := range r.all() {
				if !e.Arrival.IsZero() {
					t.Errorf("a finished file has arrivals: %v", e)
				}
			}
		})
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	missing := filepath.Join(folder, "none.log")
	cases := []struct {
		name  string
		o     FileOptions
		is    error
		error string
		says  string
	}{
		{"missing", FileOptions{Path: missing}, fs.ErrNotExist, "read " + missing + ": no such file", "failed: " + missing + " does not exist"},
		{"missing, followed", FileOptions{Path: missing, Follow: true}, fs.ErrNotExist, "read " + missing + ": no such file", "failed: " + missing + " does not exist"},
		{"directory", FileOptions{Path: folder, Follow: true}, errDirectory, "read " + folder + ": is a directory", "failed: " + folder + " is a directory"},
		{
			"no permission",
			FileOptions{Path: "train.log", Wait: true, system: system{open: refuse(fs.ErrPermission)}},
			fs.ErrPermission, "read train.log: no permission", "failed: no permission to read train.log",
		},
		{
			"disk",
			FileOptions{Path: "train.log", system: system{open: refuse(syscall.EIO)}},
			syscall.EIO, "read train.log: " + syscall.EIO.Error(), "failed: cannot read train.log: " + syscall.EIO.Error(),
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r recorder
			err := NewFile(c.o).Run(t.Context(), &r)
			if !errors.Is(err, c.is) || err.Error() != c.error {
				t.Errorf("Run returned %v, want %s", err, c.error)
			}
			equal(t, r.news(), []string{c.says})
		})
	}
}

func TestFileIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		r := startFile(t, FileOptions{Path: path, Wait: true, Follow: true})
		equal(t, r.after(time.Minute), []string{"waiting: waiting for " + path + " to appear"})
		put(t, path, header+bar(1, 1)+bar(1, 2))
		equal(t, r.after(tick), []string{"reading", "Notice", "row 1/3 1/4", "row 1/3 2/4 so far"})
		for _, e := range r.all()[2:] {
			if e.Arrival.IsZero() {
				t.Errorf("came while we waited and has no arrival: %+v", e)
			}
		}
		r.stop()
		if err := r.ended(); !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := startFile(t, FileOptions{Path: logPath(t), Wait: true})
		r.stop()
		if err := r.ended(); !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	})
}

func TestArgumentsComeFirst(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	args, odd := filepath.Join(folder, "args.yaml"), filepath.Join(folder, "odd.yaml")
	results := filepath.Join(folder, "results.csv")
	put(t, args, "task: detect\nmodel: yolov8n.pt\nepochs: 3\n")
	put(t, odd, "- 1\n- 2\n")
	put(t, results, "epoch,time,train/box_loss\n1,2.5,1.25\n")
	cases := []struct{ name, args, want string }{
		{"found beside the file", "", "config: yolov8n.pt"},
		{"given", args, "config: yolov8n.pt"},
		{"not arguments", odd, "text: odd.yaml could not be read: parse arguments: not a list of keys and values"},
		{"missing", filepath.Join(folder, "opt.yaml"), "text: opt.yaml could not be read: no such file"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r recorder
			check(t, NewFile(FileOptions{Path: results, Args: c.args, Input: 3}).Run(t.Context(), &r))
			equal(t, r.news(), []string{c.want, "reading", "EpochRow", "ended"})
			if e := r.all()[0]; e.Input != 3 || e.Line != 0 {
				t.Errorf("origin of the arguments: %+v", e.Origin)
			}
		})
	}
}

func TestFileStopsWhenNobodyReceives(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	put(t, path, training())
	bus := NewBus(100)
	bus.Close()
	if err := NewFile(FileOptions{Path: path}).Run(t.Context(), bus); !errors.Is(err, errClosed) {
		t.Errorf("Run returned %v", err)
	}
}

// trouble makes the reads of a file fail, and counts them.
type trouble struct {
	err   atomic.Pointer[error]
	reads atomic.Int64
}

func (b *trouble) set(err error) { b.err.Store(&err) }

type brokenFile struct {
	*os.File
	*trouble
}

func (b brokenFile) ReadAt(p []byte, at int64) (int, error) {
	b.reads.Add(1)
	if err := b.err.Load(); err != nil && *err != nil {
		return 0, *err
	}
	return b.File.ReadAt(p, at)
}
