package diagnose

import (
	"fmt"
	"strings"
	"testing"
)

// TestIterationsThatBeginAnewAreAnEpoch promises that the curves of a loop which prints iterations,
// and turns out to have epochs, are all on the axis of epochs.
func TestIterationsThatBeginAnewAreAnEpoch(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for range 4 {
		for i := 1; i <= 40; i++ {
			fmt.Fprintf(&b, "iter %d loss: %.3f memory: %d MB\n", 100*i, 2-float64(i)/100, 4000+i)
		}
	}
	r := only(t, read(t, b.String()))
	if r.Stepwise || r.Epoch != 4 {
		t.Fatalf("stepwise %v, epoch %d", r.Stepwise, r.Epoch)
	}
	for name, s := range map[string]*Series{"memory": &r.MemorySeries, "loss": r.LossSeries["loss"]} {
		x := 0.0
		for _, p := range s.Points() {
			if p.X < x || p.X > 4 {
				t.Fatalf("%s: %v after %v", name, p.X, x)
			}
			x = p.X
		}
		if x < 2 {
			t.Errorf("%s ends at %v", name, x)
		}
		if _, ok := s.At(0.5); !ok {
			t.Errorf("%s has no first epoch", name)
		}
	}
}

// TestOnlyWhatHasNotEndedIsContinued promises that a run is not taken for the rest of one that was
// done, or of another folder.
func TestOnlyWhatHasNotEndedIsContinued(t *testing.T) {
	t.Parallel()
	again := func(model string) string {
		return strings.Replace(banner, "model=yolo11s.pt", "model="+model, 1) +
			"Resuming training " + model + " from epoch 3 to 10 total epochs\n" + start + header + row("3", "10", "8G") + validation
	}
	const last = "runs/detect/train/weights/last.pt"
	for name, c := range map[string]struct {
		before, model string
		continues     bool
	}{
		"stopped":        {epochsOf(10, 8, 8) + "KeyboardInterrupt\n", last, true},
		"another folder": {epochsOf(10, 8, 8) + "KeyboardInterrupt\n", "runs/detect/train2/weights/last.pt", false},
		"done":           {epochsOf(2, 8, 8) + "\n2 epochs completed in 0.010 hours.\n", last, false},
	} {
		runs := read(t, c.before+again(c.model)).Runs()
		if got := runs[len(runs)-1].Continues != 0; len(runs) != 2 || got != c.continues {
			t.Errorf("%s: %d runs, continues %v", name, len(runs), got)
		}
	}
}
