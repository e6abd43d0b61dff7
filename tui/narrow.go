package tui

import (
	"math"
	"strings"

	"yolotop/diagnose"
)

// verdictLines is the verdict in at most n lines.
func (s scene) verdictLines(w, n int) []string {
	one := s.verdict()
	if n < 2 || width(strings.Join(one.parts, " · ")) <= w-4 {
		return []string{s.verdictLine(w)}
	}
	t := s.theme
	head := t.sign(one.mood) + " "
	indent := width(head)
	lines := wrap(strings.Join(one.parts, " · "), w-indent)
	for k := len(one.parts) - 1; k > 0 && len(lines) > n; k-- { // what is there is there in whole
		lines = wrap(strings.Join(one.parts[:k], " · "), w-indent)
	}
	if len(lines) > n {
		lines = append(lines[:n-1], strings.Join(lines[n-1:], " "))
	}
	style := t.strong
	if one.mood != moodInfo {
		style = t.moods[one.mood].Bold()
	}
	out := make([]string, 0, len(lines))
	for i, l := range lines {
		start := spaces(indent)
		if i == 0 {
			start = head
		}
		out = append(out, fit(start+style.Styled(cut(strings.TrimSpace(l), w-indent)), w))
	}
	return out
}

// compactLosses is a line for each metric and loss: its newest value and its
// history as a small curve.
func (s scene) compactLosses(w int) []string {
	r := s.run
	if r == nil {
		return nil
	}
	t := s.theme
	const nameCells, valueCells = 10, 8
	room := max(0, min(32, w-nameCells-valueCells-2))
	var out []string
	line := func(name, value string, bad bool, curve string) {
		value = fitRight(value, valueCells)
		if bad {
			value = t.moods[moodCritical].Styled(value)
		}
		out = append(out, t.dim.Styled(fit(clean(name), nameCells))+value+"  "+t.spark.Styled(curve))
	}
	if name := mainMetric(r); name != "" {
		value := "-"
		if p, ok := lastAt(r.MetricSeries[name], s.position()); ok {
			value = columnFormat{digits: 3}.write(p)
		}
		line(name, value, false, spark(r.MetricSeries[name], s.position(), room))
	}
	for i, name := range r.Columns {
		v, ok := 0.0, false
		if s.live() && i < len(r.Losses) {
			v, ok = r.Losses[i], true
		} else if !s.live() {
			v, ok = lastAt(r.LossSeries[name], s.position())
		}
		value := "-"
		if ok {
			most := v
			if h := r.LossSeries[name]; h != nil {
				most = max(v, h.Max())
			}
			value = formatFor([]float64{v, most}).write(v)
		}
		line(name, value, ok && (math.IsNaN(v) || math.IsInf(v, 0)), spark(r.LossSeries[name], s.position(), room))
	}
	if rate := s.rate(); rate > 0 {
		line(s.say("facts.rate"), fitNumber(rate, 4), false, sparkFromZero(&r.RateSeries, s.position(), room))
	}
	return out
}

// tinyLines are the most important lines in the order of their importance.
func (s scene) tinyLines(w, h int) []string {
	n := 1
	if h >= 4 {
		n = 2
	}
	if h == 1 {
		return []string{s.verdictLine(w)}
	}
	out := s.verdictLines(w, n)
	r := s.run
	if r == nil || !r.Known {
		return out
	}
	if s.starting() && s.sampled() {
		for _, g := range s.devices() {
			out = append(out, cut(GPUName(g)+s.gaugeTiny(g), w))
		}
		return out
	}
	if !r.HasRows() {
		out = append(out, cut(s.identity()[0], w))
		if d, ok := r.Device(); ok && r.Memory.Total > 0 {
			out = append(out, cut(shortDevice(d.Name)+" "+diagnose.FormatGiB(r.Memory.Total), w))
		}
		return out
	}
	epoch := s.placeText()
	epoch = strings.TrimRight(epoch+" "+s.percent(), " ")
	out = append(out, joinFitting([]string{epoch, s.timing(false)}, w))
	if s.measured() {
		held := r.Memory.Last
		if !s.live() {
			held = r.At(s.position()).Memory
		}
		text := gib(held) + " GiB"
		if t := r.Memory.Total; t > 0 {
			text = s.say("memory.of", strings.TrimSpace(gib(held)), t)
			if share := s.share(held); width(text+share) <= w {
				text += share
			}
		}
		out = append(out, cut(text, w))
	} else {
		out = append(out, cut(s.say("memory.none"), w))
	}
	return append(out, s.compactLosses(w)...)
}

// lastAt is the newest value of a series at x; a series that does not exist has
// none.
func lastAt(series *diagnose.Series, x float64) (v float64, ok bool) {
	if series == nil {
		return 0, false
	}
	p, ok := series.At(x)
	return p.Last, ok
}
