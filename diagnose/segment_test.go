package diagnose

import (
	"math"
	"testing"

	"yolotop/parse"
)

// TestGreatSegmentsHideNoLeak promises that a leak which shows in steps of half a GiB, one in
// twenty epochs, is not taken back between them once the steps are known.
func TestGreatSegmentsHideNoLeak(t *testing.T) {
	t.Parallel()
	const segment = 0.5 * float64(parse.GiB)
	g := growth{total: 80 * float64(parse.GiB)}
	found, stopped := 0, 0
	for e := range 600 {
		v := 10*float64(parse.GiB) + segment*math.Floor(float64(e)*.05+.01)
		for i := range 4 {
			g.row(e+1, float64(e)+float64(i+1)/4, v, v/2000, i == 3)
		}
		if g.found == nil && g.judge(79.5*float64(parse.GiB), 600, true) != nil {
			found = e + 1
		}
		if g.found != nil && g.stopped() {
			stopped++
		}
	}
	if found == 0 || found > 250 || stopped > 0 {
		t.Errorf("found in epoch %d, stopped %d times", found, stopped)
	}
}

// TestSegmentSize promises the least rise once enough were seen, and what can be seen before.
func TestSegmentSize(t *testing.T) {
	t.Parallel()
	const step = 20 * float64(parse.MiB)
	g := growth{}
	v := float64(parse.GiB)
	for e := range 10 {
		if want := float64(2 * parse.MiB); e <= segmentRises && g.step() > want {
			t.Errorf("after %d epochs: %v", e, g.step())
		}
		g.row(e+1, float64(e+1), v, float64(2*parse.MiB), true)
		v += step * float64(1+e%3)
	}
	if g.step() != step {
		t.Errorf("%v, want %v", g.step(), step)
	}
}
