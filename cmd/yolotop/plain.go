package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
	"yolotop/tui"
)

// plain prints lines where there is no screen: one for each epoch and one for each
// change of a finding.
type plain struct {
	out     io.Writer
	lang    diagnose.Lang
	looks   lineLooks
	formats []string // that were looked for, by name
	session *diagnose.Session
	epochs  map[int]int // last epoch printed, by run
	said    map[said]diagnose.Finding
	broken  error // why nobody can read us any more; nil if all is well
}

// said is the identity of a finding.
type said struct {
	run  int
	kind diagnose.Kind
}

// runPlain prints what happens until all inputs have ended.
func (w *watcher) runPlain(ctx context.Context) error {
	p := &plain{
		out: w.env.stdout, lang: w.options.lang, looks: w.options.looks, session: w.session, formats: w.options.grammar.Names(),
		epochs: map[int]int{}, said: map[said]diagnose.Finding{},
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	w.startAlerts(nil)
	defer w.endAlerts()
	bus, done := w.start(reading)
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	crash := guarded(func() { w.print(ctx, bus, tick.C, p) })
	stop()
	if crash != nil { // the training must not suffer for it
		quiet, release := w.env.afterSignal()
		defer release()
		w.drain(quiet, nil)
		return crash
	}
	if isInterrupt(ctx) {
		_ = p.end(w.session.Inputs()) // interrupted before anything was seen is no failure
		quiet, release := w.env.afterSignal()
		defer release()
		w.drain(quiet, nil)
		return statusError(exitInterrupted)
	}
	stop() // they have ended, unless nobody can read us
	err := <-done
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	err = errors.Join(err, p.end(w.session.Inputs()))
	if p.broken != nil && !errors.Is(p.broken, syscall.EPIPE) {
		err = errors.Join(err, fmt.Errorf("standard output: %w", p.broken))
	}
	return err
}

// print shows batches to the session and prints what they completed, until the
// inputs have ended or ctx has.
func (w *watcher) print(ctx context.Context, bus *sources.Bus, tick <-chan time.Time, p *plain) {
	quiet := false // nothing came since the last tick
	for {
		select {
		case batch, ok := <-bus.Events():
			if !ok {
				w.alert()
				return
			}
			w.observe(batch, p.after)
			quiet = false
		case <-tick:
			w.session.Tick(w.env.now())
			p.findings()
			w.alert()
			if quiet && w.options.untilEnd && w.over() {
				return
			}
			quiet = true
		case <-ctx.Done():
			return
		}
		if p.broken != nil && len(w.drainers) == 0 && w.courier == nil {
			return // nobody depends on us
		}
	}
}

// over reports whether all that is read are files whose trainings have ended.
func (w *watcher) over() bool {
	over := len(w.drainers) == 0 && w.env.kept == nil
	for _, run := range w.session.Runs() {
		over = over && run.Known && run.Status != diagnose.Running && run.Status != diagnose.StatusUnknown
	}
	return over && len(w.session.Runs()) > 0
}

// guarded runs f; a panic in it is an error.
func guarded(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error: %v", v)
		}
	}()
	f()
	return nil
}

// after prints what an event completed.
func (p *plain) after(e parse.Event) {
	switch r := e.Record.(type) {
	case *parse.Progress:
		if e.Provisional || !r.Complete() && r.Iter > 0 {
			return
		}
	case *parse.Text, *parse.Stage:
		return
	case *parse.SourceState:
		if r.Status == parse.SourceFailed {
			p.line(diagnose.Say("plain.failed", r.Name, r.Why).In(p.lang))
		}
	}
	p.finishedEpochs(false)
	p.findings()
}

// finishedEpochs prints the epochs whose validation is known, or that another one
// has followed; all complete ones at the end.
func (p *plain) finishedEpochs(all bool) {
	for _, run := range p.session.Runs() {
		for i := range run.Epochal {
			st := &run.Epochal[i]
			if st.Epoch <= p.epochs[run.ID] || !st.Complete {
				continue
			}
			if len(st.Metrics.Values) == 0 && i == len(run.Epochal)-1 && !all {
				continue
			}
			p.epochs[run.ID] = st.Epoch
			p.line(epochLine(run, st))
		}
	}
}

func epochLine(run *diagnose.Run, st *diagnose.EpochStat) string {
	parts := []string{fmt.Sprintf("%d/%d", st.Epoch, max(run.Epochs, st.Epoch))}
	if st.Peak > 0 {
		parts = append(parts, diagnose.FormatGiB(st.Peak))
	}
	if s := valuesText(run.Columns, st.Losses); s != "" {
		parts = append(parts, s)
	}
	if s := valuesText(st.Metrics.Names, st.Metrics.Values); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(parts, "  ")
}

// findings prints what is new, graver or withdrawn.
func (p *plain) findings() {
	for _, run := range p.session.Runs() {
		for _, f := range run.Findings {
			key := said{run.ID, f.Kind}
			before, known := p.said[key]
			if known && before.Level == f.Level && before.Active == f.Active {
				continue
			}
			p.said[key] = *f
			var b strings.Builder
			writeFinding(&b, run, f, p.lang)
			p.line(strings.TrimRight(b.String(), "\n"))
		}
	}
}

// end prints how each run stands.
func (p *plain) end(inputs []diagnose.Input) error {
	p.finishedEpochs(true)
	p.findings()
	known := false
	for _, run := range p.session.Runs() {
		if run.Known {
			known = true
			p.line(tui.Summary(run, inputs, p.lang))
		}
	}
	if !known {
		var names []string
		for _, in := range inputs {
			names = append(names, tui.Clean(in.Name))
		}
		return fmt.Errorf("%s: no training in it: %s", strings.Join(names, ", "), diagnose.Say("check.unknown", strings.Join(p.formats, ", ")).In(p.lang))
	}
	return nil
}

func (p *plain) line(s string) {
	if p.broken != nil {
		return
	}
	_, p.broken = io.WriteString(p.out, p.looks.dress(s)+"\n") // whoever writes to us must not suffer for it
}
