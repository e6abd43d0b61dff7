package diagnose

import (
	"strings"
	"testing"
)

// advised is what is advised about a finding now.
func advised(r *Run, f *Finding) string {
	var parts []string
	for _, m := range r.AdviceFor(f) {
		parts = append(parts, m.In(English))
	}
	return strings.Join(parts, "\n")
}

// TestGraveFindingNamesTheCheckpoint promises what can be resumed from, and by which command,
// where a run may die or has died, and nowhere else.
func TestGraveFindingNamesTheCheckpoint(t *testing.T) {
	t.Parallel()
	two := banner + start + header + row("1", "10", "21G") + validation + header + row("2", "10", "21.5G") + validation
	dead := two + header + rowWith("3", "10", "22.5G", "1", "900") +
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.70 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 22.50 GiB memory in use. Of the allocated memory 21.00 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.\n"
	r := only(t, read(t, dead))
	got := advised(r, found(t, r, OOM))
	for _, want := range []string{"last.pt holds epoch 2: ", " of training are lost, and no more", "yolo train resume model=runs/detect/train/weights/last.pt"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	for name, text := range map[string]string{
		"checkpoints are off": strings.Replace(dead, "task=detect", "save=False, task=detect", 1),
		"no epoch has ended":  banner + start + header + dead[strings.Index(dead, "torch.OutOf"):],
	} {
		r := only(t, read(t, text))
		if got := advised(r, found(t, r, OOM)); strings.Contains(got, "last.pt") {
			t.Errorf("%s: %s", name, got)
		}
	}
	r = only(t, read(t, banner+start+header+row("1", "10", "22G")))
	if got := advised(r, found(t, r, Tight)); strings.Contains(got, "last.pt") {
		t.Errorf("a warning: %s", got)
	}
}

// TestResumeCommand promises a command that the trainer takes and the shell reads as meant.
func TestResumeCommand(t *testing.T) {
	t.Parallel()
	detect := map[string]string{"resume": "False", "hyp": "hyp.yaml"}
	for _, c := range []struct {
		trainer, folder, want string
		args                  map[string]string
	}{
		{"ultralytics", "runs/detect/train", "yolo train resume model=runs/detect/train/weights/last.pt", nil},
		{"yolov5", "runs/train/exp", "python train.py --resume runs/train/exp/weights/last.pt", detect},
		{"yolov5", "runs/train-cls/exp", "", map[string]string{"epochs": "10"}}, // another script, which cannot
		{"yolov9", "runs/train/exp", "", detect},                                // one of several scripts
		{"ultralytics", "/home/a b/it's", `yolo train resume model='/home/a b/it'\''s/weights/last.pt'`, nil},
		{"ultralytics", `D:\runs\train`, `yolo train resume model=D:\runs\train/weights/last.pt`, nil},
		{"ultralytics", `D:\my runs`, `yolo train resume model="D:\my runs/weights/last.pt"`, nil},
		{"ultralytics", "", "", nil},
		{"mmengine", "work_dirs/x", "", nil},
	} {
		r := newRun(1, 0)
		r.Trainer, r.SaveDir, r.Args = c.trainer, c.folder, c.args
		if got := r.ResumeCommand(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
