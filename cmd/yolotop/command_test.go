package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"yolotop/sources"
)

// outcome is what a command did.
type outcome struct {
	status         int
	stdout, stderr string
}

// command runs a whole command in memory, without a terminal.
func command(t *testing.T, args ...string) outcome {
	t.Helper()
	return commandWith(t, strings.NewReader(""), args...)
}

func commandWith(t *testing.T, stdin io.Reader, args ...string) outcome {
	t.Helper()
	return commandIn(t, nil, stdin, args...)
}

// commandIn is commandWith with some variables of the environment set.
func commandIn(t *testing.T, vars map[string]string, stdin io.Reader, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), environment{
		args: args, getenv: func(name string) string {
			if v, ok := vars[name]; ok || name != "LANG" {
				return v
			}
			return "C.UTF-8"
		},
		stdin: stdin, stdout: &stdout, stderr: &stderr,
		now:         func() time.Time { return time.Unix(1_700_000_000, 0) },
		inputs:      func() ([]string, error) { return nil, &sources.NoTrainingError{Folder: "here"} },
		afterSignal: func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
	})
	return outcome{status: status, stdout: stdout.String(), stderr: stderr.String()}
}

// The log of a run that is alive in its third epoch, whose newest frame has no end.
const (
	liveHead = "Ultralytics 8.4.82 🚀 Python-3.11.9 torch-2.8.0+cu128 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n" +
		"engine/trainer: amp=True, batch=16, data=x.yaml, epochs=10, imgsz=640, mode=train, model=yolo11s.pt, task=detect, workers=8\n" +
		"Starting training for 10 epochs...\n"
	liveHeader = "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
	liveVal    = "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100% ━━━━━━━━━━━━ 10/10 8.0it/s 1.2s\n" +
		"                   all        100        900        0.7        0.6       0.61       0.42\n"
	liveLog = liveHead + liveHeader + "       1/10      15.1G      1.333      0.944      1.222        120        640: 100% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n" + liveVal +
		liveHeader + "       2/10      15.1G      1.222      0.844      1.122        120        640: 100% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n" + liveVal +
		liveHeader + "\r\x1b[K       3/10      15.1G      1.111      0.744      1.022        120        640: 25% ━━━───────── 25/100 8.0it/s 3.1s<9.4s"
)
