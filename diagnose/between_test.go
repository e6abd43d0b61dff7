package diagnose

import (
	"fmt"
	"strings"
	"testing"
)

// trainings are several trainings in one process, each of two epochs.
func trainings(batches []int, memory ...float64) string {
	var b strings.Builder
	for i, m := range memory {
		b.WriteString(strings.Replace(banner, "batch=16", fmt.Sprintf("batch=%d", batches[i%len(batches)]), 1) + start)
		for e := 1; e <= 2; e++ {
			b.WriteString(header + row(fmt.Sprint(e), "2", fmt.Sprintf("%.3gG", m)) + validation)
		}
		b.WriteString("\n2 epochs completed in 0.010 hours.\n")
	}
	return b.String()
}

// TestLeakBetweenTrainings promises that memory which one training leaves to the next is found
// at the later one, with care while there are few.
func TestLeakBetweenTrainings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		runs  int
		level Level
		found bool
	}{
		"two":           {trainings([]int{16}, 6, 7), 2, Info, false},
		"three":         {trainings([]int{16}, 6, 7, 8), 3, Info, false},
		"four":          {trainings([]int{16}, 6, 7, 8, 9), 4, Info, true},
		"five":          {trainings([]int{16}, 6, 7, 8, 9, 9.9), 5, Warning, true},
		"equal":         {trainings([]int{16}, 6, 6, 6, 6), 4, Info, false},
		"other batches": {trainings([]int{8, 16, 24, 32}, 6, 8, 10, 12), 4, Info, false},
		"up and down":   {trainings([]int{16}, 6, 7, 6.5, 7), 4, Info, false},
	} {
		s := read(t, c.text)
		if len(s.Runs()) != c.runs {
			t.Fatalf("%s: %d runs", name, len(s.Runs()))
		}
		f := s.Runs()[c.runs-1].active(Leak)
		if (f != nil) != c.found || f != nil && (f.Level != c.level || f.Provisional != (c.level == Info)) {
			t.Errorf("%s: %+v", name, f)
		}
		if f != nil {
			mention(t, f.Because, fmt.Sprint(c.runs), "6.00 GiB")
		}
	}
}
