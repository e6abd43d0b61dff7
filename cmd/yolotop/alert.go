package main

import (
	"path/filepath"
	"time"

	"yolotop/diagnose"
	"yolotop/tui"
)

// alert is what a person who is not looking is told.
type alert struct {
	Event  alertEvent `json:"event"`
	Run    string     `json:"run"`  // of its input, without folders
	Host   string     `json:"host"` // this machine
	Title  string     `json:"title"`
	Text   string     `json:"text,omitempty"`
	Advice string     `json:"advice,omitempty"` // what to do first
	Kind   string     `json:"kind,omitempty"`   // of the finding
	Epoch  int        `json:"epoch,omitempty"`
	Epochs int        `json:"epochs,omitempty"`
	Time   time.Time  `json:"time"`
}

// alertEvent is what an alert is about.
type alertEvent string

// The events.
const (
	alertCritical alertEvent = "critical" // a finding became critical
	alertStalled  alertEvent = "stalled"
	alertFinished alertEvent = "finished"
	alertDied     alertEvent = "died"
	alertTest     alertEvent = "test"
)

// alertCalm is how long a finding must have been gone for it to be told again.
const alertCalm = 10 * time.Minute

// alerter decides what to tell. It tells what it sees happen, and nothing that was read from an
// old log.
type alerter struct {
	lang  diagnose.Lang
	host  string
	now   func() time.Time
	send  func(alert)
	told  map[toldOf]time.Time // when it was last true
	ended map[int]bool         // by run
}

// toldOf is what a finding is known by.
type toldOf struct {
	run  int
	kind diagnose.Kind
	gpu  int
}

func newAlerter(lang diagnose.Lang, host string, now func() time.Time, send func(alert)) *alerter {
	return &alerter{lang: lang, host: host, now: now, send: send, told: map[toldOf]time.Time{}, ended: map[int]bool{}}
}

// look tells what is new.
func (a *alerter) look(s *diagnose.Session) {
	now := a.now()
	for _, run := range s.Runs() {
		if !run.Known {
			continue
		}
		over := run.Status != diagnose.Running
		if !over {
			delete(a.ended, run.ID)
		}
		end := over && !run.EndedAt.IsZero() && !a.ended[run.ID] && run.Status != diagnose.StatusUnknown
		if over {
			a.ended[run.ID] = true
		}
		if end {
			a.end(s, run)
		}
		for _, f := range run.Findings {
			key := toldOf{run.ID, f.Kind, f.GPU}
			last, told := a.told[key]
			switch grave := f.Level == diagnose.Critical || f.Kind == diagnose.Stalled; {
			case !f.Active || !grave || f.Provisional || f.Since.IsZero():
				if told && now.Sub(last) >= alertCalm {
					delete(a.told, key)
				}
			default:
				a.told[key] = now
				if !told && !end { // an end says by itself why
					a.finding(s, run, f)
				}
			}
		}
	}
}

func (a *alerter) end(s *diagnose.Session, run *diagnose.Run) {
	event := alertFinished
	if run.Status == diagnose.Failed || run.Status == diagnose.Killed {
		event = alertDied
	}
	t := a.about(s, run, event)
	t.Title = tui.Summary(run, s.Inputs(), a.lang)
	if g := run.Gravest(); g != nil && event == alertDied {
		t.Kind = string(g.Kind)
		t.Text, t.Advice = g.Because.In(a.lang), a.firstAdvice(run, g)
	}
	a.tell(t)
}

func (a *alerter) finding(s *diagnose.Session, run *diagnose.Run, f *diagnose.Finding) {
	event := alertCritical
	if f.Kind == diagnose.Stalled {
		event = alertStalled
	}
	t := a.about(s, run, event)
	t.Title, t.Kind = f.Title.In(a.lang), string(f.Kind)
	t.Text, t.Advice = f.Because.In(a.lang), a.firstAdvice(run, f)
	a.tell(t)
}

func (a *alerter) firstAdvice(run *diagnose.Run, f *diagnose.Finding) string {
	if advice := run.AdviceFor(f); len(advice) > 0 {
		return advice[0].In(a.lang)
	}
	return ""
}

func (a *alerter) about(s *diagnose.Session, run *diagnose.Run, event alertEvent) alert {
	t := alert{Event: event, Host: a.host, Time: a.now(), Run: filepath.Base(s.Inputs()[run.Inputs[0]].Name)}
	if !run.Stepwise {
		t.Epoch, t.Epochs = run.Epoch, run.Epochs
	}
	return t
}

// tell sends what may leave this machine.
func (a *alerter) tell(t alert) {
	for _, s := range []*string{&t.Run, &t.Title, &t.Text, &t.Advice} {
		*s = redacted(tui.Clean(*s))
	}
	a.send(t)
}
