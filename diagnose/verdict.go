package diagnose

import (
	"slices"

	"yolotop/parse"
)

// Verdict is the kind of the gravest active finding, or stable or unknown.
func (r *Run) Verdict() Kind {
	if f := r.Gravest(); f != nil {
		return f.Kind
	}
	if r.judged() {
		return Stable
	}
	return Unknown
}

// Gravest is the active finding that matters most, nil if there is none.
func (r *Run) Gravest() *Finding {
	var best *Finding
	for _, f := range r.Findings {
		if f.Active && (best == nil || f.better(best)) {
			best = f
		}
	}
	return best
}

// ByGravity are the findings of the run, what is true before what was, and the gravest first.
func (r *Run) ByGravity() []*Finding {
	out := slices.Clone(r.Findings)
	slices.SortStableFunc(out, func(a, b *Finding) int {
		switch {
		case a.Active != b.Active && a.Active, a.Active == b.Active && a.better(b):
			return -1
		case a.Active != b.Active, b.better(a):
			return 1
		}
		return 0
	})
	return out
}

// flatRows is how many rows in a row without a new high show that what is allocated has
// settled, however long an epoch is.
const flatRows = 100

// judged reports whether enough of the memory was seen to call it stable: three
// epochs, and of the last four at most one with a new high.
func (r *Run) judged() bool {
	if g := r.FirstGPU(); g != nil && r.measuredRows+r.unmeasuredRows == 0 {
		return g.flat()
	}
	if r.measuredRows == 0 || r.Status == Failed || r.Status == Killed {
		return false
	}
	if m := r.Memory.Measure; (m == parse.AllocatedMax || m == parse.IntervalMax) && r.flat >= flatRows {
		return true // an epoch may last for days
	}
	complete, highs := 0, 0
	var peak parse.Bytes
	for i, e := range r.Epochal {
		if !e.Complete || e.Peak == 0 {
			continue
		}
		complete++
		if e.Peak > peak+r.Memory.Step/2 {
			if peak > 0 && i >= len(r.Epochal)-4 {
				highs++
			}
			peak = e.Peak
		}
	}
	return complete >= 3 && highs <= 1
}
