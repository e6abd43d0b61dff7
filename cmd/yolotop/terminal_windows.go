package main

import (
	"errors"
	"os"
	"os/exec"
)

// controllingTerminal is where keys come from while standard input is a pipe.
const controllingTerminal = "CONIN$"

func inForeground() bool { return true }

func hungUp(*os.File) bool { return false }

func inherited(int, string) *os.File { return nil }

// shell runs a person's command.
var shell = []string{"cmd", "/c"}

func ownGroup(*exec.Cmd) {}

// canStop reports whether a job can be stopped by the shell.
const canStop = false

func stopJob() {}

func notifyStop(chan os.Signal) {}

func ignoreStop() {}

func hasShell() bool { return false }

func stopSelf(chan os.Signal) {}

func divert(*os.File) (*os.File, func(), error) { return nil, nil, errors.ErrUnsupported }
