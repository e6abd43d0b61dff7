package tui

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		w    int
		want []string
	}{
		{"new highs in 39 of the last", 12, []string{"new highs in", "39 of the", "last"}},
		{"yolo train resume model=runs/detect/last.pt", 30, []string{"yolo train resume", "model=runs/detect/last.pt"}},
		{"model=runs/detect/train/weights/last.pt", 20, []string{"model=runs/detect/tr", "ain/weights/last.pt"}},
		{"最近 39 轮中有 39 次创新高：没有泄漏时", 20, []string{"最近 39 轮中有 39 次", "创新高：没有泄漏时"}},
		{"不到百万分之一；增长", 14, []string{"不到百万分之", "一；增长"}}, // no line begins with a stop
		{"   ", 10, []string{""}},
		{"", 10, nil},
		{"x", 0, nil},
	} {
		if got := wrap(c.text, c.w); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d cells: %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

// TestWrapLosesNothing promises every letter of a text, in lines that fit.
func TestWrapLosesNothing(t *testing.T) {
	t.Parallel()
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	rapid.Check(t, func(t *rapid.T) {
		s := clean(rapid.StringOf(rapid.RuneFrom([]rune("ab /-=.最近轮：，；é漢 "))).Draw(t, "text"))
		w := rapid.IntRange(2, 40).Draw(t, "cells")
		lines := wrap(s, w)
		for _, l := range lines {
			if width(l) > w {
				t.Fatalf("%q is wider than %d", l, w)
			}
		}
		if got := bare(strings.Join(lines, " ")); got != bare(s) {
			t.Fatalf("%q became %q", s, lines)
		}
	})
}
