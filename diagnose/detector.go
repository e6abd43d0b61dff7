package diagnose

import (
	"time"

	"yolotop/parse"
)

// detector looks for one kind of trouble. It sees every event after the run has
// taken it, in order, and never a provisional one; it must not keep the event.
type detector interface {
	Observe(r *Run, e *parse.Event)
}

// ticker is a detector to which silence is an event too.
type ticker interface {
	Tick(r *Run, now time.Time)
}

// newDetectors makes the detectors of a run, in the order in which they look.
func newDetectors() []detector {
	return []detector{&notMeasured{}, &nan{}, fit{}, &tight{}, &leak{}, &creep{}, &step{}, &valPeak{}, &oom{}, &hostRAM{}, &starved{}, &slow{}, &neighbour{}, headroom{}, &stalled{}}
}

// observe shows an event to every detector.
func (r *Run) observe(e *parse.Event) {
	for _, d := range r.detectors {
		d.Observe(r, e)
	}
}

// tick shows the passing of time to those that care.
func (r *Run) tick(now time.Time) {
	for _, d := range r.detectors {
		if t, ok := d.(ticker); ok {
			t.Tick(r, now)
		}
	}
}

// finding is the run's finding of a kind, nil if there is none.
func (r *Run) finding(kind Kind) *Finding {
	for _, f := range r.Findings {
		if f.Kind == kind {
			return f
		}
	}
	return nil
}

// active is the run's active finding of a kind, nil if there is none.
func (r *Run) active(kind Kind) *Finding {
	if f := r.finding(kind); f != nil && f.Active {
		return f
	}
	return nil
}

// raise makes a finding true from now on: a new one, or the present one of its
// kind with another level and other words.
func (r *Run) raise(e *parse.Event, f Finding) {
	f.Active, f.Last = true, r.moment(e)
	f.Since = e.Arrival
	r.dirty = true
	if have := r.finding(f.Kind); have != nil {
		f.First = have.First
		if have.Active && have.Level >= f.Level {
			f.Since = have.Since
		}
		if !have.Active && (f.Kind == Leak || f.Kind == Creep) {
			f.First = f.Last // it is true anew
		}
		*have = f
		return
	}
	f.First = f.Last
	r.Findings = append(r.Findings, &f)
}

// withdraw makes a finding no longer true; it stays in the list.
func (r *Run) withdraw(kind Kind) {
	if f := r.active(kind); f != nil {
		f.Active = false
		r.dirty = true
	}
}

// settle is the ordered pass after an event in which a finding changed: it takes
// back what another finding excludes.
func (r *Run) settle() {
	if !r.dirty {
		return
	}
	r.dirty = false
	if f := r.active(Stalled); f != nil && f.Level == Warning && r.Status != Running {
		r.withdraw(Stalled) // a run that ended is not silent, it is over
	}
	if f := r.active(HostRAM); f != nil && f.Level == Critical {
		if o := r.active(OOM); o != nil && o.First.Line > f.First.Line {
			r.withdraw(OOM) // the host died first, the card's error is a consequence
		}
	}
	r.dirty = false
}

// gpu is the index of the device that the log is about, -1 if none is known.
func (r *Run) gpu() int {
	if d, ok := r.Device(); ok && d.Kind != "cpu" {
		return max(d.Index, 0)
	}
	return -1
}
