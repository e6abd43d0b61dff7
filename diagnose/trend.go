package diagnose

import (
	"math"
	"slices"
)

// leastSquares is the slope of the line through points that lies nearest to them; 0 if they
// have no extent.
func leastSquares(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my float64
	for i := range x {
		mx += x[i] / n
		my += y[i] / n
	}
	var sxx, sxy float64
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	if sxx == 0 {
		return 0
	}
	return sxy / sxx
}

// theilSenPoints is how many points the slopes of pairs are taken of.
const theilSenPoints = 60

// theilSen is the median of the slopes between all pairs of points (Theil 1950, Sen 1968), of
// which at most some are taken, evenly and the newest one always; 0 if there are none.
func theilSen(x, y []float64) float64 {
	step := max(1, len(x)/theilSenPoints)
	var px, py []float64
	for i := len(x) - 1; i >= 0; i -= step {
		px, py = append(px, x[i]), append(py, y[i])
	}
	slopes := make([]float64, 0, len(px)*(len(px)-1)/2)
	for i := range px {
		for j := range i {
			if px[j] > px[i] {
				slopes = append(slopes, (py[j]-py[i])/(px[j]-px[i]))
			}
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}

// spread is the standard deviation of values in parts of their mean.
func spread(values []float64) float64 {
	var sum, squares float64
	for _, v := range values {
		sum += v
		squares += v * v
	}
	n := float64(len(values))
	if sum <= 0 {
		return math.Inf(1)
	}
	mean := sum / n
	return math.Sqrt(max(0, squares/n-mean*mean)) / mean
}
