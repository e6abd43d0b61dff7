package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// savedMsg says what became of a screen that was to be saved.
type savedMsg struct{ note string }

// save writes the screen into a file: a picture, or its text.
func (m *Model) save(ext string) tea.Cmd {
	if m.options.Save == nil {
		return nil
	}
	content, light, lang := m.content, m.background == backgroundLight, m.options.Lang
	keep := m.options.Save
	return func() tea.Msg {
		data := SVG(content, light)
		if ext == ".txt" {
			var lines []string
			for _, l := range strings.Split(ansi.Strip(content), "\n") {
				lines = append(lines, strings.TrimRight(l, " "))
			}
			data = []byte(strings.Join(lines, "\n") + "\n")
		}
		s := scene{lang: lang}
		path, err := keep(ext, data)
		if err != nil {
			return savedMsg{s.say("save.failed", clean(err.Error()))}
		}
		return savedMsg{s.say("save.done", clean(path))}
	}
}
