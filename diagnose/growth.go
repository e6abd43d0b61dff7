package diagnose

import (
	"math"
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
	segment segmentSize
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
	g.segment.add(v, quantum/2)
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

// excuse takes the next value out of the count of new highs, since something else than growth
// explains it.
func (g *growth) excuse(v float64) {
	g.peak.excuse(v)
	g.fine.excuse(v)
	if !g.sawtooth() {
		g.floor.excuse(v)
	}
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
