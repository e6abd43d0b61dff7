package sources

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"yolotop/parse"
)

const (
	// trainerEvery is how often a known trainer is looked at, and how soon an unknown
	// one is looked for again.
	trainerEvery = 5 * time.Second
	// trainerEveryMax is how rarely one is looked for that was not found for long.
	trainerEveryMax = time.Minute
)

// TrainersOptions say whose writers are looked for.
type TrainersOptions struct {
	// Inputs are paths by the index of the input, "-" is standard input. Empty ones are
	// passed over.
	Inputs []string

	find func(path string) (parse.Trainer, bool) // for tests; nil asks the system
	look func(known parse.Trainer) (parse.Trainer, bool)
}

// Trainers is a source that finds the processes that write the inputs: a training that
// runs here and now, which a log by itself never proves.
//
// On Linux it looks in /proc, where it sees the processes of this user; for root, all. A
// trainer behind tee, grep and the like is found, too. On other systems it finds none.
type Trainers struct {
	options TrainersOptions
	first   atomic.Int64 // process number of the first trainer that was found
}

// NewTrainers makes a source that looks until it is stopped.
func NewTrainers(o TrainersOptions) *Trainers {
	if o.find == nil {
		o.find = findTrainer
	}
	if o.look == nil {
		o.look = lookAtTrainer
	}
	return &Trainers{options: o}
}

// Name implements [Source].
func (t *Trainers) Name() string { return "trainers" }

// Input is -1: the source is none of the inputs. Its events carry those that they are of.
func (t *Trainers) Input() int { return -1 }

// PID is the process number of a trainer that was found and has not ended, 0 if there
// is none. It may be called at any time.
func (t *Trainers) PID() int { return int(t.first.Load()) }

// Run implements [Source]. It publishes a [parse.Trainer] when one is found, when it
// changes and when it has ended. It ends because of its context, or if nobody receives
// any more.
func (t *Trainers) Run(ctx context.Context, p Publisher) error {
	known := make([]parse.Trainer, len(t.options.Inputs))
	delay := trainerEvery
	for {
		var events []parse.Event
		found := false
		for i, path := range t.options.Inputs {
			if path == "" {
				continue
			}
			now, ok := t.find(path, known[i])
			found = found || ok
			if !reflect.DeepEqual(now, known[i]) {
				known[i] = now
				events = append(events, parse.Event{Origin: parse.Origin{Input: i, Arrival: time.Now()}, Record: &now})
			}
		}
		t.remember(known)
		if len(events) > 0 {
			if err := p.Publish(ctx, events); err != nil {
				return err
			}
		}
		if found {
			delay = trainerEvery
		}
		if err := pause(ctx, delay); err != nil {
			return err
		}
		delay = min(2*delay, trainerEveryMax)
	}
}

// find is the trainer of an input: the known one, or another one if that has ended.
func (t *Trainers) find(path string, known parse.Trainer) (parse.Trainer, bool) {
	if known.PID != 0 {
		if now, ok := t.options.look(known); ok {
			return now, true
		}
	}
	return t.options.find(path)
}

func (t *Trainers) remember(known []parse.Trainer) {
	for _, k := range known {
		if k.PID != 0 {
			t.first.Store(int64(k.PID))
			return
		}
	}
	t.first.Store(0)
}

// looksLikeTrainer reports whether a process can be a trainer: Python, or what torch
// calls its main thread.
func looksLikeTrainer(p Process) bool {
	if p.Name == "pt_main_thread" || strings.HasPrefix(p.Name, "python") || strings.HasPrefix(p.Name, "yolo") {
		return p.Name != "yolotop"
	}
	if len(p.Args) == 0 {
		return false
	}
	program := p.Args[0][strings.LastIndexByte(p.Args[0], '/')+1:]
	return strings.HasPrefix(program, "python")
}
