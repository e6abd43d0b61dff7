package tui

import "strings"

// frame is how a pane is set off from its neighbours.
type frame uint8

const (
	boxed frame = iota // lines on all sides
	ruled              // a line with the title above
	bare               // nothing
)

// inner is the room inside a frame of w by h cells.
func (f frame) inner(w, h int) (int, int) {
	switch f {
	case boxed:
		return max(0, w-4), max(0, h-2)
	case ruled:
		return max(0, w-2), max(0, h-1)
	}
	return w, h
}

// outer is how much higher a frame is than what it holds.
func (f frame) outer() int { return [...]int{boxed: 2, ruled: 1, bare: 0}[f] }

// caption is what is written on the lines of a frame.
type caption struct {
	title, right, foot string
	focused            bool
}

// draw puts lines into a frame of exactly w by h cells.
func (f frame) draw(t theme, c caption, lines []string, w, h int) []string {
	iw, ih := f.inner(w, h)
	switch {
	case f == bare || h < 2 || w < 8:
		return rect(lines, w, h)
	case f == ruled:
		c.right = joinNotes(c.foot, c.right) // there is no lower edge
		out := []string{t.edge("─", "─", c, w)}
		for _, l := range rect(lines, iw, ih) {
			out = append(out, " "+l+" ")
		}
		return out
	}
	out := make([]string, 0, h)
	out = append(out, t.edge("╭", "╮", c, w))
	side := t.border.Styled("│")
	for _, l := range rect(lines, iw, ih) {
		out = append(out, side+" "+l+" "+side)
	}
	return append(out, t.edge("╰", "╯", caption{title: c.foot}, w))
}

// edge is a horizontal line of w cells with a caption in it.
func (t theme) edge(left, right string, c caption, w int) string {
	line := t.border
	if c.focused {
		line = t.accent
	}
	room := w - 4 // a corner and a dash on both sides
	title, note := "", ""
	if c.title != "" {
		mark, style := "", t.strong
		if c.focused {
			mark, style = "> ", t.accent.Bold()
		}
		if left == "╰" {
			style = t.dim
		}
		title = " " + style.Styled(cut(mark+c.title, room-2)) + " "
	}
	for width(title)+width(c.right)+4 > room && strings.Contains(c.right, " · ") { // the last part matters least
		c.right = c.right[:strings.LastIndex(c.right, " · ")]
	}
	if c.right != "" && width(title)+width(c.right)+4 <= room {
		note = " " + t.dim.Styled(c.right) + " "
	}
	dashes := w - 4 - width(title) - width(note)
	return line.Styled(left+"─") + title + line.Styled(repeat("─", dashes)) + note + line.Styled("─"+right)
}

// repeat is s n times, nothing for a negative n.
func repeat(s string, n int) string {
	out := make([]byte, 0, max(0, n)*len(s))
	for range n {
		out = append(out, s...)
	}
	return string(out)
}
