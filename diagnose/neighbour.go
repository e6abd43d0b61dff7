package diagnose

import (
	"cmp"
	"slices"
	"strconv"

	"yolotop/parse"
)

// When another process on the run's device is worth saying.
const (
	neighbourShare   = 0.10 // of the device: a note; what a desktop takes is below on most
	neighbourTight   = 0.90 // of the device in use by all: it endangers the run
	neighbourCalm    = 0.85 // of it, below which it does so no more
	neighbourSamples = 10   // samples in a row that it must be there, or gone
)

// neighbour finds other processes with memory on the run's device on this machine. Whose
// memory is whose is only known where the trainer's own processes are.
type neighbour struct {
	here, gone int
	said       neighbourSaid
}

// neighbourSaid is what a finding rests on.
type neighbourSaid struct {
	pid   int
	level Level
	used  parse.Bytes // of the largest one
}

// changed reports whether so much is different that it must be said anew.
func (n neighbourSaid) changed(now neighbourSaid) bool {
	apart := max(now.used-n.used, n.used-now.used)
	return n.pid != now.pid || n.level != now.level || apart > n.used/10
}

// Observe implements detector.
func (d *neighbour) Observe(r *Run, e *parse.Event) {
	s, ok := e.Record.(*parse.GPU)
	if !ok || r.CardBy != CardByProcess || len(r.processes) == 0 || s.ProcessesState != parse.Present {
		return
	}
	first := r.FirstGPU()
	g := r.device(s.Index, s.UUID)
	if g != first || g.Total == 0 || !g.Measured {
		return // one finding speaks for the run
	}
	others, own := d.others(r, s)
	var sum parse.Bytes
	for _, p := range others {
		b, _ := p.Used.Bytes()
		sum += b
	}
	share, full := float64(sum)/float64(g.Total), float64(g.Used)/float64(g.Total)
	if !own || share < neighbourShare {
		d.here = 0
		if d.gone++; d.gone >= neighbourSamples && own {
			r.withdrawDriver(OtherProcess)
		}
		return
	}
	d.gone = 0
	if d.here++; d.here < neighbourSamples {
		return
	}
	now := neighbourSaid{pid: others[0].PID, level: Info}
	now.used, _ = others[0].Used.Bytes()
	f := r.active(OtherProcess)
	warned := f != nil && f.Level == Warning
	if full >= neighbourTight || warned && full >= neighbourCalm {
		now.level = Warning
	}
	if f != nil && (!f.ByDriver || !d.said.changed(now)) {
		f.Last = r.moment(e)
		return
	}
	d.said = now
	if f == nil {
		r.mark(MarkNeighbour, r.X(), Say("mark.neighbour", strconv.Itoa(others[0].PID)))
	}
	r.raise(e, d.finding(g, others, sum, now.level))
}

// others are the processes of a sample that are not the trainer's and whose memory is
// known, the largest first; own is whether the trainer is among them all.
func (d *neighbour) others(r *Run, s *parse.GPU) (others []parse.GPUProcess, own bool) {
	for _, p := range s.Processes {
		if _, ours := slices.BinarySearch(r.processes, p.PID); ours {
			own = true
			continue
		}
		if b, ok := p.Used.Bytes(); ok && b > 0 {
			others = append(others, p)
		}
	}
	slices.SortFunc(others, func(a, b parse.GPUProcess) int {
		return cmp.Or(cmp.Compare(b.Used.Value, a.Used.Value), cmp.Compare(a.PID, b.PID))
	})
	return others, own
}

func (d *neighbour) finding(g *GPU, others []parse.GPUProcess, sum parse.Bytes, level Level) Finding {
	p := others[0]
	used, _ := p.Used.Bytes()
	who := Say("neighbour.process", strconv.Itoa(p.PID), cmp.Or(p.Name, "?"), used)
	if p.User != "" {
		who = Say("neighbour.process.user", strconv.Itoa(p.PID), cmp.Or(p.Name, "?"), used, p.User)
	}
	f := Finding{
		Kind: OtherProcess, GPU: g.Index, Level: level, ByDriver: true,
		Title:   Say("neighbour.title", who),
		Because: Say("neighbour.because", sum, g.Total, g.Used, len(others)),
		Advice:  []Message{Say("neighbour.own", strconv.Itoa(p.PID)), Say("neighbour.talk"), Say("neighbour.card")},
		Limits:  []Message{Say("neighbour.limits")},
	}
	if level == Warning {
		f.Title = Say("neighbour.tight.title", who, Percent(float64(g.Used)/float64(g.Total)))
	}
	return f
}

// withdrawDriver takes a finding back that rests on samples of a device.
func (r *Run) withdrawDriver(kind Kind) {
	if f := r.active(kind); f != nil && f.ByDriver {
		r.withdraw(kind)
	}
}
