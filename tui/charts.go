package tui

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"yolotop/diagnose"
)

// chart is one of the curves that the large pane can show.
type chart struct {
	name   string // its identity, empty for memory
	title  string
	of     func(*diagnose.Run) *diagnose.Series // of any run, nil if it has none
	second *diagnose.Series                     // drawn as dots; nil for none
	dotted string                               // what that is
}

// memoryChart is the name of the curve of memory.
const memoryChart = "memory"

// charts are the curves of the run, memory first.
func (s scene) charts() []chart {
	out := []chart{{name: memoryChart, title: s.memoryTitle()}}
	r := s.run
	if r == nil {
		return out
	}
	some := func(m map[string]*diagnose.Series, name string) bool { return m[name] != nil && m[name].Len() > 0 }
	for _, name := range r.Columns {
		if !some(r.LossSeries, name) {
			continue
		}
		c := chart{name: "loss " + name, title: clean(name), of: func(r *diagnose.Run) *diagnose.Series { return r.LossSeries[name] }}
		if some(r.ValSeries, name) {
			c.second, c.dotted = r.ValSeries[name], s.say("chart.val")
		}
		out = append(out, c)
	}
	names := slices.Clone(r.Metrics.Names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(metricRank(a), metricRank(b)) })
	for _, name := range names {
		if some(r.MetricSeries, name) {
			out = append(out, chart{name: "metric " + name, title: clean(name), of: func(r *diagnose.Run) *diagnose.Series { return r.MetricSeries[name] }})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.LRSeries)) {
		if some(r.LRSeries, name) {
			out = append(out, chart{name: "rate " + name, title: s.say("chart.lr", clean(name)), of: func(r *diagnose.Run) *diagnose.Series { return r.LRSeries[name] }})
			break // the groups move together
		}
	}
	if r.RateSeries.Len() > 0 {
		out = append(out, chart{name: "speed", title: s.say("chart.speed"), of: func(r *diagnose.Run) *diagnose.Series { return &r.RateSeries }})
	}
	return out
}

// chart is the curve that is shown: the chosen one, or memory; where that is not measured, the
// metric that the best epoch is chosen by, or the first loss.
func (s scene) chart() chart {
	all := s.charts()
	for _, c := range all {
		if c.name == s.view.chart {
			return c
		}
	}
	if series, _ := s.memoryCurve(); series != nil || len(all) == 1 {
		return all[0]
	}
	for _, c := range all {
		if name, ok := strings.CutPrefix(c.name, "metric "); ok && metricRank(name) == 1 {
			return c
		}
	}
	return all[1]
}

// chartPane is the large pane.
func (s scene) chartPane(w, h int) (caption, []string) {
	c := s.chart()
	if c.name == memoryChart {
		return s.memory(w, h)
	}
	return s.valueChart(c, w, h)
}

// valueChart draws a loss, a metric, a learning rate or the speed over the epochs.
func (s scene) valueChart(c chart, w, h int) (caption, []string) {
	a := s.newAxis(max(0, w-gutter))
	p := plot{axis: a, per: 1, style: s.theme.curve, main: s.columnsOf(c.of, a), tick: tickLabel}
	values := slices.Clone(p.main)
	if c.second != nil {
		second := c.second.Columns(a.from, a.to, a.cells)
		values = append(values, second...)
		p.dots = append(p.dots, dots{cols: second, rune: secondRune, style: s.theme.dim})
	}
	others, legend := s.otherCurves(c.of, a)
	for _, o := range others {
		values = append(values, o.cols...)
	}
	p.dots = append(p.dots, others...)
	rows, timed := s.chartRows(a, h)
	p.timed = timed
	lo, hi, ok := extent(values, 1)
	title := c.title
	if most := max(math.Abs(lo), math.Abs(hi)); ok && (most >= 1000 || most > 0 && most < 0.01) {
		power := math.Floor(math.Log10(most))
		p.per = math.Pow(10, power)
		lo, hi, title = lo/p.per, hi/p.per, title+" · x1e"+strconv.Itoa(int(power))
	}
	if !ok || a.cells < 4 || rows < 2 {
		return caption{title: c.title}, s.valueStats(c, w)
	}
	if s.view.zoom == zoomZero {
		lo = min(lo, 0)
	}
	p.scale = newScale(lo, hi, max(1e-3, (hi-lo)*1e-3), rows, false)
	_, marks := s.marks(a)
	note := s.scaleNote(a, p.scale)
	if c.second != nil {
		note = joinNotes(s.dotsNote(c.dotted), note)
	}
	return caption{title: title, right: note, foot: joinNotes(legend, marks)}, append(s.drawPlot(p), s.valueStats(c, w)...)
}

// earlier is the run that a run has resumed, nil if it has not, or that one is not known.
func (s scene) earlier(r *diagnose.Run) *diagnose.Run {
	if r == nil || r.Continues == 0 {
		return nil
	}
	i := slices.IndexFunc(s.runs, func(o *diagnose.Run) bool { return o.ID == r.Continues && o.ID < r.ID })
	if i < 0 {
		return nil
	}
	return s.runs[i]
}

// columnsOf are the columns of a curve, before a resumption those of the runs that were resumed.
func (s scene) columnsOf(of func(*diagnose.Run) *diagnose.Series, a axis) []diagnose.Point {
	out := of(s.run).Columns(a.from, a.to, a.cells)
	first := s.run.FirstEpoch
	for e := s.earlier(s.run); e != nil; e = s.earlier(e) {
		if series := of(e); series != nil {
			before := a.cell(float64(first - 1))
			for i, c := range series.Columns(a.from, a.to, a.cells) {
				if out[i].N == 0 && i < before {
					out[i] = c
				}
			}
		}
		first = min(first, e.FirstEpoch)
	}
	return out
}

// joinNotes puts what is there of some notes behind each other.
func joinNotes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), " · ")
}

// secondRune draws a second curve: validation beside training, the driver's count beside torch's.
const secondRune = ':'

// valRune draws what the driver counts during validation.
const valRune = 'v'

// dotsNote says what the second curve is.
func (s scene) dotsNote(what string) string { return string(secondRune) + " " + what }

// valueStats is the line of numbers under a curve: the newest value, the least and the
// greatest.
func (s scene) valueStats(c chart, w int) []string {
	series := c.of(s.run)
	p, ok := series.At(s.position())
	if !ok {
		return []string{""}
	}
	f := formatFor([]float64{series.Min(), series.Max()})
	now := diagnose.Key("chart.now")
	switch {
	case !s.live():
		now = "chart.then"
	case s.run.Status != diagnose.Running:
		now = "chart.last"
	}
	parts := []string{s.say(now, f.write(p.Last)), s.say("chart.range", f.write(series.Min()), f.write(series.Max()))}
	if c.second != nil {
		if v, ok := c.second.At(s.position()); ok {
			parts = append(parts, c.dotted+" "+f.write(v.Last))
		}
	}
	if note := s.bestNote(); note != "" {
		parts = append(parts, note)
	}
	return []string{joinFitting(parts, w)}
}

// otherRunsMost is how many other runs are drawn beside the shown one.
const otherRunsMost = 8

// otherCurves are the same curve of the other runs, each drawn with its number, where a person
// wants to compare; legend says which is which.
func (s scene) otherCurves(of func(*diagnose.Run) *diagnose.Series, a axis) (out []dots, legend string) {
	if !s.view.compare {
		return nil, ""
	}
	for i, r := range s.runs {
		if i == s.index || len(out) == otherRunsMost {
			continue
		}
		series := of(r)
		if series == nil || series.Len() == 0 {
			continue
		}
		if r.Stepwise != s.run.Stepwise { // another axis
			continue
		}
		out = append(out, dots{cols: series.Columns(a.from, a.to, a.cells), rune: rune('0' + (i+1)%10), style: s.theme.spark, other: true, total: r.Memory.Total})
		legend = joinNotes(legend, string(out[len(out)-1].rune)+" "+s.runName(r))
	}
	if legend == "" {
		legend = s.say("chart.compare.none")
	}
	return out, legend
}

// runName is what a run is called where there are several: its input, and which of the runs in it.
func (s scene) runName(r *diagnose.Run) string {
	if len(r.Inputs) == 0 {
		return strconv.Itoa(r.ID)
	}
	name, n, at := s.inputName(r.Inputs[0]), 0, 0
	for _, o := range s.runs {
		if len(o.Inputs) > 0 && o.Inputs[0] == r.Inputs[0] {
			n++
			if o == r {
				at = n
			}
		}
	}
	if n > 1 {
		name += " #" + strconv.Itoa(at)
	}
	return name
}
