package diagnose

import (
	"slices"
	"strings"
	"time"

	"yolotop/parse"
)

// MachineInput is the input of events that come from the machine itself and belong
// to no log: samples of its devices, of its memory, and what their sources say.
const MachineInput = -1

// Machine is the machine on which yolotop runs. Which of its devices a run uses is
// not known from a log alone, which may have come from anywhere: without evidence that
// the run is on this machine no detector mixes the two.
type Machine struct {
	GPUs    []*GPU
	Host    *parse.Host // nil until it was sampled
	Sources []parse.SourceState
	// Trainings is what trains on this machine, nil if that was not looked for.
	Trainings *parse.Trainings
	own       *Run // holds the devices, and is no run of training
}

// observe takes an event of the machine.
func (m *Machine) observe(e parse.Event) {
	if m.own == nil {
		m.own = newRun(0, MachineInput)
	}
	switch r := e.Record.(type) {
	case *parse.GPU:
		m.own.gpuSample(&e, r)
		m.GPUs = m.own.GPUs
	case *parse.GPUFault:
		m.own.gpuFault(r)
		m.GPUs = m.own.GPUs
	case *parse.Host:
		m.Host = r
	case *parse.Trainings:
		m.Trainings = r
	case *parse.SourceState:
		i := slices.IndexFunc(m.Sources, func(s parse.SourceState) bool { return s.Name == r.Name })
		if i < 0 {
			m.Sources = append(m.Sources, *r)
		} else {
			m.Sources[i] = *r
		}
	}
}

// Silent is how long no device was sampled; ok is false if none ever was.
func (m *Machine) Silent(now time.Time) (d time.Duration, ok bool) {
	if len(m.GPUs) == 0 || m.own.lastSample.IsZero() {
		return 0, false
	}
	return now.Sub(m.own.lastSample), true
}

// Trouble is why no device is sampled, in the words of the sources that were tried;
// empty if one is read from, or none was tried.
func (m *Machine) Trouble() string {
	var why []string
	for _, s := range m.Sources {
		switch {
		case s.Status == parse.SourceReading:
			return ""
		case s.Why != "":
			why = append(why, s.Why)
		}
	}
	return strings.Join(why, "; ")
}

// clone copies a machine for a reader in another goroutine.
func (m *Machine) clone() *Machine {
	c := *m
	c.GPUs = cloneGPUs(m.GPUs)
	c.Sources = slices.Clone(m.Sources)
	if m.own != nil {
		c.own = &Run{lastSample: m.own.lastSample}
	}
	return &c
}

func cloneGPUs(gpus []*GPU) []*GPU {
	out := make([]*GPU, len(gpus))
	for i, g := range gpus {
		c := *g
		c.Memory, c.Busy = g.Memory.clone(), g.Busy.clone()
		c.duty = dutyCycle{}
		out[i] = &c
	}
	return out
}
