package diagnose

import "slices"

// clone copies a run for a reader in another goroutine.
func (r *Run) clone() *Run {
	c := *r
	c.detectors, c.printedColumns, c.Recording = nil, nil, nil
	c.Inputs = slices.Clone(r.Inputs)
	c.Epochal = slices.Clone(r.Epochal)
	c.Losses = slices.Clone(r.Losses)
	c.Marks = slices.Clone(r.Marks)
	c.Log = slices.Clip(r.Log) // it only grows at its end
	c.MemorySeries, c.RateSeries = r.MemorySeries.clone(), r.RateSeries.clone()
	c.DriverSeries, c.ValSamples = r.DriverSeries.clone(), r.ValSamples.clone()
	c.GPUs = cloneGPUs(r.GPUs)
	c.LossSeries, c.MetricSeries = cloneSeries(r.LossSeries), cloneSeries(r.MetricSeries)
	c.ValSeries, c.LRSeries = cloneSeries(r.ValSeries), cloneSeries(r.LRSeries)
	c.Findings = make([]*Finding, len(r.Findings))
	for i, f := range r.Findings {
		g := *f
		c.Findings[i] = &g
	}
	c.showAhead()
	if r.Stage != nil {
		s := *r.Stage
		c.Stage = &s
	}
	return &c
}

// showAhead adds the epoch of a provisional row to the copy that a screen gets, so
// that the newest frame is in its tables. Nothing else ever sees it.
func (r *Run) showAhead() {
	if st := r.Current(); !r.ahead || st != nil && st.Epoch >= r.Epoch {
		return
	}
	st := EpochStat{Epoch: r.Epoch, Losses: r.Losses, Start: r.Elapsed}
	if r.measuredRows > 0 {
		st.Peak, st.Low, st.First = r.Memory.Last, r.Memory.Last, r.Memory.Last
	}
	r.Epochal = append(r.Epochal, st)
	r.EpochsSeen++
}

func cloneSeries(m map[string]*Series) map[string]*Series {
	out := make(map[string]*Series, len(m))
	for k, s := range m {
		c := s.clone()
		out[k] = &c
	}
	return out
}
