package diagnose

import (
	"time"

	"yolotop/parse"
)

// How long a step must take to be a pause in which something was compiled or prepared anew, such
// as a kernel for a shape that torch.compile has not seen yet.
const (
	pauseLeast = 5 * time.Second
	pauseTimes = 8 // the usual step
)

// pauses tells the steps of a bar that take many times as long as the others.
type pauses struct {
	epoch, iter int
	elapsed     time.Duration
	usual       float64 // seconds a step takes, the pauses left out
	steps       int
}

// row takes a row; it reports whether there was a pause before it.
func (p *pauses) row(rec *parse.Progress) bool {
	if rec.Elapsed < 0 || rec.Iter < 0 {
		return false
	}
	if rec.Epoch != p.epoch || rec.Iter < p.iter { // its first row holds the start of the workers
		p.epoch, p.iter, p.elapsed = rec.Epoch, rec.Iter, rec.Elapsed
		return false
	}
	steps, took := rec.Iter-p.iter, rec.Elapsed-p.elapsed
	p.iter, p.elapsed = rec.Iter, rec.Elapsed
	if steps <= 0 {
		return false
	}
	extra := took.Seconds() - float64(steps)*p.usual
	if p.steps > 0 && extra >= pauseLeast.Seconds() && extra >= pauseTimes*p.usual {
		return true
	}
	p.steps += steps
	weight := max(0.05, float64(steps)/float64(p.steps))
	p.usual += (took.Seconds()/float64(steps) - p.usual) * min(weight, 1)
	return false
}
