package diagnose

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"yolotop/parse"
)

// CardEvidence is why devices of this machine are taken for those of a run.
type CardEvidence uint8

// The evidence, in rising order of trust.
const (
	CardUnknown     CardEvidence = iota // nothing ties the machine to the run
	CardByRecording                     // a recording of samples beside its log is of the same time and device
	CardByName                          // the trainer runs here, and the name and the environment leave one
	CardByProcess                       // the trainer's processes are on it
	CardByHand                          // a person says so
	CardNoneByHand                      // a person says that it is none
)

// card is a device of this machine, which keeps its identity from sample to sample.
type card struct {
	uuid            string
	index, instance int
}

func cardOf(g *GPU) card { return card{uuid: g.UUID, index: g.Index, instance: g.Instance} }

// Owns reports whether a device of this machine is the run's.
func (r *Run) Owns(g *GPU) bool { return slices.Contains(r.cards, cardOf(g)) }

// Joined reports whether this machine's devices are known to be the run's. Samples of
// them are among the run's own then.
func (r *Run) Joined() bool { return r.CardBy != CardUnknown && r.CardBy != CardNoneByHand }

const (
	// cardSamples is how often every device must have been sampled before any is tied
	// to a run: all have told their processes by then.
	cardSamples = 2
	// cardPatience is how many samples are waited for the trainer's processes on a
	// device before names are asked. A driver in a container may not tell them.
	cardPatience = 10
	// cardLeast is the share of the run's memory that a process must have on a device
	// to be the trainer: numbers of processes inside and outside a container can agree
	// by chance.
	cardLeast = 0.3
	// cardTotal is how far torch's and the driver's total of one device may lie apart.
	cardTotal = 0.06
)

// trainer takes what is known of the process that writes an input.
func (s *Session) trainer(e parse.Event, t *parse.Trainer) {
	in := &s.states[e.Input]
	if t.PID == 0 {
		if in.trainer != nil {
			in.left = e.Arrival
		}
		in.trainer = nil
		return
	}
	in.trainer, in.left = t, time.Time{}
}

// trainerOf is the live trainer of a run, nil if none is known. The newest run of an
// input is the one that is written.
func (s *Session) trainerOf(r *Run) *parse.Trainer {
	if r.Status != Running {
		return nil
	}
	for _, i := range r.Inputs {
		if in := &s.states[i]; in.run == r && in.trainer != nil {
			return in.trainer
		}
	}
	return nil
}

// What a person can choose beside a device.
const (
	ChooseNone     = -1 // no device of this machine
	ChooseEvidence = -2 // what the evidence says
)

// Choose ties a device of this machine to a run by hand: by its place in
// [Machine.GPUs], or [ChooseNone], or [ChooseEvidence]. It does nothing if there is no
// such run or device.
func (s *Session) Choose(runID, gpu int) {
	i := slices.IndexFunc(s.runs, func(r *Run) bool { return r.ID == runID })
	if i < 0 || gpu >= len(s.machine.GPUs) {
		return
	}
	r := s.runs[i]
	switch {
	case gpu >= 0:
		r.bind(CardByHand, []card{cardOf(s.machine.GPUs[gpu])})
	case gpu == ChooseNone:
		r.bind(CardNoneByHand, nil)
	default:
		r.bind(CardUnknown, nil)
	}
}

// bind changes which devices are the run's. What was said of others is taken back.
func (r *Run) bind(by CardEvidence, cards []card) {
	if by == r.CardBy && slices.Equal(cards, r.cards) {
		return
	}
	if r.Joined() {
		r.DriverSeries, r.ValSamples = Series{}, Series{}
		r.GPUs = slices.DeleteFunc(slices.Clone(r.GPUs), func(g *GPU) bool { return !slices.Contains(cards, cardOf(g)) })
		for _, f := range r.Findings {
			if f.Active && f.ByDriver && !slices.ContainsFunc(r.GPUs, func(g *GPU) bool { return g.Index == f.GPU }) {
				f.Active, r.dirty = false, true
			}
		}
	}
	r.CardBy, r.cards = by, cards
}

// machineSample gives a sample of this machine to the runs that it belongs to.
func (s *Session) machineSample(e parse.Event) {
	for _, r := range s.runs {
		if len(r.GPUs) > 0 && !r.Joined() || r.Status != Running {
			continue // its own inputs hold samples, or it has ended
		}
		t := s.trainerOf(r)
		if t == nil && r.CardBy != CardByHand {
			continue // what was seen while the trainer lived stays
		}
		s.findCards(r, t)
		r.processes = nil
		if t != nil {
			r.processes = t.Processes
		}
		e := e
		e.Origin = parse.Origin{Input: r.Inputs[0], Arrival: e.Arrival}
		switch rec := e.Record.(type) {
		case *parse.GPU:
			if g := s.machine.own.device(rec.Index, rec.UUID); r.Owns(g) {
				r.gpuSample(&e, rec)
				r.ownSample(rec)
			} else {
				continue
			}
		case *parse.GPUFault:
			if r.Joined() && slices.ContainsFunc(r.GPUs, func(g *GPU) bool { return g.Index == rec.Index }) {
				r.gpuFault(rec)
			}
			continue
		case *parse.Host:
			if t == nil {
				continue
			}
			r.Host = rec
		default:
			continue
		}
		if r.HasRows() { // before, the device waits for the trainer, as it must
			r.observe(&e)
			r.settle()
		}
	}
}

// ownSample takes a sample of one of the run's devices on this machine into its time.
func (r *Run) ownSample(s *parse.GPU) {
	first := r.FirstGPU()
	used, ok := s.Used.Get()
	if !ok || first.Index != s.Index || first.UUID != s.UUID || r.Position() == 0 {
		return
	}
	r.DriverSeries.Add(r.X(), r.Elapsed, used)
	if r.Phase == Validating {
		r.ValSamples.Add(r.X(), r.Elapsed, used)
	}
	if r.Memory.Total == 0 && len(r.GPUs) == 1 {
		r.Memory.Total = first.Total // the log does not tell it
	}
}

// findCards ties devices to a run, as far as anything proves it.
func (s *Session) findCards(r *Run, t *parse.Trainer) {
	if r.CardBy >= CardByHand {
		return
	}
	least := 0
	for i, g := range s.machine.GPUs {
		if i == 0 || g.Samples < least {
			least = g.Samples
		}
	}
	if least < cardSamples {
		return
	}
	if cards := s.machine.cardsOfProcess(r, t); len(cards) > 0 {
		r.bind(CardByProcess, cards)
		return
	}
	if r.CardBy == CardByProcess {
		return // the list of processes can be missing for a while; the trainer lives
	}
	if least < cardPatience || !t.UsesGPU || !r.HasRows() {
		return
	}
	if cards := s.machine.cardsByName(r, t); len(cards) > 0 {
		r.bind(CardByName, cards)
	}
}

// cardsOfProcess are the devices on which the trainer has memory. Of a divided device
// only the instance is.
func (m *Machine) cardsOfProcess(r *Run, t *parse.Trainer) []card {
	var found []*GPU
	for _, g := range m.GPUs {
		if slices.ContainsFunc(g.Sample.Processes, func(p parse.GPUProcess) bool {
			_, ours := slices.BinarySearch(t.Processes, p.PID)
			used, known := p.Used.Get()
			return ours && (!known || used >= cardLeast*float64(r.Memory.Last))
		}) {
			found = append(found, g)
		}
	}
	var out []card
	for _, g := range found {
		if g.Instance < 0 && slices.ContainsFunc(found, func(part *GPU) bool { return part.Index == g.Index && part.Instance >= 0 }) {
			continue
		}
		out = append(out, cardOf(g))
	}
	return out
}

// cardsByName are the devices that the banner names, if the names, or else the
// environment of the trainer, leave no doubt which they are.
func (m *Machine) cardsByName(r *Run, t *parse.Trainer) []card {
	var out []card
	for _, d := range r.Devices {
		if d.Kind != "cuda" {
			continue
		}
		var alike []*GPU
		for _, g := range m.GPUs {
			if g.looksLike(d) {
				alike = append(alike, g)
			}
		}
		g := m.visible(d.Index, r, t)
		switch {
		case len(alike) == 1:
			g = alike[0]
		case g == nil || !slices.Contains(alike, g):
			return nil
		}
		out = append(out, cardOf(g))
	}
	return out
}

// shortName is the name of a device as it can be compared.
func shortName(s string) string {
	return strings.ToLower(strings.TrimSpace(strings.TrimPrefix(s, "NVIDIA ")))
}

// looksLike reports whether a device can be the one that a banner names.
func (g *GPU) looksLike(d parse.Device) bool {
	if d.Name == "" || shortName(g.Name) != shortName(d.Name) || g.Total == 0 {
		return false
	}
	if d.Total == 0 {
		return true
	}
	ratio := float64(d.Total) / float64(g.Total)
	return ratio > 1-cardTotal && ratio < 1+cardTotal
}

// visible is the device that CUDA counts as the given one, nil if that is not certain.
// CUDA counts by speed, or by place where CUDA_DEVICE_ORDER is PCI_BUS_ID, as the driver
// does; devices that are all of a kind are of one speed.
func (m *Machine) visible(index int, r *Run, t *parse.Trainer) *GPU {
	number := index
	if t.IsVisible {
		if d := r.Args["device"]; d != "" && d != "None" {
			return nil // trainers overwrite the environment with it, or not: it depends
		}
		list := strings.Split(t.Visible, ",")
		if index < 0 || index >= len(list) {
			return nil
		}
		entry := strings.TrimSpace(list[index])
		if strings.HasPrefix(entry, "GPU-") || strings.HasPrefix(entry, "MIG-") {
			return m.byUUID(entry)
		}
		n, err := strconv.Atoi(entry)
		if err != nil {
			return nil
		}
		number = n
	}
	for _, g := range m.GPUs {
		if t.Order != "PCI_BUS_ID" && g.Name != m.GPUs[0].Name && g.Instance < 0 {
			return nil
		}
	}
	for _, g := range m.GPUs {
		if g.Index == number && g.Instance < 0 {
			return g
		}
	}
	return nil
}

// byUUID is the only device whose UUID begins like that; CUDA takes such beginnings.
func (m *Machine) byUUID(prefix string) *GPU {
	var found *GPU
	for _, g := range m.GPUs {
		if strings.HasPrefix(g.UUID, prefix) {
			if found != nil {
				return nil
			}
			found = g
		}
	}
	return found
}
