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

// headroom finds a card with room for a larger batch or larger images, after some
// epochs with their validations have shown what the run needs.
type headroom struct{}

// Observe implements detector.
func (headroom) Observe(r *Run, e parse.Event) {
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
	if float64(r.Memory.Peak) > headroomBelow*float64(r.Memory.Total) || r.active(Leak) != nil || r.active(Creep) != nil {
		if f != nil {
			r.withdraw(Headroom)
		}
		return
	}
	if f != nil || r.validation < 3 || !r.judged() || len(r.Devices) > 1 {
		return // DDP: the first card decides, and it is not alone
	}
	factor := headroomFill * float64(r.Memory.Total) / float64(r.Memory.Peak)
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
