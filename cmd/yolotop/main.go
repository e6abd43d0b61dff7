// Command yolotop is top for a YOLO training run: it follows the log of a training,
// shows memory and losses on one timeline, and warns of trouble with the reason and
// the remedy.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"yolotop/sources"
)

// Exit statuses of all commands.
const (
	exitOK          = 0
	exitWarning     = 1   // check: a warning is the gravest active finding
	exitCritical    = 2   // check: a critical finding is active
	exitUsage       = 3   // wrong usage, or nothing readable in any input
	exitInterrupted = 130 // by SIGINT
)

// environment is everything of the outside world that a command touches, so that
// whole commands run in memory in tests.
type environment struct {
	args           []string // without the program's name
	getenv         func(string) string
	stdin          io.Reader
	typed          bool // standard input is a keyboard, not a pipe or a file
	stdout, stderr io.Writer
	now            func() time.Time
	// inputs finds what is to be watched where nothing is named, as
	// [sources.FindInputs] does in the working folder.
	inputs func() ([]string, error)
	// screen tells what a screen needs; nil where there is no terminal to draw on.
	screen *terminal
	// keep holds what a training pipes in and shows it in another process; nil where this
	// process reads it itself.
	keep func(env environment, o keepOptions) error
	// runTraining starts a training and shows it, and hold holds one that it has started; nil
	// where yolotop cannot.
	runTraining func(env environment, o runOptions) error
	hold        func(env environment, hook string, command []string) error
	// kept is what a keeper holds for this process; nil if it is no viewer of one.
	kept *keptFiles
	// afterSignal ends the hold on the terminal's signals, which from then on are
	// the training's: an interrupt no longer ends us, a request to terminate does.
	afterSignal func() (context.Context, context.CancelFunc)
}

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader of our output that is gone must not end a training
	ctx, stop := signal.NotifyContext(context.Background(), wanted(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)...)
	code := execute(ctx, environment{
		args: os.Args[1:], getenv: os.Getenv,
		stdin: os.Stdin, typed: term.IsTerminal(os.Stdin.Fd()), stdout: os.Stdout, stderr: os.Stderr,
		now: time.Now, inputs: findInputs,
		screen: findTerminal(),
		keep:   keepPipe, kept: findKept(), runTraining: startTraining, hold: holdTraining,
		afterSignal: func() (context.Context, context.CancelFunc) {
			signal.Ignore(os.Interrupt, syscall.SIGHUP, syscall.SIGPIPE)
			return signal.NotifyContext(context.Background(), syscall.SIGTERM)
		},
	})
	stop()
	os.Exit(code)
}

// wanted are those of some signals that whoever started us, such as nohup, does not want ignored.
func wanted(signals ...os.Signal) []os.Signal {
	return slices.DeleteFunc(signals, signal.Ignored)
}

// findInputs finds what is to be watched here.
func findInputs() ([]string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("where we are: %w", err)
	}
	return sources.FindInputs(folder)
}

// version is the version of this build: that of the module, or the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && v == "devel" {
			v += " " + s.Value[:12]
		}
	}
	return v
}
