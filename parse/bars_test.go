package parse

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	rowDarknet    = " 2: 1300.750784, 1413.896003 avg loss, 0.000013 rate, 1.000000 seconds, 128 images, 7.541429 hours left\n"
	rowDarknetOld = " 21: -nan, -nan avg loss, 0.000013 rate, 4.200000 seconds, 1344 images\n"
	deviceDarknet = " 0 : compute_capability = 860, cudnn_half = 1, GPU: NVIDIA GeForce RTX 3060 \n"
	rowLightning  = "Epoch 2:  98%|█████████▊| 39/40 [00:16<00:00,  2.31it/s, v_num=0, train_loss=1.620, grad_norm=3.1]"
	rowHF         = "{'loss': 2.6784, 'grad_norm': 19.44967890334343, 'learning_rate': 4.8333333333333334e-05, 'epoch': 0.1}\n"
	rowHFText     = "{'loss': '2.771', 'grad_norm': 'inf', 'learning_rate': '4.8e-05', 'epoch': '1.5'}\n"
	evalHF        = "{'eval_loss': 0.7896434371395631, 'eval_map': 0.3819, 'eval_map_50': 0.51, 'eval_runtime': 12.3456, 'eval_samples_per_second': 38.9, 'epoch': 3.0}\n"
)

// TestDarknet promises rows whose loading is told in a line before them.
func TestDarknet(t *testing.T) {
	t.Parallel()
	in := deviceDarknet + "mini_batch = 4, batch = 64, time_steps = 1, train = 1 \n" +
		"Resizing, random_coef = 1.40 \n\n 544 x 544 \n" +
		"v3 (iou loss, Normalizer: (iou: 0.07, obj: 1.00, cls: 1.00) Region 139 Avg (IOU: -nan), count: 0, class_loss = 2.8, iou_loss = 0.0, total_loss = 2.8 \n" +
		"Loaded: 3.000000 seconds - performance bottleneck on CPU or Disk HDD/SSD\n\x1b[H\x1b[J2/6000: loss=1300.8 hours left=7.5\a\n" + rowDarknet
	p := one[*Progress](t, in)
	if p.Epoch != 1 || p.Iter != 2 || p.Iters != 6000 || p.StepTime != 4*time.Second || p.DataTime != 3*time.Second || p.Size != 544 || p.Memory.Measure != NotMeasured {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(p.Columns.Losses, []string{"loss", "avg_loss"}) || !slices.Equal(p.Values, []float64{1300.750784, 1413.896003}) {
		t.Errorf("%v %v", p.Columns.Losses, p.Values)
	}
	if c := one[*Config](t, in); c.Batch != 64 {
		t.Errorf("%+v", c)
	}
	banners := recordsOf[*Banner](in)
	if len(banners) != 2 || banners[0].Trainer != "darknet" || banners[1].Devices[0].Name != "NVIDIA GeForce RTX 3060" {
		t.Errorf("%+v", banners)
	}
	if p := one[*Progress](t, rowDarknetOld); p.Iter != 21 || !math.IsNaN(p.Values[0]) || p.DataTime != 0 {
		t.Errorf("an older build: %+v", p)
	}
	if v := one[*Validation](t, in+" mean_average_precision (mAP@0.50) = 0.598123, or 59.81 % \n"); v.Names[0] != "mAP50" || v.Values[0] != 0.598123 {
		t.Errorf("%+v", v)
	}
}

// TestLightning promises whatever is logged into the bar, apart from results.
func TestLightning(t *testing.T) {
	t.Parallel()
	p := one[*Progress](t, "\r"+rowLightning+"\n")
	if p.Epoch != 3 || p.Iter != 39 || p.Iters != 40 || p.Rate != 2.31 || p.Elapsed != 16*time.Second {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(p.Columns.Losses, []string{"train_loss", "grad_norm"}) || !slices.Equal(p.Values, []float64{1.62, 3.1}) {
		t.Errorf("%v %v", p.Columns.Losses, p.Values)
	}
	last := "\rEpoch 2: 100%|██████████| 40/40 [00:17<00:00,  2.33it/s, v_num=0, train_loss=1.620, val_mAP=0.479]"
	if v := one[*Validation](t, last+last+"\n"); !slices.Equal(v.Values, []float64{.479}) {
		t.Errorf("%+v", v)
	}
	rich := one[*Progress](t, "GPU available: True (cuda), used: True\nEpoch 2/4 ━━━━━━━━━━━━━━━━ 39/40 0:00:16 • 0:00:01 2.31it/s v_num: 0.000 train_loss: 1.62\n")
	if rich.Epoch != 3 || rich.Epochs != 5 || rich.Iter != 39 || rich.Iters != 40 || rich.Rate != 2.31 || rich.Elapsed != 16*time.Second || !slices.Equal(rich.Values, []float64{1.62}) {
		t.Errorf("%+v", rich)
	}
	// At 80 columns it goes on in further lines, and an announcement may be glued to it.
	const bar80 = "\rEpoch 1/3  ━━━━━━━━━━━━━━━╸ 20/20 0:00:02 • 0:00:00 9.43it/s v_num: 0.000      \n" +
		"                                                              train_loss: 0.603 \n" +
		"                                                              val_loss: 0.926   \n" +
		"Validation ━━━━━━━━━━━━━╸━ 19/20 0:00:00 • 0:00:01 460.82it/s                  `Trainer.fit` stopped: `max_epochs=2` reached.\n"
	wrapped := recordsOf[*Progress](bar80 + bar80)
	if p := wrapped[len(wrapped)-1]; p.Epoch != 2 || p.Epochs != 4 || p.Iter != 20 || !slices.Equal(p.Columns.Losses, []string{"train_loss"}) || !slices.Equal(p.Values, []float64{.603}) {
		t.Errorf("%+v", p)
	}
	if v := recordsOf[*Validation](bar80); len(v) != 1 || v[0].Values[0] != .926 {
		t.Errorf("%+v", v)
	}
	if n := noticesOf(bar80); len(n) != 1 || n[0].Kind != Completed {
		t.Errorf("%+v", n)
	}
	const cut = "GPU available: False, used: False\nEpoch 7/7  ━━━━━━━━━━━━━━━━━━━━ 20/20 0:00:02 • 0:00:00 9.43it/s v_num: 3.000 train_loss: \n" +
		"                                                                          0.365 val_loss: 0.921\n"
	if rows := recordsOf[*Progress](cut); len(rows) != 2 || !slices.Equal(rows[1].Values, []float64{.365}) {
		t.Errorf("cut behind a name: %+v", rows)
	}
	n := noticesOf(rowLightning + "\n`Trainer.fit` stopped: `max_epochs=3` reached.\n")
	if len(n) != 1 || n[0].Kind != Completed || n[0].Epochs != 3 {
		t.Errorf("%+v", n)
	}
}

// TestHuggingFace promises epochs that are told as a fraction, and the steps of the bar of
// the whole run as those of epochs.
func TestHuggingFace(t *testing.T) {
	t.Parallel()
	bar := func(done string) string { return "\r  3%|▎         | " + done + "/300 [00:04<02:05,  2.30it/s]" }
	rows := recordsOf[*Progress](rowHF + bar("10") + bar("11") + "\r      \r" + strings.Replace(rowHF, "0.1}", "0.2}", 1) + bar("20") + bar("111") + "\n")
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	if p := rows[0]; p.Epoch != 1 || p.Iters != -1 || !slices.Equal(p.Values, []float64{2.6784}) || p.Columns.Losses[0] != "loss" {
		t.Errorf("%+v", p)
	}
	// 10 steps are 0.1 epochs: 300 steps are 3 epochs.
	if p := rows[5]; p.Epoch != 2 || p.Epochs != 3 || p.Iters != 100 || p.Iter != 11 || p.Columns != nil || p.Rate != 2.3 {
		t.Errorf("%+v", p)
	}
	late := recordsOf[*Progress](rowHF + strings.Replace(rowHF, "0.1}", "0.2}", 1) + bar("70") + bar("71") + "\n")
	if p := late[len(late)-1]; len(late) != 2 || p.Epochs != 0 || p.Iters != -1 {
		t.Errorf("dictionaries that were held back: %+v", p)
	}
	if p := one[*Progress](t, rowHFText); p.Epoch != 2 || p.Values[0] != 2.771 {
		t.Errorf("%+v", p)
	}
	v := one[*Validation](t, rowHF+evalHF)
	if !slices.Equal(v.Names, []string{"eval_loss", "mAP50-95", "mAP50"}) || v.Values[1] != 0.3819 {
		t.Errorf("%+v", v)
	}
	n := noticesOf(rowHF + "{'train_runtime': 127.29, 'train_samples_per_second': 7.9, 'train_loss': 1.2345, 'epoch': 3.0}\n")
	if len(n) != 1 || n[0].Kind != Completed {
		t.Errorf("%+v", n)
	}
	if s := NewStream(0); s != nil {
		s.Write([]byte("{'loss': 0.5, 'epoch': 3}\n"), time.Time{}, func(Event) {})
		if s.Dialect() != "pytorch" {
			t.Errorf("a dictionary of somebody else's is in %q", s.Dialect())
		}
	}
}

// TestPendingOfBars promises the newest state of bars that stand before or behind their
// numbers, however it is cut, and that a look at it changes nothing.
func TestPendingOfBars(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, frame string
		epoch, iter   int
	}{
		"lightning":   {"GPU available: True (cuda), used: True\n", "\rEpoch 2:  98%|█████████▊| 39/40 [00:16<00:00,  2.31it/s, v_num=0, train_lo", 3, 39},
		"yolo-nas":    {"\r" + rowNAS, "\r" + strings.Replace(rowNAS, "20/50", "21/50", 1), 4, 21},
		"yolov6":      {args6 + head6, row6, 1, 1},
		"pytorch":     {"epoch 1, loss: 0.5\n", "\rEpoch 2/9:  50%|█████     | 5/10 [00:01<00:01,  4.50it/s, loss=0.5]", 2, 5},
		"huggingface": {rowHF + "\r  3%|▎         | 10/300 [00:04<02:05,  2.30it/s]\r", "\r  4%|▎         | 12/300 [00:05<02:05,  2.30it/s]", 1, 12},
	} {
		s := NewStream(0)
		s.Write([]byte(c.before+c.frame), time.Time{}, func(Event) {})
		for range 2 {
			e, ok := s.Pending(time.Time{})
			p, _ := e.Record.(*Progress)
			if s.Dialect() != name || !ok || p == nil || p.Epoch != c.epoch || p.Iter != c.iter || !e.Provisional {
				t.Errorf("%s: dialect %q, %v %+v", name, s.Dialect(), ok, p)
			}
		}
	}
}
