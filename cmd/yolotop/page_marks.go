package main

import (
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"yolotop/diagnose"
	"yolotop/tui"
)

// markColumns is how many places on the axis can hold marks of their own; marks that are
// nearer share a line and put their letters side by side.
const markColumns = 60

// markLevel is how grave a mark is.
func markLevel(k diagnose.MarkKind) diagnose.Level {
	switch k {
	case diagnose.MarkOOM, diagnose.MarkFailure:
		return diagnose.Critical
	case diagnose.MarkNaN, diagnose.MarkBatchReduced, diagnose.MarkNeighbour, diagnose.MarkOnset:
		return diagnose.Warning
	}
	return diagnose.Info
}

// marksOf are the marks of a run on an axis, and the kinds among them in their order.
func marksOf(marks []diagnose.Mark, from, to float64) (out []chartMark, kinds []diagnose.MarkKind) {
	for _, m := range marks {
		if m.X < from || m.X > to {
			continue
		}
		sign, _ := tui.MarkSign(m.Kind)
		letter := string(sign)
		if !slices.Contains(kinds, m.Kind) {
			kinds = append(kinds, m.Kind)
		}
		near := slices.IndexFunc(out, func(o chartMark) bool {
			return (m.X-o.at)*(m.X-o.at)*markColumns*markColumns < (to-from)*(to-from)
		})
		if near < 0 {
			out = append(out, chartMark{at: m.X, letters: letter, grave: int(markLevel(m.Kind))})
			continue
		}
		o := &out[near]
		if !strings.Contains(o.letters, letter) {
			o.letters += letter
		}
		o.grave = max(o.grave, int(markLevel(m.Kind)))
	}
	return out, kinds
}

func (c chart) marksLetters() bool { return len(c.marks) > 0 || c.best > 0 }

// drawMarks draws a line for each mark, its letters above it, and the best epoch.
func (c chart) drawMarks(p pen, field draw.Canvas) {
	if c.best >= c.from && c.best <= c.to && c.best > 0 {
		x := c.x(field, c.best)
		p.line(field, lineBest, vg.Point{X: x, Y: field.Min.Y}, vg.Point{X: x, Y: field.Max.Y})
		p.textCentre(field, x, field.Max.Y+2, 8, inkSoft, "best")
	}
	for _, m := range c.marks {
		x := c.x(field, m.at)
		ink, line := inkSoft, lineMark
		if m.grave >= int(diagnose.Critical) {
			ink, line = inkGrave, lineGrave
		}
		p.line(field, line, vg.Point{X: x, Y: field.Min.Y}, vg.Point{X: x, Y: field.Max.Y})
		p.textCentre(field, x, field.Max.Y+2, 9, ink, m.letters)
	}
}

// legendCell is the width of one entry of the legend.
func (c chart) legendCell(p pen, area draw.Canvas) vg.Length {
	wide := vg.Length(60)
	for _, curve := range c.curves {
		wide = max(wide, p.width(curve.name, 8)+34)
	}
	return min(wide, area.Max.X-area.Min.X-chartLeft)
}

func (c chart) legendRows(p pen, area draw.Canvas) int {
	per := max(1, int((area.Max.X-area.Min.X-chartLeft)/c.legendCell(p, area)))
	return (len(c.curves) + per - 1) / per
}

// drawLegend names the curves below the chart, each with its colour and dashes.
func (c chart) drawLegend(p pen, area draw.Canvas) {
	cell := c.legendCell(p, area)
	per := max(1, int((area.Max.X-area.Min.X-chartLeft)/cell))
	rows := c.legendRows(p, area)
	for i, curve := range c.curves {
		x := area.Min.X + chartLeft + cell*vg.Length(i%per)
		y := area.Min.Y + 3 + legendRow*vg.Length(rows-1-i/per)
		p.curve(area, curve.look, []vg.Point{{X: x, Y: y + 3}, {X: x + 22, Y: y + 3}})
		p.text(area, x+26, y, 8, inkSoft, fitText(p, curve.name, 8, cell-30))
	}
}
