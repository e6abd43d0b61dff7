package diagnose

import (
	"time"

	"yolotop/parse"
)

// Snapshot is the state of a session at one moment, safe to read elsewhere.
type Snapshot struct {
	Now     time.Time
	Began   time.Time // of the watching; zero in its first second
	Inputs  []Input
	Sources []parse.SourceState // by input
	Offsets []int64             // by input: how far it was read, in bytes
	Runs    []*Run              // in the order of Session.Runs
	Machine *Machine
}

// Reading is how much was read so far of what stood in an input when it was opened, from 0 to 1; ok
// is false where that was little, or was read.
func (s *Snapshot) Reading(input int) (share float64, ok bool) {
	if input < 0 || input >= len(s.Sources) || input >= len(s.Offsets) || s.Sources[input].Status != parse.SourceReading {
		return 0, false
	}
	size := s.Sources[input].Size
	if size == 0 {
		return 0, false
	}
	return min(1, float64(s.Offsets[input])/float64(size)), true
}

// Snapshot copies what a screen needs.
func (s *Session) Snapshot(now time.Time) *Snapshot {
	s.joinRecordings()
	if s.othersChanged {
		s.compareAll()
	}
	snap := &Snapshot{Now: now, Began: s.began, Inputs: s.inputs, Machine: s.machine.clone()}
	for i := range s.states {
		snap.Sources = append(snap.Sources, s.states[i].source)
		snap.Offsets = append(snap.Offsets, s.states[i].offset)
	}
	for _, r := range s.runs {
		snap.Runs = append(snap.Runs, r.clone())
	}
	return snap
}
