package diagnose

import "yolotop/parse"

// rowMeasured takes the memory of a row. Numbers of different measures never share a series:
// the first measure stays, unless rows show one that tells more again and again.
func (r *Run) rowMeasured(m parse.MemoryReading) {
	if r.measuredRows == 0 && r.Memory.Measure != parse.NotMeasured {
		r.forgetMemory() // counters printed before the rows; the rows count
	}
	r.measuredRows++
	r.measured(m)
}

// counters takes torch's counters that a program prints apart from its rows. Where rows show
// memory, they are the run's.
func (r *Run) counters(c *parse.Memory) {
	if c.Device >= 0 && len(c.Readings) > 0 { // several devices in turn are not one series
		if !r.counting {
			r.counting, r.countsOf = true, c.Device
		}
		if c.Device != r.countsOf {
			return
		}
	}
	if c.Total > 0 && r.Memory.Total == 0 {
		r.Memory.Total = c.Total
	}
	if c.OOMs > 0 {
		r.CountedOOMs = max(r.CountedOOMs, c.OOMs)
	}
	if r.measuredRows > 0 {
		return
	}
	for _, m := range c.Readings {
		r.measured(m)
	}
}

// hook takes a line of the hook. What the first process waits counts for all.
func (r *Run) hook(h *parse.Hook) {
	if !r.Hooked {
		r.Hooked, r.stepped, r.waited = true, 0, 0 // the hook measures, the trainer estimates
	}
	r.counters(&h.Memory)
	if h.Rank == 0 {
		r.stepped += h.Took
		r.waited += h.Wait
	}
}

// betterAfter is how often a measure must be seen before it replaces one that tells less.
const betterAfter = 2

// measured adds a reading to the series if it is of the measure that is followed.
func (r *Run) measured(m parse.MemoryReading) {
	r.readings[m.Measure]++
	if have := r.Memory.Measure; have != m.Measure && have != parse.NotMeasured {
		if !m.Measure.Better(have) || r.readings[m.Measure] < betterAfter && r.readings[have] > 1 {
			return
		}
		r.forgetMemory()
	}
	r.Memory.Measure, r.Memory.Last, r.Memory.Step, r.Memory.Decimal = m.Measure, m.Bytes, m.Step, m.Decimal
	if m.Bytes > r.batchPeak {
		r.batchPeak, r.batchPeakEpoch = m.Bytes, r.Epoch
	}
	if r.flat++; m.Bytes > r.Memory.Peak {
		r.flat = 0
	}
	r.Memory.Peak = max(r.Memory.Peak, m.Bytes)
	if st := r.Current(); st != nil {
		if st.First == 0 {
			st.First, st.Low = m.Bytes, m.Bytes
		}
		st.Peak, st.Low = max(st.Peak, m.Bytes), min(st.Low, m.Bytes)
	}
	x := r.X()
	if r.Epoch == 0 { // nothing says where the run is: the readings are counted
		x = float64(r.MemorySeries.Len())
	}
	r.MemorySeries.Add(x, r.Elapsed, float64(m.Bytes))
}

// forgetMemory begins the series anew, with another measure.
func (r *Run) forgetMemory() {
	r.MemorySeries, r.batchPeak, r.firstLevel = Series{}, 0, 0
	r.Memory = Memory{Total: r.Memory.Total}
	for i := range r.Epochal {
		st := &r.Epochal[i]
		st.First, st.Low, st.Peak = 0, 0, 0
	}
}

// epochBegan takes a heading that says which epoch begins.
func (r *Run) epochBegan(e *parse.Event, n *parse.Notice) {
	if n.Epochs > 0 {
		r.Epochs = n.Epochs
	}
	if n.Epoch <= r.Epoch {
		return
	}
	r.Epoch, r.Iter, r.Iters, r.Phase = n.Epoch, -1, -1, Training
	r.startEpoch(e, n.Epoch)
	r.LastRow = e.Arrival
}
