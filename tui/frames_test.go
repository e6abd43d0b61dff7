package tui

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"

	"yolotop/diagnose"
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

// TestFrames holds the screens of four situations at four sizes, in colour and
// without, to what they were when somebody last looked at them.
func TestFrames(t *testing.T) {
	t.Parallel()
	for name, s := range situations() {
		snap := snapshotOf(s.ended, s.log)
		for _, size := range [][2]int{{120, 40}, {80, 24}, {44, 30}, {20, 5}} {
			frame := screenOf(snap, Options{Version: "0.1"}, size[0], size[1]).View().Content
			t.Run(fmt.Sprintf("%s/%dx%d/colour", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				golden.RequireEqual(t, frame)
			})
			t.Run(fmt.Sprintf("%s/%dx%d/plain", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				golden.RequireEqual(t, plainText(t, frame))
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

// BenchmarkRender is one whole screen of a run of 36 epochs.
func BenchmarkRender(b *testing.B) {
	s := situations()["healthy"]
	m := screenOf(snapshotOf(s.ended, s.log), Options{}, 120, 40)
	b.ReportAllocs()
	for b.Loop() {
		m.draw()
	}
}
