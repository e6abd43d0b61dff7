//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"yolotop/diagnose"
	"yolotop/sources"
)

// keepPipe is what "yolotop -" does where it can: it reads what a training pipes in to the end,
// whatever happens, and shows it in a viewer that is a process of its own. A crash there that
// nothing can catch, such as one in the driver's library, does not reach the training.
func keepPipe(env environment, o keepOptions) error {
	file, name, err := spoolFile(o.tee)
	if err != nil {
		return err
	}
	defer file.Close()
	if o.tee != "" && name != o.tee {
		fmt.Fprintf(env.stderr, "yolotop: %s\n", diagnose.Say("tee.taken", o.tee, name).In(o.lang))
	}
	k := &keeper{env: env, lang: o.lang, args: env.args, log: name, spool: sources.NewSpool(file), signals: make(chan os.Signal, 8)}
	// A stop from the keyboard stops all of the pipeline, as it must; what asks to end does not.
	signal.Notify(k.signals, wanted(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)...)
	signal.Ignore(syscall.SIGPIPE, syscall.SIGTTIN, syscall.SIGTTOU)
	endBeside := keepBeside(env, name, k.spool)
	defer endBeside()
	drained := make(chan error, 1)
	go func() { drained <- k.spool.Drain(env.stdin) }()
	err = k.show()
	select {
	case readErr := <-drained:
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("standard input: %w", readErr))
		}
	default: // told to go
	}
	return err
}

// spoolFile makes the file that holds what comes: the one that is asked for, or the next free
// name beside it, or one without a name.
func spoolFile(tee string) (f *os.File, name string, err error) {
	if tee != "" {
		return newLog(tee)
	}
	for _, dir := range []string{"/var/tmp", os.TempDir()} { // the first one is not in main memory
		if f, err = os.CreateTemp(dir, "yolotop-"); err == nil {
			return f, "", os.Remove(f.Name())
		}
	}
	return nil, "", fmt.Errorf("a file to hold what comes through the pipe: %w", err)
}

// keeper shows a spool in viewers, one after the other.
type keeper struct {
	env     environment
	lang    diagnose.Lang
	args    []string // of the viewer
	log     string   // path of the spool, empty if it has none
	spool   *sources.Spool
	signals chan os.Signal
	views   int   // viewers so far
	held    *held // the training, where yolotop has started it; else nil
}

// show shows the spool until its end and that of the viewer. A viewer that crashes can be had
// again.
func (k *keeper) show() error {
	if k.held != nil {
		return k.showHeld()
	}
	for {
		end := k.view()
		if end.told {
			k.pass(end.at, nil)
			return statusError(exitInterrupted)
		}
		if !end.crashed {
			k.pass(end.at, nil)
			return end.err
		}
		keys := k.keys()
		if keys == nil {
			k.say("keeper.crashed", end.why)
			k.pass(end.at, nil)
			return nil
		}
		k.say("keeper.crashed.again", end.why)
		again := k.pass(end.at, keys)
		_ = keys.Close()
		if !again {
			return nil
		}
	}
}

// showHeld is show for a training that yolotop has started: its exit status is ours, and it can be
// left alone.
func (k *keeper) showHeld() error {
	for {
		end := k.view()
		if k.held.detached || end.told {
			return k.held.leave(k)
		}
		var keys *os.File
		if end.crashed {
			if keys = k.keys(); keys != nil {
				k.say("keeper.crashed.again", end.why)
			} else {
				k.say("keeper.crashed", end.why)
			}
		}
		again := k.pass(end.at, keys)
		if keys != nil {
			_ = keys.Close()
		}
		if k.held.detached {
			return k.held.leave(k)
		}
		if !again {
			return k.held.wait(k)
		}
	}
}

// say prints a line to whoever looks.
func (k *keeper) say(key diagnose.Key, args ...any) {
	fmt.Fprintf(k.env.stderr, "yolotop: %s\n", diagnose.Say(key, args...).In(k.lang))
}

// keys are what is typed, nil if nobody can type.
func (k *keeper) keys() *os.File {
	if k.env.screen == nil || !inForeground() {
		return nil
	}
	tty, err := os.OpenFile(controllingTerminal, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return tty
}

// pass lets the training's text through from an offset on, as cat does, until its end or, where
// keys are given, until Enter. It reports whether Enter was pressed.
func (k *keeper) pass(from int64, keys *os.File) (enter bool) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan struct{})
	go func() {
		_ = k.spool.Pass(ctx, k.env.stdout, from) // a terminal that is gone leaves a silent drain
		for state := k.spool.State(); !state.Ended && ctx.Err() == nil; state = k.spool.State() {
			select {
			case <-state.Changed:
			case <-ctx.Done():
			}
		}
		close(ended)
	}()
	typed := make(chan bool, 1)
	if keys != nil {
		go func() {
			typed <- enterTyped(keys) == nil
		}()
	}
	for {
		select {
		case <-ended:
			return false
		case ok := <-typed:
			if ok {
				return true
			}
		case s := <-k.signals:
			switch {
			case k.held != nil && s == syscall.SIGHUP:
				k.held.wants(wantDetach)
				return false
			case k.held != nil:
				k.held.forward(s)
			case s == syscall.SIGTERM:
				return false
			}
			// Else an interrupt from the keyboard is the training's, and so is a hangup.
		}
	}
}

// enterTyped waits for Enter. What a terminal answers to a viewer that is gone is no Enter.
func enterTyped(keys io.Reader) error {
	buf := make([]byte, 256)
	for {
		n, err := keys.Read(buf)
		if bytes.IndexByte(buf[:n], '\n') >= 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// viewerEnd is how a viewer ended.
type viewerEnd struct {
	crashed bool
	why     string // of a crash
	told    bool   // by a signal that was ours
	err     error  // its exit status
	at      int64  // how far it has read
}

// viewerCrash is the exit status of a Go program that nothing can save.
const viewerCrash = 2

// view shows the spool in a viewer until that ends.
func (k *keeper) view() viewerEnd {
	screen := k.env.screen != nil
	before := saveTerminal(screen)
	cmd, done, err := k.start(screen)
	if err != nil {
		return viewerEnd{err: fmt.Errorf("start the viewer: %w", err)}
	}
	end := viewerEnd{}
	for {
		select {
		case s := <-k.signals:
			if k.held != nil && s != syscall.SIGHUP {
				k.held.forward(s)
				continue
			}
			end.told = true
			_ = cmd.Process.Signal(s)
			continue
		case end.at = <-done:
		}
		break
	}
	state := cmd.ProcessState
	status, _ := state.Sys().(syscall.WaitStatus)
	code := state.ExitCode()
	switch {
	case end.told:
		before.restore()
	case status.Signaled(), code == viewerCrash:
		before.restore()
		end.crashed, end.why = true, state.String()
	case code != exitOK:
		end.err = statusError(code)
	}
	return end
}

// start starts a viewer; done says how far it had read when it has ended. What libraries print
// while a screen is up is shown behind it.
func (k *keeper) start(screen bool) (cmd *exec.Cmd, done <-chan int64, err error) {
	defer func() { k.views++ }()
	path, err := ownPath()
	if err != nil {
		return nil, nil, err
	}
	control, tell, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer control.Close()
	hear, back, err := os.Pipe()
	if err != nil {
		_ = tell.Close()
		return nil, nil, err
	}
	defer back.Close()
	cmd = exec.Command(path, k.args...)
	cmd.Args[0] = "yolotop"
	cmd.Env = append(os.Environ(), keptVariable+"="+k.log)
	if k.held != nil {
		cmd.Env = append(cmd.Env, ownVariable+"="+ownFirst[min(k.views, 1)])
		cmd.SysProcAttr = viewerAttributes(screen)
	}
	cmd.ExtraFiles = []*os.File{k.spool.File(), control, back}
	cmd.Stdout, cmd.Stderr = k.env.stdout, k.env.stderr
	var words *os.File
	if screen {
		if words, _, err = spoolFile(""); err == nil {
			cmd.Stderr = words
		}
	}
	if err := cmd.Start(); err != nil {
		_, _ = tell.Close(), hear.Close()
		return nil, nil, err
	}
	go func() {
		_ = sources.TellKept(tell, k.spool, nil) // until the viewer or the training has ended
		_ = tell.Close()
	}()
	ended := make(chan int64, 1)
	go func() {
		at, ok := sources.HearKept(hear, func(word string) {
			if k.held != nil {
				k.held.wants(word)
			}
		})
		_ = hear.Close()
		_ = cmd.Wait()
		if !ok { // it crashed: what it has shown is gone
			at = k.spool.Size()
		}
		if words != nil {
			showWords(k.env.stderr, words)
			_ = words.Close()
		}
		ended <- at
	}()
	return cmd, ended, nil
}

// ownPath is this program, though its file may have been replaced since.
func ownPath() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

// viewerAttributes are those of the viewer's process. Without a screen it is kept out of our group, so
// that an interrupt from the keyboard is for the training alone, which ends what is printed.
func viewerAttributes(screen bool) *syscall.SysProcAttr {
	if screen {
		return nil
	}
	return &syscall.SysProcAttr{Setpgid: true}
}
