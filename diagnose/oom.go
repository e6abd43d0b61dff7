package diagnose

import (
	"yolotop/parse"
)

// oom explains an out-of-memory after the fact: what was asked for, what was free,
// who held it, in which phase, and what to change first. The text of the error
// alone misleads: it advises against fragmentation in every case.
type oom struct {
	retries int
	counted int // that torch has counted so far
	dense   denseWatch
}

// Observe implements detector.
func (d *oom) Observe(r *Run, e *parse.Event) {
	switch rec := e.Record.(type) {
	case *parse.Progress:
		d.dense.row(rec)
		if f := r.active(OOM); f != nil && d.retries == 0 {
			r.withdraw(OOM) // caught: the trainer went on
		} else if f != nil && rec.Complete() {
			r.withdraw(OOM) // the smaller batch lasted an epoch
			d.retries = 0
		}
	case *parse.Hook:
		d.counts(r, e, &rec.Memory)
	case *parse.Memory:
		d.counts(r, e, rec)
	case *parse.Notice:
		if rec.Kind == parse.BatchReduced {
			d.retries++
			d.dense = denseWatch{}
			r.raise(e, Finding{
				Kind: OOM, GPU: r.gpu(), Level: Warning, Provisional: true,
				Title:   Say("oom.retry.title", rec.From, rec.Batch),
				Because: Say("oom.retry.because"),
				Advice:  []Message{Say("oom.retry.advice", rec.Batch)},
			})
		}
	case *parse.Failure:
		switch rec.Kind {
		case parse.OutOfMemory:
			if r.Death == rec {
				f := d.explain(r, rec.OOM)
				foreseen(r, &f)
				r.raise(e, f)
			}
		case parse.OutOfMemoryLikely:
			if r.Death == rec {
				d.likely(r, e)
			}
		}
	}
}

// counts says that torch has counted errors which the program survived.
func (d *oom) counts(r *Run, e *parse.Event, rec *parse.Memory) {
	if rec.OOMs > d.counted && r.Death == nil {
		d.counted = rec.OOMs
		r.raise(e, Finding{
			Kind: OOM, GPU: max(rec.Device, r.gpu()), Level: Warning, Provisional: true,
			Title:   Say("oom.counted.title", rec.OOMs),
			Because: Say("oom.counted.because", rec.OOMs, max(rec.Retries, 0)),
			Advice:  smallerAdvice(r, r.Memory.Last, r.Memory.Total),
			Limits:  []Message{Say("oom.counted.limits")},
		})
	}
}

// likelyShare is how full the card must have been to read a library's error as an
// out-of-memory.
const likelyShare = 0.85

// likely weighs an error of cuBLAS or cuDNN, which a full card often causes.
func (d *oom) likely(r *Run, e *parse.Event) {
	if r.Memory.Total == 0 || float64(r.Memory.Peak) < likelyShare*float64(r.Memory.Total) {
		return
	}
	r.raise(e, Finding{
		Kind: OOM, GPU: r.gpu(), Level: Critical,
		Title:   d.title(r),
		Because: Say("oom.likely.because", r.Memory.Last, r.Memory.Total, Percent(float64(r.Memory.Last)/float64(r.Memory.Total))),
		Advice:  smallerAdvice(r, r.Memory.Peak, r.Memory.Total),
		Limits:  []Message{Say("oom.likely.limits")},
	})
}

// title says when the run died.
func (d *oom) title(r *Run) Message {
	switch {
	case !r.HasRows():
		return Say("oom.start.title")
	case r.DeathPhase == Validating, r.DeathPhase == Finishing:
		return Say("oom.val.title", r.Place(r.DeathAt.Epoch, r.DeathAt.Iter))
	}
	return Say("oom.title", r.Place(r.DeathAt.Epoch, r.DeathAt.Iter))
}

// shares that tell the causes of an out-of-memory apart.
const (
	hugeRequest   = 4   // tried more than a quarter of the card at once
	othersHold    = 0.1 // other processes hold a tenth of the card
	fragmentShare = 0.1 // a tenth of the card is reserved and not in use
)

// explain weighs the numbers of the error against what was seen before it.
func (d *oom) explain(r *Run, o *parse.OOM) Finding {
	f := Finding{Kind: OOM, GPU: r.gpu(), Level: Critical, Title: d.title(r)}
	if o == nil {
		f.Because = Say("oom.bare.because")
		f.Advice = smallerAdvice(r, max(r.Memory.Last, 1), r.Memory.Total)
		f.Limits = []Message{Say("oom.bare.limits")}
		return f
	}
	if o.Device >= 0 {
		f.GPU = o.Device
	}
	total := o.Total
	if total == 0 {
		total = r.Memory.Total
	}
	held := max(o.Reserved, o.Process, o.Allocated)
	if held == 0 {
		held = r.Memory.Last
	}
	others, pid, othersKnown := otherHolders(o)
	smaller := smallerAdvice(r, max(held, r.Memory.Last), total)
	numbers := Say("oom.numbers", o.Tried, o.Free, total)
	if total == 0 {
		numbers = Say("oom.numbers.only", o.Tried, o.Free)
	}
	switch {
	case o.Backend == "MPS":
		f.Because = Say("oom.mps.because", o.Tried, o.Allocated, total)
		f.Advice = smaller
	case othersKnown && total > 0 && float64(others) > othersHold*float64(total) && o.Free < o.Tried:
		f.Because = Say("oom.others.because", numbers, others, pid, held)
		f.Advice = []Message{Say("oom.others.advice", pid), Say("oom.others.rerun")}
		f.Limits = []Message{Say("oom.others.limits")}
	case o.HasFree && o.Free > 2*o.Tried:
		f.Because = Say("oom.free.because", o.Tried, o.Free)
		f.Advice = []Message{Say("oom.free.host"), Say("oom.free.wsl"), Say("oom.free.batch")}
		f.Limits = []Message{Say("oom.free.limits")}
	case total > 0 && o.Tried > total/hugeRequest && float64(held) < 0.8*float64(total):
		f.Because = Say("oom.huge.because", o.Tried, o.Free, held, total)
		f.Advice = append([]Message{Say("oom.huge.objects")}, smaller...)
	case d.dense.follows():
		f.Because = Say("oom.dense.because", numbers, d.dense.rises, d.dense.coincide)
		f.Advice = append([]Message{Say("oom.dense.cap")}, smaller...)
		f.Limits = []Message{Say("oom.dense.limits")}
	case total > 0 && o.Unallocated > o.Tried && float64(o.Unallocated) > fragmentShare*float64(total):
		f.Because = Say("oom.fragmented.because", numbers, o.Unallocated)
		f.Advice = append([]Message{Say("oom.fragmented.segments")}, smaller...)
	case !r.HasRows():
		f.Because = Say("oom.start.because", numbers, held)
		f.Advice = smaller
	case r.DeathPhase == Validating || r.DeathPhase == Finishing:
		f.Because = Say("oom.val.because", numbers, held)
		f.Advice = valAdvice(r, smaller)
	case held == 0:
		f.Because = numbers
		f.Advice = smaller
	default:
		f.Because = Say("oom.because", numbers, held)
		if more, ok := grown(r); ok {
			f.Because = Say("oom.grown.because", numbers, held, more, r.Epochal[0].Epoch)
			f.Advice = []Message{Say("oom.grown.leak")}
		}
		f.Advice = append(f.Advice, smaller...)
	}
	return f
}

// foreseen ties an out-of-memory to what was said before it, and lets the advice against a
// leak go before a smaller batch, which only puts a leak off.
func foreseen(r *Run, f *Finding) {
	leak := r.active(Leak)
	if leak != nil {
		leak.died(r)
	}
	switch f.Because.Key {
	case "oom.because", "oom.grown.because", "oom.fragmented.because", "oom.dense.because", "oom.val.because":
		if leak != nil && leak.Level > Info {
			f.Advice = leakAdvice(r, true)
		}
	}
	var first *Finding
	for _, kind := range []Kind{Leak, Creep, Tight} {
		if said := r.active(kind); said != nil && said.Level > Info && (first == nil || said.First.Line < first.First.Line) && said.First.Epoch > 0 {
			first = said
		}
	}
	if first != nil {
		f.Because = Say("oom.foreseen", f.Because, r.Place(first.First.Epoch, first.First.Iter), first.Title)
	}
}

// otherHolders is what other processes hold on the card, and the pid of the
// greatest. In a container the run does not recognize itself: its own line reads
// like another process's, so one that holds what torch allocated is the run.
func otherHolders(o *parse.OOM) (sum parse.Bytes, pid int, known bool) {
	self := -1
	if o.Process == 0 {
		own := o.Allocated + o.Unallocated
		var best parse.Bytes = -1
		for i, p := range o.Others {
			// Its context comes on top: 0.3 to 1.5 GiB.
			if over := p.Bytes - own; over >= -own/50 && over <= 3*parse.GiB/2 && (best < 0 || over < best) {
				self, best = i, max(over, 0)
			}
		}
		if self < 0 && len(o.Others) > 0 && own == 0 {
			return 0, 0, false
		}
	}
	var most parse.Bytes
	for i, p := range o.Others {
		if i == self {
			continue
		}
		sum += p.Bytes
		if p.Bytes > most {
			most, pid = p.Bytes, p.PID
		}
	}
	return sum, pid, len(o.Others) > 0
}

// grown is how much more memory the last epochs held than the first one that was
// complete; ok is false if that is not much.
func grown(r *Run) (b parse.Bytes, ok bool) {
	if len(r.Epochal) < 3 || r.Memory.Total == 0 {
		return 0, false
	}
	b = max(r.Memory.Peak, r.HeldAtEnd()) - r.Epochal[1].Peak
	return b, r.Epochal[1].Peak > 0 && float64(b) > 0.1*float64(r.Memory.Total)
}

// valAdvice is what helps when validation needs more than training: Ultralytics and its
// relatives validate with twice the batch.
func valAdvice(r *Run, smaller []Message) []Message {
	out := []Message{Say("oom.val.batch")}
	switch r.Trainer {
	case "", "ultralytics", "yolov5", "yolov7", "yolov9":
		out = []Message{Say("oom.val.twice")}
	}
	out = append(out, smaller...)
	if r.Has("val") {
		out = append(out, Say("oom.val.off"))
	}
	return out
}
