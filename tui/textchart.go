package tui

import (
	"strings"

	"yolotop/diagnose"
)

// MemoryChart is the curve of a run's memory as characters without colour: a title, w by h
// cells of curve and axis, and what its marks mean. It is empty where nothing was measured.
func MemoryChart(run *diagnose.Run, lang diagnose.Lang, w, h int) string {
	s := scene{run: run, lang: lang, snap: &diagnose.Snapshot{}, theme: theme{}}
	if series, _ := s.memoryCurve(); series == nil || !run.HasRows() {
		return ""
	}
	c, lines := s.memory(w, h)
	head := []string{c.title}
	if c.right != "" {
		head[0] += " · " + c.right
	}
	if c.foot != "" {
		lines = append(lines, c.foot)
	}
	out := append(head, lines...)
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return strings.Join(out, "\n")
}
