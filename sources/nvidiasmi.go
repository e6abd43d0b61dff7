package sources

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"yolotop/parse"
)

const (
	// smiRetry is the wait before nvidia-smi is started again; each start that gives no
	// sample doubles it, up to smiRetryMax.
	smiRetry    = time.Second
	smiRetryMax = time.Minute
	// smiQuiet is how long nvidia-smi may say nothing, beside the interval, until that
	// is said. A driver that recovers a device can be silent for seconds.
	smiQuiet = 5 * time.Second
	// smiGone is how long a killed nvidia-smi is waited for. One that hangs in the
	// driver does not die before the driver lets it.
	smiGone = 2 * time.Second
)

// What is asked of each device. Older drivers refuse the whole question for one name
// that they do not know, and are asked for less then.
var (
	smiQuery = []string{
		"index", "uuid", "name", "memory.used", "memory.total", "memory.reserved", "utilization.gpu", "utilization.memory",
		"temperature.gpu", "power.draw", "enforced.power.limit", "fan.speed", "clocks.sm", "clocks.max.sm",
	}
	smiQueryOld = []string{
		"index", "uuid", "name", "memory.used", "memory.total", "utilization.gpu", "utilization.memory",
		"temperature.gpu", "power.draw", "power.limit", "fan.speed", "clocks.sm", "clocks.max.sm",
	}
)

// NvidiaSMIOptions say how the devices are watched.
type NvidiaSMIOptions struct {
	// Interval is the time between two samples; 0 means a second.
	Interval time.Duration

	start func(args []string) (*smiProcess, error) // for tests; nil starts the program
}

// NvidiaSMI is a source that samples the NVIDIA devices of this machine with one
// nvidia-smi that runs as long as the source does. It is for programs that cannot
// load the driver's library.
type NvidiaSMI struct {
	interval time.Duration
	start    func(args []string) (*smiProcess, error)
}

// smiProcess is an nvidia-smi that was started.
type smiProcess struct {
	out  io.Reader // both of its outputs; ends when the process does
	kill func()
	wait func() error // called once, after the end of out
}

// NewNvidiaSMI makes a source that samples until it is stopped.
func NewNvidiaSMI(o NvidiaSMIOptions) *NvidiaSMI {
	n := &NvidiaSMI{interval: o.Interval, start: o.start}
	if n.interval <= 0 {
		n.interval = time.Second
	}
	if n.start == nil {
		n.start = startSMI
	}
	return n
}

// Name implements [Source].
func (n *NvidiaSMI) Name() string { return "nvidia-smi" }

// Input is -1: the machine is none of the inputs.
func (n *NvidiaSMI) Input() int { return -1 }

// Run implements [Source]. It publishes a [parse.GPU] for each device and interval,
// and starts nvidia-smi again if it ends. It ends because of its context, or if
// nvidia-smi is not there or may not be run, or if nobody receives any more. The
// process that it started has ended then, or was killed and hangs in the driver.
func (n *NvidiaSMI) Run(ctx context.Context, p Publisher) error {
	s := smiSession{feed: newFeed(n.Name(), n.Input(), p), patience: n.interval + smiQuiet}
	query, delay := smiQuery, smiRetry
	for {
		process, err := n.start(smiArgs(query, n.interval))
		switch {
		case err == nil:
			err = s.follow(ctx, process)
			if s.broken != nil {
				return s.broken // ctx has ended or nobody receives
			}
		case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
			return s.fail(ctx, "nvidia-smi is not installed", err)
		case errors.Is(err, fs.ErrPermission):
			return s.fail(ctx, "no permission to run nvidia-smi", err)
		default:
			s.said, s.samples = "", 0
		}
		if s.samples == 0 && strings.Contains(s.said, "not a valid field") && len(query) > len(smiQueryOld) {
			query = smiQueryOld
			continue
		}
		if s.samples > 0 {
			delay = smiRetry
		}
		if err := s.become(ctx, parse.SourceWaiting, s.ending(err)); err != nil {
			return err
		}
		if err := pause(ctx, delay); err != nil {
			return err
		}
		delay = min(2*delay, smiRetryMax)
	}
}

// smiArgs is the command line behind the program's name.
func smiArgs(query []string, interval time.Duration) []string {
	args := []string{"--query-gpu=" + strings.Join(query, ","), "--format=csv,nounits"}
	if interval%time.Second == 0 {
		return append(args, "-l", strconv.Itoa(int(interval/time.Second)))
	}
	return append(args, "-lms", strconv.Itoa(max(1, int(interval/time.Millisecond))))
}

// smiSession is what a source knows while it runs.
type smiSession struct {
	feed     *feed
	patience time.Duration
	state    parse.SourceState // published last
	samples  int               // of the newest process
	said     string            // its newest line that is no sample, if no sample came since
	broken   error             // why nothing can be published any more
}

// become publishes a new condition of the source.
func (s *smiSession) become(ctx context.Context, status parse.SourceStatus, why string) error {
	if s.state.Name != "" && s.state.Status == status && s.state.Why == why {
		return nil
	}
	s.state = parse.SourceState{Name: s.feed.name, Status: status, Why: why}
	return s.feed.state(ctx, status, why)
}

func (s *smiSession) fail(ctx context.Context, why string, err error) error {
	if err := s.become(ctx, parse.SourceFailed, why); err != nil {
		return err
	}
	return &readError{s.feed.name, err}
}

// ending is why there are no samples from a process that has ended with err.
func (s *smiSession) ending(err error) string {
	switch {
	case s.said != "":
		return "nvidia-smi says: " + s.said
	case err != nil:
		return "nvidia-smi ended: " + printable(err.Error())
	}
	return "nvidia-smi ended"
}

// follow publishes what a process prints until it ends and returns what it ended
// with. If broken is set afterwards the source has to end. The process is gone in
// any case, even after a panic, unless it hangs in the driver.
func (s *smiSession) follow(ctx context.Context, process *smiProcess) error {
	s.samples, s.said = 0, ""
	chunks, ended, left := make(chan []byte), make(chan error, 1), make(chan struct{})
	go func() {
		defer func() { ended <- process.wait() }()
		for {
			buf := make([]byte, 4<<10)
			n, err := process.out.Read(buf)
			if n > 0 {
				select {
				case chunks <- buf[:n]:
				case <-left: // nobody listens, but the process must not be blocked
				}
			}
			if err != nil {
				return
			}
		}
	}()
	running := true
	defer func() {
		close(left)
		if !running {
			return
		}
		process.kill()
		timer := time.NewTimer(smiGone)
		defer timer.Stop()
		select {
		case <-ended: //nolint:errcheck // it was killed, and that is its error
		case <-timer.C:
		}
	}()
	stream := parse.NewStream(s.feed.input)
	quiet := time.NewTimer(s.patience)
	defer quiet.Stop()
	for s.broken == nil {
		select {
		case b := <-chunks:
			quiet.Reset(s.patience)
			stream.Write(b, time.Now(), s.take)
			s.broken = s.publish(ctx)
		case <-quiet.C:
			s.broken = s.become(ctx, parse.SourceWaiting, "nvidia-smi does not answer")
		case err := <-ended:
			running = false
			stream.Close(time.Now(), s.take)
			s.broken = s.publish(ctx)
			return err
		case <-ctx.Done():
			s.broken = ctx.Err()
		}
	}
	return s.broken
}

// take keeps the samples among events and remembers what else the process says.
func (s *smiSession) take(e parse.Event) {
	switch r := e.Record.(type) {
	case *parse.GPU:
		s.samples, s.said = s.samples+1, ""
		s.feed.add(parse.Event{Origin: parse.Origin{Input: s.feed.input, Arrival: e.Arrival}, Record: r})
	case *parse.Text:
		s.said = shorten(r.Text, 120)
	}
}

// publish sends the samples that have come.
func (s *smiSession) publish(ctx context.Context) error {
	if len(s.feed.batch) == 0 {
		return nil
	}
	batch := s.feed.batch
	s.feed.batch = nil // the samples follow the condition that they prove
	if err := s.become(ctx, parse.SourceReading, ""); err != nil {
		return err
	}
	s.feed.batch = batch
	return s.feed.flush(ctx)
}

// shorten cuts a text to at most n bytes, at a blank or in front of a character.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if i := strings.LastIndexByte(text[:n], ' '); i > 0 {
		n = i
	}
	return strings.ToValidUTF8(text[:n], "") + " ..."
}

// startSMI starts the program.
func startSMI(args []string) (*smiProcess, error) {
	path, err := findSMI()
	if err != nil {
		return nil, err
	}
	return startProgram(path, args)
}

// findSMI looks for the program where PATH says, and where drivers install it
// without telling PATH: in WSL, and on Windows before 2019.
func findSMI() (string, error) {
	path, err := exec.LookPath("nvidia-smi")
	if err == nil {
		return path, nil
	}
	for _, place := range []string{"/usr/lib/wsl/lib/nvidia-smi", `C:\Program Files\NVIDIA Corporation\NVSMI\nvidia-smi.exe`} {
		if path, found := exec.LookPath(place); found == nil {
			return path, nil
		}
	}
	return "", err
}

func startProgram(path string, args []string) (*smiProcess, error) {
	cmd := exec.Command(path, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &smiProcess{out: out, kill: func() { _ = cmd.Process.Kill() }, wait: cmd.Wait}, nil
}
