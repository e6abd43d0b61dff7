package tui

import (
	"slices"
	"strconv"

	"yolotop/diagnose"
)

// logLines are the lines of the log up to the moment shown.
func (s scene) logLines() []diagnose.LogLine {
	if s.run == nil {
		return nil
	}
	lines := s.run.Log
	if s.live() {
		return lines
	}
	st := stat(s.run, s.view.cursor)
	if st == nil || st.Moment.Line == 0 {
		return lines
	}
	after := slices.IndexFunc(lines, func(l diagnose.LogLine) bool {
		return l.Input == st.Moment.Input && l.Line > st.Moment.Line
	})
	if after < 0 {
		return lines
	}
	return lines[:after]
}

// lineDigits is how many cells the numbers of lines take.
func lineDigits(lines []diagnose.LogLine) int {
	most := 0
	for _, l := range lines {
		most = max(most, l.Line)
	}
	return len(strconv.Itoa(most))
}

// lineNumber is the number of a line; what yolotop has written itself has none.
func (s scene) lineNumber(l diagnose.LogLine, digits int) string {
	if l.Line == 0 {
		return spaces(digits)
	}
	return s.theme.dim.Styled(fitRight(strconv.Itoa(l.Line), digits))
}

// logPane is the tail of what the trainer printed beside its rows.
func (s scene) logPane(w, h int) (caption, []string) {
	c := caption{title: s.say("pane.log"), focused: s.view.focus == paneLog}
	lines := s.logLines()
	if len(lines) == 0 {
		if s.starting() {
			return c, []string{s.theme.dim.Styled(s.say("log.empty"))}
		}
		return c, []string{s.theme.dim.Styled(s.say("log.none"))}
	}
	below := min(max(0, s.view.scroll[paneLog]), max(0, len(lines)-h))
	end := len(lines) - below
	lines = lines[max(0, end-h):end]
	if below > 0 {
		c.right = s.say("log.below", below)
	}
	digits := lineDigits(lines)
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		text := clean(l.Text)
		mark := "  "
		if l.Grave {
			mark = s.theme.moods[moodWarning].Styled("! ")
		}
		if w >= 60 {
			mark = s.lineNumber(l, digits) + " " + mark
		}
		text = cut(text, w-width(mark))
		if l.Grave {
			text = s.theme.moods[moodWarning].Styled(text)
		}
		out = append(out, mark+text)
	}
	return c, out
}
