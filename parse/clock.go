package parse

import "time"

// clock makes run time of what a stream prints.
type clock struct {
	base    time.Duration // what finished bars took
	bar     barID
	elapsed time.Duration // of the current bar
	now     time.Duration
	known   bool
	first   time.Time // first stamp
	stamps  bool
	samples bool // the stamps are those of device samples, which anything else overrules
}

// barID tells one bar from the next.
type barID struct {
	train bool
	kind  StageKind
	epoch int
}

// at moves the clock to a record and returns the run time.
func (c *clock) at(rec Record) (time.Duration, bool) {
	id, elapsed, ok := barOf(rec)
	if ok && c.samples {
		c.samples, c.stamps, c.first, c.base = false, false, time.Time{}, c.now
	}
	switch {
	case ok && c.stamps:
		if id == c.bar && elapsed > c.elapsed {
			c.forward(c.now + elapsed - c.elapsed)
		}
		c.bar, c.elapsed = id, elapsed
	case ok:
		if id != c.bar || elapsed < c.elapsed {
			c.base += c.elapsed
			c.bar = id
		}
		c.elapsed, c.known = elapsed, true
		c.forward(c.base + elapsed)
	}
	return c.now, c.known
}

// peek is the run time that a row would have, without moving the clock.
func (c *clock) peek(p *Progress) (time.Duration, bool) {
	saved := *c
	d, ok := saved.at(p)
	return d, ok
}

func (c *clock) forward(d time.Duration) { c.now = max(c.now, d) }

// stamped takes the time stamp that a transport put before a line.
func (c *clock) stamped(t time.Time) {
	if c.first.IsZero() || c.samples {
		c.first = t.Add(-c.now)
	}
	c.stamps, c.known, c.samples = true, true, false
	c.forward(t.Sub(c.first))
}

// sampled takes the time that a device sample carries. It counts only as long as
// nothing better tells the time: it may be of another clock or zone.
func (c *clock) sampled(t time.Time) {
	if c.known && !c.samples {
		return
	}
	c.samples = false
	c.stamped(t)
	c.samples = true
}

func barOf(rec Record) (id barID, elapsed time.Duration, ok bool) {
	switch r := rec.(type) {
	case *Progress:
		return barID{train: true, epoch: r.Epoch}, r.Elapsed, r.Elapsed >= 0
	case *Stage:
		return barID{kind: r.Kind}, r.Elapsed, r.Elapsed >= 0
	case *EpochRow: // its time begins anew when a run is resumed
		return barID{epoch: -1}, r.Time, r.Time >= 0
	}
	return id, 0, false
}
