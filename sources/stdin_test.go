package sources

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

// pipeline is a Stdin that runs in a synctest bubble, with the writing end.
type pipeline struct {
	running
	*Stdin
	in *io.PipeWriter
}

func startStdin(t *testing.T, to Publisher) *pipeline {
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	p := &pipeline{
		running: running{recorder: &recorder{}, t: t, stop: cancel, done: make(chan error, 1)},
		Stdin:   NewStdin(r, 0, parse.Grammar{}), in: w,
	}
	if to == nil {
		to = p.recorder
	}
	go func() { p.done <- p.Run(ctx, to) }()
	t.Cleanup(cancel)
	t.Cleanup(func() { w.Close(); <-p.Drained() })
	synctest.Wait()
	return p
}

func (p *pipeline) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Errorf("the training got %v", err)
	}
	synctest.Wait()
}

func (p *pipeline) isDrained() bool {
	select {
	case <-p.Drained():
		return true
	default:
		return false
	}
}

func TestStdinToItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := startStdin(t, nil)
		equal(t, p.news(), []string{"waiting: nothing has come through the pipe yet"})
		p.write(header + bar(1, 1))
		equal(t, p.news(), []string{"reading", "Notice", "row 1/3 1/4 so far"})
		p.write(bar(1, 2) + "\nthe last")
		equal(t, p.news(), []string{"row 1/3 1/4", "row 1/3 2/4"})
		p.write(" words")
		equal(t, p.news(), nil)
		if p.isDrained() {
			t.Error("drained before the end")
		}
		p.in.Close()
		check(t, p.ended())
		equal(t, p.news(), []string{"text: the last words", "ended"})
		if !p.isDrained() {
			t.Error("not drained at the end")
		}
		for _, e := range p.all() {
			if e.Line > 0 && !e.Arrival.Equal(time.Now()) { // the bubble's clock stands still
				t.Errorf("arrival %v", e.Arrival)
			}
		}
	})
}

func TestStdinReadsOnWhateverHappensToTheViewer(t *testing.T) {
	t.Parallel()
	closed := NewBus(1)
	closed.Close()
	cases := map[string]struct {
		to      Publisher
		end     func(*pipeline) // what happens
		stopped bool            // and Run returns at once
	}{
		"told to stop":    {NewBus(9), func(p *pipeline) { p.stop() }, true},
		"the bus is full": {NewBus(1), func(p *pipeline) { p.stop() }, true},
		"nobody receives": {closed, func(*pipeline) {}, false},
		"a panic":         {publisherFunc(func([]parse.Event) error { panic("a bug") }), func(*pipeline) {}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				to := c.to
				if b, ok := to.(*Bus); ok && b != closed { // a channel belongs to its bubble
					to = NewBus(cap(b.batches))
				} else if ok {
					b := NewBus(1)
					b.Close()
					to = b
				}
				p := startStdin(t, to)
				go func() { // a training writes without waiting for us
					for range 100 {
						if _, err := io.WriteString(p.in, training()); err != nil {
							t.Errorf("the training got %v", err)
						}
					}
					p.in.Close()
				}()
				synctest.Wait()
				c.end(p)
				if c.stopped {
					if err := p.ended(); !errors.Is(err, context.Canceled) {
						t.Errorf("Run returned %v", err)
					}
				}
				<-p.Drained()
			})
		})
	}
}

type publisherFunc func([]parse.Event) error

func (f publisherFunc) Publish(_ context.Context, events []parse.Event) error { return f(events) }

func TestPanicOfTheParserIsSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		p := startStdin(t, publisherFunc(func(events []parse.Event) error {
			if _, ok := events[0].Record.(*parse.Text); ok {
				panic("a bug")
			}
			return r.Publish(t.Context(), events)
		}))
		p.write("one\n")
		p.write("two\n")
		p.in.Close()
		if err := p.ended(); err == nil || err.Error() != "internal error: a bug" {
			t.Errorf("Run returned %v", err)
		}
		equal(t, r.news(), []string{"waiting: nothing has come through the pipe yet", "reading", "failed: internal error: a bug"})
	})
}

func TestPanicIsSaidOnce(t *testing.T) {
	t.Parallel()
	bus := NewBus(9)
	in := NewStdin(strings.NewReader("one\n"), 0, parse.Grammar{})
	in.now = func() time.Time { panic("a bug") }
	if err := Run(t.Context(), bus, in); err == nil {
		t.Error("Run returned no error")
	}
	var events []parse.Event
	for batch := range bus.Events() {
		events = append(events, batch...)
	}
	equal(t, story(events)[1:], []string{"reading", "failed: internal error: a bug"})
}

// terminal is a writer that may fail.
type terminal struct {
	mu   sync.Mutex
	text bytes.Buffer
	err  error
}

func (w *terminal) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	return w.text.Write(b)
}

func (w *terminal) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func TestStdinPassesTextThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := startStdin(t, nil)
		p.write("while the screen was up\n")
		p.stop()
		var out terminal
		p.PassTo(&out)
		p.write("\rafter\xff")
		p.write(" it\n")
		if got := out.String(); got != "\rafter\xff it\n" {
			t.Errorf("passed through %q", got)
		}
		p.PassTo(nil)
		p.write("in silence\n")
		p.PassTo(&out)
		out.mu.Lock()
		out.err = syscall.EPIPE
		out.mu.Unlock()
		p.write("the terminal is gone\n")
		out.mu.Lock()
		out.err = nil
		out.mu.Unlock()
		p.write("and it goes on\n")
		p.in.Close()
		<-p.Drained()
		if got := out.String(); got != "\rafter\xff it\n" {
			t.Errorf("passed through %q", got)
		}
	})
}

func TestStdinThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := startStdin(t, nil)
		p.write("half a line")
		p.in.CloseWithError(syscall.EIO)
		if err := p.ended(); !errors.Is(err, syscall.EIO) {
			t.Errorf("Run returned %v", err)
		}
		equal(t, p.news()[2:], []string{"text: half a line", "failed: cannot read standard input: " + syscall.EIO.Error()})
	})
}

// again is a reader that has nothing at first, as a non-blocking pipe.
type again struct {
	io.Reader
	times int
}

func (a *again) Read(b []byte) (int, error) {
	if a.times--; a.times >= 0 {
		return 0, syscall.EAGAIN
	}
	return a.Reader.Read(b)
}

func TestNonBlockingStdinIsNoError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		check(t, NewStdin(&again{bytes.NewReader([]byte("one\n")), 5}, 0, parse.Grammar{}).Run(t.Context(), &r))
		equal(t, r.news()[1:], []string{"reading", "text: one", "ended"})
	})
}
