package tui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"yolotop/diagnose"
	"yolotop/parse"
)

// hostile is text that tries to leave its cell: escapes, control characters, wide
// and combining characters, joiners, flags, text that runs backwards, no spaces.
func hostile() []string {
	return []string{
		"\x1b[2J\x1b[31mred\x1b]0;title\a", "tab\tbell\a\rreturn\nline", strings.Repeat("名字很长", 60), "e\u0301\u0301\u0301 \u0301lone",
		"👩‍👩‍👧‍👦 🇩🇪 ❤️ ☝🏽", "\u202eright to left\u202c", strings.Repeat("x", 500), "bad\xff\xfeutf8", "\u009b31m", "", " ", "ｆｕｌｌ", "각", "क्षि", "\U00011a88 \u0d4e",
	}
}

// hostileRuns are snapshots that a screen must bear, by name.
func hostileRuns() map[string]*diagnose.Snapshot {
	bad := hostile()
	all := map[string]*diagnose.Snapshot{"nil": nil, "empty": {}, "inputs only": {Now: noon(), Inputs: []diagnose.Input{{Name: bad[2]}, {Name: bad[0]}}}}
	for name, s := range situations() {
		all[name] = snapshotOf(s.ended, s.log)
	}
	all["text only"] = snapshotOf(true, "hello\nworld\n")
	all["cpu"] = snapshotOf(false, newLog(5).scanned().whole(1, 3, func(int) float64 { return 0 }).String())

	strange := snapshotOf(true, situations()["oom"].log)
	r := strange.Runs[0]
	r.Model, r.Task, r.Data, r.SaveDir, r.Torch = bad[2], bad[0], bad[4], bad[6], bad[5]
	r.Devices[0].Name = bad[6] + bad[4]
	r.Columns, r.Losses = nil, nil
	for i := range 30 {
		r.Columns = append(r.Columns, bad[i%len(bad)])
		r.Losses = append(r.Losses, []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e-30, 0, 12345.678}[i%7])
		r.LossSeries[bad[i%len(bad)]] = &diagnose.Series{}
	}
	for i := range r.Epochal {
		r.Epochal[i].Losses = r.Losses
	}
	for i, text := range bad {
		r.Log = append(r.Log, diagnose.LogLine{Line: 100 + i, Text: text, Grave: i%2 == 0})
		r.Findings = append(r.Findings, &diagnose.Finding{
			Kind: diagnose.Kind(fmt.Sprintf("kind-%d-%s", i, strings.Repeat("k", i))), Active: true, Level: diagnose.Level(i % 3), Provisional: i%4 == 0,
			Title: diagnose.Say(diagnose.Key(text)), Because: diagnose.Say(diagnose.Key(text)), Advice: []diagnose.Message{diagnose.Say(diagnose.Key(text))},
		})
		r.Marks = append(r.Marks, diagnose.Mark{Kind: diagnose.MarkKind(i), X: float64(i*7) - 20})
	}
	r.Memory.Total, r.Memory.Last = 1, 1<<60
	strange.Sources = []parse.SourceState{{Name: "x", Status: parse.SourceFailed, Why: bad[0] + bad[2]}}
	all["strange"] = strange

	long := snapshotOf(false, situations()["healthy"].log)
	l := long.Runs[0]
	l.Epoch, l.Epochs, l.EpochsSeen = 1_000_000, 2_000_000, 1_000_000
	for i := range 5000 {
		l.MemorySeries.Add(float64(200*i), time.Duration(i)*time.Hour, float64(parse.GiB)*(5+float64(i%7)))
	}
	all["a million epochs"] = long

	all["devices"] = snapshotOf(true, samplesOf())
	odd := snapshotOf(true, samplesOf())
	for i, g := range odd.Runs[0].GPUs {
		g.Name, g.UUID, g.Total = bad[2*i%len(bad)], bad[0], parse.Bytes(i)
		for k, v := range []float64{math.NaN(), math.Inf(1), -1, 0, 1e30} {
			g.Busy.Add(1e6+float64(k), time.Hour, v)
			g.Memory.Add(1e9*float64(1+k), time.Hour, v)
		}
	}
	all["odd devices"] = odd
	all["iterations"] = snapshotOf(false, iterationsOf(60))
	cards := snapshotOf(true, situations()["oom"].log, situations()["finished"].log, situations()["healthy"].log)
	cards.Runs[1].Memory.Total, cards.Runs[2].Memory.Total = 1, 0
	all["cards of different sizes"] = cards

	zero := snapshotOf(false, situations()["healthy"].log)
	z := zero.Runs[0]
	z.Epochal, z.MemorySeries, z.Epoch, z.Epochs, z.Iters = nil, diagnose.Series{}, 0, 0, -1
	all["no epochs kept"] = zero
	return all
}

// TestEveryScreenIsAnExactRectangle promises exactly as many lines as the terminal
// has, each exactly as wide, without a control character, whatever is to be shown.
func TestEveryScreenIsAnExactRectangle(t *testing.T) {
	t.Parallel()
	for name, snap := range hostileRuns() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct {
				keys []string
				o    Options
			}{
				{nil, Options{Label: hostile()[0]}},
				{[]string{"left", "tab"}, Options{Lang: diagnose.Chinese}},
				{[]string{"tab", "tab"}, Options{ASCII: true}},
				{[]string{"enter"}, Options{ASCII: true}},
				{[]string{"?"}, Options{}},
				{[]string{"tab", "[", "z", "c"}, Options{}},
				{[]string{"shift+tab", "c", "left"}, Options{ASCII: true}},
				{[]string{"l"}, Options{Lang: diagnose.Chinese}},
				{[]string{"/", "名", "e", "enter"}, Options{}},
				{[]string{"&", "[", "x"}, Options{}},
				{[]string{"r"}, Options{}},
				{[]string{"H"}, Options{Lang: diagnose.Chinese, ASCII: true}},
			} {
				m := screenOf(snap, c.o, 80, 24, c.keys...)
				for _, size := range someSizes() {
					w, h := size[0], size[1]
					m.width, m.height = w, h
					m.draw()
					checkRect(t, m.content, w, h, c.o.ASCII)
					if !plain(m.title) {
						t.Errorf("the title is not plain: %q", m.title)
					}
					if t.Failed() {
						t.Fatalf("at %dx%d, keys %v, options %+v", w, h, c.keys, c.o)
					}
				}
			}
		})
	}
}

// someSizes are sizes of terminals: those at the ends, those that people have, all small ones that
// differ in layout, and random ones, others each time.
func someSizes() [][2]int {
	sizes := [][2]int{{1, 1}, {300, 1}, {1, 100}, {300, 100}, {20, 5}, {29, 10}, {30, 9}, {30, 10}, {44, 30}, {59, 28}, {60, 24}, {80, 24}, {99, 28}, {100, 27}, {100, 28}, {120, 40}}
	for range 40 {
		sizes = append(sizes, [2]int{1 + rand.IntN(300), 1 + rand.IntN(100)}, [2]int{1 + rand.IntN(60), 1 + rand.IntN(30)})
	}
	return sizes
}

func checkRect(t *testing.T, content string, w, h int, ascii bool) {
	t.Helper()
	lines := strings.Split(content, "\n")
	if len(lines) != h {
		t.Errorf("%d lines, want %d", len(lines), h)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != w {
			t.Errorf("line %d is %d wide, want %d: %q", i, got, w, line)
		}
		for _, r := range ansi.Strip(line) {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Errorf("line %d has the control character %q: %q", i, r, line)
			}
			if ascii && r >= 0x80 && ansi.StringWidth(string(r)) < 2 {
				t.Errorf("line %d has %q in ASCII mode: %q", i, r, line)
			}
		}
		if rest := withoutSGR(line); strings.ContainsRune(rest, 0x1b) {
			t.Errorf("line %d has an escape that is no colour: %q", i, line)
		}
	}
}

// withoutSGR takes out colours and attributes, and nothing else.
func withoutSGR(s string) string {
	var out strings.Builder
	for len(s) > 0 {
		if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
			if i := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != ';' }); i >= 0 && rest[i] == 'm' {
				s = rest[i+1:]
				continue
			}
		}
		out.WriteByte(s[0])
		s = s[1:]
	}
	return out.String()
}

// FuzzClean promises that no text keeps a character that moves the cursor or has
// no cell of its own, and that its width is that of its parts side by side.
func FuzzClean(f *testing.F) {
	for _, s := range append(hostile(), "\x1b[1m✓ ╭─ · …\x1b[0;31m ×\u0301", "\x1b[38;5;4mm\x1b[m") {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		got := clean(s)
		for _, r := range got {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x200d || r >= 0xfe00 && r <= 0xfe0f {
				t.Errorf("clean(%q) keeps %q", s, r)
			}
		}
		if n, ok := simpleWidth(s); ok && n != ansi.StringWidth(s) {
			t.Errorf("%q is said to be %d wide and is %d", s, n, ansi.StringWidth(s))
		}
		w = min(max(w, 0), 300)
		if n := ansi.StringWidth(fit(got, w)); n != w {
			t.Errorf("fit(%q, %d) is %d wide", got, w, n)
		}
	})
}
