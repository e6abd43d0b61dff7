package tui

import (
	tea "charm.land/bubbletea/v2"
)

// click does what a person points at: a key of the footer, the first line, a finding, a moment on
// the chart, a run in the list. The right button leaves a page.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	s := m.scene()
	x, y := msg.X, msg.Y
	switch {
	case msg.Button == tea.MouseRight && m.view.page != pageMain && m.view.page != pageLeave:
		return m.back()
	case msg.Button != tea.MouseLeft:
		return nil
	case y == m.height-1:
		if b, ok := s.footerAt(x, m.width); ok {
			return b.do(m)
		}
		return nil
	case m.view.page == pageRuns:
		return m.clickRun(y - 2)
	case m.view.page != pageMain || shapeOf(m.width, m.height) == tiny:
		return nil
	}
	heads := len(s.headLines(m.width, m.height))
	if y < heads-1 {
		return m.explain()
	}
	top := heads
	for _, r := range s.plan(m.width, m.height) {
		if y >= top && y < top+r.h {
			m.clickPane(s, r, x, y-top)
			return nil
		}
		top += r.h
	}
	return nil
}

// clickPane does what a click in a row of panes means, line lines below its top.
func (m *Model) clickPane(s scene, r row, x, line int) {
	inset := 1
	if r.frame == boxed {
		inset = 2
	}
	switch r.panes[0] {
	case paneMemory:
		width := m.width
		if len(r.panes) > 1 {
			width -= min(factsCells, m.width/3)
		}
		w, _ := r.frame.inner(width, r.h)
		a := s.newAxis(max(0, w-gutter))
		if s.run != nil && s.chart().name == memoryChart {
			a = s.memoryAxis(max(0, w-gutter))
		}
		if at := x - inset - gutter; s.run != nil && a.cells > 0 && at >= 0 && at < a.cells {
			m.travelTo(a.from + (float64(at)+0.5)/float64(a.cells)*(a.to-a.from))
		}
	case paneFindings:
		w, h := r.frame.inner(m.width, r.h)
		if i, ok := s.findingAt(line-1, w, h); ok {
			m.view.finding = i
			m.explain()
		}
	case paneLog:
		m.openLog()
	}
}

// findingAt is which finding stands in a line of the pane of w by h cells.
func (s scene) findingAt(line, w, h int) (i int, ok bool) {
	n := len(s.findings())
	if s.sinceNote() != "" && h >= 2 {
		line, h = line-1, h-1
	}
	per := 1
	if h >= 2*n && w >= 60 {
		per = 2
	}
	fits := max(1, h/per)
	i = line/per + min(max(0, s.view.finding-fits+1), max(0, n-fits))
	return i, line >= 0 && i < n
}

// clickRun shows a run of the list by its line.
func (m *Model) clickRun(line int) tea.Cmd {
	per := 1
	if m.width-2 < 60 {
		per = 2
	}
	if i := line / per; line >= 0 && i < len(m.scene().runs) {
		m.view.listed = i
		return m.chooseRun()
	}
	return nil
}

// footerAt is the key at a column of the footer.
func (s scene) footerAt(x, w int) (b binding, ok bool) {
	at := 1
	for _, b := range s.footerKeys(s.footerRoom(w)) {
		cells := width(b.label(s.theme)) + 1 + width(s.say(b.footer))
		if x >= at && x < at+cells {
			return b, b.do != nil
		}
		at += cells + 2
	}
	return binding{}, false
}
