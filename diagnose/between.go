package diagnose

import (
	"slices"

	"yolotop/parse"
)

// sameProcess is how many trainings of one process are compared at most.
const sameProcess = 16

// What must be seen of trainings in one process: two rises may be chance or a step that comes
// once, three are more than that.
const (
	betweenRises = 2
	betweenSure  = 3
)

// firstLevels are what the first epochs of this training held and of those before it in the
// same input, as long as they were configured alike; oldest first.
func (r *Run) firstLevels() []parse.Bytes {
	var out []parse.Bytes
	for p := r; p != nil && len(out) < sameProcess && p.firstLevel > 0 && r.alike(p); p = p.predecessor {
		out = append(out, p.firstLevel)
	}
	slices.Reverse(out)
	return out
}

// alike reports whether two runs need the same memory by their settings.
func (r *Run) alike(p *Run) bool {
	return r.Batch == p.Batch && slices.Equal(r.ImgSize, p.ImgSize) && r.Model == p.Model && r.Memory.Measure == p.Memory.Measure
}

// between finds memory that one training in a process leaves to the next: several calls of
// train() in a script or a notebook. It is judged once, after the first epoch.
func (d *leak) between(r *Run, e parse.Event) {
	if r.predecessor == nil || d.compared || r.firstLevel == 0 {
		return
	}
	d.compared = true
	levels := r.firstLevels()
	rises := 0
	for i := len(levels) - 1; i > 0 && levels[i] > levels[i-1]+3*r.Memory.Step; i-- {
		rises++
	}
	if rises < betweenRises {
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
