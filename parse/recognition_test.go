package parse

import (
	"strings"
	"testing"
	"time"
)

// recordedIn is the dialect of each recording of testdata that is neither of Ultralytics, nor
// of YOLOv5, nor of devices.
var recordedIn = map[string]string{
	"damoyolo-starved.log":             "damo-yolo",
	"darknet-oom-nan.log":              "darknet",
	"detectron2-metrics.json":          "jsonlines",
	"detectron2-v06-starved.log":       "detectron2",
	"dfine-leak-oom.log":               "metriclogger",
	"hf-trainer-stable.log":            "huggingface",
	"lightning-starved.log":            "lightning",
	"lightning-2.6-cpu-narrow-pty.log": "lightning",
	"lightning-2.6-cpu-tqdm-pty.log":   "lightning",
	"transformers-5.24-cpu-pty.log":    "huggingface",
	"mmdet2-leak.log.json":             "jsonlines",
	"mmdet2-starved-iter.log":          "mmdet",
	"mmengine-cpu-real.console.log":    "mmengine",
	"mmengine-cpu-real.scalars.json":   "jsonlines",
	"paddle-ppyoloe-stable.log":        "paddledetection",
	"rtdetr-log.txt":                   "jsonlines",
	"torch-memory-summary.log":         "pytorch",
	"torch-memprint-leak.log":          "pytorch",
	"torch-memprint-zh.log":            "pytorch",
	"torchvision-stable.log":           "metriclogger",
	"yolonas-stable.log":               "yolo-nas",
	"yolor-stable.log":                 "yolov7",
	"yolov6-stable.log":                "yolov6",
	"yolov7-cpu-real.stderr.log":       "yolov7",
	"yolov7-results.txt":               "yolov7-results",
	"yolov9-stable.log":                "yolov9",
	"yolox-ansi.log":                   "yolox",
	"yolox-cpu-real.console.log":       "yolox",
}

// dialectOf is the dialect of a recording; empty if it is one of devices.
func dialectOf(name string) string {
	switch d, ok := recordedIn[name]; {
	case ok:
		return d
	case strings.HasSuffix(name, ".results.csv"):
		return "results.csv"
	case strings.HasPrefix(name, "yolov5"):
		return "yolov5"
	case name[0] == '8':
		return "ultralytics"
	}
	return ""
}

// segmentsOf are the segments of a text as a dialect gets them.
func segmentsOf(in string) []string {
	var s splitter
	var out []string
	take := func(seg *segment) { out = append(out, string(peel(seg).text)) }
	s.write([]byte(in), take)
	s.close(take)
	return out
}

// TestNoDialectClaimsAnothersRecording promises for every pair of dialects that none claims
// a line which the other one has recorded. YOLOv7 and YOLOv9 have their headers from YOLOv5 and
// share them, so a header tells only where nothing before it did.
func TestNoDialectClaimsAnothersRecording(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for name, in := range recordings(t, "") {
		if strings.HasSuffix(name, ".yaml") || name == "README.md" {
			continue
		}
		own := dialectOf(name)
		covered[own] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewStream(0)
			s.Write([]byte(in), time.Time{}, func(Event) {})
			s.Close(time.Time{}, func(Event) {})
			if s.Dialect() != own {
				t.Errorf("read as %q, want %q", s.Dialect(), own)
			}
			for _, line := range segmentsOf(in) {
				if words := strings.Fields(line); len(words) > 2 && words[0] == "Epoch" && strings.EqualFold(words[1], "gpu_mem") {
					continue
				}
				for _, d := range dialects() {
					if d.name != own && !d.weak && d.claims(bound([]byte(line))) {
						t.Errorf("%s claims %.120q", d.name, line)
					}
				}
			}
		})
	}
	for _, d := range dialects() {
		if !covered[d.name] {
			t.Errorf("there is no recording of %s", d.name)
		}
	}
}

// TestRecognition promises that the first three lines which say anything tell what a stream
// is in.
func TestRecognition(t *testing.T) {
	t.Parallel()
	for name, in := range recordings(t, "") {
		own := dialectOf(name)
		if own == "" || strings.HasSuffix(name, ".yaml") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told, _ := Grammar{}.Only(own)
			as, free := told.NewStream(0), NewStream(0)
			informative, last := 0, -1
			for _, line := range strings.SplitAfter(strings.ReplaceAll(in, "\r", "\n"), "\n") {
				as.Write([]byte(line), time.Time{}, func(e Event) {
					switch e.Record.(type) {
					case *Text, *Dated, *Failure, *Stage: // scanning labels looks alike in a family
					default:
						if e.Line != last {
							last = e.Line
							informative++
						}
					}
				})
				free.Write([]byte(line), time.Time{}, func(Event) {})
				if free.Dialect() == own {
					return
				}
				if informative > 3 {
					t.Fatalf("read as %q after %d lines: %.120q", free.Dialect(), informative, line)
				}
			}
			t.Error("not recognized")
		})
	}
}
