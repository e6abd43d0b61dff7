//go:build !windows

package main

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// controllingTerminal is where keys come from while standard input is a pipe.
const controllingTerminal = "/dev/tty"

// hungUp reports whether the other end of a terminal is gone. It is asked for, since no hangup may
// arrive: nohup keeps it away, and so does a leader of the session.
func hungUp(tty *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(tty.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
}

// inForeground reports whether this process may read from its terminal and set its modes: a job
// in the background that tries is stopped, and with it all of its pipeline.
func inForeground() bool {
	tty, err := os.OpenFile(controllingTerminal, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == syscall.Getpgrp()
}

// terminalState is how a terminal was before a program drew on it.
type terminalState struct{ modes *term.State }

// saveTerminal remembers the terminal; nothing where there is no screen.
func saveTerminal(screen bool) terminalState {
	if !screen {
		return terminalState{}
	}
	tty, err := os.OpenFile(controllingTerminal, os.O_RDWR, 0)
	if err != nil {
		return terminalState{}
	}
	defer tty.Close()
	modes, err := term.GetState(tty.Fd())
	if err != nil {
		return terminalState{}
	}
	return terminalState{modes}
}

// plainTerminal undoes what a screen may have set: keyboard protocols, the mouse, reports of
// focus, bracketed paste, synchronized output, the alternate screen, the cursor and colours.
const plainTerminal = "\x1b[=0;1u\x1b[>4;0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[?1049l\x1b[?25h\x1b[0m\r"

// restore makes the terminal what it was, after a program that did not do so itself.
func (s terminalState) restore() {
	if s.modes == nil {
		return
	}
	tty, err := os.OpenFile(controllingTerminal, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer tty.Close()
	_ = term.Restore(tty.Fd(), s.modes)
	_, _ = tty.WriteString(plainTerminal)
}

// inherited is a file that is open already, nil if it is not. Programs that this one starts do
// not get it.
func inherited(fd int, name string) *os.File {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return nil
	}
	unix.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), name)
}

// shell runs a person's command.
var shell = []string{"sh", "-c"}

// ownGroup has a command, and what it starts, ended together when its time is over.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
