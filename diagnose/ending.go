package diagnose

import (
	"strings"

	"yolotop/parse"
)

func (r *Run) failed(e *parse.Event, f *parse.Failure) {
	r.log(e, f.Text, true)
	if r.searchingBatch() && (f.Kind == parse.OutOfMemory || f.Kind == parse.OutOfMemoryLikely) {
		return // AutoBatch tries batches until one does not fit
	}
	if afterwards(f.Kind) && (r.Status == Finished || r.Status == StoppedEarly && r.Phase == Finishing) {
		return // the training is done; what the script did afterwards failed
	}
	if f.Kind == parse.OutOfMemory && f.OOM != nil && f.OOM.Total > 0 && r.Memory.Total == 0 {
		r.Memory.Total = f.OOM.Total
	}
	if r.Death != nil && !graverDeath(f, r.Death) {
		return // the first failure is the cause, what follows are consequences
	}
	first := r.Death == nil
	r.Death, r.Status = f, Failed
	if f.Kind == parse.Killed || f.Kind == parse.Interrupted || f.Kind == parse.Cancelled {
		r.Status = Killed
	}
	if first {
		r.DeathAt, r.DeathPhase = r.moment(e), r.Phase
		if r.begun > r.Epoch { // it died before the first row of the next epoch
			r.DeathAt.Epoch, r.DeathPhase = r.begun, Training
		}
	}
	if f.Validating {
		r.DeathPhase = Validating
	}
	kind := MarkFailure
	if f.Kind == parse.OutOfMemory || f.Kind == parse.OutOfMemoryLikely {
		kind = MarkOOM
	}
	r.mark(kind, r.X(), Say("mark.failure"))
}

// afterwards reports whether a failure says nothing of a training that has ended well: a
// script's own, or that of processes which shut down in a bad order.
func afterwards(k parse.FailureKind) bool {
	switch k {
	case parse.Exception, parse.Communication, parse.WorkerLost, parse.WorkerTimeout, parse.OutOfMemoryLikely, parse.FileHandles, parse.Cancelled:
		return true
	}
	return false
}

// searchingBatch reports whether AutoBatch is trying batches, which runs out of
// memory on purpose.
func (r *Run) searchingBatch() bool {
	return !r.HasRows() && r.Stage != nil && r.Stage.Kind == parse.AutoBatch && !r.batchChosen
}

// graverDeath reports whether a later failure explains more than the first one: a
// bare traceback says less than a known cause, and GPUs that wait for each other do so
// because one of them has died.
func graverDeath(f, before *parse.Failure) bool {
	later, first := f.Kind, before.Kind
	if first == parse.Communication && (later == parse.Cancelled || later == parse.Killed && !strings.Contains(f.Text, "oom")) && !strings.Contains(f.Text, "Out of memory") {
		return false // somebody ended what hung
	}
	weak := func(k parse.FailureKind) bool {
		return k == parse.Exception || k == parse.WorkerLost || k == parse.Communication
	}
	return weak(first) && !weak(later) && later != parse.Interrupted
}

// inputEnded is told when no more will come of an input.
func (r *Run) inputEnded() {
	if r.Status == Running {
		r.Status = StatusUnknown
		r.dirty = true
	}
	r.Phase = Ended
}

// superseded is told when the input goes on with another run.
func (r *Run) superseded() {
	if r.Status == Running {
		r.Status = StatusUnknown
	}
	r.Phase = Ended
}
