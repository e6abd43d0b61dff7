package diagnose

import (
	"yolotop/parse"
)

// Shares of headroom: it is offered where the run needs less than a part of the
// card, and never more is promised than leaves a quarter of the card free.
const (
	headroomBelow = 0.40
	headroomFill  = 0.75
)

// contextMost is what a CUDA context takes at most, which no batch changes.
const contextMost = 6 * parse.GiB / 10

// beyondHeld is what the driver has counted on the run's card beyond what the log shows at
// its peak: the context, validation, other processes. It is 0 where the driver's card is
// not known to be the run's.
func (r *Run) beyondHeld() parse.Bytes {
	if !r.Joined() {
		return 0
	}
	g := r.FirstGPU()
	if g == nil || !g.Measured {
		return 0
	}
	return max(0, g.Peak-r.Memory.Peak)
}

// headroom finds a card with room for a larger batch or larger images, after some
// epochs with their validations have shown what the run needs.
type headroom struct{}

// Observe implements detector.
func (headroom) Observe(r *Run, e *parse.Event) {
	switch rec := e.Record.(type) {
	case *parse.Progress:
		if !rec.Complete() {
			return
		}
	case *parse.Validation:
	default:
		return
	}
	if r.Memory.Measure != parse.Reserved || r.Memory.Total == 0 || r.Batch < 1 {
		return
	}
	f := r.active(Headroom)
	others := r.beyondHeld()
	if float64(r.Memory.Peak+others) > headroomBelow*float64(r.Memory.Total)+float64(min(others, contextMost)) ||
		r.active(Leak) != nil || r.active(Creep) != nil || r.active(OtherProcess) != nil {
		if f != nil {
			r.withdraw(Headroom)
		}
		return
	}
	if f != nil || r.validation < 3 || !r.judged() || len(r.Devices) > 1 {
		return // DDP: the first card decides, and it is not alone
	}
	factor := (headroomFill*float64(r.Memory.Total) - float64(others)) / float64(r.Memory.Peak)
	batch := int(r.Batch * factor)
	step := 1
	switch {
	case batch >= 32:
		step = 16
	case batch >= 8:
		step = 4
	}
	batch -= batch % step
	if batch < int(r.Batch)+1 {
		return
	}
	advice := []Message{Say("headroom.batch.words")}
	if r.Has("batch") {
		advice = []Message{Say("headroom.batch", batch, int(r.Batch))}
	}
	if len(r.ImgSize) == 1 && r.Has("imgsz") {
		advice = append(advice, Say("headroom.imgsz"))
	}
	r.raise(e, Finding{
		Kind: Headroom, GPU: r.gpu(), Level: Info,
		Title:   Say("headroom.title", Percent(float64(r.Memory.Peak)/float64(r.Memory.Total))),
		Because: Say("headroom.because", r.Memory.Peak, r.Memory.Total),
		Advice:  advice,
		Limits:  []Message{Say("headroom.limits")},
	})
}
