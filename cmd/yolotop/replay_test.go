package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// TestReplayFindsWhatLiveFound promises that a log which is read later gives the findings that
// it gave while it was written, byte for byte: in pieces, with provisional frames in between
// and the clock ticking.
func TestReplayFindsWhatLiveFound(t *testing.T) {
	t.Parallel()
	logs, err := filepath.Glob(filepath.Join(recordings, "*.*"))
	if err != nil || len(logs) < 100 {
		t.Fatalf("%d recordings, %v", len(logs), err)
	}
	for _, path := range logs {
		switch filepath.Ext(path) {
		case ".log", ".txt", ".csv":
		default:
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			ended := parse.Event{Record: &parse.SourceState{Name: path, Status: parse.SourceEnded}}

			replay := diagnose.NewSession(diagnose.Input{Name: path})
			stream := parse.NewStream(0)
			stream.Write(data, time.Time{}, replay.Observe)
			stream.Close(time.Time{}, replay.Observe)
			replay.Observe(ended)

			live := diagnose.NewSession(diagnose.Input{Name: path})
			stream = parse.NewStream(0)
			now := time.Unix(1_700_000_000, 0)
			for at := 0; at < len(data); {
				n := min(1+(at*31+97)%700, len(data)-at)
				stream.Write(data[at:at+n], now, live.Observe)
				if e, ok := stream.Pending(now); ok {
					live.Observe(e)
				}
				at += n
				now = now.Add(time.Second)
				live.Tick(now)
				_ = live.Snapshot(now)
			}
			stream.Close(now, live.Observe)
			live.Observe(ended)

			want, got := findingsText(t, replay), findingsText(t, live)
			if want != got {
				t.Errorf("replayed\n%s\nlive\n%s", want, got)
			}
		})
	}
}

// findingsText is what check would print of the findings of a session.
func findingsText(t *testing.T, s *diagnose.Session) string {
	t.Helper()
	type of struct {
		Verdict  diagnose.Kind
		Findings []findingReport
	}
	var all []of
	for _, r := range reportOf(s, diagnose.English).Runs {
		all = append(all, of{r.Verdict, r.Findings})
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
