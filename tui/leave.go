package tui

import (
	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
	"yolotop/parse"
)

// quit ends the screen; where yolotop has started the training, and it runs, it asks first.
func (m *Model) quit() tea.Cmd {
	if m.options.Leave == nil || m.scene().trainingEnded() {
		return tea.Quit
	}
	m.view.page, m.view.pageScroll = pageLeave, 0
	return nil
}

// trainingEnded reports whether the program whose output is shown has ended.
func (s scene) trainingEnded() bool {
	return s.snap != nil && len(s.snap.Sources) > 0 && s.snap.Sources[0].Status == parse.SourceEnded
}

// stopTraining asks the training to stop; the screen stays to show how it ends.
func (m *Model) stopTraining() tea.Cmd {
	m.view.stops++
	m.options.Leave(LeaveStop)
	return m.back()
}

// detach leaves the training alone.
func (m *Model) detach() tea.Cmd {
	m.options.Leave(LeaveDetach)
	return tea.Quit
}

// leavingCells is from which width on the choices are explained.
const leavingCells = 30

// leaving is the page that asks what becomes of the training.
func (s scene) leaving(w int) (out []string) {
	entry := func(key string, text diagnose.Key) {
		for i, l := range wrap(s.say(text), max(1, min(w, 100)-8)) {
			if i == 0 {
				out = append(out, "  "+s.theme.strong.Styled(fit(key, 4))+"  "+l)
			} else {
				out = append(out, "        "+l)
			}
		}
	}
	if w < leavingCells { // the footer has room for the first choice only
		return []string{s.theme.strong.Styled("d") + " " + s.say("key.detach"), s.theme.strong.Styled("esc") + " " + s.say("key.cancel")}
	}
	out = append(wrap(s.say("leave.ask"), w), "")
	switch {
	case s.view.stops > 1:
		entry("s", "leave.stop.kill")
	case s.view.stops == 1:
		entry("s", "leave.stop.again")
	default:
		entry("s", "leave.stop")
	}
	entry("d", "leave.detach")
	entry("esc", "leave.cancel")
	return out
}
