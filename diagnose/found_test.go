package diagnose

import (
	"testing"
	"time"

	"yolotop/parse"
)

// An input that is found while a session runs is one like the others.
func TestAFoundInputIsOneOfTheSession(t *testing.T) {
	t.Parallel()
	s := NewSession()
	found := func(input int, name string) {
		s.Observe(parse.Event{Origin: parse.Origin{Input: input}, Record: &parse.Found{Name: name}})
	}
	feed(s, 0, banner) // of nothing that is known
	if len(s.Runs()) != 0 {
		t.Error("an input that was not found has a run")
	}
	found(0, "tmux %1")
	before := s.Snapshot(time.Time{})
	found(1, "train.log")
	found(7, "not the next")
	feed(s, 1, banner+start+header+row("1", "10", "15.1G"))
	if len(s.Inputs()) != 2 || s.Inputs()[1].Name != "train.log" || len(before.Inputs) != 1 {
		t.Errorf("inputs %+v, before %+v", s.Inputs(), before.Inputs)
	}
	if len(s.Runs()) != 1 || s.Runs()[0].Inputs[0] != 1 || s.Runs()[0].Epoch != 1 {
		t.Errorf("runs %+v", s.Runs())
	}
}

// TestATrainerThatEndsWithoutAWord promises that a run whose process is gone is over,
// after its last words, and goes on if rows go on.
func TestATrainerThatEndsWithoutAWord(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	s := NewSession(Input{Name: "train.log"})
	stream := parse.NewStream(0)
	write := func(text string) { stream.Write([]byte(text), now, s.Observe) }
	trainer := func(pid int) {
		s.Observe(parse.Event{Origin: parse.Origin{Arrival: now}, Record: &parse.Trainer{PID: pid}})
	}
	wait := func(d time.Duration) {
		for range int(d / time.Second) {
			now = now.Add(time.Second)
			s.Tick(now)
		}
	}
	trainer(0) // never known: no news
	write(banner + start + header + row("1", "10", "15.1G"))
	wait(time.Minute)
	if r := s.Runs()[0]; r.Status != Running || r.Forsaken {
		t.Fatalf("without a trainer: %v, forsaken %v", r.Status, r.Forsaken)
	}
	trainer(42)
	write(row("2", "10", "15.1G"))
	trainer(0)
	wait(lastWords - time.Second)
	if r := s.Runs()[0]; r.Status != Running || r.Forsaken {
		t.Errorf("its last words are not waited for: %v", r.Status)
	}
	wait(2 * time.Second)
	if r := s.Runs()[0]; r.Status != StatusUnknown || !r.Forsaken || r.Phase != Ended {
		t.Errorf("its process is gone: %v, forsaken %v", r.Status, r.Forsaken)
	}
	wait(time.Hour)
	if f := s.Runs()[0].active(Stalled); f != nil {
		t.Errorf("what has ended does not stall: %+v", f)
	}
	trainer(43)
	write(row("3", "10", "15.1G") + row("3", "10", "15.1G"))
	if r := s.Runs()[0]; r.Forsaken || r.Status != Running {
		t.Errorf("rows come again: %v, forsaken %v", r.Status, r.Forsaken)
	}
	trainer(0)
	s.Observe(parse.Event{Record: &parse.SourceState{Status: parse.SourceEnded}})
	if r := s.Runs()[0]; !r.Forsaken || r.Status != StatusUnknown {
		t.Errorf("its text ends with its process: %v, forsaken %v", r.Status, r.Forsaken)
	}
}

// A run that is known by its results.csv alone ends without a word each time, and goes on
// when rows come again.
func TestResultsAloneDoNotSayWhyTheyEnd(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "results.csv"})
	stream := parse.NewStream(0)
	now := time.Unix(1_800_000_000, 0)
	write := func(text string) { stream.Write([]byte(text), now, s.Observe) }
	write("epoch,train/box_loss,val/box_loss\n1,1.5,1.6\n2,1.4,1.5\n")
	s.Observe(parse.Event{Origin: parse.Origin{Arrival: now}, Record: &parse.Trainer{PID: 42}})
	s.Observe(parse.Event{Origin: parse.Origin{Arrival: now}, Record: &parse.Trainer{}})
	s.Tick(now.Add(time.Minute))
	if r := s.Runs()[0]; r.Status != StatusUnknown || r.Forsaken {
		t.Errorf("%v, forsaken %v", r.Status, r.Forsaken)
	}
	write("3,1.3,1.4\n")
	if r := s.Runs()[0]; r.Status != Running || r.Epoch != 3 {
		t.Errorf("rows come again: %v in epoch %d", r.Status, r.Epoch)
	}
}

// A trainer that ends behind an epoch, and of which it is not known how many there are, has
// ended as it should for all that is known.
func TestATrainerThatEndsBehindAnEpoch(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for text, forsaken := range map[string]bool{
		"03/14 09:12:16 - mmengine - INFO - Epoch(train)  [1][300/300]  lr: 1.0e-03  time: 0.2  data_time: 0.01  loss: 2.7\n": false,
		"03/14 09:12:16 - mmengine - INFO - Epoch(train)  [1][ 50/300]  lr: 1.0e-03  time: 0.2  data_time: 0.01  loss: 2.7\n": true,
		banner + start + header + row("2", "10", "15.1G"):                                                                     true, // of ten
	} {
		s := NewSession(Input{Name: "train.log"})
		parse.NewStream(0).Write([]byte(text), now, s.Observe)
		for _, pid := range []int{42, 0} {
			s.Observe(parse.Event{Origin: parse.Origin{Arrival: now}, Record: &parse.Trainer{PID: pid}})
		}
		s.Tick(now.Add(time.Minute))
		if r := s.Runs()[0]; r.Forsaken != forsaken || r.Status != StatusUnknown {
			t.Errorf("%.60q: forsaken %v, %v", text, r.Forsaken, r.Status)
		}
	}
}
