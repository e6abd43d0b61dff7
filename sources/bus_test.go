package sources

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"yolotop/parse"
)

func numbered(input, n int) []parse.Event {
	return []parse.Event{{Origin: parse.Origin{Input: input, Line: n}, Record: &parse.Text{}}}
}

func TestBusKeepsEveryBatchInItsPublishersOrder(t *testing.T) {
	t.Parallel()
	const publishers, batches = 8, 200
	for _, capacity := range []int{0, 1, 64} {
		bus := NewBus(capacity)
		var all sync.WaitGroup
		for p := range publishers {
			all.Go(func() {
				for n := range batches {
					if err := bus.Publish(t.Context(), numbered(p, n)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		go func() { all.Wait(); bus.Close() }()
		var next [publishers]int
		for batch := range bus.Events() {
			e := batch[0]
			if e.Line != next[e.Input] {
				t.Fatalf("publisher %d: got batch %d, want %d", e.Input, e.Line, next[e.Input])
			}
			next[e.Input]++
		}
		for p, n := range next {
			if n != batches {
				t.Errorf("publisher %d: %d batches arrived of %d", p, n, batches)
			}
		}
	}
}

func TestPublishWaitsWhileTheBusIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bus := NewBus(1)
		check(t, bus.Publish(t.Context(), numbered(0, 0)))
		check(t, bus.Publish(t.Context(), nil)) // takes no room
		done := make(chan error, 1)
		go func() { done <- bus.Publish(t.Context(), numbered(0, 1)) }()
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("published into a full bus: %v", err)
		default:
		}
		<-bus.Events()
		check(t, <-done)
		if e := (<-bus.Events())[0]; e.Line != 1 {
			t.Errorf("got batch %d, want 1", e.Line)
		}
	})
}

func TestPublishGivesUpWithItsContextOrTheBus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bus := NewBus(0)
		ctx, cancel := context.WithCancel(t.Context())
		stopped, closed := make(chan error, 1), make(chan error, 1)
		go func() { stopped <- bus.Publish(ctx, numbered(0, 0)) }()
		go func() { closed <- bus.Publish(t.Context(), numbered(1, 0)) }()
		synctest.Wait()
		cancel()
		if err := <-stopped; !errors.Is(err, context.Canceled) {
			t.Errorf("after the context ended: %v", err)
		}
		bus.Close()
		bus.Close()
		if err := <-closed; !errors.Is(err, errClosed) {
			t.Errorf("waiting while the bus was closed: %v", err)
		}
		if err := bus.Publish(t.Context(), numbered(2, 0)); !errors.Is(err, errClosed) {
			t.Errorf("after the bus was closed: %v", err)
		}
		if batch, open := <-bus.Events(); open {
			t.Errorf("a closed bus gave %v", batch)
		}
	})
}

// A publisher that is late must not hit a closed channel.
func TestCloseWhileManyPublish(t *testing.T) {
	t.Parallel()
	for range 300 {
		bus := NewBus(0)
		var all sync.WaitGroup
		for p := range 4 {
			all.Go(func() {
				for n := 0; bus.Publish(t.Context(), numbered(p, n)) == nil; n++ {
				}
			})
		}
		<-bus.Events()
		bus.Close()
		all.Wait()
	}
}

// scripted is a source that does what a function does.
type scripted struct {
	name string
	run  func(context.Context, Publisher) error
}

func (s scripted) Name() string                               { return s.name }
func (s scripted) Run(ctx context.Context, p Publisher) error { return s.run(ctx, p) }
func (s scripted) Input() int                                 { return 7 }

func TestRunEndsTheBusAndOutlivesEverySource(t *testing.T) {
	t.Parallel()
	bus := NewBus(0)
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		result <- Run(ctx, bus,
			scripted{"fine", func(ctx context.Context, p Publisher) error { return p.Publish(ctx, numbered(0, 1)) }},
			scripted{"bad", func(context.Context, Publisher) error { panic("index out of range") }},
			scripted{"broken", func(context.Context, Publisher) error { return broken }},
			scripted{"long", func(ctx context.Context, _ Publisher) error { <-ctx.Done(); return ctx.Err() }},
		)
	}()
	lines, failures := 0, []parse.Event{}
	for range 2 {
		for _, e := range <-bus.Events() {
			if _, ok := e.Record.(*parse.SourceState); ok {
				failures = append(failures, e)
			} else {
				lines++
			}
		}
	}
	cancel()
	for batch := range bus.Events() {
		t.Errorf("unexpected %v", batch)
	}
	equal(t, story(failures), []string{"failed: internal error: index out of range"})
	if lines != 1 || failures[0].Input != 7 {
		t.Errorf("got %d lines of the fine source, and input %d", lines, failures[0].Input)
	}
	err := <-result
	var crash *panicError
	if !errors.Is(err, broken) || !errors.As(err, &crash) || errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v", err)
	}
	if text := fmt.Sprintf("%+v", crash); len(text) <= len(crash.Error()) {
		t.Errorf("no stack in %q", text)
	}
}
