package sources

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"yolotop/parse"
)

func TestGrowthArrivesAtTheNextWakeUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		put(t, path, banner+start+header+bar(1, 1))
		woken := make(chan struct{})
		watch := func(string) (<-chan struct{}, func()) { return woken, func() {} }
		r := startFile(t, FileOptions{Path: path, Follow: true, system: system{watch: watch}})
		wake := func() []string {
			woken <- struct{}{}
			synctest.Wait()
			return r.news()
		}
		equal(t, r.news(), []string{"reading", "Banner", "Notice", "Notice", "row 1/3 1/4 so far"})
		equal(t, wake(), nil) // nothing new, nothing said
		appendTo(t, path, bar(1, 2))
		equal(t, wake(), []string{"row 1/3 1/4", "row 1/3 2/4 so far"})
		appendTo(t, path, " ") // the frame says no more than before
		equal(t, wake(), nil)
		appendTo(t, path, bar(1, 3)+"\nsome words")
		equal(t, wake(), []string{"row 1/3 2/4", "row 1/3 3/4"})
		r.stop()
		if err := r.ended(); !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
		equal(t, r.news(), nil) // the last line is not complete, so it is not an event
		history := true
		for _, e := range r.all() {
			if e.Provisional {
				history = false
				continue
			}
			if e.Line > 0 && e.Arrival.IsZero() != history {
				t.Errorf("arrival of what was there before (%v): %+v", history, e.Origin)
			}
		}
	})
}

// A large file says how much there is to read, and, whatever its last lines are, that it was read.
func TestALargeFileSaysWhenItWasRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		text := banner + start + header + bar(1, 1) + strings.Repeat("\n", largeFile)
		put(t, path, text)
		r := startFile(t, FileOptions{Path: path, Follow: true})
		var sizes []int64
		for _, e := range r.all() {
			if s, ok := e.Record.(*parse.SourceState); ok {
				sizes = append(sizes, s.Size)
			}
		}
		if want := []int64{int64(len(text)), 0}; !slices.Equal(sizes, want) {
			t.Errorf("sizes %v, want %v", sizes, want)
		}
		r.stop()
		if err := r.ended(); !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	})
}

// A file that is written all the time is read by the clock, and by wake-ups again when
// it rests; what is written while they change is not missed.
func TestABusyFileIsReadByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		put(t, path, "")
		var watched, asked atomic.Int32
		woken := make(chan struct{}, 1)
		watch := func(string) (<-chan struct{}, func()) {
			asked.Add(1)
			watched.Add(1)
			return woken, func() { watched.Add(-1) }
		}
		r := startFile(t, FileOptions{Path: path, Follow: true, system: system{watch: watch}})
		equal(t, r.news(), []string{"reading"})
		for range busyWakes {
			if watched.Load() != 1 {
				t.Fatal("not watched although it is not busy yet")
			}
			appendTo(t, path, "one\n")
			woken <- struct{}{}
			synctest.Wait()
			equal(t, r.news(), []string{"text: one"})
		}
		if watched.Load() != 0 {
			t.Error("a busy file still wakes us")
		}
		appendTo(t, path, "two\n")
		equal(t, r.after(busyTick), []string{"text: two"})
		if watched.Load() != 0 {
			t.Error("a file that was written within the last tick wakes us")
		}
		equal(t, r.after(2*busyTick), nil)
		if watched.Load() != 1 || asked.Load() != 2 {
			t.Errorf("a file that rests is watched %d times, after %d requests", watched.Load(), asked.Load())
		}
		appendTo(t, path, "three\n")
		woken <- struct{}{}
		synctest.Wait()
		equal(t, r.news(), []string{"text: three"})
	})
}

func TestTheClockFindsWhatNoWakeUpTold(t *testing.T) {
	t.Parallel()
	never := func(string) (<-chan struct{}, func()) { return make(chan struct{}), func() {} }
	for name, o := range map[string]FileOptions{
		"silent watch": {system: system{watch: never}},
		"poll":         {Poll: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o.Path, o.Follow = logPath(t), true
				put(t, o.Path, "")
				r := startFile(t, o)
				equal(t, r.news(), []string{"reading"})
				appendTo(t, o.Path, "one\n")
				equal(t, r.after(tick), []string{"text: one"})
			})
		})
	}
}

func TestTruncatedFileBeginsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		put(t, path, banner+"one\ntwo")
		r := startFile(t, FileOptions{Path: path, Follow: true})
		equal(t, r.news(), []string{"reading", "Banner", "text: one"})
		put(t, path, "three\n")
		equal(t, r.after(pollTick), []string{"text: two", "replaced: " + path + " was truncated", "text: three"})
		if last := r.all()[len(r.all())-1]; last.Line != 1 || last.Offset != 0 {
			t.Errorf("the new beginning is at %+v", last.Origin)
		}
	})
}

func TestRenamedFileIsReadOnAndThenTheNewOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		put(t, path, "one\n")
		r := startFile(t, FileOptions{Path: path, Follow: true})
		equal(t, r.news(), []string{"reading", "text: one"})
		check(t, os.Rename(path, path+".1"))
		put(t, path, "first of the new\n")
		equal(t, r.after(farewell/2), nil)
		appendTo(t, path+".1", "late line\nand a last word")
		equal(t, r.after(pollTick), []string{"text: late line"})
		equal(t, r.after(farewell), []string{
			"text: and a last word",
			"replaced: " + path + " was replaced by a new file", "text: first of the new",
		})
		appendTo(t, path, "second\n")
		equal(t, r.after(pollTick), []string{"text: second"})
	})
}

func TestFileThatDisappearsIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		put(t, path, "one\nKilled")
		r := startFile(t, FileOptions{Path: path, Follow: true})
		check(t, os.Remove(path))
		equal(t, r.after(time.Hour), []string{"reading", "text: one", "Failure", "waiting: " + path + " is gone; waiting for it to come back"})
		put(t, path, "two\n")
		equal(t, r.after(pollTick), []string{"replaced: " + path + " is back", "text: two"})
	})
}

func TestNameThatComesBackInTimeIsTheSameFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		put(t, path, "one\n")
		r := startFile(t, FileOptions{Path: path, Follow: true})
		check(t, os.Rename(path, path+".tmp"))
		r.after(farewell / 2)
		check(t, os.Rename(path+".tmp", path))
		appendTo(t, path, "two\n")
		equal(t, r.after(time.Hour), []string{"text: two"})
		check(t, os.Rename(path, path+".tmp")) // the second time is as good as the first
		equal(t, r.after(farewell/2), nil)
		check(t, os.Rename(path+".tmp", path))
		appendTo(t, path, "three\n")
		equal(t, r.after(time.Hour), []string{"text: three"})
	})
}

func TestReadErrorsAreSaidOnceAndTriedAgainWithPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		put(t, path, "one\n")
		var disk trouble
		open := func(path string) (handle, error) {
			f, err := os.Open(path)
			return brokenFile{f, &disk}, err
		}
		r := startFile(t, FileOptions{Path: path, Follow: true, system: system{open: open}})
		equal(t, r.news(), []string{"reading", "text: one"})
		disk.set(syscall.ESTALE)
		equal(t, r.after(time.Minute), []string{"waiting: cannot read " + path + ": " + syscall.ESTALE.Error() + "; trying again"})
		if n := disk.reads.Load(); n > 25 {
			t.Errorf("%d reads in a minute of errors", n)
		}
		disk.set(nil)
		appendTo(t, path, "two\n")
		equal(t, r.after(backoffMax+tick), []string{"text: two", "reading"})
	})
}

func TestLettersCutByAWriteAreWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		put(t, path, "")
		r := startFile(t, FileOptions{Path: path, Follow: true})
		r.news()
		for i, text := 0, "größe ≥ 漢字\n"; i < len(text); i++ {
			appendTo(t, path, text[i:i+1])
			equal(t, r.after(pollTick), map[bool][]string{true: {"text: größe ≥ 漢字"}}[i == len(text)-1])
		}
	})
}

// However the writes are cut and whenever we look, the same events come out; what
// was provisional comes again.
func TestEventsDoNotDependOnTheWrites(t *testing.T) {
	t.Parallel()
	log := training()
	rapid.Check(t, func(rt *rapid.T) {
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(log)), 0, 12).Draw(rt, "cuts")
		before := rapid.IntRange(0, len(log)).Draw(rt, "before")
		var got []string
		synctest.Test(t, func(t *testing.T) {
			path := logPath(t)
			put(t, path, log[:before])
			woken := make(chan struct{})
			watch := func(string) (<-chan struct{}, func()) { return woken, func() {} }
			noTime := func() time.Time { return time.Time{} }
			r := startFile(t, FileOptions{Path: path, Follow: true, system: system{watch: watch, now: noTime}})
			at := before
			for _, c := range append(cuts, len(log)) {
				if c > at {
					appendTo(t, path, log[at:c])
					at = c
					woken <- struct{}{}
				}
			}
			synctest.Wait()
			got = facts(r.all())
		})
		want := facts(parsed(log))
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			rt.Fatalf("got\n%s\nwant\n%s", g, w)
		}
	})
}

// The kernel's notifications, where there are any.
func TestWatchTellsOfAWrite(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	put(t, path, "")
	for range 3 {
		woken, stop := watchFile(path)
		if woken == nil {
			t.Skip("no notifications here")
		}
		appendTo(t, path, "one\n")
		<-woken
		stop()
	}
	if woken, stop := watchFile(path + ".none"); woken != nil {
		t.Error("a file that does not exist is watched")
		stop()
	}
}

func TestFollowWithTheKernelsNotifications(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	put(t, path, "one\n")
	bus := NewBus(0)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- Run(ctx, bus, NewFile(FileOptions{Path: path, Follow: true})) }()
	next := func() []string { return story(<-bus.Events()) }
	equal(t, next(), []string{"reading"})
	equal(t, next(), []string{"text: one"})
	for range 20 {
		appendTo(t, path, "two\n")
		equal(t, next(), []string{"text: two"})
	}
	check(t, os.Rename(path, path+".1"))
	appendTo(t, path+".1", "late\n")
	put(t, path, "new\n")
	equal(t, next(), []string{"text: late"})
	equal(t, next(), []string{"replaced: " + path + " was replaced by a new file"})
	equal(t, next(), []string{"text: new"})
	cancel()
	check(t, <-result)
}
