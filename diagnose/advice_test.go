package diagnose

import (
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// TestBatchAdviceSaysWhatAnUpdateSees promises that accumulation is only mentioned where gradients
// are accumulated: Ultralytics sees batch x max(round(nbs/batch), 1) images an update.
func TestBatchAdviceSaysWhatAnUpdateSees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from  float64
		to    int
		want  string
		never string
	}{
		{120, 96, "an update then sees 96 images, as against 120 now", "accumulated"},
		{64, 32, "an update still sees 64 images", "as against"},
		{16, 12, "accumulated, so an update sees 60 images, as against 64 now", "still"},
	} {
		r := &Run{Trainer: "ultralytics", Batch: c.from, Args: map[string]string{"batch": "1", "nbs": "64"}}
		got := batchAdvice(r, c.to).In(English)
		if !strings.Contains(got, c.want) || strings.Contains(got, c.never) {
			t.Errorf("from %v to %d: %q", c.from, c.to, got)
		}
	}
}

// TestNothingIsToBeStoppedThatHasEnded promises that the advice on a run that is over does not ask
// to stop it.
func TestNothingIsToBeStoppedThatHasEnded(t *testing.T) {
	t.Parallel()
	nan := strings.ReplaceAll(epochsOf(4, 8, 8, 8, 8), "1.2", "nan")
	for over, log := range map[bool]string{false: nan, true: nan + "\n4 epochs completed in 0.112 hours.\n"} {
		r := only(t, read(t, log))
		f := found(t, r, NaN)
		said := ""
		for _, m := range r.AdviceFor(f) {
			said += m.In(English) + "\n"
		}
		if stop := strings.Contains(said, "stop the run now"); stop == over {
			t.Errorf("over: %v, says %q", over, said)
		}
	}
}

// TestResumable promises a command to resume where there is something to resume from, or will be.
func TestResumable(t *testing.T) {
	t.Parallel()
	first := banner + start + header + strings.Replace(row("1", "10", "8.2G"), "100% ━━━━━━━━━━━━ 100/100", "50% ━━━━━━────── 50/100", 1)
	for name, c := range map[string]struct {
		log   string
		ended bool
		want  bool
	}{
		"goes on":                   {first, false, true},
		"ended in its first epoch":  {first, true, false},
		"died in its first epoch":   {first + died, false, false},
		"ended after its first one": {epochsOf(10, 8.2) + header + row("2", "10", "8.2G"), true, true},
	} {
		s := NewSession(Input{Name: "train.log"})
		parse.NewStream(0).Write([]byte(c.log), time.Unix(1_700_000_000, 0), s.Observe)
		if c.ended {
			s.Observe(parse.Event{Record: &parse.SourceState{Status: parse.SourceEnded}})
		}
		if got := only(t, s).Resumable(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestByGravity promises what is true first, the gravest before the others, and of equals what
// explains more.
func TestByGravity(t *testing.T) {
	t.Parallel()
	r := &Run{Findings: []*Finding{
		{Kind: Tight, Level: Critical},
		{Kind: NotMeasured, Level: Info, Active: true},
		{Kind: Tight, Level: Critical, Active: true},
		{Kind: Creep, Level: Warning, Active: true},
		{Kind: OOM, Level: Critical, Active: true},
	}}
	sorted := r.ByGravity()
	if sorted[0] != r.Gravest() || sorted[len(sorted)-1].Active || len(r.Findings) != len(sorted) || r.Findings[0].Active {
		t.Errorf("%+v", sorted)
	}
	for i := 1; i < len(sorted)-1; i++ {
		if sorted[i].better(sorted[i-1]) {
			t.Errorf("%s stands behind %s", sorted[i].Kind, sorted[i-1].Kind)
		}
	}
}
