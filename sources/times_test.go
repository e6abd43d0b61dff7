package sources

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

// TestTimesOfALog promises that what is kept beside a log gives each of its lines the time at which
// it came, and that a file which is damaged tells nothing wrong.
func TestTimesOfALog(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "train.log")
	f, err := os.OpenFile(log, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	check(t, err)
	defer f.Close()
	text := training()
	half := strings.Index(text, "2/3")
	var beside bytes.Buffer
	var began time.Time
	synctest.Test(t, func(t *testing.T) {
		began = time.Now()
		s := NewSpool(f)
		r, w := io.Pipe()
		done := make(chan error, 2)
		go func() { done <- s.Drain(r) }()
		go func() { done <- WriteTimes(&beside, s, time.Now, time.Sleep) }()
		for _, part := range []string{text[:half], text[half:]} {
			_, err := io.WriteString(w, part)
			check(t, err)
			<-time.After(20 * time.Second)
		}
		check(t, w.Close())
		check(t, <-done)
		check(t, <-done)
	})
	put(t, log+TimesSuffix, beside.String()+"12,garbage\nnonsense\n99")
	var dated *parse.Dated
	var last time.Duration
	check(t, Read(Target{Path: log}, 0, func(e parse.Event) {
		if d, ok := e.Record.(*parse.Dated); ok {
			dated = d
		}
		last = e.Run
	}))
	if dated == nil || dated.Zoned || dated.Start.Before(began) || dated.Start.After(began.Add(timesEvery)) {
		t.Errorf("dated %+v; kept:\n%s", dated, beside.String())
	}
	if last < 20*time.Second || last > 30*time.Second { // its bars go on from there
		t.Errorf("the last line came after %v; kept:\n%s", last, beside.String())
	}
	put(t, log+TimesSuffix, "something else\n")
	if readTimes(log) != nil {
		t.Error("another file is taken for the times")
	}
}

// devicesOf is a source of some samples.
type devicesOf []parse.Event

func (d devicesOf) Name() string { return "devices" }

func (d devicesOf) Run(ctx context.Context, p Publisher) error {
	for _, e := range d {
		if err := p.Publish(ctx, []parse.Event{e}); err != nil {
			return err
		}
	}
	return context.Canceled
}

// TestSamplesBesideALog promises that what is kept of devices is read again as it was, not more often
// than wanted, and that nothing is written where there are none.
func TestSamplesBesideALog(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	sample := func(index int, used parse.Bytes, power parse.Number) parse.Event {
		return parse.Event{Record: &parse.GPU{
			Index: index, UUID: "GPU-1234", Name: "NVIDIA GeForce RTX 3090", Used: parse.Have(float64(used)), Total: parse.Have(float64(24 * parse.GiB)),
			Busy: parse.Have(.87), Power: power, Temperature: parse.Have(71),
		}}
	}
	clock := func() time.Time { now = now.Add(2 * time.Second); return now }
	source := devicesOf{{Record: &parse.SourceState{}}, sample(0, parse.GiB, parse.Number{}), sample(0, 2*parse.GiB, parse.Have(300)), sample(0, 3*parse.GiB, parse.Have(301)), sample(1, 4*parse.GiB, parse.Have(302))}
	var out bytes.Buffer
	if err := RecordSamples(t.Context(), &out, source, 3*time.Second, clock); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var got []*parse.GPU
	stream := parse.NewStream(0)
	take := func(e parse.Event) {
		if g, ok := e.Record.(*parse.GPU); ok {
			got = append(got, g)
		}
	}
	stream.Write(out.Bytes(), time.Time{}, take)
	stream.Close(time.Time{}, take)
	if len(got) != 3 {
		t.Fatalf("%d samples of:\n%s", len(got), out.String())
	}
	used, _ := got[1].Used.Bytes()
	busy, _ := got[1].Busy.Get()
	power, _ := got[1].Power.Get()
	if used != 3*parse.GiB || busy != .87 || power != 301 || got[1].UUID != "GPU-1234" || got[2].Index != 1 || !got[1].Stamp.Equal(time.Date(2026, 1, 2, 3, 0, 6, 0, time.UTC)) {
		t.Errorf("%+v", got[1])
	}
	if _, ok := got[0].Power.Get(); ok {
		t.Errorf("power is not known: %+v", got[0])
	}
	out.Reset()
	_ = RecordSamples(t.Context(), &out, devicesOf{{Record: &parse.SourceState{}}}, time.Second, clock)
	if out.Len() > 0 {
		t.Errorf("no devices: %q", out.String())
	}
}
