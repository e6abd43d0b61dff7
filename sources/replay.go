package sources

import (
	"bytes"
	"context"
	"io"
	"time"

	"yolotop/parse"
)

const (
	// waitMax is the longest wait between two events of a replay; logs hold gaps of
	// hours that nobody wants to watch.
	waitMax = time.Second
	// replayBatch bounds what is published at once where there is nothing to wait
	// for.
	replayBatch = 256
)

// Replay plays a recorded log as if it were written now. The events are exactly
// those of the log, and without arrival time as those of any finished file; only
// when they come is new.
type Replay struct {
	name  string
	data  []byte
	input int
	speed float64
}

// NewReplay makes a source that plays the log in data speed times as fast as its
// own run time, and as fast as possible if speed is 0. Everything before the first
// training row comes at once.
func NewReplay(name string, data []byte, input int, speed float64) *Replay {
	return &Replay{name: name, data: data, input: input, speed: speed}
}

// Name implements [Source].
func (r *Replay) Name() string { return r.name }

// Input is the index among the inputs.
func (r *Replay) Input() int { return r.input }

// Run implements [Source]. It ends when the log does.
func (r *Replay) Run(ctx context.Context, p Publisher) error {
	f := newFeed(r.name, r.input, p)
	if err := f.state(ctx, parse.SourceReading, ""); err != nil {
		return err
	}
	var (
		fresh   []parse.Event
		add     = func(e parse.Event) { fresh = append(fresh, e) }
		now     time.Duration // run time of what was published
		playing bool          // the first row has come
	)
	for rest := r.data; len(rest) > 0; {
		n := bytes.IndexAny(rest, "\r\n") + 1
		if n == 0 {
			n = len(rest)
		}
		fresh = fresh[:0]
		f.stream.Write(rest[:n], time.Time{}, add)
		rest = rest[n:]
		if len(rest) == 0 {
			f.stream.Close(time.Time{}, add)
		}
		run := now
		for _, e := range fresh {
			if e.HasRun {
				run = max(run, e.Run)
			}
		}
		wait := r.scaled(run - now)
		if playing && wait > 0 || len(f.batch) >= replayBatch {
			if err := f.flush(ctx); err != nil {
				return err
			}
		}
		if playing && wait > 0 {
			if err := pause(ctx, wait); err != nil {
				return err
			}
		}
		now = run
		for _, e := range fresh {
			_, row := e.Record.(*parse.Progress)
			playing = playing || row
			f.add(e)
		}
	}
	return f.end(ctx, time.Time{}, io.EOF)
}

// scaled is how long a stretch of run time takes here.
func (r *Replay) scaled(d time.Duration) time.Duration {
	if r.speed <= 0 {
		return 0
	}
	return time.Duration(min(float64(d)/r.speed, float64(waitMax)))
}
