package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"yolotop/diagnose"
	"yolotop/parse"
)

// shmSmall is how little shared memory makes data loader workers fail: containers get
// 64 MiB where nobody asks for more.
const shmSmall = 1 * parse.GiB

// preflight is what of this machine decides whether a run that starts will go well: room
// on its card and who else is there, cores for the workers, shared and main memory.
func (s scene) preflight() []fact {
	var out []fact
	if !s.beside() {
		return []fact{{"facts.amp", s.ampFact()}}
	}
	if g := s.ownCard(); g != nil {
		if g.Measured && g.Total > 0 {
			out = append(out, fact{"facts.card", GPUName(g) + " · " + s.say("facts.card.free", max(0, g.Total-g.Used), g.Total)})
		}
		out = append(out, fact{"facts.beside", s.neighboursFact(g)})
	}
	if h := s.hostSample(); h != nil {
		out = append(out, fact{"facts.cores", s.coresFact(h)}, fact{"facts.ram", s.ramFact(h)}, fact{"facts.shm", s.shmFact(h)})
	}
	return append(out, fact{"facts.amp", s.ampFact()})
}

// ownCard is the first of the run's devices on this machine; before it is known, the only
// device that there is.
func (s scene) ownCard() *diagnose.GPU {
	gpus := s.devices()
	for _, g := range gpus {
		if s.owns(g) {
			return g
		}
	}
	if len(gpus) == 1 && s.run.Local() {
		return gpus[0]
	}
	return nil
}

// neighboursFact is who else is on the card, the largest first; empty if the driver does
// not tell.
func (s scene) neighboursFact(g *diagnose.GPU) string {
	if g.Sample.ProcessesState != parse.Present || !s.run.Local() {
		return ""
	}
	var others []parse.GPUProcess
	for _, p := range g.Sample.Processes {
		if !s.run.OwnProcess(p.PID) {
			others = append(others, p)
		}
	}
	if len(others) == 0 {
		return s.say("facts.beside.none")
	}
	slices.SortFunc(others, func(a, b parse.GPUProcess) int { return cmp.Compare(b.Used.Value, a.Used.Value) })
	p := others[0]
	text := fmt.Sprintf("%s %d %s", s.say("search.pid"), p.PID, clean(p.Name))
	if used, ok := p.Used.Bytes(); ok {
		text += " " + diagnose.FormatGiB(used)
	}
	if n := len(others) - 1; n > 0 {
		text += " · " + s.say("search.more", n)
	}
	return s.theme.moods[moodWarning].Styled(text)
}

// coresFact is how many workers share how many cores.
func (s scene) coresFact(h *parse.Host) string {
	cores := float64(len(h.Cores))
	if limit, ok := h.CPULimit.Get(); ok && limit > 0 && (cores == 0 || limit < cores) {
		cores = limit
	}
	if cores == 0 {
		return ""
	}
	number := strconv.FormatFloat(cores, 'g', 3, 64)
	workers := s.workers()
	if workers < 0 {
		return number
	}
	text := s.say("facts.cores.of", workers, number)
	if float64(workers) > cores {
		text += " · " + s.theme.moods[moodWarning].Styled(s.say("facts.cores.many"))
	}
	return text
}

// ramFact is how much main memory is free, and what the cache of images will need of it.
func (s scene) ramFact(h *parse.Host) string {
	used, total, ok := diagnose.HostMemory(h)
	if !ok {
		return ""
	}
	free := max(0, total-used)
	text := s.say("facts.ram.free", free, total)
	held, need := s.run.CacheNeeds()
	switch asked := s.run.Args["cache"]; {
	case need > 0 && need-held > free:
		text += " · " + s.theme.moods[moodWarning].Styled(s.say("facts.ram.cache", need))
	case need > 0:
		text += " · " + s.say("facts.ram.cache", need)
	case asked != "" && asked != "False" && asked != "None" && asked != "disk":
		text += " · " + s.say("facts.ram.cache.asked", clean(asked))
	}
	return text
}

// shmFact is how large the shared memory is, through which workers hand over batches.
func (s scene) shmFact(h *parse.Host) string {
	total, ok := h.ShmTotal.Bytes()
	if !ok || total == 0 {
		return ""
	}
	used, _ := h.ShmUsed.Bytes()
	text := s.say("facts.ram.free", max(0, total-used), total)
	if total < shmSmall && s.workers() != 0 {
		text += " · " + s.theme.moods[moodWarning].Styled(s.say("facts.shm.small"))
	}
	return text
}

// ampFact is what the trainer's check of mixed precision said, whatever the arguments ask
// for; empty before it has said anything.
func (s scene) ampFact() string {
	r := s.run
	switch {
	case r.AMPFailed:
		return s.theme.moods[moodWarning].Styled(s.say("facts.amp.failed"))
	case r.AMPPassed && r.AMP != nil && *r.AMP:
		return s.say("facts.amp.passed")
	case r.Stage != nil && r.Stage.Kind == parse.CheckingAMP:
		return s.say("facts.amp.checking")
	}
	return ""
}
