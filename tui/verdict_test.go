package tui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// TestFirstLine is what the first line says in situations that have no golden
// frame.
func TestFirstLine(t *testing.T) {
	t.Parallel()
	waiting := diagnose.NewSession(diagnose.Input{Name: "runs/train.log"})
	waiting.Observe(parse.Event{Record: &parse.SourceState{Name: "runs/train.log", Status: parse.SourceWaiting}})
	failed := diagnose.NewSession(diagnose.Input{Name: "runs/train.log"})
	failed.Observe(parse.Event{Record: &parse.SourceState{Name: "runs/train.log", Status: parse.SourceFailed, Why: "permission denied"}})
	silent := sessionOf(false, newLog(100).scanned().whole(1, 5, flat).rows(6, 14.6, 20, 40).String()+"\r")
	silent.Tick(noon())
	for s := range 300 {
		silent.Tick(noon().Add(time.Duration(s) * time.Second))
	}
	early := newLog(100).scanned().whole(1, 8, flat).String() + "EarlyStopping: Training stopped early as no improvement observed in last 5 epochs. Best results observed at epoch 3, best model saved as best.pt.\n\n8 epochs completed in 0.05 hours.\n"
	for _, c := range []struct {
		name string
		snap *diagnose.Snapshot
		want []string
	}{
		{"nothing", nil, []string{"· no training seen yet"}},
		{"waiting", waiting.Snapshot(noon()), []string{"· waiting for train.log"}},
		{"unreadable", failed.Snapshot(noon()), []string{"× cannot read train.log · permission denied"}},
		{"not a training", snapshotOf(true, "hello\n"), []string{"· no training seen in train.log"}},
		{"first epochs", snapshotOf(false, newLog(100).scanned().whole(1, 2, flat).String()), []string{"· epoch 2: too early to judge memory", "free at the peak"}},
		{"silence", silent.Snapshot(noon().Add(5 * time.Minute)), []string{"! no sign of life for 5 min (usual:"}},
		{"cut off", snapshotOf(true, newLog(100).scanned().whole(1, 5, flat).rows(6, 14.6, 20).String()), []string{"· the input ends within epoch 6", "no trouble in 6 epochs"}},
		{"stopped early", snapshotOf(true, early), []string{"✓ stopped early after epoch 8: patience ran out"}},
		{"on the CPU", snapshotOf(false, newLog(5).scanned().whole(1, 3, func(int) float64 { return 0 }).String()), []string{"· GPU memory is not measured"}},
		{"an exception", snapshotOf(true, newLog(9).scanned().whole(1, 3, flat).String()+"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nValueError: boom\n"), []string{"× died in epoch 3", "boom"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			frame := plainText(t, screenOf(c.snap, Options{}, 120, 40).View().Content)
			line, _, _ := strings.Cut(frame, "\n")
			for _, want := range c.want {
				if !strings.Contains(line, want) {
					t.Errorf("no %q in %q", want, strings.TrimSpace(line))
				}
			}
		})
	}
}

// TestSummary promises the first line without colour.
func TestSummary(t *testing.T) {
	t.Parallel()
	s := situations()["finished"]
	run := snapshotOf(s.ended, s.log).Runs[0]
	if got, want := Summary(run, nil, diagnose.English), "✓ finished 30 epochs in 6 min · best epoch 30, mAP50-95 0.375"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got, want := Summary(nil, []diagnose.Input{{Name: "a/b.log"}}, diagnose.English), "· no training seen yet"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestValidationIsShown promises that the screen says when the run validates, and that what is
// still to come is not shown as missing.
func TestValidationIsShown(t *testing.T) {
	t.Parallel()
	log := newLog(100).scanned().whole(1, 4, flat).rows(5, 14.6, 20, 80)
	log.WriteString("\n\r                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95):  43%|████▎     | 3/7 [00:01<00:01,  2.1it/s]\r")
	frame := plainText(t, screenOf(snapshotOf(false, log.String()), Options{}, 120, 40).View().Content)
	for _, want := range []string{`epoch +5/100 .* val `, `(?m)^. +5 .*… .*  val`} {
		if !regexp.MustCompile(want).MatchString(frame) {
			t.Errorf("no %q in\n%s", want, frame)
		}
	}
}

// TestReadingIsSaid promises that nothing is said to be well of a large file before all that stands
// in it was read.
func TestReadingIsSaid(t *testing.T) {
	t.Parallel()
	text := newLog(100).scanned().whole(1, 36, flat).String()
	session := diagnose.NewSession(diagnose.Input{Name: "train.log"})
	feed(session, 0, text, false)
	session.Observe(parse.Event{Record: &parse.SourceState{Name: "train.log", Status: parse.SourceReading, Size: int64(len(text)) + 100<<20}})
	first := func() string {
		frame := plainText(t, screenOf(session.Snapshot(noon()), Options{}, 120, 40).View().Content)
		line, _, _ := strings.Cut(strings.TrimLeft(frame, "\n"), "\n")
		return line
	}
	if got := first(); !strings.Contains(got, "reading what was written before: 0% · no trouble in 36 epochs") || strings.Contains(got, "✓") {
		t.Errorf("first line %q", got)
	}
	session.Observe(parse.Event{Record: &parse.SourceState{Name: "train.log", Status: parse.SourceReading}})
	if got := first(); !strings.Contains(got, "✓ no trouble in 36 epochs") {
		t.Errorf("first line %q", got)
	}
}
