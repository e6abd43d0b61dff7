package tui

import (
	"math"
	"strings"

	"github.com/guptarohit/asciigraph"

	"yolotop/diagnose"
)

// scale is a vertical axis on which every row is a round step, so that each label
// says exactly what its row means.
type scale struct {
	low, step float64
	rows      int
}

// newScale chooses the smallest round step with which rows rows reach from lo to
// hi. Where hi is a limit, the top row is as near to it as it can be: nothing is above. Else
// there is as much room above as below.
func newScale(lo, hi, least float64, rows int, limit bool) scale {
	floor := math.Inf(-1)
	if lo >= 0 {
		floor = 0
	}
	if rows < 2 {
		return scale{low: lo, step: max(hi-lo, least, 1), rows: max(rows, 1)}
	}
	want := max((hi-lo)/float64(rows-1), least)
	unit := math.Pow(10, math.Floor(math.Log10(want)))
	best := scale{low: math.Max(floor, lo), step: want * 2, rows: rows}
	found := false
	for _, m := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20} {
		step := m * unit
		if step < want*0.999 {
			continue
		}
		top := math.Ceil(hi/step-0.01) * step
		low := top - step*float64(rows-1)
		near := top-hi < step/2
		if !limit { // a curve that is flat should not jump between two rows
			near = hi-lo > step/3 || math.Round(lo/step) == math.Round(hi/step)
		}
		if low > lo+0.4*step || found && (!near || step > 1.8*best.step) {
			continue
		}
		best, found = scale{low: math.Max(floor, low), step: step, rows: rows}, true
		if near {
			break
		}
	}
	if below := math.Floor((lo - best.low) / best.step); !limit && below >= 2 { // a flat curve is in the middle
		best.low += math.Floor(below/2) * best.step
	}
	return best
}

// row is the row of a value, counted from the bottom, and how it is labelled.
func (s scale) row(v float64) int { return int(math.Round((v - s.low) / s.step)) }

// grid is a chart as characters, the top row first.
type grid [][]rune

func newGrid(w, h int) grid {
	g := make(grid, h)
	for i := range g {
		g[i] = []rune(spaces(w))
	}
	return g
}

// trace draws values, one for each column, NaN where there is none.
func trace(values []float64, s scale) grid {
	w := len(values)
	g := newGrid(w, s.rows)
	if w == 0 || s.rows < 2 {
		return g
	}
	// asciigraph works in units of rows: with both bounds on whole rows it always
	// draws as many as it is told, and no value can widen the axis. It draws one
	// column less than it gets samples.
	rows := make([]float64, w+1)
	for i := range rows {
		v := (values[min(i, w-1)] - s.low) / s.step
		rows[i] = math.Min(math.Max(v, 0), float64(s.rows-1)) // NaN stays NaN
	}
	text := asciigraph.Plot(rows,
		asciigraph.LowerBound(0), asciigraph.UpperBound(float64(s.rows-1)), asciigraph.Height(s.rows-1),
		asciigraph.Offset(axisCells), asciigraph.YAxisValueFormatter(func(float64) string { return "" }))
	for y, line := range strings.Split(text, "\n") {
		runes := []rune(line)
		if y >= len(g) || len(runes) <= axisCells {
			continue
		}
		copy(g[y], runes[axisCells:])
	}
	return g
}

// axisCells is how many cells asciigraph's own axis takes; ours replaces it.
const axisCells = 3

// hold gives each column the least and the greatest value in it. Columns between
// two values keep the last one, since memory does not vanish between two rows.
func hold(cols []diagnose.Point) (low, high []float64) {
	low, high = make([]float64, len(cols)), make([]float64, len(cols))
	last := -1
	for i, c := range cols {
		if c.N > 0 {
			last = i
		}
	}
	value := math.NaN()
	for i, c := range cols {
		switch {
		case i > last:
			low[i], high[i] = math.NaN(), math.NaN()
		case c.N > 0:
			low[i], high[i], value = c.Min, c.Max, c.Last
		default:
			low[i], high[i] = value, value
		}
	}
	return low, high
}
