package diagnose

import (
	"math"
	"slices"
	"time"
)

// forecast is how much of X is left until memory reaches the limit; ok is false if that
// cannot be told.
func (g *growth) forecast(limit float64) (left float64, ok bool) {
	slope, level, ok := g.trend()
	if !ok {
		return 0, false
	}
	return math.Max(0, (limit-math.Min(level, limit))/slope), true
}

// trend is the growth in bytes for each unit of X, and the level from which it goes on.
func (g *growth) trend() (slope, level float64, ok bool) {
	slopes, ok := g.slopes()
	if !ok {
		return 0, 0, false
	}
	return slopes[1], g.envelope(slopes[1]), true
}

// doubt is by what part of itself the slope may be wrong: what three ways to take it differ,
// and more where memory is emptied, since the cache's slack hides when it is full.
func (g *growth) doubt() float64 {
	slopes, ok := g.slopes()
	if !ok {
		return mostDoubt
	}
	least := leastDoubt
	if g.sawtooth() {
		least = sawDoubt
	}
	return math.Min(mostDoubt, math.Max(least, (slopes[2]-slopes[0])/slopes[1]))
}

const (
	leastDoubt = 0.1
	sawDoubt   = 0.3
	mostDoubt  = 0.5
)

// slopes are three ways to take the growth for each unit of X, in rising order: least squares,
// Theil-Sen, and from the first value to the highest.
func (g *growth) slopes() (slopes [3]float64, ok bool) {
	f := g.found
	if f == nil {
		return slopes, false
	}
	x, v, _ := g.channelOf(f.channel, f.rank, true)
	k := 0
	for k < len(x)-3 && x[k] < f.since {
		k++
	}
	if f.channel != inRanks { // the wait for the first rise belongs to the rate
		j := k
		for j > 0 && v[j-1] >= v[k]-g.quantum/2 && k-j < max(3, (len(x)-k)/2) {
			j--
		}
		k = j
	}
	if len(x)-k < 3 {
		k = max(0, len(x)-3)
	}
	x, v = x[k:], v[k:]
	if len(x) < 2 || x[len(x)-1] <= x[0] {
		return slopes, false
	}
	top := (slices.Max(v) - v[0]) / (x[len(x)-1] - x[0])
	slopes = [3]float64{leastSquares(x, v), theilSen(x, v), top}
	slices.Sort(slopes[:])
	if slopes[1] <= 0 {
		slopes = [3]float64{top, top, top}
	}
	slopes[0] = math.Max(slopes[0], 0)
	return slopes, slopes[1] > 0
}

// envelope is the level from which memory goes on to grow: the highest of the last peaks, or,
// where it is emptied, the lower quartile of the last peaks carried forward. Its upper edge
// touches the limit long before the end, since the allocator then gives its cache back.
func (g *growth) envelope(slope float64) float64 {
	now, last := g.now()
	if !g.sawtooth() {
		top := last
		for _, l := range g.levels[max(0, len(g.levels)-3):] {
			top = math.Max(top, l.max)
		}
		return top
	}
	var ahead []float64
	for _, l := range g.levels[max(0, len(g.levels)-10):] {
		ahead = append(ahead, l.max+slope*(now-l.x))
	}
	if len(ahead) == 0 {
		return last
	}
	slices.Sort(ahead)
	return ahead[len(ahead)/4]
}

// now is X and the level of the newest rows.
func (g *growth) now() (x, v float64) {
	if g.rows > 0 {
		return g.open.x, g.open.max
	}
	if k := len(g.levels); k > 0 {
		return g.levels[k-1].x, g.levels[k-1].max
	}
	return 0, 0
}

// sooner reports whether memory is full by a no later than by b.
func sooner(a, b *Forecast) bool { return a != nil && (b == nil || a.Epoch <= b.Epoch) }

// leakNear is how many epochs before the end a leak is critical.
const leakNear = 5

// forecastOf is when memory is full; nil if the card's size or the epochs are not known.
func forecastOf(r *Run, j judgement, slope, level, doubt float64) *Forecast {
	if j.limit <= 0 || r.Epoch == 0 || j.stepwise {
		return nil
	}
	left := math.Max(0, j.limit-math.Min(level, j.limit)) / slope
	epochs := left / j.perEpoch
	here := r.Position()
	o := &Forecast{Epoch: here + epochs, Low: here + epochs/(1+doubt), High: here + epochs/(1-doubt)}
	switch {
	case j.timed:
		o.In = time.Duration(math.Min(left, 1e9) * float64(time.Second))
	case r.EpochTime > 0:
		o.In = time.Duration(math.Min(epochs*r.EpochTime.Seconds(), 1e9) * float64(time.Second))
	}
	return o
}
