package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// wrap breaks s into lines of at most w cells: at spaces, and between the letters of scripts
// that have none (UAX #14). A word is only broken where it is longer than a line.
func wrap(s string, w int) []string {
	if w <= 0 || s == "" {
		return nil
	}
	var lines []string
	line := ""
	for _, p := range pieces(s) {
		word := strings.TrimRight(p, " ")
		if width(line)+width(word) > w && line != "" {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		if width(word) <= w {
			line += p
			continue
		}
		broken := strings.Split(ansi.Hardwrap(word, w, true), "\n")
		lines = append(lines, broken[:len(broken)-1]...)
		line = broken[len(broken)-1] + p[len(word):]
	}
	return append(lines, strings.TrimRight(line, " "))
}

// pieces cuts s where a line may be broken. Commands and paths stay whole, though they hold
// characters behind which a line of prose may be broken.
func pieces(s string) (out []string) {
	state := -1
	for s != "" {
		var p string
		p, s, _, state = uniseg.FirstLineSegmentInString(s, state)
		p = strings.Trim(p, "\r\n")
		if n := len(out); n > 0 && p != "" && p[0] < utf8.RuneSelf && !strings.HasSuffix(out[n-1], " ") && out[n-1][len(out[n-1])-1] < utf8.RuneSelf {
			out[n-1] += p
		} else if p != "" {
			out = append(out, p)
		}
	}
	return out
}
