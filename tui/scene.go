package tui

import (
	"path/filepath"
	"slices"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// scene is all that a pane is drawn from. A pane is a pure function of a scene and
// a size.
type scene struct {
	snap  *diagnose.Snapshot
	run   *diagnose.Run // nil if no input gave anything yet
	index int           // of run among runs
	runs  []*diagnose.Run
	view  view
	theme theme
	lang  diagnose.Lang
	label string
	about string              // name and version of the program
	tried []string            // formats that inputs were looked through for
	keys  map[string][]string // for actions, instead of those in the table
}

// shownRuns are the runs one can go through: those that are runs of training, or
// the newest one of which nothing is known yet.
func shownRuns(snap *diagnose.Snapshot) []*diagnose.Run {
	if snap == nil {
		return nil
	}
	var out []*diagnose.Run
	for _, r := range snap.Runs {
		if r.Known {
			out = append(out, r)
		}
	}
	if len(out) == 0 && len(snap.Runs) > 0 {
		out = snap.Runs[len(snap.Runs)-1:]
	}
	return out
}

// newScene finds the run that v wants to see.
func newScene(snap *diagnose.Snapshot, v view, t theme, o Options) scene {
	s := scene{snap: snap, view: v, theme: t, lang: o.Lang, label: clean(o.Label), about: clean("yolotop " + o.Version), tried: o.Formats, keys: o.Keys}
	s.runs = shownRuns(snap)
	if len(s.runs) == 0 {
		return s
	}
	s.index = len(s.runs) - 1
	if i := slices.IndexFunc(s.runs, func(r *diagnose.Run) bool { return r.ID == v.run }); i >= 0 {
		s.index = i
	}
	s.run = s.runs[s.index]
	newest := s.run.Epoch
	if s.run.Stepwise {
		newest = s.run.Iter
	}
	if v.cursor > 0 && (!s.run.HasRows() || v.cursor > newest) {
		s.view.cursor = 0
	}
	return s
}

// say is a sentence of the catalogue.
func (s scene) say(key diagnose.Key, args ...any) string {
	return diagnose.Say(key, args...).In(s.lang)
}

// duration writes a duration for people.
func (s scene) duration(d time.Duration) string { return diagnose.FormatDuration(d, s.lang) }

// live reports whether the newest state is shown and not the past.
func (s scene) live() bool { return s.view.cursor == 0 }

// epoch is the epoch that is shown: the newest or the one under the cursor.
func (s scene) epoch() int {
	if s.run == nil {
		return 0
	}
	if !s.live() && !s.run.Stepwise {
		return s.view.cursor
	}
	return s.run.Epoch
}

// position is epoch on the axis of the series: a past epoch is shown as it ended.
func (s scene) position() float64 {
	if s.run == nil {
		return 0
	}
	if !s.live() {
		return float64(s.view.cursor)
	}
	return s.run.X()
}

// stat is the row of an epoch; nil if it is not kept.
func stat(r *diagnose.Run, epoch int) *diagnose.EpochStat {
	if r == nil {
		return nil
	}
	for i := len(r.Epochal) - 1; i >= 0; i-- {
		if r.Epochal[i].Epoch == epoch {
			return &r.Epochal[i]
		}
	}
	return nil
}

// findings are those that are true at the moment shown, the gravest first.
func (s scene) findings() []*diagnose.Finding {
	if s.run == nil {
		return nil
	}
	var out []*diagnose.Finding
	for _, f := range s.run.ByGravity() {
		first, last := f.First.Epoch, f.Last.Epoch
		if s.run.Stepwise {
			first, last = f.First.Iter, f.Last.Iter
		}
		if s.live() && f.Active || !s.live() && first <= s.view.cursor && (f.Active || last >= s.view.cursor) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *diagnose.Finding) int { return int(b.Level) - int(a.Level) })
	return out
}

// levelMood is the sign of a finding's level.
func levelMood(l diagnose.Level) mood {
	return [...]mood{diagnose.Info: moodInfo, diagnose.Warning: moodWarning, diagnose.Critical: moodCritical}[l]
}

// title is what a finding says; a silence says how long it is by now.
func (s scene) title(f *diagnose.Finding) string {
	if f.Kind == diagnose.Stalled && f.Active && s.snap != nil && s.live() {
		if usual, last, ok := s.run.Pulse(); ok && s.snap.Now.After(last) {
			return s.say("verdict.stalled", coarse(s.snap.Now.Sub(last)), max(usual, time.Second).Round(time.Second))
		}
	}
	return clean(f.Title.In(s.lang))
}

// coarse rounds an age to minutes once it has some, so that it does not change
// every second.
func coarse(d time.Duration) time.Duration {
	switch {
	case d < 0:
		return 0
	case d < time.Minute:
		return d.Truncate(time.Second)
	}
	return d.Truncate(time.Minute)
}

// measured reports whether the log of the run showed any memory.
func (s scene) measured() bool { return s.run != nil && s.run.MemorySeries.Len() > 0 }

// starting reports whether the run has no row to draw yet; samples of devices alone are
// no rows.
func (s scene) starting() bool {
	return s.run == nil || !s.run.HasRows() || s.sampled() && len(s.run.Epochal) == 0
}

// gib is an amount in GiB without its unit, always as wide.
func gib(b parse.Bytes) string {
	return fitNumber(b.GiB(), 4)
}

// base is an input's name without its folders.
func base(name string) string {
	if name == "-" || name == "" {
		return diagnose.StandardInput
	}
	return clean(filepath.Base(name))
}
