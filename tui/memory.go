package tui

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"yolotop/diagnose"
	"yolotop/parse"
)

// gutter is the width of the labels of the memory axis with its line.
const gutter = 6

// memory is the curve of GPU memory over epochs against the card's limit.
func (s scene) memory(w, h int) (caption, []string) {
	c := caption{title: s.memoryTitle()}
	series, driver := s.memoryCurve()
	if series == nil {
		c.right = s.say("memory.none")
		return c, s.unmeasured(w)
	}
	stats := s.memoryStats(w)
	if driver {
		stats = s.driverStats(w)
	}
	rows := h - 3 // the axis, its labels, the numbers
	a := newAxis(s.run, max(0, w-gutter))
	if a.cells < 4 || rows < 2 {
		return c, stats
	}
	marks, legend := s.marks(a)
	if marks != "" {
		rows--
	}
	if rows < 2 {
		return c, stats
	}
	c.foot = legend
	total := s.run.Memory.Total
	cols := series.Columns(a.from, a.to, a.cells)
	var second []diagnose.Point
	if !driver && s.run.DriverSeries.Len() > 0 {
		second = s.run.DriverSeries.Columns(a.from, a.to, a.cells)
	}
	sc, limit := memoryScale(slices.Concat(cols, second), total, rows)
	if total > 0 && !limit {
		c.right = s.say("memory.above", total)
	}
	lines := s.curve(cols, second, sc, a, limit)
	line, labels := a.draw()
	unit := fitRight(s.say("memory.epoch"), gutter-1)
	lines = append(lines, s.theme.border.Styled(spaces(gutter-1)+"└"+line))
	if marks != "" {
		lines = append(lines, spaces(gutter)+marks)
	}
	lines = append(lines, s.theme.dim.Styled(unit+" ")+s.cursorLabel(labels, a))
	return c, append(lines, stats...)
}

// memoryTitle names the card.
func (s scene) memoryTitle() string {
	parts := []string{s.say("pane.memory")}
	if s.run == nil {
		return parts[0]
	}
	if d, ok := s.run.Device(); ok {
		if d.Kind == "cuda" && d.Index >= 0 {
			index := d.Index
			if g := s.run.FirstGPU(); g != nil && s.run.Joined() {
				index = g.Index // the number that the driver's other tools show
			}
			gpu := s.say("memory.gpu", index)
			if n := len(s.run.Devices); n > 1 {
				gpu = s.say("memory.gpu.first", index, n)
			}
			parts = append(parts, gpu)
		} else if d.Kind != "cuda" {
			parts = append(parts, strings.ToUpper(clean(d.Kind)))
		}
		if d.Name != "" && d.Kind != "cpu" {
			parts = append(parts, shortDevice(d.Name))
		}
	}
	if t := s.run.Memory.Total; t > 0 {
		parts = append(parts, diagnose.FormatGiB(t))
	}
	return strings.Join(parts, " · ")
}

// shortDevice leaves out what all cards of a maker have in their name.
func shortDevice(name string) string {
	name = clean(name)
	for _, p := range []string{"NVIDIA ", "GeForce ", "AMD ", "Radeon "} {
		name = strings.TrimPrefix(name, p)
	}
	return name
}

// memoryScale fits the vertical axis to the data. The limit is on it as soon as
// half of the card is held: far below it a curve would only be flat.
func memoryScale(cols []diagnose.Point, total parse.Bytes, rows int) (sc scale, limit bool) {
	lo, hi, first := 0.0, 0.0, true
	for _, p := range cols {
		if p.N == 0 {
			continue
		}
		a, b := parse.Bytes(p.Min).GiB(), parse.Bytes(p.Max).GiB()
		if first {
			lo, hi, first = a, b, false
		}
		lo, hi = min(lo, a), max(hi, b)
	}
	least := 0.05
	if t := total.GiB(); t > 0 {
		least = max(least, t/10/float64(rows))
		if hi > t/2 {
			hi, limit = max(hi, t), true
		}
	}
	return newScale(lo, hi, least, rows), limit
}

// shares of the card from which the curve is drawn as a warning.
const (
	curveWarning  = 0.90
	curveCritical = 0.95
)

// curve draws the rows of the chart with their labels.
func (s scene) curve(cols, second []diagnose.Point, sc scale, a axis, limit bool) []string {
	dots := dotted(second, sc, a.cells)
	lows, highs := hold(cols)
	for i := range lows {
		lows[i], highs[i] = lows[i]/float64(parse.GiB), highs[i]/float64(parse.GiB)
	}
	high := trace(highs, sc)
	total := s.run.Memory.Total.GiB()
	at := -1
	if !s.live() {
		at = a.end(s.view.cursor)
	}
	limitRow, label := -1, ""
	if limit {
		limitRow = sc.rows - 1 - sc.row(total)
		label = " " + s.say("memory.limit", gib(s.run.Memory.Total))
	}
	lines := make([]string, 0, sc.rows)
	for y := range sc.rows {
		value := sc.top() - sc.step*float64(y)
		p := painter{}
		tick := tickLabel(value, sc.step)
		if y == limitRow {
			tick = strings.TrimSpace(gib(s.run.Memory.Total)) // what the row is, not the step next to it
		}
		p.add(s.theme.dim, fitRight(tick, gutter-1))
		p.add(s.theme.border, "┤")
		body := a.cells
		if y == limitRow && width(label) < a.cells/2 {
			body -= width(label)
		}
		style := s.theme.curve
		if total > 0 && value >= curveCritical*total {
			style = s.theme.moods[moodCritical]
		} else if total > 0 && value >= curveWarning*total {
			style = s.theme.moods[moodWarning]
		}
		for x := range body {
			switch {
			case high[y][x] != ' ':
				p.put(style, high[y][x])
			case x == at:
				p.put(s.theme.accent, '┊')
			case dots[x] == sc.rows-1-y:
				p.put(s.theme.dim, '·')
			case spans(lows[x], highs[x], sc, sc.rows-1-y):
				p.put(s.theme.dim, '│')
			case y == limitRow:
				p.put(s.theme.moods[moodCritical], '╌')
			default:
				p.put(nil, ' ')
			}
		}
		if body < a.cells {
			p.add(s.theme.moods[moodCritical], label)
		}
		lines = append(lines, p.String())
	}
	return lines
}

// dotted is the row of a second curve in each column, -1 where it has none.
func dotted(cols []diagnose.Point, sc scale, cells int) []int {
	out := make([]int, cells)
	for i := range out {
		out[i] = -1
	}
	_, highs := hold(cols)
	for i, v := range highs {
		if i < cells && !math.IsNaN(v) {
			out[i] = sc.row(v / float64(parse.GiB))
		}
	}
	return out
}

// memoryCurve is what the curve shows: what the log measures, else what the driver
// counts on the run's device, else nothing.
func (s scene) memoryCurve() (series *diagnose.Series, driver bool) {
	switch {
	case s.measured():
		return &s.run.MemorySeries, false
	case s.run != nil && s.run.DriverSeries.Len() > 0:
		return &s.run.DriverSeries, true
	}
	return nil, false
}

// driverStats is the line of numbers under a curve that the driver counts.
func (s scene) driverStats(w int) []string {
	p, ok := s.run.DriverSeries.At(s.position())
	if !ok {
		return []string{""}
	}
	used := parse.Bytes(p.Last)
	parts := []string{s.say("memory.now", s.say("memory.driver"), gib(used)) + s.share(used)}
	if s.live() {
		peak := parse.Bytes(s.run.DriverSeries.Max())
		parts = append(parts, s.say("memory.peak", gib(peak))+s.share(peak))
	}
	return []string{joinFitting(append(parts, s.say("memory.everybody")), w)}
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

// tickLabel writes a value of the memory axis.
func tickLabel(v, step float64) string {
	digits := 0
	for scaled := step; digits < 2 && scaled-float64(int(scaled+1e-9)) > 1e-6; digits++ {
		scaled *= 10
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// cursorLabel puts the epoch under the cursor into the labels of the axis.
func (s scene) cursorLabel(labels string, a axis) string {
	if s.live() {
		return s.theme.dim.Styled(labels)
	}
	text := strconv.Itoa(s.view.cursor)
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

// memoryStats is the line of numbers under the curve.
func (s scene) memoryStats(w int) []string {
	m, r := s.run.Memory, s.run
	word := s.memoryWord()
	var parts []string
	if s.live() {
		parts = append(parts, s.say("memory.now", word, gib(m.Last))+s.share(m.Last), s.say("memory.peak", gib(m.Peak))+s.share(m.Peak))
	} else {
		past := r.At(s.position())
		parts = append(parts, s.say("memory.now", word, gib(past.Memory))+s.share(past.Memory))
	}
	if p, ok := r.DriverSeries.At(s.position()); ok {
		parts = slices.Insert(parts, 1, s.say("memory.by.driver", gib(parse.Bytes(p.Last))))
	}
	if free, ok := r.Free(); ok && s.live() {
		parts = append(parts, s.say("memory.free", gib(free)))
	}
	if st := stat(r, s.epoch()); st != nil && !r.Stepwise && st.Peak > 0 && st.Peak-st.Low > m.Step/2 {
		parts = append(parts, s.say("memory.range", st.Epoch, gib(st.Low), gib(st.Peak)))
	}
	if !m.Held() {
		parts = append(parts, s.say("memory.cache"))
	}
	if m.Decimal {
		parts = append(parts, s.say("memory.decimal"))
	}
	parts = append(parts, s.say("memory.val"))
	return []string{joinFitting(parts, w)}
}

// memoryWord says what the numbers count, since they are never mixed.
func (s scene) memoryWord() string {
	return clean(s.run.Memory.Word().In(s.lang))
}

// share is how much of the card an amount is, empty if the card is not known.
func (s scene) share(b parse.Bytes) string {
	if s.run.Memory.Total == 0 || !s.run.Memory.Held() {
		return ""
	}
	return " (" + s.say("share", diagnose.Percent(float64(b)/float64(s.run.Memory.Total))) + ")"
}

// unmeasured says why there is no curve.
func (s scene) unmeasured(w int) []string {
	text := s.say("memory.unknown")
	if s.run != nil {
		for _, f := range s.run.Findings {
			if f.Kind == diagnose.NotMeasured && f.Active {
				text = clean(f.Because.In(s.lang))
			}
		}
	}
	var out []string
	for _, l := range wrap(text, w) {
		out = append(out, s.theme.dim.Styled(l))
	}
	return out
}
