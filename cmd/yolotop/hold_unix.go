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
	"golang.org/x/sys/unix"

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
// a process apart from the terminal of the person who started it, so that nothing which happens to
// that one reaches the command; it draws nothing, understands nothing and loads no driver.
func holdTraining(env environment, hook string, command []string) error {
	log, control, words, orders := inherited(holdLog, "log"), inherited(holdControl, "control"), inherited(holdWords, "words"), inherited(holdOrders, "orders")
	if log == nil || control == nil || words == nil || orders == nil {
		return errors.New("hold is for yolotop itself")
	}
	// Caught and not ignored: what a process ignores is ignored by the programs that it starts.
	signal.Reset(syscall.SIGPIPE)
	caught := make(chan os.Signal, 8)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTSTP)

	if hook != "" {
		defer removeHook(hook)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin = env.stdin
	if env.getenv("TERM") == "" {
		cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	}
	terminal, err := startIn(cmd)
	if err != nil {
		fmt.Fprintf(words, "%s %s\n", wordFailed, strings.ReplaceAll(err.Error(), "\n", " "))
		return statusError(exitNotExecutable)
	}
	group := cmd.Process.Pid
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
	over := make(chan string, 1) // how the command has ended, once it has
	spool := sources.NewSpool(log)
	endBeside := keepBeside(env, env.getenv(sources.LogVariable), spool)
	defer endBeside()
	told := make(chan struct{})
	go func() {
		_ = sources.TellKept(control, spool, over) // nobody may listen any more
		_ = control.Close()
		close(told)
	}()
	drained := make(chan struct{})
	text := &heldTerminal{File: terminal, ended: make(chan struct{}), newest: make(chan struct{}, 1)}
	go func() {
		_ = spool.Drain(text)
		close(drained)
	}()
	_ = cmd.Wait()
	close(text.ended)
	text.silence(drained)
	status := shellStatus(cmd.ProcessState)
	over <- strconv.Itoa(status)
	<-told
	fmt.Fprintf(words, "%s %d\n", wordExit, status)
	_ = words.Close() // who waits need not wait for what the command has left behind
	<-drained
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
	// The holder leads the session, as a shell does, so that what the command leaves behind, such
	// as a training in the background, lives on when it ends. Nobody can type: a question finds the
	// end of its input, and does not wait for ever.
	if err := unix.IoctlSetInt(int(tty.Fd()), unix.TIOCSCTTY, 0); err != nil {
		return nil, fmt.Errorf("a terminal for the training: %w", err)
	}
	cmd.Stdout, cmd.Stderr = tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: int(tty.Fd())}
	return terminal, cmd.Start()
}

// heldTerminal reads from the terminal of a training. When no program has it open, that is the end
// only once the command has ended: it may open it again.
type heldTerminal struct {
	*os.File
	ended  chan struct{} // closed when the command has
	newest chan struct{} // something was read
}

func (t *heldTerminal) Read(b []byte) (int, error) {
	for {
		n, err := t.File.Read(b)
		if n > 0 {
			select {
			case t.newest <- struct{}{}:
			default:
			}
		}
		if !errors.Is(err, syscall.EIO) {
			return n, err
		}
		select {
		case <-t.ended:
			return n, io.EOF
		case <-time.After(lastBytes):
		}
	}
}

// silence waits until nothing has come for a while, or all is read.
func (t *heldTerminal) silence(drained <-chan struct{}) {
	for {
		select {
		case <-drained:
			return
		case <-t.newest:
		case <-time.After(lastBytes):
			return
		}
	}
}

// shellStatus is the exit status of a process as a shell gives it.
func shellStatus(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal())
	}
	return s.ExitCode()
}
