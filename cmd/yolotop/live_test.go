package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// TestLiveIsReplay promises that a run that is followed live, in chunks of any size
// and with the newest frame shown before it has an end, is in the end reported
// exactly as its log is when it is read later.
func TestLiveIsReplay(t *testing.T) {
	t.Parallel()
	logs, err := filepath.Glob(filepath.Join(recordings, "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for seed, path := range logs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if later, live := reported(t, data, nil), reported(t, data, rand.New(rand.NewPCG(uint64(seed), 1))); later != live {
				t.Errorf("later\n%s\nlive\n%s", later, live)
			}
		})
	}
}

// reported is the report on a log: read at once, or in chunks with provisional frames.
func reported(t *testing.T, data []byte, chunks *rand.Rand) string {
	t.Helper()
	s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
	stream := parse.NewStream(0)
	now := time.Time{}
	if chunks != nil {
		now = time.Unix(1_000_000, 0)
	}
	for rest := data; len(rest) > 0; {
		n := len(rest)
		if chunks != nil {
			n = min(n, 1+chunks.IntN(400))
			now = now.Add(100 * time.Millisecond)
		}
		stream.Write(rest[:n], now, s.Observe)
		rest = rest[n:]
		if e, ok := stream.Pending(now); ok && chunks != nil {
			s.Observe(e)
		}
	}
	stream.Close(now, s.Observe)
	s.Observe(parse.Event{Record: &parse.SourceState{Status: parse.SourceEnded}})
	out, err := json.MarshalIndent(reportOf(s, diagnose.English), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
