package tui

import (
	"math"

	"yolotop/diagnose"
)

// eighths are the steps of a small curve, one character each.
const eighths = "▁▂▃▄▅▆▇█"

// spark draws the history of a series up to x as n characters, the newest one at
// the right, scaled to what is shown.
func spark(s *diagnose.Series, x float64, n int) string {
	values := history(s, x, n)
	return spaces(n-len(values)) + bars(values)
}

// sparkFromZero is spark for what has a zero that means something, as a rate: half is half as high.
func sparkFromZero(s *diagnose.Series, x float64, n int) string {
	values := history(s, x, n)
	most := 0.0
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			most = max(most, v)
		}
	}
	return spaces(n-len(values)) + barsWithin(values, 0, 1.5*most) // room above, since a steady one says little
}

// history is a series up to x in at most n values.
func history(s *diagnose.Series, x float64, n int) (values []float64) {
	if s == nil || n <= 0 || s.Len() == 0 {
		return nil
	}
	points := s.Points()
	for len(points) > 0 && points[len(points)-1].X > x {
		points = points[:len(points)-1]
	}
	if len(points) <= n {
		for _, p := range points {
			values = append(values, p.Last)
		}
	} else {
		from := points[0].X
		for _, p := range s.Columns(from, points[len(points)-1].X, n) {
			switch {
			case p.N > 0:
				values = append(values, p.Mean())
			case len(values) > 0:
				values = append(values, values[len(values)-1])
			}
		}
	}
	return values
}

// bars draws values as eighths between the least and the greatest of them.
func bars(values []float64) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return barsWithin(values, lo, hi)
}

// barsWithin draws values as eighths between two bounds.
func barsWithin(values []float64, lo, hi float64) string {
	steps := []rune(eighths)
	out := make([]rune, 0, len(values))
	for _, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			out = append(out, ' ')
		case hi-lo <= 1e-3*math.Abs(hi): // flat: noise is not to look like news
			out = append(out, steps[3])
		default:
			out = append(out, steps[min(7, max(0, int((v-lo)/(hi-lo)*8)))])
		}
	}
	return string(out)
}
