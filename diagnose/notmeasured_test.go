package diagnose

import (
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// TestRowsThatGoElsewhereAreSaidSoon promises that a header with nothing behind it is explained after
// some seconds where the version writes its rows to the error stream, and taken back by a row.
func TestRowsThatGoElsewhereAreSaidSoon(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		version, behind string
		after           time.Duration
		want            bool
	}{
		{"8.3.0", "", 12 * time.Second, true},
		{"8.0.212", "", 12 * time.Second, true},
		{"8.3.0", "", 8 * time.Second, false},
		{"8.3.186", "", time.Minute, false},
		{"8.0.100", "", time.Minute, false},
		{"8.3.0", "  0%|          | 0/100 [00:00<?, ?it/s]\n", time.Minute, false},
		{"8.3.0", row("1", "10", "5G"), time.Minute, false},
	} {
		s := NewSession(Input{Name: StandardInput})
		stream := parse.NewStream(0)
		write := func(text string) { stream.Write([]byte(text), now, s.Observe) }
		write(strings.Replace(banner, "8.4.82", c.version, 1) + start + header + c.behind)
		s.Tick(now.Add(c.after))
		f := s.Runs()[0].active(NotMeasured)
		if (f != nil) != c.want {
			t.Errorf("%+v: %+v", c, f)
		}
		if f == nil {
			continue
		}
		if !f.Provisional || !strings.Contains(advice(f), "2>&1 | yolotop -") {
			t.Errorf("%+v", f)
		}
		write(row("1", "10", "5G"))
		if f := s.Runs()[0].active(NotMeasured); f != nil {
			t.Errorf("a row came: %+v", f)
		}
	}
}
