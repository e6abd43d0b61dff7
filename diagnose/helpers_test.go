package diagnose

import (
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// header is what an epoch begins with.
const header = "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"

// banner is the start of a run on a card of 24268 MiB.
const banner = "Ultralytics 8.4.82 🚀 Python-3.11.9 torch-2.8.0+cu128 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n" +
	"engine/trainer: amp=True, batch=16, data=x.yaml, epochs=10, imgsz=640, lr0=0.01, mode=train, model=yolo11s.pt, nbs=64, task=detect, val=True, workers=8\n"

const start = "Logging results to runs/detect/train\nStarting training for 10 epochs...\n"

// row is the last row of an epoch.
func row(epoch, epochs, memory string) string {
	return rowWith(epoch, epochs, memory, "1.1", "120")
}

func rowWith(epoch, epochs, memory, loss, instances string) string {
	return pad(epoch+"/"+epochs) + pad(memory) + pad(loss) + pad("0.9") + pad("1.2") + pad(instances) + pad("640") +
		": 100% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n"
}

func pad(s string) string { return strings.Repeat(" ", max(0, 11-len(s))) + s }

// validation is a validation table.
const validation = "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100% ━━━━━━━━━━━━ 10/10 8.0it/s 1.2s\n" +
	"                   all        100        900        0.7        0.6       0.61       0.42\n"

// read feeds a session with the text of its only input.
func read(t *testing.T, text string) *Session {
	t.Helper()
	return readAll(t, text)
}

// readAll feeds a session with the texts of its inputs, one after the other.
func readAll(t *testing.T, texts ...string) *Session {
	t.Helper()
	var inputs []Input
	for range texts {
		inputs = append(inputs, Input{Name: "train.log"})
	}
	s := NewSession(inputs...)
	for i, text := range texts {
		feed(s, i, text)
		s.Observe(parse.Event{Origin: parse.Origin{Input: i}, Record: &parse.SourceState{Status: parse.SourceEnded}})
	}
	return s
}

func feed(s *Session, input int, text string) {
	stream := parse.NewStream(input)
	stream.Write([]byte(text), time.Time{}, s.Observe)
	stream.Close(time.Time{}, s.Observe)
}

// only is the session's only run.
func only(t *testing.T, s *Session) *Run {
	t.Helper()
	if len(s.Runs()) != 1 {
		t.Fatalf("%d runs, want one", len(s.Runs()))
	}
	return s.Runs()[0]
}

// found is the run's finding of a kind, and fails if there is none.
func found(t *testing.T, r *Run, kind Kind) *Finding {
	t.Helper()
	f := r.finding(kind)
	if f == nil {
		t.Fatalf("no finding of kind %s", kind)
	}
	return f
}

func mention(t *testing.T, m Message, parts ...string) {
	t.Helper()
	s := m.In(English)
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("%q does not mention %q", s, p)
		}
	}
}

func advice(f *Finding) string {
	var parts []string
	for _, m := range f.Advice {
		parts = append(parts, m.In(English))
	}
	return strings.Join(parts, "\n")
}
