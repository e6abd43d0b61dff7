package diagnose

import (
	"math"

	"yolotop/parse"
)

// hookEpoch is how many steps count as an epoch where nothing tells epochs.
const hookEpoch = 1000

// hookRanks is how many processes of a training are watched at most.
const hookRanks = 64

// rankGrowth is the growth of what tensors hold in one process of a training, by the hook: no cache
// is in the way.
type rankGrowth struct {
	rank   int
	steps  bool // X counts steps, since nothing tells epochs
	growth growth
}

// hook takes a line of the hook.
func (d *leak) hook(r *Run, e *parse.Event, h *parse.Hook) {
	allocated, ok := h.Reading(parse.Allocated)
	if !ok {
		return
	}
	g := d.rankOf(h.Rank)
	if g == nil {
		return
	}
	epoch, x := r.Epoch, r.Position()
	bySteps := epoch == 0 || r.Stepwise
	if bySteps {
		epoch, x = 1+h.Step/hookEpoch, float64(h.Step)
	}
	if bySteps != g.steps {
		*g = rankGrowth{rank: g.rank, steps: bySteps}
	}
	limit := 0.0
	if held, ok := h.Reading(parse.Reserved); ok && h.Free >= 0 {
		limit = float64(held + h.Free) // what others have is theirs
	}
	v := float64(allocated)
	g.growth.total = float64(h.Total)
	before := g.growth.epochs()
	if !g.growth.row(epoch, x, v, math.Max(float64(parse.MiB), v/2000), false) {
		return
	}
	d.judge(r, e, &g.growth, judgement{
		limit: limit, perEpoch: g.growth.perEpoch(bySteps), ended: g.growth.epochs() > before, gpu: max(h.Device, 0), measure: parse.Allocated,
		stepwise: bySteps,
	})
}

// rankOf is the growth of a process, nil if there are too many.
func (d *leak) rankOf(rank int) *rankGrowth {
	for _, g := range d.ranks {
		if g.rank == rank {
			return g
		}
	}
	if len(d.ranks) == hookRanks {
		return nil
	}
	g := &rankGrowth{rank: rank}
	d.ranks = append(d.ranks, g)
	return g
}
