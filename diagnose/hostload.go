package diagnose

import "yolotop/parse"

// What the machine's load says about why data comes late.
const (
	loadSamples = 30 // that are weighed
	loadLeast   = 10 // samples, below which nothing is said
	loadCPU     = 0.90
	loadDisk    = 0.25
	loadIdle    = 0.50
)

// hostLoad is how busy the machine of a run was lately.
type hostLoad struct {
	cpu, disk runningMean
}

// runningMean is a mean in which older values fade.
type runningMean struct {
	mean float64
	n    int
}

func (m *runningMean) add(v float64) {
	m.n++
	m.mean += (v - m.mean) / float64(min(m.n, loadSamples))
}

// get is the mean; ok is false before enough values came.
func (m *runningMean) get() (v float64, ok bool) { return m.mean, m.n >= loadLeast }

// sample takes a sample of the machine. In a control group with a limit, the limit counts
// and not the machine's cores.
func (l *hostLoad) sample(h *parse.Host) {
	cpu, ok := h.CPU.Get()
	if limit, limited := h.CPULimit.Get(); limited && limit > 0 {
		if cores, known := h.TrainerCPU.Get(); known {
			cpu, ok = max(cpu, cores/limit), true
		}
	}
	if ok {
		l.cpu.add(min(1, cpu))
	}
	wait, ok := h.IOWait.Get()
	if pressure, known := h.IOPressure.Get(); known {
		wait, ok = max(wait, pressure), true
	}
	if ok {
		l.disk.add(wait)
	}
}

// cause is what keeps data from coming, as far as the machine's load tells.
func (l *hostLoad) cause() (m Message, ok bool) {
	if cpu, known := l.cpu.get(); known && cpu >= loadCPU {
		return Say("starved.cause.cpu", Percent(cpu)), true
	}
	if disk, known := l.disk.get(); known && disk >= loadDisk {
		return Say("starved.cause.disk", Percent(disk)), true
	}
	if cpu, known := l.cpu.get(); known && cpu < loadIdle {
		return Say("starved.cause.idle", Percent(cpu)), true
	}
	return Message{}, false
}

// explain adds the cause to the reason of a finding.
func (l *hostLoad) explain(because Message) Message {
	if cause, ok := l.cause(); ok {
		return Say("starved.cause", because, cause)
	}
	return because
}

// advise takes out what the machine's load rules out: where all cores are busy, more
// workers only get into each other's way.
func (l *hostLoad) advise(advice []Message) []Message {
	if cpu, known := l.cpu.get(); !known || cpu < loadCPU {
		return advice
	}
	out := []Message{Say("starved.cores")}
	for _, m := range advice {
		switch m.Key {
		case "starved.workers", "starved.workers.key", "starved.loader", "starved.loader.setting":
		default:
			out = append(out, m)
		}
	}
	return out
}
