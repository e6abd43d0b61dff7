package main

import (
	"bytes"
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pen draws lines and words. Only gonum's canvases are used and not its plots, which would
// link a PDF writer, TeX and twelve fonts.
type pen struct{ handler text.Plain }

// newPen makes a pen with the one font that it writes with.
var newPen = sync.OnceValues(func() (pen, error) {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		return pen{}, fmt.Errorf("read the font: %w", err)
	}
	return pen{text.Plain{Fonts: font.NewCache(font.Collection{{Font: sans(0), Face: face}})}}, nil
})

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

type ink uint8

// The inks of words.
const (
	inkStrong ink = iota
	inkSoft
	inkGrave
)

func (i ink) color() color.Color {
	return [...]color.Color{grey(0x1a), grey(0x55), color.NRGBA{0xb0, 0x1e, 0x1e, 0xff}}[i]
}

func grey(v uint8) color.Color { return color.NRGBA{v, v, v, 0xff} }

type line uint8

// The lines that are no curves.
const (
	lineGrid line = iota
	lineAxis
	lineLevel
	lineMark
	lineGrave
	lineBest
)

func (l line) style() draw.LineStyle {
	red := inkGrave.color()
	return [...]draw.LineStyle{
		{Color: grey(0xe4), Width: 0.5},
		{Color: grey(0x88), Width: 0.7},
		{Color: red, Width: 1.1, Dashes: []vg.Length{6, 3}},
		{Color: grey(0x77), Width: 0.8, Dashes: []vg.Length{2, 2}},
		{Color: red, Width: 1.1, Dashes: []vg.Length{2, 2}},
		{Color: grey(0x99), Width: 0.8, Dashes: []vg.Length{1, 3}},
	}[l]
}

// metricLook is that of the small charts of metrics: alone, and in one piece.
const metricLook = looks

// looks is how many curves can be told apart, by colour and by dashes.
const looks = 8

// curveColor is a colour that people who see few colours can tell from its neighbours, too
// (Okabe and Ito), darkened where it would be pale on white.
func curveColor(look int) color.NRGBA {
	return [looks]color.NRGBA{
		{0x00, 0x5f, 0x9e, 0xff},
		{0xc2, 0x4f, 0x00, 0xff},
		{0x00, 0x7d, 0x5b, 0xff},
		{0xa8, 0x4f, 0x86, 0xff},
		{0x9a, 0x6a, 0x00, 0xff},
		{0x2f, 0x8f, 0xc4, 0xff},
		{0x33, 0x33, 0x33, 0xff},
		{0x6b, 0x5b, 0xc0, 0xff},
	}[curveHue(look)]
}

// curveHue is the colour of a look; the one beyond the dashes is a second without them.
func curveHue(look int) int {
	if look == metricLook {
		return 2
	}
	return look % looks
}

func curveStyle(look int) draw.LineStyle {
	dashes := [looks][]vg.Length{nil, {7, 2}, {3, 2}, {8, 2, 2, 2}, {1, 2}, {10, 4}, {4, 1}, {6, 2, 1, 2, 1, 2}}
	return draw.LineStyle{Color: curveColor(look), Width: 1.4, Dashes: dashes[look%looks]}
}

func (p pen) line(c draw.Canvas, l line, points ...vg.Point) { c.StrokeLines(l.style(), points) }

func (p pen) curve(c draw.Canvas, look int, points []vg.Point) {
	c.StrokeLines(curveStyle(look), points)
}

func (p pen) band(c draw.Canvas, look int, points []vg.Point) {
	pale := curveColor(look)
	pale.A = 0x38
	c.FillPolygon(pale, points)
}

func (p pen) dot(c draw.Canvas, look int, at vg.Point, radius vg.Length) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: curveColor(look), Radius: radius, Shape: draw.CircleGlyph{}}, at)
}

func (p pen) style(size vg.Length, i ink, align float64) draw.TextStyle {
	return draw.TextStyle{Color: i.color(), Font: sans(size), XAlign: text.XAlignment(align), YAlign: draw.YBottom, Handler: p.handler}
}

// text writes s with its left end at x and its base a little above y.
func (p pen) text(c draw.Canvas, x, y, size vg.Length, i ink, s string) {
	c.FillText(p.style(size, i, 0), vg.Point{X: x, Y: y}, plainLetters(s))
}

func (p pen) textRight(c draw.Canvas, x, y, size vg.Length, i ink, s string) {
	c.FillText(p.style(size, i, -1), vg.Point{X: x, Y: y}, plainLetters(s))
}

func (p pen) textCentre(c draw.Canvas, x, y, size vg.Length, i ink, s string) {
	c.FillText(p.style(size, i, -0.5), vg.Point{X: x, Y: y}, plainLetters(s))
}

// width is how wide s is in points.
func (p pen) width(s string, size vg.Length) vg.Length {
	return p.style(size, inkSoft, 0).Width(plainLetters(s))
}

// fitText is s, cut where it is wider than there is room.
func fitText(p pen, s string, size, room vg.Length) string {
	runes := []rune(s)
	if len(runes) > 400 {
		runes = runes[:400]
	}
	for n := len(runes); n > 0; n-- {
		t := string(runes[:n])
		if n < len([]rune(s)) {
			t += "..."
		}
		if p.width(t, size) <= room {
			return t
		}
	}
	return ""
}

// plainLetters is s with a question mark for each letter that the font lacks.
func plainLetters(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r > 0x17f && r != '…' && r != '–':
			return '?'
		}
		return r
	}, s)
}

// vectors is a drawing as a document of its own.
func vectors(w, h vg.Length, label string, drawing func(pen, draw.Canvas)) (string, error) {
	p, err := newPen()
	if err != nil {
		return "", err
	}
	canvas := vgsvg.New(w, h)
	drawing(p, draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", fmt.Errorf("draw: %w", err)
	}
	_, body, ok := strings.Cut(b.String(), "xlink\">")
	if !ok {
		return "", fmt.Errorf("draw: no picture came out")
	}
	body = fontFamily.ReplaceAllString(body, "font-family:'Liberation Sans',Arimo,Helvetica,Arial,sans-serif")
	label = svgEscape.Replace(label)
	return fmt.Sprintf("<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"%s\">\n<title>%s</title>%s",
		w.Points(), h.Points(), label, label, strings.TrimRight(body, "\n")), nil
}

var (
	fontFamily = regexp.MustCompile(`font-family:[^;"]*`)
	svgEscape  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
)

// pictureDPI makes a picture sharp on today's screens.
const pictureDPI = 144

// pixels is a drawing as pixels on white.
func pixels(w, h vg.Length, drawing func(pen, draw.Canvas)) ([]byte, error) {
	p, err := newPen()
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pictureDPI), vgimg.UseBackgroundColor(color.White))
	drawing(p, draw.New(canvas))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	return b.Bytes(), nil
}
