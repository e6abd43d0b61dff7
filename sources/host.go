package sources

import (
	"context"
	"time"

	"yolotop/parse"
)

const (
	// treeEvery is how often the trainer's processes are looked at.
	treeEvery = 5 * time.Second
	// treePatience is how long a pass waits for that. The system makes whoever reads
	// about a process's memory wait while that process changes its memory map.
	treePatience = 50 * time.Millisecond
	// treeStale is when the last answer about the trainer is not shown any more.
	treeStale = 3 * treeEvery
)

// HostOptions say how the machine is watched.
type HostOptions struct {
	// Interval is the time between two samples; 0 means a second. The trainer's
	// processes are looked at each 5 s at most, and samples in between repeat what
	// was found.
	Interval time.Duration
	// TrainerPID is asked before each sample for the process that trains; 0 means
	// that it is not known. It must not block, and may be nil.
	TrainerPID func() int
}

// Host is a source that samples the machine and the trainer's processes on it.
//
// What the system does not count, does not tell this user, or could not tell this
// time is missing in the sample, with the reason. Shares of processor time need two
// samples, so that the first has none. The control group is the trainer's if it is
// known and can be found, and otherwise that of this process.
type Host struct {
	options HostOptions
	probe   hostProbe
}

// hostProbe is what a system tells about itself. The two methods may be called at
// the same time, but each only once at a time.
type hostProbe interface {
	// machine fills in what is known of the machine. It does not block.
	machine(h *parse.Host, pid int, now time.Time)
	// trainer looks at the process pid and its descendants. It may block.
	trainer(pid int, now time.Time) trainer
}

// trainer is what is known of the trainer's processes.
type trainer struct {
	cpu     parse.Number // cores
	pss     parse.Number // bytes
	workers int          // -1 if not known
}

// missingTrainer is a trainer of which nothing is known.
func missingTrainer(why parse.Presence) trainer {
	return trainer{cpu: parse.Number{State: why}, pss: parse.Number{State: why}, workers: -1}
}

// NewHost makes a source that samples this machine until it is stopped.
func NewHost(o HostOptions) *Host {
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	return &Host{options: o, probe: newHostProbe()}
}

// Name implements [Source].
func (h *Host) Name() string { return "host" }

// Input is -1: the machine is none of the inputs.
func (h *Host) Input() int { return -1 }

// Run implements [Source]. It publishes one [parse.Host] at once and one each
// interval. It ends only because of its context, or if nobody receives any more.
func (h *Host) Run(ctx context.Context, p Publisher) error {
	ticker := time.NewTicker(h.options.Interval)
	defer ticker.Stop()
	w := trainerWatch{probe: h.probe, interval: h.options.Interval, answers: make(chan answer, 1)}
	for {
		now := time.Now()
		host := &parse.Host{Workers: -1}
		if h.options.TrainerPID != nil {
			host.TrainerPID = max(0, h.options.TrainerPID())
		}
		h.probe.machine(host, host.TrainerPID, now)
		if err := w.put(ctx, host, now); err != nil {
			return err
		}
		origin := parse.Origin{Input: h.Input(), Arrival: now}
		if err := p.Publish(ctx, []parse.Event{{Origin: origin, Record: host}}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// trainerWatch asks about the trainer's processes in a goroutine of its own, one question
// at a time. A question that is never answered costs that goroutine and no more: the
// machine is sampled on, and Run ends when it is told to.
type trainerWatch struct {
	probe    hostProbe
	interval time.Duration
	answers  chan answer

	pid   int
	last  trainer
	asked time.Time
	busy  bool
}

type answer struct {
	trainer
	pid int
	err error // a panic
}

// put adds what is known of the trainer to a sample.
func (w *trainerWatch) put(ctx context.Context, h *parse.Host, now time.Time) error {
	pid := h.TrainerPID
	if pid != w.pid {
		w.pid, w.last, w.asked = pid, missingTrainer(parse.Unavailable), time.Time{}
	}
	if w.busy {
		if err := w.listen(ctx, 0); err != nil {
			return err
		}
	}
	// Half an interval is the slack that a ticker needs.
	if pid != 0 && !w.busy && now.Sub(w.asked) >= treeEvery-w.interval/2 {
		w.ask(pid, now)
		if err := w.listen(ctx, treePatience); err != nil {
			return err
		}
	}
	if pid == 0 {
		return nil
	}
	if w.busy && now.Sub(w.asked) > treeStale {
		w.last = missingTrainer(parse.Unavailable)
	}
	h.TrainerCPU, h.TrainerPSS, h.Workers = w.last.cpu, w.last.pss, w.last.workers
	return nil
}

func (w *trainerWatch) ask(pid int, now time.Time) {
	w.busy, w.asked = true, now
	go func() {
		a := answer{pid: pid}
		a.err = guarded(func() error {
			a.trainer = w.probe.trainer(pid, now)
			return nil
		})
		w.answers <- a
	}()
}

// listen takes the answer if it is there or comes before patience ends.
func (w *trainerWatch) listen(ctx context.Context, patience time.Duration) error {
	var a answer
	select {
	case a = <-w.answers:
	default:
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case a = <-w.answers:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.busy = false
	if a.err == nil && a.pid == w.pid {
		w.last = a.trainer
	}
	return a.err
}
