package tui

import (
	"strconv"
	"strings"

	"yolotop/diagnose"
)

// page is what fills the screen below the verdict.
type page uint8

const (
	pageMain page = iota
	pageDetail
	pageHelp
	pageLeave
	pageLog
	pageRuns
	pageHistory
)

// pages is a set of pages.
type pages uint8

func (p page) bit() pages { return 1 << p }

const (
	onMain    = pages(1 << pageMain)
	onDetail  = pages(1 << pageDetail)
	onHelp    = pages(1 << pageHelp)
	onLeave   = pages(1 << pageLeave)
	onLog     = pages(1 << pageLog)
	onRuns    = pages(1 << pageRuns)
	onHistory = pages(1 << pageHistory)
	onText    = onDetail | onHelp | onHistory
	onScroll  = onText | onLog | onRuns // pages that keys for up and down move in
	onAnyPage = onMain | onScroll
)

// pageScreen draws the help or a finding, with the verdict above and the keys
// below wherever there is room for them.
func (s scene) pageScreen(w, h int) []string {
	var out []string
	if h >= 4 {
		out = append(out, s.verdictLine(w))
	}
	room := s.pageRoom(h)
	if c, body, ok := s.windowPage(max(1, w-2), room); ok {
		return s.framed(out, c, body, w, h)
	}
	title, lines := s.pageLines(w)
	from := min(max(0, s.view.pageScroll), max(0, len(lines)-room))
	c := caption{title: title, focused: true}
	if len(lines) > room {
		c.right = s.say("page.lines", from+1, min(from+room, len(lines)), len(lines))
	}
	return s.framed(out, c, lines[from:min(len(lines), from+room)], w, h)
}

// windowPage is what a page shows that lays out its lines by the room there is.
func (s scene) windowPage(w, h int) (c caption, body []string, ok bool) {
	switch s.view.page {
	case pageLog:
		c, body = s.logPage(w, h)
	case pageRuns:
		c, body = s.runsPage(w, h)
	default:
		return c, nil, false
	}
	return c, body, true
}

// framed puts the body of a page between the verdict, which is in out, and the keys.
func (s scene) framed(out []string, c caption, body []string, w, h int) []string {
	if h >= 4 {
		out = append(out, ruled.draw(s.theme, c, body, w, h-2)...)
		out = append(out, s.footerLine(w))
	} else {
		out = append(out, body...)
	}
	return rect(out, w, h)
}

// pageRoom is how many lines of a page fit on a screen of h lines.
func (s scene) pageRoom(h int) int {
	if h >= 4 {
		return max(1, h-3)
	}
	return max(1, h)
}

// pageLines are all lines of the page that is open.
func (s scene) pageLines(w int) (title string, lines []string) {
	inner := max(1, w-2)
	switch s.view.page {
	case pageHelp:
		return s.say("pane.help"), s.help(inner)
	case pageLeave:
		return s.say("pane.leave"), s.leaving(inner)
	case pageHistory:
		return s.say("pane.history"), s.history(min(inner, 100))
	}
	return s.detail(inner)
}

// detail explains a finding: what, why, what to do, what cannot be known, and
// since when it is true.
func (s scene) detail(w int) (title string, lines []string) {
	f := s.explained()
	if f == nil {
		return s.say("pane.findings"), []string{s.say("findings.none")}
	}
	t := s.theme
	w = min(w, 100) // longer lines are hard to read
	head := func(key diagnose.Key) {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, t.strong.Styled(s.say(key)))
	}
	text := func(m diagnose.Message, first, rest string) {
		for i, l := range wrap(clean(m.In(s.lang)), w-width(first)) {
			if i == 0 {
				lines = append(lines, first+l)
			} else {
				lines = append(lines, rest+l)
			}
		}
	}
	mood := levelMood(f.Level)
	for i, l := range wrap(s.title(f), w-2-width(t.glyph(mood))) {
		if i == 0 {
			lines = append(lines, t.sign(mood)+" "+t.moods[mood].Bold().Styled(l))
		} else {
			lines = append(lines, spaces(1+width(t.glyph(mood)))+t.moods[mood].Bold().Styled(l))
		}
	}
	if f.Provisional {
		lines = append(lines, t.dim.Styled(s.say("detail.provisional")))
	}
	if !f.Because.IsZero() {
		head("detail.why")
		text(f.Because, "  ", "  ")
	}
	if advice := s.run.AdviceFor(f); len(advice) > 0 {
		head("detail.advice")
		for i, a := range advice {
			n := "  " + strconv.Itoa(i+1) + ". "
			text(a, n, spaces(len(n)))
		}
	}
	if m, ok := s.run.Estimate(); ok && aboutMemory(f.Kind) {
		head("detail.estimate")
		text(m.Text(), "  ", "  ")
	}
	if others := s.run.Comparison(); len(others) > 0 && aboutMemory(f.Kind) {
		head("detail.others")
		for _, m := range others {
			text(m, "  - ", "    ")
		}
	}
	if len(f.Limits) > 0 {
		head("detail.limits")
		for _, l := range f.Limits {
			text(l, "  - ", "    ")
		}
	}
	head("detail.when")
	lines = append(lines, "  "+s.say("detail.first", s.moment(f.First)))
	if f.Last != f.First {
		lines = append(lines, "  "+s.say("detail.last", s.moment(f.Last)))
	}
	return string(f.Kind), s.withEvidence(f, lines, w)
}

// aboutMemory reports whether a finding is about what the run takes of the card.
func aboutMemory(k diagnose.Kind) bool {
	switch k {
	case diagnose.OOM, diagnose.Leak, diagnose.Creep, diagnose.Step, diagnose.Tight, diagnose.ValPeak, diagnose.Headroom:
		return true
	}
	return false
}

// evidenceRows is how high the chart on the page of a finding is.
const evidenceRows = 10

// withEvidence adds the curve that a finding rests on: memory, the loss that became NaN, how busy the
// device was, or the speed.
func (s scene) withEvidence(f *diagnose.Finding, lines []string, w int) []string {
	if w < 30 {
		return lines
	}
	var title string
	var chart []string
	switch {
	case (aboutMemory(f.Kind) || f.Kind == diagnose.OtherProcess) && s.hasMemory():
		title = s.memoryTitle()
		_, chart = s.memory(w-2, evidenceRows)
	case f.Kind == diagnose.NaN:
		title, chart = s.namedChart("loss ", w-2)
	case f.Kind == diagnose.Starved || f.Kind == diagnose.UnderUsed:
		if g := s.run.FirstGPU(); g != nil && g.Busy.Len() > 1 {
			title, chart = s.say("evidence.busy", GPUName(g)), []string{s.theme.spark.Styled(loadSpark(&g.Busy, w-2))}
			break
		}
		title, chart = s.namedChart("speed", w-2)
	case f.Kind == diagnose.Slow || f.Kind == diagnose.Stalled:
		title, chart = s.namedChart("speed", w-2)
	}
	if len(chart) == 0 {
		return lines
	}
	lines = append(lines, "", s.theme.strong.Styled(title))
	for _, l := range chart {
		lines = append(lines, "  "+l)
	}
	return lines
}

// hasMemory reports whether there is a curve of memory.
func (s scene) hasMemory() bool {
	series, _ := s.memoryCurve()
	return series != nil
}

// namedChart draws the first curve whose name begins so; nothing if there is none.
func (s scene) namedChart(name string, w int) (title string, lines []string) {
	for _, c := range s.charts() {
		if c.name != "" && strings.HasPrefix(c.name, name) {
			k, lines := s.valueChart(c, w, evidenceRows)
			return k.title, lines
		}
	}
	return "", nil
}

// explained is the finding whose page is open; it stays while it is withdrawn.
func (s scene) explained() *diagnose.Finding {
	if s.run == nil {
		return nil
	}
	for _, f := range s.run.Findings {
		if f.Kind == s.view.detail {
			return f
		}
	}
	return s.selected()
}
