package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
	"yolotop/tui"
)

// Times of the screen.
const (
	frameSoon  = 50 * time.Millisecond  // what changes after a quiet time shows within this
	frameEvery = time.Second            // while changes keep coming; a cell that changes faster is noise
	demoEvery  = 100 * time.Millisecond // of a demonstration, which runs faster than life
	screenFPS  = 15                     // of the renderer, whose ticks cost even where nothing changes; a key is answered within one
)

// runScreen shows the session until the person quits.
//
// The consumer of the bus only updates the session. It never waits for the screen:
// a new snapshot is offered when the last one was taken, and a terminal that hangs
// takes none. One that is gone counts as an interrupt.
func (w *watcher) runScreen(ctx context.Context) error {
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	giveBack := w.keepWords()
	defer giveBack()
	var program atomic.Pointer[tea.Program]
	program.Store(tea.NewProgram(tui.New(w.screenOptions()), w.programOptions(watching, gone)...))
	w.startAlerts(func(sequence string) { program.Load().Send(tea.RawMsg{Msg: sequence}) })
	frames := make(chan *diagnose.Snapshot, 1)
	bus, _ := w.start(watching)
	finished := make(chan error, 2)
	go w.guard(&program, finished, func() { w.consume(watching, bus.Events(), frames, gone) })
	go w.guard(&program, finished, func() {
		for {
			select {
			case s := <-frames:
				program.Load().Send(tui.FrameMsg{Snapshot: s})
			case <-watching.Done():
				return
			}
		}
	})
	asked := w.stopRequests()
	go func() {
		for {
			select {
			case <-asked:
				if !hasShell() {
					continue
				}
				program.Load().Send(tui.SuspendMsg{})
			case <-watching.Done():
				return
			}
		}
	}()
	model, err := program.Load().Run()
	for suspended, ok := model.(tui.Model); err == nil && ok && suspended.Suspended(); suspended, ok = model.(tui.Model) {
		stopSelf(asked)
		// A new program, since one that was released does not always give back what it took.
		program.Store(tea.NewProgram(suspended.Resume(), w.programOptions(watching, gone)...))
		model, err = program.Load().Run()
	}
	stop()
	giveBack()
	crash := errors.Join(<-finished, <-finished)
	switch {
	case crash != nil:
		err = crash
	case errors.Is(err, tea.ErrProgramKilled) && isInterrupt(ctx), errors.Is(err, tea.ErrInterrupted):
		err = statusError(exitInterrupted)
	case err != nil:
		err = fmt.Errorf("screen: %w", err)
	}
	w.leave()
	w.endAlerts()
	return err
}

// leave prints how the runs stand and lets the programs that write to us finish.
func (w *watcher) leave() {
	summary := guarded(func() { w.summarize() }) // after a crash the session may be broken
	if summary != nil {
		fmt.Fprintln(w.env.stderr, summary)
	}
	if w.env.kept != nil {
		_ = sources.SayShown(w.env.kept.back, w.shown.Load()) // a keeper that is gone shows nothing
	}
	if len(w.drainers) == 0 {
		return
	}
	quiet, release := w.env.afterSignal()
	defer release()
	w.drain(quiet, w.env.stdout)
}

// summarize prints how the runs stand.
func (w *watcher) summarize() {
	for _, run := range w.session.Runs() {
		if run.Known {
			name, summary := tui.Clean(w.session.Inputs()[run.Inputs[0]].Name), tui.Summary(run, w.session.Inputs(), w.options.lang)
			fmt.Fprintf(w.env.stdout, "%s: %s\n", w.options.looks.dress(name), w.options.looks.dress(summary))
			if command := run.ResumeCommand(); command != "" && !w.sample && run.HasRows() && run.Resumable() && run.Status != diagnose.Finished && run.Status != diagnose.StoppedEarly {
				fmt.Fprintf(w.env.stdout, "%s\n", diagnose.Say("summary.resume", command).In(w.options.lang))
			}
		}
	}
	if w.env.kept != nil && w.env.kept.log != "" {
		fmt.Fprintf(w.env.stdout, "%s\n", diagnose.Say("summary.log", w.env.kept.log).In(w.options.lang))
	}
}

// guard runs f; a panic in it restores the terminal and is reported, since
// bubbletea only catches those of its own goroutines.
func (w *watcher) guard(program *atomic.Pointer[tea.Program], finished chan<- error, f func()) {
	defer func() {
		var err error
		if v := recover(); v != nil {
			program.Load().Kill()
			err = fmt.Errorf("internal error: %v", v)
		}
		finished <- err
	}()
	f()
}

// consume updates the session and offers snapshots.
// Once a second it looks whether the terminal is still there, and calls gone if not.
func (w *watcher) consume(ctx context.Context, batches <-chan []parse.Event, frames chan<- *diagnose.Snapshot, gone func()) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	frame := newPacer(w.pace, w.env.now)
	defer frame.stop()
	frame.changed()
	for {
		select {
		case batch, ok := <-batches:
			if !ok {
				batches = nil
				continue
			}
			w.observe(batch, nil)
			frame.changed()
		case found := <-w.others:
			w.session.Compare(found...)
			frame.changed()
		case c := <-w.choices:
			w.session.Choose(c.run, c.gpu)
			frame.urgent()
		case <-tick.C:
			if w.live() {
				w.session.Tick(w.env.now())
				frame.changed() // the age of the last row
			}
			w.alert()
			if w.env.screen != nil && (hungUp(w.env.screen.out) || w.env.kept != nil && os.Getppid() != w.env.kept.keeper) {
				gone() // the terminal, or the keeper, without which the shell has the terminal
			}
		case <-frame.due():
			if len(frames) > 0 { // the terminal hangs
				frame.later()
				continue
			}
			frames <- w.session.Snapshot(w.env.now())
			w.shown.Store(w.offset)
			frame.shown()
		case <-ctx.Done():
			return
		}
	}
}

func (w *watcher) screenOptions() tui.Options {
	ascii := w.options.ascii || !w.options.fine && probes(w.env.getenv) && drawsWide()
	return tui.Options{
		Lang: w.options.lang, ASCII: ascii, Version: version(), Formats: w.options.grammar.Names(), Choose: w.choose, Leave: w.leaving(),
		Suspend: w.suspending(), Save: saveScreen(w.env.now), Inline: w.options.inline,
		Mouse: w.options.mouse, Keys: w.options.keys,
	}
}

// leaving tells the process that has started the training what becomes of it; nil where nobody
// of ours has.
func (w *watcher) leaving() func(tui.Leave) {
	if w.env.kept == nil || !w.env.kept.own {
		return nil
	}
	back := w.env.kept.back
	return func(l tui.Leave) {
		word := wantStop
		if l == tui.LeaveDetach {
			word = wantDetach
		}
		fmt.Fprintln(back, word) // a pipe that holds far more than anybody types
	}
}

// suspending stops this job of the shell, all of it; nil where a program that trains may be part of
// the job, which must not be stopped.
func (w *watcher) suspending() func() {
	if w.env.kept != nil || len(w.drainers) > 0 || !canStop {
		return nil
	}
	return stopJob
}

// stopRequests tells when this job of the shell is asked to stop; never where a keeper holds the
// training: it shares the terminal, and would not be stopped.
func (w *watcher) stopRequests() chan os.Signal {
	asked := make(chan os.Signal, 1)
	if w.env.kept == nil {
		notifyStop(asked)
	} else {
		ignoreStop()
	}
	return asked
}

// keepWords keeps what libraries print to the error stream off the screen, until giveBack, which
// prints it and may be called again.
func (w *watcher) keepWords() (giveBack func()) {
	stream, ok := w.env.stderr.(*os.File)
	if w.env.kept != nil || !ok {
		return func() {} // the keeper does that, or there is no stream to keep
	}
	words, release, err := divert(stream)
	if err != nil {
		return func() {}
	}
	return sync.OnceFunc(func() {
		release()
		showWords(w.env.stderr, words)
		_ = words.Close()
	})
}

// choose hands a choice to whoever owns the session. It never blocks the keyboard.
func (w *watcher) choose(run, gpu int) {
	select {
	case w.choices <- choice{run, gpu}:
	default:
	}
}

func (w *watcher) programOptions(ctx context.Context, gone func()) []tea.ProgramOption {
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithOutput(lostTerminal{w.env.screen.out, gone}), tea.WithoutSignalHandler(), tea.WithFPS(screenFPS),
	}
	switch w.options.color {
	case "never":
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	case "always":
		options = append(options, tea.WithColorProfile(colorprofile.ANSI256))
	}
	return options
}
