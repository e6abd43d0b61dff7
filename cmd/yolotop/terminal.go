package main

import (
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
)

// terminal is a terminal to draw on.
type terminal struct {
	out *os.File
}

// findTerminal is the terminal of this process, nil if there is none to draw on:
// standard output is a file or a pipe, the terminal is too simple, or there are no
// keys to be had because no controlling terminal can be opened.
func findTerminal() *terminal {
	if os.Getenv("TERM") == "dumb" || !term.IsTerminal(os.Stdout.Fd()) {
		return nil
	}
	if !term.IsTerminal(os.Stdin.Fd()) { // the keys come from the controlling terminal
		keys, err := os.OpenFile(controllingTerminal, os.O_RDWR, 0)
		if err != nil {
			return nil
		}
		_ = keys.Close()
	}
	if !inForeground() { // another job has the terminal
		return nil
	}
	return &terminal{out: os.Stdout}
}

// lostTerminal is a terminal that says when it takes no more. A hangup reaches only the leader
// of its session, and one such as make or a script keeps it to itself.
type lostTerminal struct {
	*os.File
	gone func()
}

// Write writes to the terminal.
func (t lostTerminal) Write(p []byte) (int, error) {
	n, err := t.File.Write(p)
	if err != nil {
		t.gone()
	}
	return n, err
}

// probeVariable has the terminal asked how wide it draws lines, whatever the locale.
const probeVariable = "YOLOTOP_PROBE"

// probes reports whether the terminal is to be asked how wide it draws lines. Nobody else waits for
// its answer.
func probes(getenv func(string) string) bool {
	return eastAsian(getenv) || noLocale(getenv) || getenv(probeVariable) == "1"
}

// eastAsian reports whether the locale is one in which terminals may draw box
// lines two cells wide.
func eastAsian(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			return strings.HasPrefix(v, "zh") || strings.HasPrefix(v, "ja") || strings.HasPrefix(v, "ko")
		}
	}
	return false
}
