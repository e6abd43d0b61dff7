package sources

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// spoolWaiting is how many bytes may wait for a slow disk before the spooling is given up: the
// program that writes must not wait for it.
const spoolWaiting = 64 << 20

// ErrSlowDisk is why a spool was given up that took too long to write.
var ErrSlowDisk = errors.New("the disk is too slow")

// Spool holds what a training prints, in a file from which a viewer reads it, so that viewers
// may come and go while the training goes on. Whatever happens to the file, the reading from the
// training goes on to its end.
//
// Its methods may be called from several goroutines.
type Spool struct {
	file *os.File

	mu      sync.Mutex
	waiting []byte        // for the disk
	err     error         // why the spooling was given up
	changed chan struct{} // closed at the next change of any of these
	ended   bool          // nothing more will be taken
	done    bool          // and all of it is written or given up
	flushed chan struct{}
	wake    chan struct{} // there is something waiting
	direct  func([]byte)  // of what is read once the spooling was given up; nil for nobody
	status  string        // exit status of the training; empty if it is not known
	recent  []byte        // of that, the last for which there was nobody
}

// NewSpool makes a spool of a file that is open for writing and reading, from its end on.
func NewSpool(file *os.File) *Spool {
	return &Spool{file: file, changed: make(chan struct{}), flushed: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// Drain reads to the end of r, come what may. It returns the error that ended the reading, nil at
// its proper end, once all that was read is in the file or given up.
func (s *Spool) Drain(r io.Reader) error {
	go s.write()
	defer func() {
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
		s.poke()
		<-s.flushed
	}()
	buf := make([]byte, chunkSize)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			s.take(buf[:n])
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, syscall.EAGAIN):
			time.Sleep(pipePoll) // somebody made the pipe non-blocking; there is no data yet
		default:
			return err
		}
	}
}

// take keeps bytes for the disk.
func (s *Spool) take(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && len(s.waiting)+len(b) > spoolWaiting {
		s.giveUp(ErrSlowDisk)
	}
	if s.err != nil {
		if s.direct != nil {
			s.direct(b)
			return
		}
		s.lost(b)
		return
	}
	s.waiting = append(s.waiting, b...)
	s.poke()
}

// lost keeps the newest of what is in no file.
func (s *Spool) lost(b []byte) {
	s.recent = append(s.recent, b...)
	s.recent = s.recent[max(0, len(s.recent)-recentMost):]
}

// recentMost is how much of that is kept for who comes to see it.
const recentMost = 1 << 20

func (s *Spool) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// giveUp ends the spooling.
func (s *Spool) giveUp(err error) {
	s.err, s.waiting = err, nil
	s.tell()
}

// tell wakes those who wait for a change.
func (s *Spool) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// write writes what waits, until the end. It holds no lock while it does.
func (s *Spool) write() {
	defer close(s.flushed)
	var batch []byte
	for range s.wake {
		for {
			s.mu.Lock()
			s.waiting, batch = batch[:0], s.waiting
			if len(batch) == 0 {
				s.done = s.ended
				if s.done {
					s.tell()
				}
				s.mu.Unlock()
				break
			}
			s.mu.Unlock()
			n, err := s.file.Write(batch)
			rest := batch[n:]
			s.mu.Lock()
			if err != nil && s.err == nil {
				rest = append(slices.Clone(rest), s.waiting...)
				s.giveUp(err)
				s.lost(rest)
			}
			s.tell()
			s.mu.Unlock()
			if cap(batch) > 1<<20 {
				batch = nil // it was a flood
			}
		}
		if s.done { // written by this goroutine only
			return
		}
	}
}

// SpoolState is what a spool holds at a moment.
type SpoolState struct {
	Ended  bool   // all that will ever come is in the file
	Err    error  // why no more of it will be; nil if all is well
	Status string // exit status of the training, once it has ended; empty if it is not known
	// Changed is closed when any of these has changed.
	Changed <-chan struct{}
}

// State is the state of the spool.
func (s *Spool) State() SpoolState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return SpoolState{Ended: s.done, Err: s.err, Status: s.status, Changed: s.changed}
}

// passWaiting is how many pieces of text may wait for a writer once there is no file any more.
const passWaiting = 256

// Size is how many bytes its file holds.
func (s *Spool) Size() int64 {
	info, err := s.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// Pass copies to w what lies behind pos in the file and what comes from now on, as cat would,
// until the end of the spool, of ctx or of w, whose error it returns. A writer that blocks
// hinders nobody else.
func (s *Spool) Pass(ctx context.Context, w io.Writer, pos int64) error {
	buf := make([]byte, chunkSize)
	for {
		state := s.State()
		for {
			n, err := s.file.ReadAt(buf, pos)
			pos += int64(n)
			if n > 0 {
				if _, err := w.Write(buf[:n]); err != nil {
					return err
				}
			}
			if err != nil || ctx.Err() != nil {
				break
			}
		}
		switch {
		case state.Err != nil:
			return s.passDirectly(ctx, w)
		case state.Ended:
			return nil
		}
		select {
		case <-state.Changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// passDirectly is Pass without a file: what a slow writer misses is lost.
func (s *Spool) passDirectly(ctx context.Context, w io.Writer) error {
	pieces := make(chan []byte, passWaiting)
	s.mu.Lock()
	pieces <- s.recent
	s.recent = nil
	s.direct = func(b []byte) {
		select {
		case pieces <- slices.Clone(b):
		default:
		}
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.direct = nil
		s.mu.Unlock()
	}()
	for {
		state := s.State()
		select {
		case b := <-pieces:
			if _, err := w.Write(b); err != nil {
				return err
			}
			continue
		default:
		}
		if state.Ended {
			return nil
		}
		select {
		case b := <-pieces:
			if _, err := w.Write(b); err != nil {
				return err
			}
		case <-state.Changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// File is the file of the spool.
func (s *Spool) File() *os.File { return s.file }

// Mirror is the spool that another process writes, as that one tells of it by [TellKept] on
// control. Nothing may be drained into it.
func Mirror(file *os.File, control io.Reader) *Spool {
	s := NewSpool(file)
	go func() {
		ended := false
		for lines := bufio.NewScanner(control); !ended && lines.Scan(); {
			word, why, _ := strings.Cut(lines.Text(), " ")
			s.mu.Lock()
			switch word {
			case keptEnded:
				ended, s.status = true, why
			case keptFailed:
				s.err = keptError(why)
			}
			s.tell()
			s.mu.Unlock()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !ended && s.err == nil {
			s.err = errKeeper
		}
		s.ended, s.done = true, true
		s.tell()
	}()
	return s
}
