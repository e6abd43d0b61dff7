package sources

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"yolotop/parse"
)

var sequences = flag.Int("sequences", 100, "random sequences of what happens to logs")

// randomFile does to a log what happens to logs, and knows what a follower must find.
type randomFile struct {
	t     *testing.T
	draw  *rand.Rand
	path  string
	exist bool
	size  int64 // of the file at path
	lives []string
	n     int // words written so far
	old   int // renamed files so far
	wake  chan struct{}
}

// text is some words, with ends of lines at any place; the sizes are of all kinds.
func (f *randomFile) text() string {
	var b strings.Builder
	least := []int{1, 20, 400, 3000, 2 * chunkSize}[min(f.draw.IntN(12), 4)%5]
	if f.draw.IntN(20) > 0 {
		least = min(least, 3000)
	}
	for b.Len() < least {
		f.n++
		fmt.Fprintf(&b, "w%d", f.n)
		if f.draw.IntN(3) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// write appends to a file that is open under whatever name.
func (f *randomFile) write(path string) {
	text := f.text()
	appendTo(f.t, path, text)
	f.lives[len(f.lives)-1] += text
	if path == f.path {
		f.size += int64(len(text))
	}
}

// notify tells, or forgets to, and sometimes tells of nothing.
func (f *randomFile) notify() {
	if f.draw.IntN(3) > 0 {
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
}

// step does one thing. What destroys waits until all that was there is read.
func (f *randomFile) step(r *running) {
	read := func() { r.after(farewell + 4*busyTick) } // it may still look at an old one
	switch what := f.draw.IntN(13); {
	case !f.exist:
		put(f.t, f.path, "")
		f.exist, f.size = true, 0
		f.lives = append(f.lives, "")
		f.write(f.path)
	case what < 6:
		f.write(f.path)
	case what == 6: // truncated, to nothing or to a part
		read()
		rest := int64(0)
		if f.draw.IntN(2) == 0 {
			rest = f.draw.Int64N(f.size + 1)
		}
		if rest == f.size {
			return
		}
		check(f.t, os.Truncate(f.path, rest))
		life, before := f.lives[len(f.lives)-1], f.size
		f.lives = append(f.lives, life[int64(len(life))-f.size:][:rest])
		f.size = rest
		for rest == 0 && f.draw.IntN(2) == 0 && f.size <= before { // and written on, longer than it was
			f.write(f.path)
		}
		read()
	case what == 7, what == 8: // rotated; the writer may still hold the old file
		read()
		f.old++
		old := fmt.Sprintf("%s.%d", f.path, f.old)
		check(f.t, os.Rename(f.path, old))
		f.exist = false
		if f.draw.IntN(2) == 0 {
			r.after(tick)
			f.write(old)
		}
		if what == 7 { // and a new one is there at once
			f.step(r)
		}
	case what == 9: // deleted
		read()
		check(f.t, os.Remove(f.path))
		f.exist = false
	case what == 11 && f.size >= tailSize: // replaced by a copy of itself that is longer, as rsync does
		read()
		data, err := os.ReadFile(f.path)
		check(f.t, err)
		put(f.t, f.path+".next", string(data))
		text := f.text()
		appendTo(f.t, f.path+".next", text)
		f.lives[len(f.lives)-1] += text
		f.size += int64(len(text))
		check(f.t, os.Rename(f.path+".next", f.path))
	case what == 10: // replaced by another file of the same name
		read()
		next := f.path + ".next"
		put(f.t, next, "")
		f.lives = append(f.lives, "")
		f.size = 0
		f.write(next)
		f.size = int64(len(f.lives[len(f.lives)-1]))
		check(f.t, os.Rename(next, f.path))
	default: // nobody may read it for a while, by its name
		check(f.t, os.Chmod(f.path, 0))
		r.after(tick)
		check(f.t, os.Chmod(f.path, 0o600))
	}
	f.notify()
	switch f.draw.IntN(4) {
	case 0:
		r.after(tick)
	case 1:
		r.after(3 * farewell)
	}
	if !f.exist || f.draw.IntN(8) == 0 {
		r.after(3 * farewell)
	}
}

// want are the lines of all lives; the last line of one that is over needs no end.
func (f *randomFile) want() (out []string) {
	for i, life := range f.lives {
		lines := strings.Split(life, "\n")
		if last := len(lines) - 1; lines[last] == "" || i == len(f.lives)-1 && f.exist {
			lines = lines[:last]
		}
		out = append(out, lines...)
	}
	return slices.DeleteFunc(out, func(l string) bool { return l == "" })
}

// TestFollowRandomly promises each byte of a log exactly once, in order, through random sequences of
// what happens to logs, with and without notifications. -sequences asks for more of them.
func TestFollowRandomly(t *testing.T) {
	t.Parallel()
	const steps = 14
	dir := t.TempDir()
	for seq := range *sequences {
		synctest.Test(t, func(t *testing.T) {
			f := &randomFile{t: t, draw: rand.New(rand.NewPCG(1, uint64(seq))), path: fmt.Sprintf("%s/%d.log", dir, seq), wake: make(chan struct{}, 1)}
			put(t, f.path, "")
			f.exist, f.lives = true, []string{""}
			o := FileOptions{Path: f.path, Follow: true, Wait: true, Poll: seq%2 == 0}
			if !o.Poll {
				o.system.watch = func(string) (<-chan struct{}, func()) { return f.wake, func() {} }
			}
			r := startFile(t, o)
			for range steps {
				f.step(r)
			}
			r.after(3 * farewell)
			r.stop()
			_ = r.ended()
			var got []string
			for _, e := range r.all() {
				if line, ok := e.Record.(*parse.Text); ok && !e.Provisional {
					got = append(got, line.Text)
				}
			}
			if want := f.want(); !slices.Equal(got, want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Fatalf("sequence %d: %d lines, want %d; from %d on: got %.200q, want %.200q", seq, len(got), len(want), at, got[at:min(len(got), at+3)], want[at:min(len(want), at+3)])
			}
		})
		if t.Failed() {
			return
		}
		old, _ := os.ReadDir(dir)
		for _, e := range old {
			_ = os.Remove(dir + "/" + e.Name())
		}
	}
}
