package diagnose

import (
	"slices"
	"time"

	"yolotop/parse"
)

// When a device counts as held back, and an epoch as slow.
const (
	slowWindow  = 60 * time.Second
	slowLeast   = 30   // samples in the window
	slowShare   = 0.5  // of the samples, held back
	slowHealed  = 0.1  // of them
	slowBusy    = 0.3  // mean utilization: a device at rest has nothing to lose
	slowRate    = 0.6  // of the usual rate of an epoch
	slowRateOK  = 0.8  // of it
	slowFull    = 0.88 // of the device, held by the run
	slowRise    = 0.03 // of the device, by which the epochs before held less
	slowEpochs  = 2    // that tell what is usual
	slowHistory = 20   // epochs
)

// slow finds a run that has become slower than it was, and why: memory pressure, or a
// device that is held back by heat or by its power supply. To run at the limit of its
// power is what a busy device does, and no trouble.
type slow struct {
	samples   []heldBack
	rates     []float64 // of complete epochs that were not slow
	full      float64   // share of the device that those held at most
	byRate    bool      // the active finding is of memory pressure
	retries   []retries // by process
	byRetries bool      // the active finding is of those
}

// heldBack is a sample of a device.
type heldBack struct {
	at             time.Duration
	busy           float64
	heat, hardware bool
}

// Observe implements detector.
func (d *slow) Observe(r *Run, e *parse.Event) {
	switch rec := e.Record.(type) {
	case *parse.Progress:
		if rec.Complete() && rec.Rate > 0 {
			d.epoch(r, e, rec)
		}
	case *parse.Notice:
		if rec.Kind == parse.BatchReduced {
			d.rates, d.full = nil, 0 // another configuration
			if d.byRate {
				d.byRate = false
				r.withdraw(Slow)
			}
		}
	case *parse.Hook:
		d.retried(r, e, rec)
	case *parse.GPU:
		d.sample(r, e, rec)
	}
}

// How often the allocator must have emptied its cache and asked again, in so many lines of the
// hook, to be in distress, and after how many calm ones it is over.
const (
	retriedTimes = 3
	retriedOf    = 5
	retriedCalm  = 10
)

// retries follows the allocator's own count of a process.
type retries struct {
	rank, count int
	recent      []bool // whether it rose, in the newest lines
	rose        int    // since it was first seen
}

// retried weighs the allocator's own count, the sign of real pressure: memory that is held and flat
// near the limit is none.
func (d *slow) retried(r *Run, e *parse.Event, h *parse.Hook) {
	if h.Retries < 0 {
		return
	}
	i := slices.IndexFunc(d.retries, func(t retries) bool { return t.rank == h.Rank })
	if i < 0 {
		if len(d.retries) < hookRanks {
			d.retries = append(d.retries, retries{rank: h.Rank, count: h.Retries})
		}
		return
	}
	t := &d.retries[i]
	more := max(0, h.Retries-t.count)
	t.count = h.Retries
	t.rose += more
	t.recent = append(t.recent, more > 0)
	t.recent = t.recent[max(0, len(t.recent)-retriedCalm):]
	often := 0
	for _, rose := range t.recent[max(0, len(t.recent)-retriedOf):] {
		if rose {
			often++
		}
	}
	f := r.active(Slow)
	switch {
	case often >= retriedTimes && f == nil:
		d.byRetries = true
		held, _ := h.Reading(parse.Reserved)
		r.raise(e, Finding{
			Kind: Slow, GPU: max(h.Device, 0), Level: Warning,
			Title:   Say("slow.retries.title", t.rose),
			Because: Say("slow.retries.because", often, min(len(t.recent), retriedOf), held, h.Total),
			Advice:  smallerAdvice(r, held, h.Total),
			Limits:  []Message{Say("slow.retries.limits")},
		})
	case d.byRetries && f != nil && !slices.ContainsFunc(d.retries, func(t retries) bool { return len(t.recent) < retriedCalm || slices.Contains(t.recent, true) }):
		d.byRetries = false
		r.withdraw(Slow)
	}
}

// epoch weighs the rate of an epoch against that of those before, where memory has come
// near the limit in between: the allocator then frees and asks again at every step.
func (d *slow) epoch(r *Run, e *parse.Event, p *parse.Progress) {
	st := r.Current()
	if st == nil || p.Memory.Measure != parse.Reserved || r.Memory.Total == 0 {
		return
	}
	full := float64(st.Peak) / float64(r.Memory.Total)
	usual := median(d.rates)
	if len(d.rates) >= slowEpochs && p.Rate < slowRate*usual {
		if full >= slowFull && full >= d.full+slowRise && r.active(Slow) == nil {
			d.byRate = true
			r.raise(e, Finding{
				Kind: Slow, GPU: r.gpu(), Level: Warning,
				Title:   Say("slow.pressure.title", threeDigits(usual), threeDigits(p.Rate)),
				Because: Say("slow.pressure.because", Percent(d.full), Percent(full), r.Epoch),
				Advice:  smallerAdvice(r, st.Peak, r.Memory.Total),
				Limits:  []Message{Say("slow.pressure.limits")},
			})
		} else if f := r.active(Slow); f != nil && d.byRate {
			f.Last = r.moment(e)
		}
		return
	}
	if d.byRate && p.Rate >= slowRateOK*usual {
		d.byRate = false
		r.withdraw(Slow)
	}
	d.rates = append(d.rates, p.Rate)
	d.rates = d.rates[max(0, len(d.rates)-slowHistory):]
	d.full = max(d.full, full)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// sample weighs the reasons that the driver gives for a low clock.
func (d *slow) sample(r *Run, e *parse.Event, s *parse.GPU) {
	g := r.device(s.Index, s.UUID)
	busy, ok := s.Busy.Get()
	if !ok || g != r.FirstGPU() {
		return
	}
	at, _ := g.Busy.Last()
	now := heldBack{at: at.Run, busy: busy, heat: slices.Contains(s.Throttled, "heat"), hardware: slices.Contains(s.Throttled, "hardware")}
	d.samples = append(d.samples, now)
	for len(d.samples) > 1 && now.at-d.samples[0].at > slowWindow {
		d.samples = d.samples[1:]
	}
	if len(d.samples) < slowLeast {
		return
	}
	n := float64(len(d.samples))
	load, heat, hardware := 0.0, 0.0, 0.0
	for _, s := range d.samples {
		load += s.busy / n
		if s.heat {
			heat += 1 / n
		}
		if s.hardware {
			hardware += 1 / n
		}
	}
	f := r.active(Slow)
	switch {
	case f != nil && !d.byRate && heat < slowHealed && hardware < slowHealed:
		r.withdraw(Slow)
	case f != nil:
		if !d.byRate {
			f.Last = r.moment(e)
		}
	case load < slowBusy:
	case heat >= slowShare:
		r.raise(e, d.heat(g, s, heat))
	case hardware >= slowShare:
		r.raise(e, Finding{
			Kind: Slow, GPU: g.Index, Level: Warning, ByDriver: true,
			Title:   Say("slow.hardware.title", max(g.Index, 0)),
			Because: Say("slow.hardware.because", Percent(hardware), slowWindow),
			Advice:  []Message{Say("slow.hardware.power"), Say("slow.hardware.ask")},
		})
	}
}

// heat is the finding of a device that is too hot.
func (d *slow) heat(g *GPU, s *parse.GPU, share float64) Finding {
	f := Finding{
		Kind: Slow, GPU: g.Index, Level: Warning, ByDriver: true,
		Title:   Say("slow.heat.title", max(g.Index, 0)),
		Because: Say("slow.heat.because", Percent(share), slowWindow),
		Advice:  []Message{Say("slow.heat.air"), Say("slow.heat.limit")},
	}
	clock, hasClock := s.Clock.Get()
	most, hasMost := s.MaxClock.Get()
	if t, ok := s.Temperature.Get(); ok && hasClock && hasMost {
		f.Because = Say("slow.heat.because.clock", Percent(share), slowWindow, int(t), int(clock), int(most))
	}
	return f
}
