package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
)

// openRuns lists the runs.
func (m *Model) openRuns() tea.Cmd {
	s := m.scene()
	m.view.page, m.view.pageScroll, m.view.listed = pageRuns, 0, s.index
	return nil
}

// chooseRun shows the run that is selected in the list.
func (m *Model) chooseRun() tea.Cmd {
	s := m.scene()
	by := within(m.view.listed, len(s.runs)-1) - s.index
	m.view.page = pageMain
	if by != 0 {
		return m.otherRun(by)
	}
	return nil
}

// of is the scene of another run at its newest moment.
func (s scene) of(index int) scene {
	s.index, s.run = index, s.runs[index]
	s.view.cursor, s.view.run, s.view.finding = 0, s.run.ID, 0
	return s
}

// beside is from which width on a run is drawn beside another, and how high it is at least.
const (
	besideCells = 56
	besideRows  = 9
)

// runsPage lists the runs with what is the matter with each and, where there is room, draws the
// curves of those around the selected one beside each other.
func (s scene) runsPage(w, h int) (caption, []string) {
	c := caption{title: s.say("pane.runs"), focused: true}
	if len(s.runs) == 0 {
		return c, []string{s.theme.dim.Styled(s.say("verdict.none"))}
	}
	selected := within(s.view.listed, len(s.runs)-1)
	per := 1
	if w < 60 {
		per = 2
	}
	charts := min(w/besideCells, len(s.runs))
	list := min(h, per*len(s.runs))
	if charts > 0 && h-list-1 < besideRows {
		charts = 0
	}
	if charts == 0 {
		list = h
	}
	fits := max(1, list/per)
	from := min(max(0, selected-fits/2), max(0, len(s.runs)-fits))
	if len(s.runs) > fits {
		c.right = s.say("page.lines", from+1, min(from+fits, len(s.runs)), len(s.runs))
	}
	var out []string
	for i := from; i < min(from+fits, len(s.runs)); i++ {
		out = append(out, s.of(i).runLines(w, per, i == selected)...)
	}
	if charts == 0 {
		return c, out
	}
	out = append(rect(out, w, list), "")
	first := min(max(0, selected-charts/2), len(s.runs)-charts)
	rows := min(h-list-1, 18)
	lines := make([]string, rows)
	for i := range charts {
		one := s.of(first + i)
		if !one.run.HasRows() {
			one.view.chart = memoryChart
		}
		cells := w / charts
		cap, body := one.chartPane(cells-2, rows-1)
		cap.title = strconv.Itoa(first+i+1) + " " + one.runName(one.run) + " · " + cap.title
		for y, l := range ruled.draw(s.theme, cap, body, cells, rows) {
			lines[y] += l
		}
	}
	return c, append(out, lines...)
}

// runLines is a run in the list: its number and name, how far it is, what it needs, and the worst
// finding.
func (s scene) runLines(w, lines int, selected bool) []string {
	t, r := s.theme, s.run
	v := s.verdict()
	mark := "  "
	if selected {
		mark = t.accent.Bold().Styled("> ")
	}
	head := mark + fitRight(strconv.Itoa(s.index+1), 2) + " " + t.sign(v.mood) + " "
	name := fit(s.runName(r), min(24, max(8, w/5)))
	if selected {
		name = t.strong.Styled(name)
	}
	facts := fitRight(s.placeOrStatus(), 9) + "  " + fit(s.heldText(), 20)
	if lines == 2 {
		return []string{cut(head+name+" "+facts, w), spaces(width(head)) + cut(strings.Join(v.parts, " · "), w-width(head))}
	}
	line := head + name + " " + facts
	return []string{line + "  " + joinFitting(v.parts, w-width(line)-2)}
}

// placeOrStatus is how far a run is.
func (s scene) placeOrStatus() string {
	if !s.run.HasRows() {
		return ""
	}
	return s.epochOf()
}

// heldText is the most memory of a run, of the card.
func (s scene) heldText() string {
	m := s.run.Memory
	switch {
	case m.Peak == 0:
		return s.say("memory.none")
	case m.Total == 0:
		return gib(max(m.Peak, s.run.HeldAtEnd())) + " GiB"
	}
	return s.say("memory.of", strings.TrimSpace(gib(max(m.Peak, s.run.HeldAtEnd()))), m.Total)
}

// history lists all findings of the run, those that were withdrawn, too, in the order in which they
// began.
func (s scene) history(w int) []string {
	var out []string
	if s.run == nil {
		return []string{s.theme.dim.Styled(s.say("findings.none"))}
	}
	for _, f := range s.run.Findings {
		if s.later(f.First) {
			continue
		}
		when := s.say("history.from", s.moment(f.First))
		if !f.Active {
			when = s.say("history.withdrawn", s.moment(f.First), s.moment(f.Last))
		}
		mood := levelMood(f.Level)
		style := s.theme.moods[mood]
		if !f.Active {
			style = s.theme.dim
		}
		out = append(out, s.theme.sign(mood)+" "+style.Styled(fit(string(f.Kind), kindCells))+" "+s.theme.dim.Styled(when))
		for _, l := range wrap(clean(f.Title.In(s.lang)), w-4) {
			out = append(out, "    "+l)
		}
	}
	if len(out) == 0 {
		out = []string{s.theme.dim.Styled(s.say("findings.none"))}
	}
	return out
}

// later reports whether a moment is behind the one that is shown.
func (s scene) later(m diagnose.Moment) bool {
	if s.run.Stepwise {
		return !s.live() && m.Iter > s.view.cursor
	}
	return !s.live() && m.Epoch > s.view.cursor
}

// openHistory shows all findings.
func (m *Model) openHistory() tea.Cmd {
	m.view.page, m.view.pageScroll = pageHistory, 0
	return nil
}
