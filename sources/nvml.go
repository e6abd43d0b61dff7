package sources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"yolotop/parse"
)

const (
	// nvmlIntervalMin is the floor of the interval; drivers renew few numbers faster.
	nvmlIntervalMin = 250 * time.Millisecond
	// nvmlIntervalMax is how rarely a slow driver is asked.
	nvmlIntervalMax = 10 * time.Second
	// nvmlDeadline is how long one call may take until the driver counts as silent.
	nvmlDeadline = 2 * time.Second
	// nvmlSilentEvery is how often it is said again that it is.
	nvmlSilentEvery = 5 * time.Second
	// nvmlGone is how long the end waits for the driver.
	nvmlGone = 200 * time.Millisecond
	// nvmlSlowEvery is in how many passes what is slow or changes rarely is asked once.
	nvmlSlowEvery = 10
)

// NVMLOptions say how the devices are watched.
type NVMLOptions struct {
	// Interval is the time between two samples; 0 means a second, and less than 250 ms
	// means 250 ms. A driver that is slow is asked less often, down to each 10 s.
	Interval time.Duration
	// Library is the path of the driver's library; empty means the system's.
	Library string

	// For tests; zero values mean the real ones.
	open     func(library string) (nvmlDriver, error)
	deadline time.Duration
	program  func(pid int) (name, user string) // of a process; empty if not known
	place    func() nvmlPlace
}

// NVML is a source that samples the NVIDIA devices of this machine through the driver's
// library, NVML.
//
// It is always there to be asked: where there is no driver, or the program was built
// without cgo, it fails with the reason and the remedy. A number that a device does not
// count, or that this user may not see, is missing with that reason and is not asked
// for again. Where the driver does not tell its own reserve apart (before 510),
// the reserve counts as used.
//
// A device that is divided (MIG) is followed by its instances as devices of their own:
// they have its index, and UUIDs that begin with "MIG-".
type NVML struct{ options NVMLOptions }

// NewNVML makes a source that samples until it is stopped.
func NewNVML(o NVMLOptions) *NVML {
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	o.Interval = max(o.Interval, nvmlIntervalMin)
	if o.open == nil {
		o.open = openNVML
	}
	if o.deadline <= 0 {
		o.deadline = nvmlDeadline
	}
	if o.program == nil {
		o.program = programOf
	}
	if o.place == nil {
		o.place = findNVMLPlace
	}
	return &NVML{options: o}
}

// Name implements [Source].
func (n *NVML) Name() string { return "nvml" }

// Input is -1: the machine is none of the inputs.
func (n *NVML) Input() int { return -1 }

// Run implements [Source]. It publishes a batch of one [parse.GPU] for each device and
// interval, and a [parse.GPUFault] when the driver reports an error of a device or has
// lost it, which is not asked any more then. While the driver does not answer, that is
// said and Run waits, but not longer than until ctx ends. It ends with an error if
// there is no driver or no device, or if all devices are lost.
func (n *NVML) Run(ctx context.Context, p Publisher) error {
	s := nvmlSession{options: n.options, feed: newFeed(n.Name(), n.Input(), p), told: map[string]bool{}}
	s.worker = startNVMLWorker(func() { s.watch.close() })
	defer s.worker.stop()
	s.watch = nvmlWatch{alive: s.worker.alive, program: n.options.program, interval: n.options.Interval}
	if err := s.start(ctx); err != nil {
		return s.ended(ctx, err)
	}
	return s.ended(ctx, s.sample(ctx))
}

// nvmlSession is what a source knows while it runs. Only the worker uses watch while it
// has a job, and Run never again after a job that it did not wait for.
type nvmlSession struct {
	options NVMLOptions
	feed    *feed
	worker  *nvmlWorker
	watch   nvmlWatch

	state   parse.SourceState // published last
	told    map[string]bool   // what the driver refuses this user
	broken  error             // why nothing can be published any more
	dropped bool              // the last pass was
}

// become publishes a new condition of the source.
func (s *nvmlSession) become(ctx context.Context, status parse.SourceStatus, why string) error {
	if s.state.Name != "" && s.state.Status == status && s.state.Why == why {
		return nil
	}
	s.state = parse.SourceState{Name: s.feed.name, Status: status, Why: why}
	s.broken = s.feed.state(ctx, status, why)
	return s.broken
}

// do has the worker do a job and says meanwhile if the driver is silent.
func (s *nvmlSession) do(ctx context.Context, job func() error) (silent bool, err error) {
	err = s.worker.do(ctx, s.options.deadline, func(d time.Duration) error {
		silent = true
		return s.become(ctx, parse.SourceWaiting, fmt.Sprintf("driver silent for %d s", int(d.Seconds())))
	}, job)
	return silent, err
}

// start opens the driver. The error that a driver cannot explain itself often passes,
// as after the machine has slept.
func (s *nvmlSession) start(ctx context.Context) error {
	for delay := time.Second; ; delay = min(2*delay, nvmlIntervalMax) {
		_, err := s.do(ctx, func() error { return s.watch.open(s.options) })
		if !errors.Is(err, nvmlUnknown) {
			return err
		}
		why := "the driver answers with an unknown error, trying again: see what nvidia-smi says"
		if err := s.become(ctx, parse.SourceWaiting, why); err != nil {
			return err
		}
		if err := pause(ctx, delay); err != nil {
			return err
		}
	}
}

// sample makes one pass each interval.
func (s *nvmlSession) sample(ctx context.Context) error {
	interval := s.options.Interval
	for {
		began := time.Now()
		var got nvmlPass
		silent, err := s.do(ctx, func() error {
			got = s.watch.pass()
			return nil
		})
		if err != nil {
			return err
		}
		took := time.Since(began)
		if err := s.publish(ctx, got, began, silent); err != nil {
			return err
		}
		if got.left == 0 {
			return errNVMLAllLost
		}
		switch {
		case took > interval/2:
			interval = min(2*interval, nvmlIntervalMax)
		case took < interval/8:
			interval = max(interval/2, s.options.Interval)
		}
		// The next pass is due an interval after the beginning of this one.
		if err := pause(ctx, max(0, interval-took)); err != nil {
			return err
		}
	}
}

// publish hands over what a pass has found. The numbers of a pass in which the driver
// was silent are of two moments; they are published only if they come no other way.
func (s *nvmlSession) publish(ctx context.Context, got nvmlPass, at time.Time, silent bool) error {
	s.dropped = silent && !s.dropped
	if err := s.become(ctx, parse.SourceReading, s.found(got.denied)); err != nil {
		return err
	}
	records := got.faults
	if !s.dropped {
		records = append(got.samples, got.faults...)
	}
	for _, r := range records {
		s.feed.add(parse.Event{Origin: parse.Origin{Input: s.feed.input, Arrival: at}, Record: r})
	}
	s.broken = s.feed.flush(ctx)
	return s.broken
}

// found names the driver. What this user may not see is named once, when it turns out.
func (s *nvmlSession) found(denied []string) string {
	why := "driver " + s.watch.version
	if s.watch.version == "" {
		why = "driver of unknown version"
	}
	var fresh []string
	for _, d := range denied {
		if !s.told[d] {
			s.told[d] = true
			fresh = append(fresh, d)
		}
	}
	switch {
	case len(fresh) > 0:
		return why + ", which gives no permission to see: " + strings.Join(slices.Compact(fresh), ", ")
	case s.state.Status == parse.SourceReading && strings.HasPrefix(s.state.Why, why):
		return s.state.Why // it stands until something else is to be said
	}
	return why
}

// ended says why the source has failed, unless it was stopped or nobody receives.
func (s *nvmlSession) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.broken != nil {
		return s.broken
	}
	var crash *panicError
	why := ""
	switch {
	case errors.As(err, &crash):
		crash.said, why = true, crash.Error()
	case errors.Is(err, errNVMLAllLost):
		why = err.Error() + ": see dmesg, and reboot"
	default:
		why = explainNVML(err, s.options.place())
	}
	if e := s.become(ctx, parse.SourceFailed, why); e != nil {
		return e
	}
	if crash != nil {
		return err
	}
	return &readError{s.feed.name, err}
}
