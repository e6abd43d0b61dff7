package tui

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"yolotop/diagnose"
	"yolotop/parse"
)

// plot is all that is drawn into the large pane, above its axis.
type plot struct {
	axis  axis
	scale scale
	per   float64 // what one unit of the scale is in the values
	main  []diagnose.Point
	style ansi.Style
	// styleOf is the style of the curve in a row, by the row's value; nil for the same in all.
	styleOf func(value float64) ansi.Style
	dots    []dots
	limit   limit
	guess   *guess
	tick    func(value, step float64) string
	timed   bool // the time stands below the axis
}

// dots is a further curve, drawn as a character in each column.
type dots struct {
	cols  []diagnose.Point
	rune  rune
	style ansi.Style
	apart bool        // only where there are values, not from one to the next
	other bool        // it is of another card than the main curve
	total parse.Bytes // size of that card; 0 if it is not known
}

// limit is a line across the chart; the zero value is none.
type limit struct {
	value float64
	label string
	tick  string // what stands at the axis, since a limit lies between two steps
}

// guess is where a curve is expected to go: from a point to another, with an interval of where
// the second may lie.
type guess struct {
	fromX, from float64
	toX, to     float64
	lowX, highX float64
}

// extent is the least and the greatest value of columns.
func extent(cols []diagnose.Point, per float64) (lo, hi float64, ok bool) {
	for _, p := range cols {
		if p.N == 0 {
			continue
		}
		if !ok {
			lo, hi, ok = p.Min/per, p.Max/per, true
		}
		lo, hi = min(lo, p.Min/per), max(hi, p.Max/per)
	}
	return lo, hi, ok
}

// plotRows draws the rows of a chart.
func (s scene) plotRows(p plot) []string {
	a, sc := p.axis, p.scale
	lows, highs := hold(p.main)
	for i := range lows {
		lows[i], highs[i] = lows[i]/p.per, highs[i]/p.per
	}
	high := trace(highs, sc)
	if sc.rows <= areaRows {
		high = area(highs, sc)
	}
	points := p.pointRows()
	guessed := p.guessRows()
	at := -1
	if !s.live() {
		at = a.end(s.view.cursor)
	}
	limitRow, label := -1, ""
	if p.limit.value > 0 {
		limitRow, label = sc.rows-1-sc.row(p.limit.value), p.limit.label
	}
	lines := make([]string, 0, sc.rows+4)
	for y := range sc.rows {
		row := sc.rows - 1 - y
		value := sc.low + sc.step*float64(row)
		line := painter{}
		tick := p.tick(value, sc.step)
		if y == limitRow {
			tick = p.limit.tick
		}
		line.add(s.theme.dim, fitRight(tick, gutter-1))
		line.add(s.theme.border, "┤")
		body, begin := a.cells, 0
		if y == limitRow && width(label) < a.cells*2/3 {
			covered := func(from, to int) bool {
				return slices.ContainsFunc(high[y][from:to], func(r rune) bool { return r != ' ' })
			}
			// The end of the line is where a forecast meets it; else the words must not hide the curve.
			if p.guess != nil || covered(a.cells-width(label), a.cells) && !covered(0, width(label)) {
				label = strings.TrimRight(label, " ") + " "
				begin = width(label)
				line.add(s.theme.moods[moodCritical], label)
			} else {
				body -= width(label)
			}
		}
		style := p.style
		if p.styleOf != nil {
			style = p.styleOf(value)
		}
		for x := begin; x < body; x++ {
			d := dotAt(points, x, row)
			switch {
			case d >= 0 && sc.rows <= areaRows: // an area must not hide it
				line.put(p.dots[d].style, p.dots[d].rune)
			case high[y][x] != ' ':
				line.put(style, high[y][x])
			case x == at:
				line.put(s.theme.accent, '┊')
			case d >= 0:
				line.put(p.dots[d].style, p.dots[d].rune)
			case guessed != nil && guessed[x] == row:
				line.put(s.theme.moods[moodWarning], s.theme.guessRune())
			case spans(lows[x], highs[x], sc, row):
				line.put(s.theme.dim, '╎')
			case y == limitRow && p.guess != nil && x >= a.cell(p.guess.lowX) && x <= a.cell(p.guess.highX):
				line.put(s.theme.moods[moodCritical], '━')
			case y == limitRow:
				line.put(s.theme.moods[moodCritical], '╌')
			default:
				line.put(nil, ' ')
			}
		}
		if body < a.cells {
			line.add(s.theme.moods[moodCritical], label)
		}
		lines = append(lines, line.String())
	}
	return lines
}

// drawPlot draws the chart: its rows, its axis, the marks of the run below it, the epochs and,
// where there is room for it, the time.
func (s scene) drawPlot(p plot) []string {
	a, lines := p.axis, s.plotRows(p)
	axisLine, labels := a.draw()
	lines = append(lines, s.theme.border.Styled(spaces(gutter-1)+"└"+axisLine))
	if marks, _ := s.marks(a); marks != "" {
		lines = append(lines, spaces(gutter)+marks)
	}
	unit := fitRight(s.axisUnit(), gutter-1)
	lines = append(lines, s.theme.dim.Styled(unit+" ")+s.underCursor(labels, strconv.Itoa(s.view.cursor), a))
	if p.timed {
		if times := s.timeLabels(a); times != "" {
			at := ""
			if run := s.run.At(s.position()).Run; run > 0 {
				at = shortTime(run)
			}
			lines = append(lines, s.theme.dim.Styled(fitRight(s.say("chart.time"), gutter-1)+" ")+s.underCursor(times, at, a))
		}
	}
	return lines
}

// areaRows is up to how many rows of a chart the curve is an area of eighths of cells, since a line
// would have as few steps as rows.
const areaRows = 4

// area draws values, one for each column, as bars in eighths of a row: half of a row is below the
// value at its label, but for the lowest one.
func area(values []float64, sc scale) grid {
	g, steps := newGrid(len(values), sc.rows), []rune(eighths)
	for x, v := range values {
		for y := range sc.rows {
			bottom, height := sc.low+sc.step*(float64(sc.rows-1-y)-0.5), sc.step
			if y == sc.rows-1 { // the lowest row begins at its label
				bottom, height = sc.low, sc.step/2
			}
			if full := math.Round(8 * math.Min(1, (v-bottom)/height)); full >= 1 {
				g[y][x] = steps[int(full)-1]
			}
		}
	}
	return g
}

// axisUnit is what the axis counts.
func (s scene) axisUnit() string {
	if s.run.Stepwise {
		return s.say("memory.iter")
	}
	return s.say("memory.epoch")
}

func (s scene) windowKey() diagnose.Key {
	if s.run.Stepwise {
		return "chart.window.iter"
	}
	return "chart.window"
}

// timeRows is from how many rows of a chart on the axis may have the time, too.
const timeRows = 9

// chartRows is how many rows a chart of h lines has, beside its axis, the marks, the labels and
// the line of numbers; timed is that it has room for the time, too.
func (s scene) chartRows(a axis, h int) (rows int, timed bool) {
	rows = h - 3
	if marks, _ := s.marks(a); marks != "" {
		rows--
	}
	if rows > timeRows && s.timeLabels(a) != "" {
		return rows - 1, true
	}
	return rows, false
}

// pointRows are the rows of each of the dotted curves in each column, -1 where it has none.
func (p plot) pointRows() [][]int {
	out := make([][]int, len(p.dots))
	for i, d := range p.dots {
		out[i] = make([]int, p.axis.cells)
		_, highs := hold(d.cols)
		for x := range out[i] {
			out[i][x] = -1
			if d.apart && (x >= len(d.cols) || d.cols[x].N == 0) {
				continue
			}
			if x < len(highs) && !math.IsNaN(highs[x]) {
				out[i][x] = p.scale.row(highs[x] / p.per)
			}
		}
	}
	return out
}

// dotAt is which of the dotted curves is in a cell, -1 if none is.
func dotAt(points [][]int, x, row int) int {
	for i, rows := range points {
		if rows[x] == row {
			return i
		}
	}
	return -1
}

// guessRows is the row of the expected course in each column, -1 where there is none; every second
// column is left empty, so that it cannot be taken for what was measured.
func (p plot) guessRows() []int {
	g := p.guess
	if g == nil || !(g.toX > g.fromX) {
		return nil
	}
	out := make([]int, p.axis.cells)
	for x := range out {
		out[x] = -1
		at := p.axis.from + (float64(x)+0.5)/float64(p.axis.cells)*(p.axis.to-p.axis.from)
		if at <= g.fromX || at > g.toX || x%2 == 1 {
			continue
		}
		out[x] = p.scale.row(g.from + (g.to-g.from)*(at-g.fromX)/(g.toX-g.fromX))
	}
	return out
}

// spans reports whether a row lies in what a column's values span. Two rows are
// only the slope of the curve.
func spans(low, high float64, sc scale, row int) bool {
	if math.IsNaN(low) || math.IsNaN(high) {
		return false
	}
	from, to := sc.row(low), sc.row(high)
	return to-from >= 2 && row >= from && row <= to
}

// tickLabel writes a value of an axis, with as many digits as its steps have.
func tickLabel(v, step float64) string {
	digits := 0
	for scaled := step; digits < 3 && math.Abs(scaled-math.Round(scaled)) > 1e-6; digits++ {
		scaled *= 10
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// underCursor puts what is true at the cursor into the labels of the axis.
func (s scene) underCursor(labels, text string, a axis) string {
	if s.live() || text == "" {
		return s.theme.dim.Styled(labels)
	}
	at := min(max(a.end(s.view.cursor)-len(text)/2, 0), max(0, a.cells-len(text)))
	if at+len(text) > len(labels) {
		return s.theme.dim.Styled(labels)
	}
	left, right := labels[:at], labels[at+len(text):]
	if i := strings.LastIndexByte(left, ' '); i >= 0 { // no half of another label beside it
		left = left[:i] + spaces(len(left)-i)
	} else {
		left = spaces(len(left))
	}
	if i := strings.IndexByte(right, ' '); i >= 0 {
		right = spaces(i) + right[i:]
	} else {
		right = spaces(len(right))
	}
	return s.theme.dim.Styled(left) + s.theme.accent.Bold().Styled(text) + s.theme.dim.Styled(right)
}

// timeLabels are the times of the run below the epochs of the axis; empty where nothing tells them.
func (s scene) timeLabels(a axis) string {
	out := []rune(spaces(a.cells))
	step := a.tickStep()
	free, any := 0, false
	for e := (int(a.from)/step + 1) * step; float64(e) <= min(a.to, s.run.X()); e += step {
		at := s.run.At(float64(e)).Run
		if at <= 0 {
			continue
		}
		text := []rune(shortTime(at))
		from := min(max(a.end(e)-len(text)/2, 0), a.cells-len(text))
		if from < free {
			continue
		}
		copy(out[from:], text)
		free, any = from+len(text)+1, true
	}
	if !any {
		return ""
	}
	return string(out)
}

// shortTime is a run time as on an axis: "4m30", "17m", "1h05", "2d3h".
func shortTime(d time.Duration) string {
	switch h, m := int(d.Hours()), int(d.Minutes()); {
	case h >= 48:
		return strconv.Itoa(h/24) + "d" + strconv.Itoa(h%24) + "h"
	case h >= 1:
		return strconv.Itoa(h) + "h" + twoDigits(m%60)
	case m >= 10:
		return strconv.Itoa(m) + "m"
	}
	return strconv.Itoa(int(d.Minutes())) + "m" + twoDigits(int(d.Seconds())%60)
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// scaleNote says how the chart is to be read: what part of the run it shows, and whether the
// vertical axis begins at zero.
func (s scene) scaleNote(a axis, sc scale) string {
	var parts []string
	if n := s.view.window; n > 0 {
		to := a.to
		if !a.ahead {
			to = min(to, max(1, s.run.X()))
		}
		parts = append(parts, s.say(s.windowKey(), int(math.Ceil(a.from))+1, int(math.Ceil(to))))
	}
	switch {
	case s.view.zoom == zoomZero:
		parts = append(parts, s.say("chart.absolute"))
	case s.view.zoom == zoomData:
		parts = append(parts, s.say("chart.data"))
	case sc.low > 0:
		parts = append(parts, s.say("chart.fitted"))
	}
	return strings.Join(parts, " · ")
}
