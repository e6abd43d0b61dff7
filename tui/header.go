package tui

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"yolotop/diagnose"
)

// verdictLine is the first line of every screen.
func (s scene) verdictLine(w int) string {
	v := s.verdict()
	t := s.theme
	indent := " "
	if w < 40 {
		indent = ""
	}
	head := indent + t.sign(v.mood) + " "
	right, room := "", w-width(head)-2
	if v.hint && w >= 60 && s.view.page == pageMain {
		// What kills a run and when comes before the words of the hint that there is a page about it.
		urgent := v.parts[:min(1+max(1, v.urgent), len(v.parts))]
		key := t.dim.Styled(s.keyOf("explain")) + " "
		right = t.dim.Styled(s.keyOf("explain")+" "+s.say("verdict.explain")) + " "
		if joinFitting(urgent, room-width(right)) != joinFitting(urgent, room-width(key)) {
			right = key
		}
		room -= width(right)
	}
	text := joinFitting(v.parts, room)
	if room < 12 {
		text, right = joinFitting(v.parts, w-width(head)), ""
	}
	first, rest := text, ""
	for n := min(1+v.urgent, len(v.parts)); n > 0; n-- {
		if one := strings.Join(v.parts[:n], " · "); strings.HasPrefix(text, one) {
			first, rest = one, text[len(one):]
			break
		}
	}
	style := t.strong
	if v.mood != moodInfo {
		style = t.moods[v.mood].Bold()
	}
	return fit(ends(head+style.Styled(first)+rest, right, w), w)
}

// identity says what is trained, the long way and ever shorter ones.
func (s scene) identity() []string {
	r := s.run
	model := r.Model
	for e := s.earlier(r); e != nil; e = s.earlier(e) {
		if e.Model != "" { // and not the checkpoint
			model = e.Model
		}
	}
	name := clean(path.Base(strings.ReplaceAll(model, `\`, "/")))
	if model == "" {
		name = clean(r.Trainer)
	}
	for _, ext := range []string{".pt", ".yaml", ".yml"} {
		name = strings.TrimSuffix(name, ext)
	}
	name = cut(name, 24)
	short := strings.TrimSpace(name + " " + clean(r.Task))
	long := append([]string{short}, s.settings()...)
	return []string{strings.Join(long, " · "), short, name}
}

// settings are the settings that memory depends on, as they are in force.
func (s scene) settings() []string {
	r := s.run
	var out []string
	if r.Batch > 0 {
		out = append(out, s.say("header.batch", r.Batch))
	}
	if len(r.ImgSize) > 0 {
		var size []string
		for _, v := range r.ImgSize[:min(2, len(r.ImgSize))] {
			size = append(size, strconv.Itoa(v))
		}
		out = append(out, strings.Join(size, "x")+" px")
	}
	if r.AMP != nil {
		key := diagnose.Key("header.amp")
		if !*r.AMP {
			key = "header.fp32"
		}
		out = append(out, s.say(key))
	}
	return out
}

// done is how much of the shown epoch is done, from 0 to 1; ok is false where the
// log does not tell.
func (s scene) done() (share float64, ok bool) {
	r := s.run
	switch {
	case !s.live() && r.Stepwise && r.Iters > 0:
		return math.Min(1, s.position()/float64(r.Iters)), true
	case !s.live():
		return 1, !r.Stepwise
	}
	if r.Iters <= 0 || r.Iter < 0 {
		return 0, false
	}
	return math.Min(1, float64(r.Iter)/float64(r.Iters)), true
}

// percent is how much of the epoch is done, in four cells, or that it validates or is done.
func (s scene) percent() string {
	share, known := s.done()
	switch {
	case s.validates():
		return fitRight(s.say("losses.val"), 4)
	case known && share >= 1 && s.run.Epochs > s.epoch(): // of an epoch, not of the run
		return fitRight(s.say("losses.done"), 4)
	case known:
		return fmt.Sprintf("%3d%%", int(share*100))
	}
	return "    "
}

// epochOf is "37/100", as wide for every epoch of a run; where there are no epochs, it is of
// the iterations.
func (s scene) epochOf() string {
	if s.run.Stepwise && s.run.Iter >= 0 {
		at := strconv.Itoa(s.run.Iter)
		if !s.live() {
			at = strconv.Itoa(s.view.cursor)
		}
		if s.run.Iters <= 0 {
			return at
		}
		of := strconv.Itoa(s.run.Iters)
		return fitRight(at, len(of)) + "/" + of
	}
	e := strconv.Itoa(s.epoch())
	if s.run.Epochs <= 0 {
		return e
	}
	of := strconv.Itoa(s.run.Epochs)
	return fitRight(e, len(of)) + "/" + of
}

// placeText is "epoch 37/100", or "iteration 240/6000".
func (s scene) placeText() string {
	if s.run.Stepwise {
		return s.say("at.iteration", s.epochOf())
	}
	return s.say("header.epoch", s.epochOf())
}

// headerLine says what runs, how far it is and how long it takes.
func (s scene) headerLine(w int) string {
	if s.run == nil || !s.run.Known {
		return fit(" "+s.theme.dim.Styled(s.label), w)
	}
	t := s.theme
	ids := s.identity()
	if !s.run.HasRows() {
		return ends(" "+cut(ids[0], w-2), s.runOf()+" ", w)
	}
	right := s.timing(w >= 70)
	progress := s.placeText()
	if w < 60 {
		progress = s.epochOf()
	}
	share, known := s.done()
	percent := s.percent()
	if w < 60 && 1+width(ids[2])+2+width(progress)+6+width(right) > w {
		right = "" // what is left out is on the first line or in the table
		if one := s.timing(false); 1+8+2+width(progress)+6+width(one) <= w {
			right = one
		} else if s.live() {
			right = s.left(false)
		}
	}
	const gap = 3
	least := 1 + width(progress) + 1 + 4 + 1 + width(right) + 1
	id := ids[len(ids)-1]
	for _, one := range ids {
		if least+width(one)+gap+10 <= w {
			id = one
			break
		}
	}
	id = cut(id, max(0, w-least-2))
	room := w - least - width(id) - gap
	bar := ""
	if known && room >= 10 {
		n := min(room-2, 40)
		full := int(share * float64(n))
		bar = t.moods[moodOK].Styled(repeat("━", full)) + t.border.Styled(repeat("─", n-full))
	}
	middle := progress
	if bar != "" {
		middle += " " + bar
	}
	middle += " " + percent
	left := " " + t.strong.Styled(id)
	if id != "" {
		left += "  "
	}
	free := w - width(left) - width(middle) - width(right) - 1
	if free < 1 {
		return fit(left+middle+" "+right, w)
	}
	return fit(left+spaces(free/2)+middle+spaces(free-free/2)+right+" ", w)
}

// timing is what time is left and how old the newest row is, both of fixed width.
func (s scene) timing(full bool) string {
	r := s.run
	if !s.live() {
		return s.theme.accent.Styled(s.say("header.past", s.keyOf("live")))
	}
	if r.Status != diagnose.Running {
		if r.HasElapsed && r.Elapsed > 0 {
			return s.say("header.took", r.Elapsed)
		}
		return ""
	}
	left := s.left(full)
	out := left
	if full {
		out = fitRight(left, 17)
	}
	if age := s.age(); age != "" {
		if full {
			age = fitRight(age, 15)
		} else {
			age = s.say("header.ago", squeeze(s.duration(coarse(s.snap.Now.Sub(r.LastRow)))))
		}
		out += "  " + age
	}
	return strings.TrimLeft(out, " ")
}

// left is what time is left; empty where nobody knows, as of a run that stands still.
func (s scene) left(full bool) string {
	d, ok := s.run.Remaining()
	if !ok || slices.ContainsFunc(s.run.Findings, func(f *diagnose.Finding) bool { return f.Active && f.Kind == diagnose.Stalled }) {
		return ""
	}
	if full {
		return s.say("header.left", coarseLeft(d))
	}
	return s.say("header.left", s.shortLeft(d))
}

// coarseLeft rounds a time that is left to what it can be known to.
func coarseLeft(d time.Duration) time.Duration {
	switch {
	case d < 2*time.Minute:
		return d.Round(5 * time.Second)
	case d < 24*time.Hour:
		return d.Round(time.Minute)
	}
	return d.Round(time.Hour)
}

// shortLeft is a time that is left, for where there is little room: "1h22", "13min".
func (s scene) shortLeft(d time.Duration) string {
	d = coarseLeft(d)
	if s.lang == diagnose.English && d >= time.Hour && d < 24*time.Hour {
		return shortTime(d)
	}
	return squeeze(s.duration(d))
}

// squeeze takes the spaces between numbers and units out of a duration.
func squeeze(text string) string {
	var out []rune
	runes := []rune(text)
	for i, r := range runes {
		if r == ' ' && i > 0 && unicode.IsDigit(runes[i-1]) {
			continue
		}
		out = append(out, r)
	}
	return string(out)
}

// age is how long ago the newest row came; empty if it was read from a file.
func (s scene) age() string {
	r := s.run
	if s.snap == nil || r.LastRow.IsZero() || r.Status != diagnose.Running {
		return ""
	}
	return s.say("header.row", coarse(s.snap.Now.Sub(r.LastRow)))
}

// runOf is "run 2 of 3" where there are several, else empty.
func (s scene) runOf() string {
	if len(s.runs) < 2 {
		return ""
	}
	return s.say("header.run", s.index+1, len(s.runs))
}
