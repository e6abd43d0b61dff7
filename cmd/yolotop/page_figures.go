package main

import (
	"html/template"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/tui"
)

// Sizes of charts in points.
const (
	pageWide    = vg.Length(700)
	memoryTall  = vg.Length(250)
	panelWide   = vg.Length(250)
	panelTall   = vg.Length(150)
	narrowWide  = vg.Length(320)
	narrowTall  = vg.Length(220)
	compareMost = looks // runs that can be told apart
)

// perGiB makes GiB of bytes.
const perGiB = 1 / float64(parse.GiB)

// span is the horizontal axis of a run: epochs, or iterations where there are no epochs.
type span struct {
	from, to float64
	unit     string
}

func spanOf(r *diagnose.Run) span {
	s, first := span{unit: "epoch"}, r.FirstEpoch
	if r.Stepwise {
		s.unit, first = "iteration", r.FirstIter
	}
	s.from, s.to = math.Inf(1), r.X()
	for _, series := range []*diagnose.Series{&r.MemorySeries, &r.DriverSeries} {
		if oldest, ok := series.First(); ok {
			newest, _ := series.Last()
			s.from, s.to = min(s.from, math.Ceil(oldest.From)-1), max(s.to, newest.X)
		}
	}
	for _, m := range r.Marks {
		s.to = max(s.to, m.X)
	}
	s.from = max(0, min(s.from, float64(max(first, 1)-1)))
	if !(s.to > s.from) {
		s.to = s.from + 1
	}
	return s
}

// points are a series on this axis.
func (s span) points(series *diagnose.Series, scale float64) []diagnose.Point {
	return columnsOf(series, s.from, s.to, scale)
}

func (s span) chart(title string, w, h vg.Length) chart {
	return chart{title: title, width: w, height: h, from: s.from, to: s.to, xUnit: s.unit}
}

// memory is the curve of memory against the card, nil where nothing was measured.
func (m pageMaker) memory(r *diagnose.Run) *figure {
	s := spanOf(r)
	c := s.chart("GPU memory, GiB", pageWide, memoryTall)
	var notes []string
	log, driver := s.points(&r.MemorySeries, perGiB), s.points(&r.DriverSeries, perGiB)
	if len(log) > 0 {
		c.curves = append(c.curves, curve{name: r.Memory.Word().In(diagnose.English), points: log})
		notes = append(notes, m.say("report.memory.curve", r.Memory.Word()))
	}
	if len(driver) > 0 {
		c.curves = append(c.curves, curve{name: "used by everybody (driver)", points: driver, look: 1})
		notes = append(notes, m.say("report.memory.driver"))
	}
	total := r.Memory.Total
	if len(c.curves) == 0 {
		total = m.sampledMemory(r, &c)
		notes = append(notes, m.say("report.memory.samples"))
	}
	if len(c.curves) == 0 {
		return nil
	}
	c.legend = len(c.curves) > 1
	notes = append(notes, c.limit(m, total)...)
	if c.xUnit != "s" {
		var kinds []diagnose.MarkKind
		c.marks, kinds = marksOf(r.Marks, c.from, c.to)
		for _, k := range kinds {
			letter, name := tui.MarkSign(k)
			notes = append(notes, string(letter)+": "+m.say(name))
		}
	}
	return m.figure(c, m.say("report.memory.label"), notes...)
}

// limit puts the card's size into the chart where the curve comes near it; far below it the
// curve would only be flat, and the size is told in words.
func (c *chart) limit(m pageMaker, total parse.Bytes) []string {
	c.fit(true)
	if total <= 0 {
		return nil
	}
	if c.high < total.GiB()/2 {
		return []string{m.say("report.limit.above", total)}
	}
	c.levels = append(c.levels, chartLevel{name: "limit " + diagnose.FormatGiB(total), at: total.GiB()})
	c.fit(true)
	return []string{m.say("report.limit", total)}
}

// sampledMemory draws devices of which there are only samples, over seconds; it gives the
// size of the card if they all have one.
func (m pageMaker) sampledMemory(r *diagnose.Run, c *chart) parse.Bytes {
	var total parse.Bytes
	c.xUnit, c.from, c.to = "s", 0, 0
	for _, g := range r.GPUs {
		if p, ok := g.Memory.Last(); ok {
			c.to = max(c.to, p.X)
		}
	}
	for i, g := range r.GPUs[:min(len(r.GPUs), looks)] {
		points := columnsOf(&g.Memory, c.from, c.to, perGiB)
		if len(points) == 0 {
			continue
		}
		if i > 0 && total != g.Total {
			total = 0
		} else {
			total = g.Total
		}
		c.curves = append(c.curves, curve{name: "GPU " + diagnose.FormatNumber(float64(max(0, g.Index))), points: points, look: i})
	}
	return total
}

// panels are a small chart for each loss and each metric, since their scales differ.
func (m pageMaker) panels(r *diagnose.Run) (losses, metrics []figure, omitted string) {
	var left []string
	losses, left = m.panelsOf(r, r.LossSeries, r.Columns, 0, left)
	metrics, left = m.panelsOf(r, r.MetricSeries, r.Metrics.Names, metricLook, left)
	if len(left) > 0 {
		omitted = m.say("report.omitted", shorten(strings.Join(left, ", "), pageValue))
	}
	return losses, metrics, omitted
}

func (m pageMaker) panelsOf(r *diagnose.Run, series map[string]*diagnose.Series, order []string, look int, left []string) (out []figure, omitted []string) {
	s := spanOf(r)
	for _, name := range namesOf(series, order) {
		points := s.points(series[name], 1)
		if len(points) == 0 {
			continue
		}
		text := shorten(m.private.text(name), 60)
		if len(out) == pagePanels {
			left = append(left, text)
			continue
		}
		c := s.chart(text, panelWide, panelTall)
		c.curves = []curve{{name: text, points: points, look: look, dot: true}}
		if !r.Stepwise {
			c.best = float64(r.BestEpoch)
		}
		c.fit(false)
		if f := m.figure(c, m.say("report.curve", text)); f != nil {
			out = append(out, *f)
		}
	}
	return out, left
}

// namesOf are the names of series: first those in the trainer's order, then the others.
func namesOf(series map[string]*diagnose.Series, order []string) []string {
	var names, rest []string
	for _, n := range order {
		if series[n] != nil && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for n := range series {
		if !slices.Contains(names, n) {
			rest = append(rest, n)
		}
	}
	sort.Strings(rest)
	return append(names, rest...)
}

// compare is the memory of all runs in one picture; nil where fewer than two measured any.
func (m pageMaker) compare(runs []*diagnose.Run) *figure {
	c := chart{title: "GPU memory of the runs, GiB", width: pageWide, height: memoryTall + 30, xUnit: "epoch", legend: true, from: math.Inf(1)}
	var total parse.Bytes
	more := 0
	for i, r := range runs {
		s, series := spanOf(r), &r.MemorySeries
		if series.Len() == 0 {
			series = &r.DriverSeries
		}
		points := s.points(series, perGiB)
		if len(points) == 0 || r.Stepwise {
			continue
		}
		if len(c.curves) == compareMost {
			more++
			continue
		}
		c.from, c.to, total = min(c.from, s.from), max(c.to, s.to), max(total, r.Memory.Total)
		c.curves = append(c.curves, curve{name: "run " + diagnose.FormatNumber(float64(i+1)) + ": " + m.name(r), points: points, look: len(c.curves)})
	}
	if len(c.curves) < 2 {
		return nil
	}
	notes := append([]string{m.say("report.compare.note")}, c.limit(m, total)...)
	if more > 0 {
		notes = append(notes, m.say("report.compare.more", more))
	}
	return m.figure(c, m.say("report.compare"), notes...)
}

// figure is a chart as the page holds it; nil if it cannot be drawn. A wide one is there twice:
// made small for a telephone its words could not be read.
func (m pageMaker) figure(c chart, label string, notes ...string) *figure {
	f := &figure{chart: c, Notes: notes}
	var err error
	if f.SVG, err = c.inline(label); err != nil {
		return nil
	}
	if c.width == pageWide {
		c.width, c.height = narrowWide, narrowTall+c.height-memoryTall
		if f.Narrow, err = c.inline(label); err != nil {
			return nil
		}
	}
	return f
}

// inline is a chart as a part of a page.
func (c chart) inline(label string) (template.HTML, error) {
	text, err := vectors(c.width, c.height, label, func(p pen, area draw.Canvas) { c.draw(p, area) })
	return template.HTML(text), err //nolint:gosec // vectors escapes what it is given
}
