package diagnose

import (
	"yolotop/parse"
)

// creep finds memory that rises as a ratchet: caches that keep the greatest batch so far,
// dense batches, fragmentation. New highs get ever rarer, and nothing is lost for good. It is
// a remark, unless the card is nearly full.
type creep struct {
	log   ratchet
	dense denseWatch
	cards []*cardRatchet
}

// ratchet counts the new highs of a series after it has settled.
type ratchet struct {
	epochs      int     // that were closed
	epoch, last int     // the present one, and the one before
	high        float64 // of the present epoch
	base, best  float64 // when it had settled, and since
	highs       int     // epochs with a new high since
	below       int     // epochs below base since
}

// How a ratchet is told from the noise of a start.
const (
	ratchetSettled = 3    // epochs
	ratchetHighs   = 3    // since
	ratchetGrowth  = 0.10 // over the level at which it had settled
	ratchetCard    = 0.015
	ratchetAnew    = 0.5 // a single rise over the level, after which it has to settle again
	ratchetBelow   = 3   // epochs below the level at which it had settled: it has not crept
)

// add takes a value; it reports whether an epoch was closed.
func (c *ratchet) add(epoch int, v, quantum float64, whole bool) (closed bool) {
	if c.epoch == 0 && c.epochs > 0 && epoch == c.last {
		return false // its last row, drawn once more
	}
	if c.epoch != 0 && epoch != c.epoch {
		c.close(quantum)
		closed = true
	}
	if c.epoch == 0 {
		c.epoch, c.high = epoch, v
	}
	c.high = max(c.high, v)
	if whole {
		c.close(quantum)
		return true
	}
	if closed {
		c.epoch, c.high = epoch, v
	}
	return closed
}

func (c *ratchet) close(quantum float64) {
	c.epochs++
	c.last, c.epoch = c.epoch, 0
	switch {
	case c.epochs <= ratchetSettled:
		c.base = max(c.base, c.high)
		c.best = c.base
	case c.high > (1+ratchetAnew)*c.best: // something else has begun
		*c = ratchet{epochs: 1, base: c.high, best: c.high}
	case c.high < c.base-quantum:
		c.below++
	case c.high > c.best+quantum/2:
		c.best = c.high
		c.highs++
	}
}

// crept reports whether it has risen far, in several steps.
func (c *ratchet) crept(total float64) bool {
	grown := c.best - c.base
	return c.below < ratchetBelow && c.highs >= ratchetHighs && grown >= ratchetGrowth*c.base && grown >= ratchetCard*total
}

// cardRatchet is the ratchet of one device by the driver's count.
type cardRatchet struct {
	index   int
	uuid    string
	ratchet ratchet
	pseudo  pseudoEpochs
	climb   climb
}

// Observe implements detector.
func (d *creep) Observe(r *Run, e *parse.Event) {
	switch rec := e.Record.(type) {
	case *parse.Progress:
		m := rec.Memory
		if m.Measure == parse.NotMeasured || m.Measure != r.Memory.Measure {
			return
		}
		d.dense.row(rec)
		d.crowded(r, e)
		epoch, whole := rec.Epoch, rec.Complete()
		if rec.Stepwise {
			epoch, whole = 1+r.measuredRows/rowsAsEpoch, false
		}
		if d.log.add(epoch, float64(m.Bytes), float64(m.Step), whole) {
			d.judge(r, e, &d.log, r.gpu(), float64(r.Memory.Total), false)
		}
	case *parse.Notice:
		if rec.Kind == parse.BatchReduced {
			*d = creep{}
			r.withdraw(Creep)
		}
	case *parse.GPU:
		d.card(r, e, rec)
	}
}

// judge says that a series has crept.
func (d *creep) judge(r *Run, e *parse.Event, c *ratchet, gpu int, total float64, byDriver bool) {
	f := r.active(Creep)
	if f != nil && f.Level == Info && !f.Provisional && f.ByDriver == byDriver && c.below >= ratchetBelow {
		r.withdraw(Creep)
		return
	}
	if r.active(Leak) != nil || !c.crept(total) || f != nil && (f.Level > Info || f.ByDriver != byDriver) {
		return
	}
	found := Finding{
		Kind: Creep, GPU: gpu, Level: Info, ByDriver: byDriver,
		Title:   Say("creep.title", parse.Bytes(c.best-c.base)),
		Because: Say("creep.because", parse.Bytes(c.base), parse.Bytes(c.best), c.highs, c.epochs-ratchetSettled),
		Advice:  []Message{Say("creep.nothing")},
		Limits:  []Message{Say("creep.limits")},
	}
	forecast, dense := d.dense.forecast(r)
	switch {
	case byDriver:
		found.Because = Say("creep.driver.because", parse.Bytes(c.base), parse.Bytes(c.best))
		found.Advice = []Message{Say("creep.sizes"), Say("oom.fragmented.segments")}
	case r.Memory.Measure == parse.AllocatedMax:
		found.Because = Say("creep.max.because", parse.Bytes(c.base), parse.Bytes(c.best), c.highs, c.epochs-ratchetSettled)
	case d.dense.goesOn() && !dense:
		found.Title = Say("creep.dense.grown.title", parse.Bytes(c.best-c.base))
		found.Because = Say("creep.dense.because.end", parse.Bytes(c.base), parse.Bytes(c.best), d.dense.rises, d.dense.coincide)
	case dense:
		found.Title = Say("creep.dense.grown.title", parse.Bytes(c.best-c.base))
		found.Because = Say("creep.dense.grown.because", parse.Bytes(c.base), parse.Bytes(c.best), d.dense.rises, d.dense.coincide, forecast)
		found.Limits = []Message{Say("oom.dense.limits")}
	}
	r.raise(e, found)
}

// card takes a sample of a device.
func (d *creep) card(r *Run, e *parse.Event, s *parse.GPU) {
	used, ok := s.Used.Bytes()
	dev := r.device(s.Index, s.UUID)
	if !ok || dev.Total == 0 {
		return
	}
	c := d.cardOf(s)
	at := dev.at
	epoch := r.Epoch
	if s.Epoch > 0 {
		epoch = s.Epoch
	} else if epoch == 0 || r.Stepwise {
		epoch = c.pseudo.at(at)
	}
	if c.ratchet.add(epoch, float64(used), float64(2*parse.MiB), false) {
		d.judge(r, e, &c.ratchet, max(s.Index, 0), float64(dev.Total), true)
	}
	if r.HasRows() || s.Epoch > 0 {
		return // the leak detector knows better
	}
	rate, steady := c.climb.add(at.Seconds(), float64(used), float64(dev.Total))
	switch f := r.active(Creep); {
	case steady && f == nil && r.active(Leak) == nil:
		r.raise(e, Finding{
			Kind: Creep, GPU: max(s.Index, 0), Level: Info, ByDriver: true, Provisional: true,
			Title:   Say("creep.climb.title", max(s.Index, 0), parse.Bytes(rate*60)),
			Because: Say("creep.climb.because", climbKept),
			Advice:  []Message{Say("creep.climb.log")},
			Limits:  []Message{Say("creep.climb.limits")},
		})
	case !steady && f != nil && f.Provisional && f.GPU == max(s.Index, 0) && c.climb.over():
		r.withdraw(Creep)
	}
}

func (d *creep) cardOf(s *parse.GPU) *cardRatchet {
	for _, c := range d.cards {
		if c.index == s.Index && c.uuid == s.UUID {
			return c
		}
	}
	c := &cardRatchet{index: s.Index, uuid: s.UUID}
	d.cards = append(d.cards, c)
	return c
}

// climb is a short window of samples, in which memory may rise steadily.
type climb struct {
	t, v []float64
	calm int // samples since the last new high
}

// What a steady rise is.
const (
	climbKept   = 45   // samples
	climbHighs  = 0.6  // of them make a new high
	climbAtOnce = 0.2  // of the growth, at most, in one of them
	climbGrowth = 0.03 // of the card
)

// add takes a sample; steady is that memory rises evenly, by rate bytes a second.
func (c *climb) add(t, v, total float64) (rate float64, steady bool) {
	if k := len(c.v); k > 0 && v <= c.v[k-1] {
		c.calm++
	} else {
		c.calm = 0
	}
	c.t, c.v = append(c.t, t), append(c.v, v)
	if len(c.v) > climbKept {
		c.t, c.v = append(c.t[:0], c.t[1:]...), append(c.v[:0], c.v[1:]...)
	}
	n := len(c.v)
	if n < climbKept || c.t[n-1] <= c.t[0] {
		return 0, false
	}
	top, greatest, highs := c.v[0], 0.0, 0
	for _, y := range c.v[1:] {
		if y > top {
			greatest = max(greatest, y-top)
			highs++
			top = y
		}
	}
	grown := top - c.v[0]
	early, late := c.v[n/2]-c.v[0], c.v[n-1]-c.v[n/2]
	steady = float64(highs) >= climbHighs*float64(n) && greatest <= climbAtOnce*grown && grown >= climbGrowth*total && late > 0.5*early && early > 0.5*late
	return grown / (c.t[n-1] - c.t[0]), steady
}

// over reports whether memory has stopped to rise.
func (c *climb) over() bool { return c.calm >= climbKept/2 }
