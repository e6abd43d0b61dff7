package tui

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"

	"yolotop/diagnose"
	"yolotop/parse"
)

// plainText is a frame as a terminal without colours gets it.
func plainText(tb testing.TB, frame string) string {
	tb.Helper()
	var out bytes.Buffer
	w := colorprofile.Writer{Forward: &out, Profile: colorprofile.NoTTY}
	if _, err := w.WriteString(frame); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

// layouts are the sizes of the golden frames: wide, usual, the pane at the side, tiny, one line.
func layouts() [][2]int { return [][2]int{{120, 40}, {80, 24}, {44, 30}, {20, 5}, {60, 1}} }

// moments are the snapshots of the golden frames, by what is going on.
func moments() map[string]*diagnose.Snapshot {
	all := map[string]*diagnose.Snapshot{}
	for name, s := range situations() {
		all[name] = snapshotOf(s.ended, s.log)
	}
	all["preflight"] = startingOn(smallHost(), "train: Caching images (6.0GB RAM): 25% ━━━───────── 640/2560 99.0it/s 6.4s<19.2s\n")
	all["early"] = snapshotOf(false, newLog(100).scanned().whole(1, 1, flat).rows(2, 14.6, 20, 50).String())
	all["leak"] = snapshotOf(false, newLog(100).scanned().whole(1, 24, func(e int) float64 { return 9 + 0.4*float64(e) }).rows(25, 19, 20, 50).String())
	starved := newLog(100).scanned()
	for e := 1; e <= 12; e++ {
		for b := 20; b <= 80; b += 20 {
			starved.rows(e, 14.6, b)
			fmt.Fprintf(starved, "\nyolotop-hook v=1 rank=0 step=%d steps=20 time=20.0 wait=9.4 dev=0 alloc=9663676416 alloc_max=12884901888 held=15676630630 split=0 retries=0 ooms=0 free=9663676416 total=25447890944\n", 80*(e-1)+b)
		}
		starved.validated(e)
	}
	all["starved"] = snapshotOf(false, starved.String())
	still := sessionOf(false, situations()["healthy"].log)
	for i := range 500 {
		still.Tick(noon().Add(time.Duration(i) * time.Second))
	}
	all["stalled"] = still.Snapshot(noon().Add(500 * time.Second))
	all["no gpu"] = snapshotOf(false, newLog(5).scanned().whole(1, 3, func(int) float64 { return 0 }).String())
	all["8 gpus"] = snapshotOf(true, samples(8))
	all["two runs"] = snapshotOf(false, situations()["healthy"].log, newLog(50).scanned().whole(1, 20, func(int) float64 { return 8.4 }).String())
	broken := newLog(100).scanned().whole(1, 5, flat)
	for e := 6; e <= 9; e++ {
		for _, b := range []int{20, 40, 60, 80} {
			fmt.Fprintf(broken, "\r%8s%11s%11s%11s%11s%11d%11d: %3d%%|█████     | %d/80 [00:05<00:05,  6.90it/s]", fmt.Sprintf("%d/100", e), "14.6G", "nan", "nan", "nan", 40, 640, b*100/80, b)
		}
		broken.validated(e)
	}
	all["nan"] = snapshotOf(false, broken.String())
	return all
}

// TestFrames holds the screens of all situations in all layouts to what they were when somebody last
// looked at them: in colour, in one colour, in ASCII and in Chinese.
func TestFrames(t *testing.T) {
	t.Parallel()
	for name, snap := range moments() {
		for style, o := range map[string]Options{"colour": {}, "plain": {}, "ascii": {ASCII: true}, "chinese": {Lang: diagnose.Chinese}} {
			t.Run(name+"/"+style, func(t *testing.T) {
				t.Parallel()
				o.Version = "0.1"
				var out strings.Builder
				for _, size := range layouts() {
					frame := screenOf(snap, o, size[0], size[1]).View().Content
					if style != "colour" {
						frame = plainText(t, frame)
					}
					fmt.Fprintf(&out, "%dx%d\n%s\n", size[0], size[1], frame)
				}
				golden.RequireEqual(t, out.String())
			})
		}
	}
}

// TestPages holds help, the page of a finding, the past, Chinese and ASCII to what
// they were.
func TestPages(t *testing.T) {
	t.Parallel()
	all := situations()
	for _, c := range []struct {
		name, situation string
		o               Options
		w, h            int
		keys            []string
	}{
		{"help", "healthy", Options{Version: "0.1"}, 80, 24, []string{"?"}},
		{"finding", "oom", Options{}, 100, 40, []string{"enter"}},
		{"past", "healthy", Options{}, 120, 40, []string{"<", "left"}},
		{"focus", "oom", Options{}, 120, 40, []string{"w", "w"}},
		{"chinese", "oom", Options{Lang: diagnose.Chinese}, 80, 24, nil},
		{"ascii", "healthy", Options{ASCII: true}, 80, 24, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := all[c.situation]
			golden.RequireEqual(t, plainText(t, screenOf(snapshotOf(s.ended, s.log), c.o, c.w, c.h, c.keys...).View().Content))
		})
	}
}

// BenchmarkRender is one whole screen: of a run with a leak, of one of a million epochs, of eight
// devices that were sampled for six hours, and of a hundred runs in one chart.
func BenchmarkRender(b *testing.B) {
	devices := snapshotOf(true, samplesOf())
	one := devices.Runs[0].GPUs[0]
	for i := range 20_000 {
		one.Memory.Add(1000+float64(i), 0, float64(parse.GiB)*(8+float64(i%100)/100))
		one.Busy.Add(1000+float64(i), 0, float64(i%10)/10)
	}
	for i := range 7 {
		g := *one
		g.Index = 2 + i
		devices.Runs[0].GPUs = append(devices.Runs[0].GPUs, &g)
	}
	logs := make([]string, 100)
	for i := range logs {
		logs[i] = situations()["finished"].log
	}
	for name, c := range map[string]struct {
		snap *diagnose.Snapshot
		keys []string
	}{
		"leak": {moments()["leak"], nil}, "million": {hostileRuns()["a million epochs"], nil}, "devices": {devices, nil},
		"compare": {snapshotOf(true, logs...), []string{"c"}},
	} {
		for _, size := range [][2]int{{120, 40}, {300, 100}} {
			b.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(b *testing.B) {
				m := screenOf(c.snap, Options{}, size[0], size[1], c.keys...)
				b.ReportAllocs()
				for b.Loop() {
					m.draw()
				}
			})
		}
	}
}
