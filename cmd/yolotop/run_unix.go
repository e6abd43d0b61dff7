//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"yolotop/diagnose"
	"yolotop/sources"
)

// startTraining is "yolotop run": it starts a holder, which starts the training and keeps what it
// prints, and shows that. This process may go at any time; the holder and the training stay.
func startTraining(env environment, o runOptions) error {
	log, name, err := newLog(o.log)
	if err != nil {
		return err
	}
	defer log.Close()
	if name != o.log {
		fmt.Fprintf(env.stderr, "yolotop: %s\n", diagnose.Say("tee.taken", o.log, name).In(o.lang))
	}
	hold := []string{"hold"}
	var variables []string
	folder, pythonPath := "", ""
	if o.hook {
		if folder, pythonPath, err = layHook(env.getenv("PYTHONPATH")); err != nil {
			return err
		}
		hold, variables = append(hold, "--hook-folder="+folder), []string{"PYTHONPATH=" + pythonPath}
	}
	held, control, err := startHolder(env, log, name, append(append(hold, "--"), o.command...), variables)
	if err != nil {
		if folder != "" {
			removeHook(folder)
		}
		return fmt.Errorf("start the training: %w", err)
	}
	k := &keeper{
		env: env, lang: o.lang, args: append(o.flags, standardInput), log: name, spool: sources.Mirror(log, control),
		signals: make(chan os.Signal, 8), held: held,
	}
	signal.Notify(k.signals, wanted(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)...)
	signal.Ignore(syscall.SIGPIPE, syscall.SIGTTIN, syscall.SIGTTOU)
	<-held.began
	if held.failed() { // there is nothing to show
		_ = os.Remove(name)
		return held.wait(k)
	}
	if k.env.screen == nil {
		k.say("run.log", name)
	}
	return k.show()
}

// held is a training that a holder holds.
type held struct {
	orders *os.File // to the holder

	mu       sync.Mutex
	pid      int    // of the training; 0 before it has started
	failure  string // why it did not start
	status   int    // its exit status
	detached bool   // it is left alone
	stops    int    // how often it was asked to stop

	began chan struct{} // closed when the training has begun, or could not
	ended chan struct{} // closed when status is known, or the holder has died
}

// startHolder starts a holder; control is what it tells of the log.
func startHolder(env environment, log *os.File, name string, args, variables []string) (h *held, control *os.File, err error) {
	path, err := ownPath()
	if err != nil {
		return nil, nil, err
	}
	var ours, theirs []*os.File
	pipe := func(theirEnd int) (*os.File, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		ends := []*os.File{r, w}
		ours, theirs = append(ours, ends[1-theirEnd]), append(theirs, ends[theirEnd])
		return ends[1-theirEnd], nil
	}
	control, errControl := pipe(1)
	words, errWords := pipe(1)
	orders, errOrders := pipe(0)
	closeAll := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close()
		}
	}
	defer func() { closeAll(theirs) }()
	if err := errors.Join(errControl, errWords, errOrders); err != nil {
		closeAll(ours)
		return nil, nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0] = "yolotop"
	if !env.typed { // what is piped in is the training's
		cmd.Stdin = env.stdin
	}
	secret := func(v string) bool { return strings.HasPrefix(v, webhookVariable+"=") }
	cmd.Env = append(slices.DeleteFunc(os.Environ(), secret), variables...)
	if full, err := filepath.Abs(name); err == nil {
		cmd.Env = append(cmd.Env, sources.LogVariable+"="+full)
	}
	cmd.ExtraFiles = append([]*os.File{log}, theirs...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		closeAll(ours)
		return nil, nil, err
	}
	go func() { _ = cmd.Wait() }()
	h = &held{orders: orders, status: exitSignal + int(syscall.SIGKILL), began: make(chan struct{}), ended: make(chan struct{})}
	go h.hear(words)
	return h, control, nil
}

// hear takes what the holder says, until it has ended.
func (h *held) hear(words *os.File) {
	defer close(h.ended)
	began := sync.OnceFunc(func() { close(h.began) })
	defer began()
	for lines := bufio.NewScanner(words); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		n, _ := strconv.Atoi(rest)
		h.mu.Lock()
		switch word {
		case wordPID:
			h.pid = n
		case wordExit:
			h.status = n
		case wordFailed:
			h.failure, h.status = rest, exitNotExecutable
		}
		h.mu.Unlock()
		began()
	}
}

// failed reports whether the training could not be started.
func (h *held) failed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failure != ""
}

// forward sends a signal to the training.
func (h *held) forward(s os.Signal) {
	if n, ok := s.(syscall.Signal); ok {
		fmt.Fprintf(h.orders, "%s %d\n", orderKill, int(n))
	}
}

// wants does what a person wants of the training.
func (h *held) wants(word string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch word {
	case wantDetach:
		h.detached = true
	case wantStop:
		order := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}
		h.forward(order[min(h.stops, len(order)-1)])
		h.stops++
	}
}

// leave ends this process and leaves the training alone.
func (h *held) leave(k *keeper) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.ended:
		return h.result(k)
	default:
	}
	k.say("run.detached", h.pid, diagnose.ShellQuote(k.log))
	return nil
}

// wait waits for the end of the training and gives its exit status.
func (h *held) wait(k *keeper) error {
	for {
		select {
		case s := <-k.signals:
			if s == syscall.SIGHUP {
				return h.leave(k)
			}
			h.forward(s)
		case <-h.ended:
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.result(k)
		}
	}
}

func (h *held) result(k *keeper) error {
	if h.failure != "" {
		fmt.Fprintf(k.env.stderr, "yolotop: %s\n", h.failure)
	}
	if h.status == exitOK {
		return nil
	}
	return statusError(h.status)
}
