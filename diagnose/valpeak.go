package diagnose

import "yolotop/parse"

// valPeak finds that validation, not training, sets the limit: it learns the peaks of both
// apart from the driver's count of the run's card, since logs print memory in training only.
type valPeak struct {
	train, val  parse.Bytes
	validations int
	phase       Phase
}

// When validation sets the limit.
const (
	valPeakOver  = 0.05 // of the card, over what training needs
	valPeakTight = 0.90 // of the card
	valPeakLeast = 2    // validations that were seen
)

// Observe implements detector.
func (d *valPeak) Observe(r *Run, e *parse.Event) {
	s, ok := e.Record.(*parse.GPU)
	if !ok || !r.HasRows() || !r.Joined() {
		return
	}
	g := r.device(s.Index, s.UUID)
	used, ok := s.Used.Bytes()
	if !ok || g != r.FirstGPU() || g.Total == 0 || r.active(OtherProcess) != nil {
		return
	}
	if r.Phase == Validating && d.phase != Validating {
		d.validations++
	}
	d.phase = r.Phase
	switch r.Phase {
	case Training:
		d.train = max(d.train, used)
	case Validating, Finishing:
		d.val = max(d.val, used)
	default:
		return
	}
	over := float64(d.val-d.train) / float64(g.Total)
	f := r.active(ValPeak)
	if d.train == 0 || d.validations < valPeakLeast || over < valPeakOver {
		if f != nil && over < valPeakOver/2 {
			r.withdraw(ValPeak)
		}
		return
	}
	level := Info
	if float64(d.val) >= valPeakTight*float64(g.Total) {
		level = Warning
	}
	if f != nil && f.Level >= level {
		return
	}
	r.raise(e, Finding{
		Kind: ValPeak, GPU: max(g.Index, 0), Level: level, ByDriver: true,
		Title:   Say("valpeak.title", d.val-d.train),
		Because: Say("valpeak.because", d.train, d.val, g.Total),
		Advice:  valAdvice(r, nil),
		Limits:  []Message{Say("valpeak.limits")},
	})
}
