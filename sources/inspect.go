package sources

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"time"

	"yolotop/parse"
)

// Facility is what there is of one way to learn something, for a person who asks what
// works here.
type Facility struct {
	There  bool   // it works
	Broken bool   // it is there and does not work
	Why    string // what it says of itself, or why it does not work; lower case, for people
}

// DriverReport is what there is of the NVIDIA driver.
type DriverReport struct {
	Library, Program Facility // NVML and nvidia-smi; the second is only tried without the first
	Path             string   // of the library that was loaded; empty if none was, or not known
	GPUs             []*parse.GPU
	Faults           []*parse.GPUFault
}

// InspectDriver asks the driver once, as the sources do that watch it. Each way is waited
// for that long at most.
func InspectDriver(ctx context.Context, patience time.Duration, o NVIDIAOptions) DriverReport {
	var r DriverReport
	r.Library = r.inspect(ctx, patience, NewNVML(o.NVML))
	if r.Library.There {
		return r
	}
	r.Program = r.inspect(ctx, patience, NewNvidiaSMI(o.NvidiaSMI))
	return r
}

// inspect runs a source until it has sampled a device or failed.
func (r *DriverReport) inspect(ctx context.Context, patience time.Duration, s Source) Facility {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var f Facility
	look := reportTo(func(_ context.Context, events []parse.Event) error {
		for _, e := range events {
			switch rec := e.Record.(type) {
			case *parse.GPU:
				if !f.There {
					f.There, r.Path = true, nvmlPath() // while it is loaded
				}
				if !slices.ContainsFunc(r.GPUs, func(g *parse.GPU) bool { return g.Index == rec.Index && g.UUID == rec.UUID }) {
					r.GPUs = append(r.GPUs, rec)
				}
			case *parse.GPUFault:
				r.Faults = append(r.Faults, rec)
			case *parse.SourceState:
				f.Why = rec.Why
			}
		}
		if f.There {
			stop()
		}
		return nil
	})
	err := runOne(ctx, look, s)
	switch {
	case f.There:
	case err == nil: // it was stopped by ctx
		f.Broken = true
		if f.Why == "" {
			f.Why = "does not answer"
		}
	default:
		f.Broken = !absent(err)
	}
	return f
}

// absent reports whether a source failed because what it needs is not here at all, which
// is how most machines are.
func absent(err error) bool {
	var library *nvmlLibraryError
	if errors.As(err, &library) {
		return !library.stub && library.path == ""
	}
	return errors.Is(err, errNVMLNotBuilt) || errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
}

// reportTo is a publisher that is a function.
type reportTo func(ctx context.Context, events []parse.Event) error

func (f reportTo) Publish(ctx context.Context, events []parse.Event) error {
	return f(ctx, events)
}

// InspectNotices tells whether the kernel's notifications of files can be had.
func InspectNotices() Facility {
	if trackerRuns() {
		return Facility{There: true}
	}
	return Facility{Broken: true, Why: "no inotify instance can be had: files are looked at by the clock; see fs.inotify.max_user_instances"}
}

// InspectTmux tells which tmux there is.
func InspectTmux(ctx context.Context) Facility {
	ctx, stop := context.WithTimeout(ctx, tmuxPatience)
	defer stop()
	cmd := exec.CommandContext(ctx, "tmux", "-V")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Facility{Why: "not installed"}
	case err != nil:
		return Facility{Broken: true, Why: printable(err.Error())}
	}
	return Facility{There: true, Why: printable(strings.TrimPrefix(string(out), "tmux "))}
}

// InspectHost samples the machine once.
func InspectHost() *parse.Host {
	h := &parse.Host{Workers: -1}
	newHostProbe().machine(h, 0, time.Now())
	return h
}

// InspectProcesses counts the processes that this user may see, and how many of them are
// the user's own.
func InspectProcesses(uid int) (all, own int, err error) {
	list, err := Processes()
	for _, p := range list {
		if p.UID == uid {
			own++
		}
	}
	return len(list), own, err
}

// InspectTrainings are the trainings that run here now. Their commands are without
// arguments, which may hold secrets.
func InspectTrainings() []parse.Training {
	var out []parse.Training
	for _, t := range trainingFinder()() {
		out = append(out, parse.Training{PID: t.process.PID, User: t.process.User, Own: t.own, Command: programOfTraining(t.process), Input: -1, Output: t.output})
	}
	return out
}
