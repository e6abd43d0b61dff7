package tui

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// timed reports whether some device was sampled for long enough for a curve over the time.
func (s scene) timed() bool {
	return slices.ContainsFunc(s.devices(), func(g *diagnose.GPU) bool { return g.Memory.Len() > 2 || g.Busy.Len() > 2 })
}

// charted is the device whose curve is drawn as such: that of the gravest finding, else the fullest.
func (s scene) charted(gpus []*diagnose.GPU) *diagnose.GPU {
	if found := s.findings(); len(found) > 0 && found[0].GPU >= 0 {
		if i := slices.IndexFunc(gpus, func(g *diagnose.GPU) bool { return g.Index == found[0].GPU }); i >= 0 {
			return gpus[i]
		}
	}
	return slices.MaxFunc(gpus, func(a, b *diagnose.GPU) int {
		if a.Total == 0 || b.Total == 0 {
			return cmp.Compare(a.Peak, b.Peak)
		}
		return cmp.Compare(float64(a.Peak)/float64(a.Total), float64(b.Peak)/float64(b.Total))
	})
}

// timeAxis is the axis of the samples of devices, in seconds of their source.
func timeAxis(gpus []*diagnose.GPU, cells int) axis {
	a := axis{from: math.Inf(1), to: math.Inf(-1), cells: cells}
	for _, g := range gpus {
		for _, series := range []*diagnose.Series{&g.Memory, &g.Busy} {
			if first, ok := series.First(); ok {
				last, _ := series.Last()
				a.from, a.to = min(a.from, first.From), max(a.to, last.X)
			}
		}
	}
	if !(a.to > a.from) {
		a.from, a.to = 0, 1
	}
	return a
}

// timeSteps are the steps of an axis of time.
var timeSteps = []time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour,
}

// timeTicks draws an axis of time and its labels, counted from where it begins.
func timeTicks(a axis) (line, labels string) {
	const apart = 9 // cells from one label to the next
	span := a.to - a.from
	step := timeSteps[len(timeSteps)-1].Seconds()
	for _, one := range timeSteps {
		if one.Seconds()/span*float64(a.cells) >= apart {
			step = one.Seconds()
			break
		}
	}
	for step/span*float64(a.cells) < apart {
		step *= 2
	}
	l, n := []rune(repeat("─", a.cells)), []rune(spaces(a.cells))
	for x := step; x <= span; x += step {
		c := min(int(x/span*float64(a.cells)), a.cells-1)
		text := []rune(shortTime(time.Duration(x * float64(time.Second))))
		l[c] = '┬'
		copy(n[max(0, min(c-len(text)/2, a.cells-len(text))):], text)
	}
	return string(l), string(n)
}

// deviceMemory is the memory of the devices over the time: one as a curve, the others as digits.
func (s scene) deviceMemory(w, h int) (caption, []string) {
	gpus := s.devices()
	if len(gpus) == 0 {
		return caption{}, nil
	}
	one := s.charted(gpus)
	c := caption{title: s.say("pane.devices", s.deviceName(one))}
	p := plot{per: float64(parse.GiB), style: s.theme.curve, styleOf: s.fullnessOf(one.Total), tick: tickLabel}
	p.axis = timeAxis(gpus, max(0, w-gutter))
	values := s.deviceCurves(&p, &c, gpus, one, func(g *diagnose.GPU) *diagnose.Series { return &g.Memory })
	rows := h - 3
	stats := ""
	if one.Measured {
		stats = s.say("memory.now", s.say("memory.driver"), gib(one.Used))
		if one.Total > 0 {
			stats += s.cardShare(one.Used, one.Total)
		}
		stats += " · " + s.say("memory.peak", gib(one.Peak)) + s.cardShare(one.Peak, one.Total)
	}
	if p.axis.cells < 4 || rows < 2 {
		return c, []string{cut(stats, w)}
	}
	if slices.ContainsFunc(gpus, func(g *diagnose.GPU) bool { return g.Total > 0 && g.Total != one.Total }) && one.Total > 0 {
		c.right = joinNotes(s.say("memory.shares"), c.right)
		p.toShares(one.Total, rows, s.view.zoom)
		if s.view.zoom != zoomData {
			p.limit = limit{100, " " + s.say("memory.limit.each"), "100%"}
		}
		return c, append(s.overTime(p), cut(stats, w))
	}
	onChart := false
	p.scale, onChart = memoryScale(values, one.Total, rows, s.view.zoom, false)
	if onChart {
		p.limit = limit{one.Total.GiB(), " " + s.say("memory.limit", gib(one.Total)), strings.TrimSpace(gib(one.Total))}
	}
	return c, append(s.overTime(p), cut(stats, w))
}

// cardShare is how much of a card an amount is.
func (s scene) cardShare(b, total parse.Bytes) string {
	if total == 0 {
		return ""
	}
	return " (" + s.say("share", diagnose.Percent(float64(b)/float64(total))) + ")"
}

// deviceBusy is how busy the devices are over the time.
func (s scene) deviceBusy(w, h int) (caption, []string) {
	gpus := s.devices()
	if len(gpus) == 0 {
		return caption{}, nil
	}
	one := s.charted(gpus)
	c := caption{title: s.say("pane.busy") + " · " + s.deviceName(one)}
	p := plot{per: 1, style: s.theme.spark, tick: func(float64, float64) string { return "" }}
	p.axis = timeAxis(gpus, max(0, w-gutter))
	s.deviceCurves(&p, &c, gpus, one, func(g *diagnose.GPU) *diagnose.Series { return &g.Busy })
	means(p.main)
	for _, d := range p.dots {
		means(d.cols)
	}
	stats := ""
	if now, ok := one.Sample.Busy.Get(); ok && one.Busy.Len() > 0 {
		stats = s.say("devices.now", s.say("share", diagnose.Percent(now)), s.say("share", diagnose.Percent(one.Busy.Mean())))
	}
	rows := h - 3
	if p.axis.cells < 4 || rows < 2 {
		return c, []string{cut(stats, w)}
	}
	p.scale, p.tick = scale{low: 0, step: 1 / float64(rows-1), rows: rows}, busyTicks(rows)
	return c, append(s.overTime(p), cut(stats, w))
}

// means leaves of columns their means: of what jumps, the greatest values alone say little.
func means(cols []diagnose.Point) {
	for i, c := range cols {
		if c.N > 0 {
			cols[i].Min, cols[i].Max = c.Mean(), c.Mean()
		}
	}
}

// busyTicks labels the rows of a chart of shares: its ends, and the quarters where a row is near.
func busyTicks(rows int) func(value, step float64) string {
	labels := make([]string, rows)
	for _, percent := range []int{0, 100, 50, 25, 75} {
		at := float64(percent) / 100 * float64(rows-1)
		if row := int(math.Round(at)); labels[row] == "" && math.Abs(at-float64(row)) <= 0.3 {
			labels[row] = strconv.Itoa(percent) + "%"
		}
	}
	return func(value, step float64) string { return labels[within(int(math.Round(value/step)), rows-1)] }
}

// deviceCurves puts the curves of devices into a plot; it returns all of their columns.
func (s scene) deviceCurves(p *plot, c *caption, gpus []*diagnose.GPU, one *diagnose.GPU, of func(*diagnose.GPU) *diagnose.Series) (values []diagnose.Point) {
	p.main = of(one).Columns(p.axis.from, p.axis.to, p.axis.cells)
	values = slices.Clone(p.main)
	var others []string
	for _, g := range gpus {
		if g == one || g.Index < 0 || len(p.dots) == otherRunsMost {
			continue
		}
		digit := rune('0' + g.Index%10)
		cols := of(g).Columns(p.axis.from, p.axis.to, p.axis.cells)
		p.dots = append(p.dots, dots{cols: cols, rune: digit, style: s.theme.dim, total: g.Total, other: true})
		values, others = append(values, cols...), append(others, string(digit))
	}
	if len(others) > 0 {
		c.right = s.say("devices.others", strings.Join(others, " "))
	}
	return values
}

// overTime draws a chart above an axis of time.
func (s scene) overTime(p plot) []string {
	line, labels := timeTicks(p.axis)
	return append(s.plotRows(p),
		s.theme.border.Styled(spaces(gutter-1)+"└"+line),
		s.theme.dim.Styled(fitRight(s.say("chart.time"), gutter-1)+" "+labels))
}
