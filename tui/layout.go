package tui

import "yolotop/diagnose"

// pane is a part of the screen.
type pane uint8

const (
	paneNone pane = iota
	paneMemory
	paneFacts
	paneFindings
	paneLosses
	paneLog
	paneStart
	paneGauges
	paneProcesses
	paneStory
	paneDevices // the memory of devices over the time
	paneBusy    // how busy they are
	panes
)

// shape is the kind of screen that a size allows.
type shape uint8

const (
	tiny shape = iota // a few lines in order of importance
	side              // a narrow pane beside an editor
	mid               // 80 by 24
	wide              // two columns and boxes
)

func shapeOf(w, h int) shape {
	switch {
	case w < 30 || h < 10:
		return tiny
	case w < 60:
		return side
	case w < 100 || h < 28:
		return mid
	}
	return wide
}

// row is a row of panes of a plan.
type row struct {
	panes []pane
	h     int
	frame frame
}

// wish is how much height a row of panes needs at least, would like, and can use.
type wish struct {
	panes             []pane
	least, like, most int
	grow              int  // share of what is left over
	good              int  // height that it gets before any row that yields is there at all
	yields            bool // only there where those before it have what is good for them
}

// headLines are the lines above the panes: the verdict, which may take two lines
// in a narrow pane, and the header.
func (s scene) headLines(w, h int) []string {
	if shapeOf(w, h) != side {
		return []string{s.verdictLine(w), s.headerLine(w)}
	}
	return append(s.verdictLines(w, 2), s.headerLine(w))
}

// plan says which panes are on a screen and how high they are. The least important
// ones are left out first.
func (s scene) plan(w, h int) []row {
	sh := shapeOf(w, h)
	if sh == tiny {
		return nil
	}
	f := ruled
	if sh == wide {
		f = boxed
	}
	body := h - len(s.headLines(w, h)) - 1
	rows := allocate(s.wishes(sh, f, w), body)
	for i := range rows {
		rows[i].frame = f
	}
	return rows
}

// wishes are the rows in order of importance.
func (s scene) wishes(sh shape, f frame, w int) []wish {
	out := f.outer()
	found := len(s.findings())
	var list []wish
	if n := len(s.storyLines(w - 2*out)); n > 0 {
		list = append(list, wish{panes: []pane{paneStory}, least: out + min(n, 12), like: out + n, most: out + n})
	}
	gpus, gauges := len(s.devices()), s.gaugeCount()
	if s.starting() && s.sampled() {
		lines := gpus // one for each of many
		if gpus <= 4 {
			lines *= gaugeLines
		}
		list = append(list, wish{panes: []pane{paneGauges}, least: out + max(1, min(gaugesLeast(gpus, w-2), 4)), like: out + lines, most: out + lines})
		if s.timed() {
			list = append(list, wish{panes: devicePanes(sh), least: out + 6, like: out + 12, most: 1 << 20, grow: 2})
		}
	} else if s.searching() && s.run == nil {
		n := len(s.searchLines(w - 2))
		list = append(list, wish{panes: []pane{paneStart}, least: out + 3, like: out + n, most: out + n + 1})
	} else if s.starting() {
		n := 9
		if s.beside() {
			n += len(s.preflight())
		}
		list = append(list, wish{panes: []pane{paneStart}, least: out + 3, like: out + n, most: out + n + 1})
	} else {
		top := wish{panes: []pane{paneMemory}, least: out + 6, like: out + []int{0, 10, 11, 11}[sh], most: out + 24, grow: 2, good: out + 10}
		if series, _ := s.memoryCurve(); series == nil && s.chart().name == memoryChart {
			top.least, top.like, top.most, top.grow, top.good = out+1, out+2, out+3, 0, 0
		}
		if sh == wide {
			top.panes = append(top.panes, paneFacts)
			top.like, top.most = max(top.like, out+8), max(top.most, out+9)
		}
		list = append(list, top)
	}
	if gauges > 0 && sh == side && !s.starting() {
		list = append(list, wish{panes: []pane{paneGauges}, least: out + 1, like: out + min(gauges, 4), most: out + gauges})
	}
	if gauges > 0 && sh != side && (!s.starting() || !s.sampled()) {
		list = append(list, wish{panes: []pane{paneGauges}, least: out + min(max(1, gaugesLeast(gpus, w-2)), 4), like: out + gauges, most: out + gauges})
	}
	if s.run == nil && s.timed() {
		list = append(list, wish{panes: devicePanes(sh), least: out + 6, like: out + 12, most: 1 << 20, grow: 2})
	}
	switch lines := min(found, 4); {
	case sh == wide && !s.starting():
		list = append(list, wish{panes: []pane{paneFindings}, least: out + 1, like: out + max(1, 2*lines), most: out + max(1, 2*lines), good: out + lines})
	case sh == wide && found > 0:
		list = append(list, wish{panes: []pane{paneFindings}, least: out + 1, like: out + 2*lines, most: out + 2*lines, good: out + lines})
	case sh == side && found < 2: // the first lines say it all
	case sh == side:
		n := min(6, len(s.narrowFindings(w-2)))
		list = append(list, wish{panes: []pane{paneFindings}, least: out + 1, like: out + n, most: out + n})
	case found > 0:
		list = append(list, wish{panes: []pane{paneFindings}, least: out + 1, like: out + lines, most: out + lines, good: out + lines})
	}
	if !s.starting() {
		epochs := len(s.run.Epochal)
		if s.run.Status == diagnose.Running { // room for those to come, so that nothing moves when they do
			epochs = max(epochs, min(s.run.Epochs, 12), 3)
		}
		l := wish{panes: []pane{paneLosses}, least: out + 3, like: out + 2 + min(epochs, []int{0, 0, 3, 5}[sh]), most: out + 2 + epochs, grow: 1}
		if sh == side {
			n := len(s.compactLosses(w - 2))
			l.least, l.like, l.most, l.grow = out+min(2, n), out+n, out+n, 0
		}
		list = append(list, l)
	}
	if n := min(len(s.processes()), processesMost); n > 0 && (sh == wide || sh == mid && s.run == nil) {
		list = append(list, wish{panes: []pane{paneProcesses}, least: out + min(n, 2), like: out + n, most: out + n, yields: s.run != nil})
	}
	if s.run == nil && s.searching() || s.starting() && s.sampled() && s.timed() && len(s.run.Log) == 0 {
		return list // there is no log
	}
	return append(list, wish{panes: []pane{paneLog}, least: out + 2, like: out + 4, most: 1 << 20, grow: 1, yields: true})
}

// devicePanes are the charts of the devices.
func devicePanes(sh shape) []pane {
	if sh == wide {
		return []pane{paneDevices, paneBusy}
	}
	return []pane{paneDevices}
}

// allocate shares height lines among the wishes; those at the end that do not fit
// get nothing, nor do those that yield and would keep others from what is good for them.
func allocate(wishes []wish, height int) []row {
	var rows []row
	left, kept := height, 0
	for _, w := range wishes {
		if w.least > left || w.yields && w.least+kept > left {
			break
		}
		rows = append(rows, row{panes: w.panes, h: w.least})
		left -= w.least
		kept += max(0, w.good-w.least)
	}
	raise := func(to func(wish) int) {
		for i := range rows {
			more := max(0, min(left, to(wishes[i])-rows[i].h))
			rows[i].h += more
			left -= more
		}
	}
	raise(func(w wish) int { return w.good })
	raise(func(w wish) int { return w.like })
	for grown := true; left > 0 && grown; {
		grown = false
		for i := range rows {
			more := min(left, wishes[i].grow, wishes[i].most-rows[i].h)
			if more > 0 {
				rows[i].h += more
				left -= more
				grown = true
			}
		}
	}
	if left > 0 && len(rows) > 0 { // nobody can use it: the first row has room to breathe
		rows[0].h += left
	}
	return rows
}

// screen draws everything into exactly h lines of w cells.
func (s scene) screen(w, h int) []string {
	if w <= 0 || h <= 0 {
		return nil
	}
	if shapeOf(w, h) == tiny && s.view.page == pageMain {
		return rect(s.tinyLines(w, h), w, h)
	}
	if s.view.page != pageMain {
		return s.pageScreen(w, h)
	}
	out := s.headLines(w, h)
	for _, r := range s.plan(w, h) {
		out = append(out, s.drawRow(r, w)...)
	}
	out = rect(out, w, h-1)
	return append(out, s.footerLine(w))
}

// factsCells is the width of the pane beside the memory.
const factsCells = 40

// drawRow draws panes beside each other.
func (s scene) drawRow(r row, w int) []string {
	if len(r.panes) == 1 {
		return s.drawPane(r.panes[0], r.frame, w, r.h)
	}
	right := min(factsCells, w/3)
	a := s.drawPane(r.panes[0], r.frame, w-right, r.h)
	b := s.drawPane(r.panes[1], r.frame, right, r.h)
	for i := range a {
		a[i] += b[i]
	}
	return a
}

// drawPane draws one pane into exactly h lines of w cells.
func (s scene) drawPane(p pane, f frame, w, h int) []string {
	iw, ih := f.inner(w, h)
	c, lines := s.content(p, iw, ih)
	return f.draw(s.theme, c, lines, w, h)
}

// content is what a pane shows in w by h cells.
func (s scene) content(p pane, w, h int) (caption, []string) {
	switch p {
	case paneMemory:
		return s.chartPane(w, h)
	case paneFacts:
		return s.facts(w, h)
	case paneFindings:
		return s.findingsPane(w, h)
	case paneLosses:
		if w < 58 {
			return caption{title: s.say("pane.losses"), right: s.bestNote()}, s.compactLosses(w)
		}
		return s.lossesPane(w, h)
	case paneLog:
		return s.logPane(w, h)
	case paneStart:
		return s.startFacts(w, h)
	case paneGauges:
		return s.gauges(w, h)
	case paneProcesses:
		return s.processesPane(w, h)
	case paneDevices:
		return s.deviceMemory(w, h)
	case paneBusy:
		return s.deviceBusy(w, h)
	case paneStory:
		return caption{title: s.say("pane.story")}, s.storyLines(w)
	}
	return caption{}, nil
}
