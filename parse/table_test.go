package parse

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// columns is a header of detection.
func columns(losses ...string) *Columns {
	return &Columns{Losses: losses, Instances: true, Size: true}
}

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func TestRow(t *testing.T) {
	t.Parallel()
	detect := columns("box_loss", "cls_loss", "dfl_loss")
	for _, c := range []struct {
		name, row string
		columns   *Columns
		want      *Progress // Columns and Memory are looked at elsewhere
		rest      string
	}{
		{
			"tqdm", "        4/4      2.41G     0.4415      0.575     0.2662          8         64:  75%|███████▌  | 3/4 [00:00<00:00, 29.29it/s]", detect,
			&Progress{Epoch: 4, Epochs: 4, Iter: 3, Iters: 4, Values: []float64{.4415, .575, .2662}, Instances: 8, Size: 64, Rate: 29.29}, "",
		},
		{
			"tqdm, seconds a batch", "        1/2      2.41G     0.2225     0.4394     0.1344         10         64:  25%|██▌       | 1/4 [01:02<1:00:04,  1.25s/it]", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 1, Iters: 4, Values: []float64{.2225, .4394, .1344}, Instances: 10, Size: 64, Rate: 0.8, Elapsed: 62 * time.Second}, "",
		},
		{
			"tqdm, unknowns", "        1/2      2.41G     0.2225     0.4394     0.1344         10         64:   0%|          | 0/4 [00:00<?, ?it/s]", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 0, Iters: 4, Values: []float64{.2225, .4394, .1344}, Instances: 10, Size: 64}, "",
		},
		{
			"tqdm in ASCII with a postfix", "        1/2      2.41G     0.2225     0.4394     0.1344         10         64:  25%|##5       | 1/4 [00:02<00:04,  2.00it/s, x=1]", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 1, Iters: 4, Values: []float64{.2225, .4394, .1344}, Instances: 10, Size: 64, Rate: 2, Elapsed: 2 * time.Second}, "",
		},
		{
			"YOLOv5 7.0, elapsed only", "        1/2      2.41G     0.2225     0.4394     0.1344         10         64:  25%|██▌       | 1/4 00:12", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 1, Iters: 4, Values: []float64{.2225, .4394, .1344}, Instances: 10, Size: 64, Elapsed: 12 * time.Second}, "",
		},
		{
			"own bar", "        1/3         0G      4.635      4.044     0.1412         10         64: 25% ━━━───────── 1/4 1.9it/s 0.2s<1.6s", detect,
			&Progress{Epoch: 1, Epochs: 3, Iter: 1, Iters: 4, Values: []float64{4.635, 4.044, .1412}, Instances: 10, Size: 64, Rate: 1.9, Elapsed: 200 * time.Millisecond}, "",
		},
		{
			"own bar without a rate", "        1/2      1.94G      4.557      3.952      0.142         17         64: 0% ──────────── 0/4  1.4s", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 0, Iters: 4, Values: []float64{4.557, 3.952, .142}, Instances: 17, Size: 64, Elapsed: 1400 * time.Millisecond}, "",
		},
		{
			"own bar, seconds a batch", "        1/2         0G      1.604       8.12     0.8262         28        320: 50% ━━━━━━────── 2/4 8.0s/it 18.5s<22.7s", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 2, Iters: 4, Values: []float64{1.604, 8.12, .8262}, Instances: 28, Size: 320, Rate: .125, Elapsed: 18500 * time.Millisecond}, "",
		},
		{
			"own bar, thousands and hours", "        1/2         0G      1.604       8.12     0.8262         28        320: 50% ━━━━━╸────── 2/4 2.5Kit/s 1:02:03<1:05", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 2, Iters: 4, Values: []float64{1.604, 8.12, .8262}, Instances: 28, Size: 320, Rate: 2500, Elapsed: time.Hour + 2*time.Minute + 3*time.Second}, "",
		},
		{
			"own bar, complete", "        1/3         0G      4.796      4.049     0.1484         14         64: 100% ━━━━━━━━━━━━ 4/4 13.9it/s 0.3s", detect,
			&Progress{Epoch: 1, Epochs: 3, Iter: 4, Iters: 4, Values: []float64{4.796, 4.049, .1484}, Instances: 14, Size: 64, Rate: 13.9, Elapsed: 300 * time.Millisecond}, "",
		},
		{
			"own bar of 8.3.186", "        1/3         0G      4.796      4.049     0.1484         14         64:  25% ━━━───────── 1/4  0.3s", detect,
			&Progress{Epoch: 1, Epochs: 3, Iter: 1, Iters: 4, Values: []float64{4.796, 4.049, .1484}, Instances: 14, Size: 64, Elapsed: 300 * time.Millisecond}, "",
		},
		{
			"own bar in a wrong code page", "        1/3         0G      4.796      4.049     0.1484         14         64: 25% 鈹佲攣\xef鈹€鈹€ 1/4 1.9it/s 0.5s<1.6s", detect,
			&Progress{Epoch: 1, Epochs: 3, Iter: 1, Iters: 4, Values: []float64{4.796, 4.049, .1484}, Instances: 14, Size: 64, Rate: 1.9, Elapsed: 500 * time.Millisecond}, "",
		},
		{
			"odd numbers", "      12/99      2.41G        nan       -inf  1.235e+04  1.234e+04       1280: 25% ━━━ 1/4 1.9it/s 0.5s", detect,
			&Progress{Epoch: 12, Epochs: 99, Iter: 1, Iters: 4, Values: []float64{nan, -inf, 12350}, Instances: 12340, Size: 1280, Rate: 1.9, Elapsed: 500 * time.Millisecond}, "",
		},
		{
			"a description without a bar", "        1/2      2.41G     0.2225     0.4394     0.1344         10         64", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2225, .4394, .1344}, Instances: 10, Size: 64, Elapsed: -1}, "",
		},
		{
			"cut in the percentage", "        1/2         0G     0.2905     0.4833     0.1753         18         64: 1", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2905, .4833, .1753}, Instances: 18, Size: 64, Elapsed: -1}, "",
		},
		{
			"cut in the bar", "        1/2         0G     0.2905     0.4833     0.1753         18         64:  25%|██\xe2", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2905, .4833, .1753}, Instances: 18, Size: 64, Elapsed: -1}, "",
		},
		{
			"cut in the total", "        1/2         0G     0.2905     0.4833     0.1753         18         64:  25%|██▌       | 10/4", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2905, .4833, .1753}, Instances: 18, Size: 64, Elapsed: -1}, "",
		},
		{
			"cut in the elapsed time", "        1/2         0G     0.2905     0.4833     0.1753         18         64:  25%|██▌       | 1/4 [00:0", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 1, Iters: 4, Values: []float64{.2905, .4833, .1753}, Instances: 18, Size: 64, Elapsed: -1}, "",
		},
		{
			"cut in the rate", "        1/2      2.41G     0.2225     0.4394     0.1344         10         64:  25%|██▌       | 1/4 [00:02<00:04,  1.51s", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: 1, Iters: 4, Values: []float64{.2225, .4394, .1344}, Instances: 10, Size: 64, Elapsed: 2 * time.Second}, "",
		},
		{
			"cut in the size", "        1/2      2.41G     0.2225     0.4394     0.1344         10        64", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2225, .4394, .1344}, Instances: 10, Size: -1, Elapsed: -1}, "",
		},
		{
			"cut in a loss", "        1/2      2.41G     0.2225     0.43", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2225}, Instances: -1, Size: -1, Elapsed: -1}, "",
		},
		{
			"a classifier's row fills up at the end", "       1/3        0G       0.612                                    : 25% ━━━───────── 1/4 1.6it/s 0.2s<1.9s",
			&Columns{Losses: []string{"train_loss", "test_loss", "top1_acc", "top5_acc"}},
			&Progress{Epoch: 1, Epochs: 3, Iter: 1, Iters: 4, Values: []float64{.612}, Instances: -1, Size: -1, Rate: 1.6, Elapsed: 200 * time.Millisecond}, "",
		},
		{
			"touching text", "        1/2      2.41G     0.2225     0.4394     0.1344         10        640Reducer buckets", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2225, .4394, .1344}, Instances: 10, Size: 640, Elapsed: -1}, "Reducer buckets",
		},
		{
			"touching text in a short row", "        1/2      2.41G     0.2225     0.43Reducer buckets", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2225}, Instances: -1, Size: -1, Elapsed: -1}, "Reducer buckets",
		},
		{
			"text behind a blank", "        1/2      2.41G     0.2225     0.4394     0.1344 info: 5", detect,
			&Progress{Epoch: 1, Epochs: 2, Iter: -1, Iters: -1, Values: []float64{.2225, .4394, .1344}, Instances: -1, Size: -1, Elapsed: -1}, "info: 5",
		},
		{
			"text behind an own bar", "        1/4      28.7G      4.405      4.044     0.1387         27         64: 25% ━━━ 1/4 1.2s/it 0.8s<3.7sWARNING ⚠️ (1/3).", detect,
			&Progress{Epoch: 1, Epochs: 4, Iter: 1, Iters: 4, Values: []float64{4.405, 4.044, .1387}, Instances: 27, Size: 64, Rate: 1 / 1.2, Elapsed: 800 * time.Millisecond}, "WARNING ⚠️ (1/3).",
		},
		{
			"text behind tqdm", "        1/4      28.7G      4.405      4.044     0.1387         27         64:  25%|██▌       | 1/4 [00:02<00:04,  2.00it/s]Killed", detect,
			&Progress{Epoch: 1, Epochs: 4, Iter: 1, Iters: 4, Values: []float64{4.405, 4.044, .1387}, Instances: 27, Size: 64, Rate: 2, Elapsed: 2 * time.Second}, "Killed",
		},
		{
			"text behind a cut tqdm", "        1/4      28.7G      4.405      4.044     0.1387         27         64:  25%|██▌       | 1/4 [00:02<00:04,  1.51sWARNING retrying (1/3) [x]", detect,
			&Progress{Epoch: 1, Epochs: 4, Iter: 1, Iters: 4, Values: []float64{4.405, 4.044, .1387}, Instances: 27, Size: 64, Elapsed: 2 * time.Second}, "WARNING retrying (1/3) [x]",
		},
		{
			"a count in glued text is not the bar's", "        1/4      28.7G      4.405      4.044     0.1387         27         64:  25%|██WARNING 1/3 of all", detect,
			&Progress{Epoch: 1, Epochs: 4, Iter: -1, Iters: -1, Values: []float64{4.405, 4.044, .1387}, Instances: 27, Size: 64, Elapsed: -1}, "WARNING 1/3 of all",
		},
		{
			"more losses than eight", "        1/2      2.41G 1 2 3 4 5 6 7 8 9 10 64: 25% ━━━ 1/4  0.5s", columns("a", "b", "c", "d", "e", "f", "g", "h", "i"),
			&Progress{Epoch: 1, Epochs: 2, Iter: 1, Iters: 4, Values: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, Instances: 10, Size: 64, Elapsed: 500 * time.Millisecond}, "",
		},
		{
			"no header", "        1/3         0G      4.796      4.049     0.1484         14         64: 100% ━━━━━━━━━━━━ 4/4 13.9it/s 0.3s", nil,
			&Progress{Epoch: 1, Epochs: 3, Iter: 4, Iters: 4, Instances: -1, Size: -1, Rate: 13.9, Elapsed: 300 * time.Millisecond}, "",
		},
		{
			"absurd time", "        1/3         0G      4.796      4.049     0.1484         14         64: 100% ━━━ 4/4 13.9it/s 99999999999:59:59", detect,
			&Progress{Epoch: 1, Epochs: 3, Iter: 4, Iters: 4, Values: []float64{4.796, 4.049, .1484}, Instances: 14, Size: 64, Rate: 13.9, Elapsed: -1}, "99999999999:59:59",
		},

		{"no header and no bar", "        1/3         0G      4.796      4.049     0.1484         14         64", nil, nil, ""},
		{"a download", "100% ━━━━━━━━━━━━ 5.4/5.4MB 12.3MB/s 0.4s", detect, nil, ""},
		{"another download", "5.4/5.4MB 12.3MB/s", detect, nil, ""},
		{"a class with a slash", "                   1/2          8         11          0          0          0          0", detect, nil, ""},
		{"a table of a model", "  0                  -1  1       464  ultralytics.nn.modules.conv.Conv             [3, 16, 3, 2]", detect, nil, ""},
		{"AutoBatch's memory", "AutoBatch: Using batch-size 16 for CUDA:0 3.41G/39.56G (9%)", detect, nil, ""},
		{"absurd epochs", "99999999999999999999/3 2G 1 1 1: 100%", detect, nil, ""},
		{"a memory that is no number", "1/3 nanG 1 1 1: 100%", detect, nil, ""},
		{"a date", "12/25 2.4 Gb free", detect, nil, ""},
		{"nothing behind the memory", "1/3 2.41G", detect, nil, ""},
		{"empty", "", detect, nil, ""},
		{"a slash", "/", detect, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab := table{base: 1, columns: c.columns}
			p, rest := tab.row([]byte(c.row), -1)
			if p == nil || c.want == nil {
				if p != nil || c.want != nil {
					t.Fatalf("%+v, want %+v", p, c.want)
				}
				return
			}
			p.Values = slices.Clone(p.Values) // they lie in store
			p.Memory, p.Columns, p.store = MemoryReading{}, nil, [6]float64{}
			if !same(p, c.want) || string(rest) != c.rest {
				t.Errorf("\n%+v %q, want\n%+v %q", p, rest, c.want, c.rest)
			}
		})
	}
}

// The newer bar cuts its description to the terminal and resets the colours there.
func TestRowWithCutDescription(t *testing.T) {
	t.Parallel()
	head := strings.TrimPrefix(detectHead, "\n")
	for row, want := range map[string][]float64{
		"        1/2      2.41G      4.635      \x1b[0m: 25% ━━━ 1/4 1.8it/s 0.2s":                                      {4.635},
		"        1/2      2.41G      4.796      4.0\x1b[0m: 25% ━━━ 1/4 1.8it/s 0.2s":                                   {4.796},
		"        1/2      2.41G      4.7\x1b[0m: 25% ━━━ 1/4 1.8it/s 0.2s":                                              nil,
		"        1/2      2.41G\x1b[0m: 25% ━━━ 1/4 1.8it/s 0.2s":                                                       nil,
		"        1/2      2.41G      4.796      4.049     0.1484         14         6\x1b[0m: 25% ━━━ 1/4 1.8it/s 0.2s": {4.796, 4.049, .1484},
	} {
		p := one[*Progress](t, banner84+head+"\r\x1b[K"+row+"\n")
		if !slices.Equal(p.Values, want) || p.Size != -1 || p.Iter != 1 || p.Iters != 4 || p.Elapsed != 200*time.Millisecond {
			t.Errorf("%q: %+v", row, p)
		}
	}
	if p := recordsOf[*Progress](banner84 + head + "\r\x1b[K        1/2      2.4\x1b[0m: 25% ━━━ 1/4 1.8it/s 0.2s\n"); len(p) != 0 {
		t.Errorf("half a memory was read: %+v", p[0])
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	const gb = 1_000_000_000
	for _, c := range []struct {
		printed     string
		unit        Bytes
		bytes, step Bytes
	}{
		{"0", GiB, 0, 0},
		{"0.0197", gb, 19_700_000, 100_000},
		{"0.197", gb, 197_000_000, 1_000_000},
		{"0.2", gb, 200_000_000, 1_000_000},
		{"2.63", gb, 2_630_000_000, 10_000_000},
		{"2.45", GiB, gibibytes(2.45), gibibytes(.01)},
		{"9.99", gb, 9_990_000_000, 10_000_000},
		{"10", gb, 10_000_000_000, 100_000_000},
		{"93.1", GiB, gibibytes(93.1), gibibytes(.1)},
		{"113", GiB, 113 * GiB, GiB},
		{"1e+03", gb, 1_000_000_000_000, 10_000_000_000},
		{"1e+30", gb, 0, 0},
	} {
		value, _ := parseFloat(c.printed)
		got := (&table{unit: c.unit}).memory(value, 'G', false)
		if got.Bytes != c.bytes || max(got.Step-c.step, c.step-got.Step) > 1 || (got.Measure == Reserved) != (c.bytes > 0) {
			t.Errorf("%sG by %d: %+v, want %d by %d", c.printed, c.unit, got, c.bytes, c.step)
		}
	}
	for letter, want := range map[byte]Bytes{'G': 500 * GiB, 'M': 500 * MiB, 'K': 500 * KiB} {
		if got := (&table{unit: GiB}).memory(500, letter, true).Bytes; got != want {
			t.Errorf("500%c is %d", letter, got)
		}
	}
	if got := (&table{unit: gb}).memory(500, 'M', true).Bytes; got != 500_000_000 {
		t.Errorf("decimal 500M is %d", got)
	}
	// Without a version the kind of bar tells.
	if tqdm, own := (&table{}).memory(1, 'G', false).Bytes, (&table{}).memory(1, 'G', true).Bytes; tqdm != gb || own != GiB {
		t.Errorf("unknown units: %d and %d", tqdm, own)
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	grid := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			b.WriteString(strings.Repeat(" ", max(0, 11-len(n))) + n)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, line string
		losses     []string
		instances  bool
		size       bool
	}{
		{"detect", grid("Epoch", "GPU_mem", "box_loss", "cls_loss", "dfl_loss", "Instances", "Size"), []string{"box_loss", "cls_loss", "dfl_loss"}, true, true},
		{"segment", grid("Epoch", "GPU_mem", "box_loss", "seg_loss", "cls_loss", "dfl_loss", "sem_loss", "Instances", "Size"), []string{"box_loss", "seg_loss", "cls_loss", "dfl_loss", "sem_loss"}, true, true},
		{"pose", grid("Epoch", "GPU_mem", "box_loss", "pose_loss", "kobj_loss", "cls_loss", "dfl_loss", "rle_loss", "Instances", "Size"), []string{"box_loss", "pose_loss", "kobj_loss", "cls_loss", "dfl_loss", "rle_loss"}, true, true},
		{"obb", grid("Epoch", "GPU_mem", "box_loss", "cls_loss", "dfl_loss", "angle_loss", "Instances", "Size"), []string{"box_loss", "cls_loss", "dfl_loss", "angle_loss"}, true, true},
		{"classify", grid("Epoch", "GPU_mem", "loss", "Instances", "Size"), []string{"loss"}, true, true},
		{"semantic", grid("Epoch", "GPU_mem", "ce_loss", "dice_loss", "aux_loss", "Instances", "Size"), []string{"ce_loss", "dice_loss", "aux_loss"}, true, true},
		{"RT-DETR", grid("Epoch", "GPU_mem", "giou_loss", "cls_loss", "l1_loss", "Instances", "Size"), []string{"giou_loss", "cls_loss", "l1_loss"}, true, true},
		{"names without _loss", grid("Epoch", "GPU_mem", "box", "seg", "cls", "dfl", "Instances", "Size"), []string{"box", "seg", "cls", "dfl"}, true, true},
		{"columns never seen", grid("Epoch", "GPU_mem", "nwd_loss", "hz_loss", "Instances", "Size"), []string{"nwd_loss", "hz_loss"}, true, true},
		{"YOLOv5 6.2", "     Epoch   gpu_mem       box       obj       cls    labels  img_size", []string{"box", "obj", "cls"}, true, true},
		{"YOLOv5 5.0", "     Epoch   gpu_mem       box       obj       cls     total    labels  img_size", []string{"box", "obj", "cls", "total"}, true, true},
		{"YOLOv5 classify", "     Epoch   GPU_mem  train_loss   test_loss    top1_acc    top5_acc", []string{"train_loss", "test_loss", "top1_acc", "top5_acc"}, false, false},
		{"a tutorial", "      Epoch   GPU Mem   Box Loss   Obj Loss   Cls Loss  Instances   Size", []string{"box_loss", "obj_loss", "cls_loss"}, true, true},
		{"no instances", grid("Epoch", "GPU_mem", "loss", "Size"), []string{"loss"}, false, true},
		{"a name of 11 touches", grid("Epoch", "GPU_mem", "box_loss", "hungry_loss", "l1", "Instances", "Size"), []string{"box_loss", "hungry_loss", "l1"}, true, true},
		{"a name of 13 touches", grid("Epoch", "GPU_mem", "dfl_loss", "landmark_loss", "Instances", "Size"), []string{"dfl_loss", "landmark_loss"}, true, true},
		{"two of 11 touch", grid("Epoch", "GPU_mem", "box", "abcdefghijk", "ABCDEFGHIJK", "Instances", "Size"), []string{"box", "abcdefghijk", "ABCDEFGHIJK"}, true, true},
		{"it touches the memory", grid("Epoch", "GPU_mem", "abcdefghijk", "cls", "Instances", "Size"), []string{"abcdefghijk", "cls"}, true, true},
		{"long names of the other width", "     Epoch   gpu_mem  distill_lossorient_loss    labels  img_size", []string{"distill_loss", "orient_loss"}, true, true},

		{"AutoBatch's table", "      Params      GFLOPs  GPU_mem (GB)  forward (ms) backward (ms)                   input                  output", nil, false, false},
		{"a sentence", "Epoch 3 of 5: GPU_mem is high", nil, false, false},
		{"another trainer", "     Epoch        lr  iou_loss  dfl_loss  cls_loss", nil, false, false},
		{"results.csv", "epoch,time,train/box_loss", nil, false, false},
		{"no losses", grid("Epoch", "GPU_mem", "Instances", "Size"), nil, false, false},
		{"a path", "/data/Epoch GPU_mem a b", nil, false, false},
		{"empty", "", nil, false, false},
		{"one word", "Epoch", nil, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := (&table{}).header(c.line)
			if got == nil {
				if c.losses != nil {
					t.Fatalf("no header in %q", c.line)
				}
				return
			}
			if !slices.Equal(got.Losses, c.losses) || got.Instances != c.instances || got.Size != c.size {
				t.Errorf("%+v, want %q", got, c.losses)
			}
		})
	}
}

// A tutorial's table is read with its blanks in names and other units.
func TestTutorialTable(t *testing.T) {
	t.Parallel()
	in := lines(
		"      Epoch   GPU Mem   Box Loss   Cls Loss   Dfl Loss  Instances   Size",
		"        1/3     2410M      4.635      4.044     0.1412         10     64: 25% ━━━───────── 1/4 1.9it/s 0.2s<1.6s")
	p := one[*Progress](t, in)
	if p.Memory.Bytes != 2410*MiB || !slices.Equal(p.Columns.Losses, []string{"box_loss", "cls_loss", "dfl_loss"}) || p.Size != 64 {
		t.Errorf("%+v %+v", p, p.Columns)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		value float64
		n     int
	}{
		{"0", 0, 1},
		{"-1.5x", -1.5, 4},
		{"+.5", .5, 3},
		{"5.", 5, 2},
		{"1.235e+04:", 12350, 9},
		{"6.3e-05", 6.3e-05, 7},
		{"64e", 64, 2},
		{"64error", 64, 2},
		{"nan", nan, 3},
		{"-NaN ", nan, 4},
		{"-inf", -inf, 4},
		{"nanWARNING", nan, 3},
		{"info", 0, 0},
		{"nano", 0, 0},
		{"in", 0, 0},
		{"", 0, 0},
		{"-", 0, 0},
		{".", 0, 0},
		{"e5", 0, 0},
		{"0.1234567890123456789", 0.1234567890123456789, 21},
		{"123456789012345678901234567890", 123456789012345678901234567890, 30},
		{"1e400", inf, 5},
		{"-1e400", -inf, 6},
		{"1e-400", 0, 6},
		{strings.Repeat("9", 400), inf, 400},
	} {
		if v, n := scanFloat([]byte(c.in)); n != c.n || !same(v, c.value) {
			t.Errorf("%q: %v of %d bytes, want %v of %d", c.in, v, n, c.value, c.n)
		}
	}
	for in, want := range map[string]int{"0": 0, "12x": 12, "2147483647": 1<<31 - 1, "2147483648": -1, "99999999999999999999": -1, "x": -1, "": -1} {
		if v, n := scanInt([]byte(in)); n == 0 && want != -1 || n > 0 && v != want {
			t.Errorf("%q: %d of %d bytes, want %d", in, v, n, want)
		}
	}
	for in, want := range map[string]time.Duration{
		"0.3s": 300 * time.Millisecond, "14.0s<": 14 * time.Second, "1:05": 65 * time.Second, "00:00<": 0,
		"1:02:03": time.Hour + 2*time.Minute + 3*time.Second, "101:02:03": 101*time.Hour + 2*time.Minute + 3*time.Second,
		"00:0": -1, "1:2:3": -1, "1.5": -1, "?": -1, "": -1, "-1s": -1, "nans": -1, "9999999999s": -1, "99999:59:59:59": -1, "999999999:00": -1,
	} {
		if d, n := scanClock([]byte(in)); n == 0 && want != -1 || n > 0 && d != want {
			t.Errorf("%q: %v of %d bytes, want %v", in, d, n, want)
		}
	}
	for in, want := range map[string]float64{"1.9it/s": 1.9, "0.5s/it": 2, "2.5Kit/s": 2500, "5Mit/s": 5e6, "1Git/s": 1e9, "0s/it": 0, "?it/s": -1, "1.9": -1, "3MB/s": -1, "": -1} {
		if r, n := scanRate([]byte(in)); n == 0 && want != -1 || n > 0 && r != want {
			t.Errorf("%q: %v of %d bytes, want %v", in, r, n, want)
		}
	}
}

// TestANewerBarCutsWithAnEllipsis promises that half a number is no number, and that
// the bar behind the cut is still read.
func TestANewerBarCutsWithAnEllipsis(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]float64{
		"        1/2      2.41G     0.1235     0.3954    0.0…: 50% ━━━━━━────── 2/4 1.9it/s 0.2s<1.6s": {0.1235, 0.3954},
		"        1/2      2.41G    0.04502     …: 50% ━━━━━━────── 2/4 1.9it/s 0.2s<1.6s":              {0.04502},
	} {
		p, rest := (&table{base: 1, unit: GiB, columns: columns("box_loss", "cls_loss", "dfl_loss")}).row([]byte(text), -1)
		if p == nil || !same(p.Values, want) || p.Iter != 2 || p.Iters != 4 || p.Elapsed != 200*time.Millisecond || len(rest) != 0 {
			t.Errorf("%s: %+v, rest %q", text, p, rest)
		}
	}
}
