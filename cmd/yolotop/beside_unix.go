//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"

	"yolotop/sources"
)

// keepBeside keeps, beside a log, when it has grown and what the devices of this machine do. The
// devices are asked by a process of its own: what happens to it happens to nothing else. end ends it.
// Nothing is kept beside what has no name.
func keepBeside(env environment, log string, spool *sources.Spool) (end func()) {
	if log == "" {
		return func() {}
	}
	timed := make(chan struct{})
	if times, err := sources.NewBeside(log, sources.TimesSuffix); err == nil {
		go func() {
			_ = sources.WriteTimes(times, spool, env.now, func(d time.Duration) { _ = pauseFor(context.Background(), d) }) // a disk that is full ends it
			_ = times.Close()
			close(timed)
		}()
	} else {
		close(timed)
	}
	endSamples := keepSamples(log)
	return func() {
		endSamples()
		select {
		case <-timed:
		case <-time.After(besideFarewell):
		}
	}
}

// keepSamples keeps what the devices do.
func keepSamples(log string) (end func()) {
	samples, err := sources.NewBeside(log, sources.SamplesSuffix)
	if err != nil {
		return func() {}
	}
	defer samples.Close()
	path, err := ownPath()
	if err != nil {
		return func() {}
	}
	cmd := exec.Command(path, "sample")
	cmd.Args[0] = "yolotop"
	cmd.Stdout = samples
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	alive, err := cmd.StdinPipe() // closed when this process has ended, however it did
	if err != nil || cmd.Start() != nil {
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		if info, err := os.Stat(samples.Name()); err == nil && info.Size() == 0 {
			_ = os.Remove(samples.Name()) // there are no devices here
		}
		close(ended)
	}()
	return func() {
		_ = alive.Close()
		select {
		case <-ended:
		case <-time.After(besideFarewell):
			_ = cmd.Process.Kill()
		}
	}
}

// besideFarewell is how long the process that asks the devices, and the last time, may take.
const besideFarewell = 2 * time.Second
