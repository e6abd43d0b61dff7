package main

import "time"

// pacer says when to draw: soon after a change that comes out of quiet, then ever
// more slowly down to an even pace while changes keep coming, since drawing is what
// watching costs. Where nothing changes, it wakes nobody.
type pacer struct {
	every time.Duration // the even pace
	gap   time.Duration // from the last frame to the next one
	last  time.Time     // of the last frame
	armed bool
	now   func() time.Time
	timer *time.Timer
}

// newPacer returns one with the given even pace (0: frameEvery).
func newPacer(every time.Duration, now func() time.Time) *pacer {
	if every <= 0 {
		every = frameEvery
	}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &pacer{every: every, gap: frameSoon, now: now, timer: timer}
}

// due delivers when a frame is to be drawn.
func (p *pacer) due() <-chan time.Time { return p.timer.C }

// changed asks for a frame.
func (p *pacer) changed() {
	if p.armed {
		return
	}
	quiet := p.now().Sub(p.last)
	if quiet > p.every {
		p.gap = frameSoon
	}
	p.arm(max(p.gap-quiet, frameSoon))
}

// urgent asks for a frame at once: a person pressed a key.
func (p *pacer) urgent() { p.arm(0) }

// later asks again for the frame that could not be drawn now.
func (p *pacer) later() { p.arm(p.every) }

// shown notes that the frame was drawn.
func (p *pacer) shown() {
	p.last, p.armed = p.now(), false
	p.gap = min(2*p.gap, p.every)
}

func (p *pacer) stop() { p.timer.Stop() }

func (p *pacer) arm(in time.Duration) {
	p.armed = true
	p.timer.Reset(in)
}
