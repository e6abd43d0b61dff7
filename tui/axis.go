package tui

import (
	"math"
	"strconv"

	"yolotop/diagnose"
)

// axis is the time axis of a chart, in epochs done or, where a trainer counts none, iterations.
type axis struct {
	from, to float64
	cells    int
	ahead    bool // a forecast is on it
}

// windowLeast is the least part of a run that a chart shows, in epochs or iterations.
const windowLeast = 2

// newAxis makes an axis of the whole run or, where a window was asked for, of its newest part or of
// what is around the cursor.
func (s scene) newAxis(cells int) axis {
	a := runAxis(s.run, cells)
	for e := s.earlier(s.run); e != nil; e = s.earlier(e) {
		a.from = min(a.from, runAxis(e, cells).from)
	}
	if s.view.compare {
		for _, r := range s.runs {
			if !r.HasRows() || r.Stepwise != s.run.Stepwise {
				continue
			}
			if o := runAxis(r, cells); o.to > o.from {
				a.from, a.to = min(a.from, o.from), max(a.to, o.to)
			}
		}
	}
	if n := float64(s.view.window); n > 0 && n < a.to-a.from {
		end := max(s.run.X(), a.from+n)
		if !s.live() {
			end = min(end, max(float64(s.view.cursor)+math.Floor(n/2), a.from+n))
		}
		a.to = math.Ceil(end)
		a.from = a.to - n
	}
	return a
}

// memoryAxis is newAxis with the forecast on it, if that is near enough. It stays where it was when
// the cursor goes into the past.
func (s scene) memoryAxis(cells int) axis {
	a := s.newAxis(cells)
	if g := s.outlook(); g != nil && g.toX > a.to && (s.live() || s.view.window == 0) && s.view.zoom != zoomData {
		a.to, a.ahead = min(math.Ceil(g.highX), a.to+(a.to-a.from)), true
	}
	return a
}

// runAxis makes an axis that reaches as far as the run came and a bit further: its
// length grows in round steps, so that the curve does not creep with every row.
func runAxis(r *diagnose.Run, cells int) axis {
	from := float64(max(r.FirstEpoch, 1) - 1)
	if r.Stepwise {
		from = float64(r.FirstIter - 1)
	}
	if p, ok := r.MemorySeries.First(); ok {
		from = math.Max(0, math.Min(from, math.Ceil(p.From)-1))
	}
	length := roundUp(math.Max(r.X()-from, 1))
	total := float64(r.Epochs)
	if r.Stepwise {
		total = float64(max(r.Iters, 0))
	}
	if left := total - from; left > 0 && length > left && r.X() <= total {
		length = left
	}
	return axis{from: from, to: from + length, cells: cells}
}

// roundUp is the next length of an axis.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if l := m * unit; l >= v && l == math.Trunc(l) {
			return l
		}
	}
	return math.Ceil(10 * unit)
}

// cell is the column of x; negative or beyond the end if it is outside.
func (a axis) cell(x float64) int {
	i := int(math.Floor((x - a.from) / (a.to - a.from) * float64(a.cells)))
	if x == a.to {
		i = a.cells - 1
	}
	return i
}

// end is the column in which an epoch ends.
func (a axis) end(epoch int) int {
	return max(0, int(math.Ceil((float64(epoch)-a.from)/(a.to-a.from)*float64(a.cells)))-1)
}

// tickStep is the distance of labels, in epochs, so that they stand apart.
func (a axis) tickStep() int {
	per := float64(a.cells) / (a.to - a.from)
	need := float64(len(strconv.Itoa(int(a.to))) + 4)
	for unit := 1; unit < 1e9; unit *= 10 {
		for _, m := range []int{1, 2, 5} {
			if float64(m*unit)*per >= need {
				return m * unit
			}
		}
	}
	return math.MaxInt32
}

// draw makes the axis and its labels, each of a.cells cells.
func (a axis) draw() (line, labels string) {
	l, n := []rune(repeat("─", a.cells)), []rune(spaces(a.cells))
	step := a.tickStep()
	first := (int(a.from)/step + 1) * step
	free := 0
	for e := first; float64(e) <= a.to; e += step {
		c := a.end(e)
		if c >= a.cells {
			break
		}
		l[c] = '┬'
		text := strconv.Itoa(e)
		at := min(max(c-len(text)/2, 0), a.cells-len(text))
		if at < free {
			continue
		}
		copy(n[at:], []rune(text))
		free = at + len(text) + 1
	}
	return string(l), string(n)
}
