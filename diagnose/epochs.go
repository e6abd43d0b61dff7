package diagnose

import (
	"slices"
	"time"

	"yolotop/parse"
)

func (r *Run) startEpoch(e *parse.Event, epoch int) *EpochStat {
	if st := r.Current(); st != nil && st.Epoch < epoch {
		if !st.Complete { // bars may be cut before their counter: the next epoch tells
			st.Complete = true
			r.closeEpoch(st)
		}
		if e.HasRun && e.Run > st.Start {
			whole := e.Run - st.Start
			if r.EpochTime == 0 {
				r.EpochTime = whole
			}
			r.EpochTime += (whole - r.EpochTime) * 3 / 10 // a running mean that follows a change of pace
		}
	}
	seen := false
	for i := len(r.Epochal) - 1; i >= 0 && !seen; i-- {
		if seen = r.Epochal[i].Epoch == epoch; seen {
			r.Epochal = slices.Delete(r.Epochal, i, len(r.Epochal)) // begun anew
		}
	}
	if !seen && epoch > r.counted {
		r.EpochsSeen++
	}
	r.counted = max(r.counted, epoch)
	if r.FirstEpoch == 0 {
		r.FirstEpoch = epoch
	}
	if len(r.Epochal) == epochsKept {
		r.Epochal = append(r.Epochal[:0], r.Epochal[epochsKept/4:]...)
	}
	r.Epochal = append(r.Epochal, EpochStat{Epoch: epoch, Start: r.Elapsed})
	return r.Current()
}

// closeEpoch records what an epoch ended with.
func (r *Run) closeEpoch(st *EpochStat) {
	r.closed++
	if r.firstLevel == 0 {
		r.firstLevel = st.Peak
	}
	if r.firstLosses == nil {
		r.firstLosses = slices.Clone(st.Losses)
	}
	if !r.Stepwise { // else each row has added its own
		r.addLosses(st, float64(st.Epoch))
	}
}

func (r *Run) addLosses(st *EpochStat, x float64) {
	for i, v := range st.Losses {
		if i < len(r.Columns) {
			add(r.LossSeries, r.Columns[i], x, r.Elapsed, v)
		}
	}
}

func add(m map[string]*Series, name string, x float64, run time.Duration, v float64) {
	s := m[name]
	if s == nil {
		s = &Series{}
		m[name] = s
	}
	if last, ok := s.Last(); ok && last.X >= x {
		return // an epoch that was repeated, or a second source for it
	}
	s.Add(x, run, v)
}
