package tui

import (
	"slices"
	"strings"

	"yolotop/diagnose"
	"yolotop/parse"
)

// inputName is the name of an input for people.
func (s scene) inputName(i int) string {
	if s.snap == nil || i < 0 || i >= len(s.snap.Inputs) {
		return ""
	}
	return base(s.snap.Inputs[i].Name)
}

// sources says what cannot be read, what is waited for, and what the shown run is
// read from.
func (s scene) sources() (parts []string, troubled bool) {
	if s.snap == nil {
		return nil, false
	}
	var calm []string
	mine := func(i int) bool { return s.run == nil || !s.run.Known || slices.Contains(s.run.Inputs, i) }
	for i := range s.snap.Inputs {
		name := s.inputName(i)
		state := parse.SourceState{Status: parse.SourceReading}
		if i < len(s.snap.Sources) {
			state = s.snap.Sources[i]
		}
		switch state.Status {
		case parse.SourceWaiting:
			if state.Name == "" { // it has not said anything yet
				calm = append(calm, name)
				continue
			}
			parts = append(parts, s.say("source.waiting", name))
		case parse.SourceFailed:
			troubled = true
			text := s.say("source.failed", name)
			if state.Why != "" {
				text += ": " + clean(state.Why)
			}
			parts = append(parts, text)
		case parse.SourceEnded:
			if name == diagnose.StandardInput {
				calm = append(calm, s.say("source.pipe.ended"))
			} else if mine(i) {
				calm = append(calm, name)
			}
		default:
			if mine(i) {
				calm = append(calm, name)
			}
		}
	}
	return append(parts, calm...), troubled
}

// footerLine shows the keys of the page and, at the right, the sources.
func (s scene) footerLine(w int) string {
	t := s.theme
	if s.view.page == pageLog && s.view.log.prompt != promptNone {
		return s.promptLine(w)
	}
	if s.view.note != "" {
		return fit(" "+t.strong.Styled(cut(s.view.note, w-2)), w)
	}
	right, troubled := s.footerNote(w)
	style := t.dim
	if troubled {
		style = t.moods[moodWarning]
	}
	left := ""
	for _, b := range s.footerKeys(w - width(right) - 3) {
		left += t.strong.Styled(b.label(t)) + " " + t.dim.Styled(s.say(b.footer)) + "  "
	}
	return fit(ends(" "+left, style.Styled(right)+" ", w), w)
}

// footerNote is what is read, at the right of the footer.
func (s scene) footerNote(w int) (right string, troubled bool) {
	parts, troubled := s.sources()
	if r := s.runOf(); r != "" {
		parts = append([]string{joinNotes(r, s.otherTrouble())}, parts...)
	}
	if s.label != "" {
		parts = append(parts, s.label)
	}
	limit := w / 3
	if troubled {
		limit = w / 2
	}
	right = joinFitting(parts, limit)
	if w < 60 && !troubled {
		right = ""
	}
	return right, troubled
}

// otherTrouble says how many of the other runs are in trouble, since the first line is of one run.
func (s scene) otherTrouble() string {
	grave, warned := 0, 0
	for i := range s.runs {
		if i == s.index {
			continue
		}
		switch s.of(i).verdict().mood {
		case moodCritical:
			grave++
		case moodWarning:
			warned++
		}
	}
	t, out := s.theme, ""
	if grave > 0 {
		out = strings.TrimSpace(t.glyph(moodCritical)) + " " + s.say("footer.others", grave)
	} else if warned > 0 {
		out = strings.TrimSpace(t.glyph(moodWarning)) + " " + s.say("footer.others", warned)
	}
	return out
}

// footerRoom is how many cells the footer has for its keys.
func (s scene) footerRoom(w int) int {
	right, _ := s.footerNote(w)
	return w - width(right) - 3
}

// idle reports whether a key has nothing to do here.
func (s scene) idle(key diagnose.Key) bool {
	switch key {
	case "key.chart":
		return s.starting()
	case "key.time":
		return s.starting() || s.run.Epoch <= max(1, s.run.FirstEpoch) && !s.run.Stepwise
	case "key.explain":
		return len(s.findings()) == 0
	}
	return false
}

// footerKeys are the keys of the page that fit into w cells; those that must be
// there are counted first.
func (s scene) footerKeys(w int) []binding {
	table := rebound(s.keys)
	fits := make([]bool, len(table))
	used := 1
	for _, must := range []bool{true, false} {
		for i, b := range table {
			if b.must != must || s.idle(b.footer) || b.footer == "" || b.on&s.view.page.bit() == 0 || b.many && len(s.runs) < 2 || b.past && s.live() {
				continue
			}
			if cells := width(b.label(s.theme)) + 1 + width(s.say(b.footer)) + 2; used+cells <= w {
				used += cells
				fits[i] = true
			}
		}
	}
	var out []binding
	for i, b := range table {
		if fits[i] {
			out = append(out, b)
		}
	}
	return out
}
