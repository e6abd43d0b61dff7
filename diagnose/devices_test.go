package diagnose

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// sampled feeds a session with one sample a second of how busy a device is.
func sampled(t *testing.T, seconds int, busy func(second int) float64) *Run {
	t.Helper()
	s := NewSession(Input{Name: "gpu.csv"})
	for i := range seconds {
		s.Observe(parse.Event{Origin: parse.Origin{Line: i + 2}, Record: &parse.GPU{
			Elapsed: parse.Have(float64(i)), Busy: parse.Have(busy(i)), Used: parse.Have(8e9), Total: parse.Have(24e9),
		}})
	}
	return only(t, s)
}

func bursts(i int) float64 { return []float64{0, 0.6, 0, 0.1, 0}[i%5] }

func TestBurstsAreStarvation(t *testing.T) {
	t.Parallel()
	r := sampled(t, 300, bursts)
	f := found(t, r, Starved)
	if !f.Active || f.Level != Warning || f.First.Line > 123 {
		t.Errorf("%+v", f)
	}
	if r.finding(UnderUsed) != nil {
		t.Error("it is not both")
	}
}

func TestTooFewSamplesProveNothing(t *testing.T) {
	t.Parallel()
	if r := sampled(t, 100, bursts); len(r.Findings) != 0 {
		t.Errorf("%+v", r.Findings[0])
	}
}

func TestASteadyLowLoadIsUnderUse(t *testing.T) {
	t.Parallel()
	r := sampled(t, 300, func(i int) float64 { return 0.32 + 0.02*math.Sin(float64(i)) })
	if f := found(t, r, UnderUsed); f.Level != Info {
		t.Errorf("%+v", f)
	}
	if r.finding(Starved) != nil {
		t.Error("a small model does not wait for data")
	}
}

func TestABusyDeviceIsNoTrouble(t *testing.T) {
	t.Parallel()
	r := sampled(t, 300, func(i int) float64 { return 0.7 + 0.29*math.Abs(math.Sin(float64(i))) })
	if len(r.Findings) != 0 || r.Verdict() != Stable {
		t.Errorf("verdict %s", r.Verdict())
	}
}

func TestADeviceOnWhichNothingRunsIsIdle(t *testing.T) {
	t.Parallel()
	if r := sampled(t, 300, func(int) float64 { return 0 }); len(r.Findings) != 0 {
		t.Errorf("%+v", r.Findings[0])
	}
}

func TestStarvationThatHealsIsTakenBack(t *testing.T) {
	t.Parallel()
	r := sampled(t, 600, func(i int) float64 {
		if i < 250 {
			return bursts(i)
		}
		return 0.95
	})
	if f := found(t, r, Starved); f.Active {
		t.Errorf("%+v", f)
	}
}

// waiting are rows of a trainer that prints how long its steps waited for data.
func waiting(t *testing.T, epochs int, share func(epoch int) float64) *Run {
	t.Helper()
	s := NewSession(Input{Name: "train.log"})
	run := time.Duration(0)
	line := 0
	for e := 1; e <= epochs; e++ {
		for i := 10; i <= 300; i += 10 {
			run += 10 * time.Second
			line++
			s.Observe(parse.Event{Origin: parse.Origin{Line: line, Run: run, HasRun: true}, Record: &parse.Progress{
				Epoch: e, Epochs: epochs, Iter: i, Iters: 300, Instances: -1, Size: -1, Elapsed: -1,
				StepTime: time.Second, DataTime: time.Duration(share(e) * float64(time.Second)),
			}})
		}
	}
	return only(t, s)
}

func TestDataTimeTellsStarvation(t *testing.T) {
	t.Parallel()
	r := waiting(t, 3, func(int) float64 { return 0.7 })
	f := found(t, r, Starved)
	if !f.Active || f.Provisional {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "70%")
	if r := waiting(t, 3, func(int) float64 { return 0.1 }); r.finding(Starved) != nil {
		t.Error("a tenth of the time is usual")
	}
}

func TestAColdFirstEpochIsProvisional(t *testing.T) {
	t.Parallel()
	r := waiting(t, 3, func(epoch int) float64 {
		if epoch == 1 {
			return 0.8
		}
		return 0.05
	})
	f := found(t, r, Starved)
	if f.Active || f.First.Epoch != 1 {
		t.Errorf("the cache was cold, then warm: %+v", f)
	}
}

func TestRoomOnTheCardIsOffered(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(banner + start)
	for e := 1; e <= 2; e++ {
		b.WriteString(header + row(fmt.Sprint(e), "10", "3.1G") + validation)
	}
	if r := only(t, read(t, b.String())); r.finding(Headroom) != nil {
		t.Error("two epochs do not show what a run needs")
	}
	b.WriteString(header + row("3", "10", "3.1G") + validation)
	f := found(t, only(t, read(t, b.String())), Headroom)
	if f.Level != Info || !strings.Contains(advice(f), "batch=80") {
		t.Errorf("%s", advice(f))
	}
}

// hostRow is a sample of a machine of 100 bytes.
func hostRow(s *Session, line, epoch int, at, used float64) {
	o := parse.Origin{Line: line}
	s.Observe(parse.Event{Origin: o, Record: &parse.GPU{Elapsed: parse.Have(at), Epoch: epoch, Used: parse.Have(6), Total: parse.Have(12)}})
	s.Observe(parse.Event{Origin: o, Record: &parse.Host{Elapsed: parse.Have(at), RAMUsed: parse.Have(used), RAMTotal: parse.Have(100)}})
}

func TestMainMemoryThatGrowsEveryEpoch(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "watch.csv"})
	for e := 1; e <= 15; e++ {
		for i := range 5 {
			hostRow(s, e*5+i, e, float64(e*100+i*20), 60+4*max(0, float64(e)-6))
		}
	}
	f := found(t, only(t, s), HostRAM)
	if f.Level != Critical || f.First.Epoch > 10 {
		t.Errorf("%+v", f)
	}
	mention(t, f.Because, "blocks")
}

func TestMainMemoryThatFillsOnceIsNoTrouble(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "watch.csv"})
	for e := 1; e <= 15; e++ {
		hostRow(s, e, e, float64(e*100), min(80, 40+20*float64(e))) // cache=ram fills, then is flat
	}
	if r := only(t, s); len(r.Findings) != 0 {
		t.Errorf("%+v", r.Findings[0])
	}
}
