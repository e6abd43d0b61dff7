package diagnose

import (
	"math"
	"strconv"
	"strings"
)

// Story is what became of a run that has ended, a sentence each: how far it came, its best epoch,
// what ended it and whether that was foretold, what to do, and the command that resumes it. It is
// empty while the run goes on.
func (r *Run) Story() []Message {
	if !r.over() || !r.HasRows() {
		return nil
	}
	out := []Message{r.storyOfLength()}
	if m, ok := r.bestMessage(); ok {
		out = append(out, m)
	}
	g := r.Gravest()
	if g != nil && g.Level == Info {
		g = nil
	}
	if death := r.storyOfDeath(g); len(death) > 0 {
		out = append(out, death...)
		out = append(out, r.foretold()...)
	} else if g != nil {
		out = append(out, Say("story.trouble", g.Title))
	}
	said := ""
	if g != nil {
		if advice := r.AdviceFor(g); len(advice) > 0 {
			out = append(out, Say("story.do", advice[0]))
			said = advice[0].In(English)
		}
	}
	if command := r.ResumeCommand(); command != "" && !strings.Contains(said, command) && r.Status != Finished && r.Status != StoppedEarly {
		c, ok := r.Checkpoint()
		switch {
		case ok:
			out = append(out, Say("story.resume.from", c.Epoch, command))
		case r.Resumable():
			out = append(out, Say("story.resume", command))
		case r.saved() == nil:
			out = append(out, Say("story.unsaved"))
		}
	}
	return out
}

// over reports whether nothing more will come of a run.
func (r *Run) over() bool {
	switch r.Status {
	case Finished, StoppedEarly, Failed, Killed:
		return true
	}
	return r.Forsaken
}

// storyOfLength is how far the run came, and in what time.
func (r *Run) storyOfLength() Message {
	model := r.Model
	for p := r; p.Continues != 0 && p.predecessor != nil; p = p.predecessor {
		if p.predecessor.Model != "" { // and not the checkpoint
			model = p.predecessor.Model
		}
	}
	var name any = strings.TrimSpace(r.Trainer + " " + model)
	if name == "" {
		name = Say("story.nameless")
	}
	of := Say("story.of", r.Epoch, max(r.Epochs, r.Epoch))
	switch {
	case r.Stepwise:
		of = r.Here()
	case r.Epochs == 0:
		of = Say("at.epoch", r.Epoch)
	}
	key := Key("story.reached")
	switch r.Status {
	case Finished:
		key = "story.finished"
	case StoppedEarly:
		key = "story.early"
	}
	if r.HasElapsed && r.Elapsed > 0 {
		return Say(key+".in", name, of, r.Elapsed)
	}
	return Say(key, name, of)
}

// bestMessage is the best epoch and its fitness.
func (r *Run) bestMessage() (m Message, ok bool) {
	if r.BestEpoch == 0 || r.BestFitness == 0 {
		return m, false
	}
	for _, name := range []string{"mAP50-95", "top1_acc", "mIoU", "mAP50"} {
		if s := r.MetricSeries[name]; s != nil {
			if p, ok := s.At(float64(r.BestEpoch)); ok {
				return Say("story.best.metric", r.BestEpoch, name, strconv.FormatFloat(p.Last, 'f', 3, 64)), true
			}
		}
	}
	return Say("story.best", r.BestEpoch), true
}

// storyOfDeath is what ended the run, nothing if it ended well.
func (r *Run) storyOfDeath(g *Finding) []Message {
	if r.Status != Failed && r.Status != Killed && !r.Forsaken {
		return nil
	}
	var out []Message
	where := r.Place(r.DeathAt.Epoch, r.DeathAt.Iter)
	oom := r.active(OOM)
	switch {
	case oom != nil && oom.Level == Critical:
		out = append(out, Say("story.died", oom.Title))
		if g != nil && g != oom {
			out = append(out, Say("story.because", g.Title))
		}
	case g != nil && g.Level == Critical:
		out = append(out, Say("story.died", g.Title))
	case r.Forsaken:
		out = append(out, Say("story.forsaken", r.Here()))
	case r.Status == Killed:
		out = append(out, Say("story.killed", where))
	case r.Death != nil && r.Death.Text != "":
		out = append(out, Say("story.failed", where, r.Death.Text))
	default:
		out = append(out, Say("story.failed.unknown", where))
	}
	return out
}

// foretold says whether a warning came before an out-of-memory, and which; nothing where another
// thing ended the run.
func (r *Run) foretold() []Message {
	oom := r.active(OOM)
	if oom == nil || oom.Level != Critical {
		return nil
	}
	var first *Finding
	for _, f := range r.Findings {
		if f.Level < Warning || !warnsOfMemory(f.Kind) || f.First.Line >= r.DeathAt.Line && f.First.Input == r.DeathAt.Input {
			continue
		}
		if first == nil || f.First.Line < first.First.Line {
			first = f
		}
	}
	switch {
	case first == nil:
		return []Message{Say("story.unforetold")}
	case first.OOM != nil:
		return []Message{Say("story.foretold.when", r.Place(first.First.Epoch, first.First.Iter), string(first.Kind), int(math.Floor(first.OOM.Low)), int(math.Ceil(first.OOM.High)))}
	}
	return []Message{Say("story.foretold", r.Place(first.First.Epoch, first.First.Iter), string(first.Kind))}
}

// warnsOfMemory reports whether a finding says beforehand that memory may run out.
func warnsOfMemory(k Kind) bool {
	switch k {
	case Leak, Tight, ValPeak, Creep, Headroom, OtherProcess, Step:
		return true
	}
	return false
}
