package main

import (
	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

// Bounds of what is read for comparison with other runs.
const (
	besideHead = 256 << 10 // in which a log must say how it was configured
	besideEach = 64 << 20  // of one log
	besideAll  = 128 << 20 // of all of them
)

// besides reads the logs that lie beside the inputs and sums up the runs in them, so that the
// ones that are watched can be compared with them. What cannot be read is left out: nobody
// asked for it.
func besides(targets []sources.Target) []diagnose.OtherRun {
	seen := map[string]bool{}
	for _, t := range targets {
		seen[t.Path] = true
	}
	left := int64(besideAll)
	var out []diagnose.OtherRun
	for _, t := range targets {
		if t.Path == standardInput {
			continue
		}
		for _, beside := range sources.Beside(t) {
			if seen[beside.Path] || left <= 0 {
				continue
			}
			seen[beside.Path] = true
			beside.Grammar = t.Grammar
			runs, size := otherRuns(beside, min(left, besideEach))
			out = append(out, runs...)
			left -= size
		}
	}
	return out
}

// otherRuns sums up the runs of a log, and says up to where it was read. It is given up where
// its beginning does not say how the run was configured.
func otherRuns(t sources.Target, most int64) (out []diagnose.OtherRun, size int64) {
	session := diagnose.NewSession(diagnose.Input{Name: t.Path})
	told := false
	err := sources.ReadSome(t, most, func(e parse.Event) bool {
		if _, ok := e.Record.(*parse.Config); ok {
			told = true
		}
		session.Observe(e)
		size = max(size, e.Offset)
		return told || e.Offset < besideHead
	})
	if err != nil {
		return nil, size
	}
	session.Observe(parse.Event{Record: &parse.SourceState{Name: t.Path, Status: parse.SourceEnded}})
	return session.AsOthers(), size
}
