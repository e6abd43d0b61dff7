package tui

import (
	"strings"
	"testing"
)

// TestLeavingShowsEveryChoice promises that the question what becomes of a training names all
// choices at every size, and that each is told.
func TestLeavingShowsEveryChoice(t *testing.T) {
	t.Parallel()
	var told []Leave
	o := Options{Leave: func(l Leave) { told = append(told, l) }}
	snap := snapshotOf(false, newLog(30).scanned().rows(1, 5, 1, 100).String())
	for _, size := range [][2]int{{120, 40}, {80, 24}, {44, 30}, {20, 5}} {
		screen := screenOf(snap, o, size[0], size[1], "q").content
		for _, choice := range []string{"stop", "detach", "cancel"} {
			if !strings.Contains(screen, choice) {
				t.Errorf("%v does not name %q:\n%s", size, choice, screen)
			}
		}
	}
	screenOf(snap, o, 80, 24, "q", "s", "q", "d")
	if len(told) != 2 || told[0] != LeaveStop || told[1] != LeaveDetach {
		t.Errorf("told %v", told)
	}
}
