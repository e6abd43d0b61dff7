package tui

import (
	"math"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// papers are backgrounds that terminals have: pure ones, and those of schemes in wide use.
func papers() map[background][]string {
	return map[background][]string{
		backgroundDark:  {"#000000", "#1e1e1e", "#282a36", "#282c34", "#002b36"},
		backgroundLight: {"#ffffff", "#fafafa", "#fdf6e3"},
	}
}

// colorOf is the colour of a style of a theme for a known background.
func colorOf(t *testing.T, style ansi.Style) colorful.Color {
	t.Helper()
	ink := inkOf{}.with(style.String()[2 : len(style.String())-1])
	c, err := colorful.Hex(ink.color)
	if err != nil {
		t.Fatalf("%q has no colour", style.String())
	}
	return c
}

// luminance is the relative luminance of a colour, by WCAG 2.1.
func luminance(c colorful.Color) float64 {
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// contrast is the contrast ratio of two colours, by WCAG 2.1.
func contrast(a, b colorful.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// dichromat is what a person sees who has no red (protan) or no green (deutan) cones, by Machado,
// Oliveira and Fernandes (2009), severity 1.
func dichromat(c colorful.Color, protan bool) colorful.Color {
	m := [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}
	if protan {
		m = [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}
	}
	r, g, b := c.LinearRgb()
	row := func(k [3]float64) float64 { return math.Min(1, math.Max(0, k[0]*r+k[1]*g+k[2]*b)) }
	return colorful.LinearRgb(row(m[0]), row(m[1]), row(m[2]))
}

// TestContrast promises text of WCAG AA (4.5:1) and graphics of 3:1 on the backgrounds that
// terminals have, and signs whose colours people tell apart who see no red or no green.
func TestContrast(t *testing.T) {
	t.Parallel()
	for bg, all := range papers() {
		th := newTheme(bg, false)
		for _, paper := range all {
			p, err := colorful.Hex(paper)
			if err != nil {
				t.Fatal(err)
			}
			for name, style := range map[string]ansi.Style{
				"dim": th.dim, "accent": th.accent, "info": th.moods[moodInfo], "ok": th.moods[moodOK], "warning": th.moods[moodWarning], "critical": th.moods[moodCritical],
			} {
				if c := contrast(colorOf(t, style), p); c < 4.5 {
					t.Errorf("%s on %s has a contrast of %.2f", name, paper, c)
				}
			}
			for name, style := range map[string]ansi.Style{"curve": th.curve, "spark": th.spark} {
				if c := contrast(colorOf(t, style), p); c < 3 {
					t.Errorf("%s on %s has a contrast of %.2f", name, paper, c)
				}
			}
		}
		moods := []mood{moodOK, moodWarning, moodCritical}
		for _, protan := range []bool{false, true} {
			for i, a := range moods {
				for _, b := range moods[i+1:] {
					d := dichromat(colorOf(t, th.moods[a]), protan).DistanceCIEDE2000(dichromat(colorOf(t, th.moods[b]), protan))
					if d < 0.1 { // 0.01 is what trained eyes just tell apart
						t.Errorf("background %d, protan %v: moods %d and %d differ by %.3f", bg, protan, a, b, d)
					}
				}
			}
		}
	}
}
