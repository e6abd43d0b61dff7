package parse

// processSum gathers the processes of a device, which come a line each, into one
// sample. It is complete when another device, another moment, or a process that it
// holds already comes.
type processSum struct {
	sample *GPU
}

// add takes a process of the device; one without a PID stands for none.
func (p *processSum) add(s *Stream, device *GPU, process GPUProcess) bool {
	if g := p.sample; g != nil && (g.Index != device.Index || g.UUID != device.UUID || !g.Stamp.Equal(device.Stamp) || p.has(process.PID)) {
		p.flush(s)
	}
	if p.sample == nil {
		p.sample = device
		p.sample.ProcessesState = Present
	}
	if process.PID < 0 {
		return true
	}
	g := p.sample
	g.Processes = append(g.Processes, process)
	g.Used = plus(g.Used, process.Used)
	if g.Busy = plus(g.Busy, process.Busy); g.Busy.State == Present {
		g.Busy.Value = min(1, g.Busy.Value)
	}
	return true
}

// plus adds what is known; a sum of nothing is missing.
func plus(a, b Number) Number {
	switch {
	case b.State != Present && a.State != NotAsked:
		return a
	case a.State != Present:
		return b
	}
	return Have(a.Value + b.Value)
}

// has reports whether a process was added already, or the device has none.
func (p *processSum) has(pid int) bool {
	if pid < 0 || len(p.sample.Processes) == 0 {
		return true
	}
	for _, q := range p.sample.Processes {
		if q.PID == pid {
			return true
		}
	}
	return false
}

// flush sends the sample that is being gathered. Its origin is the line that ended
// it: others may have been sent since it began.
func (p *processSum) flush(s *Stream) {
	g := p.sample
	if g == nil {
		return
	}
	p.sample = nil
	if g.Used.State != Present && g.Busy.State != Present {
		return // nothing runs there
	}
	s.emitGPU(g)
}
