package diagnose

import (
	"slices"
	"strings"
	"time"
)

// Checkpoint is the newest checkpoint from which a run can be resumed.
type Checkpoint struct {
	Epoch int // the last one that is in it, from 1
	// Age is how long the run went on behind it; Timed is false if that is not known.
	Age   time.Duration
	Timed bool
}

// Checkpoint is what last.pt holds by what was seen: these trainers write it after the
// validation of each epoch. ok is false for other trainers, before the first epoch, where
// saving is off, and where it may hold NaN.
func (r *Run) Checkpoint() (c Checkpoint, ok bool) {
	if f := r.active(NaN); f != nil && f.Level > Info {
		return c, false
	}
	e := r.saved()
	if e == nil {
		return c, false
	}
	c.Epoch = e.Epoch
	c.Age = r.Elapsed - e.Moment.Run
	c.Timed = e.Moment.HasRun && r.HasElapsed && c.Age > 0
	return c, true
}

// saved is the last epoch that is in a checkpoint, whatever that is worth; nil if there is none.
func (r *Run) saved() *EpochStat {
	if !r.writesLast() || r.Stepwise {
		return nil
	}
	phase := r.Phase
	if r.Death != nil {
		phase = r.DeathPhase
	}
	busy := phase == Validating || phase == Training
	for i := len(r.Epochal) - 1; i >= 0; i-- {
		e := &r.Epochal[i]
		next := r.Death != nil && r.DeathAt.Epoch > e.Epoch // it died in a later epoch
		if !e.Complete || i == len(r.Epochal)-1 && busy && !next {
			continue
		}
		return e
	}
	return nil
}

// Resumable reports whether there is a checkpoint that is worth resuming from, or will be: a run
// that has ended in its first epoch has left none, and one that NaN has ended may have left NaN.
func (r *Run) Resumable() bool {
	if _, ok := r.Checkpoint(); ok || r.Status == Running && !r.Forsaken {
		return true
	}
	f := r.active(NaN)
	return r.FirstEpoch > 1 && (f == nil || f.Level == Info)
}

// writesLast reports whether the trainer writes last.pt after each epoch.
func (r *Run) writesLast() bool {
	switch r.Trainer {
	case "", "ultralytics", "yolov5", "yolov7", "yolov9":
		return r.Args["save"] != "False" && r.Args["nosave"] != "True"
	}
	return false
}

// ResumeCommand is the command that goes on behind the last checkpoint; empty where the
// trainer's command or its folder is not known.
func (r *Run) ResumeCommand() string {
	if r.SaveDir == "" || !r.writesLast() {
		return ""
	}
	last := ShellQuote(r.SaveDir + "/weights/last.pt")
	switch r.Trainer {
	case "ultralytics":
		return "yolo train resume model=" + last
	case "yolov5": // its scripts for classes and masks are others, and several devices need a launcher
		if r.Has("resume") && r.Has("hyp") && !r.Has("mask_ratio") && len(r.Devices) <= 1 {
			return "python train.py --resume " + last
		}
	}
	return ""
}

// ShellQuote is a word as a shell takes it: that of Windows where it is a path from there.
func ShellQuote(word string) string {
	if strings.Contains(word, `\`) {
		if strings.Contains(word, " ") {
			return `"` + word + `"`
		}
		return word
	}
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+=:,@%", c)
	}
	if strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// AdviceFor is what to do about a finding of the run, the cheapest first. A finding that may
// end the run, or has, names what can be resumed from at this moment.
func (r *Run) AdviceFor(f *Finding) []Message {
	advice := f.Advice
	if r.over() { // there is nothing left to stop
		advice = slices.DeleteFunc(slices.Clone(advice), func(m Message) bool { return m.Key == "nan.stop" })
	}
	c, ok := r.Checkpoint()
	if !ok || !f.Active || !f.losesRun() || r.Status == Finished || r.Status == StoppedEarly {
		return advice
	}
	out := slices.Clip(advice)
	switch {
	case r.Death != nil && !c.Timed:
		out = append(out, Say("checkpoint.dead", c.Epoch))
	case r.Death != nil:
		out = append(out, Say("checkpoint.lost", c.Epoch, c.Age))
	case r.Death == nil && r.Status == Running && c.Timed:
		out = append(out, Say("checkpoint.age", c.Epoch, c.Age))
	default:
		out = append(out, Say("checkpoint", c.Epoch))
	}
	if command := r.ResumeCommand(); command != "" && !f.resumes() {
		out = append(out, Say("checkpoint.resume", command))
	}
	return out
}

// losesRun reports whether a finding is about what ends runs.
func (f *Finding) losesRun() bool {
	switch f.Kind {
	case OOM, HostRAM, OtherProcess, Tight, ValPeak, Stalled:
		return f.Level == Critical
	case Leak:
		return f.Level > Info
	}
	return false
}

// resumes reports whether the advice names the command already.
func (f *Finding) resumes() bool {
	for _, m := range f.Advice {
		if m.Key == "leak.resume.command" || m.Key == "leak.again.command" {
			return true
		}
	}
	return false
}
