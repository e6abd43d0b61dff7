package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

// doneLog is a run that has reached its end.
const doneLog = liveHead + liveHeader + "       1/10      15.1G      1.333      0.944      1.222        120        640: 100% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n" + liveVal +
	"\n10 epochs completed in 0.100 hours.\n"

// TestPlainOnATerminal promises lines instead of a screen, with colours as on a terminal, that
// end by themselves after a run that has ended.
func TestPlainOnATerminal(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "train.log")
	if err := os.WriteFile(log, []byte(doneLog), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, variable string }{{"--plain", ""}, {"--plain=true", "0"}, {"--color=auto", "true"}} {
		t.Run(c.flag+c.variable, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			status := execute(t.Context(), environment{
				args: []string{c.flag, log}, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, now: time.Now, screen: &terminal{},
				getenv: func(name string) string {
					return map[string]string{"YOLOTOP_PLAIN": c.variable, "LANG": "C.UTF-8"}[name]
				},
				afterSignal: func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
			})
			if status != exitOK || !strings.Contains(stdout.String(), "1/10  15.1 GiB") || !strings.Contains(stdout.String(), "finished") || !strings.Contains(stdout.String(), "\x1b[1;") {
				t.Errorf("%v: status %d\n%s%s", c, status, stdout.String(), stderr.String())
			}
		})
	}
}

// TestPlainGoesOn promises that lines on a terminal end when a run has ended and nothing more
// comes, and not before, nor while a program writes into our pipe.
func TestPlainGoesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, log string
		untilEnd  bool
		drainer   bool
		ends      bool
	}{
		{"an ended run", doneLog, true, false, true},
		{"a run that goes on", liveLog, true, false, false},
		{"nothing known yet", "hello\n", true, false, false},
		{"--follow", doneLog, false, false, false},
		{"a pipe", doneLog, true, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w := &watcher{
				env: environment{now: time.Now}, options: watchOptions{untilEnd: c.untilEnd},
				session: diagnose.NewSession(diagnose.Input{Name: "train.log"}),
			}
			if c.drainer {
				w.drainers = []sources.Drainer{nil}
			}
			var events []parse.Event
			parse.NewStream(0).Write([]byte(c.log), time.Time{}, func(e parse.Event) { events = append(events, e) })
			bus := sources.NewBus(1)
			if err := bus.Publish(ctx, events); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			p := &plain{out: &out, session: w.session, epochs: map[int]int{}, said: map[said]diagnose.Finding{}}
			tick, ended := make(chan time.Time), make(chan struct{})
			go func() {
				defer close(ended)
				w.print(ctx, bus, tick, p)
			}()
			for range 3 { // one may come before the batch
				select {
				case tick <- time.Time{}:
				case <-ended:
				}
			}
			select {
			case tick <- time.Time{}: // it takes a fourth one
				if c.ends {
					t.Error("it goes on")
				}
			case <-ended:
				if !c.ends {
					t.Error("it has ended")
				}
			}
		})
	}
}
