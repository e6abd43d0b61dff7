package tui

import (
	"math"
	"strings"

	"yolotop/diagnose"
)

// statusLeast is the fewest cells in which the beginning of a sentence says something.
const statusLeast = 10

// StatusLine is how a run stands in at most so many cells, without colour, for the status bar of
// tmux or a prompt: a sign, the epoch, memory, the time that is left, and the gravest finding.
func StatusLine(run *diagnose.Run, inputs []diagnose.Input, lang diagnose.Lang, cells int, ascii bool) string {
	s := scene{run: run, lang: lang, snap: &diagnose.Snapshot{Inputs: inputs}, theme: theme{ascii: ascii}}
	out := strings.TrimSpace(s.theme.glyph(levelSign(StatusLevel(run, inputs), s.verdict().mood)))
	facts, sentences := s.statusParts()
	gap := " "
	add := func(p string) {
		out, gap = out+gap+p, " · "
	}
	for _, p := range facts { // a number that is cut is another number
		if p != "" && width(out+gap+p) <= cells {
			add(p)
		}
	}
	for _, p := range sentences {
		switch room := cells - width(out+gap); {
		case p == "":
		case width(p) <= room, room >= statusLeast:
			add(cut(p, room))
		}
	}
	out = cut(out, cells)
	if ascii {
		out = toASCII(out)
	}
	return out
}

// StatusLevel is how bad a run is: its gravest finding, or its death.
func StatusLevel(run *diagnose.Run, inputs []diagnose.Input) diagnose.Level {
	s := scene{run: run, snap: &diagnose.Snapshot{Inputs: inputs}}
	level := diagnose.Info
	switch s.verdict().mood {
	case moodWarning:
		level = diagnose.Warning
	case moodCritical:
		level = diagnose.Critical
	}
	if g := run.Gravest(); g != nil {
		level = max(level, g.Level)
	}
	return level
}

// levelSign is the sign of a level, where a verdict without trouble has its own.
func levelSign(l diagnose.Level, verdict mood) mood {
	if l > diagnose.Info {
		return levelMood(l)
	}
	return verdict
}

// statusParts are what a status line says, the most important first: facts that are there in
// whole or not at all, and sentences.
func (s scene) statusParts() (facts, sentences []string) {
	r := s.run
	if !r.HasRows() || s.sampled() && r.Epoch == 0 {
		return nil, s.verdict().parts
	}
	facts = append(facts, strings.TrimSpace(s.epochOf()))
	if s.measured() {
		held := strings.TrimSpace(gib(max(r.Memory.Last, r.HeldAtEnd())))
		if t := r.Memory.Total; t > 0 {
			held += "/" + strings.TrimSpace(gib(t))
		}
		facts = append(facts, held+" GiB")
	}
	if d, ok := r.Remaining(); ok {
		facts = append(facts, s.say("header.left", s.shortLeft(d)))
	}
	if r.Status != diagnose.Running {
		facts = append(facts, s.say(diagnose.Key("status."+string(r.Status))))
	}
	if g := r.Gravest(); g != nil && g.Level > diagnose.Info {
		if g.OOM != nil && (r.Status == diagnose.Running || r.Status == diagnose.StatusUnknown) {
			sentences = append(sentences, s.say("status.full", int(math.Ceil(g.OOM.Epoch))))
		}
		if oom := s.activeOOM(); oom != nil && oom != g { // what ended it, before what explains it
			sentences = append(sentences, s.title(oom))
		}
		sentences = append(sentences, s.title(g))
	}
	return facts, sentences
}
