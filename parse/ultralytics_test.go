package parse

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBanner(t *testing.T) {
	t.Parallel()
	gpu := func(index int, name string, mib Bytes) Device {
		return Device{Kind: "cuda", Index: index, Name: name, Total: mib * MiB}
	}
	for _, c := range []struct {
		line string
		want Banner
	}{
		{"Ultralytics YOLOv8.0.20 🚀 Python-3.11.2 torch-1.13.0a0 CPU", Banner{"ultralytics", "8.0.20", "1.13.0a0", []Device{{Kind: "cpu", Index: -1}}}},
		{"Ultralytics YOLOv8.1.34 🚀 Python-3.11.2 torch-1.13.0a0 CUDA:0 (NVIDIA A100-SXM4-40GB, 40514MiB)", Banner{"ultralytics", "8.1.34", "1.13.0a0", []Device{gpu(0, "NVIDIA A100-SXM4-40GB", 40514)}}},
		{"Ultralytics 8.3.0 🚀 Python-3.11.2 torch-2.4.0+cu121 CPU (unknown)", Banner{"ultralytics", "8.3.0", "2.4.0+cu121", []Device{{Kind: "cpu", Index: -1}}}},
		{"Ultralytics 8.3.40 🚀 Python-3.10.12 torch-2.5.1+cu121 CPU (Intel Xeon 2.20GHz)", Banner{"ultralytics", "8.3.40", "2.5.1+cu121", []Device{{Kind: "cpu", Index: -1, Name: "Intel Xeon 2.20GHz"}}}},
		{"Ultralytics 8.3.40 🚀 Python-3.12.7 torch-2.5.1 MPS (Apple M1 Pro)", Banner{"ultralytics", "8.3.40", "2.5.1", []Device{{Kind: "mps", Index: -1, Name: "Apple M1 Pro"}}}},
		{"Ultralytics 8.4.82 🚀 Python-3.11.2 torch-2.9.0 NPU:0 (Ascend910B3, 62432MiB)", Banner{"ultralytics", "8.4.82", "2.9.0", []Device{{Kind: "npu", Index: 0, Name: "Ascend910B3", Total: 62432 * MiB}}}},
		{"Ultralytics 8.4.82  Python-3.11.2 torch-2.9.0+cu128 CUDA:0 (NVIDIA GeForce RTX 4060 Ti, 16380MiB)", Banner{"ultralytics", "8.4.82", "2.9.0+cu128", []Device{gpu(0, "NVIDIA GeForce RTX 4060 Ti", 16380)}}},
		{"Ultralytics 8.3.0 🚀 Python-3.11.2 torch-2.4.0 CUDA:3 (GeForce (TM) GTX 1080 (Max-Q), 8192MiB)", Banner{"ultralytics", "8.3.0", "2.4.0", []Device{gpu(3, "GeForce (TM) GTX 1080 (Max-Q)", 8192)}}},
		{"Ultralytics 8.3.0 🚀 Python-3.11.2 torch-2.4.0 CUDA:99999999999999999999 (X, 1e99MiB)", Banner{"ultralytics", "8.3.0", "2.4.0", []Device{{Kind: "cuda", Index: -1, Name: "X, 1e99MiB"}}}},
		{"Ultralytics 8.3.0 🚀 Python-3.11.2 torch-2.4.0 TPU", Banner{"ultralytics", "8.3.0", "2.4.0", nil}},
		{"YOLOv5 🚀 v7.0-162-gc3e4e94 Python-3.8.16 torch-1.12.1+cu113 CUDA:0 (Tesla T4, 15102MiB)", Banner{"yolov5", "7.0-162-gc3e4e94", "1.12.1+cu113", []Device{gpu(0, "Tesla T4", 15102)}}},
		{"YOLOv5 🚀 2026-8-20 Python-3.11.2 torch-1.13.0a0 CPU", Banner{"yolov5", "2026-8-20", "1.13.0a0", []Device{{Kind: "cpu", Index: -1}}}},
		{"YOLOv5 🚀 v5.0-0-gf5b8f7d torch 1.8.1+cu102 CUDA:0 (Tesla P100-PCIE-16GB, 16280.875MB)", Banner{"yolov5", "5.0-0-gf5b8f7d", "1.8.1+cu102", []Device{{Kind: "cuda", Index: 0, Name: "Tesla P100-PCIE-16GB", Total: Bytes(16280.875 * 1024 * 1024)}}}},
		{"YOLOv5  2022-8-20 Python-3.8.16 torch-1.12.1 CPU", Banner{"yolov5", "2022-8-20", "1.12.1", []Device{{Kind: "cpu", Index: -1}}}},
		{"YOLOv3 🚀 v9.6.0-1-g1 Python-3.8.16 torch-1.12.1 CPU", Banner{"yolov5", "9.6.0-1-g1", "1.12.1", []Device{{Kind: "cpu", Index: -1}}}},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			for _, end := range []string{"\n", "\r\n", ""} {
				if b := one[*Banner](t, c.line+end); !same(*b, c.want) {
					t.Errorf("%+v, want %+v", *b, c.want)
				}
			}
		})
	}
}

func TestBannerOfSeveralDevices(t *testing.T) {
	t.Parallel()
	in := "Ultralytics 8.3.0 🚀 Python-3.11.2 torch-2.4.0 CUDA:2 (NVIDIA A100-SXM4-80GB, 81154MiB)\n" +
		"                                               CUDA:0 (NVIDIA A100-SXM4-80GB, 81154MiB)\n" +
		"                                               CUDA:3 (NVIDIA A100-SXM4-40GB, 40514MiB)\n" +
		"text\n" +
		"                                               CUDA:1 (not of it, 1MiB)\n"
	var got []int
	for _, b := range recordsOf[*Banner](in) {
		got = append(got, b.Devices[0].Index)
	}
	if !slices.Equal(got, []int{2, 0, 3}) {
		t.Errorf("devices %v", got)
	}
}

func TestNoBanner(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"New https://pypi.org/project/ultralytics/8.4.90 available 😃 Update with 'pip install -U ultralytics'",
		"Ultralytics settings are on Python-3.11",
		"requirements: Ultralytics requirement ['torch>=1.8'] not found",
		"YOLOv5 u models are trained with torch-2",
	} {
		if b := recordsOf[*Banner](line); len(b) != 0 {
			t.Errorf("%q: %+v", line, b[0])
		}
	}
}

// The G of the memory column is 10^9 bytes before 8.3.76 and 2^30 from there on.
func TestUnitByVersion(t *testing.T) {
	t.Parallel()
	tqdm := "        1/3      2.41G      4.635      4.044     0.1412         10         64:  25%|██▌       | 1/4 [00:02<00:04,  1.51s/it]"
	own := "        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── 1/4 1.9it/s 0.2s<1.6s"
	const decimal = 2_410_000_000
	binary := gibibytes(2.41)
	for _, c := range []struct {
		banner, row string
		want        Bytes
	}{
		{"Ultralytics YOLOv8.0.20", tqdm, decimal},
		{"Ultralytics YOLOv8.2.103", tqdm, decimal},
		{"Ultralytics 8.3.0", tqdm, decimal},
		{"Ultralytics 8.3.9", tqdm, decimal},
		{"Ultralytics 8.3.75", tqdm, decimal},
		{"Ultralytics 8.3.76", tqdm, binary},
		{"Ultralytics 8.3.100", tqdm, binary},
		{"Ultralytics 8.4.0", own, binary},
		{"Ultralytics 8.4.82.dev1", own, binary},
		{"Ultralytics 10.0.0", own, binary},
		{"Ultralytics 9", own, binary},
		{"YOLOv5 🚀 v7.0-162-gc3e4e94", tqdm, decimal},
		{"YOLOv5 🚀 2026-8-20", own, decimal},
		{"", tqdm, decimal},
		{"", own, binary},
	} {
		banner := ""
		if c.banner != "" {
			banner = c.banner + "  Python-3.11.2 torch-2.4.0 CUDA:0 (X, 24268MiB)\n"
		}
		for _, head := range []string{detectHead, ""} { // rows alone are on the error stream
			if p := one[*Progress](t, banner+head+c.row); p.Memory.Bytes != c.want {
				t.Errorf("%q %q: %d, want %d", c.banner, head, p.Memory.Bytes, c.want)
			}
		}
	}
}

func TestArgumentsLine(t *testing.T) {
	t.Parallel()
	for prefix, dialect := range map[string]string{
		"\x1b[34m\x1b[1mengine/trainer: \x1b[0m":      "ultralytics",
		"\x1b[34m\x1b[1myolo/engine/trainer: \x1b[0m": "ultralytics",
		`engine\trainer: `:                            "ultralytics",
	} {
		c := one[*Config](t, prefix+"task=detect, mode=train, model=/data/my models, old/yolov8n.pt, data=a b.yaml, epochs=100, time=None, "+
			"batch=-1, imgsz=[640, 480], save_dir=/runs/a, b/c, device=[0, 1], workers=8, amp=True, classes=[0, 2], name=CUDA out of memory, close_mosaic=10\n")
		if c.Task != "detect" || c.Mode != "train" || c.Model != "/data/my models, old/yolov8n.pt" || c.Data != "a b.yaml" || c.Epochs != 100 ||
			c.Batch != -1 || !slices.Equal(c.ImgSize, []int{640, 480}) || c.SaveDir != "/runs/a, b/c" || c.Workers != 8 || c.AMP == nil || !*c.AMP {
			t.Errorf("%s: %+v", dialect, c)
		}
		for k, v := range map[string]string{"device": "[0, 1]", "classes": "[0, 2]", "time": "None", "name": "CUDA out of memory", "close_mosaic": "10"} {
			if c.Args[k] != v {
				t.Errorf("%s is %q, want %q", k, c.Args[k], v)
			}
		}
	}
	c := one[*Config](t, "\x1b[34m\x1b[1mtrain: \x1b[0mweights='', cfg=models/yolov5n.yaml, data=d.yaml, hyp=data/hyps/a.yaml, epochs=4, batch_size=16, imgsz=640, workers=4, save_dir=runs/train/exp\n")
	if c.Model != "models/yolov5n.yaml" || c.Epochs != 4 || c.Batch != 16 || c.Workers != 4 || c.AMP != nil || c.SaveDir != "runs/train/exp" {
		t.Errorf("YOLOv5: %+v", c)
	}
	c = one[*Config](t, "classify/train: model=yolov5s-cls.pt, data=imagenette160, epochs=10, batch_size=64, imgsz=224\n")
	if c.Model != "yolov5s-cls.pt" || c.Epochs != 10 {
		t.Errorf("YOLOv5 classify: %+v", c)
	}
}

func TestAbsurdArguments(t *testing.T) {
	t.Parallel()
	c := one[*Config](t, "engine/trainer: task=detect, epochs=-3, batch=nan, imgsz=99999999999999, workers=-4, amp=maybe\n")
	if c.Epochs != 0 || c.Batch != 0 || c.ImgSize != nil || c.Workers != -1 || c.AMP != nil {
		t.Errorf("%+v", c)
	}
	c = one[*Config](t, "engine/trainer: task=detect, epochs=99999999999999999999, batch=1e300, imgsz=[1, 2, 3], workers=99999999999999\n")
	if c.Epochs != 0 || c.Batch != 0 || c.ImgSize != nil || c.Workers != -1 {
		t.Errorf("%+v", c)
	}
	if c := one[*Config](t, "engine/trainer: task=detect, batch=0.7, imgsz=(640, 480)\n"); c.Batch != .7 || len(c.ImgSize) != 2 {
		t.Errorf("%+v", c)
	}
}

func TestAnnouncements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		want Notice
	}{
		{"WARNING ⚠️ CUDA out of memory with batch=8. Reducing to batch=4 and retrying (1/3).", Notice{Kind: BatchReduced, From: 8, Batch: 4}},
		{"WARNING ⚠️ CUDA backend memory error with batch=16. Reducing to batch=8 and retrying (2/3).", Notice{Kind: BatchReduced, From: 16, Batch: 8}},
		{"WARNING CUDA out of memory with batch=8. Reducing to batch=4 and retrying (1/3).", Notice{Kind: BatchReduced, From: 8, Batch: 4}},
		{"WARNING ⚠️ Loss NaN/Inf detected (attempt 1/3), recovering from last.pt...", Notice{Kind: NaNRecovery}},
		{"WARNING ⚠️ Fitness collapse detected (attempt 1/3), recovering from last.pt...", Notice{Kind: NaNRecovery}},
		{"WARNING ⚠️ Skipping checkpoint save at epoch 2: EMA contains NaN/Inf", Notice{Kind: CheckpointSkipped, Epoch: 3}},
		{"Starting training for 3 epochs...", Notice{Kind: TrainingStarted, Epochs: 3}},
		{"Starting training for 0.001 hours...", Notice{Kind: TrainingStarted}},
		{"Resuming training /data/runs/int/weights/last.pt from epoch 3 to 6 total epochs", Notice{Kind: Resumed, Epoch: 3, Epochs: 6}},
		{"Logging results to \x1b[1m/data/my runs/NAME\x1b[0m", Notice{Kind: SaveDir, Path: "/data/my runs/NAME"}},
		{"Closing dataloader mosaic", Notice{Kind: MosaicClosed}},
		{"Stopping training early as no improvement observed in last 3 epochs. Best results observed at epoch 1, best model saved as best.pt.", Notice{Kind: StoppedEarly}},
		{"\x1b[34m\x1b[1mEarlyStopping: \x1b[0mTraining stopped early as no improvement observed in last 3 epochs.", Notice{Kind: StoppedEarly}},
		{"3 epochs completed in 0.000 hours.", Notice{Kind: Completed, Epochs: 3}},
		{"Using 8 dataloader workers", Notice{Kind: WorkersSet, Count: 8}},
		{"This DataLoader will create 16 worker processes in total. Our suggested max number of worker in current system is 4, which is smaller", Notice{Kind: WorkersTooMany, Count: 4}},
		{"\x1b[34m\x1b[1mAMP: \x1b[0mchecks passed ✅", Notice{Kind: AMPPassed}},
		{"AMP: checks failed ❌. AMP training may fail", Notice{Kind: AMPFailed}},
		{"AMP: checks skipped ⚠️. Offline and unable to download YOLO11n for AMP checks.", Notice{Kind: AMPSkipped}},
		{"AutoBatch: Using batch-size 16 for CUDA:0 3.41G/39.56G (9%) ✅", Notice{Kind: BatchChosen, Batch: 16}},
		{"WARNING ⚠️ AutoBatch: error detected: no, using default batch-size 16", Notice{Kind: BatchNotChosen, Batch: 16}},
		{"WARNING ⚠️ train: Slow image access detected (ping: 12.1±0.0 ms, read: 9.6±94.2 MB/s, size: 1.6 KB). Use local storage instead", Notice{Kind: SlowImages}},
		{"libpng error: IDAT: CRC error", Notice{Kind: ImageDamaged}},
		{"train: WARNING ⚠️ /data/a.jpg: ignoring corrupt image/label: cannot identify image file", Notice{Kind: ImageDamaged}},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			for _, before := range []string{"", banner84} {
				n := noticesOf(before + c.line + "\n")
				if len(n) != 1 {
					t.Fatalf("%d notices", len(n))
				}
				if n[0].Text == "" {
					t.Error("no text")
				}
				n[0].Text = ""
				if !same(*n[0], c.want) {
					t.Errorf("%+v, want %+v", *n[0], c.want)
				}
			}
		})
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	idle := func(k StageKind, part string) Stage {
		return Stage{Kind: k, Part: part, Done: -1, Total: -1, Elapsed: -1}
	}
	for line, want := range map[string]Stage{
		"AMP: running Automatic Mixed Precision (AMP) checks with YOLOv8n...":                    idle(CheckingAMP, ""),
		"AutoBatch: Computing optimal batch size for imgsz=64 at 60.0% CUDA memory utilization.": idle(AutoBatch, ""),
		"Plotting labels to /data/runs/labels.jpg... ":                                           idle(Plotting, ""),
		"Validating /data/runs/weights/best.pt...":                                               idle(FinalValidation, "val"),
		"\x1b[34m\x1b[1mtrain: \x1b[0mScanning /data/50%/labels/train... 16 images, 0 backgrounds, 0 corrupt: 100% ━━━━━━━━━━━━ 16/16 2.4Kit/s 0.5s":  {Kind: Scanning, Part: "train", Done: 16, Total: 16, Elapsed: 500 * time.Millisecond},
		"\x1b[34m\x1b[1mval: \x1b[0mScanning /data/labels/val.cache... 8 images, 0 backgrounds, 0 corrupt: 100%|██████████| 8/8 [00:01<00:00, 8it/s]": {Kind: Scanning, Part: "val", Done: 8, Total: 8, Elapsed: time.Second},
		"train: Caching images (0.1GB RAM): 50% ━━━━━━────── 8/16 9.9it/s 0.8s<0.8s":                                                                  {Kind: Caching, Part: "train", Done: 8, Total: 16, Elapsed: 800 * time.Millisecond, Cached: 107374182},
		"train: Caching images (12.5GB Disk): 50% ━━━━━━────── 8/16 9.9it/s 0.8s<0.8s":                                                                {Kind: Caching, Part: "train", Done: 8, Total: 16, Elapsed: 800 * time.Millisecond},
		"train: Scanning '/data/labels'...": idle(Scanning, "train"),
	} {
		if st := one[*Stage](t, banner84+line+"\n"); *st != want {
			t.Errorf("%q: %+v, want %+v", line, *st, want)
		}
	}
}

// Texts of a healthy run that hold the words of an unhealthy one.
func TestHarmlessLines(t *testing.T) {
	t.Parallel()
	in := banner84 + lines(
		"AutoBatch: Computing optimal batch size for imgsz=64 at 60.0% CUDA memory utilization.",
		"AutoBatch: CUDA:0 (NVIDIA A100-SXM4-40GB) 39.56G total, 0.16G reserved, 0.10G allocated, 39.31G free",
		"      Params      GFLOPs  GPU_mem (GB)  forward (ms) backward (ms)                   input                  output",
		"     2504580     0.05771         0.609         7.267           nan          (1, 3, 64, 64)                    list",
		"                   from  n    params  module                                       arguments                     ",
		"  0                  -1  1       464  ultralytics.nn.modules.conv.Conv             [3, 16, 3, 2]                 ",
		"YOLO26n summary: 260 layers, 2,504,580 parameters, 2,504,580 gradients, 5.8 GFLOPs",
		"train: Fast image access ✅ (ping: 0.0±0.0 ms, read: 129.6±94.2 MB/s, size: 1.6 KB)",
		"Downloading https://github.com/ultralytics/assets/releases/download/v8.4.0/yolo26n.pt to 'yolo26n.pt': 100% ━━━━━━━━━━━━ 5.4/5.4MB 12.3MB/s 0.4s",
		"Image sizes 64 train, 64 val",
		"optimizer: AdamW(lr=0.001667, momentum=0.9) with parameter groups 114 weight(decay=0.0), 126 weight(decay=0.0005), 125 bias(decay=0.0)",
		"To update EarlyStopping(patience=3) pass a new patience value, i.e. `patience=300` or use `patience=0` to disable EarlyStopping.",
		"Speed: 0.0ms preprocess, 2.1ms inference, 0.0ms loss, 0.0ms postprocess per image",
		"Results saved to /data/CUDA out of memory/killed by hand",
		"Optimizer stripped from /data/runs/weights/last.pt, 5.3MB",
		"wandb: run is out of memory tips: https://example.org/cuda-out-of-memory",
		"TensorBoard: Start with 'tensorboard --logdir /data/runs', view at http://localhost:6006/",
	)
	for _, e := range eventsOf(in) {
		switch r := e.Record.(type) {
		case *Failure, *Progress, *Validation, *EpochRow:
			t.Errorf("line %d: %+v", e.Line, r)
		case *Notice:
			if r.Kind != BatchChosen && r.Kind != ModelSummary && r.Kind != OptimizerChosen {
				t.Errorf("line %d: %+v", e.Line, r)
			}
		}
	}
}

// After a retry or a recovery the frame of the bar that was given up is printed
// once more; it counts no longer.
func TestStaleFrame(t *testing.T) {
	t.Parallel()
	row := func(mem, total string) string {
		return "\r\x1b[K        1/4      " + mem + "      4.405      4.004     0.1387         27         64: 50% ━━━━━━────── 1/" + total + " 1.7it/s 0.2s<0.6s"
	}
	for _, warning := range []string{
		"WARNING ⚠️ CUDA out of memory with batch=8. Reducing to batch=4 and retrying (1/3).",
		"WARNING ⚠️ Loss NaN/Inf detected (attempt 1/3), recovering from last.pt...",
	} {
		in := banner84 + detectHead + row("28.7G", "2") + warning + "\ntext\n" + row("28.8G", "2") + "\n" + "\r\x1b[K: 0% ──────────── 0/4  0.1s\n" + detectHead + row("14.1G", "4") + "\n"
		rows := recordsOf[*Progress](in)
		if len(rows) != 2 || rows[0].Iters != 2 || rows[1].Iters != 4 || rows[1].Memory.Bytes != gibibytes(14.1) {
			t.Errorf("%s: %d rows", warning, len(rows))
		}
		if x := recordsOf[*Text](in); len(x) != 1 {
			t.Errorf("%d texts", len(x))
		}
	}
}

func TestQuotedSourceIsNoNews(t *testing.T) {
	t.Parallel()
	in := banner84 + lines(
		"Traceback (most recent call last):",
		`  File "/x/ultralytics/engine/trainer.py", line 458, in _do_train`,
		`    LOGGER.warning(f"{reason} detected, recovering from last.pt...")`,
		`    raise RuntimeError(f"Training failed: NaN persisted for {n} epochs")`,
		"RuntimeError: Training failed: NaN persisted for 3 epochs")
	if f := one[*Failure](t, in); f.Kind != NaNPersisted {
		t.Errorf("%+v", f)
	}
	if n := noticesOf(in); len(n) != 0 {
		t.Errorf("%+v", n[0])
	}
}

// What is true of each recording, whatever chunks it comes in.
func TestRecordings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dialect, version    string
		rows, first, last   int // epochs
		epochs              int
		losses              string
		peak                float64 // as printed
		unit                Bytes
		validations, finals int
		failure             FailureKind
		failures            int
		completed           int
	}{
		"8.0.20-detect-pty.log":               {dialect: "ultralytics", version: "8.0.20", rows: 25, first: 1, last: 4, epochs: 4, losses: "box_loss cls_loss dfl_loss", validations: 5, finals: 1, completed: 4},
		"8.0.100-detect-nan-merged.log":       {dialect: "ultralytics", version: "8.0.100", rows: 26, first: 1, last: 4, epochs: 4, losses: "box_loss cls_loss dfl_loss", peak: 3.37, unit: 1e9, validations: 5, finals: 1, completed: 4},
		"8.1.34-detect-autobatch-merged.log":  {dialect: "ultralytics", version: "8.1.34", rows: 5, first: 1, last: 2, epochs: 2, losses: "box_loss cls_loss dfl_loss", peak: 2.41, unit: 1e9, validations: 3, finals: 1, completed: 2},
		"8.3.0-detect-narrow-pty.log":         {dialect: "ultralytics", version: "8.3.0", rows: 13, first: 1, last: 2, epochs: 2, losses: "box_loss cls_loss dfl_loss", validations: 3, finals: 1, completed: 2},
		"8.3.0-pose-merged.log":               {dialect: "ultralytics", version: "8.3.0", rows: 23, first: 1, last: 3, epochs: 3, losses: "box_loss pose_loss kobj_loss cls_loss dfl_loss", validations: 4, finals: 1, completed: 3},
		"8.3.0-detect-stdout.log":             {dialect: "ultralytics", version: "8.3.0", validations: 5, finals: 1, completed: 4},
		"8.3.0-detect-stderr.log":             {dialect: "ultralytics", rows: 25, first: 1, last: 4, epochs: 4},
		"8.3.190-detect-merged.log":           {dialect: "ultralytics", version: "8.3.190", rows: 13, first: 1, last: 4, epochs: 4, losses: "box_loss cls_loss dfl_loss", validations: 7, finals: 3, completed: 4},
		"8.4.82-detect-ci-merged.log":         {dialect: "ultralytics", version: "8.4.82", rows: 3, first: 1, last: 3, epochs: 3, losses: "box_loss cls_loss dfl_loss", validations: 6, finals: 3, completed: 3},
		"8.4.82-detect-bigmem-merged.log":     {dialect: "ultralytics", version: "8.4.82", rows: 7, first: 1, last: 2, epochs: 2, losses: "box_loss cls_loss dfl_loss", peak: 113, unit: GiB, validations: 5, finals: 3, completed: 2},
		"8.4.82-detect-oomglued-merged.log":   {dialect: "ultralytics", version: "8.4.82", rows: 20, first: 1, last: 2, epochs: 2, losses: "box_loss cls_loss dfl_loss", peak: 34.8, unit: GiB, validations: 5, finals: 3, completed: 2},
		"8.4.82-detect-oomfail-pty.log":       {dialect: "ultralytics", version: "8.4.82", losses: "box_loss cls_loss dfl_loss", failures: 1, failure: OutOfMemory},
		"8.4.82-detect-nanrecover-merged.log": {dialect: "ultralytics", version: "8.4.82", rows: 75, first: 1, last: 36, epochs: 36, losses: "box_loss cls_loss dfl_loss", peak: 3.14, unit: GiB, validations: 40, finals: 3, completed: 36},
		"8.4.82-detect-resume-merged.log":     {dialect: "ultralytics", version: "8.4.82", rows: 9, first: 3, last: 6, epochs: 6, losses: "box_loss cls_loss dfl_loss", validations: 7, finals: 3, completed: 4},
		"8.4.82-detect-interrupt-pty.log":     {dialect: "ultralytics", version: "8.4.82", rows: 12, first: 1, last: 3, epochs: 6, losses: "box_loss cls_loss dfl_loss", peak: 3.14, unit: GiB, validations: 2, failures: 1, failure: Interrupted},
		"8.4.82-segment-merged.log":           {dialect: "ultralytics", version: "8.4.82", rows: 14, first: 1, last: 3, epochs: 3, losses: "box_loss seg_loss cls_loss dfl_loss sem_loss", validations: 6, finals: 3, completed: 3},
		"8.4.82-semantic-merged.log":          {dialect: "ultralytics", version: "8.4.82", rows: 6, first: 1, last: 3, epochs: 3, losses: "ce_loss dice_loss aux_loss", validations: 6, finals: 3, completed: 3},
		"8.4.82-classify-merged.log":          {dialect: "ultralytics", version: "8.4.82", rows: 6, first: 1, last: 3, epochs: 3, losses: "loss", validations: 4, finals: 1, completed: 3},
		"8.4.82-detect-slow-pty.log":          {dialect: "ultralytics", version: "8.4.82", rows: 10, first: 1, last: 2, epochs: 2, losses: "box_loss cls_loss dfl_loss", peak: 3.14, unit: GiB, validations: 5, finals: 3, completed: 2},
		"8.4.82bar128-detect-narrow-pty.log":  {dialect: "ultralytics", version: "8.4.82", rows: 6, first: 1, last: 2, epochs: 2, losses: "box_loss cls_loss dfl_loss", validations: 5, finals: 3, completed: 2},
		"8.4.82-rtdetr-crash-merged.log":      {dialect: "ultralytics", version: "8.4.82", rows: 3, first: 1, last: 1, epochs: 2, losses: "giou_loss cls_loss l1_loss", failures: 1, failure: Exception},
		"yolov5-classify-merged.log":          {dialect: "yolov5", version: "2026-8-20", rows: 15, first: 1, last: 3, epochs: 3, losses: "train_loss test_loss top1_acc top5_acc"},
		"yolov5-detect-pty.log":               {dialect: "yolov5", version: "2026-8-20", rows: 10, first: 1, last: 4, epochs: 4, losses: "box_loss obj_loss cls_loss", validations: 7, finals: 3, completed: 4},
		"yolov5v7.0-detect-merged.log":        {dialect: "yolov5", version: "2022-11-22", rows: 27, first: 1, last: 4, epochs: 4, losses: "box_loss obj_loss cls_loss", validations: 7, finals: 3, completed: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := recording(t, name)
			s := NewStream(0)
			s.Write([]byte(in), time.Time{}, func(Event) {})
			if s.Dialect() != c.dialect {
				t.Errorf("dialect %q", s.Dialect())
			}
			version, losses, validations, finals, completed := "", "", 0, 0, 0
			var rows []*Progress
			var failures []*Failure
			peak := Bytes(0)
			for _, e := range eventsOf(in) {
				switch r := e.Record.(type) {
				case *Banner:
					version = r.Version
				case *Progress:
					rows = append(rows, r)
					peak = max(peak, r.Memory.Bytes)
				case *Validation:
					validations++
					if r.Final {
						finals++
					}
				case *Failure:
					failures = append(failures, r)
				case *Notice:
					switch r.Kind {
					case Header:
						losses = strings.Join(r.Columns.Losses, " ")
					case Completed:
						completed = r.Epochs
					}
				}
			}
			if version != c.version || c.losses != "" && losses != c.losses || validations != c.validations || finals != c.finals || completed != c.completed {
				t.Errorf("version %q, losses %q, %d validations, %d of them final, %d epochs completed", version, losses, validations, finals, completed)
			}
			if len(rows) != c.rows || peak != Bytes(c.peak*float64(c.unit)+.5) && c.peak > 0 || c.peak == 0 && peak > 0 {
				t.Errorf("%d rows, peak %d", len(rows), peak)
			}
			if len(rows) > 0 {
				if a, b := rows[0], rows[len(rows)-1]; a.Epoch != c.first || b.Epoch != c.last || b.Epochs != c.epochs {
					t.Errorf("epochs %d .. %d of %d", a.Epoch, b.Epoch, b.Epochs)
				}
			}
			if len(failures) != c.failures || len(failures) > 0 && failures[len(failures)-1].Kind != c.failure {
				t.Errorf("%d failures", len(failures))
			}
		})
	}
}
