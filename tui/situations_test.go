package tui

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
	"yolotop/parse"
)

// noon is the clock of all tests.
func noon() time.Time { return time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC) }

// trainerLog writes what Ultralytics 8.3 prints, byte for byte where it matters: bars end
// with '\r', names stand above the rows of each epoch.
type trainerLog struct {
	strings.Builder
	epochs int
}

func newLog(epochs int) *trainerLog {
	l := &trainerLog{epochs: epochs}
	fmt.Fprintf(l, "Ultralytics 8.3.40 🚀 Python-3.11.9 torch-2.5.1+cu124 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n")
	fmt.Fprintf(l, "\x1b[34m\x1b[1mengine/trainer: \x1b[0mtask=detect, mode=train, model=yolov8m.pt, data=site-a.yaml, epochs=%d, time=None, patience=50, batch=32, imgsz=640, save=True, workers=8, amp=True, nbs=64, val=True, project=None, name=train\n", epochs)
	fmt.Fprintf(l, "Transferred 469/475 items from pretrained weights\n")
	fmt.Fprintf(l, "\x1b[34m\x1b[1mAMP: \x1b[0mrunning Automatic Mixed Precision (AMP) checks...\n")
	fmt.Fprintf(l, "\x1b[34m\x1b[1mAMP: \x1b[0mchecks passed ✅\n")
	return l
}

func (l *trainerLog) scanned() *trainerLog {
	fmt.Fprintf(l, "train: Scanning /data/labels/train.cache... 2560 images, 3 backgrounds, 0 corrupt: 100%%|██████████| 2560/2560 [00:00<?, ?it/s]\n")
	fmt.Fprintf(l, "Image sizes 640 train, 640 val\nUsing 8 dataloader workers\nLogging results to \x1b[1mruns/detect/train\x1b[0m\nStarting training for %d epochs...\n", l.epochs)
	return l
}

// rows writes rows of an epoch up to a number of batches of 80.
func (l *trainerLog) rows(epoch int, mem float64, batches ...int) *trainerLog {
	if epoch == 1 || len(batches) > 0 && batches[0] < 80 {
		fmt.Fprintf(l, "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n")
	}
	e := float64(epoch)
	for _, b := range batches {
		done := float64(b) / 80
		printed := fmt.Sprintf("%.3gG", mem+0.1*done)
		if mem == 0 {
			printed = "0G"
		}
		fmt.Fprintf(l, "\r%8s%11s%11.4g%11.4g%11.4g%11d%11d: %3d%%|█████     | %d/80 [00:%02d<00:%02d,  %.2fit/s]",
			fmt.Sprintf("%d/%d", epoch, l.epochs), printed, 0.8+1.1/math.Sqrt(e), 0.6+2.4/math.Sqrt(e), 0.9+0.4/math.Sqrt(e),
			30+(epoch*7+b)%40, 640, int(100*done), b, int(11*done), int(11*(1-done)), 6.8+0.3*math.Sin(e))
	}
	return l
}

func (l *trainerLog) validated(epoch int) *trainerLog {
	m := 0.6 * (1 - math.Exp(-float64(epoch)/8))
	fmt.Fprintf(l, "\n\r                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%%|██████████| 7/7 [00:01<00:00,  5.2it/s]\n")
	fmt.Fprintf(l, "                   all        218        900%11.3g%11.3g%11.3g%11.3g\n", m*1.05, m*0.92, m, m*0.64)
	return l
}

// whole writes the epochs from first to last.
func (l *trainerLog) whole(first, last int, mem func(epoch int) float64) *trainerLog {
	for e := first; e <= last; e++ {
		l.rows(e, mem(e), 20, 40, 60, 80).validated(e)
	}
	return l
}

func flat(int) float64 { return 14.6 }

// situations are the logs of the golden frames and whether their input has ended.
func situations() map[string]struct {
	log   string
	ended bool
} {
	starting := newLog(100)
	fmt.Fprintf(starting, "train: Scanning /data/labels/train... 1587 images, 3 backgrounds, 0 corrupt:  62%%|██████    | 1587/2560 [00:03<00:02, 480.1it/s]\r")
	healthy := newLog(100).scanned().whole(1, 36, flat).rows(37, 14.6, 20, 50)
	fmt.Fprint(healthy, "\r")
	oom := newLog(100).scanned().whole(1, 11, func(e int) float64 { return 18 + 0.5*float64(e) }).rows(12, 23.5, 20, 31)
	fmt.Fprint(oom, "\nTraceback (most recent call last):\n  File \"/opt/venv/lib/python3.11/site-packages/ultralytics/engine/trainer.py\", line 381, in _do_train\n    self.loss, self.loss_items = self.model(batch)\n"+
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.88 GiB. GPU 0 has a total capacity of 23.70 GiB of which 520.00 MiB is free. Including non-PyTorch memory, this process has 23.10 GiB memory in use. Of the allocated memory 21.50 GiB is allocated by PyTorch, and 1.10 GiB is reserved by PyTorch but unallocated.\n")
	finished := newLog(30).scanned().whole(1, 20, flat)
	fmt.Fprint(finished, "Closing dataloader mosaic\n")
	finished.whole(21, 30, flat)
	fmt.Fprint(finished, "\n30 epochs completed in 0.112 hours.\nOptimizer stripped from runs/detect/train/weights/last.pt, 52.0MB\n")
	return map[string]struct {
		log   string
		ended bool
	}{
		"starting": {starting.String(), false},
		"healthy":  {healthy.String(), false},
		"oom":      {oom.String(), true},
		"finished": {finished.String(), true},
	}
}

// sessionOf reads logs into a session, as files that are followed or have ended.
func sessionOf(ended bool, logs ...string) *diagnose.Session {
	var inputs []diagnose.Input
	for i := range logs {
		name := "logs/train.log"
		if i > 0 {
			name = fmt.Sprintf("logs/other%d.log", i)
		}
		inputs = append(inputs, diagnose.Input{Name: name})
	}
	s := diagnose.NewSession(inputs...)
	for i, log := range logs {
		feed(s, i, log, ended)
	}
	return s
}

func feed(s *diagnose.Session, input int, log string, ended bool) {
	arrival := noon().Add(-3 * time.Second)
	status := parse.SourceReading
	if ended {
		arrival, status = time.Time{}, parse.SourceEnded
	}
	stream := parse.NewStream(input)
	stream.Write([]byte(log), arrival, s.Observe)
	if ended {
		stream.Close(arrival, s.Observe)
	}
	s.Observe(parse.Event{Origin: parse.Origin{Input: input}, Record: &parse.SourceState{Name: s.Inputs()[input].Name, Status: status}})
}

func snapshotOf(ended bool, logs ...string) *diagnose.Snapshot {
	return sessionOf(ended, logs...).Snapshot(noon())
}

// screenOf is a model of a size that was shown a snapshot on a dark terminal and
// then got some keys.
func screenOf(snap *diagnose.Snapshot, o Options, w, h int, keys ...string) Model {
	var m tea.Model = New(o)
	m, _ = m.Update(tea.BackgroundColorMsg{Color: color.Black})
	m, _ = m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m, _ = m.Update(FrameMsg{snap})
	for _, k := range keys {
		m, _ = m.Update(press(k))
	}
	return m.(Model)
}

// press is the message of a key.
func press(key string) tea.KeyPressMsg {
	codes := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"home": tea.KeyHome, "backspace": tea.KeyBackspace,
	}
	if code, ok := codes[key]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if key == "shift+left" {
		return tea.KeyPressMsg{Code: tea.KeyLeft, Mod: tea.ModShift}
	}
	if key == "shift+tab" {
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	}
	if key == "ctrl+c" {
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	if key == "alt+backspace" {
		return tea.KeyPressMsg{Code: tea.KeyBackspace, Mod: tea.ModAlt}
	}
	if key == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	if letter, ok := strings.CutPrefix(key, "alt+"); ok { // as it comes from a terminal
		if small := strings.ToLower(letter); small != letter {
			return tea.KeyPressMsg{Code: []rune(small)[0], Mod: tea.ModAlt | tea.ModShift}
		}
		return tea.KeyPressMsg{Code: []rune(letter)[0], Mod: tea.ModAlt}
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}
