package diagnose

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestSeriesKeepsASpikeAmongMillions(t *testing.T) {
	t.Parallel()
	var s Series
	for i := range 1_000_000 {
		v := 5.0
		if i == 123_456 {
			v = 22
		}
		s.Add(float64(i)/100, time.Duration(i)*time.Second, v)
	}
	if got := len(s.Points()); got > 2*recentPoints+pastBuckets {
		t.Errorf("%d points are kept", got)
	}
	top := 0.0
	for _, p := range s.Columns(0, 10_000, 120) {
		top = max(top, p.Max)
	}
	if top != 22 || s.Max() != 22 {
		t.Errorf("the spike became %v, Max %v", top, s.Max())
	}
	if s.Len() != 1_000_000 {
		t.Errorf("Len %d", s.Len())
	}
}

// TestAWindowOfTheFarPastIsNotEmpty promises that what has been summed up shows wherever it reaches
// over, and nothing beyond what there is.
func TestAWindowOfTheFarPastIsNotEmpty(t *testing.T) {
	t.Parallel()
	var s Series
	for i := range 1_000_000 {
		s.Add(float64(i), 0, float64(i))
	}
	for _, window := range [][2]float64{{300_000, 300_040}, {0, 10}, {999_000, 999_900}} {
		for i, p := range s.Columns(window[0], window[1], 60) {
			x := window[0] + (window[1]-window[0])*float64(i)/60
			if p.N == 0 || p.From > x+20 || p.X < x-20 {
				t.Errorf("column %d at %v of %v: %+v", i, x, window, p)
			}
		}
	}
	for i, p := range s.Columns(2e6, 3e6, 60) {
		if p.N != 0 {
			t.Errorf("column %d behind the end: %+v", i, p)
		}
	}
}

func TestSeriesKeepsSumsExact(t *testing.T) {
	t.Parallel()
	var s Series
	for i := range 10_000 {
		s.Add(float64(i), 0, 2)
	}
	n, sum := 0, 0.0
	for _, p := range s.Points() {
		n, sum = n+p.N, sum+p.Sum
	}
	if n != 10_000 || sum != 20_000 {
		t.Errorf("n %d sum %v", n, sum)
	}
}

func TestSeriesAt(t *testing.T) {
	t.Parallel()
	var s Series
	if _, ok := s.At(1); ok {
		t.Error("an empty series has no past")
	}
	for i := range 5000 {
		s.Add(float64(i), 0, float64(i))
	}
	for _, x := range []float64{0, 3, 2500, 4999, 9999} {
		p, ok := s.At(x)
		if !ok || p.From > x || x <= 4999 && math.Abs(p.Last-x) > 64 {
			t.Errorf("At(%v) = %+v, %v", x, p, ok)
		}
	}
	if _, ok := s.At(-1); ok {
		t.Error("nothing was before the first value")
	}
}

func TestSeriesLeavesOutWhatIsNoNumber(t *testing.T) {
	t.Parallel()
	var s Series
	s.Add(1, 0, math.NaN())
	s.Add(2, 0, math.Inf(1))
	if s.Len() != 0 {
		t.Errorf("Len %d", s.Len())
	}
}

// TestSeriesCopiesStay promises that a copy, which shares points with the series, is not
// changed by what is added afterwards.
func TestSeriesCopiesStay(t *testing.T) {
	t.Parallel()
	var s Series
	var copies []Series
	var points [][]Point
	for i := range 20_000 {
		s.Add(float64(i), 0, float64(i%97))
		if i%777 == 0 {
			copies = append(copies, s.clone())
			points = append(points, slices.Clone(s.Points()))
		}
	}
	for i := range copies {
		if !slices.Equal(copies[i].Points(), points[i]) {
			t.Fatalf("copy %d of %d has changed", i, len(copies))
		}
	}
}

// TestColumnsAreInOrder promises that no column reaches beyond its own end, also where one value
// stands for many.
func TestColumnsAreInOrder(t *testing.T) {
	t.Parallel()
	var s Series
	const n = 1_200_000
	for i := range n {
		s.Add(float64(i), 0, float64(i%7))
	}
	const columns = 400
	last := -1.0
	for i, p := range s.Columns(0, n, columns) {
		end := float64(i+1) * n / columns
		if p.N == 0 || p.X <= last || p.X > end+1e-6 || p.From > p.X {
			t.Fatalf("column %d from %v to %v behind %v", i, p.From, p.X, last)
		}
		last = p.X
	}
	if m := s.Mean(); m < 2.99 || m > 3.01 {
		t.Errorf("mean %v", m)
	}
	if p, ok := s.First(); !ok || p.From != 0 {
		t.Errorf("first %+v", p)
	}
}
