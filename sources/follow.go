package sources

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"yolotop/parse"
)

const (
	// tick is how often a followed file is looked at even if no wake-up came: they
	// may be missing, so the clock is the truth.
	tick = 250 * time.Millisecond
	// pollTick is the same where there are no wake-ups.
	pollTick = 100 * time.Millisecond
	// farewell is how long a file that lost its name is still read: its writer may
	// hold it open and write a last line after the rename.
	farewell = time.Second
	// busyWakes is how many wake-ups within a tick each make a file busy: it is then
	// looked at by the clock alone, since every wake-up costs and none tells news.
	busyWakes = 4
	// busyTick is how often a busy file is looked at.
	busyTick = 2 * tick
	// backoffMax is the longest wait between two attempts after read errors.
	backoffMax = 8 * time.Second
)

// follower reads a file on and on by its name. All of its work is done in look,
// which is called at every wake-up and tick and compares what is with what was; no
// wake-up is trusted to mean anything.
//
// A file that was truncated and has outgrown its old length before we look is told from one
// that grew by what stands before our position.
type follower struct {
	file   *File
	out    *feed
	ticker *time.Ticker
	buf    []byte

	h        handle // nil while there is no file
	info     fs.FileInfo
	pos      int64
	modified time.Time // when the file was last written, at the last look
	tail     []byte    // what stood before pos when it was read
	history  int64     // what lies before it was there when we came
	newest   time.Time // arrival of the newest bytes
	lost     time.Time // when the name was found missing or taken; zero while it is ours
	absent   bool      // it was missing for so long that we said so
	woken    <-chan struct{}
	unwatch  func()
	wakes    int  // in a row, each within a tick of the look before
	busy     bool // no wake-ups wanted until the file rests for a tick

	fault   string // the last error, as it was published; empty if all is well
	broken  bool   // the file must be opened again, not before retry
	retry   time.Time
	backoff time.Duration
}

// attach takes an open file as the one to follow, from its beginning.
func (w *follower) attach(h handle, info fs.FileInfo) {
	w.h, w.info, w.pos, w.history, w.tail = h, info, 0, info.Size(), w.tail[:0]
	w.lost, w.absent = time.Time{}, false
	w.watch()
}

// watch asks for wake-ups. It comes before the first read, so that nothing falls
// between the two.
func (w *follower) watch() {
	interval := pollTick
	w.wakes, w.busy = 0, false
	if !w.file.options.Poll {
		if w.woken, w.unwatch = w.file.options.system.watch(w.file.options.Path); w.woken != nil {
			interval = tick
		}
	}
	if w.ticker == nil {
		w.ticker = time.NewTicker(interval)
	} else {
		w.ticker.Reset(interval)
	}
}

// wakeless does without wake-ups from now on.
func (w *follower) wakeless() {
	if w.unwatch != nil {
		w.unwatch()
	}
	w.woken, w.unwatch = nil, nil
}

// detach lets the file go.
func (w *follower) detach() {
	w.wakeless()
	if w.h != nil {
		_ = w.h.Close() // opened for reading: nothing can be lost
	}
	w.h = nil
}

// run follows until ctx ends or nobody receives any more.
func (w *follower) run(ctx context.Context) error {
	defer w.detach()
	defer w.ticker.Stop()
	w.buf = make([]byte, chunkSize)
	for {
		before, looked := w.pos, w.now()
		if err := w.look(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.woken:
			w.crowded(looked)
		case <-w.ticker.C:
			w.rested(w.pos == before)
		}
	}
}

// crowded counts a wake-up that came after the look at the given time.
func (w *follower) crowded(looked time.Time) {
	if w.now().Sub(looked) >= tick {
		w.wakes = 0
		return
	}
	if w.wakes++; w.wakes >= busyWakes {
		w.wakeless()
		w.ticker.Reset(busyTick)
		w.busy = true
	}
}

// rested asks for wake-ups again if the last look of a busy file brought nothing.
func (w *follower) rested(nothing bool) {
	if w.busy && nothing && w.h != nil {
		w.watch()
	}
}

// look reads what is new and finds out what became of the file. Its errors are the
// publisher's; those of the file are published.
func (w *follower) look(ctx context.Context) error {
	if w.broken && w.now().Before(w.retry) {
		return nil
	}
	if w.h == nil || w.broken {
		if err := w.reopen(ctx); err != nil || w.h == nil || w.broken {
			return err
		}
	}
	if err := w.drain(ctx); err != nil || w.broken {
		return err
	}
	return w.checkName(ctx)
}

func (w *follower) now() time.Time { return w.file.options.system.now() }

// drain reads to the end of the open file, from the beginning if it is shorter than
// it was, and publishes the newest frame.
func (w *follower) drain(ctx context.Context) error {
	if info, err := w.h.Stat(); err == nil && w.begunAnew(info) {
		w.pos, w.history, w.tail = 0, info.Size(), w.tail[:0] // when it was written is not known
		if err := w.out.restart(ctx, w.newest, w.file.options.Path+" was truncated"); err != nil {
			return err
		}
	}
	fresh := false
	for {
		room, at := int64(len(w.buf)), w.now()
		if w.pos < w.history {
			room, at = min(room, w.history-w.pos), time.Time{}
		}
		n, err := w.h.ReadAt(w.buf[:room], w.pos)
		if n > 0 {
			fresh, w.newest = true, at
			w.pos += int64(n)
			w.remember(w.buf[:n])
			if err := w.out.arrived(ctx, w.buf[:n], at, false); err != nil {
				return err
			}
		}
		if err == nil && n > 0 {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return w.failed(ctx, err)
		}
		break
	}
	behind := w.history >= largeFile
	w.history, w.backoff = 0, 0 // all is read; what comes now has just arrived
	if w.fault != "" || behind {
		w.fault = ""
		if err := w.out.state(ctx, parse.SourceReading, ""); err != nil {
			return err
		}
	}
	if !fresh {
		return nil
	}
	return w.out.pending(ctx, w.newest)
}

// tailSize is how much of what stands before our position is remembered.
const tailSize = 256

// remember keeps the end of what was read.
func (w *follower) remember(read []byte) {
	w.tail = append(w.tail, read[max(0, len(read)-tailSize):]...)
	w.tail = append(w.tail[:0], w.tail[max(0, len(w.tail)-tailSize):]...)
}

// begunAnew reports whether the open file was truncated since the last look.
func (w *follower) begunAnew(info fs.FileInfo) bool {
	touched := !info.ModTime().Equal(w.modified)
	w.modified = info.ModTime()
	return info.Size() < w.pos || touched && !w.goesOn(w.h)
}

// goesOn reports whether a file holds, before our position, what stood there when it was read.
func (w *follower) goesOn(h handle) bool {
	if len(w.tail) == 0 {
		return w.pos == 0
	}
	buf := make([]byte, len(w.tail))
	n, err := h.ReadAt(buf, w.pos-int64(len(w.tail)))
	if n < len(buf) && err != nil && !errors.Is(err, io.EOF) {
		return true // it cannot be read; that is not ours to judge
	}
	return bytes.Equal(buf[:n], w.tail)
}

// checkName finds out whether the name still means the file that is open. If it
// does not, the file is read for a little longer and then let go.
func (w *follower) checkName(ctx context.Context) error {
	info, err := w.file.options.system.stat(w.file.options.Path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil // nothing is known; the open file can still be read
	}
	if err == nil && os.SameFile(info, w.info) {
		w.lost = time.Time{}
		return nil
	}
	now := w.now()
	if w.lost.IsZero() {
		w.lost = now
	}
	if now.Sub(w.lost) < farewell {
		return nil
	}
	if err := w.drain(ctx); err != nil || w.broken {
		return err
	}
	if !missing && w.copied() {
		return w.drain(ctx)
	}
	w.detach()
	w.out.stream.Close(w.newest, w.out.add) // its last line may lack the '\n'
	if err := w.out.flush(ctx); err != nil {
		return err
	}
	if missing {
		w.absent = true
		return w.out.state(ctx, parse.SourceWaiting, w.file.options.Path+" is gone; waiting for it to come back")
	}
	return w.look(ctx)
}

// copied goes on in the file that has taken the name if it is a longer copy of the one that was
// read, as rsync and editors make it: what was read stands at its beginning, too.
func (w *follower) copied() bool {
	if w.pos < tailSize { // so little may be the same by chance
		return false
	}
	h, err := w.file.options.system.open(w.file.options.Path)
	if err != nil {
		return false
	}
	info, err := h.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < w.pos || !w.goesOn(h) || !sameHead(h, w.h, min(w.pos, headCompared)) {
		_ = h.Close()
		return false
	}
	w.wakeless()
	_ = w.h.Close()
	w.h, w.info, w.lost = h, info, time.Time{}
	w.watch()
	return true
}

// headCompared is how much of the beginnings of two files is compared.
const headCompared = 64 << 10

// sameHead reports whether two files begin with the same n bytes.
func sameHead(a, b handle, n int64) bool {
	one, two := make([]byte, n), make([]byte, n)
	if _, err := a.ReadAt(one, 0); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	if _, err := b.ReadAt(two, 0); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	return bytes.Equal(one, two)
}

// reopen opens the name again: because there was nothing, or because the open file
// gave errors (a stale handle of a network file system never recovers).
func (w *follower) reopen(ctx context.Context) error {
	h, err := w.file.options.system.open(w.file.options.Path)
	if errors.Is(err, fs.ErrNotExist) && w.h == nil {
		return nil
	}
	var info fs.FileInfo
	if err == nil {
		if info, err = h.Stat(); err == nil && !info.Mode().IsRegular() {
			err = errNotFile
		}
		if err != nil {
			_ = h.Close()
		}
	}
	if err != nil {
		return w.failed(ctx, err)
	}
	w.broken = false
	if w.h != nil && os.SameFile(info, w.info) {
		_ = w.h.Close()
		w.h, w.info = h, info
		return nil
	}
	why := w.file.options.Path + " was replaced by a new file"
	if w.absent {
		why = w.file.options.Path + " is back"
	}
	w.detach()
	w.attach(h, info)
	return w.out.restart(ctx, w.newest, why)
}

// failed publishes an error of the file, once, and puts the next attempt off.
func (w *follower) failed(ctx context.Context, err error) error {
	w.backoff = min(max(2*w.backoff, tick), backoffMax)
	w.broken, w.retry = true, w.now().Add(w.backoff)
	why := describe(w.file.options.Path, err)
	if why == w.fault {
		return nil
	}
	w.fault = why
	return w.out.state(ctx, parse.SourceWaiting, why+"; trying again")
}

// restart ends the stream of the old content and begins one for the new.
func (f *feed) restart(ctx context.Context, at time.Time, why string) error {
	f.stream.Close(at, f.add)
	f.stream, f.shown = f.grammar.NewStream(f.input), frame{}
	if err := f.flush(ctx); err != nil {
		return err
	}
	return f.state(ctx, parse.SourceReplaced, why)
}
