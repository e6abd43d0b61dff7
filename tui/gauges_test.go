package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"yolotop/diagnose"
	"yolotop/parse"
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

// TestThisMachine promises that this machine's devices stand beside a run whose rows
// come in live, and not beside an old log, which may be from anywhere.
func TestThisMachine(t *testing.T) {
	t.Parallel()
	beside := func(arrival time.Time) string {
		s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
		stream := parse.NewStream(0)
		stream.Write([]byte(newLog(100).scanned().whole(1, 5, flat).rows(6, 14.6, 20).String()), arrival, s.Observe)
		o := parse.Origin{Input: diagnose.MachineInput, Arrival: noon().Add(-time.Second)}
		s.Observe(parse.Event{Origin: o, Record: &parse.GPU{
			Name: "NVIDIA GeForce RTX 4090", Busy: parse.Have(0.57), Used: parse.Have(19.3 * float64(parse.GiB)), Total: parse.Have(24 * float64(parse.GiB)),
		}})
		s.Observe(parse.Event{Origin: o, Record: &parse.Host{
			CPU: parse.Have(0.97), RAMUsed: parse.Have(37 * float64(parse.GiB)), RAMTotal: parse.Have(64 * float64(parse.GiB)),
		}})
		return plainText(t, screenOf(s.Snapshot(noon()), Options{Version: "0.1"}, 80, 24).View().Content)
	}
	golden.RequireEqual(t, beside(noon().Add(-3*time.Second)))
	if old := beside(time.Time{}); strings.Contains(old, "4090") || strings.Contains(old, "97%") {
		t.Errorf("an old log is shown beside this machine:\n%s", old)
	}
}
