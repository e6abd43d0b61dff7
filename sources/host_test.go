package sources

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

// fakeProbe counts what it is asked.
type fakeProbe struct {
	trainers []int         // the processes it was asked for
	stuck    chan struct{} // trainer waits for it; nil is no wait
	panics   bool
}

func (p *fakeProbe) machine(h *parse.Host, _ int, _ time.Time) { h.RAMTotal = parse.Have(64) }

func (p *fakeProbe) trainer(pid int, _ time.Time) trainer {
	if p.panics {
		panic("a bad driver")
	}
	p.trainers = append(p.trainers, pid)
	if p.stuck != nil {
		<-p.stuck
	}
	return trainer{cpu: parse.Have(float64(len(p.trainers))), pss: parse.Have(float64(pid)), workers: 8}
}

// startHost runs a Host with a fake machine in a bubble until stop is called.
func startHost(t *testing.T, probe hostProbe, o HostOptions) (r *recorder, stop func() error) {
	t.Helper()
	h := NewHost(o)
	h.probe = probe
	ctx, cancel := context.WithCancel(t.Context())
	r = &recorder{}
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx, r) }()
	synctest.Wait()
	return r, func() error {
		cancel()
		return <-done
	}
}

// pidCell is a trainer that changes while a Host runs.
type pidCell struct{ atomic.Int64 }

func trainerPID(pid int64) *pidCell {
	c := &pidCell{}
	c.Store(pid)
	return c
}

func (c *pidCell) get() int { return int(c.Load()) }

func hosts(t *testing.T, r *recorder) []*parse.Host {
	t.Helper()
	var out []*parse.Host
	for _, e := range r.all() {
		h, ok := e.Record.(*parse.Host)
		if !ok {
			t.Fatalf("published %T", e.Record)
		}
		out = append(out, h)
	}
	return out
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestHostSamplesEachInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, want time.Duration }{{0, time.Second}, {3 * time.Second, 3 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			r, stop := startHost(t, &fakeProbe{}, HostOptions{Interval: c.asked})
			pass(4 * c.want)
			if err := stop(); !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
			events := r.all()
			if len(events) != 5 {
				t.Fatalf("%d samples in 4 intervals", len(events))
			}
			for i, e := range events {
				want := parse.Origin{Input: -1, Arrival: begin.Add(time.Duration(i) * c.want)}
				if !reflect.DeepEqual(e.Origin, want) {
					t.Errorf("sample %d is of %+v, want %+v", i, e.Origin, want)
				}
			}
			h := hosts(t, r)[0]
			if h.TrainerPID != 0 || h.Workers != -1 || h.TrainerCPU.State != parse.NotAsked || h.RAMTotal != parse.Have(64) {
				t.Errorf("without a trainer: %+v", h)
			}
		})
	}
}

func TestHostLooksAtTheTrainerEachFiveSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		probe, pid := &fakeProbe{}, trainerPID(100)
		r, stop := startHost(t, probe, HostOptions{TrainerPID: pid.get})
		pass(12 * time.Second) // 13 samples, the trainer at 0, 5 and 10 s
		pid.Store(0)
		pass(2 * time.Second)
		pid.Store(200)
		pass(2 * time.Second)
		check(t, ignoreCanceled(stop()))
		if want := []int{100, 100, 100, 200}; !reflect.DeepEqual(probe.trainers, want) {
			t.Errorf("asked for %v, want %v", probe.trainers, want)
		}
		for i, h := range hosts(t, r) {
			want := &parse.Host{RAMTotal: parse.Have(64), Workers: -1}
			switch {
			case i < 13:
				want.TrainerPID, want.TrainerPSS, want.TrainerCPU, want.Workers = 100, parse.Have(100), parse.Have(float64(1+i/5)), 8
			case i >= 15:
				want.TrainerPID, want.TrainerPSS, want.TrainerCPU, want.Workers = 200, parse.Have(200), parse.Have(4), 8
			}
			if !reflect.DeepEqual(h, want) {
				t.Errorf("sample %d:\n got %+v\nwant %+v", i, h, want)
			}
		}
	})
}

func TestHostGoesOnWhileTheTrainerCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		probe, pid := &fakeProbe{stuck: make(chan struct{})}, trainerPID(100)
		r, stop := startHost(t, probe, HostOptions{TrainerPID: pid.get})
		pass(10*time.Second + treePatience)
		if n := len(r.all()); n != 11 {
			t.Errorf("%d samples in 10 s", n)
		}
		pid.Store(200)
		pass(time.Second)
		probe.stuck <- struct{}{} // the answer about 100, which nobody wants any more
		pass(time.Second)
		probe.stuck <- struct{}{}
		pass(time.Second)
		for i, h := range hosts(t, r) {
			want := parse.Number{State: parse.Unavailable}
			if i == 13 {
				want = parse.Have(200)
			}
			if h.TrainerPSS != want {
				t.Errorf("sample %d: %+v, want %+v", i, h.TrainerPSS, want)
			}
		}
		pass(treeEvery) // asked again, and stuck again
		for range 16 {
			pass(time.Second)
		}
		all := hosts(t, r)
		if last := all[len(all)-1]; last.TrainerPSS.State != parse.Unavailable || last.Workers != -1 {
			t.Errorf("an old answer is still shown: %+v", last)
		}
		check(t, ignoreCanceled(stop())) // though the question was never answered
		close(probe.stuck)
	})
}

func TestHostPanicIsAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := NewHost(HostOptions{TrainerPID: func() int { return 1 }})
		h.probe = &fakeProbe{panics: true}
		bus := NewBus(4)
		if err := Run(t.Context(), bus, h); err == nil {
			t.Error("no error")
		}
		e := (<-bus.Events())[0]
		want := &parse.SourceState{Name: "host", Status: parse.SourceFailed, Why: "internal error: a bad driver"}
		if e.Input != -1 || !reflect.DeepEqual(e.Record, parse.Record(want)) {
			t.Errorf("published %+v of input %d", e.Record, e.Input)
		}
	})
}

func TestHostEndsWhenNobodyReceives(t *testing.T) {
	t.Parallel()
	bus := NewBus(0)
	bus.Close()
	if err := NewHost(HostOptions{}).Run(t.Context(), bus); !errors.Is(err, errClosed) {
		t.Errorf("ended with %v", err)
	}
}

func TestHostOnThisMachine(t *testing.T) {
	t.Parallel()
	h := &parse.Host{}
	newHostProbe().machine(h, 0, time.Now())
	if h.CPU.State == parse.Present || len(h.Cores) > 0 {
		t.Error("a first sample has shares of time")
	}
	total, ok := h.RAMTotal.Get()
	used, okUsed := h.RAMUsed.Get()
	if !ok || !okUsed || total < 1<<20 || used <= 0 || used > total {
		t.Errorf("memory: %+v of %+v", h.RAMUsed, h.RAMTotal)
	}
	healthyHost(t, h)
}

// healthyHost fails if a sample holds a number that cannot be.
func healthyHost(t *testing.T, h *parse.Host) {
	t.Helper()
	number := func(name string, n parse.Number, most float64) {
		v, ok := n.Get()
		if ok && !(v >= 0 && v <= most) || !ok && v != 0 {
			t.Errorf("%s is %+v", name, n)
		}
	}
	for _, v := range h.Cores {
		number("a core", parse.Have(v), 1)
	}
	number("CPU", h.CPU, 1)
	number("IOWait", h.IOWait, 1)
	number("CPUPressure", h.CPUPressure, 1)
	number("IOPressure", h.IOPressure, 1)
	number("MemoryPressure", h.MemoryPressure, 1)
	const huge = 1 << 63 // bytes
	for _, n := range []parse.Number{h.RAMUsed, h.RAMTotal, h.SwapUsed, h.SwapTotal, h.ShmUsed, h.ShmTotal, h.GroupLimit, h.TrainerPSS} {
		number("memory", n, huge)
	}
	number("GroupUsed", h.GroupUsed, 1e20)
	number("CPULimit", h.CPULimit, huge)
	number("TrainerCPU", h.TrainerCPU, 1<<20)
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
