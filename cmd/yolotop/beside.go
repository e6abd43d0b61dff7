package main

import (
	"io/fs"
	"os"
	"slices"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

// Bounds of what is read for comparison with other runs.
const (
	besideHead  = 256 << 10 // in which a log must say how it was configured
	besideEach  = 48 << 20  // of one log; a longer one is left out
	besideAll   = 64 << 20  // of all of them
	besideSlack = 1 << 20   // so near to its bound a log was cut
)

// besides reads the logs that lie beside the inputs and sums up the runs in them, so that the
// ones that are watched can be compared with them. What cannot be read is left out: nobody
// asked for it.
func besides(targets []sources.Target) (out []diagnose.OtherRun) {
	_ = guarded(func() {
		var seen []fs.FileInfo
		for _, t := range targets {
			if info, err := os.Stat(t.Path); err == nil {
				seen = append(seen, info)
			}
		}
		left := int64(besideAll)
		for _, t := range targets {
			if info, err := os.Stat(t.Path); err != nil || !info.Mode().IsRegular() {
				continue
			}
			for _, beside := range sources.Beside(t) {
				info, err := os.Stat(beside.Path)
				if err != nil || left <= 0 || slices.ContainsFunc(seen, func(f fs.FileInfo) bool { return os.SameFile(f, info) }) {
					continue
				}
				seen = append(seen, info)
				beside.Grammar = t.Grammar
				runs, size := otherRuns(beside, min(left, besideEach))
				out = append(out, runs...)
				left -= size
			}
		}
	})
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
	if err != nil || size >= most-besideSlack {
		return nil, size // what comes behind may be what matters
	}
	session.Observe(parse.Event{Record: &parse.SourceState{Name: t.Path, Status: parse.SourceEnded}})
	return session.AsOthers(), size
}
