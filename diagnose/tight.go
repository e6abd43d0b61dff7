package diagnose

import (
	"math"

	"yolotop/parse"
)

// Shares of the card that the allocator holds. Reports from the field: runs that
// held 90% or more in their first epoch died in later ones on a dense batch; the
// CUDA context, 0.3 to 0.6 GiB, is not in the number.
const (
	tightFrom = 0.90
	tightOver = 0.85 // withdrawn when whole epochs stay below
	tightGone = 0.95 // critical if the epoch still climbs
)

// calmEpochs is how many epochs in a row must stay clearly below: the dense batch of
// one epoch comes again in another.
const calmEpochs = 5

// tight finds a card without a margin, which one batch with more objects than any
// before overflows. It says so in the first epoch.
type tight struct {
	epoch int
	high  parse.Bytes // of the present epoch
	rises int         // new highs in it
	calm  int         // epochs in a row that needed clearly less
	full  int         // samples of the driver in a row that were full
}

// Observe implements detector.
func (d *tight) Observe(r *Run, e *parse.Event) {
	if n, ok := e.Record.(*parse.Notice); ok && n.Kind == parse.BatchReduced {
		r.withdraw(Tight) // another configuration
		*d = tight{}
		return
	}
	if s, ok := e.Record.(*parse.GPU); ok {
		d.driver(r, e, s)
		return
	}
	p, ok := e.Record.(*parse.Progress)
	if !ok || p.Memory.Measure != parse.Reserved || r.Memory.Total == 0 {
		return
	}
	held, total := p.Memory.Bytes, r.Memory.Total
	if p.Epoch != d.epoch {
		d.endEpoch(r)
		d.epoch, d.high, d.rises = p.Epoch, held, 0
	} else if held > d.high+p.Memory.Step/2 {
		d.high = held
		d.rises++
	}
	share := float64(held) / float64(total)
	if share < tightFrom {
		return
	}
	level := Warning
	if share >= tightGone && d.rises >= 3 && !p.Complete() {
		level = Critical
	}
	if f := r.active(Tight); f != nil && !f.ByDriver && !f.Provisional && (f.Level >= level || f.First.Epoch != d.epoch && level == Warning) {
		f.Last = r.moment(e)
		return
	}
	f := Finding{
		Kind: Tight, GPU: r.gpu(), Level: level,
		Title:   Say("tight.title", Percent(share), r.Epoch),
		Because: Say("tight.because", held, total, max(0, total-held)),
		Advice:  smallerAdvice(r, held, total),
		Limits:  []Message{Say("tight.limits")},
	}
	if level == Critical {
		f.Title = Say("tight.rising.title", Percent(share), r.Epoch)
		f.Because = Say("tight.rising.because", held, total, d.rises)
	}
	r.raise(e, f)
}

// Shares of a card in use by everybody from which it is tight. Where the log measures,
// its number is the better one, and the driver's adds what is not in it: the context,
// other libraries, other processes.
const (
	tightDriver   = 0.93
	tightBoth     = 0.96
	tightBothLong = 10 // samples in a row
)

// driver weighs a sample of the driver.
func (d *tight) driver(r *Run, e *parse.Event, s *parse.GPU) {
	g := r.device(s.Index, s.UUID)
	if !g.Measured || g.Total == 0 {
		return
	}
	share := float64(g.Used) / float64(g.Total)
	f := r.active(Tight)
	if f != nil && f.Provisional {
		f = nil // another run's need; this is a number of its own
	}
	if f != nil && !f.ByDriver {
		return // the log says it already
	}
	from := tightDriver
	if r.measuredRows > 0 {
		from = tightBoth
		if g != r.FirstGPU() {
			return
		}
		if share < from {
			d.full = 0
		} else if d.full++; d.full < tightBothLong && f == nil {
			return
		}
	}
	switch {
	case f != nil && f.GPU == g.Index && share < tightOver:
		r.withdraw(Tight)
	case share < from:
	case f != nil:
		if f.GPU == g.Index {
			f.Last = r.moment(e)
		}
	default:
		r.raise(e, Finding{
			Kind: Tight, GPU: g.Index, Level: Warning, ByDriver: true,
			Title:   Say("tight.driver.title", Percent(share), max(g.Index, 0)),
			Because: Say("tight.driver.because", g.Used, g.Total),
			Advice:  []Message{Say("advice.batch.smaller")},
			Limits:  []Message{Say("tight.driver.limits")},
		})
	}
}

// endEpoch takes the finding back where whole epochs needed clearly less.
func (d *tight) endEpoch(r *Run) {
	if d.epoch == 0 || d.high == 0 {
		return
	}
	f := r.active(Tight)
	if f == nil || f.ByDriver || f.Provisional {
		return
	}
	d.calm++
	if float64(d.high) >= tightOver*float64(r.Memory.Total) {
		d.calm = 0
	}
	if d.calm >= calmEpochs {
		r.withdraw(Tight)
	} else if f.Level == Critical {
		f.Level = Warning // the epoch ended, and the run lives
		r.dirty = true
	}
}

// smallerAdvice is how to make a run need less of the card, the cheapest first.
func smallerAdvice(r *Run, held, total parse.Bytes) []Message {
	var out []Message
	if r.AMPFailed {
		out = append(out, Say("advice.amp.failed"))
	}
	if b, ok := smallerBatch(r, held, total); ok {
		out = append(out, batchAdvice(r, b))
	} else if r.Trainer == "darknet" {
		out = append(out, Say("advice.subdivisions"))
	} else {
		out = append(out, Say("advice.batch.smaller"))
	}
	if size := smallerImage(r); size > 0 {
		out = append(out, Say("advice.imgsz", r.ImgSize[0], size))
	}
	return out
}

// smallerBatch is a batch that should leave 20% of the card free, if memory is
// proportional to it (a part is not, so this errs on the safe side).
func smallerBatch(r *Run, held, total parse.Bytes) (batch int, ok bool) {
	if r.Batch < 2 || held <= 0 || total <= 0 {
		return 0, false
	}
	gpus := max(1, len(r.Devices))
	b := int(r.Batch * 0.8 * float64(total) / float64(max(held, total*8/10)))
	b = min(b, int(r.Batch)-1)
	step := 1
	switch {
	case b >= 32:
		step = 8
	case b >= 8:
		step = 2
	}
	step = lcm(step, gpus) // in DDP the batch is the total over the GPUs
	b -= b % step
	return b, b >= 1
}

// nominalBatch is Ultralytics' default of nbs: gradients are accumulated until as
// many images were seen.
const nominalBatch = 64

// batchAdvice names a batch and what it does to the effective batch, which is
// batch x max(round(nbs/batch), 1).
func batchAdvice(r *Run, batch int) Message {
	key := "batch"
	switch r.Trainer {
	case "yolov5", "yolov6", "yolov7", "yolov9", "yolox":
		key = "batch_size"
	case "darknet":
		return Say("advice.subdivisions")
	case "ultralytics", "":
	default:
		return Say("advice.batch.number", int(r.Batch), batch)
	}
	if len(r.Args) > 0 && !r.Has(key) {
		return Say("advice.batch.smaller")
	}
	if r.Trainer != "ultralytics" || !r.Has("nbs") {
		if key == "batch_size" {
			return Say("advice.batch.flag", int(r.Batch), batch)
		}
		return Say("advice.batch", int(r.Batch), batch)
	}
	now, then := effective(r.Batch), effective(float64(batch))
	if now == then {
		return Say("advice.batch.same", int(r.Batch), batch, now)
	}
	if then == batch {
		return Say("advice.batch.plain", int(r.Batch), batch, now)
	}
	return Say("advice.batch.effective", int(r.Batch), batch, now, then)
}

func effective(batch float64) int {
	return int(batch * max(math.RoundToEven(nominalBatch/batch), 1))
}

// smallerImage is the next usual image size below the present one, 0 if there is
// none to offer.
func smallerImage(r *Run) int {
	if len(r.ImgSize) != 1 || len(r.Args) > 0 && !r.Has("imgsz") {
		return 0
	}
	for _, size := range []int{1280, 960, 800, 640, 512, 416, 320} {
		if size*4 <= r.ImgSize[0]*3+r.ImgSize[0]/4 && size < r.ImgSize[0] {
			return size
		}
	}
	return 0
}

func lcm(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return a / x * b
}
