// Command mkshots draws the pictures of the README: screens of made-up runs, as the program draws
// them, at a fixed time.
//
//	go run ./cmd/mkshots docs
//
// The same program draws the same bytes.
package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"image/color"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/tui"
)

// demoLog is the log of "yolotop demo".
const demoLog = "cmd/yolotop/demo.log.gz"

// noon is the time at which all pictures are taken.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// shot is a picture.
type shot struct {
	name          string
	snap          *diagnose.Snapshot
	width, height int
	light         bool
	keys          []tea.KeyPressMsg
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: mkshots FOLDER")
	}
	demo, err := readDemo()
	if err != nil {
		log.Fatal(err)
	}
	leak, after := leaking(), session(demo, true)
	enter, tab, runs := tea.KeyPressMsg{Code: tea.KeyEnter}, tea.KeyPressMsg{Code: tea.KeyTab}, tea.KeyPressMsg{Code: 'r', Text: "r"}
	for _, s := range []shot{
		{name: "leak", snap: leak, width: 120, height: 36},
		{name: "leak-light", snap: leak, width: 120, height: 36, light: true},
		{name: "pane", snap: leak, width: 46, height: 30},
		{name: "finding", snap: leak, width: 100, height: 38, keys: []tea.KeyPressMsg{enter}},
		{name: "losses", snap: leak, width: 100, height: 30, keys: []tea.KeyPressMsg{tab}},
		{name: "after", snap: after, width: 100, height: 34},
		{name: "runs", snap: several(demo), width: 120, height: 26, keys: []tea.KeyPressMsg{runs}},
	} {
		if err := os.WriteFile(filepath.Join(os.Args[1], s.name+".svg"), s.draw(), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// draw is the picture.
func (s shot) draw() []byte {
	paper := color.Color(color.Black)
	if s.light {
		paper = color.White
	}
	var m tea.Model = tui.New(tui.Options{Version: "0.1"})
	for _, msg := range []tea.Msg{tea.BackgroundColorMsg{Color: paper}, tea.WindowSizeMsg{Width: s.width, Height: s.height}, tui.FrameMsg{Snapshot: s.snap}} {
		m, _ = m.Update(msg)
	}
	for _, k := range s.keys {
		m, _ = m.Update(k)
	}
	return tui.SVG(m.View().Content, s.light)
}

func readDemo() (string, error) {
	f, err := os.Open(demoLog)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%w: run mkshots in the folder of the repository", err)
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(zip)
	return string(data), err
}

// session is the snapshot of a log that has ended, or is being written.
func session(text string, ended bool) *diagnose.Snapshot {
	s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
	feed(s, 0, text, ended)
	return s.Snapshot(noon)
}

func feed(s *diagnose.Session, input int, text string, ended bool) {
	arrival, status := noon.Add(-2*time.Second), parse.SourceReading
	if ended {
		arrival, status = time.Time{}, parse.SourceEnded
	}
	stream := parse.NewStream(input)
	stream.Write([]byte(text), arrival, s.Observe)
	if ended {
		stream.Close(arrival, s.Observe)
	}
	s.Observe(parse.Event{Origin: parse.Origin{Input: input}, Record: &parse.SourceState{Name: s.Inputs()[input].Name, Status: status}})
}

// leaking is a run on this machine that leaks at the end of each epoch.
func leaking() *diagnose.Snapshot {
	s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
	s.Observe(parse.Event{Record: &parse.Trainer{PID: 4711, Processes: []int{4711}}})
	feed(s, 0, leakLog(37, 9.4, 0.21), false)
	for i := 40; i >= 0; i-- {
		at := parse.Origin{Input: diagnose.MachineInput, Arrival: noon.Add(-time.Duration(i) * time.Second)}
		s.Observe(parse.Event{Origin: at, Record: &parse.GPU{
			Index: 0, UUID: "GPU-0", Name: "NVIDIA GeForce RTX 3090", Busy: parse.Have(0.93 + 0.05*math.Sin(float64(i))), Used: parse.Have(17.5 * float64(parse.GiB)), Total: parse.Have(24 * float64(parse.GiB)),
			Power: parse.Have(331), PowerLimit: parse.Have(350), Temperature: parse.Have(71), Clock: parse.Have(1695),
			ProcessesState: parse.Present, Processes: []parse.GPUProcess{{PID: 4711, Name: "python", User: "you", Used: parse.Have(17.1 * float64(parse.GiB))}},
		}})
		s.Observe(parse.Event{Origin: at, Record: &parse.Host{
			CPU: parse.Have(0.46), Cores: make([]float64, 16), RAMUsed: parse.Have(37 * float64(parse.GiB)), RAMTotal: parse.Have(64 * float64(parse.GiB)),
		}})
	}
	return s.Snapshot(noon)
}

// several are three runs.
func several(demo string) *diagnose.Snapshot {
	s := diagnose.NewSession(diagnose.Input{Name: "street.log"}, diagnose.Input{Name: "yard.log"}, diagnose.Input{Name: "night.log"})
	feed(s, 0, demo, true)
	feed(s, 1, leakLog(37, 9.4, 0.21), false)
	feed(s, 2, leakLog(20, 12.1, 0), false)
	return s.Snapshot(noon)
}

// leakLog is what Ultralytics prints of a run whose held memory grows by so many GB each epoch.
func leakLog(epochs int, from, growth float64) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	say("Ultralytics 8.3.40 🚀 Python-3.11.9 torch-2.5.1+cu124 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n")
	say("engine/trainer: task=detect, mode=train, model=yolo11s.pt, data=yard.yaml, epochs=100, time=None, patience=100, batch=16, imgsz=640, save=True, workers=8, amp=True, val=True, project=None, name=train, save_dir=runs/detect/train\n")
	say("AMP: running Automatic Mixed Precision (AMP) checks...\nAMP: checks passed ✅\n")
	say("Image sizes 640 train, 640 val\nUsing 8 dataloader workers\nLogging results to runs/detect/train\nStarting training for 100 epochs...\n")
	for e := 1; e <= epochs; e++ {
		say("\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n")
		last := 240
		if e == epochs {
			last = 149
		}
		k := 1 / (1 + 0.12*float64(e-1))
		for i := 20; i <= last; i += min(20, max(1, last-i)) {
			left := ""
			if i < 240 {
				left = fmt.Sprintf("<%.1fs", float64(240-i)/4.9)
			}
			say("\r%11s%11s%11.4g%11.4g%11.4g%11d%11d: %d%% ━━━━━━━━━━━━ %d/240 4.9it/s %.1fs%s", fmt.Sprintf("%d/100", e), fmt.Sprintf("%.3gG", from+growth*float64(e-1)),
				0.8+0.9*k, 0.5+2.2*k, 0.9+0.5*k, 40+(e*7+i)%60, 640, 100*i/240, i, float64(i)/4.9, left)
			if i == last {
				break
			}
		}
		if e == epochs {
			break
		}
		m := 0.64 * (1 - math.Exp(-float64(e)/9))
		say("\n%22s%11s%11s%11s%11s%11s%11s\n%22s%11d%11d%11.3g%11.3g%11.3g%11.3g\n", "Class", "Images", "Instances", "Box(P", "R", "mAP50", "mAP50-95)", "all", 472, 6120, m+0.09, m-0.02, m, m*0.66)
	}
	say("\r")
	return b.String()
}
