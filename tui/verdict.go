package tui

import (
	"math"
	"slices"
	"strings"

	"yolotop/diagnose"
	"yolotop/parse"
)

// verdict is what the first line says: a sign and parts in order of importance.
type verdict struct {
	mood   mood
	parts  []string
	urgent int  // parts behind the first one that matter as much
	hint   bool // there is a finding that can be explained
}

// Summary is the verdict on a run in one line without colour, as plain output and
// a status line show it. inputs name what was read if nothing is known of a run.
func Summary(run *diagnose.Run, inputs []diagnose.Input, lang diagnose.Lang) string {
	s := scene{run: run, lang: lang, snap: &diagnose.Snapshot{Inputs: inputs}, theme: theme{}}
	v := s.verdict()
	return s.theme.glyph(v.mood) + " " + strings.Join(v.parts, " · ")
}

// verdict judges the run at the moment shown, and says so if it is only the last one.
func (s scene) verdict() verdict {
	v := s.judge()
	if share, ok := s.reading(); ok && s.live() { // what is known is not all that there is
		v.parts, v.urgent = append([]string{s.say("verdict.reading", diagnose.Percent(share))}, v.parts...), 0
		if v.mood == moodOK {
			v.mood = moodInfo
		}
	}
	if when := s.lastWritten(); when != "" && s.live() {
		v.parts = append(v.parts, s.say("verdict.last", when))
	}
	return v
}

// reading is how much was read of the inputs of the run, or of all where none is known, so far; ok
// is false where all that stood in them was read.
func (s scene) reading() (share float64, ok bool) {
	if s.snap == nil {
		return 0, false
	}
	for i := range s.snap.Inputs {
		if s.run != nil && s.run.Known && !slices.Contains(s.run.Inputs, i) {
			continue
		}
		if one, behind := s.snap.Reading(i); behind && (!ok || one < share) {
			share, ok = one, true
		}
	}
	return share, ok
}

func (s scene) judge() verdict {
	r := s.run
	switch {
	case r == nil || !r.Known:
		return s.nothingYet()
	case !s.live():
		return s.pastVerdict()
	}
	g := r.Gravest()
	switch r.Status {
	case diagnose.Failed, diagnose.Killed:
		return s.died(g)
	case diagnose.Finished, diagnose.StoppedEarly:
		return s.finished(g)
	}
	if g != nil && g.Level > diagnose.Info {
		return s.trouble(g)
	}
	if !r.HasRows() {
		if s.sampled() {
			return s.devicesVerdict()
		}
		switch {
		case r.Forsaken:
			return verdict{mood: moodWarning, parts: []string{s.say("verdict.forsaken.start")}}
		case r.Status == diagnose.StatusUnknown:
			return verdict{parts: []string{s.say("verdict.ends.start")}}
		}
		return s.startingVerdict()
	}
	v := s.quiet(g)
	switch {
	case r.Forsaken:
		v.mood = moodWarning
		v.parts = append([]string{s.say("verdict.forsaken", r.Here(), diagnose.Say(phaseKey(r)))}, v.parts...)
	case r.Status == diagnose.StatusUnknown:
		v.mood = moodInfo
		v.parts = append([]string{s.say("verdict.ends", r.Here(), diagnose.Say(phaseKey(r)))}, v.parts...)
	}
	return v
}

// phaseKey is whether an ended input stopped within an epoch or after one.
func phaseKey(r *diagnose.Run) diagnose.Key {
	if st := r.Current(); st != nil && !st.Complete {
		return "verdict.within"
	}
	return "verdict.after"
}

// nothingYet is the verdict where no training was seen.
func (s scene) nothingYet() verdict {
	if s.snap == nil {
		return verdict{parts: []string{s.say("verdict.none")}}
	}
	if s.searching() && len(s.snap.Inputs) == 0 {
		return s.searchVerdict()
	}
	ended := len(s.snap.Sources) > 0
	for i, src := range s.snap.Sources {
		name := s.inputName(i)
		switch src.Status {
		case parse.SourceWaiting:
			return verdict{parts: []string{s.say("verdict.waiting", name), clean(src.Why)}}
		case parse.SourceFailed:
			return verdict{mood: moodCritical, parts: []string{s.say("verdict.unreadable", name), clean(src.Why)}}
		case parse.SourceEnded:
		default:
			ended = false
		}
	}
	if len(s.snap.Inputs) > 0 && (ended || s.run != nil && s.run.Phase == diagnose.Ended) {
		return verdict{parts: []string{s.say("verdict.none.in", s.inputName(0))}}
	}
	return verdict{parts: []string{s.say("verdict.none")}}
}

// died is the verdict on a run that failed: what killed it, when, and what is left.
func (s scene) died(g *diagnose.Finding) verdict {
	r := s.run
	v := verdict{mood: moodCritical, hint: g != nil}
	switch {
	case g != nil && g.Level == diagnose.Critical:
		if oom := s.activeOOM(); oom != nil && oom != g { // what ended it, then what explains it
			v.parts = append(v.parts, s.title(oom))
		}
		v.parts = append(v.parts, s.title(g))
	case r.Status == diagnose.Killed && r.DeathAt.Epoch == 0:
		v.parts = append(v.parts, s.say("verdict.killed.start"))
	case r.Status == diagnose.Killed:
		v.parts = append(v.parts, s.say("verdict.killed", r.Place(r.DeathAt.Epoch, r.DeathAt.Iter)))
	case r.DeathAt.Epoch == 0:
		v.parts = append(v.parts, s.say("verdict.died.start"))
	default:
		v.parts = append(v.parts, s.say("verdict.died", r.Place(r.DeathAt.Epoch, r.DeathAt.Iter)))
	}
	if g == nil || g.Level < diagnose.Critical {
		if r.Death != nil && r.Death.Text != "" {
			v.parts = append(v.parts, clean(r.Death.Text))
		}
	}
	v = s.withCheckpoint(v, false)
	if r.DeathAt.HasRun && r.DeathAt.Run > 0 {
		v.parts = append(v.parts, s.say("verdict.lived", r.DeathAt.Run))
	}
	return s.withBest(v)
}

// activeOOM is the finding of an out-of-memory that is true, nil if there is none.
func (s scene) activeOOM() *diagnose.Finding {
	for _, f := range s.run.Findings {
		if f.Kind == diagnose.OOM && f.Active && f.Level == diagnose.Critical {
			return f
		}
	}
	return nil
}

// finished is the verdict on a run that reached its end.
func (s scene) finished(g *diagnose.Finding) verdict {
	r := s.run
	v := verdict{mood: moodOK, hint: g != nil}
	done := s.say("verdict.finished.untimed", r.Extent())
	switch {
	case r.Status == diagnose.StoppedEarly:
		done = s.say("verdict.early", r.Epoch)
	case r.HasElapsed && r.Elapsed > 0:
		done = s.say("verdict.finished", r.Extent(), r.Elapsed)
	}
	if g != nil && g.Level == diagnose.Critical {
		v.mood = moodCritical
		v.parts = append(v.parts, s.title(g), done)
	} else {
		v.parts = append(v.parts, done)
	}
	v = s.withBest(v)
	if g != nil && g.Level == diagnose.Warning {
		v.parts = append(v.parts, s.title(g))
	}
	return v
}

// trouble is the verdict on a run with a warning or worse.
func (s scene) trouble(g *diagnose.Finding) verdict {
	v := verdict{mood: levelMood(g.Level), hint: true}
	title := s.title(g)
	if g.Provisional {
		title = s.say("verdict.provisional", title)
	}
	v.parts = append(v.parts, title)
	if o := g.OOM; o != nil {
		v.parts, v.urgent = append(v.parts, s.fullText(o)), 1
		if o.In > 0 && s.run.Status == diagnose.Running {
			v.parts, v.urgent = append(v.parts, s.say("verdict.in", coarseLeft(o.In))), 2
		}
	}
	if g.Level == diagnose.Critical || g.OOM != nil {
		v = s.withCheckpoint(v, true)
	}
	switch {
	case s.run.Forsaken:
		v.parts = append(v.parts, s.say("verdict.forsaken", s.run.Here(), diagnose.Say(phaseKey(s.run))))
	case s.run.Status == diagnose.StatusUnknown && s.run.HasRows():
		v.parts = append(v.parts, s.say("verdict.ends", s.run.Here(), diagnose.Say(phaseKey(s.run))))
	}
	return v
}

// fullText is when memory is full.
func (s scene) fullText(o *diagnose.Forecast) string {
	return s.say("verdict.full", int(math.Ceil(o.Epoch)), int(math.Floor(o.Low)), int(math.Ceil(o.High)))
}

// devicesVerdict is the verdict on samples of devices without a training.
func (s scene) devicesVerdict() verdict {
	r := s.run
	v := verdict{parts: []string{s.say("verdict.devices", len(r.GPUs))}}
	if r.Apart {
		v.parts = append(v.parts, s.say("verdict.apart"))
	}
	if r.Verdict() == diagnose.Stable {
		v.mood = moodOK
		v.parts = append(v.parts, s.say("verdict.devices.flat"))
	}
	if g := r.Gravest(); g != nil {
		v.parts = append(v.parts, s.title(g))
	}
	return v
}

// startingVerdict says how far the start is.
func (s scene) startingVerdict() verdict {
	r := s.run
	v := verdict{parts: []string{s.starts()}}
	if t := r.Memory.Total; t > 0 {
		v.parts = append(v.parts, s.say("verdict.card", t))
	}
	if r.Batch > 0 {
		v.parts = append(v.parts, s.say("header.batch", r.Batch))
	}
	if n := s.workers(); n >= 0 {
		v.parts = append(v.parts, s.say("facts.workers.n", n))
	}
	return v
}

// starts is the phase of a start: "starting: caching images 62%".
func (s scene) starts() string {
	if s.run.Stage == nil {
		return s.say("verdict.starting")
	}
	return s.say("verdict.starting.at", s.run.PhaseText())
}

// quiet is the verdict on a run without trouble.
func (s scene) quiet(g *diagnose.Finding) verdict {
	r := s.run
	v := verdict{mood: moodOK, hint: g != nil}
	if g != nil && (g.Kind == diagnose.NotMeasured || g.Kind == diagnose.Unreadable) {
		v.mood = moodInfo
		v.parts = []string{s.title(g), s.say("verdict.nothing.else", r.Extent())}
		return v
	}
	switch verdict := r.Verdict(); {
	case !s.measured():
		v.mood = moodInfo
		v.parts = append(v.parts, s.say("verdict.unmeasured", r.Here()))
	case verdict == diagnose.Unknown && r.EpochsSeen > 4:
		v.mood = moodInfo
		v.parts = append(v.parts, s.say("verdict.rising", r.Here()))
	case verdict == diagnose.Unknown:
		v.mood = moodInfo
		v.parts = append(v.parts, s.say("verdict.too.early", r.Here()))
	default:
		v.parts = append(v.parts, s.say("verdict.ok", r.Extent()))
	}
	if free, ok := r.Free(); ok {
		v.parts = append(v.parts, s.say("verdict.free", free))
	}
	if g != nil {
		v.parts = append(v.parts, s.title(g))
	}
	return v
}

// pastVerdict is what was true at the cursor.
func (s scene) pastVerdict() verdict {
	v := verdict{mood: moodInfo, parts: []string{s.say("verdict.past", s.view.cursor, s.run.Epoch)}}
	if s.run.Stepwise {
		v.parts[0] = s.say("verdict.past.iter", s.view.cursor, s.run.Iter)
	}
	if p := s.run.At(s.position()); p.Memory > 0 {
		held := s.memoryWord() + " " + diagnose.FormatGiB(p.Memory)
		if p.To > 0 && !s.run.Stepwise {
			held = s.say("verdict.past.sum", held, int(math.Ceil(p.From)), int(math.Ceil(p.To)))
		}
		v.parts = append(v.parts, held)
	}
	found := s.findings()
	if len(found) == 0 {
		v.parts = append(v.parts, s.say("verdict.past.none"))
	} else {
		v.mood, v.hint = levelMood(found[0].Level), true
		v.parts = append(v.parts, clean(found[0].Title.In(s.lang)))
	}
	v.parts = append(v.parts, s.say("verdict.past.back", s.keyOf("live")))
	return v
}
