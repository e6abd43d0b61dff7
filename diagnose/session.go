// Package diagnose says what a training run is and what is wrong with it.
//
// A [Session] takes the events of all inputs, in the order in which they came,
// and sorts them into runs. Each event first changes the state of its [Run]; then
// every detector looks at it; then one ordered pass settles what excludes or
// explains what. Detectors use run time only, so a replayed log gives the findings
// that the live run gave.
//
// The package does no input or output, starts no goroutine and reads no clock.
package diagnose

import (
	"slices"
	"time"

	"yolotop/parse"
)

// StandardInput is the name of the input that a training is piped into.
const StandardInput = "standard input"

// Input is one input of a session, known by its index.
type Input struct {
	Name string // as given, for people
	// Group is the run folder that the input was found in, empty if it was given
	// by itself. Inputs of one folder belong together.
	Group string
	// Written is when it was last written, of the last run among those that ended when
	// nothing ran; else zero.
	Written time.Time
}

// Session owns the runs of all inputs and routes events to them.
type Session struct {
	inputs  []Input
	states  []inputState
	runs    []*Run
	machine Machine
	// recordings is that recordings of devices and logs may belong together in another way
	// than when that was looked at.
	recordings bool
	others     []OtherRun // that were told of
	// othersChanged is that a run has ended, or goes on, since runs were compared.
	othersChanged bool
	event         parse.Event // the newest one
	nextID        int
	now           time.Time // of the last tick
	began         time.Time // of the first one
}

// inputState is what a session remembers of one input.
type inputState struct {
	run     *Run
	banner  []parse.Event // a banner after rows, a line a device: of a last validation or of a new run
	retry   bool          // an epoch will begin anew without being a new run
	source  parse.SourceState
	offset  int64          // of the newest line, in bytes
	trainer *parse.Trainer // that writes it on this machine; nil if none is known
	left    time.Time      // when the last trainer that is known was found to have ended; zero if it has not
	rows    []parse.Event  // of results.csv, until it is joined with a log
	config  *parse.Event
	joined  bool
	isCSV   bool
	dated   *parse.Dated // time of day of its run time; nil if nothing tells
}

// rowsKept bounds the rows of a results.csv that are kept for joining.
const rowsKept = 20000

// rowsCompared is how many of the newest rows are compared with a log, which keeps
// its newest epochs too.
const rowsCompared = 2 * epochsKept

// NewSession makes a session for the given inputs.
func NewSession(inputs ...Input) *Session {
	return &Session{inputs: inputs, states: make([]inputState, len(inputs)), nextID: 1}
}

// Inputs are the session's inputs by index.
func (s *Session) Inputs() []Input { return s.inputs }

// Runs are the runs: those of what was written before anybody looked in the order of the inputs,
// then those that began since, the newest last.
func (s *Session) Runs() []*Run { return s.runs }

// Observe takes the next event. Provisional events move what a screen shows of the
// newest row and nothing else.
func (s *Session) Observe(e parse.Event) {
	if e.Input == MachineInput {
		s.machine.observe(e)
		s.machineSample(e)
		return
	}
	if f, ok := e.Record.(*parse.Found); ok && e.Input == len(s.states) {
		s.inputs = append(s.inputs, Input{Name: f.Name, Group: f.Group, Written: f.Written})
		s.states = append(s.states, inputState{})
	}
	if e.Input < 0 || e.Input >= len(s.states) {
		return
	}
	in := &s.states[e.Input]
	in.offset = max(in.offset, e.Offset)
	if e.Provisional {
		if in.run != nil {
			in.run.provisional(&e)
		}
		return
	}
	switch rec := e.Record.(type) {
	case *parse.SourceState:
		s.source(in, rec)
		return
	case *parse.Trainer:
		s.trainer(e, rec)
		return
	case *parse.Found:
		return
	case *parse.Dated:
		in.dated = rec
		return
	}
	if !s.routes(in, e) {
		return
	}
	run := in.run
	closed, status := run.closed, run.Status
	s.event = e // here, since what detectors get would be allocated anew each time
	run.update(&s.event)
	if run.closed != closed {
		s.compare(run)
	}
	if run.Status != status {
		s.othersChanged = true
		run.EndedAt = time.Time{}
		if run.Status != Running {
			run.EndedAt = e.Arrival
		}
	}
	run.observe(&s.event)
	run.settle()
	switch e.Record.(type) {
	case *parse.EpochRow, *parse.Validation:
		s.join(e.Input)
		s.recordings = true
	case *parse.GPU:
		s.recorded(in, e)
		s.recordings = true
	}
}

// source takes what a source says about itself.
func (s *Session) source(in *inputState, src *parse.SourceState) {
	in.source = *src
	switch src.Status {
	case parse.SourceReplaced:
		if in.run != nil {
			in.run.superseded()
			in.run.settle()
		}
		*in = inputState{source: *src, trainer: in.trainer} // a new beginning: what follows is a new run
	case parse.SourceEnded, parse.SourceFailed:
		if in.run != nil {
			in.run.Forsaken = !in.left.IsZero() && in.run.Status == Running && in.run.tells()
			in.run.inputEnded()
			in.run.settle()
			s.compareAll()
		}
		s.recordings = true
		s.joinRecordings()
	}
}

// Tick tells the session the time, once a second while inputs are live.
func (s *Session) Tick(now time.Time) {
	jump := time.Duration(0)
	if !s.now.IsZero() && now.Sub(s.now) > jumpOver {
		jump = now.Sub(s.now) // the machine slept: silence that proves nothing
	}
	s.now = now
	if s.began.IsZero() {
		s.began = now
	}
	for i := range s.states {
		s.states[i].forsake(now)
	}
	for _, r := range s.runs {
		if jump > 0 {
			r.gap.shift(jump)
		}
		r.tick(now)
		r.settle()
	}
}

// lastWords is how long the text of a trainer is waited for that has ended.
const lastWords = 10 * time.Second

// forsake ends the run of a trainer that has ended and said nothing about it.
func (in *inputState) forsake(now time.Time) {
	r := in.run
	if in.left.IsZero() || r == nil || r.Status != Running {
		return
	}
	if now.Sub(in.left) < lastWords || now.Sub(r.gap.last) < lastWords {
		return
	}
	r.inputEnded()
	r.Forsaken, r.EndedAt = r.tells(), now
	r.withdraw(Stalled)
	r.settle()
}

// tells reports whether the inputs of a run would have said why it ended here: results.csv
// never does, and many trainers end behind an epoch without a word.
func (r *Run) tells() bool {
	if !r.HasRows() {
		return true
	}
	st := r.Current()
	within := st != nil && !st.Complete || r.Epochs > 0 && r.Epoch < r.Epochs
	return r.measuredRows+r.unmeasuredRows > 0 && within
}

// jumpOver is how late a tick may be before it counts as a jump of the clock.
const jumpOver = 15 * time.Second

// routes finds the run of an event, beginning a new one where the event says so.
// It reports false for an event that only waits for others.
func (s *Session) routes(in *inputState, e parse.Event) bool {
	if in.run == nil {
		if _, ok := e.Record.(*parse.Config); ok && e.Line == 0 { // args.yaml, read before its results.csv
			in.config = &e
		}
		s.begin(in, e)
	}
	rows := in.run.HasRows()
	switch r := e.Record.(type) {
	case *parse.Banner:
		if rows {
			if r.Version != "" || r.Torch != "" || len(r.Devices) == 0 {
				in.banner = nil
			}
			in.banner = append(in.banner, e) // whose it is shows in what follows
			return false
		}
	case *parse.Config:
		if rows {
			s.next(in, e)
		}
	case *parse.Notice:
		switch r.Kind {
		case parse.TrainingStarted:
			if rows {
				s.next(in, e)
			}
		case parse.BatchReduced, parse.NaNRecovery:
			in.retry = true
		case parse.EpochBegan:
			if r.Epoch < in.run.Epoch && !in.retry {
				s.next(in, e)
			}
		}
	case *parse.Progress:
		if r.Epoch < in.run.Epoch && !in.retry {
			s.next(in, e)
		} else if r.Epoch > in.run.Epoch {
			in.retry = false
		}
	case *parse.EpochRow:
		in.isCSV = true
		if r.Epoch <= in.run.FirstEpoch && r.Epoch < in.run.Epoch && !in.joined {
			in.rows = nil
			s.next(in, e)
		}
		if len(s.inputs) > 1 && !in.joined && len(in.rows) < rowsKept {
			in.rows = append(in.rows, e)
		}
	}
	return true
}

// begin makes a run of an input. What was written before anybody looked stands in the order
// of the inputs, whichever was read first; what begins later stands behind that.
func (s *Session) begin(in *inputState, e parse.Event) {
	in.run = newRun(s.nextID, e.Input)
	in.run.live = !e.Arrival.IsZero()
	s.nextID++
	at := len(s.runs)
	if !in.run.live {
		for at > 0 && (s.runs[at-1].live || s.runs[at-1].Inputs[0] > e.Input) {
			at--
		}
	}
	s.runs = slices.Insert(s.runs, at, in.run)
}

// next ends the input's run and begins another one.
func (s *Session) next(in *inputState, e parse.Event) {
	old := in.run
	old.superseded()
	old.settle()
	s.begin(in, e)
	in.run.predecessor, in.run.began = old, old.began+old.Elapsed
	in.joined = false
	for i := range in.banner {
		in.run.update(&in.banner[i])
	}
	if len(in.banner) == 0 { // the same program goes on
		run := in.run
		run.Trainer, run.Version, run.Torch, run.Devices, run.Memory.Total = old.Trainer, old.Version, old.Torch, slices.Clone(old.Devices), old.Memory.Total
	}
	in.banner = nil
	if in.isCSV && in.config != nil {
		in.run.update(in.config)
	}
}

// SourceOf is what the source of an input last said about itself.
func (s *Session) SourceOf(input int) parse.SourceState { return s.states[input].source }
