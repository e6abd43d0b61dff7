package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
	"yolotop/tui"
)

// A log that nothing was written to for so long, or for so many of its epochs, is taken to be
// that of a training which has gone.
const (
	statusSilence = 10 * time.Minute
	statusEpochs  = 3
)

// statusOptions are the flags of status.
type statusOptions struct {
	width    int
	tmux     bool
	settings settings
}

func statusCommand(env environment, global *globalFlags) *cobra.Command {
	o := statusOptions{width: 60}
	cmd := &cobra.Command{
		Use:   "status [--width N] [--tmux] [PATH...]",
		Short: "print how a run stands in one line, for tmux and prompts",
		Long: `Prints one line and exits: a sign, the epoch, memory of the card, the time that is
left, and the gravest finding. Without a PATH it takes the run that yolotop would
show here. The log is read to its end each time, as its findings rest on all of it:
about a second for 100 MB. The exit status is 0 if all is well, 1 for a warning, 2
for a critical finding or a run that died, and 3, without a line, if there is no
training.

  set -g status-right '#(yolotop status --tmux ~/runs/detect/train)'`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			var err error
			if o.settings, err = global.settings(env, cmd, false); err != nil {
				return err
			}
			if o.width < 1 {
				return fmt.Errorf("--width %d: a line has at least one cell", o.width)
			}
			if len(paths) == 0 {
				if paths, err = env.inputs(); err != nil {
					return err
				}
			}
			return interruptible(cmd.Context(), func() error { return printStatus(env, paths, o) })
		},
	}
	cmd.Flags().IntVar(&o.width, "width", o.width, "cells of the line at most")
	cmd.Flags().BoolVar(&o.tmux, "tmux", false, "with colours as tmux writes them")
	return cmd
}

// printStatus reads the inputs and prints a line about the newest run in them.
func printStatus(env environment, paths []string, o statusOptions) error {
	targets, err := expandAll(env, paths)
	if err != nil {
		return err
	}
	inGrammar(targets, o.settings.grammar)
	session := diagnose.NewSession(sessionInputs(targets)...)
	for i, t := range targets {
		if err := readTarget(env, t, i, session.Observe); err != nil {
			return err
		}
	}
	run := newestRun(session)
	if run == nil {
		return fmt.Errorf("%s: no training in it", strings.Join(paths, ", "))
	}
	if silent(env, targets, max(statusSilence, statusEpochs*run.EpochTime)) {
		for i, t := range targets {
			session.Observe(parse.Event{Origin: parse.Origin{Input: i}, Record: &parse.SourceState{Name: t.Path, Status: parse.SourceEnded}})
		}
		run = newestRun(session)
	}
	line := tui.StatusLine(run, session.Inputs(), o.settings.lang, o.width, o.settings.ascii)
	level := tui.StatusLevel(run, session.Inputs())
	if o.tmux {
		line = tmuxLine(line, level)
	}
	if _, err := fmt.Fprintln(env.stdout, line); err != nil {
		return err
	}
	if level > diagnose.Info {
		return statusError(level)
	}
	return nil
}

// newestRun is the last training of a session, nil if there is none.
func newestRun(s *diagnose.Session) *diagnose.Run {
	runs := s.Runs()
	for i := len(runs) - 1; i >= 0; i-- {
		if runs[i].Known {
			return runs[i]
		}
	}
	return nil
}

// silent reports whether nothing was written to any of the inputs for so long. It only decides
// whether a line says what time is left.
func silent(env environment, targets []sources.Target, patience time.Duration) bool {
	for _, t := range targets {
		info, err := os.Stat(t.Path)
		if t.Path != standardInput && (err != nil || env.now().Sub(info.ModTime()) < patience) {
			return false
		}
	}
	return true
}

// tmuxLine is a line in the colour of a level, as tmux writes it; a # in it is no command.
func tmuxLine(line string, level diagnose.Level) string {
	color := [...]string{diagnose.Info: "green", diagnose.Warning: "yellow", diagnose.Critical: "red"}[level]
	return "#[fg=" + color + "]" + strings.ReplaceAll(line, "#", "##") + "#[default]"
}
