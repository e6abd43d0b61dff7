package diagnose

// Position is how many epochs are done; of a run that counts none, the share that is done, or 1
// where it is not known how many iterations there are.
func (r *Run) Position() float64 {
	if r.Epoch == 0 {
		return 0
	}
	if r.Iters <= 0 || r.Iter < 0 {
		return float64(r.Epoch)
	}
	return float64(r.Epoch-1) + min(1, float64(r.Iter)/float64(r.Iters))
}

// X is where the run is on the axis of its series and marks: the epochs that are done, or, where
// the trainer counts none, the iterations.
func (r *Run) X() float64 {
	if r.Stepwise {
		return float64(max(r.Iter, 0))
	}
	return r.Position()
}

// Place names where a run is, was or died: an epoch, or an iteration where there are no
// epochs.
func (r *Run) Place(epoch, iter int) Message {
	if r.Stepwise && iter >= 0 {
		return Say("at.iteration", iter)
	}
	return Say("at.epoch", epoch)
}

// Here is the place of the newest row.
func (r *Run) Here() Message { return r.Place(r.Epoch, r.Iter) }

// Extent is how much of a run was seen: epochs, or iterations where there are none.
func (r *Run) Extent() Message {
	switch {
	case r.Stepwise && r.Iter >= 0:
		return Say("iterations.many", r.Iter)
	}
	return Epochs(r.EpochsSeen)
}

// Epochs is a number of epochs in words.
func Epochs(n int) Message {
	if n == 1 {
		return Say("epochs.one")
	}
	return Say("epochs.many", n)
}
