package diagnose

import (
	"math"
	"slices"
)

// growth watches one series of memory for highs that come more often than chance allows, in
// constant memory and without look-ahead. Its channels are the peak and the floor of each
// epoch and the peak of each sixth of an epoch, and, where memory is emptied again and again,
// the ranks of peak, floor and mean.
//
// X is any axis that the rows share: epochs done, or seconds.
type growth struct {
	blind bool // other processes are in the numbers: peak and floor must agree

	levels []epochLevel // of the last epochs, oldest first
	before int          // epochs that are no longer among them
	origin int          // number of the first epoch that counts, among all so far
	open   epochLevel   // the present epoch
	sum    float64
	rows   int // of the present epoch
	all    int // rows so far

	peak, floor, fine recordTest
	ranks             [3]rankTest
	drops             int // epochs whose peak was below that of the one before
	rises             []float64

	blockRows, blockLength int
	blockPeak              float64
	blocks                 []blockLevel
	blocksBefore           int

	quantum float64 // the least difference that can be seen
	total   float64 // of the card; 0 if not known
	// within and between are how much memory rose from the first row of epochs to the last,
	// and from the last row to the first one of the next epoch.
	within, between float64
	found           *foundGrowth
}

// epochLevel is what an epoch held, in bytes.
type epochLevel struct {
	x, max, min, mean float64
	first, last       float64
	epoch             int
}

type blockLevel struct {
	x, v  float64
	epoch int
}

// channel is what growth was found in.
type channel uint8

const (
	inPeak channel = iota
	inFloor
	inBlocks
	inRanks // of peak, floor or mean
	inSteps // the same rise at the end of each epoch
)

// foundGrowth is growth that passed all gates.
type foundGrowth struct {
	channel channel
	rank    int     // which of the ranks
	since   float64 // X of the onset
	// evidence is such that without growth it is reached in one of evidence/n series of n
	// values at most.
	evidence float64
	slope    float64 // when it was found
	far      bool    // memory would be full many runs from now
}

// Limits of what is kept, and the gates that growth must pass.
const (
	levelsKept  = 512
	blocksKept  = 3072
	blocksIn    = 6 // an epoch
	risesKept   = 32
	evidenceOf  = 500.0  // asked of peaks and floors
	blocksOf    = 5000.0 // of blocks
	ranksOf     = 3000.0 // of ranks
	mostAtOnce  = 0.6    // of the growth, in one rise
	leastRises  = 3
	blockRises  = 4
	blockEpochs = 3  // in which rises of blocks must lie
	horizon     = 10 // runs: no warning of what lies further off
	farEvidence = 20 // times the evidence for a note of it
	// unlimitedGrowth is how much must have grown where the size of the card is not known.
	unlimitedGrowth = 0.1
	// sureEvidence suffices where blocks have risen in two epochs only.
	sureEvidence = 1e6
	regularMost  = 0.2
	jumpTimes    = 6    // the median rise
	jumpShare    = 0.04 // of the card
)

// row takes the next value; whole is that it is the last one of its epoch. It reports
// whether something was closed that may have changed the judgement.
func (g *growth) row(epoch int, x, v, quantum float64, whole bool) (closed bool) {
	g.quantum = quantum
	if k := len(g.levels) - 1; k >= 0 && g.rows == 0 && epoch == g.levels[k].epoch {
		g.levels[k].max = math.Max(g.levels[k].max, v) // its last row, drawn once more
		return false
	}
	if g.blockLength > 0 {
		if g.blockRows == 0 || v > g.blockPeak {
			g.blockPeak = v
		}
		if g.blockRows++; g.blockRows >= g.blockLength {
			g.fine.add(g.blockPeak, quantum/2)
			if len(g.blocks) == blocksKept {
				g.blocks = append(g.blocks[:0], g.blocks[blocksKept/4:]...)
				g.blocksBefore += blocksKept / 4
			}
			g.blocks = append(g.blocks, blockLevel{x: x, v: g.blockPeak, epoch: epoch})
			g.blockRows, closed = 0, true
		}
	}
	if g.rows > 0 && epoch != g.open.epoch {
		g.close()
		closed = true
	}
	if g.rows == 0 {
		g.open, g.sum = epochLevel{epoch: epoch, max: v, min: v, first: v}, 0
	}
	g.rows++
	g.all++
	g.sum += v
	g.open.last = v
	g.open.x, g.open.max, g.open.min = x, math.Max(g.open.max, v), math.Min(g.open.min, v)
	if whole {
		g.close()
		closed = true
	}
	return closed
}

// close ends the present epoch.
func (g *growth) close() {
	if g.rows == 0 {
		return
	}
	l := g.open
	l.mean = g.sum / float64(g.rows)
	tolerance := g.quantum / 2
	if k := len(g.levels); k > 0 {
		last := g.levels[k-1]
		if l.max < last.max-tolerance {
			g.drops++
		}
		g.between += math.Max(0, l.first-last.last)
		g.within += math.Max(0, l.last-l.first)
		if rise := l.max - last.max; rise > tolerance {
			g.rose(rise)
		}
	}
	if len(g.levels) == levelsKept {
		g.levels = append(g.levels[:0], g.levels[levelsKept/4:]...)
		g.before += levelsKept / 4
	}
	g.levels = append(g.levels, l)
	g.peak.add(l.max, tolerance)
	g.floor.add(l.min, tolerance)
	if g.blockLength == 0 && g.all > g.epochs() {
		g.blockLength = max(1, int(float64(g.all)/float64(g.epochs())/blocksIn+0.5))
	}
	for i, v := range []float64{l.max, l.min, l.mean} {
		g.ranks[i].add(v)
	}
	g.rows = 0
}

// rose takes the rise of a peak. One that is far out of line is a change of what is trained,
// not growth.
func (g *growth) rose(rise float64) {
	if len(g.rises) >= 2 && rise > jumpTimes*median(g.rises) && rise > jumpShare*g.total {
		g.restart()
		return
	}
	if len(g.rises) == risesKept {
		g.rises = append(g.rises[:0], g.rises[1:]...)
	}
	g.rises = append(g.rises, rise)
}

// epochs is how many epochs were closed.
func (g *growth) epochs() int { return g.before + len(g.levels) }

// restart forgets what was seen of highs, since the distribution changes from here on.
func (g *growth) restart() {
	if g.found != nil {
		return
	}
	g.peak, g.floor, g.fine, g.ranks = recordTest{}, recordTest{}, recordTest{}, [3]rankTest{}
	g.rises = g.rises[:0]
	g.blocks, g.blocksBefore = g.blocks[:0], 0
	g.origin = g.epochs()
}

// changed is told that what is trained changes between two epochs.
func (g *growth) changed() {
	g.close()
	g.restart()
}

// sawtooth reports whether memory is emptied again and again.
func (g *growth) sawtooth() bool { return g.drops >= 2 }

// since is the index among the levels of the n-th epoch since the last restart, or -1 if it
// is no longer there.
func (g *growth) level(n int) int { return max(0, g.origin+n-g.before) }

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
