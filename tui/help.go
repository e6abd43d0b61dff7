package tui

import (
	"yolotop/diagnose"
)

// helpBeside is from which width on the words stand beside the keys.
const helpBeside = 100

// help lists the keys, from the table that dispatches them, and says what signs,
// marks and words mean.
func (s scene) help(w int) []string {
	keys, words := s.helpKeys(w), s.helpWords(w)
	if w < helpBeside {
		return append(append(keys, ""), words...)
	}
	left := w / 2
	keys, words = s.helpKeys(left-2), s.helpWords(w-left)
	out := make([]string, max(len(keys), len(words)))
	for i := range out {
		a, b := "", ""
		if i < len(keys) {
			a = keys[i]
		}
		if i < len(words) {
			b = words[i]
		}
		out[i] = fit(a, left) + b
	}
	return out
}

// helpEntry is a line of the help, in more lines where it must be.
func helpEntry(head, text string, cells, w int) (out []string) {
	for i, l := range wrap(text, max(1, w-cells-4)) {
		if i > 0 {
			head = ""
		}
		out = append(out, "  "+fit(head, cells)+"  "+l)
	}
	return out
}

// helpKeys lists the keys.
func (s scene) helpKeys(w int) []string {
	const keyCells = 9
	out := []string{s.theme.strong.Styled(s.say("help.keys"))}
	for _, b := range rebound(s.keys) {
		if b.help != "" {
			out = append(out, helpEntry(s.theme.accent.Styled(b.label(s.theme)), s.say(b.help), keyCells, w)...)
		}
	}
	return out
}

// helpWords says what signs, marks and words mean.
func (s scene) helpWords(w int) []string {
	t := s.theme
	out := []string{t.strong.Styled(s.say("help.signs"))}
	for _, m := range []mood{moodOK, moodInfo, moodWarning, moodCritical} {
		out = append(out, helpEntry(t.sign(m), s.say([...]diagnose.Key{moodInfo: "sign.info", moodOK: "sign.ok", moodWarning: "sign.warning", moodCritical: "sign.critical"}[m]), 2, w)...)
	}
	out = append(out, "", t.strong.Styled(s.say("help.marks")))
	for k := diagnose.MarkMosaicClosed; k <= diagnose.MarkOnset; k++ {
		out = append(out, helpEntry(t.moods[markMood(k)].Styled(string(markLetter(k))), s.say(markName(k)), 2, w)...)
	}
	out = append(out, "", t.strong.Styled(s.say("help.words")))
	for _, key := range []diagnose.Key{"help.word.held", "help.word.curve", "help.word.val", "help.word.epoch"} {
		out = append(out, helpEntry("-", s.say(key), 1, w)...)
	}
	return append(out, "", t.dim.Styled(s.about))
}
