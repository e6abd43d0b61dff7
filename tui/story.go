package tui

import (
	"strings"

	"yolotop/diagnose"
)

// storyCells is how wide the story is at most: longer lines are hard to read.
const storyCells = 110

// storyLines is what became of a run that has ended, in one paragraph; nothing while it goes on, or
// the past is shown.
func (s scene) storyLines(w int) []string {
	if s.run == nil || !s.live() {
		return nil
	}
	var parts []string
	for _, m := range s.run.Story() {
		parts = append(parts, clean(m.In(s.lang)))
	}
	return wrap(strings.Join(parts, diagnose.SentenceGap(s.lang)), min(w, storyCells))
}
