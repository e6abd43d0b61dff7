package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

// samplesOf is a recording of nvidia-smi: two devices for five minutes, of which the first one fills.
func samplesOf() string {
	var b strings.Builder
	b.WriteString("timestamp, index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n")
	for i := range 150 {
		at := fmt.Sprintf("2025/05/01 11:%02d:%02d.000", 50+i*2/60, i*2%60)
		fmt.Fprintf(&b, "%s, 0, NVIDIA GeForce RTX 4090, %d MiB, 24564 MiB, %d %%\n", at, 8000+40*i, 95-i%3)
		fmt.Fprintf(&b, "%s, 1, NVIDIA GeForce RTX 4090, 6000 MiB, 24564 MiB, %d %%\n", at, 40+50*(i/10%2))
	}
	return b.String()
}

// TestDeviceCharts holds the screen of a recording without a training to what it looked like.
func TestDeviceCharts(t *testing.T) {
	t.Parallel()
	snap := snapshotOf(true, samplesOf())
	for _, size := range [][2]int{{120, 40}, {80, 24}, {44, 30}, {20, 5}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, plainText(t, screenOf(snap, Options{Version: "0.1"}, size[0], size[1]).View().Content))
		})
	}
}

// TestTimeTicks promises labels that do not touch each other, for seconds as for weeks.
func TestTimeTicks(t *testing.T) {
	t.Parallel()
	for _, seconds := range []float64{0.5, 3, 59, 600, 7200, 86400, 30 * 86400, 1e9} {
		for _, cells := range []int{4, 12, 36, 70, 250} {
			line, labels := timeTicks(axis{from: 100, to: 100 + seconds, cells: cells})
			if width(line) != cells || width(labels) != cells {
				t.Errorf("%v s in %d cells: %q, %q", seconds, cells, line, labels)
			}
			if n := len(strings.Fields(labels)); n != strings.Count(line, "┬") {
				t.Errorf("%v s in %d cells: %d labels of %q: %q", seconds, cells, n, line, labels)
			}
		}
	}
}
