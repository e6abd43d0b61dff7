package diagnose

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// sim is a simulated run, of which a log shows what the allocator holds.
//
// What an iteration needs is weights and activations, which follow the densest image of the
// batch. The allocator keeps the greatest need so far in steps of its own, until it is
// emptied.
type sim struct {
	draw   *rand.Rand
	epochs int
	iters  int     // rows an epoch
	total  float64 // GiB of the card
	base   float64 // GiB that every iteration needs
	spread float64 // GiB by which dense batches need more, on the average
	step   float64 // GiB: what the allocator takes at a time
	empty  bool    // after each epoch
	// need is further memory in GiB, by epoch and iteration from 0; nil for none.
	need func(epoch, iter int) float64
	// before is told before each epoch, from 0, and may say something; nil for nothing.
	before func(epoch int) parse.Record
	size   func(epoch int) float64 // pixels; nil for 640
	// compiled is how many GiB, in a pool of its own, the compiled code takes for a shape that is
	// new in an iteration, by epoch and iteration from 0.
	compiled map[[2]int]float64
	// each is how many epochs a call of train() has, of several in one process; 0 for one call.
	each   int
	driver bool // the driver's samples are shown instead of a log
	onset  int  // first epoch with a leak, from 1; 0 for none
}

// said is what was said of a run.
type said struct {
	epoch int // of the first leak that is no mere remark, from 1; 0 if there was none
	note  bool
	creep Level // of the gravest ratchet
}

// run shows the run to a session.
func (s sim) run() said {
	session := NewSession(Input{Name: "train.log"})
	line := 0
	tell := func(rec parse.Record) {
		line++
		session.Observe(parse.Event{Origin: parse.Origin{Line: line, Run: time.Duration(line) * time.Second, HasRun: true}, Record: rec})
	}
	total := parse.Bytes(s.total * float64(parse.GiB))
	tell(&parse.Banner{Trainer: "ultralytics", Version: "8.4.82", Torch: "2.8.0", Devices: []parse.Device{{Kind: "cuda", Total: total}}})
	held, pool := s.base, 0.0
	columns := &parse.Columns{Losses: []string{"loss"}}
	var out said
	for e := range s.epochs {
		epoch, epochs := e+1, s.epochs
		if s.each > 0 {
			if epoch, epochs = e%s.each+1, s.each; epoch == 1 && e > 0 {
				tell(&parse.Notice{Kind: parse.Completed})
				tell(&parse.Notice{Kind: parse.TrainingStarted})
			}
		}
		if s.before != nil {
			if rec := s.before(e); rec != nil {
				tell(rec)
			}
		}
		if s.empty {
			held = s.base * (0.98 + 0.04*s.draw.Float64())
		}
		elapsed := 0.0
		for i := range s.iters {
			elapsed += 0.4
			if c := s.compiled[[2]int{e, i}]; c > 0 {
				elapsed += 15 + 30*s.draw.Float64()
				pool += c
			}
			// The densest of the images of some batches: the greatest of so many draws.
			need := s.base + s.spread*(s.draw.ExpFloat64()+s.draw.ExpFloat64())
			if s.need != nil {
				need += s.need(e, i)
			}
			if need > held {
				held += s.step * math.Ceil((need-held)/s.step)
			}
			if held+pool >= s.total {
				return out // out of memory
			}
			size := 640.0
			if s.size != nil {
				size = s.size(e)
			}
			printed := math.Round((held+pool)*100) / 100
			if held+pool >= 10 {
				printed = math.Round((held+pool)*10) / 10
			}
			quantum := parse.GiB / 100
			if held+pool >= 10 {
				quantum *= 10
			}
			row := &parse.Progress{
				Epoch: epoch, Epochs: epochs, Iter: i + 1, Iters: s.iters, Columns: columns, Values: []float64{1}, Instances: -1, Size: size,
				Elapsed: time.Duration(elapsed * float64(time.Second)),
				Memory:  parse.MemoryReading{Bytes: parse.Bytes(printed * float64(parse.GiB)), Measure: parse.Reserved, Step: quantum},
			}
			if s.driver {
				tell(s.sample(held+pool, line))
			} else {
				tell(row)
			}
			run := session.Runs()[len(session.Runs())-1]
			if f := run.active(Leak); f != nil {
				out.note = true
				if f.Level > Info && out.epoch == 0 {
					out.epoch = e + 1
				}
			}
			if f := run.active(Creep); f != nil {
				out.creep = max(out.creep, f.Level)
			}
		}
	}
	return out
}

// sample is what the driver counts of a process that holds so many GiB, every ten seconds.
func (s *sim) sample(held float64, n int) *parse.GPU {
	used := (held + 0.4) * float64(parse.GiB)
	return &parse.GPU{
		UUID: "MIG-1", Elapsed: parse.Have(float64(10 * n)), Used: parse.Have(used), Total: parse.Have(s.total * float64(parse.GiB)),
		ProcessesState: parse.Present, Processes: []parse.GPUProcess{{PID: 7, Used: parse.Have(used)}},
	}
}

// simKinds are what runs do: healthy ones first. Each is made of a plain run with numbers of
// its own.
var simKinds = []struct {
	name  string
	leaks bool
	make  func(s *sim)
}{
	{"flat", false, func(s *sim) { s.spread = 0 }},
	{"dense batches", false, func(s *sim) { s.spread = 0.1 * s.base * s.draw.Float64() }},
	{"emptied cache", false, func(s *sim) { s.empty = true }},
	{"step at the first validation", false, func(s *sim) {
		s.need = func(e, _ int) float64 { return 1.5 * min(1, float64(e)) }
	}},
	{"mosaic closed", false, func(s *sim) {
		s.before = func(e int) parse.Record {
			if e == s.epochs-10 {
				return &parse.Notice{Kind: parse.MosaicClosed}
			}
			return nil
		}
		s.need = func(e, _ int) float64 {
			if e >= s.epochs-10 {
				return 0.8
			}
			return 0
		}
	}},
	{"several image sizes", false, func(s *sim) {
		s.need = func(int, int) float64 { return float64(s.draw.IntN(10)) * 0.3 }
	}},
	{"the same order in each epoch", false, func(s *sim) {
		order := make([]float64, s.iters)
		for i := range order {
			order[i] = 0.1 * float64(i)
		}
		s.spread = 0
		s.need = func(_, i int) float64 { return order[i] }
	}},
	{"the same order, emptied", false, func(s *sim) {
		s.spread, s.empty = 0.01, true
		s.need = func(_, i int) float64 { return 0.1 * float64(i) }
	}},
	{"image sizes that grow", false, func(s *sim) {
		s.size = func(e int) float64 { return 320 + 64*float64(min(e/8, 5)) }
		s.need = func(e, _ int) float64 { return 0.7 * float64(min(e/8, 5)) }
	}},
	{"new shapes compiled at first", false, func(s *sim) {
		s.need = func(e, i int) float64 { return 0.25 * float64(min(e*s.iters+i, 2*s.iters)/4) / float64(s.iters/4+1) }
	}},
	{"new shapes compiled all along", false, func(s *sim) {
		s.compiled = map[[2]int]float64{}
		for range 30 {
			s.compiled[[2]int{s.draw.IntN(s.epochs), 1 + s.draw.IntN(s.iters-1)}] = (0.005 + 0.01*s.draw.Float64()) * s.total
		}
	}},
	{"expandable segments", false, func(s *sim) { s.step = 20.0 / 1024 }},
	{"great segments", false, func(s *sim) { s.step = 0.5 }},
	{"one huge batch", false, func(s *sim) {
		at := 10 + s.draw.IntN(20)
		s.need = func(e, i int) float64 {
			if e == at && i == 3 {
				return 3
			}
			return 0
		}
	}},
	{"several trainings in one process", false, func(s *sim) { s.each = 10 }},
	{"a MIG slice, by the driver", false, func(s *sim) {
		s.driver, s.total = true, []float64{5, 10, 20}[s.draw.IntN(3)]
		s.base, s.iters = s.total*(0.2+0.3*s.draw.Float64()), 12
	}},
	{"leak in each iteration", true, func(s *sim) { s.leakFrom(1, 1) }},
	{"leak at the end of epochs", true, func(s *sim) {
		rate := s.rate()
		s.onset = 1
		s.need = func(e, _ int) float64 { return rate * float64(e) }
	}},
	{"leak that begins late", true, func(s *sim) { s.leakFrom(s.epochs/3, 1) }},
	{"leak from training to training", true, func(s *sim) {
		s.each, s.onset = 5, 1
		rate := (0.012 + 0.01*s.draw.Float64()) * s.total
		s.need = func(e, _ int) float64 { return rate * float64(e/5) }
	}},
	{"leak on a MIG slice, by the driver", true, func(s *sim) {
		s.driver, s.total = true, []float64{5, 10, 20}[s.draw.IntN(3)]
		s.base, s.iters = s.total*(0.2+0.3*s.draw.Float64()), 12
		s.leakFrom(1, 1)
	}},
	{"slow leak", true, func(s *sim) { s.leakFrom(1, 0.4) }},
	{"leak under an emptied cache", true, func(s *sim) {
		s.empty = true
		s.leakFrom(1, 1)
		base := s.base
		need := s.need
		s.before = func(e int) parse.Record {
			s.base = base + need(e, 0) // what is kept survives
			return nil
		}
	}},
}

// rate is a leak in GiB an epoch that fills the card in the course of the run.
func (s *sim) rate() float64 {
	return (s.total - s.base) / (float64(s.epochs) * (0.5 + 0.4*s.draw.Float64()))
}

func (s *sim) leakFrom(epoch int, part float64) {
	rate := part * s.rate() * float64(s.epochs) / float64(s.epochs-epoch+1)
	s.onset = epoch
	s.need = func(e, i int) float64 {
		return max(0, rate*(float64(e-epoch+1)+float64(i)/float64(s.iters)))
	}
}

// ranges are between which numbers the plain runs of a set lie.
type ranges struct {
	name          string
	each          int        // runs of a kind
	epochs, iters [2]int     // the least, and how many more at most
	totals        []float64  // GiB
	spread, base  [2]float64 // GiB; and in parts of the card
	steps         int        // of 2 MiB, at most
	alarms, found float64    // percent: how many false alarms at most, and leaks found at least
	delay         float64    // epochs, in the median at most
}

// qualitySets are the sets of runs: one for which the detectors were tuned, and one with other
// ranges to check them by.
var qualitySets = []ranges{
	{
		name: "tuned for", each: 16, epochs: [2]int{40, 80}, iters: [2]int{8, 12}, totals: []float64{11, 16, 24, 40},
		spread: [2]float64{0.02, 0.06}, base: [2]float64{0.15, 0.35}, steps: 10, alarms: 1, found: 85, delay: 12,
	},
	{
		name: "other ranges", each: 12, epochs: [2]int{25, 150}, iters: [2]int{4, 24}, totals: []float64{6, 8, 48, 80},
		spread: [2]float64{0.005, 0.2}, base: [2]float64{0.08, 0.5}, steps: 100, alarms: 1, found: 80, delay: 15,
	},
}

// plain is a plain run of the set.
func (r ranges) plain(draw *rand.Rand) *sim {
	s := &sim{
		draw: draw, epochs: r.epochs[0] + draw.IntN(r.epochs[1]), iters: r.iters[0] + draw.IntN(r.iters[1]), total: r.totals[draw.IntN(len(r.totals))],
		spread: r.spread[0] + r.spread[1]*draw.Float64(), step: 2.0 / 1024 * float64(1+draw.IntN(r.steps)),
	}
	s.base = s.total * (r.base[0] + r.base[1]*draw.Float64())
	return s
}

// TestQuality scores the detection of leaks on simulated runs, with what must not be worse.
// Run it with -v for the tables.
func TestQuality(t *testing.T) {
	t.Parallel()
	for n, set := range qualitySets {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			table, ok := set.score(uint64(n))
			t.Log("\n" + table)
			if !ok {
				t.Error("worse than promised")
			}
		})
	}
}

// score judges the runs of a set; ok is false if it is worse than promised.
func (r ranges) score(seed uint64) (table string, ok bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s %6s %6s %9s %6s\n", "kind", "alarm", "note", "ratchet !", "delay")
	falseAlarms, healthy, found, leaks, early := 0, 0, 0, 0, 0
	var delays []float64
	for k, kind := range simKinds {
		alarms, notes, ratchets := 0, 0, 0
		var late []float64
		for n := range r.each {
			s := r.plain(rand.New(rand.NewPCG(uint64(k)+seed<<32, uint64(n))))
			kind.make(s)
			got := s.run()
			if got.epoch > 0 {
				alarms++
				if kind.leaks {
					late = append(late, float64(got.epoch-s.onset))
				}
				if s.onset > 0 && got.epoch < s.onset {
					early++
				}
			}
			if got.note {
				notes++
			}
			if got.creep > Info {
				ratchets++
			}
		}
		delay := "-"
		if kind.leaks {
			leaks += r.each
			found += notes // a leak that fits the run is found, and no alarm
			delays = append(delays, late...)
			if len(late) > 0 {
				delay = fmt.Sprintf("%.0f", median(late))
			}
		} else {
			healthy += r.each
			falseAlarms += alarms
		}
		fmt.Fprintf(&b, "%-34s %5.0f%% %5.0f%% %8.0f%% %6s\n", kind.name, share100(alarms, r.each), share100(notes, r.each), share100(ratchets, r.each), delay)
	}
	fmt.Fprintf(&b, "false alarms %.1f%%, leaks found %.0f%%, before they began %d, median delay %.0f epochs\n",
		share100(falseAlarms, healthy), share100(found, leaks), early, median(delays))
	return b.String(), share100(falseAlarms, healthy) <= r.alarms && share100(found, leaks) >= r.found && early == 0 && median(delays) <= r.delay
}

func share100(n, of int) float64 { return 100 * float64(n) / float64(of) }
