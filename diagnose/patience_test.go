package diagnose

import (
	"fmt"
	"strings"
	"testing"
)

// mAP is the table of a validation with the given mAP50-95.
func mAP(v float64) string {
	return strings.Replace(validation, "0.42", fmt.Sprint(v), 1)
}

// TestPatienceEndsBeforeTheCardIsFull promises a remark and no date while patience probably
// ends a run before its leak does, and the warning as soon as the metrics improve.
func TestPatienceEndsBeforeTheCardIsFull(t *testing.T) {
	t.Parallel()
	text := func(improves int) string {
		var b strings.Builder
		b.WriteString(strings.Replace(banner, "epochs=10", "epochs=300, patience=20", 1) + start)
		for i := range 22 {
			score := .5 // the best is epoch 5
			if i < 4 {
				score = .1 * float64(i)
			}
			if improves > 0 && i >= improves {
				score = .6
			}
			b.WriteString(header + row(fmt.Sprint(i+1), "300", fmt.Sprintf("%.3gG", 6+.25*float64(i))) + mAP(score))
		}
		return b.String()
	}
	r := only(t, read(t, text(0)))
	f := found(t, r, Leak)
	if f.Level != Info || f.OOM != nil || !f.Active {
		t.Errorf("%+v", f)
	}
	mention(t, f.Because, "patience ends the run after epoch 25", "before the card is full (about epoch 7")
	if r = only(t, read(t, text(20))); found(t, r, Leak).Level != Warning || found(t, r, Leak).OOM == nil {
		t.Errorf("%+v", found(t, r, Leak))
	}
}

// TestPatienceStop promises an epoch only where patience ends the run earlier than its epochs.
func TestPatienceStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		patience     string
		best, epochs int
		want         int
	}{
		{"50", 12, 100, 62}, {"50", 12, 0, 62}, {"100", 12, 100, 0}, {"0", 12, 100, 0}, {"None", 12, 100, 0}, {"50", 0, 100, 0},
	} {
		r := newRun(1, 0)
		r.Args = map[string]string{"patience": c.patience}
		r.BestEpoch, r.BestFitness, r.Epochs = c.best, float64(c.best), c.epochs
		if got := r.PatienceStop(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
