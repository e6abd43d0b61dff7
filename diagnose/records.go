package diagnose

import (
	"math"
	"slices"
)

// recordTest weighs whether new highs come more often than chance allows, from when they
// come and not from how high they are.
//
// If the values are exchangeable, as the peaks of epochs over shuffled data are, the i-th one
// is a new high with chance 1/i, independently of all before it and whatever the distribution
// (Chandler 1952, Rényi 1962). With a leak the chance tends to a constant instead (Ballerini
// and Resnick 1987). The evidence is a Shiryaev-Roberts mixture over such constants, W <- (W +
// 1) x likelihood ratio: without a leak W less the number of values is a martingale, so that
// it passes C within n values with a chance below n/C however often one looks (Shin, Ramdas
// and Rinaldo, e-detectors).
type recordTest struct {
	n      int // values so far
	best   float64
	weight [len(recordRates)]float64
	// sum is the CUSUM twin of weight: the value at which it last left zero is where the
	// growth began.
	sum   [len(recordRates)]float64
	onset [len(recordRates)]int
}

// recordRates are the chances of a new high under the alternatives.
var recordRates = [...]float64{.12, .25, .45, .7, .95}

// recordLeeway is how much more often than 1/i new highs may come by the allocator's moods.
const recordLeeway = 1.6

// weightMost bounds an evidence that is beyond doubt, so that it does not overflow.
const weightMost = 1e15

// add takes the next value, which is a new high if it is above all others by more than
// tolerance.
func (t *recordTest) add(v, tolerance float64) {
	t.n++
	record := t.n > 1 && v > t.best+tolerance
	if t.n == 1 || record {
		t.best = v
	}
	if t.n < 2 {
		return
	}
	p := math.Min(.9, recordLeeway/float64(t.n))
	for k, q := range recordRates {
		ratio := 1.0
		if q > p { // else the null says as many or more
			ratio = (1 - q) / (1 - p)
			if record {
				ratio = q / p
			}
			t.weight[k] = math.Min((t.weight[k]+1)*ratio, weightMost)
		}
		t.sum[k] = math.Min(t.sum[k]+math.Log(ratio), weightMost)
		if t.sum[k] <= 0 {
			t.sum[k], t.onset[k] = 0, t.n
		}
	}
}

// excuse takes a value for no new high, however high it is: it has another reason than growth.
func (t *recordTest) excuse(v float64) {
	if t.n > 0 {
		t.best = math.Max(t.best, v)
	}
}

// evidence is the mean of the weights, and the number of the value, from 0, from which on it
// grew.
func (t *recordTest) evidence() (e float64, onset int) {
	return meanAndOnset(t.weight[:], t.onset[:], t.n)
}

// rankTest is the same for memory that is emptied each epoch, whose highs come and go: by the
// rank of each value among those before it. Under exchangeability u = (1 + how many are at
// least as great)/n is uniform or greater, and bets e u^(e-1) form a conformal test martingale
// (Vovk). Only the last values are ranked against.
type rankTest struct {
	n      int
	sorted []float64
	order  []float64 // the same, oldest first
	weight [len(rankBets)]float64
	sum    [len(rankBets)]float64
	onset  [len(rankBets)]int
}

var rankBets = [...]float64{.15, .35, .6}

// ranksKept is how many values are ranked against.
const ranksKept = 512

func (t *rankTest) add(v float64) {
	t.n++
	at, _ := slices.BinarySearch(t.sorted, v)
	u := float64(1+len(t.sorted)-at) / float64(len(t.sorted)+1)
	if len(t.order) == ranksKept {
		old, _ := slices.BinarySearch(t.sorted, t.order[0])
		t.sorted = slices.Delete(t.sorted, old, old+1)
		t.order = append(t.order[:0], t.order[1:]...)
		at, _ = slices.BinarySearch(t.sorted, v)
	}
	t.sorted, t.order = slices.Insert(t.sorted, at, v), append(t.order, v)
	if t.n < 3 {
		return
	}
	for k, bet := range rankBets {
		ratio := bet * math.Pow(u, bet-1)
		t.weight[k] = math.Min((t.weight[k]+1)*ratio, weightMost)
		t.sum[k] = math.Min(t.sum[k]+math.Log(ratio), weightMost)
		if t.sum[k] <= 0 {
			t.sum[k], t.onset[k] = 0, t.n
		}
	}
}

func (t *rankTest) evidence() (e float64, onset int) {
	return meanAndOnset(t.weight[:], t.onset[:], t.n)
}

func meanAndOnset(weights []float64, onsets []int, n int) (mean float64, onset int) {
	best := 0
	for k, w := range weights {
		mean += w / float64(len(weights))
		if w > weights[best] {
			best = k
		}
	}
	return mean, max(0, min(onsets[best], n-1))
}
