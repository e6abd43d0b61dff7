package diagnose

import (
	"math"
	"slices"
	"sort"
	"time"
)

// Point is one value of a series, or several neighbouring ones summed up.
type Point struct {
	From     float64       // X of the first value
	X        float64       // of the last value, on the axis of the series, as Run.X: 2.5 is the middle of epoch 3
	Run      time.Duration // run time of the last value
	Min, Max float64
	Sum      float64
	Last     float64
	N        int
}

// Mean is the mean of the values in p; NaN if there are none.
func (p Point) Mean() float64 { return p.Sum / float64(p.N) }

func (p *Point) merge(q Point) {
	p.Min, p.Max = min(p.Min, q.Min), max(p.Max, q.Max)
	p.Sum += q.Sum
	p.N += q.N
	p.Last, p.X, p.Run = q.Last, q.X, q.Run
}

// Sizes of a series: enough recent points for a full-width chart at full detail,
// and as many buckets for all that came before.
const (
	recentPoints = 1024
	pastBuckets  = 512
)

// Series is a bounded history: the recent past in full and buckets with minimum,
// maximum, sum and last value of what came before, so that a million values cost
// what a thousand do and a spike survives. The zero value is empty.
type Series struct {
	past   []Point
	width  int // values in a full bucket of past
	recent []Point
	n      int
	max    float64
	min    float64
}

// Add appends a finite value; others are left out, since a gap is drawn as a gap.
func (s *Series) Add(x float64, run time.Duration, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if s.n == 0 {
		s.min, s.max = v, v
	}
	s.n++
	s.min, s.max = min(s.min, v), max(s.max, v)
	if len(s.recent) == 2*recentPoints {
		s.age()
	}
	s.recent = append(s.recent, Point{From: x, X: x, Run: run, Min: v, Max: v, Sum: v, Last: v, N: 1})
}

// age moves the older half of the recent points into buckets. Copies share the points,
// which are never changed in place.
func (s *Series) age() {
	if s.width == 0 {
		s.width = 4
	}
	s.past = slices.Clone(s.past)
	for _, p := range s.recent[:recentPoints] {
		if k := len(s.past); k > 0 && s.past[k-1].N < s.width {
			s.past[k-1].merge(p)
			continue
		}
		if len(s.past) == pastBuckets {
			s.halve()
		}
		s.past = append(s.past, p)
	}
	s.recent = append(make([]Point, 0, 2*recentPoints), s.recent[recentPoints:]...)
}

// halve merges neighbouring buckets.
func (s *Series) halve() {
	for i := range len(s.past) / 2 {
		s.past[i] = s.past[2*i]
		s.past[i].merge(s.past[2*i+1])
	}
	s.past = s.past[:len(s.past)/2]
	s.width *= 2
}

// Len is how many values were added.
func (s *Series) Len() int { return s.n }

// Max is the greatest value ever added; 0 if there is none.
func (s *Series) Max() float64 { return s.max }

// Min is the least value ever added; 0 if there is none.
func (s *Series) Min() float64 { return s.min }

// Points are all points in order, the oldest first.
func (s *Series) Points() []Point {
	return append(slices.Clone(s.past), s.recent...)
}

// First is the oldest point, which may sum up several values; ok is false if there is none.
func (s *Series) First() (p Point, ok bool) {
	for _, part := range [][]Point{s.past, s.recent} {
		if len(part) > 0 {
			return part[0], true
		}
	}
	return Point{}, false
}

// Mean is the mean of all values; NaN if there are none.
func (s *Series) Mean() float64 {
	sum, n := 0.0, 0
	for _, part := range [][]Point{s.past, s.recent} {
		for i := range part {
			sum, n = sum+part[i].Sum, n+part[i].N
		}
	}
	return sum / float64(n)
}

// scale multiplies all X. Copies keep theirs.
func (s *Series) scale(factor float64) {
	s.past, s.recent = slices.Clone(s.past), slices.Clone(s.recent)
	for _, part := range [][]Point{s.past, s.recent} {
		for i := range part {
			part[i].From, part[i].X = factor*part[i].From, factor*part[i].X
		}
	}
}

// Last is the newest point; ok is false if there is none.
func (s *Series) Last() (p Point, ok bool) {
	if len(s.recent) == 0 {
		return Point{}, false
	}
	return s.recent[len(s.recent)-1], true
}

// At is the newest point that began at or before x; ok is false if there is none.
func (s *Series) At(x float64) (p Point, ok bool) {
	for _, part := range [][]Point{s.recent, s.past} {
		i := sort.Search(len(part), func(i int) bool { return part[i].From > x })
		if i > 0 {
			return part[i-1], true
		}
	}
	return Point{}, false
}

// Columns divides the time from x0 to x1 into n columns and sums up the points in
// each; a column without points has N = 0. What has been summed up over more than a column is
// in each that it reaches over.
func (s *Series) Columns(x0, x1 float64, n int) []Point {
	out := make([]Point, n)
	if n == 0 || x1 <= x0 {
		return out
	}
	scale := float64(n) / (x1 - x0)
	for _, part := range [][]Point{s.past, s.recent} {
		for _, p := range part {
			if p.X < x0 || p.From > x1 {
				continue
			}
			to := min(int((p.X-x0)*scale), n-1)
			from := to
			if p.N > 1 && (p.X-p.From)*scale > 1 {
				from = max(0, int((p.From-x0)*scale))
			} else if p.X > x1 {
				continue
			}
			for i := from; i <= to; i++ {
				q := p
				if from < to { // no part of it is beyond its column
					q.From, q.X = max(p.From, x0+float64(i)/scale), min(p.X, x0+float64(i+1)/scale)
				}
				if out[i].N == 0 {
					out[i] = q
				} else {
					out[i].merge(q)
				}
			}
		}
	}
	return out
}

// clone copies s for a reader in another goroutine.
func (s *Series) clone() Series {
	c := *s
	c.past, c.recent = slices.Clip(s.past), slices.Clip(s.recent)
	return c
}
