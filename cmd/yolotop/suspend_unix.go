//go:build unix

package main

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/shirou/gopsutil/v4/process"
	"golang.org/x/sys/unix"
)

// canStop reports whether a job can be stopped by the shell.
const canStop = true

// stopJob asks this job of the shell to stop, as Ctrl-Z does where a terminal is not raw.
func stopJob() {
	if hasShell() {
		_ = syscall.Kill(0, syscall.SIGTSTP)
	}
}

// notifyStop tells when this process is asked to stop.
func notifyStop(asked chan os.Signal) { signal.Notify(asked, syscall.SIGTSTP) }

// ignoreStop makes this process go on when it is asked to stop.
func ignoreStop() { signal.Ignore(syscall.SIGTSTP) }

// stopSelf stops this process, once it has left the terminal, until the shell lets it go on. It is
// not SIGTSTP that it sends: Go keeps its handler of that after [signal.Reset].
func stopSelf(asked chan os.Signal) {
	if hasShell() {
		goesOn := make(chan os.Signal, 1)
		signal.Notify(goesOn, syscall.SIGCONT)
		defer signal.Stop(goesOn)
		if syscall.Kill(os.Getpid(), syscall.SIGSTOP) == nil {
			<-goesOn // this thread may run on for a moment
		}
	}
	select {
	case <-asked: // by a person who pressed Ctrl-Z twice
	default:
	}
}

// hasShell reports whether there is somebody who can let this job go on once it has stopped: an
// ancestor of the same session and outside of its group, as the system demands for SIGTSTP.
func hasShell() bool {
	session, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	for pid := os.Getppid(); pid > 1; {
		if sid, err := unix.Getsid(pid); err != nil || sid != session {
			return false
		}
		if group, err := unix.Getpgid(pid); err != nil || group != syscall.Getpgrp() {
			return err == nil
		}
		p, err := process.NewProcess(int32(pid))
		if err != nil {
			return false
		}
		parent, err := p.Ppid()
		if err != nil {
			return false
		}
		pid = int(parent)
	}
	return false
}

// divert has what is printed to the error stream go to a file without a name, if it would go
// to a terminal; what Go prints of a crash goes to both. release undoes it.
func divert(stream *os.File) (words *os.File, release func(), err error) {
	if !term.IsTerminal(stream.Fd()) {
		return nil, nil, os.ErrInvalid
	}
	if words, _, err = spoolFile(""); err != nil {
		return nil, nil, err
	}
	fd, err := unix.FcntlInt(stream.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		_ = words.Close()
		return nil, nil, err
	}
	before := os.NewFile(uintptr(fd), stream.Name())
	_ = debug.SetCrashOutput(before, debug.CrashOptions{})
	if err := unix.Dup2(int(words.Fd()), int(stream.Fd())); err != nil {
		_, _ = words.Close(), before.Close()
		return nil, nil, err
	}
	return words, func() {
		_ = unix.Dup2(int(before.Fd()), int(stream.Fd()))
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_ = before.Close()
	}, nil
}
