package tui

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

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
	a := s.memoryAxis(max(0, w-gutter))
	rows, timed := s.chartRows(a, h)
	if a.cells < 4 || rows < 2 {
		return c, stats
	}
	_, c.foot = s.marks(a)
	total := s.run.Memory.Total
	p := plot{
		axis: a, per: float64(parse.GiB), main: s.columnsOf(s.memorySeries, a), style: s.theme.curve,
		styleOf: s.fullnessOf(total), tick: tickLabel, guess: s.forecast(), timed: timed,
	}
	if held := s.run.HeldAtEnd(); held > 0 && !driver && s.live() {
		if i := a.cell(s.run.X()); i >= 0 && i < len(p.main) {
			if end := &p.main[i]; end.N == 0 || end.Max < float64(held) {
				*end = diagnose.Point{Min: float64(held), Max: float64(held), Sum: float64(held), Last: float64(held), N: 1}
			}
		}
	}
	values := slices.Clone(p.main)
	var notes []string
	if s.run.ValSamples.Len() > 0 { // before the driver's count, of which they are a part
		p.dots = append(p.dots, dots{cols: s.run.ValSamples.Columns(a.from, a.to, a.cells), rune: valRune, style: s.theme.accent, apart: true})
		notes = append(notes, string(valRune)+" "+s.say("memory.val.dots"))
	}
	if !driver && s.run.DriverSeries.Len() > 0 {
		second := s.run.DriverSeries.Columns(a.from, a.to, a.cells)
		p.dots = append(p.dots, dots{cols: second, rune: secondRune, style: s.theme.dim})
		values = append(values, second...)
	}
	others, legend := s.otherCurves(func(r *diagnose.Run) *diagnose.Series { return &r.MemorySeries }, a)
	for _, o := range others {
		values = append(values, o.cols...)
	}
	p.dots = append(p.dots, others...)
	c.foot = joinNotes(legend, c.foot)
	if apart(s.run, others) {
		c.right = joinNotes(s.say("memory.shares"), s.scaleNote(a, p.toShares(total, rows, s.view.zoom)))
		if s.view.zoom != zoomData {
			p.limit = limit{100, " " + s.say("memory.limit.each"), "100%"}
		}
		return c, append(s.drawPlot(p), stats...)
	}
	onChart := false
	p.scale, onChart = memoryScale(values, total, rows, s.view.zoom, p.guess != nil)
	if onChart {
		p.limit = limit{total.GiB(), " " + s.say("memory.limit", gib(total)), strings.TrimSpace(gib(total))}
		if g := p.guess; g != nil {
			p.limit.label = " " + s.say("memory.met", gib(total), int(math.Ceil(g.toX)), int(math.Floor(g.lowX)), int(math.Ceil(g.highX))) + " "
		}
	}
	notes = append(notes, s.scaleNote(a, p.scale))
	if total > 0 && !onChart && legend == "" && s.view.zoom != zoomData {
		notes = append([]string{s.say("memory.above", total)}, notes...)
	}
	if !driver && s.run.DriverSeries.Len() > 0 {
		notes = append([]string{s.dotsNote(s.say("memory.dots"))}, notes...)
	}
	c.right = joinNotes(notes...)
	return c, append(s.drawPlot(p), stats...)
}

// apart reports whether runs that are drawn in one chart have cards of different sizes.
func apart(shown *diagnose.Run, others []dots) bool {
	return shown.Memory.Total > 0 && slices.ContainsFunc(others, func(o dots) bool {
		return o.total > 0 && o.total != shown.Memory.Total
	})
}

// toShares makes of bytes percent of each card, and returns the scale for them. Curves whose card is
// not known are left out.
func (p *plot) toShares(total parse.Bytes, rows int, z zoom) scale {
	p.per, p.guess, p.styleOf = 1, nil, nil
	p.tick = func(v, _ float64) string { return strconv.Itoa(int(math.Round(v))) + "%" }
	lo, hi := 100.0, 0.0
	share := func(cols []diagnose.Point, total parse.Bytes) {
		for i, c := range cols {
			if c.N > 0 {
				cols[i].Min, cols[i].Max = 100*c.Min/float64(total), 100*c.Max/float64(total)
				lo, hi = min(lo, cols[i].Min), max(hi, cols[i].Max)
			}
		}
	}
	p.dots = slices.DeleteFunc(p.dots, func(d dots) bool { return d.other && d.total == 0 })
	share(p.main, total)
	for _, d := range p.dots {
		if d.other {
			share(d.cols, d.total)
		} else {
			share(d.cols, total)
		}
	}
	switch z {
	case zoomData:
		p.scale = newScale(lo, hi, 0.1, rows, false)
		return p.scale
	case zoomZero:
		lo = 0
	}
	p.scale = newScale(lo, 100, 1, rows, true)
	return p.scale
}

// fullnessOf is the style of a row of the chart, by how full the card is there.
func (s scene) fullnessOf(total parse.Bytes) func(float64) ansi.Style {
	return func(value float64) ansi.Style {
		switch t := total.GiB(); {
		case t > 0 && value >= curveCritical*t:
			return s.theme.moods[moodCritical]
		case t > 0 && value >= curveWarning*t:
			return s.theme.moods[moodWarning]
		}
		return s.theme.curve
	}
}

// forecast is the outlook where it is drawn.
func (s scene) forecast() *guess {
	if !s.live() || s.view.zoom == zoomData {
		return nil
	}
	return s.outlook()
}

// outlook is where memory is expected to go, nil if nothing is known of that: the dotted line of
// a leak from the newest peak to where it meets the limit.
func (s scene) outlook() *guess {
	if s.run == nil || s.run.Memory.Total == 0 || s.run.Status != diagnose.Running {
		return nil
	}
	for _, f := range s.run.Findings {
		o := f.OOM
		if !f.Active || o == nil || f.ByDriver {
			continue
		}
		from := s.run.Memory.Last
		for i := max(0, len(s.run.Epochal)-2); i < len(s.run.Epochal); i++ {
			from = max(from, s.run.Epochal[i].Peak)
		}
		x := s.run.Position()
		if from == 0 || o.Epoch <= x {
			return nil
		}
		return &guess{fromX: x, from: from.GiB(), toX: o.Epoch, to: s.run.Memory.Total.GiB(), lowX: o.Low, highX: o.High}
	}
	return nil
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

// memoryScale fits the vertical axis to the data. The limit is on it as soon as half of the card
// is held, or where it is forecast to be met: far below it a curve would only be flat.
func memoryScale(cols []diagnose.Point, total parse.Bytes, rows int, z zoom, forecast bool) (sc scale, limit bool) {
	lo, hi, _ := extent(cols, float64(parse.GiB))
	least := 0.05
	if t := total.GiB(); t > 0 {
		if z != zoomData {
			least = max(least, t/10/float64(rows))
		}
		if z == zoomZero || z == zoomLimit && (hi > t/2 || forecast) {
			hi, limit = max(hi, t), true
		}
	}
	if z == zoomZero {
		lo = 0
	}
	return newScale(lo, hi, least, rows, limit), limit
}

// shares of the card from which the curve is drawn as a warning.
const (
	curveWarning  = 0.90
	curveCritical = 0.95
)

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

// memorySeries is the series of another run that memoryCurve is for the shown one.
func (s scene) memorySeries(r *diagnose.Run) *diagnose.Series {
	if _, driver := s.memoryCurve(); driver {
		return &r.DriverSeries
	}
	return &r.MemorySeries
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

// memoryStats is the line of numbers under the curve.
func (s scene) memoryStats(w int) []string {
	m, r := s.run.Memory, s.run
	word := s.memoryWord()
	var parts []string
	if s.live() {
		most := s.say("memory.peak", gib(m.Peak)) + s.share(m.Peak)
		if held := r.HeldAtEnd(); held > m.Peak { // the last row was before
			most = s.say("memory.died", gib(held)) + s.share(held)
		}
		parts = append(parts, s.say("memory.now", word, gib(m.Last))+s.share(m.Last), most)
	} else {
		past := r.At(s.position())
		parts = append(parts, s.say("memory.now", word, gib(past.Memory))+s.share(past.Memory))
	}
	if p, ok := r.DriverSeries.At(s.position()); ok {
		parts = slices.Insert(parts, 1, s.say("memory.by.driver", gib(parse.Bytes(p.Last))))
		if s.live() && r.ValSamples.Len() > 0 {
			parts = slices.Insert(parts, 2, s.say("memory.val.driver", gib(parse.Bytes(r.ValSamples.Max()))))
		}
	}
	if o := s.lastAllocation(); o != nil && s.live() {
		if o.HasFree {
			parts = append(parts, s.say("memory.died.free", gib(o.Free)))
		}
	} else if free, ok := r.Free(); ok && s.live() {
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
	if r.ValSamples.Len() == 0 {
		parts = append(parts, s.say("memory.val"))
	}
	return []string{joinFitting(parts, w)}
}

// lastAllocation are the numbers of the allocation that ended the run, nil if none did.
func (s scene) lastAllocation() *parse.OOM {
	if d := s.run.Death; d != nil && d.Kind == parse.OutOfMemory {
		return d.OOM
	}
	return nil
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
