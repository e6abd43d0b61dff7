package main

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pictureRuns is how many runs one picture shows.
const pictureRuns = 8

// strip is a part of a picture, as wide as the whole and below the one before.
type strip struct {
	tall vg.Length
	draw func(p pen, area draw.Canvas)
}

// picture is the page as one picture: verdict, memory, losses and metrics of each run below
// each other.
func (p page) picture(format string) ([]byte, error) {
	measure, err := newPen()
	if err != nil {
		return nil, err
	}
	const margin = vg.Length(16)
	strips := p.strips(measure)
	tall := 2 * margin
	for _, s := range strips {
		tall += s.tall
	}
	drawing := func(p pen, all draw.Canvas) {
		top := all.Max.Y - margin
		for _, s := range strips {
			area := draw.Canvas{Canvas: all.Canvas}
			area.Min = vg.Point{X: margin, Y: top - s.tall}
			area.Max = vg.Point{X: all.Max.X - margin, Y: top}
			s.draw(p, area)
			top -= s.tall
		}
	}
	if format == "png" {
		return pixels(pageWide+2*margin, tall, drawing)
	}
	white := func(p pen, all draw.Canvas) {
		all.FillPolygon(grey(0xff), []vg.Point{all.Min, {X: all.Max.X, Y: all.Min.Y}, all.Max, {X: all.Min.X, Y: all.Max.Y}})
		drawing(p, all)
	}
	text, err := vectors(pageWide+2*margin, tall, "yolotop: "+p.Title, white)
	if err != nil {
		return nil, err
	}
	head := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<svg xmlns="http://www.w3.org/2000/svg"`
	return []byte(head + strings.TrimPrefix(text, "<svg") + "\n"), nil
}

func (p page) strips(measure pen) (out []strip) {
	if p.Compare != nil {
		out = append(out, words(measure, p.Title, 14, inkStrong)...)
		out = append(out, chartStrips(measure, *p.Compare)...)
	}
	for i, r := range p.Runs {
		if i == pictureRuns {
			out = append(out, words(measure, p.say("report.compare.more", len(p.Runs)-i), 9, inkSoft)...)
			break
		}
		ink := inkStrong
		if r.Level == "critical" {
			ink = inkGrave
		}
		out = append(out, words(measure, strings.Replace(r.Verdict, "✓ ", "OK · ", 1), 13, ink)...)
		out = append(out, words(measure, r.summary(), 9, inkSoft)...)
		if r.Memory != nil {
			out = append(out, chartStrips(measure, *r.Memory)...)
		} else {
			out = append(out, words(measure, r.NoMemory, 9, inkSoft)...)
		}
		out = append(out, panelStrips(r.Losses)...)
		out = append(out, panelStrips(r.Metrics)...)
		out = append(out, strip{12, func(pen, draw.Canvas) {}})
	}
	return append(out, words(measure, p.say("report.by", p.Version), 8, inkSoft)...)
}

// summary is what was run, in a line.
func (r pageRun) summary() string {
	parts := []string{r.Name}
	for _, f := range r.Facts[min(1, len(r.Facts)):min(9, len(r.Facts))] {
		parts = append(parts, f.Name+" "+f.Value)
	}
	return strings.Join(parts, "  ·  ")
}

// chartStrips are a chart and what is to be read below it.
func chartStrips(measure pen, f figure) []strip {
	out := []strip{{f.chart.height, func(p pen, area draw.Canvas) { f.chart.draw(p, area) }}}
	return append(out, words(measure, strings.Join(f.Notes, "  ·  "), 8.5, inkSoft)...)
}

// panelStrips are small charts, three beside each other.
func panelStrips(panels []figure) (out []strip) {
	const beside = 3
	for len(panels) > 0 {
		row := panels[:min(beside, len(panels))]
		panels = panels[len(row):]
		out = append(out, strip{panelTall, func(p pen, area draw.Canvas) {
			wide := (area.Max.X - area.Min.X) / beside
			for i, f := range row {
				part := area
				part.Min.X = area.Min.X + wide*vg.Length(i)
				part.Max.X = part.Min.X + wide
				f.chart.draw(p, part)
			}
		}})
	}
	return out
}

// words are lines of text as wide as the picture, four of them at most.
func words(measure pen, s string, size vg.Length, i ink) (out []strip) {
	const most = 4
	rest := strings.Fields(shorten(s, 900))
	for len(rest) > 0 && len(out) < most {
		n := 1
		for n < len(rest) && measure.width(strings.Join(rest[:n+1], " "), size) <= pageWide {
			n++
		}
		line := strings.Join(rest[:n], " ")
		if rest = rest[n:]; len(out) == most-1 && len(rest) > 0 {
			line += " ..."
		}
		line = fitText(measure, line, size, pageWide)
		out = append(out, strip{size * 1.4, func(p pen, area draw.Canvas) {
			p.text(area, area.Min.X, area.Min.Y+2, size, i, line)
		}})
	}
	return out
}
