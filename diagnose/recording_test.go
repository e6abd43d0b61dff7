package diagnose

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// stampedLog is a log of ten epochs of 100 s, each line with the time of day before it.
func stampedLog(from time.Time, zone string) string {
	var b strings.Builder
	line := func(at time.Duration, s string) {
		fmt.Fprintf(&b, "%s%s %s\n", from.Add(at).Format("2006-01-02T15:04:05.000"), zone, s)
	}
	for _, s := range strings.Split(strings.TrimSpace(banner), "\n") {
		line(0, s)
	}
	line(0, "Starting training for 10 epochs...")
	for e := 1; e <= 10; e++ {
		line(time.Duration(e)*100*time.Second-time.Second, strings.Trim(header, "\n"))
		line(time.Duration(e)*100*time.Second, strings.TrimSuffix(row(fmt.Sprint(e), "10", "15.1G"), "\n"))
	}
	return b.String()
}

// recording is what nvidia-smi printed every second for 1000 s, busy in bursts.
func recording(from time.Time, names ...string) string {
	var b strings.Builder
	b.WriteString("timestamp, index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n")
	for i := range 1000 {
		for k, name := range names {
			fmt.Fprintf(&b, "%s, %d, %s, %d MiB, 24576 MiB, %d %%\n", from.Add(time.Duration(i)*time.Second).Format("2006/01/02 15:04:05.000"), k, name, 15000+i/10, int(100*bursts(i)))
		}
	}
	return b.String()
}

// TestARecordingOfTheSameTime promises that samples recorded beside a log are the run's
// where the clocks and the device prove it, in either order of the inputs, and on their own
// where they do not.
func TestARecordingOfTheSameTime(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	const card = "NVIDIA GeForce RTX 3090"
	for _, c := range []struct {
		name, log, csv string
		joined         bool
	}{
		{"the same time", stampedLog(noon, ""), recording(noon, card), true},
		{"begun a little later", stampedLog(noon, ""), recording(noon.Add(3*time.Minute), card), true},
		{"another day", stampedLog(noon, ""), recording(noon.Add(24*time.Hour), card), false},
		{"another zone, perhaps", stampedLog(noon, "Z"), recording(noon, card), false},
		{"no stamps in the log", banner + start + header + row("1", "10", "15.1G") + row("2", "10", "15.1G"), recording(noon, card), false},
		{"another card", stampedLog(noon, ""), recording(noon, "NVIDIA A100-SXM4-40GB"), false},
		{"one of two", stampedLog(noon, ""), recording(noon, "NVIDIA A100-SXM4-40GB", card), true},
		{"two alike", stampedLog(noon, ""), recording(noon, card, card), false},
	} {
		for _, swapped := range []bool{false, true} {
			s := NewSession(Input{Name: "train.log"}, Input{Name: "gpu.csv"})
			log, csv := 0, 1
			if swapped {
				s, log, csv = NewSession(Input{Name: "gpu.csv"}, Input{Name: "train.log"}), 1, 0
				feed(s, csv, c.csv)
				s.Observe(parse.Event{Origin: parse.Origin{Input: csv}, Record: &parse.SourceState{Status: parse.SourceEnded}})
			}
			feed(s, log, c.log)
			if !swapped {
				feed(s, csv, c.csv)
			}
			for i := range 2 {
				s.Observe(parse.Event{Origin: parse.Origin{Input: i}, Record: &parse.SourceState{Status: parse.SourceEnded}})
			}
			var run *Run
			apart := 0
			for _, r := range s.Runs() {
				if len(r.Epochal) > 0 {
					run = r
				} else if r.Apart {
					apart++
				}
			}
			if joined := run.CardBy == CardByRecording; joined != c.joined || joined && apart > 0 || !joined && apart != 1 {
				t.Errorf("%s, %v: joined %v, apart %d", c.name, swapped, joined, apart)
				continue
			}
			if !c.joined {
				if len(run.GPUs) != 0 {
					t.Errorf("%s: another's samples are the run's", c.name)
				}
				continue
			}
			if len(run.Inputs) != 2 || len(run.GPUs) != 1 || run.GPUs[0].Name != card {
				t.Errorf("%s: inputs %v, devices %d", c.name, run.Inputs, len(run.GPUs))
			}
			if p, ok := run.DriverSeries.Last(); !ok || p.X < 9.9 || p.X > 10 || run.DriverSeries.Len() < 100 {
				t.Errorf("%s: the driver's curve ends at %+v after %d", c.name, p, run.DriverSeries.Len())
			}
			if f := run.finding(Starved); c.name != "one of two" && (f == nil || !f.Active) { // there the other one has it
				t.Errorf("%s: what the recording shows is not told", c.name)
			}
		}
	}
}

// TestARecordingThatIsLive promises that samples which come in while rows do are the run's
// from then on.
func TestARecordingThatIsLive(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	s := NewSession(Input{Name: "train.log"}, Input{Name: "gpu.csv"})
	log, csv := parse.NewStream(0), parse.NewStream(1)
	log.Write([]byte(banner+start+header), now, s.Observe)
	csv.Write([]byte("index, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n"), now, s.Observe)
	for i := range 120 {
		now = now.Add(time.Second)
		csv.Write([]byte("0, 15400 MiB, 24576 MiB, 97 %\n"), now, s.Observe)
		if i%30 == 0 {
			s.Snapshot(now)
		}
		if i%10 == 9 {
			text := strings.Replace(row(fmt.Sprint(i/10+1), "100", "15.1G"), "12.5s", "10.0s", 1)
			log.Write([]byte(text+validation+header), now, s.Observe)
		}
	}
	snap := s.Snapshot(now)
	r := s.Runs()[0]
	if r.CardBy != CardByRecording || r.Epoch != 12 || r.DriverSeries.Len() < 60 || len(s.Runs()) != 1 {
		t.Errorf("by %d, epoch %d, %d samples, %d runs", r.CardBy, r.Epoch, r.DriverSeries.Len(), len(s.Runs()))
	}
	if len(snap.Runs[0].GPUs) != 1 || snap.Runs[0].Recording != nil {
		t.Errorf("a snapshot has %+v", snap.Runs[0].GPUs)
	}
}
