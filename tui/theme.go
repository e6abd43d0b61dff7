package tui

import (
	"github.com/charmbracelet/x/ansi"
)

// mood is what a sign says. It is never said by colour alone.
type mood uint8

const (
	moodInfo mood = iota // nothing to say yet, or worth knowing
	moodOK
	moodWarning
	moodCritical
)

// background is what is known of the terminal's background.
type background uint8

const (
	backgroundUnknown background = iota
	backgroundDark
	backgroundLight
)

// theme is how things look. Without colours (NO_COLOR, a dumb profile) the
// renderer takes them out, so every style also differs in its signs or words.
type theme struct {
	ascii bool

	strong ansi.Style // what must be read first
	dim    ansi.Style // labels, units, what is always there
	border ansi.Style
	accent ansi.Style // the pane with the focus, the cursor in time
	curve  ansi.Style // memory
	spark  ansi.Style // small curves
	moods  [4]ansi.Style
}

// newTheme makes the theme for a background. A teal for what is well, since people who see no red or
// no green take it for neither of the others. While that is not known, the 16
// colours are used that the terminal's own scheme keeps readable.
func newTheme(bg background, ascii bool) theme {
	var dim, border, accent, curve, spark, ok, warning, critical ansi.Color
	switch bg {
	case backgroundDark:
		dim, border, accent, curve, spark = ansi.IndexedColor(246), ansi.IndexedColor(240), ansi.IndexedColor(81), ansi.IndexedColor(75), ansi.IndexedColor(110)
		ok, warning, critical = ansi.IndexedColor(43), ansi.IndexedColor(221), ansi.IndexedColor(203)
	case backgroundLight:
		dim, border, accent, curve, spark = ansi.IndexedColor(241), ansi.IndexedColor(250), ansi.IndexedColor(25), ansi.IndexedColor(26), ansi.IndexedColor(67)
		ok, warning, critical = ansi.IndexedColor(23), ansi.IndexedColor(94), ansi.IndexedColor(125)
	default:
		accent, curve, spark = ansi.Cyan, ansi.Cyan, ansi.Cyan // blue is hard to read on black
		ok, warning, critical = ansi.Green, ansi.Yellow, ansi.Red
	}
	in := func(c ansi.Color) ansi.Style {
		if c == nil { // bright black is the background in some schemes
			return ansi.Style{}.Faint()
		}
		return ansi.Style{}.ForegroundColor(c)
	}
	return theme{
		ascii: ascii, strong: ansi.Style{}.Bold(), dim: in(dim), border: in(border),
		accent: in(accent), curve: in(curve), spark: in(spark),
		moods: [4]ansi.Style{moodInfo: in(accent), moodOK: in(ok), moodWarning: in(warning), moodCritical: in(critical)},
	}
}

// styled is text in a style; nothing stays nothing.
func styled(style ansi.Style, text string) string {
	if text == "" {
		return ""
	}
	return style.Styled(text)
}

// glyph is the bare sign of a mood; all signs of a theme are equally wide.
func (t theme) glyph(m mood) string {
	if t.ascii {
		return [...]string{moodInfo: "- ", moodOK: "ok", moodWarning: "! ", moodCritical: "x "}[m]
	}
	return [...]string{moodInfo: "·", moodOK: "✓", moodWarning: "!", moodCritical: "×"}[m]
}

// guessRune draws what is expected.
func (t theme) guessRune() rune {
	if t.ascii {
		return 'o'
	}
	return '·'
}

// sign is the coloured sign of a mood.
func (t theme) sign(m mood) string { return t.moods[m].Bold().Styled(t.glyph(m)) }
