package diagnose

import (
	"slices"

	"yolotop/parse"
)

// sameProcess is how many trainings of one process are compared at most.
const sameProcess = 16

// What must be seen of trainings in one process: a few rises may be chance, or a step that
// comes once.
const (
	betweenRises = 3
	betweenSure  = 4
	betweenCard  = 0.01 // of the card, by which each must hold more
	betweenEven  = 0.25 // spread of the rises
)

// firstLevels are what the first epochs of this training held and of those before it in the
// same input, as long as they were configured alike; oldest first.
func (r *Run) firstLevels() []parse.Bytes {
	var out []parse.Bytes
	for p := r; p != nil && len(out) < sameProcess && p.firstLevel > 0 && r.alike(p); p = p.predecessor {
		if p != r && p.Status != Finished && p.Status != StoppedEarly {
			break // its process has ended with it, as far as one can tell
		}
		out = append(out, p.firstLevel)
	}
	slices.Reverse(out)
	return out
}

// alike reports whether two runs need the same memory by their settings.
func (r *Run) alike(p *Run) bool {
	return r.FirstEpoch == 1 && p.FirstEpoch == 1 && r.Batch == p.Batch && slices.Equal(r.ImgSize, p.ImgSize) && r.Model == p.Model && r.Memory.Measure == p.Memory.Measure
}

// between finds memory that one training in a process leaves to the next: several calls of
// train() in a script or a notebook. It is judged once, after the first epoch.
func (d *leak) between(r *Run, e *parse.Event) {
	if r.predecessor == nil || d.compared || r.firstLevel == 0 {
		return
	}
	d.compared = true
	levels := r.firstLevels()
	rises := 0
	least := max(3*r.Memory.Step, parse.Bytes(betweenCard*float64(r.Memory.Total)))
	var each64 []float64
	for i := len(levels) - 1; i > 0 && levels[i] > levels[i-1]+least; i-- {
		rises++
		each64 = append(each64, float64(levels[i]-levels[i-1]))
	}
	if rises < betweenRises || spread(each64) > betweenEven {
		return
	}
	first := levels[len(levels)-1-rises]
	each := (r.firstLevel - first) / parse.Bytes(rises)
	level := Info
	if rises >= betweenSure {
		level = Warning
	}
	r.raise(e, Finding{
		Kind: Leak, GPU: r.gpu(), Level: level, Provisional: rises < betweenSure,
		Title:   Say("leak.between.title", each),
		Because: Say("leak.between.because", rises+1, first, r.firstLevel),
		Advice:  []Message{Say("leak.between.process"), Say("leak.between.free"), Say("leak.between.notebook")},
		Limits:  []Message{Say("leak.between.limits")},
	})
}
