package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// ASCII is a text, which may have colours, without characters whose width terminals disagree about.
func ASCII(s string) string { return toASCII(s) }

// toASCII replaces everything of one cell that is not ASCII by a character that
// is, so that nothing of ambiguous width is left; wide characters stay, since no
// terminal disagrees about them. It goes by what terminals draw as one, so that a
// line stays as wide as it was.
func toASCII(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	var state byte
	begun := false // something stands in this line before
	for len(s) > 0 {
		seq, cells, n, next := ansi.DecodeSequence(s, state, nil)
		r, size := utf8.DecodeRuneInString(seq)
		switch {
		case r < 0x80 && (size == len(seq) || r == 0x1b):
			out.WriteString(seq)
			begun = r != '\n' && (begun || r > ' ')
		case r == '·' && !begun: // a sign, not what stands between two parts
			out.WriteByte('-')
			begun = true
		case cells == 2 && size == len(seq):
			out.WriteString(seq)
			begun = true
		case cells == 1 && size == len(seq):
			out.WriteRune(asciiFor(r))
			begun = true
		default:
			out.WriteString(repeat("?", cells))
			begun = begun || cells > 0
		}
		s, state = s[n:], next
	}
	return out.String()
}

// asciiFor is what stands for a character of one cell.
func asciiFor(r rune) rune {
	switch {
	case strings.ContainsRune("─╴╶←", r):
		return '-'
	case r == '━':
		return '#'
	case r == '╌':
		return '='
	case strings.ContainsRune("│┃┊╎┤·", r):
		return '|'
	case r >= 0x2500 && r <= 0x257f:
		return '+'
	case r >= '▁' && r <= '█':
		return rune("_.,-=+*#"[r-'▁'])
	case r == '…':
		return '~'
	case r == '×':
		return 'x'
	}
	return '?'
}
