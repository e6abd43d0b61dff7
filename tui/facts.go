package tui

import (
	"strconv"
	"strings"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// fact is a line of a list: what, and its value.
type fact struct {
	key   diagnose.Key
	value string
}

// list writes facts in two columns; those without a value are left out.
func (s scene) list(facts []fact, w int) []string {
	label := 0
	for _, f := range facts {
		label = max(label, width(s.say(f.key)))
	}
	label = min(label, w/2)
	var out []string
	for _, f := range facts {
		if f.value == "" {
			continue
		}
		name := s.theme.dim.Styled(fit(s.say(f.key), label))
		for _, line := range s.valueLines(f.value, w-label-2) {
			out = append(out, name+"  "+line)
			name = spaces(label)
		}
	}
	return out
}

// valueLines is a value in w cells: in a narrow pane its parts stand below each other where
// they do not fit, since the last one is often the reason to look.
func (s scene) valueLines(value string, w int) []string {
	first, rest, ok := strings.Cut(value, " · ")
	if width(value) <= w || !ok || w >= narrowList {
		return []string{cut(value, w)}
	}
	return append([]string{cut(first, w)}, s.valueLines(rest, w)...)
}

// narrowList is the width of values below which their parts may stand below each other.
const narrowList = 48

// workers are the data loader processes for each GPU; -1 if nothing tells.
func (s scene) workers() int {
	if s.run.LoaderWorkers >= 0 {
		return s.run.LoaderWorkers
	}
	return s.run.Workers
}

// facts is the pane beside the memory: how fast it is and what runs.
func (s scene) facts(w, _ int) (caption, []string) {
	c := caption{title: s.say("pane.run"), right: s.runOf()}
	if s.run == nil {
		return c, nil
	}
	r := s.run
	var facts []fact
	if bar := s.cardBar(w - s.labelCells() - 2); bar != "" {
		facts = append(facts, fact{"facts.held", bar})
	}
	if rate := s.rate(); rate > 0 {
		number := fitNumber(rate, 4) + " it/s"
		room := min(24, w-width(number)-s.labelCells()-4)
		facts = append(facts, fact{"facts.speed", s.theme.spark.Styled(sparkFromZero(&r.RateSeries, s.position(), max(0, room))) + "  " + number})
	}
	if r.EpochTime > 0 {
		facts = append(facts, fact{"facts.epoch", s.duration(r.EpochTime)})
	}
	if r.Iters > 0 {
		facts = append(facts, fact{"facts.iters", strconv.Itoa(r.Iters)})
	}
	if r.Instances >= 0 && s.live() {
		facts = append(facts, fact{"facts.instances", s.say("facts.of", r.Instances)})
	}
	if r.HasElapsed && r.Elapsed > 0 {
		at := r.Elapsed
		if !s.live() {
			at = r.At(s.position()).Run
		}
		facts = append(facts, fact{"facts.elapsed", s.duration(at)})
	}
	return c, s.list(append(facts, s.identityFacts()...), w)
}

// labelCells is the width of the labels of the pane.
func (s scene) labelCells() int {
	cells := 0
	for _, key := range []diagnose.Key{"facts.speed", "facts.epoch", "facts.instances", "facts.elapsed", "facts.workers", "facts.trainer", "facts.saves"} {
		cells = max(cells, width(s.say(key)))
	}
	return cells
}

// cardBar is how much of the card is held, as a bar; empty if that is not known.
func (s scene) cardBar(w int) string {
	held := s.run.Memory.Last
	if !s.live() {
		held = s.run.At(s.position()).Memory
	}
	total := s.run.Memory.Total
	n := min(w-5, 24)
	if held == 0 || total == 0 || n < 4 || !s.run.Memory.Held() {
		return ""
	}
	share := min(1, float64(held)/float64(total))
	style := s.theme.curve
	if share >= curveCritical {
		style = s.theme.moods[moodCritical]
	} else if share >= curveWarning {
		style = s.theme.moods[moodWarning]
	}
	full := int(share*float64(n) + 0.5)
	return style.Styled(repeat("━", full)) + s.theme.border.Styled(repeat("─", n-full)) + fitRight(s.say("share", diagnose.Percent(share)), 5)
}

// rate is the speed at the moment shown, 0 if it is not known.
func (s scene) rate() float64 {
	if s.live() {
		return s.run.Rate
	}
	return s.run.At(s.position()).Rate
}

// identityFacts is what the trainer says about itself.
func (s scene) identityFacts() []fact {
	r := s.run
	var out []fact
	if n := s.workers(); n >= 0 {
		out = append(out, fact{"facts.workers", strconv.Itoa(n)})
	}
	if n := len(r.Devices); n > 1 {
		out = append(out, fact{"facts.gpus", strconv.Itoa(n)})
	}
	if r.Trainer != "" {
		out = append(out, fact{"facts.trainer", strings.TrimSpace(clean(r.Trainer + " " + r.Version))})
	}
	return append(out,
		fact{"facts.torch", clean(r.Torch)},
		fact{"facts.data", base2(r.Data)},
		fact{"facts.saves", clean(r.SaveDir)},
	)
}

// base2 is the last part of a path that may be empty.
func base2(name string) string {
	if name == "" {
		return ""
	}
	return base(name)
}

// pipeLate is how long nothing may come through a pipe before it is said what may be the reason.
const pipeLate = 5 * time.Second

// nothingLines says that nothing came, and after a while why that may be.
func (s scene) nothingLines(w int) []string {
	out := wrap(s.say("start.nothing"), w)
	waiting := s.snap != nil && len(s.snap.Sources) > 0 && s.snap.Sources[0].Status == parse.SourceWaiting && s.inputName(0) == diagnose.StandardInput
	if !waiting || s.snap.Began.IsZero() || s.snap.Now.Sub(s.snap.Began) < pipeLate {
		return out
	}
	for _, key := range []diagnose.Key{"start.pipe.stderr", "start.pipe.buffer", "start.pipe.run"} {
		out = append(out, "")
		out = append(out, wrap(s.say(key), w)...)
	}
	return out
}

// unknownLines says of an input that nobody understands what was tried, and what to do.
func (s scene) unknownLines(w int) []string {
	out := append(wrap(s.say("start.unknown", s.run.Texts), w), "")
	for _, text := range []string{
		s.say("start.own"), s.say("start.tried", strings.Join(s.tried, ", ")), s.say("start.tried.others"),
	} {
		out = append(out, wrap(clean(text), w)...)
	}
	return out
}

// startFacts is what is known while a run starts, in place of an empty chart.
func (s scene) startFacts(w, _ int) (caption, []string) {
	c := caption{title: s.say("pane.starting"), right: s.runOf()}
	r := s.run
	if r == nil && s.searching() {
		return caption{title: s.say("pane.search")}, s.searchLines(w)
	}
	if r == nil || !r.Known {
		c.title = s.say("pane.input")
		if r == nil || r.Texts == 0 {
			return c, s.nothingLines(w)
		}
		return c, s.unknownLines(w)
	}
	now := s.say("phase.starting")
	if r.Stage != nil {
		now = r.PhaseText().In(s.lang)
	}
	if r.Phase == diagnose.Ended || r.Status != diagnose.Running {
		c.title, now = s.say("pane.run"), ""
	}
	model := ""
	if r.Model != "" || r.Task != "" {
		model = s.identity()[1]
	}
	var device string
	if d, ok := r.Device(); ok {
		parts := []string{clean(d.Name)}
		if d.Name == "" {
			parts[0] = strings.ToUpper(clean(d.Kind))
		}
		if d.Kind == "cuda" && d.Index >= 0 {
			parts = append(parts, s.say("memory.gpu", d.Index))
		}
		if r.Memory.Total > 0 {
			parts = append(parts, diagnose.FormatGiB(r.Memory.Total))
		}
		device = strings.Join(parts, " · ")
	}
	epochs := ""
	if r.Epochs > 0 {
		epochs = strconv.Itoa(r.Epochs)
	}
	facts := []fact{
		{"facts.now", styled(s.theme.strong, now)},
		{"facts.device", device},
		{"facts.model", model},
		{"facts.settings", strings.Join(s.settings(), " · ")},
	}
	if r.Phase != diagnose.Ended && r.Status == diagnose.Running {
		facts = append(facts, s.preflight()...)
	}
	facts = append(facts, fact{"facts.epochs", epochs})
	return c, s.list(append(facts, s.identityFacts()...), w)
}
