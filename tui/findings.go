package tui

import (
	"strconv"
	"strings"

	"yolotop/diagnose"
)

// kindCells is the width of the column with the kinds; the longest one is
// "other-process".
const kindCells = 13

// findingsPane lists what is wrong, below what has happened while nobody looked.
func (s scene) findingsPane(w, h int) (caption, []string) {
	note := s.sinceNote()
	if note == "" || h < 2 {
		return s.findingsList(w, h)
	}
	c, lines := s.findingsList(w, h-1)
	return c, append([]string{s.theme.strong.Styled(cut(note, w))}, lines...)
}

// findingsList lists what is wrong, the gravest first; the reason stands below
// where there is room for all of them.
func (s scene) findingsList(w, h int) (caption, []string) {
	found := s.findings()
	c := caption{title: s.say("pane.findings"), focused: s.view.focus == paneFindings}
	if len(found) == 0 {
		return c, []string{s.theme.dim.Styled(s.say("findings.none"))}
	}
	if lines := s.narrowFindings(w); w < 58 && len(lines) <= h {
		return c, lines
	}
	per := 1
	if h >= 2*len(found) && w >= 60 {
		per = 2
	}
	fits := max(1, h/per)
	from := min(max(0, s.view.finding-fits+1), max(0, len(found)-fits))
	if len(found) > fits {
		c.right = s.say("findings.more", from+1, min(len(found), from+fits), len(found))
	}
	var out []string
	for i := from; i < min(len(found), from+fits); i++ {
		out = append(out, s.findingLine(found[i], w, i == s.view.finding && len(found) > 1))
		if per == 2 {
			out = append(out, spaces(kindCells+width(s.theme.glyph(0))+4)+s.theme.dim.Styled(cut(s.reason(found[i]), w-kindCells-6)))
		}
	}
	return c, out
}

// reason is why a finding is true; of the past only since when, as the numbers are of now.
func (s scene) reason(f *diagnose.Finding) string {
	if !s.live() {
		return s.say("detail.first", s.moment(f.First))
	}
	return clean(f.Because.In(s.lang))
}

// narrowFindings are the findings in a narrow pane, two lines for each at most.
func (s scene) narrowFindings(w int) []string {
	var out []string
	found := s.findings()
	for i, f := range found {
		first := s.findingLine(f, w, i == s.view.finding && len(found) > 1)
		text := wrap(s.title(f), w-s.findingIndent())
		if len(text) < 2 || f.Provisional {
			out = append(out, first)
			continue
		}
		mark := "  "
		if i == s.view.finding && len(found) > 1 {
			mark = s.theme.accent.Styled("> ")
		}
		mood := levelMood(f.Level)
		out = append(out, mark+s.theme.sign(mood)+" "+text[0],
			spaces(s.findingIndent())+cut(strings.Join(text[1:], " "), w-s.findingIndent()))
	}
	return out
}

// findingIndent is where the text of a finding begins in a narrow pane.
func (s scene) findingIndent() int { return 3 + width(s.theme.glyph(moodInfo)) }

// findingLine is one finding: a mark if it is the selected one, its sign, its kind
// and what it says.
func (s scene) findingLine(f *diagnose.Finding, w int, selected bool) string {
	t := s.theme
	mark, style := "  ", t.moods[levelMood(f.Level)]
	if selected {
		mark = t.accent.Styled("> ")
	}
	title := s.title(f)
	if f.Provisional {
		title = s.say("verdict.provisional", title)
	}
	kind := fit(string(f.Kind), kindCells)
	if w < 60 {
		kind = string(f.Kind)
	}
	line := mark + t.sign(levelMood(f.Level)) + " " + style.Styled(kind) + " "
	if w < 60 {
		line = mark + t.sign(levelMood(f.Level)) + " "
	}
	return line + cut(title, w-width(line))
}

// selected is the finding that Enter explains; nil if there is none.
func (s scene) selected() *diagnose.Finding {
	found := s.findings()
	if len(found) == 0 {
		return nil
	}
	return found[min(max(0, s.view.finding), len(found)-1)]
}

// moment says where in the run and its inputs something was seen.
func (s scene) moment(m diagnose.Moment) string {
	var parts []string
	if m.Iter > 0 {
		parts = append(parts, s.say("at.iteration", m.Iter))
	} else if m.Epoch > 0 {
		parts = append(parts, s.say("moment.epoch", m.Epoch))
	}
	if m.Line > 0 {
		parts = append(parts, s.say("moment.line", s.inputName(m.Input), strconv.Itoa(m.Line)))
	}
	if m.HasRun && m.Run > 0 {
		parts = append(parts, s.say("moment.run", m.Run))
	}
	return joinFitting(parts, 1<<10)
}
