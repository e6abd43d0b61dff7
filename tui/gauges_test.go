package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

// samples are two minutes of samples of devices: the first one works in bursts, the
// second one steadily, and the third one does not tell how busy it is.
func samples(gpus int) string {
	var b strings.Builder
	b.WriteString("timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], temperature.gpu, power.draw [W]\n")
	for i := range 150 {
		for g := range gpus {
			busy := fmt.Sprintf("%d %%", []int{(i % 4) * 20, 93, 0, 96}[g%4])
			if g%4 == 2 {
				busy = "[N/A]"
			}
			fmt.Fprintf(&b, "2026/03/14 09:%02d:%02d.000, %d, NVIDIA GeForce RTX 4090, %s, %d MiB, 24564 MiB, 71, 331.00 W\n",
				12+i/60, i%60, g, busy, 11000+1000*(g%4))
		}
	}
	return b.String()
}

func TestDevices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ gpus, w, h int }{{1, 120, 40}, {2, 80, 24}, {8, 80, 24}, {2, 44, 30}, {3, 20, 5}} {
		t.Run(fmt.Sprintf("%d/%dx%d", c.gpus, c.w, c.h), func(t *testing.T) {
			t.Parallel()
			snap := snapshotOf(true, samples(c.gpus))
			golden.RequireEqual(t, plainText(t, screenOf(snap, Options{Version: "0.1"}, c.w, c.h).View().Content))
		})
	}
}
