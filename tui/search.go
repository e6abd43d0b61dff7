package tui

import (
	"fmt"
	"slices"
	"strconv"

	"yolotop/diagnose"
	"yolotop/parse"
)

// searchShown is how many trainings that cannot be watched are listed.
const searchShown = 4

// searching reports whether trainings are looked for on this machine.
func (s scene) searching() bool {
	return s.snap != nil && s.snap.Machine != nil && s.snap.Machine.Trainings != nil
}

// unwatched are the trainings of this machine that are no input, this user's first.
func (s scene) unwatched() []parse.Training {
	if !s.searching() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.snap.Machine.Trainings.Running), func(t parse.Training) bool { return t.Input >= 0 })
}

// searchVerdict is the verdict where no training was found that can be watched.
func (s scene) searchVerdict() verdict {
	if s.snap.Machine.Trainings == nil || len(s.unwatched()) == 0 {
		return verdict{parts: []string{s.say("verdict.search.none"), s.say("verdict.search.on")}}
	}
	t := s.unwatched()[0]
	if !t.Own {
		return verdict{parts: []string{s.say("verdict.search.foreign", len(s.unwatched())), s.say("verdict.search.on")}}
	}
	return verdict{mood: moodWarning, parts: []string{s.say("verdict.search.hidden", strconv.Itoa(t.PID))}}
}

// searchLines say what was looked for, what was found that cannot be watched, and how to
// begin.
func (s scene) searchLines(w int) []string {
	t := s.snap.Machine.Trainings
	var out []string
	add := func(lines ...string) { out = append(out, lines...) }
	hidden := s.unwatched()
	for _, h := range hidden[:min(len(hidden), searchShown)] {
		add(s.trainingLine(h, w))
		for _, line := range wrap(s.say(outputKey(h.Output)), w-4) {
			add("    " + s.theme.dim.Styled(line))
		}
	}
	if more := len(hidden) - searchShown; more > 0 {
		add(s.say("search.more", more))
	}
	if len(hidden) == 0 {
		add(wrap(s.say("search.processes"), w)...)
	}
	add(wrap(s.say("search.folder", clean(t.Folder)), w)...)
	add("", s.say("search.begin"))
	for _, line := range []struct {
		command string
		key     diagnose.Key
	}{
		{"yolo train ... 2>&1 | yolotop -", "search.pipe"},
		{"yolotop runs/detect/train", "search.path"},
		{"yolotop demo", "search.demo"},
	} {
		command := fit("  "+line.command, 36)
		if w < 60 {
			command = "  " + line.command + "  "
		}
		add(cut(s.theme.strong.Styled(command)+s.theme.dim.Styled(s.say(line.key)), w))
	}
	return out
}

// trainingLine is a process that trains, in one line.
func (s scene) trainingLine(t parse.Training, w int) string {
	head := fmt.Sprintf("%s %d", s.say("search.pid"), t.PID)
	if t.User != "" {
		head += "  " + clean(t.User)
	}
	return cut(s.theme.strong.Styled(head)+"  "+clean(t.Command), w)
}

// outputKey is the text that says why a training's output cannot be watched, and what to
// do.
func outputKey(o parse.Output) diagnose.Key {
	switch o {
	case parse.OutputTerminal:
		return "search.terminal"
	case parse.OutputPipe:
		return "search.hidden.pipe"
	case parse.OutputNowhere:
		return "search.nowhere"
	case parse.OutputForeign:
		return "search.foreign"
	}
	return "search.unknown"
}

// lastWritten is when the run shown was last written, if it is the last one of those that
// ended; else empty.
func (s scene) lastWritten() string {
	if s.run == nil || s.snap == nil || len(s.run.Inputs) == 0 || s.run.Inputs[0] >= len(s.snap.Inputs) || s.run.Inputs[0] < 0 {
		return ""
	}
	at := s.snap.Inputs[s.run.Inputs[0]].Written
	if at.IsZero() {
		return ""
	}
	return clock(at, s.snap.Now)
}
