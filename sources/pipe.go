package sources

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"yolotop/parse"
)

// chunkSize is how many bytes are read at once: what a Linux pipe holds.
const chunkSize = 64 << 10

// pipePoll is how often a pipe is looked at that cannot wake us.
const pipePoll = 100 * time.Millisecond

// pump reads a pipe to its end, come what may.
type pump struct {
	now     func() time.Time
	drained chan struct{}

	mu   sync.Mutex
	pass io.Writer
}

func newPump() *pump { return &pump{now: time.Now, drained: make(chan struct{})} }

// PassTo implements [Drainer].
func (d *pump) PassTo(w io.Writer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pass = w
}

// Drained implements [Drainer].
func (d *pump) Drained() <-chan struct{} { return d.drained }

// run publishes what r yields until it ends, and before its first bytes why there
// are none yet. When ctx ends it returns at once, while the reading goes on. r is
// closed at its end if it can be.
func (d *pump) run(ctx context.Context, r io.Reader, f *feed, waiting string) error {
	done := make(chan error, 1)
	go func() {
		defer close(d.drained)
		done <- d.drain(ctx, r, f, waiting)
		if c, ok := r.(io.Closer); ok {
			_ = c.Close()
		}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain reads to the end. The first failure of what follows the reading (nobody
// receives, or a panic in the parser) ends the parsing, never the reading.
func (d *pump) drain(ctx context.Context, r io.Reader, f *feed, waiting string) error {
	buf := make([]byte, chunkSize)
	reading := false
	var failed error
	attempt := func(step func() error) {
		if failed != nil {
			return
		}
		failed = guarded(step)
		var crash *panicError
		if errors.As(failed, &crash) {
			crash.said, f.batch = true, nil
			_ = guarded(func() error { return f.state(ctx, parse.SourceFailed, crash.Error()) })
		}
	}
	attempt(func() error { return f.state(ctx, parse.SourceWaiting, waiting) })
	for {
		n, err := r.Read(buf)
		if n > 0 {
			d.copy(buf[:n])
			attempt(func() error {
				if !reading {
					reading = true
					if err := f.state(ctx, parse.SourceReading, ""); err != nil {
						return err
					}
				}
				return f.arrived(ctx, buf[:n], d.now(), n < len(buf))
			})
		}
		switch {
		case err == nil:
		case errors.Is(err, syscall.EAGAIN):
			time.Sleep(pipePoll) // somebody made the pipe non-blocking; there is no data yet
		default:
			attempt(func() error { return f.end(ctx, d.now(), err) })
			return failed
		}
	}
}

// copy passes bytes through. It does not hold the lock while it writes, since a
// terminal may block for ever.
func (d *pump) copy(b []byte) {
	d.mu.Lock()
	w := d.pass
	d.mu.Unlock()
	if w == nil {
		return
	}
	if _, err := w.Write(b); err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.pass = nil
	}
}

// fifo reads a named pipe whose writer may not have come yet.
type fifo struct {
	*os.File
	ctx  context.Context
	seen bool // there is a writer, who depends on us
	gone bool // the writers have come and gone
}

// Read waits for the first writer until the context ends; from then on only the
// end of the last writer ends the reading.
func (p *fifo) Read(b []byte) (int, error) {
	for {
		n, err := p.File.Read(b)
		if n > 0 {
			p.seen = true
			return n, nil
		}
		p.seen = p.seen || errors.Is(err, syscall.EAGAIN) // somebody has it open who will write
		if p.seen || p.gone || !errors.Is(err, io.EOF) {
			return n, err
		}
		if p.gone = hungUp(p.File); p.gone {
			continue // it may have come, written and gone since the read
		}
		if err := pause(p.ctx, pipePoll); err != nil {
			return 0, err
		}
	}
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
