package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"yolotop/diagnose"
	"yolotop/parse"
)

const (
	gaugeLines = 3  // of a device where there is room
	gaugeName  = 7  // cells of its name where it has one line
	gaugeCells = 26 // of a device beside others
)

// devices are the devices that were sampled: those of the run's inputs, or else those of
// this machine while the run is alive, the run's first, in the driver's order.
func (s scene) devices() []*diagnose.GPU {
	var gpus []*diagnose.GPU
	switch {
	case s.sampled(), s.recorded():
		gpus = slices.Clone(s.run.GPUs)
	case s.beside():
		gpus = slices.Clone(s.snap.Machine.GPUs)
	}
	own := func(g *diagnose.GPU) int {
		if s.owns(g) {
			return 0
		}
		return 1
	}
	slices.SortFunc(gpus, func(a, b *diagnose.GPU) int {
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Instance, b.Instance))
	})
	return gpus
}

// gauges is the pane of the devices as the driver counts them: how busy they are and
// how full, three lines each or, where there are many, one.
func (s scene) gauges(w, h int) (caption, []string) {
	c := caption{title: s.say("pane.gauges")}
	gpus, stale := s.devices(), false
	if len(gpus) > 0 {
		c.right = s.say("gauges.samples", gpus[0].Samples)
	}
	if s.recorded() {
		c.right = s.say("gauges.recorded", s.inputName(s.run.Inputs[len(s.run.Inputs)-1]))
	}
	if s.beside() {
		c.title, c.right = s.say("pane.machine"), s.whose()
		if d, ok := s.snap.Machine.Silent(s.snap.Now); ok && d >= silentFrom {
			c.right, stale = s.say("gauges.silent", s.duration(d)), true
		}
	}
	if !s.live() { // their samples have a clock of their own
		c.right = s.say("gauges.asof")
	}
	var out []string
	room, host := h, s.hostSample()
	if host != nil {
		room--
	}
	if why := s.noDevice(); why != "" {
		room--
		out = append(out, fit("GPU", gaugeName)+s.theme.dim.Styled(cut(why, w-gaugeName)))
	}
	if host != nil && room < gaugesLeast(len(gpus), w) {
		host, room = nil, room+1
	}
	out = append(out, s.gaugeLinesOf(gpus, w, room)...)
	if stale {
		for i, line := range out {
			out[i] = s.theme.dim.Styled(ansi.Strip(line))
		}
	}
	if host != nil {
		out = append(out, s.hostLine(host, w))
	}
	return c, out
}

// gaugeLinesOf draws devices in about h lines: as large as there is room for.
func (s scene) gaugeLinesOf(gpus []*diagnose.GPU, w, h int) []string {
	var out []string
	switch {
	case h >= gaugeLines*len(gpus):
		for _, g := range gpus {
			out = append(out, s.gaugeBlock(g, w)...)
		}
	case h >= len(gpus):
		for _, g := range gpus {
			out = append(out, s.gaugeLine(g, w))
		}
	default:
		n := gaugesBeside(w)
		for some := range slices.Chunk(gpus, n) {
			line := ""
			for _, g := range some {
				line += fit(s.gaugeCell(g), w/n)
			}
			out = append(out, line)
		}
	}
	return out
}

// gaugesBeside is how many devices fit beside each other in a line of w cells.
func gaugesBeside(w int) int { return max(1, w/gaugeCells) }

// gaugesLeast is how many lines n devices need.
func gaugesLeast(n, w int) int {
	beside := gaugesBeside(w)
	if n <= 3 {
		return n
	}
	return (n + beside - 1) / beside
}

// gaugeCell draws a device without a bar.
func (s scene) gaugeCell(g *diagnose.GPU) string {
	out := fit(s.deviceName(g), gaugeName)
	if g.Fault != nil {
		return out + s.fault(g, gaugeCells-gaugeName-1)
	}
	number := func(share float64, known bool) string {
		if !known {
			return fitRight(s.theme.dim.Styled(s.say("gauges.na")), 4)
		}
		return fitRight(s.say("share", diagnose.Percent(share)), 4)
	}
	busy, known := g.Sample.Busy.Get()
	out += s.theme.dim.Styled(s.say("gauges.busy")) + number(busy, known)
	share := number(memoryShare(g), g.Measured && g.Total > 0)
	return out + " " + s.theme.dim.Styled(s.say("gauges.mem")) + s.fullness(memoryShare(g)).Styled(share)
}

// silentFrom is for how long no sample must come to say so.
const silentFrom = 5 * time.Second

// deviceName is the name of a device; that of the run stands out.
func (s scene) deviceName(g *diagnose.GPU) string {
	if s.owns(g) {
		return s.theme.accent.Bold().Styled(GPUName(g))
	}
	return GPUName(g)
}

// gaugeCount is how many lines the pane has where each device has one.
func (s scene) gaugeCount() int {
	n := len(s.devices())
	if s.hostSample() != nil {
		n++
	}
	if s.noDevice() != "" {
		n++
	}
	return n
}

// hostLine is how busy the machine's cores are and how full its memory is.
func (s scene) hostLine(h *parse.Host, w int) string {
	n := lineGauge(w)
	cpu, okCPU := h.CPU.Get()
	used, total, ok := diagnose.HostMemory(h)
	ram, text := 0.0, ""
	if ok {
		ram, text = float64(used)/float64(total), s.say("gauges.of", gib(used), total)
	}
	line := fit("CPU", gaugeName) + s.dim("gauges.busy") + s.gauge(cpu, okCPU, n, s.theme.spark) + "  " + s.dim("gauges.ram") + s.gauge(ram, text != "", n, s.fullness(ram))
	return withAmount(line, w, text, gib(used)+"G")
}

// gaugeBlock draws a device in three lines: name and state, load, memory.
func (s scene) gaugeBlock(g *diagnose.GPU, w int) []string {
	label := max(width(s.say("gauges.busy")), width(s.say("gauges.memory"))) + 2
	n := max(4, min(24, w/3))
	head := strings.TrimSpace(s.deviceName(g) + "  " + shortDevice(g.Name))
	if g.Lost() {
		return []string{fit(head, w), s.fault(g, w), ""}
	}
	first := ends(head, strings.Join(s.gaugeState(g), " · "), w)
	if g.Fault != nil {
		first = ends(head, s.fault(g, w-width(head)-2), w)
	}
	busy, known := g.Sample.Busy.Get()
	second := fit(s.say("gauges.busy"), label) + s.gauge(busy, known, n, s.theme.spark)
	if !known {
		second = fit(s.say("gauges.busy"), label) + s.missing(g.Sample.Busy)
	}
	third := fit(s.say("gauges.memory"), label) + s.gauge(memoryShare(g), g.Measured && g.Total > 0, n, s.fullness(memoryShare(g))) + "  " + s.memoryText(g)
	room := w - label - n - 5 - 2
	if room > 4 {
		second += "  " + s.theme.spark.Styled(loadSpark(&g.Busy, min(room, 60)))
	}
	return []string{first, s.theme.dim.Styled(cut(second, w)), s.theme.dim.Styled(cut(third, w))}
}

// gaugeLine draws a device in one line.
func (s scene) gaugeLine(g *diagnose.GPU, w int) string {
	if g.Fault != nil {
		return fit(s.deviceName(g), gaugeName) + s.fault(g, w-gaugeName)
	}
	busy, known := g.Sample.Busy.Get()
	n := lineGauge(w)
	line := fit(s.deviceName(g), gaugeName) + s.dim("gauges.busy") + s.gauge(busy, known, n, s.theme.spark) + "  " + s.dim("gauges.mem") +
		s.gauge(memoryShare(g), g.Measured && g.Total > 0, n, s.fullness(memoryShare(g)))
	return withAmount(line, w, s.memoryText(g), gib(g.Used)+"G")
}

// withAmount adds an amount behind gauges, in the longer words if they fit; the share
// says it, too.
func withAmount(line string, w int, long, short string) string {
	for _, amount := range []string{long, short} {
		if long != "" && width(line)+2+width(amount) <= w {
			return line + "  " + amount
		}
	}
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

// fault is the newest error that the driver has reported of a device.
func (s scene) fault(g *diagnose.GPU, w int) string {
	text := clean(g.Fault.Text)
	if g.Fault.Xid != 0 {
		text = s.say("gauges.xid", strconv.Itoa(g.Fault.Xid), text)
	}
	return s.theme.moods[moodCritical].Styled(cut(text, w))
}

// missing says why a number is not there.
func (s scene) missing(n parse.Number) string {
	switch n.State {
	case parse.NotSupported:
		return s.say("gauges.na.unsupported")
	case parse.NoPermission:
		return s.say("gauges.na.permission")
	}
	return s.say("gauges.na")
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
	// To be at the limit of its power is what a busy card does.
	if by := slices.DeleteFunc(slices.Clone(g.Sample.Throttled), func(w string) bool { return w == "power" }); len(by) > 0 {
		parts = append(parts, s.theme.moods[moodWarning].Styled(s.say("gauges.slowed", strings.Join(by, ", "))))
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

// GPUName is what a device is called: by the index of the driver, and its instance where it is divided.
func GPUName(g *diagnose.GPU) string {
	switch {
	case g.Index < 0:
		return "GPU"
	case g.Instance >= 0:
		return fmt.Sprintf("GPU%d:%d", g.Index, g.Instance)
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
