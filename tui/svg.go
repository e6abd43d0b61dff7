package tui

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Sizes of a picture of a screen, in pixels: of a cell, and of the border around all of them.
const (
	svgCellWidth  = 8.4
	svgCellHeight = 16.4 // of a font of 14 pixels, so that lines of boxes join
	svgBorder     = 12.0
)

// inkOf is how a character is drawn.
type inkOf struct {
	color                string // hexadecimal; empty for the usual one
	bold, faint, reverse bool
}

// SVG is a picture of a screen as it was drawn: the content of [Model.View], without anything that
// must be loaded. light is for terminals with a light background.
func SVG(content string, light bool) []byte {
	lines := strings.Split(content, "\n")
	columns := 0
	for _, l := range lines {
		columns = max(columns, ansi.StringWidth(l))
	}
	paper, text := "#16181d", "#d8dbe2"
	if light {
		paper, text = "#ffffff", "#1f2328"
	}
	w, h := float64(columns)*svgCellWidth+2*svgBorder, float64(len(lines))*svgCellHeight+2*svgBorder
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" width="%.0f" height="%.0f">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	fmt.Fprintf(&b, `<g font-family="ui-monospace, 'DejaVu Sans Mono', 'JetBrains Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', monospace" font-size="14" fill="%s" xml:space="preserve">`+"\n", text)
	for y, l := range lines {
		svgLine(&b, l, y, paper, text)
	}
	b.WriteString("</g>\n</svg>\n")
	return []byte(b.String())
}

// svgLine draws a line: neighbours of the same look together, each piece at its column and as wide
// as its cells, whatever the font is.
func svgLine(b *strings.Builder, line string, y int, paper, text string) {
	var (
		ink, next inkOf
		piece     strings.Builder
		start, x  int
		state     byte
	)
	flush := func() {
		if strings.TrimSpace(piece.String()) != "" || ink.reverse && piece.Len() > 0 {
			svgPiece(b, piece.String(), ink, start, x-start, y, paper, text)
		}
		piece.Reset()
		start = x
	}
	for len(line) > 0 {
		seq, cells, n, after := ansi.DecodeSequence(line, state, nil)
		switch {
		case cells > 0:
			if next != ink || cells > 1 || strings.HasSuffix(piece.String(), "  ") && seq != " " {
				flush()
				ink = next
			}
			piece.WriteString(seq)
			x += cells
			if cells > 1 { // a wide character may be less than two cells wide in a font
				flush()
			}
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			next = next.with(seq[2 : len(seq)-1])
		case seq[0] != 0x1b: // what combines with the character before it
			piece.WriteString(seq)
		}
		line, state = line[n:], after
	}
	flush()
}

// with is the look after an escape sequence for colours and attributes, as this package writes them.
func (k inkOf) with(sgr string) inkOf {
	var codes []int
	for part := range strings.FieldsFuncSeq(sgr, func(r rune) bool { return r == ';' || r == ':' }) {
		n, err := strconv.Atoi(part)
		if err != nil {
			return k
		}
		codes = append(codes, n)
	}
	if len(codes) == 0 {
		return inkOf{}
	}
	for i := 0; i < len(codes); i++ {
		switch c := codes[i]; {
		case c == 0:
			k = inkOf{}
		case c == 1:
			k.bold = true
		case c == 2:
			k.faint = true
		case c == 7:
			k.reverse = true
		case c >= 30 && c <= 37: // on the dark page of an unknown background the bright ones can be read
			k.color = hexOf(ansi.BasicColor(c - 30 + 8))
		case c >= 90 && c <= 97:
			k.color = hexOf(ansi.BasicColor(c - 90 + 8))
		case c == 39:
			k.color = ""
		case c == 38 && i+2 < len(codes) && codes[i+1] == 5:
			k.color = hexOf(ansi.IndexedColor(codes[i+2]))
			i += 2
		}
	}
	return k
}

func hexOf(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// svgPiece draws characters of the same look. Spaces around them are left out: viewers disagree
// whether those have a width.
func svgPiece(b *strings.Builder, piece string, ink inkOf, x, cells, y int, paper, text string) {
	if !ink.reverse {
		trimmed := strings.TrimLeft(piece, " ")
		x, cells = x+len(piece)-len(trimmed), cells-(len(piece)-len(trimmed))
		piece = strings.TrimRight(trimmed, " ")
		cells -= len(trimmed) - len(piece)
	}
	left, top := svgBorder+float64(x)*svgCellWidth, svgBorder+float64(y)*svgCellHeight
	fill := ink.color
	if ink.reverse {
		under := fill
		if under == "" {
			under = text
		}
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, left, top, float64(cells)*svgCellWidth, svgCellHeight, under)
		fill = paper
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs"`, left, top+svgCellHeight*0.78, float64(cells)*svgCellWidth)
	if fill != "" {
		fmt.Fprintf(b, ` fill="%s"`, fill)
	}
	if ink.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if ink.faint {
		b.WriteString(` fill-opacity="0.6"`)
	}
	b.WriteByte('>')
	_ = xml.EscapeText(b, []byte(piece)) // to a builder, which takes everything
	b.WriteString("</text>\n")
}
