package tui

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"yolotop/diagnose"
	"yolotop/parse"
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

// iterationsOf is a log of a trainer that counts iterations and no epochs, and does not say how many.
func iterationsOf(rows int) string { return iterationsFrom(0, rows) }

func iterationsFrom(before, rows int) string {
	var log strings.Builder
	for i := 1; i <= rows; i++ {
		fmt.Fprintf(&log, "[11/30 12:%02d:00 d2.utils.events]:  eta: 0:10:00  iter: %d  total_loss: %.3f  loss_cls: 0.3  time: 0.30  data_time: 0.01  lr: 0.0002  max_mem: %dM\n", (i-1)%60, before+i*20-1, 2-float64(i)/60, 4000+10*i)
	}
	return log.String()
}

// TestIterationsHaveAnAxis promises that a run of a trainer that counts no epochs has its curve
// over the iterations, with or without their number, and a past.
func TestIterationsHaveAnAxis(t *testing.T) {
	t.Parallel()
	snap := snapshotOf(false, iterationsOf(60))
	if len(snap.Runs) != 1 || !snap.Runs[0].Stepwise || snap.Runs[0].MemorySeries.Len() != 60 {
		t.Fatalf("%d runs", len(snap.Runs))
	}
	live := plainText(t, screenOf(snap, Options{}, 100, 30).View().Content)
	for _, want := range []string{" iter ", "200", "1000"} {
		if !strings.Contains(live, want) {
			t.Errorf("no %q in\n%s", want, live)
		}
	}
	curve := regexp.MustCompile(`[─╭╮╯╰╴╶]{40,}`)
	rows := 0
	for _, l := range strings.Split(live, "\n") {
		if strings.Contains(l, "┤") && !curve.MatchString(l) && strings.ContainsAny(l, "╭╯") {
			rows++
		}
	}
	if rows < 3 {
		t.Errorf("the curve rises over %d rows:\n%s", rows, live)
	}
	past := plainText(t, screenOf(snap, Options{}, 100, 30, "shift+left").View().Content)
	if !strings.Contains(past, "at iteration 1") || strings.Contains(past, "100%") {
		t.Errorf("the past is\n%s", past)
	}
	first := plainText(t, screenOf(snap, Options{}, 100, 30, "home").View().Content)
	if !strings.Contains(first, "at iteration 20 ") {
		t.Errorf("the first moment is\n%s", first)
	}
}

// TestAResumedRunHasOneAxis promises that the curves of a run that was resumed in the same log begin
// where the run before it began, and that it keeps its name.
func TestAResumedRunHasOneAxis(t *testing.T) {
	t.Parallel()
	before := newLog(100).scanned().whole(1, 12, flat).String() + "\nKeyboardInterrupt\n"
	after := newLog(100).scanned()
	after.WriteString("Resuming training runs/detect/train/weights/last.pt from epoch 13 to 100 total epochs\n")
	resumed := strings.Replace(after.whole(13, 20, flat).String(), "model=yolov8m.pt", "model=runs/detect/train/weights/last.pt", 1)
	snap := snapshotOf(false, before+resumed)
	if len(snap.Runs) != 2 || snap.Runs[1].Continues != snap.Runs[0].ID {
		t.Fatalf("%d runs", len(snap.Runs))
	}
	for _, keys := range [][]string{nil, {"tab"}} {
		frame := plainText(t, screenOf(snap, Options{}, 120, 40, keys...).View().Content)
		for _, want := range []string{" yolov8m detect", "epoch  20/100", "r = resumed"} {
			if !strings.Contains(frame, want) {
				t.Errorf("no %q in\n%s", want, frame)
			}
		}
		if !regexp.MustCompile(`epoch +(1|2|5) `).MatchString(frame) {
			t.Errorf("the axis does not begin with the first run:\n%s", frame)
		}
	}
	unrelated := strings.Replace(resumed, "from epoch 13", "from epoch 50", 1)
	if runs := snapshotOf(false, before+unrelated).Runs; runs[len(runs)-1].Continues != 0 {
		t.Error("a run that was resumed from elsewhere continues the one before it")
	}
}

// TestIterationsMayBeginLate promises that the axis of a resumed run of iterations begins where that
// began, that its past is there, and that a click behind its end shows what is newest.
func TestIterationsMayBeginLate(t *testing.T) {
	t.Parallel()
	snap := snapshotOf(false, iterationsFrom(80_000, 60))
	shown := screenOf(snap, Options{}, 100, 30)
	s := shown.scene()
	if a := runAxis(s.run, 60); a.from < 80_000 || a.to > 82_000 {
		t.Errorf("the axis reaches from %v to %v", a.from, a.to)
	}
	frame := plainText(t, screenOf(snap, Options{}, 100, 30, "home").View().Content)
	if !strings.Contains(frame, "at iteration 80020 ") {
		t.Errorf("the first moment is\n%s", frame)
	}
	m := screenOf(snap, Options{}, 100, 30, "left", "left")
	if m.view.cursor == 0 {
		t.Error("no past")
	}
	m.travelTo(float64(s.run.Iter) + 100)
	if m.view.cursor != 0 {
		t.Errorf("behind the end the cursor is %d", m.view.cursor)
	}
}

// TestAChainOfResumptions promises that the curves of the first run show, also where the one that
// resumed it has died before it had any.
func TestAChainOfResumptions(t *testing.T) {
	t.Parallel()
	again := func(l *trainerLog, epoch int) string {
		text := strings.Replace(l.String(), "model=yolov8m.pt", "model=runs/detect/train/weights/last.pt", 1)
		return strings.Replace(text, "Starting training", fmt.Sprintf("Resuming training runs/detect/train/weights/last.pt from epoch %d to 100 total epochs\nStarting training", epoch), 1)
	}
	text := newLog(100).scanned().whole(1, 12, flat).String() + "\nKeyboardInterrupt\n" +
		again(newLog(100).scanned().rows(13, 14.6, 20), 13) + "\nKeyboardInterrupt\n" + again(newLog(100).scanned().whole(13, 20, flat), 13)
	snap := snapshotOf(false, text)
	if len(snap.Runs) != 3 || snap.Runs[2].Continues != snap.Runs[1].ID || snap.Runs[1].Continues != snap.Runs[0].ID {
		t.Fatalf("%d runs", len(snap.Runs))
	}
	shown := screenOf(snap, Options{}, 120, 40)
	s := shown.scene()
	for _, c := range s.charts()[1:] {
		a := s.newAxis(80)
		if cols := s.columnsOf(c.of, a)[:a.cell(6)]; !slices.ContainsFunc(cols, func(p diagnose.Point) bool { return p.N > 0 }) {
			t.Errorf("%s has no beginning", c.name)
		}
	}
}

// TestTheNumbersUnderAChartStay promises that the line of numbers is there at any height of a chart.
func TestTheNumbersUnderAChartStay(t *testing.T) {
	t.Parallel()
	shown := screenOf(moments()["leak"], Options{}, 120, 40)
	s := shown.scene()
	for h := 6; h < 30; h++ {
		if _, lines := s.memory(80, h); len(lines) > h || !strings.Contains(plainText(t, lines[len(lines)-1]), "peak") {
			t.Errorf("%d of %d lines, the last one is %q", len(lines), h, lines[len(lines)-1])
		}
	}
}

// TestValidationIsToldApart promises that what the driver counts during validation has a sign of its
// own in the chart, with its name and its greatest value.
func TestValidationIsToldApart(t *testing.T) {
	t.Parallel()
	snap := snapshotOf(false, newLog(100).scanned().whole(1, 12, flat).rows(13, 14.6, 20).String())
	r := snap.Runs[0]
	for e := 1; e <= 12; e++ {
		r.DriverSeries.Add(float64(e)-0.5, 0, 15*float64(parse.GiB))
		r.DriverSeries.Add(float64(e), 0, 19*float64(parse.GiB))
		r.ValSamples.Add(float64(e), 0, 19*float64(parse.GiB))
	}
	frame := plainText(t, screenOf(snap, Options{}, 140, 40).View().Content)
	if n := strings.Count(frame, "v"); !strings.Contains(frame, "v validation") || !strings.Contains(frame, "driver 19.0 · in validation 19.0") || n < 12 {
		t.Errorf("%d signs in\n%s", n, frame)
	}
	if !regexp.MustCompile(`v *:+ *v|v:+v`).MatchString(frame) {
		t.Errorf("the driver's count is not between them:\n%s", frame)
	}
}
