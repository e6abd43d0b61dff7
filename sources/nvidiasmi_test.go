package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

const smiHeader = "index, uuid, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%], power.draw [W]\n"

// smiTick is what nvidia-smi prints of two devices at once.
func smiTick(used int) string {
	return fmt.Sprintf("0, GPU-a, NVIDIA A100-SXM4-40GB, %d, 40960, 97, 301.50\n1, GPU-b, NVIDIA A100-SXM4-40GB, 9, 40960, [N/A], [N/A]\n", used)
}

// fakeSMI stands for the program: each start takes the next of its lives.
type fakeSMI struct {
	lives  []func(w io.Writer, killed <-chan struct{}) error
	starts []time.Duration // since the first one
	args   [][]string
	alive  int
	first  time.Time
}

func (f *fakeSMI) start(args []string) (*smiProcess, error) {
	if f.first.IsZero() {
		f.first = time.Now()
	}
	f.starts, f.args = append(f.starts, time.Since(f.first)), append(f.args, args)
	if len(f.lives) == 0 {
		return nil, &exec.Error{Name: "nvidia-smi", Err: exec.ErrNotFound}
	}
	life := f.lives[0]
	f.lives = f.lives[1:]
	if life == nil {
		return nil, errors.New("fork/exec nvidia-smi: resource temporarily unavailable")
	}
	r, w := io.Pipe()
	killed, result := make(chan struct{}), make(chan error, 1)
	f.alive++
	go func() {
		err := life(w, killed)
		_ = w.Close()
		result <- err
	}()
	return &smiProcess{out: r, kill: func() { close(killed) }, wait: func() error {
		err := <-result
		f.alive--
		return err
	}}, nil
}

// says is a life that prints and ends.
func says(text string, err error) func(io.Writer, <-chan struct{}) error {
	return func(w io.Writer, _ <-chan struct{}) error {
		_, _ = io.WriteString(w, text)
		return err
	}
}

// ticks is a life that prints a header and a sample each second until it is killed.
func ticks(w io.Writer, killed <-chan struct{}) error {
	_, _ = io.WriteString(w, smiHeader)
	for i := 0; ; i++ {
		_, _ = io.WriteString(w, smiTick(400+i))
		select {
		case <-killed:
			return errors.New("signal: killed")
		case <-time.After(time.Second):
		}
	}
}

// smi runs a source on a fake program in a synctest bubble.
func smi(t *testing.T, f *fakeSMI) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r := &running{recorder: &recorder{}, t: t, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- NewNvidiaSMI(NvidiaSMIOptions{start: f.start}).Run(ctx, r) }()
	synctest.Wait()
	return r
}

func TestNvidiaSMISamples(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{ticks}}
		began := time.Now()
		r := smi(t, f)
		equal(t, r.news(), []string{"reading", "GPU", "GPU"})
		equal(t, r.after(2*time.Second), []string{"GPU", "GPU", "GPU", "GPU"})
		for i, e := range r.all()[1:] {
			g := e.Record.(*parse.GPU)
			if want := began.Add(time.Duration(i/2) * time.Second); e.Input != -1 || e.HasRun || !e.Arrival.Equal(want) {
				t.Errorf("sample %d comes from %+v, want arrival %v", i, e.Origin, want)
			}
			if g.Index != i%2 || g.UUID != []string{"GPU-a", "GPU-b"}[i%2] || g.Name != "NVIDIA A100-SXM4-40GB" || g.Total != parse.Have(40960*float64(parse.MiB)) {
				t.Errorf("sample %d is %+v", i, g)
			}
			if i%2 == 0 && (g.Used != parse.Have(float64(400+i/2)*float64(parse.MiB)) || g.Busy != parse.Have(0.97) || g.Power != parse.Have(301.5)) {
				t.Errorf("sample %d is %+v", i, g)
			}
			if i%2 == 1 && (g.Busy.State != parse.NotSupported || g.Power.State != parse.NotSupported) {
				t.Errorf("what is not supported is not missing: %+v", g)
			}
		}
		r.stop()
		if err := r.ended(); !errors.Is(err, context.Canceled) || f.alive != 0 || len(f.starts) != 1 {
			t.Errorf("ended with %v, %d alive, %d starts", err, f.alive, len(f.starts))
		}
	})
}

func TestNvidiaSMIQuestion(t *testing.T) {
	t.Parallel()
	for interval, want := range map[time.Duration]string{
		0:                      "-l 1",
		2 * time.Second:        "-l 2",
		500 * time.Millisecond: "-lms 500",
		time.Nanosecond:        "-lms 1",
	} {
		var args []string
		n := NewNvidiaSMI(NvidiaSMIOptions{Interval: interval, start: func(a []string) (*smiProcess, error) {
			args = a
			return nil, fs.ErrNotExist
		}})
		if err := n.Run(t.Context(), &recorder{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %v", interval, err)
		}
		line := strings.Join(args, " ")
		if !strings.HasPrefix(line, "--query-gpu=index,uuid,name,memory.used,memory.total,") || !strings.HasSuffix(line, " --format=csv,nounits "+want) {
			t.Errorf("%v: %s", interval, line)
		}
	}
}

func TestNvidiaSMIIsNotThere(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"failed: nvidia-smi is not installed":     &exec.Error{Name: "nvidia-smi", Err: exec.ErrNotFound},
		"failed: no permission to run nvidia-smi": &fs.PathError{Op: "fork/exec", Path: "nvidia-smi", Err: fs.ErrPermission},
	} {
		r := &recorder{}
		got := NewNvidiaSMI(NvidiaSMIOptions{start: func([]string) (*smiProcess, error) { return nil, err }}).Run(t.Context(), r)
		if !errors.Is(got, err) {
			t.Errorf("%v", got)
		}
		equal(t, r.news(), []string{want})
		if e := r.all()[0]; e.Input != -1 {
			t.Errorf("%+v", e)
		}
	}
}

// TestNvidiaSMIComesBack promises that an nvidia-smi that ends is started again, ever
// more rarely while it gives nothing.
func TestNvidiaSMIComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		none := says("No devices were found\n", errors.New("exit status 6"))
		f := &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{
			none, none, none, nil, says("", errors.New("exit status 9")), says(smiHeader+smiTick(400), nil), says(smiHeader, nil), none, none, none, none, none, none, ticks,
		}}
		r := smi(t, f)
		equal(t, r.news(), []string{"waiting: nvidia-smi says: No devices were found"})
		equal(t, r.after(7*time.Second-1), []string{})
		equal(t, r.after(1), []string{"waiting: nvidia-smi ended: fork/exec nvidia-smi: resource temporarily unavailable"})
		equal(t, r.after(8*time.Second), []string{"waiting: nvidia-smi ended: exit status 9"})
		equal(t, r.after(16*time.Second), []string{"reading", "GPU", "GPU", "waiting: nvidia-smi ended"})
		equal(t, r.after(3*time.Second), []string{"waiting: nvidia-smi says: No devices were found"})
		equal(t, r.after(3*time.Minute-1), []string{})
		equal(t, r.after(1), []string{"reading", "GPU", "GPU"})
		var waits []time.Duration
		for i := range f.starts[1:] {
			waits = append(waits, (f.starts[i+1]-f.starts[i])/time.Second)
		}
		if want := []time.Duration{1, 2, 4, 8, 16, 1, 2, 4, 8, 16, 32, 60, 60}; !slices.Equal(waits, want) {
			t.Errorf("waits of %v s, want %v", waits, want)
		}
		r.stop()
		_ = r.ended()
	})
}

// TestNvidiaSMIOfAnOldDriver promises that a driver that refuses a field is asked for
// less, at once and only once.
func TestNvidiaSMIOfAnOldDriver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refusal := says("Field \"memory.reserved\" is not a valid field to query.\n\n", errors.New("exit status 2"))
		f := &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{refusal, ticks}}
		r := smi(t, f)
		equal(t, r.news(), []string{"reading", "GPU", "GPU"})
		if !strings.Contains(f.args[0][0], "memory.reserved") || strings.Contains(f.args[1][0], "memory.reserved") {
			t.Errorf("%q", f.args)
		}
		r.stop()
		_ = r.ended()

		f = &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{refusal, refusal, refusal}}
		r = smi(t, f)
		equal(t, r.news(), []string{`waiting: nvidia-smi says: Field "memory.reserved" is not a valid field to query.`})
		if len(f.starts) != 2 {
			t.Errorf("%d starts at once", len(f.starts))
		}
		r.stop()
		_ = r.ended()
	})
}

// TestNvidiaSMIThatHangs promises that silence is said, that the end of it is, and
// that a process that cannot be killed does not keep the source.
func TestNvidiaSMIThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		f := &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{func(w io.Writer, _ <-chan struct{}) error {
			_, _ = io.WriteString(w, smiHeader+smiTick(400))
			<-time.After(10 * time.Second) // in the bubble
			_, _ = io.WriteString(w, smiTick(401))
			<-forever
			return nil
		}}}
		r := smi(t, f)
		equal(t, r.news(), []string{"reading", "GPU", "GPU"})
		equal(t, r.after(7*time.Second), []string{"waiting: nvidia-smi does not answer"})
		equal(t, r.after(4*time.Second), []string{"reading", "GPU", "GPU"})
		r.stop()
		r.after(smiGone)
		if err := r.ended(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(forever)
	})
}

// deaf is a publisher for which nobody receives any more.
type deaf struct{}

func (deaf) Publish(context.Context, []parse.Event) error { return errClosed }

func TestNvidiaSMIWithoutReceiver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{ticks}}
		if err := NewNvidiaSMI(NvidiaSMIOptions{start: f.start}).Run(t.Context(), deaf{}); !errors.Is(err, errClosed) || f.alive != 0 {
			t.Errorf("%v, %d alive", err, f.alive)
		}
	})
}
