package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"yolotop/diagnose"
	"yolotop/parse"
)

// searchScreen is a screen where trainings were looked for and none is an input.
func searchScreen(t *testing.T, w, h int, running ...parse.Training) string {
	t.Helper()
	s := diagnose.NewSession()
	at := parse.Origin{Input: diagnose.MachineInput, Arrival: noon()}
	s.Observe(parse.Event{Origin: at, Record: &parse.Trainings{Folder: "/home/ana/proj", Running: running}})
	s.Observe(parse.Event{Origin: at, Record: &parse.GPU{
		Index: 0, Name: "NVIDIA GeForce RTX 3090", Busy: parse.Have(0.97), Used: parse.Have(9 * float64(parse.GiB)), Total: parse.Have(24 * float64(parse.GiB)),
	}})
	return plainText(t, screenOf(s.Snapshot(noon()), Options{Version: "0.1"}, w, h).View().Content)
}

// TestTheSearch holds the screen of a search that found nothing to watch to what it
// looked like.
func TestTheSearch(t *testing.T) {
	t.Parallel()
	hidden := []parse.Training{
		{PID: 4711, User: "ana", Own: true, Command: "python train.py --data coco.yaml --weights yolov5s.pt", Input: -1, Output: parse.OutputTerminal},
		{PID: 99, User: "ben", Command: "/usr/bin/python3 /usr/bin/yolo detect train", Input: -1, Output: parse.OutputForeign},
	}
	for name, running := range map[string][]parse.Training{"nothing": nil, "hidden": hidden} {
		for _, size := range [][2]int{{120, 30}, {80, 24}, {44, 30}, {20, 5}} {
			t.Run(fmt.Sprintf("%s %dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				golden.RequireEqual(t, searchScreen(t, size[0], size[1], running...))
			})
		}
	}
}

// TestTheLastRun promises that a run which is over is shown as that, with when it was
// written, and one whose process is gone as that.
func TestTheLastRun(t *testing.T) {
	t.Parallel()
	shown := func(written time.Time, after func(*diagnose.Session)) string {
		s := diagnose.NewSession()
		s.Observe(parse.Event{Record: &parse.Found{Name: "runs/detect/train/train.log", Written: written}})
		parse.NewStream(0).Write([]byte(newLog(100).scanned().whole(1, 5, flat).rows(6, 14.6, 20).String()), time.Time{}, s.Observe)
		after(s)
		return plainText(t, screenOf(s.Snapshot(noon()), Options{Version: "0.1"}, 160, 40).View().Content)
	}
	ended := func(s *diagnose.Session) {
		s.Observe(parse.Event{Record: &parse.SourceState{Status: parse.SourceEnded}})
	}
	gone := func(s *diagnose.Session) {
		s.Observe(parse.Event{Origin: parse.Origin{Arrival: noon()}, Record: &parse.Trainer{PID: 7}})
		s.Observe(parse.Event{Origin: parse.Origin{Arrival: noon()}, Record: &parse.Trainer{}})
		ended(s)
	}
	for want, screen := range map[string]string{
		"nothing runs now; last written 03:12":                            shown(time.Date(noon().Year(), noon().Month(), noon().Day(), 3, 12, 0, 0, noon().Location()), ended),
		"nothing runs now; last written 2020-02-03 04:05":                 shown(time.Date(2020, 2, 3, 4, 5, 0, 0, noon().Location()), ended),
		"! the process ended after epoch 5 and did not say why (killed?)": shown(time.Time{}, gone),
	} {
		if first, _, _ := strings.Cut(screen, "\n"); !strings.Contains(first, want) {
			t.Errorf("%q is not in %q", want, first)
		}
	}
}
