package parse

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Rows of the trainers that print fields.
const (
	rowYOLOX    = "2026-03-14 09:12:07 | INFO     | yolox.core.trainer:270 - epoch: 1/3, iter: 10/80, gpu mem: 3975Mb, mem: 11.5Gb, iter_time: 0.297s, data_time: 0.006s, total_loss: 14.4, iou_loss: 4.3, l1_loss: 0.0, conf_loss: 7.9, cls_loss: 2.2, lr: 6.944e-05, size: 640, ETA: 0:01:08\n"
	rowYOLOXOld = "2026-03-14 09:12:08 | INFO     | yolox.core.trainer:252 - epoch: 1/4, iter: 10/80, mem: 12585Mb, iter_time: 0.365s, data_time: 0.012s, total_loss: 15.0, iou_loss: 4.4, l1_loss: 0.0, conf_loss: 8.3, cls_loss: 2.3, lr: 6.944e-05, size: 640, ETA: 0:01:5\n"
	rowMM2      = "2026-03-14 09:12:37,702 - mmdet - INFO - Epoch [1][100/400]\tlr: 5.000e-03, eta: 13 days, 14:05:52, time: 0.319, data_time: 0.008, memory: 6913, loss_cls: 1.6652, loss_bbox: 3.4993, loss: 11.9632, grad_norm: 15.5883\n"
	rowMM2Iter  = "2026-03-14 09:12:37,702 - mmdet - INFO - Iter [100/80000]\tlr: 5.000e-03, eta: 0:05:52, time: 0.319, data_time: 0.008, memory: 6913, loss_cls: 1.6652\n"
	rowMM3      = "03/14 09:12:16 - mmengine - \x1b[4m\x1b[97mINFO\x1b[0m - Epoch(train)  [1][ 50/300]  base_lr: 1.0000e-03 lr: 1.0000e-03  eta: 0:03:15  time: 0.2301  data_time: 0.0073  memory: 9108  loss: 2.7395  loss_cls: 1.2687\n"
	rowMetric   = "Epoch: [0]  [ 10/150]  eta: 0:00:44  lr: 0.000011  loss: 1.9378 (1.9467)  loss_classifier: 1.1480 (1.1634)  loss_vfl_aux_0: 0.7902 (0.7901)  time: 0.3180  data: 0.0064  max mem: 4655\n"
	rowMetricOf = "Epoch: [3/72]  [149/150]  eta: 0:00:00  lr: 0.000011  loss: 1.9378 (1.9467)  time: 0.3180  data: 0.0064\n"
	rowPaddle   = "[03/14 09:12:12] ppdet.engine.callbacks INFO: Epoch: [0] [ 20/200] learning_rate: 0.000105 loss: 3.872670 loss_cls: 1.465227 eta: 0:03:16 batch_cost: 0.3392 data_cost: 0.0076 ips: 23.5879 images/s, max_mem_reserved: 8467 MB, max_mem_allocated: 7560 MB\n"
)

// TestFieldRows promises what rows of "name: value" say, in each of their forms.
func TestFieldRows(t *testing.T) {
	t.Parallel()
	ms := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	for _, c := range []struct {
		in, trainer                string
		epoch, epochs, iter, iters int
		memory                     Bytes
		measure                    Measure
		step, data                 time.Duration
		losses                     []string
		first, size                float64
	}{
		{rowYOLOX, "yolox", 1, 3, 10, 80, 3975 * MiB, AllocatedMax, ms(297), ms(6), []string{"total_loss", "iou_loss", "l1_loss", "conf_loss", "cls_loss"}, 14.4, 640},
		{rowYOLOXOld, "yolox", 1, 4, 10, 80, 12585 * MiB, AllocatedMax, ms(365), ms(12), []string{"total_loss", "iou_loss", "l1_loss", "conf_loss", "cls_loss"}, 15, 640},
		{rowMM2, "mmdet", 1, 0, 100, 400, 6913 * MiB, AllocatedMax, ms(319), ms(8), []string{"loss_cls", "loss_bbox", "loss"}, 1.6652, -1},
		{rowMM2Iter, "mmdet", 1, 0, 100, 80000, 6913 * MiB, AllocatedMax, ms(319), ms(8), []string{"loss_cls"}, 1.6652, -1},
		{rowMM3, "mmengine", 1, 0, 50, 300, 9108 * MiB, IntervalMax, ms(230.1), ms(7.3), []string{"loss", "loss_cls"}, 2.7395, -1},
		{rowMetric, "metriclogger", 1, 0, 11, 150, 4655 * MiB, AllocatedMax, ms(318), ms(6.4), []string{"loss", "loss_classifier"}, 1.9378, -1},
		{rowMetricOf, "metriclogger", 4, 72, 150, 150, 0, NotMeasured, ms(318), ms(6.4), []string{"loss"}, 1.9378, -1},
		{rowPaddle, "paddledetection", 1, 0, 21, 200, 7560 * MiB, AllocatedMax, ms(339.2), ms(7.6), []string{"loss", "loss_cls"}, 3.872670, -1},
	} {
		if b := one[*Banner](t, c.in+c.in); b.Trainer != c.trainer {
			t.Errorf("%s: %+v", c.trainer, b)
		}
		rows := recordsOf[*Progress](c.in + c.in)
		if len(rows) != 2 || rows[0].Columns != rows[1].Columns {
			t.Fatalf("%s: %d rows, or columns made anew", c.trainer, len(rows))
		}
		p := rows[1]
		if p.Epoch != c.epoch || p.Epochs != c.epochs || p.Iter != c.iter || p.Iters != c.iters || p.Size != c.size {
			t.Errorf("%s: %+v", c.trainer, p)
		}
		if p.Memory.Bytes != c.memory || p.Memory.Measure != c.measure || (p.StepTime-c.step).Abs() > time.Microsecond || (p.DataTime-c.data).Abs() > time.Microsecond {
			t.Errorf("%s: %+v, step %v, data %v", c.trainer, p.Memory, p.StepTime, p.DataTime)
		}
		if !slices.Equal(p.Columns.Losses, c.losses) || len(p.Values) != len(c.losses) || p.Values[0] != c.first {
			t.Errorf("%s: %v %v", c.trainer, p.Columns.Losses, p.Values)
		}
	}
}

// A loss that is not a number is one, and a device that is not there is not measured.
func TestFieldRowsWithoutNumbers(t *testing.T) {
	t.Parallel()
	p := one[*Progress](t, strings.Replace(strings.Replace(rowYOLOX, "3975Mb", "0Mb", 1), "cls_loss: 2.2", "cls_loss: nan", 1))
	if p.Memory.Measure != NotMeasured || p.Values[4] == p.Values[4] {
		t.Errorf("%+v", p)
	}
}

// TestFieldResults promises results in the words of each family.
func TestFieldResults(t *testing.T) {
	t.Parallel()
	const coco = " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.427\n" +
		" Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 0.611\n" +
		" Average Precision  (AP) @[ IoU=0.75      | area=   all | maxDets=100 ] = 0.455\n" +
		" Average Precision  (AP) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = 0.211\n"
	for in, want := range map[string][2]float64{
		rowYOLOX + coco:  {0.611, 0.427},
		rowMetric + coco: {0.611, 0.427},
		rowPaddle + coco: {0.611, 0.427},
		rowMM2 + "2026-03-14 09:18:29,640 - mmdet - INFO - Epoch(val) [3][40]\tbbox_mAP: 0.4006, bbox_mAP_50: 0.6009, bbox_mAP_75: 0.4206\n":                                  {0.6009, 0.4006},
		rowMM3 + "03/14 09:15:30 - mmengine - INFO - Epoch(val) [3][80/80]    coco/bbox_mAP: 0.4188  coco/bbox_mAP_50: 0.5863  coco/bbox_mAP_75: 0.4398  data_time: 0.0019\n": {0.5863, 0.4188},
	} {
		v := one[*Validation](t, in)
		got := Named{Names: v.Names, Values: v.Values}
		half, _ := got.Get("mAP50")
		whole, _ := got.Get("mAP50-95")
		if half != want[0] || whole != want[1] || v.Class != "all" {
			t.Errorf("%+v, want %v", v, want)
		}
	}
}

// What families say between their rows.
func TestFieldNotices(t *testing.T) {
	t.Parallel()
	if n := one[*Notice](t, rowYOLOX+"2026-03-14 09:13:16 | INFO     | yolox.core.trainer:195 - Training of experiment is done and the best AP is 42.73\n"); n.Kind != Completed {
		t.Errorf("%+v", n)
	}
	if f := one[*Failure](t, rowMetric+"Loss is nan, stopping training\n"); f.Kind != NaNPersisted {
		t.Errorf("%+v", f)
	}
	args := "2026-03-14 09:12:05 | INFO     | yolox.core.trainer:130 - args: Namespace(experiment_name='yolox_s', batch_size=16, devices=1, fp16=True, cache=None)\n"
	if c := one[*Config](t, args+rowYOLOX); c.Batch != 16 || c.AMP == nil || !*c.AMP {
		t.Errorf("%+v", c)
	}
}

// Rows of files of JSON.
const (
	jsonMM2  = `{"mode": "train", "epoch": 1, "iter": 50, "lr": 0.0025, "memory": 5412, "data_time": 0.00808, "loss_cls": 1.83388, "loss_bbox": NaN, "loss": 12.78469, "time": 0.24917}` + "\n"
	jsonMM3  = `{"lr": 0.0009, "data_time": 0.0169, "loss": 1.0816, "loss_cls": 0.6983, "time": 0.0181, "epoch": 2, "iter": 10, "memory": 6212, "step": 10}` + "\n"
	jsonD2   = `{"data_time": 0.0067, "eta_seconds": 253.1, "iteration": 19, "loss_box_reg": 0.6775, "loss_cls": 1.74, "lr": 0.00016, "rank_data_time": 0.0067, "time": 0.2145, "total_loss": 2.918}` + "\n"
	jsonDETR = `{"train_lr": 0.0001, "train_loss": 5.4188, "train_loss_vfl": 0.7893, "train_loss_vfl_aux_0": 0.7, "test_coco_eval_bbox": [0.284, 0.411, 0.279], "epoch": 0, "n_parameters": 1}` + "\n"
)

// TestJSONRows promises what files of JSON rows say, with the numbers that are none.
func TestJSONRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, trainer string
		epoch, iter int
		memory      Bytes
		measure     Measure
		losses      []string
		last        float64
	}{
		{jsonMM2, "mmdet", 1, 50, 5412 * MiB, AllocatedMax, []string{"loss_cls", "loss_bbox", "loss"}, 12.78469},
		{jsonMM3, "mmengine", 2, 10, 6212 * MiB, IntervalMax, []string{"loss", "loss_cls"}, 0.6983},
		{jsonD2, "detectron2", 1, 20, 0, NotMeasured, []string{"loss_box_reg", "loss_cls", "total_loss"}, 2.918},
	} {
		if b := one[*Banner](t, c.in+c.in); b.Trainer != c.trainer {
			t.Errorf("%s: %+v", c.trainer, b)
		}
		p := one[*Progress](t, c.in)
		if p.Epoch != c.epoch || p.Iter != c.iter || p.Memory.Bytes != c.memory || p.Memory.Measure != c.measure || p.StepTime == 0 || p.DataTime == 0 {
			t.Errorf("%s: %+v", c.trainer, p)
		}
		if !slices.Equal(p.Columns.Losses, c.losses) || p.Values[len(p.Values)-1] != c.last {
			t.Errorf("%s: %v %v", c.trainer, p.Columns.Losses, p.Values)
		}
	}
	if p := one[*Progress](t, jsonMM2); p.Values[1] == p.Values[1] {
		t.Errorf("NaN is %v", p.Values[1])
	}
	row := one[*EpochRow](t, jsonDETR)
	half, _ := row.Metrics.Get("mAP50")
	if row.Epoch != 1 || !slices.Equal(row.Losses.Names, []string{"loss", "loss_vfl"}) || half != 0.411 {
		t.Errorf("%+v", row)
	}
	for in, want := range map[string]float64{
		jsonMM2 + `{"mode": "val", "epoch": 1, "iter": 40, "lr": 0.01, "bbox_mAP": 0.4, "bbox_mAP_50": 0.6}` + "\n":     0.6,
		jsonMM3 + `{"coco/bbox_mAP": 0.2, "coco/bbox_mAP_50": 0.3, "data_time": 0.002, "time": 0.01, "step": 2}` + "\n": 0.3,
	} {
		v := one[*Validation](t, in)
		if got, _ := (Named{Names: v.Names, Values: v.Values}).Get("mAP50"); got != want {
			t.Errorf("%+v, want %v", v, want)
		}
	}
	for _, in := range []string{`{"a": 1}`, `{"epoch": 1, "iter"`, `{"mode": "train"}`, `{"level": "info", "time": 3, "msg": "x"}`} {
		if got := recordsOf[*Progress](in + "\n"); len(got) != 0 {
			t.Errorf("%s is a row", in)
		}
	}
}

// Rows of DAMO-YOLO and Detectron2, whose times are told in another way.
const (
	rowDAMO = "2026-03-14 09:12:39 | INFO     | damo.apis.detector_trainer:362 - epoch: 1/3, iter: 50/200, mem: 9413Mb, iter_time: 0.687s, model_time: 0.330s, total_loss: 2.8, loss_cls: 1.0, lr: 1.000e-02, size: (768, 640), ETA: 0:06:17\n"
	rowD2   = "\x1b[32m[03/14 09:12:09 d2.utils.events]: \x1b[0m eta: 0:04:13  iter: 19  total_loss: 2.918  loss_cls: 1.74    time: 0.2146  last_time: 0.2038  data_time: 0.0067  last_data_time: 0.0042   lr: 0.00016667  max_mem: 4845M\n"
	rowD206 = "[03/14 09:12:17] d2.utils.events INFO:  eta: 0:09:30  iter: 19  total_loss: 3.047  loss_cls: 1.887  time: 0.6521  data_time: 0.4154  lr: 0.00016667  max_mem: 3826M\n"
)

func TestFieldTimes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]time.Duration{
		rowDAMO: {687 * time.Millisecond, 357 * time.Millisecond},
		rowD2:   {203800 * time.Microsecond, 4200 * time.Microsecond},
		rowD206: {652100 * time.Microsecond, 415400 * time.Microsecond},
	} {
		p := one[*Progress](t, in)
		if (p.StepTime-want[0]).Abs() > time.Microsecond || (p.DataTime-want[1]).Abs() > time.Microsecond || p.Memory.Measure != AllocatedMax {
			t.Errorf("%q: step %v, data %v, %+v", in, p.StepTime, p.DataTime, p.Memory)
		}
	}
	p := one[*Progress](t, "  MAX_ITER: 1200\n"+rowD2)
	if p.Iter != 20 || p.Iters != 1200 || p.Epoch != 1 {
		t.Errorf("%+v", p)
	}
}
