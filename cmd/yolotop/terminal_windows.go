package main

import (
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
