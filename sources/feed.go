package sources

import (
	"context"
	"errors"
	"io"
	"time"

	"yolotop/parse"
)

// feed turns the bytes of one input into batches of events on the bus.
type feed struct {
	name    string
	grammar parse.Grammar // what it may be in
	input   int
	to      Publisher
	stream  *parse.Stream
	batch   []parse.Event
	hint    int            // length of the last batch, as a guess for the next
	shown   frame          // the provisional frame published last
	ended   *parse.Failure // what the exit status says, before the end; nil for nothing
}

func newFeed(name string, input int, to Publisher) *feed {
	return newFeedIn(parse.Grammar{}, name, input, to)
}

// newFeedIn is newFeed for an input in a given grammar.
func newFeedIn(grammar parse.Grammar, name string, input int, to Publisher) *feed {
	return &feed{name: name, grammar: grammar, input: input, to: to, stream: grammar.NewStream(input)}
}

// frame is what tells one state of the newest bar from the next.
type frame struct {
	offset      int64
	run         time.Duration
	epoch, iter int
	values      int
	rate        float64
}

func (f *feed) add(e parse.Event) {
	if f.batch == nil {
		f.batch = make([]parse.Event, 0, f.hint+1)
	}
	f.batch = append(f.batch, e)
}

// flush publishes what was added, as one batch.
func (f *feed) flush(ctx context.Context) error {
	if len(f.batch) == 0 {
		return nil
	}
	batch := f.batch
	f.batch, f.hint = nil, len(batch) // the receiver owns the slice now
	return f.to.Publish(ctx, batch)
}

// say publishes a record that came from no byte of the input.
func (f *feed) say(ctx context.Context, r parse.Record) error {
	f.add(parse.Event{Origin: parse.Origin{Input: f.input}, Record: r})
	return f.flush(ctx)
}

func (f *feed) state(ctx context.Context, s parse.SourceStatus, why string) error {
	return f.say(ctx, &parse.SourceState{Name: f.name, Status: s, Why: why})
}

// arrived publishes bytes, and the newest frame if there is nothing more for now.
func (f *feed) arrived(ctx context.Context, b []byte, at time.Time, caughtUp bool) error {
	f.stream.Write(b, at, f.add)
	if err := f.flush(ctx); err != nil || !caughtUp {
		return err
	}
	return f.pending(ctx, at)
}

// pending publishes the newest frame of a bar, which has no terminator yet, unless
// it was published before.
func (f *feed) pending(ctx context.Context, at time.Time) error {
	e, ok := f.stream.Pending(at)
	if !ok {
		return nil
	}
	shown := frame{offset: e.Offset, run: e.Run}
	if p, ok := e.Record.(*parse.Progress); ok {
		shown.epoch, shown.iter, shown.rate, shown.values = p.Epoch, p.Iter, p.Rate, len(p.Values)
	}
	if shown == f.shown {
		return nil
	}
	f.shown = shown
	f.add(e)
	return f.flush(ctx)
}

// end publishes what the input ended with, and that it ended: in order if why is
// io.EOF.
func (f *feed) end(ctx context.Context, at time.Time, why error) error {
	f.stream.Close(at, f.add)
	if errors.Is(why, io.EOF) {
		if err := f.flush(ctx); err != nil {
			return err
		}
		return f.state(ctx, parse.SourceEnded, "")
	}
	err := f.flush(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // the reader gave up because it was told to
	}
	if err == nil {
		err = f.state(ctx, parse.SourceFailed, describe(f.name, why))
	}
	if err != nil {
		return err
	}
	return &readError{f.name, why}
}
