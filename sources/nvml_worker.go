package sources

import (
	"context"
	"sync/atomic"
	"time"
)

// nvmlWorker is the goroutine that makes all calls into the driver. A call that hangs
// keeps it, and nobody else: a process cannot end such a call, only not wait for it.
type nvmlWorker struct {
	jobs  chan func() error
	ended chan error    // one for each job
	gone  chan struct{} // closed when the worker has ended
	last  atomic.Int64  // Unix time in ns of the newest sign of life
}

// startNVMLWorker starts the worker. atEnd is the last that it does.
func startNVMLWorker(atEnd func()) *nvmlWorker {
	w := &nvmlWorker{jobs: make(chan func() error), ended: make(chan error, 1), gone: make(chan struct{})}
	go func() {
		defer close(w.gone)
		for job := range w.jobs {
			w.ended <- guarded(job)
		}
		_ = guarded(func() error { // nobody is left who could be told
			atEnd()
			return nil
		})
	}()
	return w
}

// alive notes that the driver has answered until now. It is called before each call.
func (w *nvmlWorker) alive() { w.last.Store(time.Now().UnixNano()) }

// do has the worker do a job and returns its error. It calls silent whenever the
// driver has not answered one call for the deadline, and each nvmlSilentEvery after
// that. It returns early if ctx ends or silent fails; no other job can be done then,
// and what the job uses must be left alone.
func (w *nvmlWorker) do(ctx context.Context, deadline time.Duration, silent func(time.Duration) error, job func() error) error {
	w.alive()
	select {
	case w.jobs <- job:
	case <-ctx.Done():
		return ctx.Err()
	}
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	next, call := deadline, int64(0)
	for {
		select {
		case err := <-w.ended:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		if newest := w.last.Load(); newest != call {
			next, call = deadline, newest
		}
		silence := time.Since(time.Unix(0, call))
		if silence >= next {
			if err := silent(silence); err != nil {
				return err
			}
			next += nvmlSilentEvery
		}
		timer.Reset(max(next-silence, time.Millisecond))
	}
}

// stop lets the worker end after the job that it has. It waits for that, but not long.
func (w *nvmlWorker) stop() {
	close(w.jobs)
	timer := time.NewTimer(nvmlGone)
	defer timer.Stop()
	select {
	case <-w.gone:
	case <-timer.C:
	}
}
