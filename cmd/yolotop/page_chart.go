package main

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"yolotop/diagnose"
)

// chart is a picture of curves over epochs. Its words are ASCII and English in each
// language: the fonts that travel with the binary have no Chinese letters, so what a
// reader needs in Chinese stands in the page around it.
type chart struct {
	title  string
	width  vg.Length
	height vg.Length

	from, to  float64 // the horizontal axis, in xUnit
	xUnit     string
	low, high float64 // the vertical axis

	curves []curve
	levels []chartLevel
	marks  []chartMark
	best   float64 // the best epoch; 0 if there is none
	legend bool
}

// curve is a line through the greatest values, above a band down to the least ones: a
// spike of one sample shows however many lie in its column.
type curve struct {
	name   string
	points []diagnose.Point
	look   int // which colour and dashes
	dot    bool
}

// chartLevel is a horizontal line, such as the size of the card.
type chartLevel struct {
	name string
	at   float64
}

// chartMark is a vertical line with its letters above it.
type chartMark struct {
	at      float64
	letters string
	grave   int // as diagnose.Level
}

// chartColumns is how many columns a curve is drawn in at most.
const chartColumns = 400

// Room around the field of a chart, in points.
const (
	chartLeft   = vg.Length(38)
	chartRight  = vg.Length(10)
	chartBottom = vg.Length(28)
	chartHead   = vg.Length(18)
	legendRow   = vg.Length(13)
)

// points are the points of a series in columns, scaled; a series with few values is
// taken as it is.
func columnsOf(s *diagnose.Series, from, to, scale float64) []diagnose.Point {
	if s == nil || s.Len() == 0 || to <= from {
		return nil
	}
	points := s.Points()
	if len(points) > chartColumns {
		points = s.Columns(from, to, chartColumns)
	}
	var out []diagnose.Point
	for _, p := range points {
		if p.N == 0 || p.X < from || p.X > to {
			continue
		}
		p.Min, p.Max, p.Last = p.Min*scale, p.Max*scale, p.Last*scale
		out = append(out, p)
	}
	return out
}

// fit sets the vertical axis to what the curves hold. A curve from zero upwards keeps
// zero on its axis where that costs it less than half of the height, or always.
func (c *chart) fit(zero bool) {
	lo, hi, some := 0.0, 0.0, false
	see := func(a, b float64) {
		if !some {
			lo, hi, some = a, b, true
		}
		lo, hi = min(lo, a), max(hi, b)
	}
	for _, curve := range c.curves {
		for _, p := range curve.points {
			see(p.Min, p.Max)
		}
	}
	for _, l := range c.levels {
		see(l.at, l.at)
	}
	if zero || lo > 0 && lo < hi/2 {
		lo = min(lo, 0)
	}
	if hi-lo <= 1e-9*math.Max(math.Abs(hi), math.Abs(lo)) { // flat
		room := math.Abs(hi) / 10
		if hi == 0 {
			room = 1
		}
		if lo != 0 {
			lo -= room
		}
		hi += room
	}
	c.low, c.high = lo, hi+(hi-lo)*0.06
}

// draw draws the chart into its part of a picture.
func (c chart) draw(p pen, area draw.Canvas) {
	p.text(area, area.Min.X+2, area.Max.Y-12, 10.5, inkStrong, fitText(p, c.title, 10.5, area.Max.X-area.Min.X-4))
	head := chartHead
	if c.marksLetters() {
		head += 10
	}
	foot := chartBottom
	if c.legend {
		foot += legendRow * vg.Length(c.legendRows(p, area))
	}
	field := draw.Crop(area, chartLeft, -chartRight, foot, -head)
	if field.Max.X-field.Min.X < 10 || field.Max.Y-field.Min.Y < 10 {
		return
	}
	c.grid(p, field)
	c.drawMarks(p, field)
	for _, l := range c.levels {
		y := c.y(field, l.at)
		p.line(field, lineLevel, vg.Point{X: field.Min.X, Y: y}, vg.Point{X: field.Max.X, Y: y})
		p.text(field, field.Min.X+4, y-9, 8, inkGrave, l.name)
	}
	for _, curve := range c.curves {
		c.drawCurve(p, field, curve)
	}
	if c.legend {
		c.drawLegend(p, area)
	}
}

func (c chart) x(field draw.Canvas, v float64) vg.Length {
	return field.X((v - c.from) / (c.to - c.from))
}

func (c chart) y(field draw.Canvas, v float64) vg.Length {
	return field.Y((v - c.low) / (c.high - c.low))
}

// grid draws both axes with their labels.
func (c chart) grid(p pen, field draw.Canvas) {
	rows := max(2, int((field.Max.Y-field.Min.Y)/26))
	step := niceStep((c.high-c.low)/float64(rows), false)
	for v := math.Ceil(c.low/step) * step; v <= c.high+step*1e-6; v += step {
		y := c.y(field, v)
		p.line(field, lineGrid, vg.Point{X: field.Min.X, Y: y}, vg.Point{X: field.Max.X, Y: y})
		p.textRight(field, field.Min.X-4, y-3, 8, inkSoft, tickText(v, step))
	}
	p.line(field, lineAxis, field.Min, vg.Point{X: field.Max.X, Y: field.Min.Y})
	p.line(field, lineAxis, field.Min, vg.Point{X: field.Min.X, Y: field.Max.Y})
	labels := max(2, int((field.Max.X-field.Min.X)/44))
	step = niceStep((c.to-c.from)/float64(labels), c.to-c.from >= 2)
	for v := math.Ceil(c.from/step) * step; v <= c.to+step*1e-6; v += step {
		x := c.x(field, v)
		p.line(field, lineAxis, vg.Point{X: x, Y: field.Min.Y}, vg.Point{X: x, Y: field.Min.Y - 3})
		p.textCentre(field, x, field.Min.Y-12, 8, inkSoft, tickText(v, step))
	}
	p.textRight(field, field.Max.X, field.Min.Y-22, 8, inkSoft, c.xUnit)
}

// drawCurve draws one curve with its band.
func (c chart) drawCurve(p pen, field draw.Canvas, curve curve) {
	var top, bottom []vg.Point
	wide := false
	for _, q := range curve.points {
		x := c.x(field, q.X)
		top = append(top, vg.Point{X: x, Y: c.y(field, q.Max)})
		bottom = append(bottom, vg.Point{X: x, Y: c.y(field, q.Min)})
		wide = wide || q.Max > q.Min
	}
	switch {
	case len(top) == 0:
		return
	case len(top) == 1:
		p.dot(field, curve.look, top[0], 2.5)
		return
	}
	if wide {
		band := append([]vg.Point{}, top...)
		for i := len(bottom) - 1; i >= 0; i-- {
			band = append(band, bottom[i])
		}
		p.band(field, curve.look, band)
	}
	p.curve(field, curve.look, top)
	if curve.dot && c.best > 0 {
		for i, q := range curve.points {
			if q.From <= c.best && c.best <= q.X {
				p.dot(field, curve.look, top[i], 2.8)
			}
		}
	}
}

// niceStep is the smallest of 1, 2, 5, 10, ... that is not below want; whole numbers only
// where epochs are counted.
func niceStep(want float64, whole bool) float64 {
	if !(want > 0) || math.IsInf(want, 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(want)))
	step := 10 * unit
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= want*0.999 {
			step = m * unit
			break
		}
	}
	if whole {
		step = max(1, step)
	}
	return step
}

// tickText is a label of an axis.
func tickText(v, step float64) string {
	if math.Abs(v) < step*1e-6 {
		return "0"
	}
	if a := math.Abs(v); a >= 1e6 || step < 1e-5 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	return strconv.FormatFloat(v, 'f', digits, 64)
}
