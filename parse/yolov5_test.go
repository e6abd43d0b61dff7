package parse

import (
	"slices"
	"testing"
	"time"
)

const (
	banner5     = "YOLOv5 🚀 v7.0-162-gc3e4e94 Python-3.8.16 torch-1.12.1+cu113 CUDA:0 (Tesla T4, 15102MiB)\n"
	banner5main = "YOLOv5 🚀 2026-8-20 Python-3.11.2 torch-2.9.0+cu128 CUDA:0 (Tesla T4, 15102MiB)\n"
)

// Detection and segmentation count epochs from 0, classification from 1; ours
// begin with 1.
func TestYOLOv5Rows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in      string
		epoch, epochs int
		losses        []string
		values        []float64
		instances     float64
		size          float64
		bytes         Bytes
		iter          int
	}{
		{
			"7.0", banner5 + "\n      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n" +
				"        0/3      2.42G     0.1064    0.00782    0.02348         10        640:  75%|███████▌  | 3/4 00:12",
			1, 4,
			[]string{"box_loss", "obj_loss", "cls_loss"},
			[]float64{.1064, .00782, .02348},
			10, 640, 2_420_000_000, 3,
		},
		{
			"main, with the newer bar and still decimal", banner5main + "\n      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n" +
				"\r\x1b[K        3/3      2.42G     0.1064    0.00782    0.02348         10        640: 100% ━━━━━━━━━━━━ 4/4 1.9it/s 2.1s",
			4, 4,
			[]string{"box_loss", "obj_loss", "cls_loss"},
			[]float64{.1064, .00782, .02348},
			10, 640, 2_420_000_000, 4,
		},
		{
			"6.2", "\n     Epoch   gpu_mem       box       obj       cls    labels  img_size\n" +
				"     0/299     4.25G    0.1064   0.00782   0.02348        10       640:  75%|███████▌  | 3/4 [00:02<00:01,  1.51s/it]",
			1, 300,
			[]string{"box", "obj", "cls"},
			[]float64{.1064, .00782, .02348},
			10, 640, 4_250_000_000, 3,
		},
		{
			"5.0", "\n     Epoch   gpu_mem       box       obj       cls     total    labels  img_size\n" +
				"     5/299     4.25G    0.1064   0.00782   0.02348    0.1378        10       640:  75%|███████▌  | 3/4 [00:02<00:01,  1.51s/it]",
			6, 300,
			[]string{"box", "obj", "cls", "total"},
			[]float64{.1064, .00782, .02348, .1378},
			10, 640, 4_250_000_000, 3,
		},
		{
			"segment", banner5 + "\n      Epoch    GPU_mem   box_loss   seg_loss   obj_loss   cls_loss  Instances       Size\n" +
				"        0/3      2.42G     0.1064    0.00782    0.02348       0.01         10        640:  75%|███████▌  | 3/4 00:12",
			1, 4,
			[]string{"box_loss", "seg_loss", "obj_loss", "cls_loss"},
			[]float64{.1064, .00782, .02348, .01},
			10, 640, 2_420_000_000, 3,
		},
		{
			"classify", banner5 + "\n     Epoch   GPU_mem  train_loss   test_loss    top1_acc    top5_acc\n" +
				"       1/3     2.42G       0.798        0.62         0.5           1: 100%|██████████| 4/4 [00:00<00:00,  7.40it/s]",
			1, 3,
			[]string{"train_loss", "test_loss", "top1_acc", "top5_acc"},
			[]float64{.798, .62, .5, 1},
			-1, -1, 2_420_000_000, 4,
		},
		{
			"DDP with glued text", banner5 + "\n      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n" +
				"        0/3      2.42G     0.1064    0.00782    0.02348         10        640Reducer buckets have been rebuilt in this iteration.\n",
			1, 4,
			[]string{"box_loss", "obj_loss", "cls_loss"},
			[]float64{.1064, .00782, .02348},
			10, 640, 2_420_000_000, -1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := one[*Progress](t, c.in)
			if p.Epoch != c.epoch || p.Epochs != c.epochs || !slices.Equal(p.Columns.Losses, c.losses) || !slices.Equal(p.Values, c.values) ||
				p.Instances != c.instances || p.Size != c.size || p.Memory.Bytes != c.bytes || p.Iter != c.iter {
				t.Errorf("%+v %+v", p, p.Columns)
			}
		})
	}
}

func TestYOLOv5Lines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		want Notice
	}{
		{"Starting training for 300 epochs...", Notice{Kind: TrainingStarted, Epochs: 300}},
		{"Starting yolov5s-cls.pt training on imagenette160 dataset with 10 classes for 5 epochs...", Notice{Kind: TrainingStarted, Epochs: 5}},
		{"Resuming training from runs/train/exp/weights/last.pt from epoch 57 to 300 total epochs", Notice{Kind: Resumed, Epoch: 58, Epochs: 300}},
		{"Logging results to \x1b[1mruns/train/exp\x1b[0m", Notice{Kind: SaveDir, Path: "runs/train/exp"}},
		{"Stopping training early as no improvement observed in last 100 epochs.", Notice{Kind: StoppedEarly}},
		{"300 epochs completed in 12.345 hours.", Notice{Kind: Completed, Epochs: 300}},
		{"Training complete (0.123 hours)", Notice{Kind: Completed}},
		{"Using 8 dataloader workers", Notice{Kind: WorkersSet, Count: 8}},
	} {
		n := noticesOf(banner5 + c.line + "\n")
		if len(n) != 1 {
			t.Errorf("%q: %d notices", c.line, len(n))
			continue
		}
		n[0].Text = ""
		if !same(*n[0], c.want) {
			t.Errorf("%q: %+v, want %+v", c.line, *n[0], c.want)
		}
	}
	if d := recordsOf[*Failure](banner5 + "AutoAnchor: 4.94 anchors/target, 0.995 Best Possible Recall (BPR). Current anchors are a good fit to dataset ✅\n"); len(d) != 0 {
		t.Errorf("%+v", d[0])
	}
}

// The classifier's bar over the test images stands behind the epoch's columns; the
// epoch's own time goes on through it.
func TestYOLOv5ClassifierTests(t *testing.T) {
	t.Parallel()
	in := recording(t, "yolov5-classify-merged.log")
	tests := 0
	var last Event
	for _, e := range eventsOf(in) {
		switch r := e.Record.(type) {
		case *Stage:
			if r.Kind == Validating && r.Done == 1 && r.Total == 1 {
				tests++
			}
		case *Progress:
			last = e
		case *Text:
			if len(r.Text) > 8 && r.Text[:8] == "testing:" {
				t.Errorf("left as text: %q", r.Text)
			}
		}
	}
	if tests != 3 || last.Run != 1400*time.Millisecond {
		t.Errorf("%d tests, %v at the end", tests, last.Run)
	}
}
