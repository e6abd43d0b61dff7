package diagnose

import (
	"math"

	"yolotop/parse"
)

// denseWatch counts how often memory reached a new high just when a batch held more objects
// than any before. The assigner's memory follows the densest image.
type denseWatch struct {
	memory    parse.Bytes
	instances float64
	rises     int
	coincide  int
	recent    int // rows since the last record of instances
	rows      int

	// late and lateDense are the rises behind the first rows, and how many of them came with a
	// record of objects.
	late, lateDense int
	grown, greatest float64 // bytes of the late rises: their sum, and the greatest
	lateEpoch       int     // of the newest one
}

// crowdedRows is after how many rows a rise is late: in the first ones memory and objects reach
// new highs all the time.
const crowdedRows = 10

func (d *denseWatch) row(p *parse.Progress) {
	if p.Memory.Measure != parse.Reserved || p.Instances < 0 {
		return
	}
	d.rows++
	d.recent++
	if p.Instances > d.instances {
		d.instances, d.recent = p.Instances, 0
	}
	if p.Memory.Bytes <= d.memory+p.Memory.Step/2 {
		return
	}
	dense := d.recent <= 1
	if d.rows > 1 {
		d.rises++
		if dense {
			d.coincide++
		}
	}
	if d.rows > crowdedRows {
		rise := float64(p.Memory.Bytes - d.memory)
		d.late++
		if dense {
			d.lateDense++
		}
		d.grown += rise
		d.greatest = max(d.greatest, rise)
		d.lateEpoch = p.Epoch
	}
	d.memory = p.Memory.Bytes
}

// How often rises must have come with a record of objects to be due to them.
const (
	followsRises = 4
	followsLate  = 3 // behind the first rows
	followsShare = 0.7
)

// follows reports whether memory follows the number of objects: most of several rises came
// with a record of instances.
func (d *denseWatch) follows() bool {
	return d.rises >= followsRises && float64(d.coincide) >= followsShare*float64(d.rises)
}

// goesOn reports whether it does so behind the first rows, too.
func (d *denseWatch) goesOn() bool {
	return d.follows() && d.late >= followsLate && float64(d.lateDense) >= followsShare*float64(d.late)
}

// forecast says when the next record of objects comes and what it takes. Shuffled batches are
// exchangeable, so that the record of n epochs stands for m more with the chance n/(n+m)
// (Rényi 1962): it falls within n more as likely as not. How much more it takes is what
// the rises took so far; nothing tells when the card will be full. ok is false where memory does
// not follow the objects, or no epochs are known.
func (d *denseWatch) forecast(r *Run) (m Message, ok bool) {
	seen := r.Position() - float64(max(r.FirstEpoch, 1)-1)
	if !d.goesOn() || r.Stepwise || seen <= 0 {
		return m, false
	}
	rise, most := parse.Bytes(d.grown/float64(d.late)), parse.Bytes(d.greatest)
	left := float64(r.Epochs) - r.Position()
	if r.Epochs > 0 && left <= 0 || r.Status != Running {
		return m, false
	}
	if r.Epochs > 0 && left < seen {
		m = Say("dense.next.end", Percent(left/(left+seen)), rise, most)
	} else {
		m = Say("dense.next", Epochs(int(math.Ceil(seen))), rise, most)
	}
	if free, known := r.Free(); known {
		m = Say("dense.free", m, free)
	}
	return m, true
}

// crowdedFrom is how full the card must be for memory that follows dense batches to be a
// danger.
const (
	crowdedFrom = 0.75
	crowdedMore = 3 // rises like the greatest that must not fit any more
	crowdedCalm = 5 // epochs without one, after which it is over
)

// crowded says early that memory follows the number of objects on a card that fills up.
func (d *creep) crowded(r *Run, e *parse.Event) {
	total, w := float64(r.Memory.Total), &d.dense
	if f := r.active(Creep); f != nil && f.Level == Warning && r.Epoch > w.lateEpoch+crowdedCalm {
		r.withdraw(Creep)
	}
	if total-float64(r.Memory.Peak) > crowdedMore*w.greatest || r.Epoch > w.lateEpoch+crowdedCalm {
		return
	}
	if total == 0 || !r.Memory.Held() || float64(r.Memory.Last) < crowdedFrom*total {
		return
	}
	forecast, ok := w.forecast(r)
	if f := r.active(Creep); !ok || f != nil && f.Level >= Warning || r.active(Leak) != nil {
		return
	}
	r.raise(e, Finding{
		Kind: Creep, GPU: r.gpu(), Level: Warning,
		Title:   Say("creep.dense.title", Percent(float64(r.Memory.Last)/total)),
		Because: Say("creep.dense.because", w.rises, w.coincide, forecast),
		Advice:  append([]Message{Say("oom.dense.cap")}, smallerAdvice(r, r.Memory.Last, r.Memory.Total)...),
		Limits:  []Message{Say("oom.dense.limits")},
	})
}
