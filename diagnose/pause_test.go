package diagnose

import (
	"testing"
	"time"

	"yolotop/parse"
)

// TestPauses promises that a step many times slower than the others is a pause, and one that comes
// at the same place of each epoch, as a validation does, is none.
func TestPauses(t *testing.T) {
	t.Parallel()
	var p pauses
	run := func(epoch int, slow ...int) (found []int) {
		elapsed := 20 * time.Second // the workers start
		for i := 1; i <= 20; i++ {
			elapsed += 400 * time.Millisecond
			for _, s := range slow {
				if s == i {
					elapsed += 15 * time.Second
				}
			}
			if p.row(&parse.Progress{Epoch: epoch, Iter: i, Iters: 20, Elapsed: elapsed}) {
				found = append(found, i)
			}
		}
		return found
	}
	for epoch, c := range []struct {
		slow []int
		want int
	}{{nil, 0}, {[]int{5}, 1}, {[]int{12}, 1}, {[]int{12}, 0}, {[]int{12, 17}, 1}, {nil, 0}, {[]int{1}, 0}} {
		if got := run(epoch+1, c.slow...); len(got) != c.want {
			t.Errorf("epoch %d: pauses at %v, want %d", epoch+1, got, c.want)
		}
	}
	if p.row(&parse.Progress{Epoch: 9, Iter: -1, Elapsed: -1}) {
		t.Error("a row without times")
	}
}
