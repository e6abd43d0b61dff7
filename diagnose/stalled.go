package diagnose

import (
	"time"

	"yolotop/parse"
)

// Silence is judged by what is usual for the run: several times the longest pause
// that it ever made, and never less than these.
const (
	stalledLeast   = 2 * time.Minute  // after the first epoch
	stalledStart   = 10 * time.Minute // before: compiling, scanning, caching, the first validation
	stalledFactor  = 4
	pausesForUsual = 20
)

// livePulse is how often something arrives while a run is followed.
type livePulse struct {
	last    time.Time // of the last arrival
	phase   Phase
	longest time.Duration // between two arrivals
	usual   time.Duration // a running mean between rows
	beats   int
}

// beat takes an arrival; zero times, of files that are merely read, do not count.
func (p *livePulse) beat(t time.Time, phase Phase) {
	if t.IsZero() {
		return
	}
	if !p.last.IsZero() && t.After(p.last) {
		gap := t.Sub(p.last)
		p.longest = max(p.longest, gap)
		if phase == Training && p.phase == Training {
			p.beats++
			p.usual += (gap - p.usual) / time.Duration(min(p.beats, pausesForUsual))
		}
	}
	p.last, p.phase = t, phase
}

// shift forgets a time in which the machine slept.
func (p *livePulse) shift(d time.Duration) {
	if !p.last.IsZero() {
		p.last = p.last.Add(d)
	}
}

// Pulse is the usual time between two rows, and when the last sign of life came;
// ok is false unless the run is followed live.
func (r *Run) Pulse() (usual time.Duration, last time.Time, ok bool) {
	return r.gap.usual, r.gap.last, !r.gap.last.IsZero()
}

// stalled finds a run that is silent for much longer than it ever was. It is the
// one detector that uses arrival, so files that are merely read are never found silent.
// It also explains the end of a run that waited in vain.
type stalled struct{}

// Observe implements detector.
func (stalled) Observe(r *Run, e *parse.Event) {
	switch e.Record.(type) {
	case *parse.GPU, *parse.Host:
		return // the machine lives, whatever the trainer does
	}
	r.gap.beat(e.Arrival, r.Phase)
	switch rec := e.Record.(type) {
	case *parse.Failure:
		gaveUp(r, e, rec)
		return
	case *parse.Progress:
		r.withdraw(Stalled)
	}
	if f := r.active(Stalled); f != nil && f.Level == Warning {
		r.withdraw(Stalled)
	}
}

// gaveUp explains the end of a run that had hung until something gave up waiting.
func gaveUp(r *Run, e *parse.Event, f *parse.Failure) {
	if r.Death != f {
		return
	}
	found := Finding{Kind: Stalled, GPU: r.gpu(), Level: Critical}
	switch f.Kind {
	case parse.Communication:
		found.Title, found.Because = Say("stalled.nccl.title"), Say("stalled.nccl.because")
		found.Advice = []Message{Say("stalled.nccl.first"), Say("stalled.nccl.debug"), Say("stalled.nccl.work")}
		found.Limits = []Message{Say("stalled.nccl.limits")}
	case parse.WorkerTimeout:
		found.Title, found.Because = Say("stalled.loader.title"), Say("stalled.loader.because")
		found.Advice = []Message{Say("stalled.loader.alone"), Say("stalled.loader.storage")}
	default:
		r.withdraw(Stalled) // what was waited for is known
		return
	}
	r.raise(e, found)
}

// Tick implements ticker.
func (stalled) Tick(r *Run, now time.Time) {
	if r.Status != Running || r.gap.last.IsZero() || !r.Known {
		return
	}
	silence := now.Sub(r.gap.last)
	limit := max(stalledLeast, stalledFactor*r.gap.longest)
	if r.validation == 0 || r.Phase == Starting {
		limit = max(stalledStart, limit)
	}
	if silence < limit || r.active(Stalled) != nil {
		return
	}
	because := Say("stalled.because", phaseName(r.Phase), r.gap.longest)
	if r.gap.longest < time.Second { // all of it came at once
		because = Say("stalled.because.last", phaseName(r.Phase))
	}
	e := parse.Event{Origin: parse.Origin{Input: r.Inputs[0], Line: r.lastLine(), Run: r.Elapsed, HasRun: r.HasElapsed, Arrival: now}}
	r.raise(&e, Finding{
		Kind: Stalled, GPU: r.gpu(), Level: Warning,
		Title:   Say("stalled.title", silence),
		Because: because,
		Advice:  []Message{Say("stalled.alive"), Say("stalled.disk"), Say("stalled.buffer")},
		Limits:  []Message{Say("stalled.limits")},
	})
}

// lastLine is the line of the newest row, 0 if there was none.
func (r *Run) lastLine() int {
	if st := r.Current(); st != nil {
		return st.Moment.Line
	}
	return 0
}
