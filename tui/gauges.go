package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"yolotop/diagnose"
	"yolotop/parse"
)

// gaugeLines is how many lines a device has where there is room.
const gaugeLines = 3

// devices are the devices that were sampled, in the driver's order: those of the
// run, or else those of this machine while the run is alive.
func (s scene) devices() []*diagnose.GPU {
	var gpus []*diagnose.GPU
	switch {
	case s.run != nil && len(s.run.GPUs) > 0:
		gpus = slices.Clone(s.run.GPUs)
	case s.beside():
		gpus = slices.Clone(s.snap.Machine.GPUs)
	}
	slices.SortFunc(gpus, func(a, b *diagnose.GPU) int { return a.Index - b.Index })
	return gpus
}

// gauges is the pane of the devices as the driver counts them: how busy they are and
// how full, three lines each or, where there are many, one.
func (s scene) gauges(w, h int) (caption, []string) {
	c := caption{title: s.say("pane.gauges")}
	gpus := s.devices()
	if len(gpus) > 0 {
		c.right = s.say("gauges.samples", gpus[0].Samples)
	}
	if s.beside() {
		c.title, c.right = s.say("pane.machine"), s.say("gauges.unjoined")
		if d, ok := s.snap.Machine.Silent(s.snap.Now); ok && d >= silentFrom {
			c.right = s.say("gauges.silent", s.duration(d))
		}
	}
	var out []string
	room, host := h, s.hostSample()
	if host != nil {
		room--
	}
	for _, g := range gpus {
		if room >= gaugeLines*len(gpus) {
			out = append(out, s.gaugeBlock(g, w)...)
		} else {
			out = append(out, s.gaugeLine(g, w))
		}
	}
	if host != nil {
		out = append(out, s.hostLine(host, w))
	}
	return c, out
}

// silentFrom is for how long no sample must come to say so.
const silentFrom = 5 * time.Second

// beside reports whether this machine is shown beside a run of which it is not known
// whether it is here: rows come in live, and the run's own inputs hold no samples.
func (s scene) beside() bool {
	if s.snap == nil || s.snap.Machine == nil || s.run == nil || len(s.run.GPUs) > 0 {
		return false
	}
	return s.run.Status == diagnose.Running && !s.run.LastRow.IsZero()
}

// gaugeCount is how many lines the pane has where each device has one.
func (s scene) gaugeCount() int {
	n := len(s.devices())
	if s.hostSample() != nil {
		n++
	}
	return n
}

// hostSample is the newest sample of this machine, nil if it is not shown.
func (s scene) hostSample() *parse.Host {
	if !s.beside() {
		return nil
	}
	return s.snap.Machine.Host
}

// hostLine is how busy the machine's cores are and how full its memory is.
func (s scene) hostLine(h *parse.Host, w int) string {
	n := lineGauge(w)
	cpu, okCPU := h.CPU.Get()
	used, okUsed := h.RAMUsed.Bytes()
	total, okTotal := h.RAMTotal.Bytes()
	if limit, ok := h.GroupLimit.Bytes(); ok && limit < total {
		if group, ok := h.GroupUsed.Bytes(); ok {
			used, total = group, limit
		}
	}
	ram, text := 0.0, ""
	if okUsed && okTotal && total > 0 {
		ram, text = float64(used)/float64(total), s.say("gauges.of", gib(used), total)
	}
	line := fit("CPU", 7) + s.dim("gauges.busy") + s.gauge(cpu, okCPU, n, s.theme.spark) + "  " + s.dim("gauges.ram") + s.gauge(ram, text != "", n, s.fullness(ram)) + "  " + text
	return cut(line, w)
}

// gaugeBlock draws a device in three lines: name and state, load, memory.
func (s scene) gaugeBlock(g *diagnose.GPU, w int) []string {
	label := max(width(s.say("gauges.busy")), width(s.say("gauges.memory"))) + 2
	n := max(4, min(24, w/3))
	head := strings.TrimSpace(gpuName(g) + "  " + shortDevice(g.Name))
	first := ends(head, strings.Join(s.gaugeState(g), " · "), w)
	busy, known := g.Sample.Busy.Get()
	second := fit(s.say("gauges.busy"), label) + s.gauge(busy, known, n, s.theme.spark)
	third := fit(s.say("gauges.memory"), label) + s.gauge(memoryShare(g), g.Measured && g.Total > 0, n, s.fullness(memoryShare(g))) + "  " + s.memoryText(g)
	room := w - label - n - 5 - 2
	if room > 4 {
		second += "  " + s.theme.spark.Styled(loadSpark(&g.Busy, min(room, 60)))
	}
	return []string{first, s.theme.dim.Styled(cut(second, w)), s.theme.dim.Styled(cut(third, w))}
}

// gaugeLine draws a device in one line.
func (s scene) gaugeLine(g *diagnose.GPU, w int) string {
	busy, known := g.Sample.Busy.Get()
	n := lineGauge(w)
	line := fit(gpuName(g), 7) + s.dim("gauges.busy") + s.gauge(busy, known, n, s.theme.spark) + "  " + s.dim("gauges.mem") +
		s.gauge(memoryShare(g), g.Measured && g.Total > 0, n, s.fullness(memoryShare(g))) + "  " + s.memoryText(g)
	return cut(line, w)
}

// lineGauge is the width of a gauge where a device has one line.
func lineGauge(w int) int { return max(3, min(12, (w-46)/2)) }

// dim is a label before a gauge.
func (s scene) dim(key diagnose.Key) string { return s.theme.dim.Styled(s.say(key)) + " " }

// gaugeTiny is the load and the memory of a device in a few cells.
func (s scene) gaugeTiny(g *diagnose.GPU) string {
	out := ""
	if busy, ok := g.Sample.Busy.Get(); ok {
		out += " " + s.say("share", diagnose.Percent(busy))
	}
	if g.Measured {
		out += " " + gib(g.Used) + "G"
	}
	return out
}

// gaugeState is what else is known of a device: power, temperature, clock.
func (s scene) gaugeState(g *diagnose.GPU) []string {
	var parts []string
	if v, ok := g.Sample.Power.Get(); ok {
		text := fmt.Sprintf("%3.0f W", v)
		if limit, ok := g.Sample.PowerLimit.Get(); ok {
			text = fmt.Sprintf("%3.0f/%.0f W", v, limit)
		}
		parts = append(parts, text)
	}
	if v, ok := g.Sample.Temperature.Get(); ok {
		parts = append(parts, fmt.Sprintf("%2.0f °C", v))
	}
	if v, ok := g.Sample.Clock.Get(); ok {
		parts = append(parts, fmt.Sprintf("%4.0f MHz", v))
	}
	return parts
}

// gauge is a bar with its share; n/a where nothing is known, never an empty bar.
func (s scene) gauge(share float64, known bool, n int, style ansi.Style) string {
	if !known {
		return fit(s.theme.dim.Styled(s.say("gauges.na")), n+5)
	}
	share = max(0, min(1, share))
	full := int(share*float64(n) + 0.5)
	return style.Styled(repeat("━", full)) + s.theme.border.Styled(repeat("─", n-full)) + fitRight(s.say("share", diagnose.Percent(share)), 5)
}

// fullness is the style of a card that is that full.
func (s scene) fullness(share float64) ansi.Style {
	switch {
	case share >= curveCritical:
		return s.theme.moods[moodCritical]
	case share >= curveWarning:
		return s.theme.moods[moodWarning]
	}
	return s.theme.curve
}

func (s scene) memoryText(g *diagnose.GPU) string {
	switch {
	case !g.Measured:
		return ""
	case g.Total == 0:
		return s.say("gauges.used", g.Used)
	}
	return s.say("gauges.of", gib(g.Used), g.Total)
}

func memoryShare(g *diagnose.GPU) float64 {
	if g.Total == 0 {
		return 0
	}
	return float64(g.Used) / float64(g.Total)
}

func gpuName(g *diagnose.GPU) string {
	if g.Index < 0 {
		return "GPU"
	}
	return fmt.Sprintf("GPU %d", g.Index)
}

// loadSpark is how busy a device was of late, as bars from 0 to 1.
func loadSpark(series *diagnose.Series, n int) string {
	points := series.Points()
	points = points[max(0, len(points)-n):]
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Mean()
	}
	return spaces(n-len(values)) + barsWithin(values, 0, 1)
}
