package diagnose

import "math"

// segmentSize learns by how much the allocator takes memory at a time from the rises of a
// series. It is 2 or 20 MiB as a rule (c10/cuda/CUDACachingAllocator.cpp), but other settings
// of the allocator, and other allocators, take far more.
type segmentSize struct {
	last  float64
	least float64 // of the rises so far; 0 before the first
	rises int
}

// segmentRises is how many rises must have been seen before the least of them is believed.
const segmentRises = 8

func (s *segmentSize) add(v, tolerance float64) {
	if rise := v - s.last; s.last > 0 && rise > tolerance {
		s.rises++
		if s.least == 0 || rise < s.least {
			s.least = rise
		}
	}
	s.last = v
}

// step is the least by which memory rises: what is printed, or what the allocator takes.
func (g *growth) step() float64 {
	if g.segment.rises < segmentRises {
		return g.quantum
	}
	return math.Max(g.quantum, g.segment.least)
}
