package sources

import (
	"slices"

	"yolotop/parse"
)

// cpuTimes is how long a core, or all of them, did what since the system started.
// The unit is the system's.
type cpuTimes struct {
	busy, idle, iowait float64
}

// since is what was done since then. The kernel's counts of idle time are known to
// step back a little at times.
func (c cpuTimes) since(then cpuTimes) cpuTimes {
	return cpuTimes{
		busy:   max(0, c.busy-then.busy),
		idle:   max(0, c.idle-then.idle),
		iowait: max(0, c.iowait-then.iowait),
	}
}

func (c cpuTimes) total() float64 { return c.busy + c.idle + c.iowait }

// coreTimes are the times of one core. Numbers have gaps where cores are offline.
type coreTimes struct {
	core int
	cpuTimes
}

// cpuMeter makes shares of time from counts.
type cpuMeter struct {
	all   cpuTimes
	cores []coreTimes
	read  bool // all and cores hold something
}

// put adds the shares since the last call to a sample; the first call adds none.
// The meter keeps nothing of cores.
func (m *cpuMeter) put(h *parse.Host, all cpuTimes, cores []coreTimes) {
	h.CPU, h.IOWait = parse.Number{State: parse.Unavailable}, parse.Number{State: parse.Unavailable}
	if d := all.since(m.all); m.read && d.total() > 0 {
		h.CPU, h.IOWait = parse.Have(d.busy/d.total()), parse.Have(d.iowait/d.total())
	}
	if m.read {
		h.Cores = m.shares(cores)
	}
	m.all, m.cores, m.read = all, append(m.cores[:0], cores...), true
}

// shares is how busy each core was, or nil if that is not known of every one: cores
// may come and go.
func (m *cpuMeter) shares(cores []coreTimes) []float64 {
	same := func(a, b coreTimes) bool { return a.core == b.core }
	if len(cores) == 0 || !slices.EqualFunc(cores, m.cores, same) {
		return nil
	}
	out := make([]float64, len(cores))
	for i, c := range cores {
		d := c.since(m.cores[i].cpuTimes)
		if d.total() <= 0 {
			return nil
		}
		out[i] = d.busy / d.total()
	}
	return out
}

// forget makes the next sample the first, after a count could not be read.
func (m *cpuMeter) forget(h *parse.Host, why parse.Presence) {
	m.read = false
	h.CPU, h.IOWait = parse.Number{State: why}, parse.Number{State: why}
}
