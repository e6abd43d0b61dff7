package diagnose

import (
	"math"
	"time"

	"yolotop/parse"
)

// Past is a run at an earlier moment.
type Past struct {
	X     float64
	Epoch int
	// From and To are what Memory and Run are summed up over where the history is too long to be
	// kept in full; else 0.
	From, To float64
	Run      time.Duration
	Memory   parse.Bytes // 0 if not measured
	Rate     float64
	Losses   map[string]float64
	Metrics  map[string]float64
}

// At is the run as it was when x epochs were done.
func (r *Run) At(x float64) Past {
	p := Past{X: x, Epoch: int(math.Floor(x)) + 1, Losses: map[string]float64{}, Metrics: map[string]float64{}}
	switch {
	case r.Stepwise:
		p.Epoch = r.Epoch
	case r.Epochs > 0:
		p.Epoch = min(p.Epoch, r.Epochs)
	}
	if m, ok := r.MemorySeries.At(x); ok {
		p.Memory, p.Run = parse.Bytes(m.Max), m.Run
		if m.X-m.From > 1 { // of more than an epoch
			p.From, p.To = m.From, m.X
		}
	}
	if m, ok := r.RateSeries.At(x); ok {
		p.Rate = m.Last
	}
	for name, s := range r.LossSeries {
		if v, ok := s.At(x); ok {
			p.Losses[name] = v.Last
			p.Run = max(p.Run, v.Run)
		}
	}
	for name, s := range r.MetricSeries {
		if v, ok := s.At(x); ok {
			p.Metrics[name] = v.Last
		}
	}
	return p
}
