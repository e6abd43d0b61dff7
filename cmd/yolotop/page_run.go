package main

import (
	"html/template"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/tui"
)

// page is what a report says, in one language and with nothing in it that shall not leave.
type page struct {
	Lang     string
	Title    string
	Version  string
	Redacted bool
	Runs     []pageRun
	Compare  *figure // memory of all runs in one picture; nil if there is one run
	say      func(key diagnose.Key, args ...any) string
}

// pageRun is a section: one run.
type pageRun struct {
	ID, Name  string
	Verdict   string
	Level     string // of the verdict: info, warning, critical, or ok
	Story     string // what became of it; empty while it goes on
	Facts     []pageFact
	Memory    *figure
	NoMemory  string // why there is no curve
	TextChart string // the memory curve in characters
	Losses    []figure
	Metrics   []figure
	Omitted   string // what had no room
	Epochs    epochTable
	Findings  []pageFinding
	Withdrawn []pageFinding
	Settings  []pageFact
}

// pageFact is a line of a table.
type pageFact struct{ Name, Value string }

// figure is a chart with what stands below it.
type figure struct {
	chart  chart
	SVG    template.HTML
	Narrow template.HTML // the same for a telephone; empty for a small chart
	Notes  []string
}

// pageFinding is a finding as the page tells it.
type pageFinding struct {
	Sign, Level, Kind string
	Class             string
	Title, Because    string
	Advice, Limits    []string
	When              string
}

// Most that a page shows of what inputs may hold without end.
const (
	pageRuns     = 40
	pagePanels   = 12
	pageSettings = 400
	pageValue    = 300 // letters of one value
)

// pageMaker makes the page of a session.
type pageMaker struct {
	session *diagnose.Session
	lang    diagnose.Lang
	private discretion
}

func (m pageMaker) say(key diagnose.Key, args ...any) string {
	return m.text(diagnose.Say(key, args...))
}

// text is a sentence as it may leave.
func (m pageMaker) text(msg diagnose.Message) string { return m.private.text(msg.In(m.lang)) }

func (m pageMaker) page(version string) page {
	p := page{Lang: [...]string{"en", "zh-CN"}[m.lang], Version: version, Redacted: !m.private.off, say: m.say}
	var runs []*diagnose.Run
	for _, r := range m.session.Runs() {
		if r.Known {
			runs = append(runs, r)
		}
	}
	var names []string
	for i, r := range runs {
		name := m.name(r)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(runs) > 1 {
			name = m.say("report.run", i+1, name)
		}
		if i < pageRuns {
			run := m.run(r)
			run.ID, run.Name = "run-"+diagnose.FormatNumber(float64(i+1)), name
			p.Runs = append(p.Runs, run)
		}
	}
	p.Title = shorten(strings.Join(names, ", "), 120)
	p.Compare = m.compare(runs)
	return p
}

// name is what a run was read from, without its folders.
func (m pageMaker) name(r *diagnose.Run) string {
	var names []string
	for _, i := range r.Inputs {
		name := m.session.Inputs()[i].Name
		if name != diagnose.StandardInput {
			name = filepath.Base(strings.ReplaceAll(name, `\`, "/"))
		}
		if name = shorten(m.private.text(name), 80); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " + ")
}

func (m pageMaker) run(r *diagnose.Run) pageRun {
	p := pageRun{Verdict: m.private.text(tui.Summary(r, m.session.Inputs(), m.lang)), Level: verdictLevel(r)}
	p.Story = m.private.text(storyText(r, m.lang))
	p.Facts = m.facts(r)
	p.Memory = m.memory(r)
	if p.Memory == nil {
		p.NoMemory = m.say("memory.unknown")
	}
	p.TextChart = m.private.lines(tui.MemoryChart(r, m.lang, 72, 14))
	p.Losses, p.Metrics, p.Omitted = m.panels(r)
	p.Epochs = m.epochs(r)
	for _, f := range r.ByGravity() {
		if f.Active {
			p.Findings = append(p.Findings, m.finding(r, f))
		} else {
			p.Withdrawn = append(p.Withdrawn, m.finding(r, f))
		}
	}
	p.Settings = m.settings(r)
	return p
}

// verdictLevel is how grave the verdict on a run is.
func verdictLevel(r *diagnose.Run) string {
	g := r.Gravest()
	switch {
	case r.Status == diagnose.Failed, g != nil && g.Level == diagnose.Critical:
		return "critical"
	case g != nil && g.Level == diagnose.Warning, r.Forsaken, r.Status == diagnose.Killed:
		return "warning"
	case r.Verdict() == diagnose.Unknown:
		return "info"
	}
	return "ok"
}

func (m pageMaker) finding(r *diagnose.Run, f *diagnose.Finding) pageFinding {
	p := pageFinding{
		Sign: levelSign(f.Level), Level: m.say(diagnose.Key("report.level." + f.Level.String())), Kind: string(f.Kind),
		Class: f.Level.String(),
		Title: m.text(f.Title), Because: m.text(f.Because),
	}
	if f.Provisional {
		p.Title = m.say("verdict.provisional", f.Title)
	}
	for _, a := range r.AdviceFor(f) {
		p.Advice = append(p.Advice, m.text(a))
	}
	for _, l := range f.Limits {
		p.Limits = append(p.Limits, m.text(l))
	}
	first, last := m.moment(r, f.First), m.moment(r, f.Last)
	p.When = m.say("report.when", first, last)
	if first == last {
		p.When = m.say("report.once", first)
	}
	return p
}

// moment is a place in a run in words.
func (m pageMaker) moment(r *diagnose.Run, at diagnose.Moment) string {
	var parts []string
	if at.Line > 0 {
		parts = append(parts, m.say("report.line", at.Line))
	}
	if len(r.Inputs) > 1 && at.Input >= 0 && at.Input < len(m.session.Inputs()) {
		parts = append(parts, filepath.Base(m.session.Inputs()[at.Input].Name))
	}
	if at.Epoch > 0 || r.Stepwise && at.Iter >= 0 {
		parts = append(parts, r.Place(at.Epoch, at.Iter).In(m.lang))
	}
	if at.HasRun {
		parts = append(parts, diagnose.FormatDuration(at.Run, m.lang))
	}
	if len(parts) == 0 {
		return m.say("report.start")
	}
	return m.private.text(strings.Join(parts, ", "))
}

// settings are the arguments that the trainer printed.
func (m pageMaker) settings(r *diagnose.Run) []pageFact {
	keys := make([]string, 0, len(r.Args))
	for k := range r.Args {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var out []pageFact
	for _, k := range keys[:min(len(keys), pageSettings)] {
		out = append(out, pageFact{shorten(m.private.text(k), 80), shorten(m.private.setting(k, r.Args[k]), pageValue)})
	}
	return out
}

// facts are what was run and how far it came.
func (m pageMaker) facts(r *diagnose.Run) []pageFact {
	var out []pageFact
	add := func(key diagnose.Key, value string) {
		if value = shorten(m.private.text(value), pageValue); value != "" {
			out = append(out, pageFact{m.say(key), value})
		}
	}
	add("report.inputs", m.name(r))
	add("facts.trainer", strings.TrimSpace(r.Trainer+" "+r.Version))
	add("facts.torch", r.Torch)
	add("report.task", r.Task)
	add("facts.model", r.Model)
	add("facts.data", r.Data)
	var size []string
	if r.Batch >= 1 {
		batch := diagnose.FormatNumber(r.Batch)
		if r.AskedBatch > 0 && r.AskedBatch != r.Batch {
			batch = m.say("report.asked", r.Batch, r.AskedBatch)
		}
		add("report.batch", batch)
	}
	for _, s := range r.ImgSize {
		size = append(size, diagnose.FormatNumber(float64(s)))
	}
	add("report.imgsz", strings.Join(size, " × "))
	if r.AMP != nil {
		add("facts.amp", m.say(map[bool]diagnose.Key{true: "report.yes", false: "report.no"}[*r.AMP]))
	}
	add("report.optimizer", r.Optimizer)
	for _, d := range r.Devices[:min(len(r.Devices), 16)] {
		add("facts.device", deviceText(d))
	}
	for _, card := range cardTexts(r, m.lang) {
		add("facts.device", card)
	}
	add("report.state", strings.Join(state(r, m.lang), ", "))
	if r.HasElapsed && r.Elapsed > 0 {
		add("facts.elapsed", diagnose.FormatDuration(r.Elapsed, m.lang))
	}
	if r.BestEpoch > 0 {
		add("report.best", diagnose.Say("at.epoch", r.BestEpoch).In(m.lang))
	}
	add("pane.losses", lossText(r))
	add("report.metrics", metricText(r))
	if r.Death != nil {
		add("report.error", r.Death.Text)
	}
	if e, ok := r.Estimate(); ok {
		add("check.estimate", e.Text().In(m.lang))
	}
	for _, c := range r.Comparison() {
		add("check.others", c.In(m.lang))
	}
	return out
}

func deviceText(d parse.Device) string {
	parts := []string{strings.ToUpper(d.Kind)}
	if d.Name != "" {
		parts = append(parts, d.Name)
	}
	if d.Total > 0 {
		parts = append(parts, diagnose.FormatGiB(d.Total))
	}
	return strings.Join(parts, ", ")
}

// shorten is s with at most n letters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
