package tui

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// grab is the groups of the first match as numbers, nil if there is none.
func grab(t *testing.T, expr, text string) (out []float64) {
	t.Helper()
	m := regexp.MustCompile(expr).FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	for _, s := range m[1:] {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// TestNumbersAgree promises that what is said twice on a screen is the same: the epoch and how much
// of it is done, memory and its shares, what is free, the forecast, and the time that is left.
func TestNumbersAgree(t *testing.T) {
	t.Parallel()
	checked := map[string]int{}
	for name, snap := range moments() {
		screen := plainText(t, screenOf(snap, Options{}, 120, 40).View().Content)
		same := func(what string, a, b, within float64) {
			t.Helper()
			checked[what]++
			if math.Abs(a-b) > within {
				t.Errorf("%s: %s is %v and %v on\n%s", name, what, a, b, screen)
			}
		}
		head := grab(t, `epoch +(\d+)/(\d+) .*? (\d+)%`, screen)
		if head == nil {
			continue
		}
		_, table, _ := strings.Cut(screen, "─ Losses ─")
		if row := grab(t, `\n│ +(\d+) [^\n]*?(\d+)% +│`, table); row != nil {
			same("epoch", head[0], row[0], 0)
			same("share of the epoch", head[2], row[1], 0)
		}
		total := grab(t, `─ Memory [^\n]* ([\d.]+) GiB ─`, screen)
		if stats := grab(t, `held +([\d.]+) GiB \((\d+)%\) · peak +([\d.]+) \((\d+)%\)`, screen); stats != nil && total != nil {
			same("share held", 100*stats[0]/total[0], stats[1], 1)
			same("share at the peak", 100*stats[2]/total[0], stats[3], 1)
			if bar := grab(t, `held +[━─]+ +(\d+)%`, screen); bar != nil {
				same("bar", bar[0], stats[1], 0)
			}
			if free := grab(t, `free +([\d.]+) at the peak`, screen); free != nil {
				same("free", free[0], total[0]-stats[2], 0.11)
			}
			if free := grab(t, `([\d.]+) GiB free at the peak`, screen); free != nil {
				same("free of the first line", free[0], total[0]-stats[2], 0.11)
			}
		}
		if said := grab(t, `full in epoch (\d+) \((\d+) to (\d+)\)`, screen); said != nil {
			drawn := grab(t, `met in epoch (\d+) \((\d+) to (\d+)\)`, screen)
			if drawn == nil {
				t.Fatalf("%s: the forecast is not drawn on\n%s", name, screen)
			}
			for i := range said {
				same("forecast", said[i], drawn[i], 0)
			}
		}
		left, each := grab(t, `(\d+) min left`, screen), grab(t, `an epoch +(\d+) s`, screen)
		if left != nil && each != nil {
			epochs := head[1] - (head[0] - 1 + head[2]/100)
			same("minutes left", left[0], epochs*each[0]/60, 1+0.1*left[0])
		}
	}
	for _, what := range []string{"epoch", "share of the epoch", "share held", "bar", "free", "forecast", "minutes left"} {
		if checked[what] == 0 {
			t.Errorf("no screen shows twice: %s", what)
		}
	}
}
