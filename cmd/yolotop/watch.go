package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

// watchOptions are the flags of watching.
type watchOptions struct {
	lang               diagnose.Lang
	grammar            parse.Grammar // what the inputs may be in
	wait, poll, follow bool
	untilEnd           bool // lines on a terminal: go on at the end of a file until its run has ended
	color              string
	ascii, mouse       bool
	fine               bool                // somebody wants no ASCII: the terminal is not asked about it
	keys               map[string][]string // by action
	looks              lineLooks           // of lines
	inline             int                 // lines of the screen; 0 for the whole terminal
	alerts             alertConfig
	tee                string // file for the bytes of the pipe; empty for none
}

func (o *watchOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.wait, "wait", false, "wait for a file that does not exist yet")
	f.Bool("poll", false, "look at files by the clock only")
	f.BoolVar(&o.follow, "follow", false, "without a terminal: go on at the end of a file")
	f.StringVar(&o.tee, "tee", "", "keep what comes through the pipe in this file")
	cmd.PersistentFlags().String("color", "auto", "auto, always or never")
	cmd.PersistentFlags().IntVar(&o.inline, "inline", 0, "draw this many lines where the cursor is, not on the whole terminal")
	cmd.PersistentFlags().Lookup("inline").NoOptDefVal = strconv.Itoa(inlineLines)
	registerAlerts(cmd.PersistentFlags())
	cmd.PersistentFlags().Bool("ascii", false, "draw with ASCII characters only (default: where the locale is not UTF-8)")
	cmd.PersistentFlags().Bool("plain", false, "print lines instead of drawing a screen, as for a screen reader")
}

// inlineLines is how many lines --inline takes where it does not say.
const inlineLines = 16

func (o *watchOptions) check() error {
	if o.inline < 0 {
		return fmt.Errorf("--inline %d: a number of lines, 1 or more", o.inline)
	}
	return nil
}

// take takes what is in force.
func (o *watchOptions) take(env environment, s settings) {
	o.lang, o.grammar, o.poll, o.alerts = s.lang, s.grammar, s.poll, s.alerts
	o.color, o.ascii, o.mouse, o.keys, o.looks = s.color, s.ascii, s.mouse, s.keys, s.looks(env)
	_, said := s.given["ascii"]
	o.fine = said && !s.ascii
}

// busCapacity is how many batches may wait for the consumer, which is never slow
// for longer than a moment.
const busCapacity = 64

// watcher is what is being watched: a session fed by sources.
type watcher struct {
	env       environment
	options   watchOptions
	session   *diagnose.Session
	sources   []sources.Source
	drainers  []sources.Drainer // programs that must not be left without a reader
	machine   []sources.Source  // of the machine itself; they never end
	ended     int
	sample    bool                     // what is shown is nobody's training
	keptInput int                      // of what a keeper holds
	offset    int64                    // of the newest event of a training that a keeper holds
	shown     atomic.Int64             // that offset when a snapshot was last taken for the screen
	endless   bool                     // there are always more inputs to come
	choices   chan choice              // of devices, by a person at the screen
	courier   *courier                 // of alerts; nil if they go nowhere
	alerter   *alerter                 // nil if alerts go nowhere
	others    chan []diagnose.OtherRun // that were found beside the inputs
	pace      time.Duration            // between frames while changes keep coming; 0 is frameEvery
}

// choice ties a device to a run by hand; see [diagnose.Session.Choose].
type choice struct{ run, gpu int }

// watchPaths watches inputs on a screen, or prints lines where there is none.
func watchPaths(ctx context.Context, env environment, paths []string, o watchOptions) error {
	piped := slices.Contains(paths, standardInput)
	if o.tee != "" && !piped {
		return errors.New("--tee keeps what comes through a pipe: yolo train ... 2>&1 | yolotop --tee train.log -")
	}
	if piped && !env.typed && env.keep != nil && env.kept == nil {
		return env.keep(env, keepOptions{tee: o.tee, lang: o.lang})
	}
	targets, err := expandWaiting(env, paths, o.wait)
	if err != nil {
		return err
	}
	inGrammar(targets, o.grammar)
	inputs := sessionInputs(targets)
	if i := slices.IndexFunc(targets, func(t sources.Target) bool { return t.Path == standardInput }); i >= 0 && env.kept != nil {
		inputs[i].Name = env.kept.name()
	}
	w := &watcher{env: env, options: o, session: diagnose.NewSession(inputs...), choices: make(chan choice, 8), others: make(chan []diagnose.OtherRun, 16)}
	for i, t := range targets {
		var s sources.Source
		switch {
		case t.Path == standardInput && env.kept != nil:
			w.keptInput = i
			s = sources.NewKept(sources.KeptOptions{Name: env.kept.name(), File: env.kept.spool, Control: env.kept.control, Input: i, Grammar: t.Grammar, Seen: env.kept.seen})
		case t.Path == standardInput:
			s = sources.NewStdin(env.stdin, i, t.Grammar)
		default:
			s = sources.NewFile(sources.FileOptions{
				Path: t.Path, Input: i, Args: t.Args, Grammar: t.Grammar, Wait: o.wait || t.Expected, Poll: o.poll,
				Follow: env.screen != nil || o.follow || o.untilEnd,
			})
		}
		w.sources = append(w.sources, s)
		if d, ok := s.(sources.Drainer); ok && !isRegular(t.Path) {
			w.drainers = append(w.drainers, d)
		}
	}
	if env.screen == nil {
		w.session.Compare(besides(targets)...) // lines do not change once they are printed
	} else {
		w.lookBeside(targets)
		paths := make([]string, len(targets))
		for i, t := range targets {
			paths[i] = t.Path
		}
		trainers := sources.NewTrainers(sources.TrainersOptions{Inputs: paths})
		w.machine = []sources.Source{driver(env, targets), trainers, sources.NewHost(sources.HostOptions{TrainerPID: trainers.PID})}
	}
	return w.run(ctx)
}

// watchHere watches the trainings that run on this machine, or the last one that ended.
func watchHere(ctx context.Context, env environment, o watchOptions) error {
	if env.screen == nil {
		paths, err := env.inputs()
		if err != nil {
			return err
		}
		return watchPaths(ctx, env, paths, o)
	}
	folder, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("where we are: %w", err)
	}
	find := sources.NewDiscover(sources.DiscoverOptions{Folder: folder, Grammar: o.grammar, Poll: o.poll})
	w := &watcher{
		env: env, options: o, endless: true, session: diagnose.NewSession(), choices: make(chan choice, 8), others: make(chan []diagnose.OtherRun, 16),
		machine: []sources.Source{find, sources.NewNVIDIA(sources.NVIDIAOptions{}), sources.NewHost(sources.HostOptions{TrainerPID: find.PID})},
	}
	return w.run(ctx)
}

// isRegular reports whether a path is a regular file, whose writer does not depend on us.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return path != standardInput && err == nil && info.Mode().IsRegular()
}

// driver is the source of this machine's devices. The driver's library stays out of a
// process into which a training writes: if it ended the process, it would end the
// training.
func driver(env environment, targets []sources.Target) sources.Source {
	for _, t := range targets {
		info, err := os.Stat(t.Path)
		if t.Path == standardInput && env.kept == nil || err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0 {
			return sources.NewNvidiaSMI(sources.NvidiaSMIOptions{})
		}
	}
	return sources.NewNVIDIA(sources.NVIDIAOptions{})
}

// expandWaiting is expandAll, but leaves what does not exist yet for its source to
// wait for.
func expandWaiting(env environment, paths []string, wait bool) ([]sources.Target, error) {
	if !wait {
		return expandAll(env, paths)
	}
	var all []sources.Target
	for _, p := range paths {
		targets, err := expandAll(env, []string{p})
		if errors.Is(err, fs.ErrNotExist) {
			targets, err = []sources.Target{{Path: p, Expected: true}}, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, targets...)
	}
	return all, nil
}

func (w *watcher) run(ctx context.Context) error {
	if w.env.screen == nil {
		return w.runPlain(ctx)
	}
	return w.runScreen(ctx)
}

// start runs the sources; the bus closes when all of them have ended.
func (w *watcher) start(ctx context.Context) (*sources.Bus, <-chan error) {
	bus := sources.NewBus(busCapacity)
	done := make(chan error, 1)
	go func() { done <- sources.Run(ctx, bus, slices.Concat(w.sources, w.machine)...) }()
	return bus, done
}

// observe shows a batch to the session.
func (w *watcher) observe(batch []parse.Event, after func(parse.Event)) {
	for _, e := range batch {
		w.session.Observe(e)
		if w.env.kept != nil && e.Input == w.keptInput {
			w.offset = max(w.offset, e.Offset)
		}
		if f, ok := e.Record.(*parse.Found); ok && f.Name != "" {
			w.lookBeside([]sources.Target{{Path: f.Name, Group: f.Group, Grammar: w.options.grammar}})
		}
		if s, ok := e.Record.(*parse.SourceState); ok && e.Input != diagnose.MachineInput && (s.Status == parse.SourceEnded || s.Status == parse.SourceFailed) {
			w.ended++
		}
		if after != nil {
			after(e)
		}
	}
}

// startAlerts begins to send alerts where a way is configured. ring writes to the terminal.
func (w *watcher) startAlerts(ring func(string)) {
	ways, err := w.options.alerts.ways(w.env.getenv, ring)
	if err != nil || len(ways) == 0 {
		return // an error was said before
	}
	w.courier = newCourier(ways)
	w.alerter = newAlerter(w.options.lang, hostName(), w.env.now, w.courier.send)
}

// alert tells of what is new.
func (w *watcher) alert() {
	if w.alerter != nil {
		w.alerter.look(w.session)
	}
}

// endAlerts waits a little for alerts that are on their way.
func (w *watcher) endAlerts() {
	if w.courier == nil {
		return
	}
	patience := alertFarewell
	if w.env.screen == nil {
		patience = alertLast
	}
	if err := w.courier.close(patience); err != nil {
		fmt.Fprintf(w.env.stderr, "yolotop: %v\n", err)
	}
}

// lookBeside looks for other runs to compare with, while the inputs are being read.
func (w *watcher) lookBeside(targets []sources.Target) {
	go func() {
		found := besides(targets)
		if len(found) == 0 {
			return
		}
		select {
		case w.others <- found:
		default: // the screen has gone, or has more than it can show
		}
	}()
}

// live reports whether more may come.
func (w *watcher) live() bool { return w.endless || w.ended < len(w.sources) }

// drain lets the programs that write to us finish: what they print goes through,
// as with cat, until they end. A further signal ends it.
func (w *watcher) drain(ctx context.Context, out io.Writer) {
	for _, d := range w.drainers {
		d.PassTo(out)
	}
	for _, d := range w.drainers {
		select {
		case <-d.Drained():
		case <-ctx.Done():
			return
		}
	}
}

// tickEvery is how often a session hears the time.
const tickEvery = time.Second

// isInterrupt reports whether a context was ended by a signal.
func isInterrupt(ctx context.Context) bool { return ctx.Err() != nil }
