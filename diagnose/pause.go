package diagnose

import (
	"slices"
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
	calm        time.Duration // that steps without a pause have taken
	steps       int           // and how many they are
	// at and before are the iterations of the pauses of this epoch and of the one before.
	at, before []int
}

// pausesKept is how many pauses of an epoch are remembered.
const pausesKept = 16

// row takes a row; it reports whether there was a pause before it that does not come in each epoch:
// a validation in the middle of an epoch does, and may leak.
func (p *pauses) row(rec *parse.Progress) bool {
	if rec.Elapsed < 0 || rec.Iter < 0 {
		return false
	}
	if rec.Epoch != p.epoch || rec.Iter < p.iter { // its first row holds the start of the workers
		if rec.Epoch != p.epoch {
			p.before, p.at = p.at, p.before[:0]
		}
		p.epoch, p.iter, p.elapsed = rec.Epoch, rec.Iter, rec.Elapsed
		return false
	}
	steps, took := rec.Iter-p.iter, rec.Elapsed-p.elapsed
	p.iter, p.elapsed = rec.Iter, rec.Elapsed
	if steps <= 0 {
		return false
	}
	if took >= pauseLeast && p.steps > 0 { // few rows are so late: only they are weighed
		usual := p.calm / time.Duration(p.steps)
		if extra := took - time.Duration(steps)*usual; extra >= pauseLeast && extra >= pauseTimes*usual {
			if len(p.at) < pausesKept {
				p.at = append(p.at, rec.Iter)
			}
			again := func(iter int) bool { return iter-steps <= rec.Iter && rec.Iter <= iter+steps }
			return !slices.ContainsFunc(p.before, again)
		}
	}
	p.calm += took
	p.steps += steps
	return false
}
