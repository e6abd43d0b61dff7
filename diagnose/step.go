package diagnose

import "yolotop/parse"

// step finds memory that rose once, by much, and has stayed there: so do the first
// validation, larger images and the end of mosaic. It is a remark.
type step struct {
	ratchet levelSteps
}

// levelSteps follows the peaks of epochs for one great rise.
type levelSteps struct {
	epoch   int
	high    float64 // of the present epoch
	best    float64 // of all epochs that were closed
	closed  int
	rise    float64 // of the great one; 0 if there was none
	from    float64 // level before it
	at      int     // its epoch
	since   int     // epochs closed behind it
	another bool    // there was more than one
}

// What a step is.
const (
	stepRise  = 0.10 // of the level before it, at least
	stepCard  = 0.02 // of the card, at least
	stepCalm  = 4    // epochs without a new high behind it
	stepNoise = 0.01 // of the level: smaller rises are none
)

func (s *levelSteps) close(total float64) {
	s.closed++
	rise := s.high - s.best
	switch {
	case s.closed == 1:
		s.best = s.high
	case rise > stepRise*s.best && rise > stepCard*total:
		s.another = s.another || s.rise > 0
		s.rise, s.from, s.at, s.since = rise, s.best, s.epoch, 0
		s.best = s.high
	case rise > stepNoise*s.best:
		s.another = true
		s.best = s.high
	default:
		s.since++
		s.best = max(s.best, s.high)
	}
}

// Observe implements detector.
func (d *step) Observe(r *Run, e *parse.Event) {
	p, ok := e.Record.(*parse.Progress)
	if !ok || p.Stepwise || p.Memory.Measure == parse.NotMeasured || p.Memory.Measure != r.Memory.Measure {
		return
	}
	s := &d.ratchet
	v := float64(p.Memory.Bytes)
	if p.Epoch != s.epoch {
		if s.epoch != 0 {
			s.close(float64(r.Memory.Total))
			d.judge(r, e)
		}
		s.epoch, s.high = p.Epoch, v
	}
	s.high = max(s.high, v)
}

func (d *step) judge(r *Run, e *parse.Event) {
	s := &d.ratchet
	f := r.active(Step)
	if s.rise == 0 || s.another || s.since < stepCalm || r.active(Leak) != nil || r.active(Creep) != nil {
		if f != nil && (s.another || r.active(Leak) != nil || r.active(Creep) != nil) {
			r.withdraw(Step)
		}
		return
	}
	r.raise(e, Finding{
		Kind: Step, GPU: r.gpu(), Level: Info,
		Title:   Say("step.title", parse.Bytes(s.rise), s.at),
		Because: Say("step.because", parse.Bytes(s.from), parse.Bytes(s.from+s.rise), s.since),
		Advice:  []Message{Say("creep.nothing")},
		Limits:  []Message{Say("step.limits")},
	})
}
