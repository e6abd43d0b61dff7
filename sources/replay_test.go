package sources

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

func TestReplayIsTheLogInItsOwnTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const speed = 10
		begin := time.Now()
		var r recorder
		var late []parse.Event
		check(t, NewReplay("demo", []byte(training()), 0, speed).Run(t.Context(), publisherFunc(func(events []parse.Event) error {
			for _, e := range events {
				if e.Line > 0 && e.Run/speed != time.Since(begin) {
					late = append(late, e)
				}
			}
			return r.Publish(t.Context(), events)
		})))
		for _, e := range late {
			t.Errorf("not in time: %v", story([]parse.Event{e}))
		}
		equal(t, facts(r.all()), facts(parsed(training())))
		said := r.news()
		if said[0] != "reading" || said[len(said)-1] != "ended" {
			t.Errorf("began with %q and ended with %q", said[0], said[len(said)-1])
		}
		if took := time.Since(begin); took != 12*time.Second/speed {
			t.Errorf("12 seconds at %d times the speed took %v", speed, took)
		}
	})
}

func TestReplayDoesNotWaitLong(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		log   string
		speed float64
		want  time.Duration
	}{
		{"a gap of an hour", header + bar(1, 0) + "\r        1/3      1.85G      1.234      2.345      1.456         12        640:  50%|█████     | 2/4 [1:00:00<00:02,  1.00it/s]\n", 1, waitMax},
		{"before the first row", "2025-01-01T00:00:00Z one\n2025-01-01T05:00:00Z two\n", 1, 0},
		{"as fast as possible", training(), 0, 0},
		{"slowly", training(), 0.5, 12 * waitMax},
		{"nothing", "", 1, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				var r recorder
				check(t, NewReplay("demo", []byte(c.log), 0, c.speed).Run(t.Context(), &r))
				if took := time.Since(begin); took != c.want {
					t.Errorf("took %v, want %v", took, c.want)
				}
				equal(t, facts(r.all()), facts(parsed(c.log)))
			})
		})
	}
}

func TestReplayStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- NewReplay("demo", []byte(training()), 0, 0.001).Run(ctx, &recorder{}) }()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	})
}
