package main

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/tui"
)

var hours = flag.Int("hours", 3, "hours of a run that is simulated; a week has 168")

// The pace of the simulated run.
const (
	rowsPerSecond = 17 // ten millions in a week
	rowsPerEpoch  = 2000
	deadPerHour   = 3 // losses that are nan for a while
)

// TestAWeek promises that a run of a week, with eight devices, some findings an hour and alerts,
// costs no more memory after its first hour, nor a goroutine.
func TestAWeek(t *testing.T) {
	const steady = 5 << 20 // bytes by which the memory may differ
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	session := diagnose.NewSession(diagnose.Input{Name: "train.log"})
	alerts := 0
	alerter := newAlerter(diagnose.English, "gpu1", func() time.Time { return now }, func(alert) { alerts++ })
	var model tea.Model = tui.New(tui.Options{})
	model, _ = model.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	stream := parse.NewStream(0)
	stream.Write([]byte(liveHead+liveHeader), now, session.Observe)
	rows := 0
	row := func(nan bool) {
		epoch, iter := 1+rows/rowsPerEpoch, 1+rows%rowsPerEpoch
		rows++
		loss := fmt.Sprintf("%.3f", 1+float64(rows%97)/100)
		if nan {
			loss = "nan"
		}
		line := fmt.Sprintf("\r\x1b[K %8d/100000      15.%dG      %s      0.944      1.222        %d        640: %d%% ━━━━━━━━━━━━ %d/%d 17.0it/s %.1fs",
			epoch, rows%3, loss, 100+rows%50, 100*iter/rowsPerEpoch, iter, rowsPerEpoch, float64(iter)/rowsPerSecond)
		if iter == rowsPerEpoch {
			line += "\n" + liveVal + liveHeader
		}
		stream.Write([]byte(line), now, session.Observe)
	}
	memory := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var first, most int64
	goroutines := runtime.NumGoroutine()
	for second := range *hours * 3600 {
		now = now.Add(time.Second)
		bad := second%(3600/deadPerHour) > 3600/deadPerHour-150 // longer than an epoch
		for range rowsPerSecond {
			row(bad)
		}
		for gpu := range 8 {
			session.Observe(parse.Event{Origin: parse.Origin{Input: diagnose.MachineInput, Arrival: now}, Record: &parse.GPU{
				Index: gpu, UUID: fmt.Sprint("GPU-", gpu), Name: "NVIDIA A100", Total: parse.Have(80 << 30), Used: parse.Have(float64(20<<30 + second%100<<20)), Busy: parse.Have(.9), Power: parse.Have(300),
			}})
		}
		session.Tick(now)
		alerter.look(session)
		if second%60 == 0 {
			model, _ = model.Update(tui.FrameMsg{Snapshot: session.Snapshot(now)})
		}
		if second%3600 == 3599 {
			m := memory()
			if first == 0 {
				first, most = m, m
			}
			most = max(most, m)
		}
	}
	run := session.Runs()[0]
	t.Logf("%d rows in %d epochs, %d alerts; %.1f MB after the first hour, %.1f MB at most", rows, run.EpochsSeen, alerts, float64(first)/1e6, float64(most)/1e6)
	if most-first > steady {
		t.Errorf("the memory grew from %d to %d bytes", first, most)
	}
	if alerts == 0 || run.EpochsSeen < rows/rowsPerEpoch || model == nil {
		t.Errorf("%d alerts, %d epochs", alerts, run.EpochsSeen)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d at first", n, goroutines)
	}
}
