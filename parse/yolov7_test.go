package parse

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	banner7 = "YOLOR 🚀 v0.1-128-ga207844 torch 1.13.1+cu117 CUDA:0 (NVIDIA GeForce RTX 3090, 24267.5625MB)\n"
	bannerR = "Using torch 1.7.1 CUDA:0 (GeForce RTX 2080 Ti, 11019MB)\n"
	banner9 = "YOLO 🚀 v0.1-104-g5b1ea9a Python-3.10.13 torch-2.1.2+cu118 CUDA:0 (NVIDIA A100-SXM4-40GB, 40354MiB)\n"

	space7 = "Namespace(adam=False, batch_size=16, cfg='cfg/training/yolov7.yaml', data='data/parts.yaml', epochs=3, freeze=[0], img_size=[640, 640], weights='', workers=8, total_batch_size=16)\n"
	args9  = "\x1b[34m\x1b[1mtrain_dual: \x1b[0mweights=, cfg=models/detect/yolov9-c.yaml, data=data/parts.yaml, epochs=3, batch_size=16, imgsz=640, workers=8\n"
	head7  = "\n     Epoch   gpu_mem       box       obj       cls     total    labels  img_size\n"
	headR  = "\n     Epoch   gpu_mem       box       obj       cls     total   targets  img_size\n"
	head9  = "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
	row7   = "\r       0/2     9.63G   0.08877   0.02972   0.02985    0.1483        43       640:  75%|███████▌  | 45/60 [00:20<00:06,  2.25it/s]"
	row9   = "\r        0/2      17.2G      3.058      3.467      2.923        161        640:  50%|█████     | 25/50 00:12"
)

// TestYOLOv7 promises what YOLOv7, YOLOR and YOLOv9 say of themselves, and their rows.
func TestYOLOv7(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in            string
		trainer       string
		version       string
		torch, device string
		total         Bytes
		losses        []string
		values        []float64
		instances     float64
		memory        Bytes
		iter          int
		elapsed       time.Duration
	}{
		{
			banner7 + space7 + head7 + row7, "yolov7", "0.1-128-ga207844", "1.13.1+cu117", "NVIDIA GeForce RTX 3090", Bytes(24267.5625 * float64(MiB)),
			[]string{"box", "obj", "cls", "total"},
			[]float64{.08877, .02972, .02985, .1483},
			43, 9_630_000_000, 45, 20 * time.Second,
		},
		{
			bannerR + space7 + headR + row7, "yolov7", "", "1.7.1", "GeForce RTX 2080 Ti", 11019 * MiB,
			[]string{"box", "obj", "cls", "total"},
			[]float64{.08877, .02972, .02985, .1483},
			43, 9_630_000_000, 45, 20 * time.Second,
		},
		{
			args9 + banner9 + head9 + row9, "yolov9", "0.1-104-g5b1ea9a", "2.1.2+cu118", "NVIDIA A100-SXM4-40GB", 40354 * MiB,
			[]string{"box_loss", "cls_loss", "dfl_loss"},
			[]float64{3.058, 3.467, 2.923},
			161, 17_200_000_000, 25, 12 * time.Second,
		},
	} {
		b := one[*Banner](t, c.in)
		if b.Trainer != c.trainer || b.Version != c.version || b.Torch != c.torch || len(b.Devices) != 1 || b.Devices[0].Name != c.device || b.Devices[0].Total != c.total {
			t.Errorf("banner %+v", b)
		}
		cfg := one[*Config](t, c.in)
		if cfg.Epochs != 3 || cfg.Batch != 16 || cfg.Workers != 8 || cfg.ImgSize[0] != 640 || cfg.Data != "data/parts.yaml" || !strings.HasPrefix(cfg.Model, "cfg/") && !strings.HasPrefix(cfg.Model, "models/") {
			t.Errorf("%s: %+v", c.trainer, cfg)
		}
		p := one[*Progress](t, c.in)
		if p.Epoch != 1 || p.Epochs != 3 || p.Iter != c.iter || p.Instances != c.instances || p.Size != 640 || p.Memory.Bytes != c.memory || p.Memory.Measure != Reserved || p.Elapsed != c.elapsed {
			t.Errorf("%s: %+v", c.trainer, p)
		}
		if !slices.Equal(p.Columns.Losses, c.losses) || !slices.Equal(p.Values, c.values) {
			t.Errorf("%s: %v %v", c.trainer, p.Columns.Losses, p.Values)
		}
	}
}

// TestYOLOv7Validates promises the results, whose names differ from those of others.
func TestYOLOv7Validates(t *testing.T) {
	t.Parallel()
	in := banner7 + head7 + row7 + "\n" +
		"               Class      Images      Labels           P           R      mAP@.5  mAP@.5:.95: 100%|██████████| 12/12 [00:04<00:00,  3.00it/s]\n" +
		"                 all         380        1912       0.743        0.71       0.745       0.496\n"
	v := one[*Validation](t, in)
	if v.Images != 380 || v.Instances != 1912 || !slices.Equal(v.Names, []string{"precision", "recall", "mAP50", "mAP50-95"}) || v.Values[3] != 0.496 {
		t.Errorf("%+v", v)
	}
}

// TestNoDialectTakesAnothersText promises that banners, arguments and rows belong to one
// trainer.
func TestNoDialectTakesAnothersText(t *testing.T) {
	t.Parallel()
	for want, lines := range map[string][]string{
		"ultralytics":     {banner84},
		"yolov5":          {banner5, banner5main},
		"yolov6":          {head6, args6},
		"yolov7-results":  {rowResults},
		"yolov7":          {banner7, bannerR},
		"yolox":           {rowYOLOX, rowYOLOXOld},
		"mmdet":           {rowMM2, rowMM2Iter},
		"mmengine":        {rowMM3},
		"damo-yolo":       {rowDAMO},
		"detectron2":      {rowD2, rowD206},
		"jsonlines":       {jsonMM2, jsonMM3, jsonD2, jsonDETR},
		"metriclogger":    {rowMetric, rowMetricOf},
		"paddledetection": {rowPaddle},
		"yolov9":          {banner9, args9},
	} {
		for _, line := range lines {
			var got []string
			for _, d := range dialects() {
				if !d.weak && d.claims([]byte(plain(line))) {
					got = append(got, d.name)
				}
			}
			if !slices.Equal(got, []string{want}) {
				t.Errorf("%q is claimed by %q, want %s", line, got, want)
			}
		}
	}
}

// plain is a line as a dialect sees it: without escapes.
func plain(line string) string {
	return strings.NewReplacer("\x1b[34m", "", "\x1b[32m", "", "\x1b[1m", "", "\x1b[4m", "", "\x1b[97m", "", "\x1b[0m", "", "\n", "").Replace(line)
}

const (
	args6 = "training args are: Namespace(data_path='data/parts.yaml', conf_file='configs/yolov6s.py', img_size=640, batch_size=32, epochs=3, workers=8, device='0')\n"
	head6 = "     Epoch        lr  iou_loss  dfl_loss  cls_loss\n"
	row6  = "\r       0/2  0.0001667       1.1     1.261     2.672:   2%|▏         | 1/45 [00:00<00:20,  2.10it/s]"
)

// TestYOLOv6 promises rows without memory, whose columns the header names.
func TestYOLOv6(t *testing.T) {
	t.Parallel()
	in := args6 + "\n" + head6 + row6 + "\n"
	c := one[*Config](t, in)
	if c.Batch != 32 || c.Epochs != 3 || c.Data != "data/parts.yaml" || c.Model != "configs/yolov6s.py" {
		t.Errorf("%+v", c)
	}
	p := one[*Progress](t, in)
	if p.Epoch != 1 || p.Epochs != 3 || p.Iter != 1 || p.Iters != 45 || p.Rate != 2.1 || p.Memory.Measure != NotMeasured {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(p.Columns.Losses, []string{"iou_loss", "dfl_loss", "cls_loss"}) || !slices.Equal(p.Values, []float64{1.1, 1.261, 2.672}) {
		t.Errorf("%v %v", p.Columns.Losses, p.Values)
	}
	old := one[*Progress](t, "     Epoch  iou_loss  dfl_loss  cls_loss\n       0/2       1.1     1.261     2.672:   2%|▏         | 1/45 [00:00<00:20,  2.10it/s]\n")
	if !slices.Equal(old.Values, []float64{1.1, 1.261, 2.672}) {
		t.Errorf("before 0.4.0: %v", old.Values)
	}
	v := one[*Validation](t, in+"Epoch: 3 | mAP@0.5: 0.6123 | mAP@0.50:0.95: 0.4234\n")
	if !slices.Equal(v.Values, []float64{0.6123, 0.4234}) {
		t.Errorf("%+v", v)
	}
}

const rowResults = "      0/29     7.23G   0.08193   0.01969   0.03027     0.127        88       640    0.1653   0.09366   0.07563   0.04416   0.06935   0.02058   0.02993\n"

// TestResultsText promises what a row of results.txt says, which has no header.
func TestResultsText(t *testing.T) {
	t.Parallel()
	p := one[*Progress](t, rowResults)
	if p.Epoch != 1 || p.Epochs != 30 || p.Iter != -1 || p.Instances != 88 || p.Size != 640 || p.Memory.Bytes != 7_230_000_000 || p.Memory.Measure != Reserved {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(p.Values, []float64{.08193, .01969, .03027, .127}) {
		t.Errorf("%v", p.Values)
	}
	v := one[*Validation](t, rowResults)
	if !slices.Equal(v.Names, []string{"precision", "recall", "mAP50", "mAP50-95"}) || !slices.Equal(v.Values, []float64{.1653, .09366, .07563, .04416}) {
		t.Errorf("%+v", v)
	}
	for _, in := range []string{
		strings.TrimSuffix(rowResults, "   0.02993\n") + "\n", strings.Replace(rowResults, "7.23G", "7.23", 1), strings.Replace(rowResults, "0/29", "0-29", 1),
	} {
		if got := recordsOf[*Progress](in); len(got) != 0 {
			t.Errorf("%q is a row", in)
		}
	}
}

const rowNAS = "Train epoch 3:  40%|████      | 20/50 [00:04<00:07,  4.10it/s, PPYoloELoss/loss=2.31, PPYoloELoss/loss_cls=1.2, PPYoloELoss/loss_iou=nan, gpu_mem=9.8]"

// TestYOLONAS promises rows whose values stand behind the bar.
func TestYOLONAS(t *testing.T) {
	t.Parallel()
	in := "[2026-03-14 09:12:04] INFO - sg_trainer.py - Started training for 50 epochs (0/49)\n\r" + rowNAS + "\n"
	p := one[*Progress](t, in)
	if p.Epoch != 4 || p.Epochs != 50 || p.Iter != 20 || p.Iters != 50 || p.Rate != 4.1 || p.Elapsed != 4*time.Second || p.Memory.Bytes != 9_800_000_000 || p.Memory.Measure != Reserved {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(p.Columns.Losses, []string{"loss", "loss_cls", "loss_iou"}) || p.Values[0] != 2.31 || p.Values[2] == p.Values[2] {
		t.Errorf("%v %v", p.Columns.Losses, p.Values)
	}
	if v := one[*Validation](t, in+"    └── Map@0.50 = 0.5479\n"); v.Names[0] != "mAP50" || v.Values[0] != 0.5479 {
		t.Errorf("%+v", v)
	}
	if rows := recordsOf[*Progress]("\rTrain epoch 0:   0%|          | 0/40 [00:00<?, ?it/s]\n"); len(rows) != 0 {
		t.Errorf("a bar without values is a row: %+v", rows[0])
	}
}
