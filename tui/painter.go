package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// painter collects styled characters and writes the escapes of a style once for
// neighbours that share it.
type painter struct {
	out   strings.Builder
	style ansi.Style
	run   strings.Builder
}

// put adds one character; a nil style leaves it as it is.
func (p *painter) put(style ansi.Style, r rune) {
	if !slices.Equal(style, p.style) {
		p.flush()
		p.style = style
	}
	p.run.WriteRune(r)
}

// add adds a text.
func (p *painter) add(style ansi.Style, text string) {
	for _, r := range text {
		p.put(style, r)
	}
}

func (p *painter) flush() {
	p.out.WriteString(p.style.Styled(p.run.String()))
	p.run.Reset()
}

// String is the line so far.
func (p *painter) String() string {
	p.flush()
	return p.out.String()
}
