package tui

import (
	"yolotop/diagnose"
)

// help lists the keys, from the table that dispatches them, and says what signs,
// marks and words mean.
func (s scene) help(w int) []string {
	t := s.theme
	var out []string
	section := func(key diagnose.Key) {
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, t.strong.Styled(s.say(key)))
	}
	entry := func(head, text string, cells int) {
		for i, l := range wrap(text, max(1, w-cells-4)) {
			if i > 0 {
				head = ""
			}
			out = append(out, "  "+fit(head, cells)+"  "+l)
		}
	}
	const keyCells = 9
	section("help.keys")
	for _, b := range rebound(s.keys) {
		if b.help != "" {
			entry(t.accent.Styled(b.label(t)), s.say(b.help), keyCells)
		}
	}
	section("help.signs")
	for _, m := range []mood{moodOK, moodInfo, moodWarning, moodCritical} {
		entry(t.sign(m), s.say([...]diagnose.Key{moodInfo: "sign.info", moodOK: "sign.ok", moodWarning: "sign.warning", moodCritical: "sign.critical"}[m]), 2)
	}
	section("help.marks")
	for k := diagnose.MarkMosaicClosed; k <= diagnose.MarkOnset; k++ {
		entry(t.moods[markMood(k)].Styled(string(markLetter(k))), s.say(markName(k)), 2)
	}
	section("help.words")
	for _, key := range []diagnose.Key{"help.word.held", "help.word.curve", "help.word.val", "help.word.epoch"} {
		entry("-", s.say(key), 1)
	}
	return append(out, "", t.dim.Styled(s.about))
}
