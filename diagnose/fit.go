package diagnose

import (
	"math"

	"yolotop/parse"
)

// fit says after the first epoch of a run that another one, with the same settings and the same
// memory in its first epoch, came to need nearly all of the card, or more.
type fit struct{}

// firstAlike is by what part the memory of the first epochs may differ.
const firstAlike = 0.1

// cardAlike is by what part the sizes of the cards may differ: on a larger one the allocator
// keeps more, because it can.
const cardAlike = 0.1

// Observe implements detector.
func (fit) Observe(r *Run, e *parse.Event) {
	if len(r.Others) == 0 {
		return
	}
	switch e.Record.(type) {
	case *parse.Progress, *parse.Notice, *parse.Failure:
		fit{}.judge(r, e)
	}
}

func (fit) judge(r *Run, e *parse.Event) {
	f := r.active(Tight)
	if f != nil && !f.Provisional {
		return // its own rows say it
	}
	over := r.Status != Running && r.Status != StatusUnknown
	if f == nil && (len(r.Others) == 0 || r.firstLosses == nil || r.firstLevel == 0 || r.Memory.Total == 0 || !r.Memory.Held() || over) {
		return
	}
	var most *OtherRun
	for i := range r.Others {
		o := &r.Others[i]
		alike := math.Abs(float64(o.firstLevel-r.firstLevel)) <= firstAlike*float64(r.firstLevel)
		reached := r.Epochs == 0 || r.Epochs >= o.PeakEpoch // what came later does not come here
		card := math.Abs(float64(o.Total-r.Memory.Total)) <= cardAlike*float64(r.Memory.Total)
		if alike && reached && card && r.sameSize(*o) && o.Epochs > r.EpochsSeen && (most == nil || o.Peak > most.Peak) {
			most = o
		}
	}
	share := 0.0
	if most != nil {
		share = float64(most.Peak) / float64(r.Memory.Total)
	}
	switch {
	case share < tightFrom, over:
		if f != nil {
			r.withdraw(Tight) // it has come further than the other one
		}
	case f == nil:
		found := Finding{
			Kind: Tight, GPU: r.gpu(), Level: Warning, Provisional: true,
			Title:   Say("tight.other.title", most.Name, Percent(share)),
			Because: Say("tight.other.because", most.Peak, Epochs(most.Epochs), r.Memory.Total),
			Advice:  smallerAdvice(r, most.Peak, r.Memory.Total),
			Limits:  []Message{Say("tight.other.limits")},
		}
		if most.OOMEpoch > 0 {
			found.Because = Say("tight.other.died", most.Peak, most.OOMEpoch, r.Memory.Total)
		}
		r.raise(e, found)
	}
}
