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
	shared bool         // its keys do this only where they are bound to nothing else
	do     func(*Model) tea.Cmd
}

// bindings is the table, in the order of footer and help.
func bindings() []binding {
	return []binding{
		{keys: []string{"s"}, shown: "s", on: onLeave, footer: "key.stop", must: true, do: (*Model).stopTraining},
		{keys: []string{"d"}, shown: "d", on: onLeave, footer: "key.detach", must: true, do: (*Model).detach},
		{keys: []string{"esc", "backspace"}, shown: "esc", on: onLeave, footer: "key.cancel", must: true, do: (*Model).back},
		{keys: []string{"esc", "backspace"}, shown: "esc", on: onText, footer: "key.back", help: "help.back", do: (*Model).back},
		{keys: []string{"?", "h", "f1"}, shown: "?", on: onMain | onDetail, footer: "key.help", help: "help.help", do: (*Model).openHelp},
		{keys: []string{"?", "h", "f1"}, shown: "?", on: onHelp, do: (*Model).back},
		{keys: []string{"enter", "space"}, shown: "⏎", ascii: "enter", on: onMain, footer: "key.explain", help: "help.explain", do: (*Model).explain},
		{keys: []string{"enter"}, on: onText, do: (*Model).back},
		{keys: []string{"up", "k"}, shown: "↑ k", ascii: "up k", on: onAnyPage, help: "help.up", do: func(m *Model) tea.Cmd { return m.move(-1) }},
		{keys: []string{"down", "j"}, shown: "↓ j", ascii: "down j", on: onAnyPage, help: "help.down", do: func(m *Model) tea.Cmd { return m.move(1) }},
		{keys: []string{"pgup", "ctrl+u"}, shown: "pgup", on: onAnyPage, help: "help.pgup", do: func(m *Model) tea.Cmd { return m.move(-10) }},
		{keys: []string{"pgdown", "ctrl+d"}, shown: "pgdn", on: onAnyPage, help: "help.pgdn", do: func(m *Model) tea.Cmd { return m.move(10) }},
		{keys: []string{"tab"}, shown: "tab", on: onMain, footer: "key.pane", help: "help.pane", do: func(m *Model) tea.Cmd { return m.turn(1) }},
		{keys: []string{"shift+tab"}, on: onMain, do: func(m *Model) tea.Cmd { return m.turn(-1) }},
		{keys: []string{"left"}, shown: "←→", ascii: "left/right", on: onMain | onDetail, footer: "key.time", help: "help.time", do: func(m *Model) tea.Cmd { return m.travel(-1) }},
		{keys: []string{"right"}, on: onMain | onDetail, do: func(m *Model) tea.Cmd { return m.travel(1) }},
		{keys: []string{"shift+left", "<"}, shown: "< >", on: onMain | onDetail, help: "help.time.far", do: func(m *Model) tea.Cmd { return m.travel(-10) }},
		{keys: []string{"shift+right", ">"}, on: onMain | onDetail, do: func(m *Model) tea.Cmd { return m.travel(10) }},
		{keys: []string{"home"}, shown: "home", on: onMain | onDetail, help: "help.first", do: func(m *Model) tea.Cmd { return m.travel(-1 << 30) }},
		{keys: []string{"end", "G"}, shown: "G", on: onMain | onDetail, footer: "key.live", help: "help.live", past: true, must: true, do: (*Model).live},
		{keys: []string{"n", "]"}, shown: "n", on: onAnyPage, help: "help.run.next", do: func(m *Model) tea.Cmd { return m.otherRun(1) }},
		{keys: []string{"p", "["}, shown: "p", on: onAnyPage, help: "help.run.previous", do: func(m *Model) tea.Cmd { return m.otherRun(-1) }},
		{shown: "n p", on: onAnyPage, footer: "key.run", many: true},
		{keys: []string{"g"}, shown: "g", on: onMain, help: "help.card", do: (*Model).chooseCard},
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
