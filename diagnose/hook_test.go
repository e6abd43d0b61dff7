package diagnose

import (
	"fmt"
	"strings"
	"testing"
)

// hookLine is a line of the hook, with GiB of tensors and seconds of waiting in ten.
func hookLine(rank, step int, allocated, wait float64, retries int) string {
	const gib = 1 << 30
	return fmt.Sprintf("\ryolotop-hook v=1 rank=%d step=%d steps=50 time=10.0000 wait=%.4f dev=%d alloc=%d alloc_max=%d held=%d split=0 retries=%d ooms=0 free=%d total=%d\n",
		rank, step, wait, rank, int(allocated*gib), 9*gib, 12*gib, retries, 11*gib, 24*gib)
}

// hooked is a run of so many epochs, with ten lines of the hook in each, of each of two processes.
func hooked(epochs int, line func(epoch, n int) string) string {
	var b strings.Builder
	b.WriteString(strings.Replace(banner, "epochs=10", "epochs=100", 1) + start)
	for e := 1; e <= epochs; e++ {
		b.WriteString(header)
		for n := range 10 {
			b.WriteString(strings.Replace(rowWith(fmt.Sprint(e), "100", "12G", "1.1", "100"), "100% ━━━━━━━━━━━━ 100/100", fmt.Sprintf("%d%% ━━━━━━━━━━━━ %d/100", 10*n+10, 10*n+10), 1))
			b.WriteString(line(e, n))
		}
		b.WriteString(validation)
	}
	return b.String()
}

// TestHookFindsALeakUnderTheCache promises that a leak of tensors is found while the cache hides it
// from the log, on the device of the process that leaks, with a forecast; and that a steady run is
// left alone.
func TestHookFindsALeakUnderTheCache(t *testing.T) {
	t.Parallel()
	leaking := hooked(10, func(e, n int) string {
		step := 100*e + 10*n
		return hookLine(0, step, 5, .1, 0) + hookLine(1, step, 5+.02*float64(10*e+n), .1, 0)
	})
	f := found(t, only(t, read(t, leaking)), Leak)
	if f.GPU != 1 || f.OOM == nil || f.First.Epoch > 5 || f.ByDriver {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "0.20 GiB each epoch")
	mention(t, f.Because, "it grows within the epochs: suspect the training steps")
	steady := only(t, read(t, hooked(30, func(e, n int) string { return hookLine(0, 100*e+10*n, 5+.01*float64((7*n+3*e)%5), .1, 0) })))
	if f := steady.finding(Leak); f != nil {
		t.Errorf("%+v", f)
	}
	if share, ok := steady.DataShare(); !ok || share < .009 || share > .011 {
		t.Errorf("waits %v of the time, %v", share, ok)
	}
}

// TestHookWithoutEpochs promises the same where nothing tells epochs, in steps.
func TestHookWithoutEpochs(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for n := range 400 {
		b.WriteString(hookLine(0, 50*n, 5+.005*float64(n), .1, 0))
	}
	f := found(t, only(t, read(t, b.String())), Leak)
	mention(t, f.Title, "0.10 GiB each 1000 iterations")
}

// TestHookMeasuresTheWait promises that a training which waits is starved by its own clock.
func TestHookMeasuresTheWait(t *testing.T) {
	t.Parallel()
	f := found(t, only(t, read(t, hooked(4, func(e, n int) string { return hookLine(0, 100*e+10*n, 5, 6, 0) }))), Starved)
	mention(t, f.Title, "60% of the time")
}

// TestHookSeesRealPressure promises that an allocator which empties its cache again and again is
// said to be in distress, not one that did so once, and that it is taken back.
func TestHookSeesRealPressure(t *testing.T) {
	t.Parallel()
	count := func(until int) string {
		return hooked(6, func(e, n int) string { i := 10*(e-1) + n; return hookLine(0, 50*i, 5, .1, min(i, until)) })
	}
	if f := only(t, read(t, count(1))).finding(Slow); f != nil {
		t.Errorf("once: %+v", f)
	}
	f := found(t, only(t, read(t, count(1000))), Slow)
	if !f.Active {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "emptied its cache and asked again")
	if f := found(t, only(t, read(t, count(20))), Slow); f.Active {
		t.Errorf("it is over: %+v", f)
	}
}
