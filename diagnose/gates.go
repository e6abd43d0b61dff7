package diagnose

import (
	"math"
)

// window is how a channel has grown.
type window struct {
	x, v          []float64
	slope, growth float64 // from its first to its last value
	uneven        float64 // share of the greatest rise
	rises, epochs int
}

// windowOf looks at values from the one before the onset on; ok is false if they are too few
// or do not rise.
func windowOf(x, v []float64, epochs []int, onset int) (w window, ok bool) {
	from := max(0, onset-1)
	if from+3 > len(x) {
		return w, false
	}
	w.x, w.v = x[from:], v[from:]
	top, greatest, last := w.v[0], 0.0, -1
	for i, y := range w.v {
		if y <= top {
			continue
		}
		greatest = math.Max(greatest, y-top)
		w.growth += y - top
		w.rises++
		if e := epochs[from+i]; e != last {
			w.epochs++
			last = e
		}
		top = y
	}
	if w.rises == 0 || w.x[len(w.x)-1] <= w.x[0] {
		return w, false
	}
	w.uneven = greatest / w.growth
	w.slope = w.growth / (w.x[len(w.x)-1] - w.x[0])
	return w, true
}

// channelOf are the values of a channel since the last restart, or all of them where whole.
func (g *growth) channelOf(c channel, rank int, whole bool) (x, v []float64, epochs []int) {
	if c == inBlocks {
		for _, b := range g.blocks {
			x, v, epochs = append(x, b.x), append(v, b.v), append(epochs, b.epoch)
		}
		return x, v, epochs
	}
	from := g.level(0)
	if whole {
		from = 0
	}
	for i, l := range g.levels[from:] {
		y := l.max
		switch {
		case c == inFloor, c == inRanks && rank == 1:
			y = l.min
		case c == inRanks && rank == 2:
			y = l.mean
		}
		x, v, epochs = append(x, l.x), append(v, y), append(epochs, i)
	}
	return x, v, epochs
}

// judge looks whether the evidence of a channel suffices and its growth passes the gates. limit
// is at which value memory is full, and ahead how much of X the whole run takes at least; no
// growth is found whose end lies too many runs off.
func (g *growth) judge(limit, ahead float64, epochEnd bool) *foundGrowth {
	if f := g.found; f != nil {
		left, ok := g.forecast(limit)
		f.far = limit > 0 && ok && left > horizon*ahead
		f.evidence = math.Max(f.evidence, g.evidence(f.channel))
		return f
	}
	for _, c := range g.candidates(epochEnd) {
		x, v, epochs := g.channelOf(c.channel, c.rank, false)
		onset := c.onset
		if c.channel == inBlocks {
			onset = max(0, onset-g.blocksBefore)
		} else {
			onset = max(0, g.level(onset)-g.level(0))
		}
		w, ok := windowOf(x, v, epochs, onset)
		if !ok || w.growth < 2*g.quantum {
			continue
		}
		switch {
		case w.uneven > mostAtOnce || w.rises < c.least:
			continue
		case c.channel == inBlocks && w.epochs < blockEpochs && (w.epochs < blockEpochs-1 || c.evidence < sureEvidence):
			continue
		case c.channel == inRanks && !growsAround(before(x, w), before(v, w)):
			continue
		}
		f := &foundGrowth{channel: c.channel, rank: c.rank, since: w.x[0], evidence: math.Max(c.evidence, g.evidence(c.channel))}
		g.found = f
		f.slope, _, _ = g.trend()
		left, ok := g.forecast(limit)
		switch {
		case limit <= 0 && w.growth >= unlimitedGrowth*w.v[0]: // nobody knows when memory is full
			return f
		case limit > 0 && ok && left <= horizon*ahead:
			return f
		case limit > 0 && ok && c.evidence >= farEvidence*evidenceOf:
			f.far = true // a note at most
			return f
		}
		g.found = nil
	}
	return nil
}

// evidence is the evidence of a channel as it is now.
func (g *growth) evidence(c channel) float64 {
	e := 0.0
	switch c {
	case inPeak, inSteps:
		e, _ = g.peak.evidence()
	case inFloor:
		e, _ = g.floor.evidence()
	case inBlocks:
		e, _ = g.fine.evidence()
	case inRanks:
		for i := range g.ranks {
			rank, _ := g.ranks[i].evidence()
			e = math.Max(e, rank)
		}
	}
	return e
}

// before are the values of a window and as many before it.
func before(all []float64, w window) []float64 { return all[max(0, len(all)-2*len(w.v)):] }

// growsAround reports whether values grow on both sides of the place that parts them best:
// behind one step all values rank high, and nothing grows.
func growsAround(x, v []float64) bool {
	overall := theilSen(x, v)
	if overall <= 0 {
		return false
	}
	n := len(v)
	if n < 2*leastSide {
		return false
	}
	var sum, squares float64
	for _, y := range v {
		sum += y
		squares += y * y
	}
	at, least, left := 0, math.Inf(1), 0.0
	for i := 1; i < n; i++ { // the least squares around two levels
		left += v[i-1]
		right := sum - left
		if rest := squares - left*left/float64(i) - right*right/float64(n-i); i >= leastSide && n-i >= leastSide && rest < least {
			at, least = i, rest
		}
	}
	within := (float64(at)*theilSen(x[:at], v[:at]) + float64(n-at)*theilSen(x[at:], v[at:])) / float64(n)
	return within >= withinSides*overall
}

// leastSide is how many values a side must have, and withinSides how much of the growth must
// go on within the sides.
const (
	leastSide   = 4
	withinSides = 0.3
)

// candidate is a channel with enough evidence.
type candidate struct {
	channel  channel
	rank     int
	onset    int // number of the value since the last restart
	least    int // rises
	evidence float64
}

func (g *growth) candidates(epochEnd bool) (out []candidate) {
	each := g.all == g.epochs() // one value an epoch
	n := g.epochs() - g.origin
	if epochEnd && g.epochs() >= 3 {
		peak, peakOnset := g.peak.evidence()
		floor, floorOnset := g.floor.evidence()
		switch {
		case g.blind:
			if e := math.Max(peak, floor); e > evidenceOf && math.Min(peak, floor) > evidenceOf/10 {
				out = append(out, candidate{inFloor, 0, floorOnset, leastRises + 1, e})
			}
		default:
			if peak > evidenceOf {
				out = append(out, candidate{inPeak, 0, peakOnset, leastRises, peak})
			}
			if !each && floor > evidenceOf {
				out = append(out, candidate{inFloor, 0, floorOnset, leastRises, floor})
			}
		}
		if g.sawtooth() && !g.blind && g.epochs() >= 6 {
			out = append(out, g.rankCandidate(each)...)
		}
		if onset, ok := g.regular(n, each); ok && !g.blind {
			out = append(out, candidate{inSteps, 0, onset, leastRises, evidenceOf})
		}
	}
	if !each && !g.blind && g.epochs() >= 2 {
		if e, onset := g.fine.evidence(); e > blocksOf {
			out = append(out, candidate{inBlocks, 0, onset, blockRises, e})
		}
	}
	return out
}

func (g *growth) rankCandidate(each bool) []candidate {
	count := len(g.ranks)
	if each {
		count = 1
	}
	mean, best := 0.0, 0
	for i := range count {
		e, _ := g.ranks[i].evidence()
		mean += e / float64(count)
		if b, _ := g.ranks[best].evidence(); e > b {
			best = i
		}
	}
	if mean <= ranksOf {
		return nil
	}
	_, onset := g.ranks[best].evidence()
	return []candidate{{inRanks, best, onset, 2, mean}}
}

// regular reports whether the last epochs each held more than the one before by nearly the
// same amount: chance makes rises of all sizes. Where the floor rises with the peak, one epoch
// fewer is asked for.
func (g *growth) regular(n int, each bool) (onset int, ok bool) {
	need := steadyEpochs
	floors := !each && len(g.levels) > need-1 && g.steady(need-1, func(l epochLevel) float64 { return l.min })
	if floors {
		need--
	} else if g.sawtooth() {
		return 0, false // peaks that come and go rise a few times in a row by chance
	}
	if n <= need || len(g.levels) <= need || !g.steady(need, func(l epochLevel) float64 { return l.max }) {
		return 0, false
	}
	return n - need, true
}

// steadyEpochs is how many rises of nearly the same size are no chance.
const steadyEpochs = 5

// steady reports whether a value rose in each of the last n epochs by nearly the same amount,
// of at least three quanta.
func (g *growth) steady(n int, of func(epochLevel) float64) bool {
	last := g.levels[len(g.levels)-n-1:]
	rises := make([]float64, 0, n)
	for i := 1; i < len(last); i++ {
		rise := of(last[i]) - of(last[i-1])
		if rise < 3*g.quantum {
			return false
		}
		rises = append(rises, rise)
	}
	return spread(rises) <= regularMost && rises[n-1] >= steadyPace*rises[0]
}

// steadyPace is how much of the first rise the last one must still be: what fills up slows down.
const steadyPace = 0.75
