package diagnose

import "yolotop/parse"

// hostRAM says after the fact that the machine's memory, not the card's, ended a
// run: killed workers, a full /dev/shm, Windows' commit limit.
type hostRAM struct{}

// Observe implements detector.
func (hostRAM) Observe(r *Run, e parse.Event) {
	f, ok := e.Record.(*parse.Failure)
	if !ok {
		if p, isRow := e.Record.(*parse.Progress); isRow && p.Epoch > 0 {
			r.withdraw(HostRAM) // it went on
		}
		return
	}
	if r.Death != f && r.active(HostRAM) != nil {
		return // a consequence of what was said already
	}
	var title, because Message
	var advice []Message
	switch f.Kind {
	case parse.WorkerKilled:
		title, because = Say("hostram.worker.title", phaseName(r.DeathPhase)), Say("hostram.worker.because", f.PID)
	case parse.Killed:
		title, because = Say("hostram.killed.title", phaseName(r.DeathPhase)), Say("hostram.killed.because")
		advice = append(advice, Say("hostram.dmesg"))
	case parse.SharedMemory:
		title, because = Say("hostram.shm.title"), Say("hostram.shm.because")
		advice = append(advice, Say("hostram.shm.size"))
	case parse.HostMemory:
		title, because = Say("hostram.alloc.title"), Say("hostram.alloc.because")
	case parse.PagingFile:
		title, because = Say("hostram.paging.title"), Say("hostram.paging.because")
		advice = append(advice, Say("hostram.paging.size"))
	default:
		return
	}
	advice = append(advice, hostAdvice(r)...)
	r.raise(e, Finding{Kind: HostRAM, GPU: -1, Level: Critical, Title: title, Because: because, Advice: advice, Limits: []Message{Say("hostram.limits")}})
}

// hostAdvice is how to make a run need less of the machine's memory.
func hostAdvice(r *Run) []Message {
	var out []Message
	if r.Has("workers") && r.Workers > 0 {
		out = append(out, Say("hostram.workers.key", r.Workers, max(1, r.Workers/2)))
	} else if r.Workers != 0 {
		out = append(out, Say("hostram.workers"))
	}
	if c, ok := r.Args["cache"]; ok && c != "False" && c != "None" && c != "disk" {
		out = append(out, Say("hostram.cache", c))
	}
	return append(out, Say("hostram.batch"))
}
