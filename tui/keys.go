package tui

import (
	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
)

// binding is a line of the table of keys: what is pressed, where it works, what it
// does, and what footer and help say of it. There is no other place that knows
// keys.
type binding struct {
	keys   []string // as bubbletea names them
	shown  string   // as people know them
	ascii  string   // the same in --ascii, if that differs
	on     pages
	footer diagnose.Key // word in the footer; empty for none
	help   diagnose.Key // sentence in the help; empty for none
	many   bool         // in the footer only where there are several runs
	past   bool         // in the footer only while the past is shown
	must   bool         // in the footer before others that do not fit
	name   string       // of the action, in a table that [rebound] made; empty if keys cannot be bound to it
	shared bool         // its keys do this only where they are bound to nothing else
	do     func(*Model) tea.Cmd
}

// bindings is the table, in the order of footer and help.
func bindings() []binding {
	return []binding{
		{keys: []string{"s"}, shown: "s", on: onLeave, footer: "key.stop", must: true, do: (*Model).stopTraining},
		{keys: []string{"d"}, shown: "d", on: onLeave, footer: "key.detach", must: true, do: (*Model).detach},
		{keys: []string{"esc", "backspace"}, shown: "esc", on: onLeave, footer: "key.cancel", must: true, do: (*Model).back},
		{keys: []string{"esc", "backspace"}, shown: "esc", on: onScroll, footer: "key.back", help: "help.back", must: true, do: (*Model).back},
		{keys: []string{"?", "h", "f1"}, shown: "?", on: onAnyPage &^ onHelp, footer: "key.help", help: "help.help", do: (*Model).openHelp},
		{keys: []string{"?", "h", "f1"}, shown: "?", on: onHelp, do: (*Model).back},
		{keys: []string{"enter", "space"}, shown: "⏎", ascii: "enter", on: onMain, footer: "key.explain", help: "help.explain", do: (*Model).explain},
		{keys: []string{"enter"}, on: onText, do: (*Model).back},
		{keys: []string{"enter", "space"}, shown: "⏎", ascii: "enter", on: onRuns, footer: "key.show", help: "help.show", do: (*Model).chooseRun},
		{keys: []string{"/"}, shown: "/", on: onMain | onLog | onDetail, help: "help.search", do: func(m *Model) tea.Cmd { return m.ask(promptSearch) }},
		{shown: "/", on: onLog, footer: "key.search", do: func(m *Model) tea.Cmd { return m.ask(promptSearch) }},
		{keys: []string{"&"}, shown: "&", on: onMain | onLog | onDetail, help: "help.filter", do: func(m *Model) tea.Cmd { return m.ask(promptFilter) }},
		{shown: "&", on: onLog, footer: "key.filter", do: func(m *Model) tea.Cmd { return m.ask(promptFilter) }},
		{keys: []string{"n"}, shown: "n N", on: onLog, footer: "key.next", help: "help.next", do: func(m *Model) tea.Cmd { return m.findLine(1) }},
		{keys: []string{"N"}, on: onLog, do: func(m *Model) tea.Cmd { return m.findLine(-1) }},
		{keys: []string{"home", "g"}, on: onScroll, do: func(m *Model) tea.Cmd { return m.toEnd(-1) }},
		{keys: []string{"end", "G"}, on: onScroll, do: func(m *Model) tea.Cmd { return m.toEnd(1) }},
		{keys: []string{"up", "k"}, shown: "↑ k", ascii: "up k", on: onAnyPage, help: "help.up", do: func(m *Model) tea.Cmd { return m.move(-1) }},
		{keys: []string{"down", "j"}, shown: "↓ j", ascii: "down j", on: onAnyPage, help: "help.down", do: func(m *Model) tea.Cmd { return m.move(1) }},
		{keys: []string{"pgup", "ctrl+u"}, shown: "pgup", on: onAnyPage, help: "help.pgup", do: func(m *Model) tea.Cmd { return m.move(-10) }},
		{keys: []string{"pgdown", "ctrl+d"}, shown: "pgdn", on: onAnyPage, help: "help.pgdn", do: func(m *Model) tea.Cmd { return m.move(10) }},
		{keys: []string{"tab"}, shown: "tab", on: onMain, footer: "key.chart", help: "help.chart", do: func(m *Model) tea.Cmd { return m.turnChart(1) }},
		{keys: []string{"shift+tab"}, on: onMain, do: func(m *Model) tea.Cmd { return m.turnChart(-1) }},
		{keys: []string{"["}, shown: "[ ]", on: onMain, help: "help.window", do: func(m *Model) tea.Cmd { return m.narrow(true) }},
		{keys: []string{"]"}, on: onMain, do: func(m *Model) tea.Cmd { return m.narrow(false) }},
		{keys: []string{"z"}, shown: "z", on: onMain, help: "help.zoom", do: (*Model).turnZoom},
		{keys: []string{"c"}, shown: "c", on: onMain, help: "help.compare", do: (*Model).toggleCompare},
		{keys: []string{"w"}, shown: "w", on: onMain, help: "help.pane", do: func(m *Model) tea.Cmd { return m.turn(1) }},
		{keys: []string{"left"}, shown: "←→", ascii: "left/right", on: onMain | onDetail, footer: "key.time", help: "help.time", do: func(m *Model) tea.Cmd { return m.travel(-1) }},
		{keys: []string{"right"}, on: onMain | onDetail, do: func(m *Model) tea.Cmd { return m.travel(1) }},
		{keys: []string{"shift+left", "<"}, shown: "< >", on: onMain | onDetail, help: "help.time.far", do: func(m *Model) tea.Cmd { return m.travel(-10) }},
		{keys: []string{"shift+right", ">"}, on: onMain | onDetail, do: func(m *Model) tea.Cmd { return m.travel(10) }},
		{keys: []string{"home"}, shown: "home", on: onMain, help: "help.first", do: func(m *Model) tea.Cmd { return m.travel(-1 << 30) }},
		{keys: []string{"end", "G"}, shown: "G", on: onMain, footer: "key.live", help: "help.live", past: true, must: true, do: (*Model).live},
		{keys: []string{"l"}, shown: "l", on: onMain | onDetail, footer: "key.log", help: "help.log", do: (*Model).openLog},
		{keys: []string{"H"}, shown: "H", on: onMain | onDetail, help: "help.history", do: (*Model).openHistory},
		{keys: []string{"r"}, shown: "r", on: onAnyPage &^ onRuns, help: "help.runs", do: (*Model).openRuns},
		{shown: "r", on: onMain, footer: "key.runs", many: true, do: (*Model).openRuns},
		{keys: []string{"n"}, shown: "n", on: onMain | onText, help: "help.run.next", do: func(m *Model) tea.Cmd { return m.otherRun(1) }},
		{keys: []string{"p"}, shown: "p", on: onMain | onText, help: "help.run.previous", do: func(m *Model) tea.Cmd { return m.otherRun(-1) }},
		{keys: []string{"g"}, shown: "g", on: onMain, help: "help.card", do: (*Model).chooseCard},
		{keys: []string{"s"}, shown: "s", on: onAnyPage, help: "help.save", do: func(m *Model) tea.Cmd { return m.save(".svg") }},
		{keys: []string{"S"}, shown: "S", on: onAnyPage, help: "help.save.text", do: func(m *Model) tea.Cmd { return m.save(".txt") }},
		{keys: []string{"m"}, shown: "m", on: onAnyPage, help: "help.mouse", do: (*Model).toggleMouse},
		{keys: []string{"ctrl+z"}, shown: "ctrl-z", on: onAnyPage | onLeave, help: "help.suspend", do: (*Model).suspend},
		{keys: []string{"q", "ctrl+c"}, shown: "q", on: onAnyPage, footer: "key.quit", help: "help.quit", must: true, do: (*Model).quit},
	}
}

// label is how the keys of b are written in footer and help.
func (b binding) label(t theme) string {
	if t.ascii && b.ascii != "" {
		return b.ascii
	}
	return b.shown
}

// dispatch finds what a key does on a page, by a table; nil if nothing.
func dispatch(table []binding, key string, on page) func(*Model) tea.Cmd {
	for _, b := range table {
		if b.on&on.bit() == 0 {
			continue
		}
		for _, k := range b.keys {
			if k == key {
				return b.do
			}
		}
	}
	return nil
}
