package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes a text from outside, such as the name of a file, safe to print on a
// terminal: one line without control characters.
func Clean(s string) string { return clean(s) }

// clean makes text from a log, a file name or a setting safe to draw: one line,
// without escapes, control characters, marks that reorder text, or joiners and
// selectors that terminals measure differently. parse takes escapes out already;
// nothing here relies on it.
func clean(s string) string {
	if plain(s) {
		return s
	}
	s = ansi.Strip(strings.ToValidUTF8(s, "?"))
	start := true
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			r = ' '
		case r < ' ', r >= 0x7f && r < 0xa0, r == utf8.RuneError:
			return -1
		case unicode.In(r, unicode.Cf, unicode.Cs, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector):
			return -1
		case r >= 0x1f1e6 && r <= 0x1f1ff: // halves of flags: their width depends on the neighbour
			return '?'
		case prepends(r):
			r = '?'
		case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones
			return -1
		case start && unicode.In(r, unicode.M):
			return -1
		}
		start = r == ' '
		return r
	}, s)
	return s
}

// prepends reports whether a letter is drawn as one with what follows it, a space included (Unicode's
// Grapheme_Cluster_Break=Prepend, without the format characters that clean takes out anyhow).
func prepends(r rune) bool {
	switch r {
	case 0x0d4e, 0x111c2, 0x111c3, 0x113d1, 0x1193f, 0x11941, 0x11a3a, 0x11d46, 0x11f02:
		return true
	}
	return r >= 0x11a84 && r <= 0x11a89
}

// plain reports whether s is printable ASCII, as nearly everything is.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// width is how many cells s takes, escapes not counted.
func width(s string) int {
	if n, ok := simpleWidth(s); ok {
		return n
	}
	return ansi.StringWidth(s)
}

// simpleWidth is the width of what screens mostly consist of: ASCII, lines, blocks and signs, and
// escapes for colours, none of which ever joins its neighbour. ok is false for anything else.
func simpleWidth(s string) (n int, ok bool) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= ' ' && c <= '~':
			n++
			i++
		case c == 0x1b:
			end := strings.IndexByte(s[i:], 'm')
			if end < 2 || s[i+1] != '[' || strings.Trim(s[i+2:i+end], "0123456789;") != "" {
				return 0, false
			}
			i += end + 1
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if (r < 0x2500 || r > 0x259f) && !strings.ContainsRune("·…×✓°↑↓←→⏎", r) {
				return 0, false
			}
			n++
			i += size
		default:
			return 0, false
		}
	}
	return n, true
}

// cut shortens s to at most w cells.
func cut(s string, w int) string {
	switch {
	case w <= 0:
		return ""
	case width(s) <= w:
		return s
	}
	return ansi.Truncate(s, w, "…")
}

// fit cuts or pads s to exactly w cells.
func fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	s = cut(s, w)
	return s + spaces(w-width(s))
}

// fitRight is fit with the padding on the left.
func fitRight(s string, w int) string {
	if w <= 0 {
		return ""
	}
	s = cut(s, w)
	return spaces(w-width(s)) + s
}

// ends puts left and right at the two ends of w cells; where both do not fit,
// right gives way.
func ends(left, right string, w int) string {
	room := w - width(left) - width(right)
	if right == "" || room < 1 {
		return fit(left, w)
	}
	return left + spaces(room) + right
}

// spaces are n spaces, none for a negative n.
func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// joinFitting joins the leading parts that fit into w cells with " · "; the first
// one is always there and cut if need be.
func joinFitting(parts []string, w int) string {
	out := ""
	for _, p := range parts {
		switch {
		case p == "":
			continue
		case out == "":
			out = cut(p, w)
		case width(out)+3+width(p) <= w:
			out += " · " + p
		default:
			if room := w - width(out) - 3; room >= 24 && width(p) > 40 {
				out += " · " + cut(p, room) // most of a sentence is better than nothing
			}
			return out
		}
	}
	return out
}

// rect makes exactly h lines of exactly w cells out of lines.
func rect(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	for i := range out {
		if i < len(lines) {
			out[i] = fit(lines[i], w)
		} else {
			out[i] = spaces(w)
		}
	}
	return out
}
