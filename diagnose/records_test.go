package diagnose

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRecordsOfChance promises that exchangeable values pass an evidence of C no more often
// than theory allows, n/C, however long one looks, and a leak soon.
func TestRecordsOfChance(t *testing.T) {
	t.Parallel()
	const runs, length, c = 400, 300, 3000.0
	draw := rand.New(rand.NewPCG(1, 2))
	alarms := 0
	for range runs {
		var test recordTest
		for range length {
			test.add(draw.ExpFloat64(), 0)
			if e, _ := test.evidence(); e > c {
				alarms++
				break
			}
		}
	}
	if most := runs * length / c; float64(alarms) > most {
		t.Errorf("%d of %d series of chance alarm, theory allows %.0f", alarms, runs, most)
	}
	var test recordTest
	for i := range 60 {
		test.add(draw.ExpFloat64(), 0)
		if i >= 40 {
			test.add(float64(20+i), 0)
		}
	}
	if e, onset := test.evidence(); e < 1e6 || onset < 30 {
		t.Errorf("a leak from value 40 on: evidence %g, onset %d", e, onset)
	}
}

// TestRanksOfChance promises the same for ranks, which see a trend where highs come and go.
func TestRanksOfChance(t *testing.T) {
	t.Parallel()
	const runs, length, c = 300, 300, 3000.0
	draw := rand.New(rand.NewPCG(3, 4))
	alarms := 0
	for range runs {
		var test rankTest
		for range length {
			test.add(draw.NormFloat64())
			if e, _ := test.evidence(); e > c {
				alarms++
				break
			}
		}
	}
	if most := runs * length / c; float64(alarms) > most {
		t.Errorf("%d of %d series of chance alarm, theory allows %.0f", alarms, runs, most)
	}
	var test rankTest
	for i := range 60 {
		test.add(draw.NormFloat64() + 0.3*float64(i))
	}
	if e, _ := test.evidence(); e < c {
		t.Errorf("a trend under noise: evidence %g", e)
	}
}

// TestRanksForgetInOrder promises that only the last values are ranked against.
func TestRanksForgetInOrder(t *testing.T) {
	t.Parallel()
	var test rankTest
	draw := rand.New(rand.NewPCG(5, 6))
	var all []float64
	for range 3 * ranksKept {
		v := float64(draw.IntN(50))
		all = append(all, v)
		test.add(v)
	}
	last := all[len(all)-ranksKept:]
	if !slices.Equal(test.order, last) || !slices.IsSorted(test.sorted) || len(test.sorted) != ranksKept {
		t.Error("the ranks are not of the last values")
	}
	slices.Sort(last)
	if !slices.Equal(test.sorted, last) {
		t.Error("the sorted values are not the last ones")
	}
}

// TestTrend promises slopes that one wild value does not bend.
func TestTrend(t *testing.T) {
	t.Parallel()
	var x, y []float64
	for i := range 300 {
		x, y = append(x, float64(i)), append(y, 10+2*float64(i))
	}
	if s := leastSquares(x, y); s < 1.999 || s > 2.001 {
		t.Errorf("least squares %v", s)
	}
	y[150] = 1e6
	if s := theilSen(x, y); s < 1.99 || s > 2.01 {
		t.Errorf("Theil-Sen %v", s)
	}
	if s := theilSen(nil, nil); s != 0 {
		t.Errorf("of nothing: %v", s)
	}
}
