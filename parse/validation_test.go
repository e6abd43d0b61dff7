package parse

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	valHead  = "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95)"
	maskHead = valHead + "     Mask(P          R      mAP50  mAP50-95)"
	poseHead = valHead + "     Pose(P          R      mAP50  mAP50-95)"
	ownBar   = ": 100% ━━━━━━━━━━━━ 1/1 29.4it/s 0.5s"
	tqdmBar  = ": 100%|██████████| 1/1 [00:02<00:00, 29.45it/s]"
)

func TestValidationRows(t *testing.T) {
	t.Parallel()
	box := []string{"precision", "recall", "mAP50", "mAP50-95"}
	for _, c := range []struct {
		name, head, row string
		class           string
		images, labels  int
		names           []string
		values          []float64
	}{
		{"detect", valHead + ownBar, "                   all          8         18     0.0104      0.721     0.0208    0.00459", "all", 8, 18, box, []float64{.0104, .721, .0208, .00459}},
		{"tqdm", valHead + tqdmBar, "                   all          8         18     0.0104      0.721     0.0208    0.00459", "all", 8, 18, box, []float64{.0104, .721, .0208, .00459}},
		{"a class with blanks", valHead + ownBar, "         traffic light          8         11          0          0          0          0", "traffic light", 8, 11, box, []float64{0, 0, 0, 0}},
		{"a class with digits", valHead + ownBar, "                boeing 747          8         11          0          0          0          0", "boeing 747", 8, 11, box, []float64{0, 0, 0, 0}},
		{"a class of digits", valHead + ownBar, "                     7          8         11          0          0          0          0", "7", 8, 11, box, []float64{0, 0, 0, 0}},
		{"a class that is a share", valHead + ownBar, "                  100%          8         11          0          0          0          0", "100%", 8, 11, box, []float64{0, 0, 0, 0}},
		{"a class that is a fraction", valHead + ownBar, "                   1/2          8         11          0          0          0          0", "1/2", 8, 11, box, []float64{0, 0, 0, 0}},
		{"a class of 22 letters", valHead + ownBar, "abcdefghijklmnopqrstuv          8         11          0          0          0          0", "abcdefghijklmnopqrstuv", 8, 11, box, []float64{0, 0, 0, 0}},
		{"a longer class", valHead + ownBar, "a class name that overflows          8         11          0          0          0          0", "a class name that overflows", 8, 11, box, []float64{0, 0, 0, 0}},
		{"a class with control bytes", valHead + ownBar, "                  a\x07\x01b          8         11          0          0          0          0", "ab", 8, 11, box, []float64{0, 0, 0, 0}},
		{"nan", valHead + ownBar, "                   all          8          0        nan        nan        nan        nan", "all", 8, 0, box, []float64{nan, nan, nan, nan}},
		{"many", valHead + ownBar, "                   all       5000  1.234e+05      0.5      0.5      0.5      0.5", "all", 5000, 123400, box, []float64{.5, .5, .5, .5}},
		{
			"masks", maskHead + ownBar, "                   all          8         18        .1        .2        .3        .4        .5        .6        .7        .8", "all", 8, 18,
			append(slices.Clone(box), "precision(M)", "recall(M)", "mAP50(M)", "mAP50-95(M)"),
			[]float64{.1, .2, .3, .4, .5, .6, .7, .8},
		},
		{
			"poses", poseHead + ownBar, "                   all          8         18        .1        .2        .3        .4        .5        .6        .7        .8", "all", 8, 18,
			append(slices.Clone(box), "precision(P)", "recall(P)", "mAP50(P)", "mAP50-95(P)"),
			[]float64{.1, .2, .3, .4, .5, .6, .7, .8},
		},
		{
			"a group never seen", valHead + "     Face(P          R      mAP50  mAP50-95)" + ownBar, "                   all          8         18        .1        .2        .3        .4        .5        .6        .7        .8", "all", 8, 18,
			append(slices.Clone(box), "precision(Face)", "recall(Face)", "mAP50(Face)", "mAP50-95(Face)"),
			[]float64{.1, .2, .3, .4, .5, .6, .7, .8},
		},
		{"classify", "               classes   top1_acc   top5_acc" + ownBar, "                   all        0.5          1", "all", -1, -1, []string{"top1_acc", "top5_acc"}, []float64{.5, 1}},
		{"semantic", "                 Class     Images     Pixels       mIoU     PixAcc" + ownBar, "                   all          8      32768      0.123      0.456", "all", 8, 32768, []string{"mIoU", "PixAcc"}, []float64{.123, .456}},
		{"YOLOv5", "                 Class     Images  Instances          P          R      mAP50   mAP50-95" + tqdmBar, "                   all          8         18     0.0104      0.721     0.0208    0.00459", "all", 8, 18, box, []float64{.0104, .721, .0208, .00459}},
		{"YOLOv5 6.2", "               Class     Images     Labels          P          R     mAP@.5 mAP@.5:.95" + tqdmBar, "                 all          8         18     0.0104      0.721     0.0208    0.00459", "all", 8, 18, box, []float64{.0104, .721, .0208, .00459}},
		{"a header cut in a word", valHead[:80], "                   all          8         18     0.0104      0.721     0.0208    0.00459", "all", 8, 18, box, []float64{.0104, .721, .0208, .00459}},
		{"a header cut in a count", "                 Class     Images  Instanc\x1b[0m" + ownBar, "                   all          8         18     0.0104      0.721     0.0208    0.00459", "all", 8, 18, box, []float64{.0104, .721, .0208, .00459}},
		{
			"a cut header of masks", maskHead[:120], "                   all          8         18        .1        .2        .3        .4        .5        .6        .7        .8", "all", 8, 18,
			append(slices.Clone(box), "precision(M)", "recall(M)", "mAP50(2)", "mAP50-95(2)"),
			[]float64{.1, .2, .3, .4, .5, .6, .7, .8},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := one[*Validation](t, banner84+"\r\x1b[K"+c.head+"\n"+c.row+"\n")
			want := &Validation{Class: c.class, Images: c.images, Instances: c.labels, Names: c.names, Values: c.values}
			if !same(v, want) {
				t.Errorf("\n%+v, want\n%+v", v, want)
			}
		})
	}
}

func TestNoValidationRows(t *testing.T) {
	t.Parallel()
	row := "                   all          8         18     0.0104      0.721     0.0208    0.00459"
	for name, in := range map[string]string{
		"no header":                          banner84 + row,
		"after the next rows":                banner84 + valHead + ownBar + detectHead + "        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━ 1/4 1.9it/s 0.2s\nfoo 8 18 0 0 0 0\n",
		"a number that is none":              banner84 + valHead + ownBar + "\n" + strings.Replace(row, "0.721", "0.7x1", 1),
		"too few numbers":                    banner84 + valHead + ownBar + "\n                   all          8         18     0.0104      0.721\n",
		"counts that are none":               banner84 + valHead + ownBar + "\n                   all        nan         18     0.0104      0.721     0.0208    0.00459\n",
		"a count below zero":                 banner84 + valHead + ownBar + "\n                   all         -1         18     0.0104      0.721     0.0208    0.00459\n",
		"a sentence":                         banner84 + valHead + ownBar + "\nshort 8 18 0 0 0 0\n",
		"Class in a sentence":                banner84 + "Class Images are found in /data: 8\n" + row,
		"Class weights":                      banner84 + "Class weights: 1 2 3\n" + row,
		"classes in a sentence":              banner84 + "classes: 80\n  all 3\n",
		"classes and a number":               banner84 + "classes=2 top1_acc\n  all 3\n",
		"columns of two that are no metrics": banner84 + "  classes   names   colours: 3\n  all 3 4\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if v := recordsOf[*Validation](in); len(v) != 0 {
				t.Errorf("%+v", v[0])
			}
		})
	}
}

// What a plain pipe delivers of the versions whose bars go to the error stream: rows
// of validations without the header, which is the description of a bar.
func TestValidationWithoutHeader(t *testing.T) {
	t.Parallel()
	rows := recordsOf[*Validation](recording(t, "8.3.0-detect-stdout.log"))
	if len(rows) < 4 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, v := range rows {
		if v.Images != 8 || !slices.Equal(v.Names, boxMetrics) || len(v.Values) != 4 {
			t.Errorf("%+v", v)
		}
	}
	if p := recordsOf[*Progress](recording(t, "8.3.0-detect-stdout.log")); len(p) != 0 {
		t.Errorf("%d rows of epochs in a stream that has none", len(p))
	}
	classify := banner83 + "\n      Epoch    GPU_mem       loss  Instances       Size\n                   all        0.5          1\n"
	if v := one[*Validation](t, classify); !slices.Equal(v.Names, []string{"top1_acc", "top5_acc"}) || v.Values[1] != 1 {
		t.Errorf("%+v", v)
	}
	// Once the first row told how many columns there are, names may end in digits.
	in := banner83 + detectHead + "                   all          8         18          0          0          0          0\n              boeing 747          8         11          0          0          0          0\n"
	if v := recordsOf[*Validation](in); len(v) != 2 || v[1].Class != "boeing 747" {
		t.Errorf("%d rows", len(v))
	}
}

func TestValidationBar(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Stage{
		valHead + ownBar:  {Kind: Validating, Part: "val", Done: 1, Total: 1, Elapsed: 500 * time.Millisecond},
		valHead + tqdmBar: {Kind: Validating, Part: "val", Done: 1, Total: 1, Elapsed: 2 * time.Second},
		valHead + ":  50%|█████     | 3/6 [00:02<?, ?it/s]": {Kind: Validating, Part: "val", Done: 3, Total: 6, Elapsed: 2 * time.Second},
		valHead[:70]: {Kind: Validating, Part: "val", Done: -1, Total: -1, Elapsed: -1},
	} {
		if st := one[*Stage](t, banner84+"\r"+in); *st != want {
			t.Errorf("%q: %+v, want %+v", in, *st, want)
		}
	}
	in := banner84 + "Validating /data/runs/weights/best.pt...\n" + banner84 + valHead + ownBar + "\n                   all          8         18          0          0          0          0\n"
	if st := recordsOf[*Stage](in); len(st) != 2 || st[0].Kind != FinalValidation || st[1].Kind != FinalValidation {
		t.Errorf("%d stages", len(st))
	}
	if v := one[*Validation](t, in); !v.Final {
		t.Error("the validation of best.pt is not marked")
	}
	next := strings.Replace(in, valHead, "Starting training for 3 epochs...\n"+valHead, 1)
	if v := one[*Validation](t, next); v.Final {
		t.Error("the validation of the next training is marked")
	}
}
