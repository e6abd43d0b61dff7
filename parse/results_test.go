package parse

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestResults(t *testing.T) {
	t.Parallel()
	named := func(names string, values ...float64) Named {
		return Named{Names: strings.Fields(names), Values: values}
	}
	for _, c := range []struct {
		name, in string
		want     []EpochRow
	}{
		{
			"compact", lines("epoch,time,train/box_loss,metrics/precision(B),metrics/mAP50(M),val/box_loss,lr/pg0", "1,1.5,4.7,0.1,0.2,4.0,5.001e-05"),
			[]EpochRow{{1, 1500 * time.Millisecond, named("box_loss", 4.7), named("precision mAP50(M)", .1, .2), named("val/box_loss", 4), named("lr/pg0", 5.001e-05)}},
		},
		{
			"padded, from 0", lines("                  epoch,         train/box_loss,       metrics/mAP50(B),                 lr/pg0", "                      0,                 4.7956,                    0.1,                   0.01", "                      1,                 4.1,                    0.2,                   0.02"),
			[]EpochRow{{1, -1, named("box_loss", 4.7956), named("mAP50", .1), Named{}, named("lr/pg0", .01)}, {2, -1, named("box_loss", 4.1), named("mAP50", .2), Named{}, named("lr/pg0", .02)}},
		},
		{
			"YOLOv5", lines("               epoch,      train/obj_loss,     metrics/mAP_0.5,metrics/mAP_0.5:0.95,               x/lr0", "                   0,             0.10643,               0.002,             0.20779,           0.0973"),
			[]EpochRow{{1, -1, named("obj_loss", .10643), named("mAP50 mAP50-95", .002, .20779), Named{}, named("x/lr0", .0973)}},
		},
		{
			"YOLOv5 classify", lines("epoch,train/loss,test/loss,metrics/accuracy_top1,metrics/accuracy_top5,lr/0", "0,0.79,0.62,0.5,1,0.00067"),
			[]EpochRow{{1, -1, named("loss", .79), named("top1_acc top5_acc", .5, 1), named("val/loss", .62), named("lr/0", .00067)}},
		},
		{
			"semantic", lines("epoch,time,train/ce_loss,metrics/mIoU,metrics/pixel_acc", "1,2,0.5,0.1,0.2"),
			[]EpochRow{{1, 2 * time.Second, named("ce_loss", .5), named("mIoU PixAcc", .1, .2), Named{}, Named{}}},
		},
		{
			"a spreadsheet's", "\ufeffepoch;time;train/box_loss;metrics/mAP50(B)\r\n92;5630,40000;0,61000;\r\n93;5691,60000;0,60900;0,92100\r\n",
			[]EpochRow{{92, 5630400 * time.Millisecond, named("box_loss", .61), Named{}, Named{}, Named{}}, {93, 5691600 * time.Millisecond, named("box_loss", .609), named("mAP50", .921), Named{}, Named{}}},
		},
		{
			"tabs", lines("epoch\ttime\ttrain/box_loss", "1\t2,5\t0,61"),
			[]EpochRow{{1, 2500 * time.Millisecond, named("box_loss", .61), Named{}, Named{}, Named{}}},
		},
		{
			"quoted", lines(`"epoch","time","train/box_loss"`, `"1","2.5","0.61"`),
			[]EpochRow{{1, 2500 * time.Millisecond, named("box_loss", .61), Named{}, Named{}, Named{}}},
		},
		{
			"quoted decimal commas", lines(`epoch,time,train/box_loss,lr/pg0`, `1,"2,5","0,61","0,01"`),
			[]EpochRow{{1, 2500 * time.Millisecond, named("box_loss", .61), Named{}, Named{}, named("lr/pg0", .01)}},
		},
		{
			"UTF-16", wide("epoch,time,train/box_loss\r\n1,2.5,0.61\r\n", false),
			[]EpochRow{{1, 2500 * time.Millisecond, named("box_loss", .61), Named{}, Named{}, Named{}}},
		},
		{
			"nan and inf", lines("epoch,train/a,train/b,val/c", "1,nan,-inf,inf"),
			[]EpochRow{{1, -1, named("a b", nan, -inf), Named{}, named("val/c", inf), Named{}}},
		},
		{
			"cells that cannot be read", lines("epoch,time,train/a,train/b,train/c,train/d", "1,x,,1.2.3,0x10,5"),
			[]EpochRow{{1, -1, named("d", 5), Named{}, Named{}, Named{}}},
		},
		{
			"thousands in a spreadsheet are no numbers", lines("epoch;time;train/a", "1;1.234,5;0,5"),
			[]EpochRow{{1, -1, named("a", .5), Named{}, Named{}, Named{}}},
		},
		{
			"a second header after a resume", lines("epoch,train/a,lr/pg0", "1,0.5,0.1", "epoch,train/a,train/b,lr/pg0", "2,0.4,0.3,0.1"),
			[]EpochRow{{1, -1, named("a", .5), Named{}, Named{}, named("lr/pg0", .1)}, {2, -1, named("a b", .4, .3), Named{}, Named{}, named("lr/pg0", .1)}},
		},
		{
			"columns of others", lines("epoch,train/a,note,gpu_mem", "1,0.5,7,8"),
			[]EpochRow{{1, -1, named("a", .5), Named{}, Named{}, Named{}}},
		},
		{
			"a row with more cells than names", lines("epoch,train/a", "1,0.5,7,8"),
			[]EpochRow{{1, -1, named("a", .5), Named{}, Named{}, Named{}}},
		},
		{
			"a row that is being written", lines("epoch,train/a,lr/pg0", "1,0.5,0.1") + "2,0.4",
			[]EpochRow{{1, -1, named("a", .5), Named{}, Named{}, named("lr/pg0", .1)}},
		},
		{
			"a last number that may be half a number", lines("epoch,train/a,lr/pg0", "1,0.5,0.1") + "2,0.4,0.0",
			[]EpochRow{{1, -1, named("a", .5), Named{}, Named{}, named("lr/pg0", .1)}, {2, -1, named("a", .4), Named{}, Named{}, Named{}}},
		},
		{"epochs that are none", lines("epoch,train/a", "x,1", "-1,1", "1.5,1", "nan,1", "inf,1", "1e300,1", ",1", "7"), nil},
		{
			"a training from 0 behind another", lines("epoch,train/a", "7,1", "0,2", "1,3"),
			[]EpochRow{{7, -1, named("a", 1), Named{}, Named{}, Named{}}, {1, -1, named("a", 2), Named{}, Named{}, Named{}}, {2, -1, named("a", 3), Named{}, Named{}, Named{}}},
		},
		{"a header alone", "epoch,train/a\n", nil},
		{"another csv", lines("epoch,gpu_mem_mib", "1,2"), nil},
		{"no epoch", lines("step,train/a", "1,2"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, chunks := range [][]string{{c.in}, bytewise(c.in)} {
				var got []EpochRow
				for _, r := range recordsOf[*EpochRow](chunks...) {
					got = append(got, *r)
				}
				if !same(got, c.want) {
					t.Errorf("%+v, want %+v", got, c.want)
				}
			}
		})
	}
}

func TestRecordedResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		epochs []int
		losses string
	}{
		"8.0.100-detect-merged.results.csv":       {[]int{1, 2, 3, 4}, "box_loss cls_loss dfl_loss"},
		"8.3.0-pose-merged.results.csv":           {[]int{1, 2, 3}, "box_loss pose_loss kobj_loss cls_loss dfl_loss"},
		"8.4.82-detect-resume-merged.results.csv": {[]int{1, 2, 3, 4, 5, 6}, "box_loss cls_loss dfl_loss"},
		"8.4.82-detect-nan-merged.results.csv":    {[]int{1, 2, 3, 4, 5}, "box_loss cls_loss dfl_loss"},
		"yolov5-detect-merged.results.csv":        {[]int{1, 2, 3, 4}, "box_loss obj_loss cls_loss"},
		"yolov5-classify-merged.results.csv":      {[]int{1, 2, 3}, "loss"},
		"spreadsheet.results.csv":                 {[]int{92, 93, 94, 95, 96, 97, 98, 100}, "box_loss cls_loss dfl_loss"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var epochs []int
			for _, e := range eventsOf(recording(t, name)) {
				r, isRow := e.Record.(*EpochRow)
				if !isRow {
					t.Fatalf("line %d: %T %+v", e.Line, e.Record, e.Record)
				}
				epochs = append(epochs, r.Epoch)
				if got := strings.Join(r.Losses.Names, " "); got != c.losses {
					t.Errorf("losses %q", got)
				}
				for _, v := range r.Losses.Values {
					if v > 1e4 {
						t.Errorf("a loss of %v", v)
					}
				}
			}
			if !slices.Equal(epochs, c.epochs) {
				t.Errorf("epochs %v, want %v", epochs, c.epochs)
			}
		})
	}
	if r := recordsOf[*EpochRow](recording(t, "padded-nan-inf.results.csv")); len(r) < 9 || !same(r[8].Val.Values[0], nan) {
		t.Errorf("%d rows", len(r))
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	n := Named{Names: []string{"a", "b"}, Values: []float64{1, 2}}
	if v, ok := n.Get("b"); v != 2 || !ok {
		t.Errorf("b is %v, %v", v, ok)
	}
	if _, ok := n.Get("c"); ok {
		t.Error("c is there")
	}
}

func TestArgsFile(t *testing.T) {
	t.Parallel()
	c, err := ArgsFile([]byte(recording(t, "8.4.82-detect-merged.args.yaml")))
	if err != nil || c.Task != "detect" || c.Mode != "train" || c.Epochs != 4 || c.Batch != 4 || !slices.Equal(c.ImgSize, []int{64}) || c.Workers != 8 ||
		c.SaveDir != "/data/runs/8.4.82-detect-merged" || c.Args["classes"] != "None" || c.Args["cos_lr"] != "False" || c.Args["lr0"] == "" {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = ArgsFile([]byte(recording(t, "8.0.20-detect-merged.args.yaml")))
	if err != nil || c.Task != "detect" || c.SaveDir != "/data/runs/8.0.20-detect-merged" {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = ArgsFile([]byte(recording(t, "yolov5-detect-merged.opt.yaml")))
	if err != nil || c.Model != "models/yolov5n.yaml" || c.Epochs != 4 || c.Batch != 4 || !slices.Equal(c.ImgSize, []int{64}) || c.Args["evolve"] != "None" || c.Args["rect"] != "False" {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = ArgsFile([]byte("task: 'detect'\nmodel: \"a\\nb\\e[31m\"\nimgsz: [640, 480]\nbatch: 0.7\namp: FALSE\nepochs: 1e400\nworkers: ~\nproject:\ndevice: [0, [1, {a: b}]]\nwhen: 2026-03-14\nname: |\n  two\n  lines\n"))
	if err != nil || c.Model != "ab[31m" || c.Batch != .7 || c.AMP == nil || *c.AMP || c.Epochs != 0 || c.Workers != -1 || len(c.ImgSize) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	for k, v := range map[string]string{"device": "[0, [1, ]]", "project": "None", "workers": "None", "when": "2026-03-14", "name": "twolines", "amp": "False"} {
		if c.Args[k] != v {
			t.Errorf("%s is %q, want %q", k, c.Args[k], v)
		}
	}
	for _, bad := range []string{"", "a", "- a\n- b\n", "a: [", "\x00", "{"} {
		if c, err := ArgsFile([]byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "parse arguments: ") {
			t.Errorf("%q: %+v, %v", bad, c, err)
		}
	}
}
