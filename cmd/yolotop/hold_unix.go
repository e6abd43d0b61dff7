//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"yolotop/sources"
)

// The files that a holder finds open.
const (
	holdLog     = 3
	holdControl = 4 // to tell of the log
	holdWords   = 5 // to tell of the training
	holdOrders  = 6 // what is to be done with it
)

// What a holder says of the training, a line each, and what it is told.
const (
	wordPID    = "pid"    // its process number
	wordExit   = "exit"   // its exit status, as a shell counts
	wordFailed = "failed" // why it did not start
	orderKill  = "signal" // send it a signal, by number
)

// heldColumns and heldRows are the size of the terminal of a training: wide, so that its bars are
// whole, and the same whatever the screen is.
const (
	heldColumns = 200
	heldRows    = 50
)

// lastBytes is how long a terminal must be silent after the end of its program to have given all:
// something that the program left behind may hold it open.
const lastBytes = 500 * time.Millisecond

// holdTraining starts a command in a terminal of its own and keeps what it prints in the log. It is
// a process without a terminal, so that nothing which happens to one reaches the command; it draws
// nothing, understands nothing and loads no driver.
func holdTraining(env environment, command []string) error {
	log, control, words, orders := inherited(holdLog, "log"), inherited(holdControl, "control"), inherited(holdWords, "words"), inherited(holdOrders, "orders")
	if log == nil || control == nil || words == nil || orders == nil {
		return errors.New("hold is for yolotop itself")
	}
	// Caught and not ignored: what a process ignores is ignored by the programs that it starts.
	signal.Reset(syscall.SIGPIPE)
	caught := make(chan os.Signal, 8)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTSTP)

	if folder := env.getenv(hookVariable); folder != "" {
		defer func() { _ = os.RemoveAll(folder) }()
	}
	cmd := exec.Command(command[0], command[1:]...)
	if env.getenv("TERM") == "" {
		cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	}
	terminal, err := startIn(cmd)
	if err != nil {
		fmt.Fprintf(words, "%s %s\n", wordFailed, strings.ReplaceAll(err.Error(), "\n", " "))
		return statusError(exitNotExecutable)
	}
	group := cmd.Process.Pid // the leader of a session leads a group, too
	fmt.Fprintf(words, "%s %d\n", wordPID, group)
	go func() {
		for s := range caught {
			if s == syscall.SIGTERM { // somebody ends all that there is
				_ = syscall.Kill(-group, syscall.SIGTERM)
			}
		}
	}()
	go func() {
		for lines := bufio.NewScanner(orders); lines.Scan(); {
			if number, ok := strings.CutPrefix(lines.Text(), orderKill+" "); ok {
				if n, err := strconv.Atoi(number); err == nil && n > 0 {
					_ = syscall.Kill(-group, syscall.Signal(n))
				}
			}
		}
	}()
	spool := sources.NewSpool(log)
	endBeside := keepBeside(env, env.getenv(sources.LogVariable), spool)
	defer endBeside()
	told := make(chan struct{})
	go func() {
		_ = sources.TellKept(control, spool) // nobody may listen any more
		_ = control.Close()
		close(told)
	}()
	drained := make(chan struct{})
	text := &heldTerminal{File: terminal}
	go func() {
		_ = spool.Drain(text)
		close(drained)
	}()
	_ = cmd.Wait()
	_ = terminal.SetReadDeadline(env.now().Add(lastBytes))
	<-drained
	<-told
	fmt.Fprintf(words, "%s %d\n", wordExit, shellStatus(cmd.ProcessState))
	_ = words.Close() // who waits need not wait for what lies beside the log
	return nil
}

// startIn starts a command in a new terminal, in which what is printed arrives as it was written.
func startIn(cmd *exec.Cmd) (*os.File, error) {
	terminal, tty, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("a terminal for the training: %w", err)
	}
	defer tty.Close()
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: heldRows, Cols: heldColumns}); err != nil {
		return nil, fmt.Errorf("a terminal for the training: %w", err)
	}
	if _, err := term.MakeRaw(tty.Fd()); err != nil {
		return nil, fmt.Errorf("a terminal for the training: %w", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return terminal, cmd.Start()
}

// heldTerminal reads from the terminal of a training; when all programs in it have ended, that is
// the end and no error.
type heldTerminal struct{ *os.File }

func (t *heldTerminal) Read(b []byte) (int, error) {
	n, err := t.File.Read(b)
	if errors.Is(err, syscall.EIO) || errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// shellStatus is the exit status of a process as a shell gives it.
func shellStatus(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal())
	}
	return s.ExitCode()
}
