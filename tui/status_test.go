package tui

import (
	"strings"
	"testing"

	"yolotop/diagnose"
)

// TestStatusLine promises the line of each situation.
func TestStatusLine(t *testing.T) {
	t.Parallel()
	all := situations()
	for _, c := range []struct {
		situation string
		cells     int
		ascii     bool
		lang      diagnose.Lang
		want      string
		level     diagnose.Level
	}{
		{situation: "healthy", cells: 60, want: "✓ 37/100 · 13.7/23.7 GiB · 13min left"},
		{situation: "oom", cells: 60, want: "× 12/100 · 22.6/23.7 GiB · failed · out of memory in epoch …", level: diagnose.Critical},
		{situation: "oom", cells: 24, want: "× 12/100 · 22.6/23.7 GiB", level: diagnose.Critical},
		{situation: "oom", cells: 90, ascii: true, want: "x 12/100 | 22.6/23.7 GiB | failed | out of memory in epoch 12, in training | GPU memory l~", level: diagnose.Critical},
		{situation: "oom", cells: 60, lang: diagnose.Chinese, want: "× 12/100 · 22.6/23.7 GiB · 失败 · 第 12 轮训练时显存不足", level: diagnose.Critical},
		{situation: "finished", cells: 60, want: "✓ 30/30 · 13.7/23.7 GiB · finished"},
		{situation: "starting", cells: 60, want: "· starting: scanning labels 62% · card of 23.7 GiB"},
	} {
		s := all[c.situation]
		snap := snapshotOf(s.ended, s.log)
		run := snap.Runs[len(snap.Runs)-1]
		got := StatusLine(run, snap.Inputs, c.lang, c.cells, c.ascii)
		if got != c.want {
			t.Errorf("%s in %d cells: %q, want %q", c.situation, c.cells, got, c.want)
		}
		if level := StatusLevel(run, snap.Inputs); level != c.level {
			t.Errorf("%s: level %d, want %d", c.situation, level, c.level)
		}
	}
}

// TestStatusLineOfALeak promises that when memory is full is said before what is wrong.
func TestStatusLineOfALeak(t *testing.T) {
	t.Parallel()
	snap := moments()["leak"]
	got := StatusLine(snap.Runs[0], snap.Inputs, diagnose.English, 56, false)
	if want := "full in epoch 40"; !strings.Contains(got, want) {
		t.Errorf("no %q in %q", want, got)
	}
}

// TestStatusLineFits promises at most so many cells, and no part of a number, whatever the run.
func TestStatusLineFits(t *testing.T) {
	t.Parallel()
	for name, s := range situations() {
		snap := snapshotOf(s.ended, s.log)
		for _, run := range snap.Runs {
			for _, ascii := range []bool{false, true} {
				whole := StatusLine(run, snap.Inputs, diagnose.English, 1000, ascii)
				for cells := range 100 {
					got := StatusLine(run, snap.Inputs, diagnose.English, cells, ascii)
					if width(got) > cells {
						t.Fatalf("%s: %q has more than %d cells", name, got, cells)
					}
					if cells >= 2 && strings.Fields(got)[0] != strings.Fields(whole)[0] {
						t.Fatalf("%s: %q has another sign than %q", name, got, whole)
					}
					if ascii && !plain(got) {
						t.Fatalf("%s: %q is not ASCII", name, got)
					}
					for _, part := range strings.Split(strings.TrimPrefix(got, strings.Fields(whole + " ")[0]), " · ") {
						if part = strings.TrimSpace(part); !ascii && strings.ContainsAny(part, "0123456789") && !strings.HasSuffix(part, "…") && !strings.Contains(whole, part) {
							t.Fatalf("%s: %q is not in %q", name, part, whole)
						}
					}
				}
			}
		}
	}
}
