package sources

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"yolotop/parse"
)

// A Publisher takes batches of events.
type Publisher interface {
	// Publish hands events over, in order, and waits while there is no room for
	// them. It fails only if ctx ends first or nobody receives any more. The
	// receiver owns the slice from then on.
	Publish(ctx context.Context, events []parse.Event) error
}

// errClosed is what a publisher gets after the bus was closed.
var errClosed = errors.New("publish events: the bus is closed")

// A Bus is a bounded queue of batches with many publishers and one consumer. It
// keeps the order within each publisher, drops nothing and merges nothing: a live
// run must give the same findings as its log does later.
type Bus struct {
	batches chan []parse.Event
	closed  chan struct{}
	once    sync.Once
	sending sync.RWMutex // held for reading during a send, so that close can wait
}

// NewBus makes a bus that holds up to capacity batches before publishers wait.
func NewBus(capacity int) *Bus {
	return &Bus{batches: make(chan []parse.Event, max(0, capacity)), closed: make(chan struct{})}
}

// Publish puts a batch into the queue, waiting for room until ctx ends. An empty
// batch takes none.
func (b *Bus) Publish(ctx context.Context, events []parse.Event) error {
	if err := ctx.Err(); err != nil || len(events) == 0 {
		return err
	}
	b.sending.RLock()
	defer b.sending.RUnlock()
	select {
	case <-b.closed:
		return errClosed
	default:
	}
	select {
	case b.batches <- events:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-b.closed:
		return errClosed
	}
}

// Events is where the consumer receives. After [Bus.Close] it yields what is
// still in the queue and is closed then.
func (b *Bus) Events() <-chan []parse.Event { return b.batches }

// Close ends the bus: publishers that wait give up, later ones fail. It may be
// called more than once. [Run] does it when all its sources have ended.
func (b *Bus) Close() {
	b.once.Do(func() {
		close(b.closed)
		b.sending.Lock()
		defer b.sending.Unlock()
		close(b.batches)
	})
}

// Run runs all sources until each has ended, and closes the bus then, so that a
// loop over its events ends. A source that panics has failed, no more. Run returns
// the errors of the sources that could not go on, joined, and nil for those that
// ended or were stopped by ctx.
func Run(ctx context.Context, bus *Bus, sources ...Source) error {
	defer bus.Close()
	errs := make([]error, len(sources))
	var all sync.WaitGroup
	for i, s := range sources {
		all.Go(func() { errs[i] = runOne(ctx, bus, s) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// runOne runs a source to its end. To be stopped by ctx is no error.
func runOne(ctx context.Context, p Publisher, s Source) error {
	err := guarded(func() error { return s.Run(ctx, p) })
	var crash *panicError
	if errors.As(err, &crash) && !crash.said {
		_ = p.Publish(ctx, []parse.Event{crash.event(s)}) // ctx may have ended
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// panicError is a panic that was caught.
type panicError struct {
	value any
	stack []byte
	said  bool // the source itself has published it
}

// Error is short enough for a status line; the stack is for the developer who
// asks for it with %+v.
func (e *panicError) Error() string { return fmt.Sprintf("internal error: %v", e.value) }

// Format adds the stack for %+v.
func (e *panicError) Format(s fmt.State, verb rune) {
	fmt.Fprint(s, e.Error())
	if verb == 'v' && s.Flag('+') {
		fmt.Fprintf(s, "\n%s", e.stack)
	}
}

// event is the panic as an event of the source s. Its input is -1 where the source
// has none.
func (e *panicError) event(s Source) parse.Event {
	input := -1
	if i, ok := s.(interface{ Input() int }); ok {
		input = i.Input()
	}
	return parse.Event{
		Origin: parse.Origin{Input: input},
		Record: &parse.SourceState{Name: s.Name(), Status: parse.SourceFailed, Why: e.Error()},
	}
}

// guarded calls f and makes a panic in it an error.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{value: v, stack: debug.Stack()}
		}
	}()
	return f()
}
