package main

import (
	"os"
	"strings"

	"yolotop/diagnose"
	"yolotop/tui"
)

// keepOptions say how a keeper holds what a training prints.
type keepOptions struct {
	tee  string // file that keeps the bytes; empty for none
	lang diagnose.Lang
}

// keptVariable tells a viewer that a keeper holds what it is to show; its value is the path of
// the log, empty if there is none that stays. The files are open already. ownVariable tells
// beside it that yolotop has started the training.
const (
	keptVariable = "YOLOTOP_KEPT"
	ownVariable  = "YOLOTOP_OWN"
)

// ownFirst are the values of ownVariable for the first viewer and for those after it, to which what
// the training has printed is history.
var ownFirst = [2]string{"first", "again"}

// The files that a viewer finds open.
const (
	keptSpool   = 3
	keptControl = 4
	keptBack    = 5
)

// What a viewer tells the process that started the training, where that is ours.
const (
	wantStop   = "stop"   // ask it to stop, harder each time
	wantDetach = "detach" // leave it alone
)

// keptFiles are what a keeper has left open for a viewer.
type keptFiles struct {
	spool, control, back *os.File
	own                  bool   // yolotop has started the training
	keeper               int    // process number of the keeper
	seen                 bool   // and this is its first viewer
	log                  string // path of what is kept; empty if it does not stay
}

// name is what a person calls the input.
func (k *keptFiles) name() string {
	if k.own {
		return k.log
	}
	return diagnose.StandardInput
}

// findKept finds what a keeper has left for this process, nil if there is nothing. What this
// process starts does not find it any more.
func findKept() *keptFiles {
	log, ok := os.LookupEnv(keptVariable)
	value, own := os.LookupEnv(ownVariable)
	if !ok || os.Unsetenv(keptVariable) != nil || os.Unsetenv(ownVariable) != nil {
		return nil
	}
	k := &keptFiles{spool: inherited(keptSpool, "spool"), control: inherited(keptControl, "control"), back: inherited(keptBack, "back"), own: own, seen: value == ownFirst[0], keeper: os.Getppid(), log: log}
	if k.spool == nil || k.control == nil || k.back == nil {
		return nil
	}
	return k
}

// cleanLines makes text from elsewhere safe to print, line by line.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = tui.Clean(l)
	}
	return strings.Join(lines, "\n")
}
