package main

import (
	"strconv"

	"yolotop/diagnose"
)

// epochTable is a row for each of some epochs.
type epochTable struct {
	Head    []string
	Rows    [][]string
	Thinned bool // epochs are left out
}

// Rows and columns of an epoch table at most.
const (
	epochRows    = 30
	epochColumns = 10
)

// epochs is the table of a run: losses and metrics of its epochs and the most memory in each.
func (m pageMaker) epochs(r *diagnose.Run) epochTable {
	if r.Stepwise || r.EpochsSeen == 0 {
		return epochTable{}
	}
	losses := namesOf(r.LossSeries, r.Columns)
	if len(losses) < len(r.Columns) { // a loss that never was a number has no curve
		losses = r.Columns
	}
	metrics := namesOf(r.MetricSeries, r.Metrics.Names)
	losses = losses[:min(len(losses), epochColumns)]
	metrics = metrics[:min(len(metrics), epochColumns)]
	t := epochTable{Head: []string{m.say("losses.epoch")}}
	memory := r.MemorySeries.Len() > 0
	if memory {
		t.Head = append(t.Head, m.say("losses.memory"))
	}
	for _, n := range append(append([]string{}, losses...), metrics...) {
		t.Head = append(t.Head, shorten(m.private.text(n), 40))
	}
	kept := map[int]*diagnose.EpochStat{}
	for i := range r.Epochal {
		kept[r.Epochal[i].Epoch] = &r.Epochal[i]
	}
	var epochs []int
	epochs, t.Thinned = thinned(max(1, r.FirstEpoch), r.Epoch, r.BestEpoch)
	for _, e := range epochs {
		label := strconv.Itoa(e)
		if e == r.BestEpoch {
			label += " (" + m.say("losses.best") + ")"
		}
		row := []string{label}
		past := r.At(float64(e))
		st := kept[e]
		if memory {
			peak := past.Memory
			if st != nil {
				peak = st.Peak
			}
			row = append(row, cell(peak.GiB(), peak > 0))
		}
		for _, n := range losses {
			v, ok := past.Losses[n]
			if st != nil {
				v, ok = lossOf(st, r.Columns, n)
			}
			row = append(row, cell(v, ok))
		}
		for _, n := range metrics {
			v, ok := past.Metrics[n]
			if st != nil {
				v, ok = st.Metrics.Get(n)
			}
			row = append(row, cell(v, ok))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func lossOf(st *diagnose.EpochStat, columns []string, name string) (float64, bool) {
	for i, n := range columns {
		if n == name && i < len(st.Losses) {
			return st.Losses[i], true
		}
	}
	return 0, false
}

// cell is a number, or a dash where there is none.
func cell(v float64, ok bool) string {
	if !ok {
		return "–"
	}
	return diagnose.FormatNumber(v)
}

// thinned are at most epochRows epochs from first to last: both of these, the best one, and
// others evenly between them.
func thinned(first, last, best int) (epochs []int, less bool) {
	n := last - first + 1
	if n <= 0 {
		return nil, false
	}
	if n <= epochRows {
		for e := first; e <= last; e++ {
			epochs = append(epochs, e)
		}
		return epochs, false
	}
	const others = epochRows - 1
	previous := first - 1
	for i := range others {
		e := first + i*(n-1)/(others-1)
		if previous < best && best < e {
			epochs = append(epochs, best)
		}
		epochs = append(epochs, e)
		previous = e
	}
	return epochs, true
}
