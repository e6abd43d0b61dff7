package diagnose

import (
	"fmt"
	"slices"

	"yolotop/parse"
)

// othersWeighed is how many runs of a session are looked at for comparison, the newest ones.
const othersWeighed = 64

// Compare tells the session of other runs, of which it keeps some dozens. Those that are like a
// run of the session are among its Others from then on.
func (s *Session) Compare(others ...OtherRun) {
	for _, o := range others {
		known := func(k OtherRun) bool { return k.Name == o.Name }
		if len(s.others) < othersWeighed && !slices.ContainsFunc(s.others, known) {
			s.others = append(slices.Clip(s.others), o)
		}
	}
	s.compareAll()
	for _, r := range s.runs {
		e := parse.Event{Origin: parse.Origin{Input: r.Inputs[0], Line: r.lastLine(), Run: r.Elapsed, HasRun: r.HasElapsed}}
		fit{}.judge(r, &e)
		r.settle()
	}
}

// othersOfOne is how many runs of one log are compared with at most, the newest ones.
const othersOfOne = 16

// AsOthers sums up the runs of the session for comparison in another one.
func (s *Session) AsOthers() (out []OtherRun) {
	for _, r := range s.runs[max(0, len(s.runs)-othersOfOne):] {
		if o, ok := r.AsOther(s.nameOf(r)); ok {
			out = append(out, o)
		}
	}
	return out
}

func (s *Session) compareAll() {
	s.othersChanged = false
	for _, r := range s.runs {
		s.compare(r)
	}
}

// compare finds the other runs for one, among those that were told of and those of the session
// that have ended.
func (s *Session) compare(r *Run) {
	var others []OtherRun
	for _, o := range s.others {
		if !slices.ContainsFunc(s.inputs, func(i Input) bool { return i.Name == o.Name }) { // else it is a run of the session
			others = append(others, o)
		}
	}
	for _, o := range s.runs[max(0, len(s.runs)-othersWeighed):] {
		if o == r || o.Status == Running {
			continue
		}
		if o.other == nil {
			o.other = new(OtherRun)
			*o.other, o.isOther = o.AsOther(s.nameOf(o))
		}
		if o.isOther {
			others = append(others, *o.other)
		}
	}
	r.Others = r.comparable(others)
	if f := r.active(Tight); f != nil && f.Provisional && len(r.Others) == 0 {
		r.withdraw(Tight)
	}
}

// nameOf is what a person calls a run: its input, and which one of several in it.
func (s *Session) nameOf(r *Run) string {
	name := s.inputs[r.Inputs[0]].Name
	if n := r.number(); n > 1 || s.states[r.Inputs[0]].run != r {
		return fmt.Sprintf("%s (%d)", name, n)
	}
	return name
}

// number is which run of its input it is, from 1.
func (r *Run) number() (n int) {
	for p := r; p != nil; p = p.predecessor {
		n++
	}
	return n
}
