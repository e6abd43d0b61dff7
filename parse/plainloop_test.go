package parse

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPlainLoops promises the rows of loops that people write themselves, as tutorials and
// repositories print them.
func TestPlainLoops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in                         string
		epoch, epochs, iter, iters int
		losses                     []string
		values                     []float64
		memory                     Bytes
		measure                    Measure
	}{
		{in: "Step 100, Loss: 0.53", epoch: 1, iter: 100, iters: -1, losses: []string{"Loss"}, values: []float64{.53}},
		{in: "epoch=3 loss=0.41 lr=1e-4", epoch: 3, iter: -1, iters: -1, losses: []string{"loss"}, values: []float64{.41}},
		{in: "Epoch [2/10], Step [100/600], Loss: 0.5300", epoch: 2, epochs: 10, iter: 100, iters: 600, losses: []string{"Loss"}, values: []float64{.53}},
		{in: "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.134560", epoch: 1, iter: 640, iters: 60000, losses: []string{"Loss"}, values: []float64{2.13456}},
		{in: "[1,  2000] loss: 2.230", epoch: 1, iter: 2000, iters: -1, losses: []string{"loss"}, values: []float64{2.23}},
		{in: "iter 250: loss 3.1416, time 230.12ms, mfu 12.00%", epoch: 1, iter: 250, iters: -1, losses: []string{"loss"}, values: []float64{3.1416}},
		{in: "step 1500: train loss 1.8012, val loss 2.0033", epoch: 1, iter: 1500, iters: -1, losses: []string{"train_loss"}, values: []float64{1.8012}},
		{in: "Epoch: 07 | Train Loss: 0.231 | Train Acc: 91.20%", epoch: 7, iter: -1, iters: -1, losses: []string{"Train_Loss"}, values: []float64{.231}},
		{in: "2026-03-14 09:12:05,120 - root - INFO - Epoch 5/50 - box_loss: 1.2, cls_loss: 0.4", epoch: 5, epochs: 50, iter: -1, iters: -1, losses: []string{"box_loss", "cls_loss"}, values: []float64{1.2, .4}},
		{in: "{'epoch': 4, 'step': 20, 'loss': 0.75}", epoch: 4, iter: 20, iters: -1, losses: []string{"loss"}, values: []float64{.75}},
		{in: `{"step": 20, "loss": NaN}`, epoch: 1, iter: 20, iters: -1, losses: []string{"loss"}, values: []float64{math.NaN()}},
		{in: "Epoch 2/9:  50%|█████     | 5/10 [00:01<00:01,  4.50it/s, loss=0.5]", epoch: 2, epochs: 9, iter: 5, iters: 10, losses: []string{"loss"}, values: []float64{.5}},
		{in: "loss: 0.53:  50%|█████     | 5/10 [00:01<00:01,  4.50it/s]", epoch: 1, iter: 5, iters: 10, losses: []string{"loss"}, values: []float64{.53}},
		{in: "轮次 2 损失：2.7158，学习率：1e-3", epoch: 2, iter: -1, iters: -1, losses: []string{"损失"}, values: []float64{2.7158}},
		{in: "第 3 轮，第100步，损失: 0.5", epoch: 3, iter: 100, iters: -1, losses: []string{"损失"}, values: []float64{.5}},
		{
			in: "Epoch 1 step 5 | loss: 2.9 | allocated: 1.53 GB, reserved: 1.66 GB, max allocated: 1.55 GB", epoch: 1, iter: 5, iters: -1,
			losses: []string{"loss"}, values: []float64{2.9}, memory: 1782411428, measure: Reserved,
		},
		{in: "[第 1/30 轮] 显存 已分配: 2.00 GB, 峰值分配: 2.50 GB", epoch: 1, epochs: 30, iter: -1, iters: -1, memory: 2560 * MiB, measure: AllocatedMax},
		{in: "Epoch 3 GPU mem 5.2/24.0 GB", epoch: 3, iter: -1, iters: -1, memory: 5583457485, measure: Unspecified},
		{in: "Epoch 3, loss 0.5, GPU memory: 1234.5MB", epoch: 3, iter: -1, iters: -1, losses: []string{"loss"}, values: []float64{.5}, memory: Bytes(1234.5 * float64(MiB)), measure: Unspecified},
		{in: "Epoch 3, loss 0.5, Memory: 512 MiB, CPU RAM: 3 GB", epoch: 3, iter: -1, iters: -1, losses: []string{"loss"}, values: []float64{.5}, memory: 512 * MiB, measure: Unspecified},
	} {
		s := NewStream(0)
		var rows []*Progress
		s.Write([]byte(c.in+"\n"), time.Time{}, func(e Event) {
			if p, ok := e.Record.(*Progress); ok {
				rows = append(rows, p)
			}
		})
		if len(rows) != 1 || s.Dialect() != "pytorch" {
			t.Errorf("%q: %d rows, dialect %q", c.in, len(rows), s.Dialect())
			continue
		}
		p := rows[0]
		if p.Epoch != c.epoch || p.Epochs != c.epochs || p.Iter != c.iter || p.Iters != c.iters || p.Memory.Bytes != c.memory || p.Memory.Measure != c.measure {
			t.Errorf("%q: %+v", c.in, p)
		}
		var losses []string
		if p.Columns != nil {
			losses = p.Columns.Losses
		}
		same := slices.EqualFunc(p.Values, c.values, func(a, b float64) bool { return a == b || a != a && b != b })
		if !slices.Equal(losses, c.losses) || !same {
			t.Errorf("%q: %v %v", c.in, losses, p.Values)
		}
	}
}

// TestPlainLoopWaits promises the times of PyTorch's own examples.
func TestPlainLoopWaits(t *testing.T) {
	t.Parallel()
	p := one[*Progress](t, "Epoch: [0][ 10/5005]\tTime  0.512 ( 1.204)\tData  0.128 ( 0.310)\tLoss 6.90e+00 (7.00e+00)\tAcc@1   0.00 (  0.10)\tAcc@5   0.78 (  0.50)\n")
	if p.Epoch != 1 || p.Iter != 10 || p.Iters != 5005 || p.StepTime != 512*time.Millisecond || p.DataTime != 128*time.Millisecond || !slices.Equal(p.Values, []float64{6.9}) {
		t.Errorf("%+v", p)
	}
}

// TestPlainLoopCounts promises epochs from 1, whatever a loop counts from.
func TestPlainLoopCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in            string
		epoch, epochs int
	}{
		{"Epoch 0/24 loss: 1\nEpoch 1/24 loss: 1\n", 2, 25}, // the last one is printed
		{"Epoch 0/10 loss: 1\nEpoch 1/10 loss: 1\n", 2, 10}, // how many there are
		{"Epoch 0/12 loss: 1\nEpoch 1/12 loss: 1\n", 2, 0},  // nobody knows
		{"Epoch 1/12 loss: 1\nEpoch 2/12 loss: 1\n", 2, 12},
		{"Epoch 0/12 loss: 1\nEpoch 12/12 loss: 1\n", 13, 13},
		{"Epoch 0/4\n----------\ntrain Loss: 0.61 Acc: 0.70\nval Loss: 0.22 Acc: 0.90\n", 1, 0},
		{"step 10 loss: 1\nstep 20 loss: 1\nstep 10 loss: 1\n", 2, 0}, // it began anew
		{"Epoch 3\n-------\nloss: 2.303494  [   64/60000]\n", 3, 0},
	} {
		rows := recordsOf[*Progress](c.in)
		if len(rows) == 0 {
			t.Errorf("%q: no row", c.in)
			continue
		}
		p := rows[len(rows)-1]
		if p.Epoch != c.epoch || p.Epochs != c.epochs {
			t.Errorf("%q: epoch %d of %d", c.in, p.Epoch, p.Epochs)
		}
	}
}

// TestPlainLoopResults promises results apart from the losses of training.
func TestPlainLoopResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in     string
		names  []string
		values []float64
	}{
		{"Epoch 1: train_loss=0.5 val_loss=0.6 val_mAP50=0.41\n", []string{"val_loss", "mAP50"}, []float64{.6, .41}},
		{"Epoch 0/4\n----------\ntrain Loss: 0.61 Acc: 0.70\nval Loss: 0.22 Acc: 0.90\n", []string{"val_Loss", "Acc"}, []float64{.22, .9}},
		{"Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.1\nTest set: Average loss: 0.0515, Accuracy: 9839/10000 (98%)\n", []string{"Test_set_Average_loss", "Accuracy"}, []float64{.0515, .9839}},
	} {
		v := one[*Validation](t, c.in)
		if !slices.Equal(v.Names, c.names) || !slices.Equal(v.Values, c.values) {
			t.Errorf("%q: %v %v", c.in, v.Names, v.Values)
		}
	}
}

// TestProseIsNoRow promises that no numbers are invented.
func TestProseIsNoRow(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"After epoch 5 the loss: 3 reasons why it went up and what the team did about it",
		"Saving the checkpoint at epoch 5, loss = 0.3",
		"Best epoch: 5, loss: 0.3",
		"Resuming from step 500, loss: 0.3 was the last one that we saw",
		"Epoch 5: val_loss improved from 0.52 to 0.41, saving model to best.pt",
		"batch size: 16, loss: mse, epochs: 100",
		"Loss is 0.5",
		"step by step: 3 losses",
		"Allocate additional workspace_size = 52.43 MB",
		"epochs: 100, batch: 16, memory: 24 GB",
		"the run died at step 100 with loss: 0.5 after 3 hours",
		"  File \"train.py\", line 12, in step",
		"lr: 0.1",
		"downloading:  50%|█████     | 5/10 [00:01<00:01,  4.50it/s]",
	} {
		for _, rec := range recordsOf[*Progress](in + "\n") {
			t.Errorf("%q is a row: %+v", in, rec)
		}
		for _, rec := range recordsOf[*Memory](in + "\n") {
			t.Errorf("%q is memory: %+v", in, rec)
		}
	}
}

// TestMemoryPrints promises counters that stand in lines of their own, in any program.
func TestMemoryPrints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in       string
		measures []Measure
		bytes    []Bytes
	}{
		{"allocated: 1.50 GB, reserved: 2.00 GB", []Measure{Allocated, Reserved}, []Bytes{1536 * MiB, 2 * GiB}},
		{"torch.cuda.memory_allocated: 1536MB", []Measure{Allocated}, []Bytes{1536 * MiB}},
		{"GPU memory allocated = 512.0 MiB | max memory reserved = 1.5 GiB", []Measure{Allocated, ReservedMax}, []Bytes{512 * MiB, 1536 * MiB}},
		{"已分配：2.00 GB，已保留：3.00 GB，峰值保留：4 GB", []Measure{Allocated, Reserved, ReservedMax}, []Bytes{2 * GiB, 3 * GiB, 4 * GiB}},
	} {
		m := one[*Memory](t, banner84+c.in+"\n")
		var measures []Measure
		var amounts []Bytes
		for _, r := range m.Readings {
			measures, amounts = append(measures, r.Measure), append(amounts, r.Bytes)
		}
		if !slices.Equal(measures, c.measures) || !slices.Equal(amounts, c.bytes) {
			t.Errorf("%q: %v %v", c.in, measures, amounts)
		}
	}
}

// TestMemorySummary promises what the table of torch says, whatever units its cells have.
func TestMemorySummary(t *testing.T) {
	t.Parallel()
	m := one[*Memory](t, `|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 1                 |
|---------------------------------------------------------------------------|
|            CUDA OOMs: 2            |        cudaMalloc retries: 7         |
|===========================================================================|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |  12288 MiB |  13312 MiB |   1574 GiB |   1562 GiB |
|       from large pool |   5044 MiB |   5917 MiB |   1526 GiB |   1522 GiB |
| GPU reserved memory   |  15360 MiB |  16384 MiB |   7930 MiB |   1403 MiB |
`)
	want := []MemoryReading{
		{Bytes: 12 * GiB, Measure: Allocated, Step: MiB},
		{Bytes: 13 * GiB, Measure: AllocatedMax, Step: MiB},
		{Bytes: 15 * GiB, Measure: Reserved, Step: MiB},
		{Bytes: 16 * GiB, Measure: ReservedMax, Step: MiB},
	}
	if m.Device != 1 || m.OOMs != 2 || m.Retries != 7 || !slices.Equal(m.Readings, want) {
		t.Errorf("%+v", m)
	}
}

// TestLinesBesideRows promises that what a loop prints beside its rows is none, once its rows
// are known.
func TestLinesBesideRows(t *testing.T) {
	t.Parallel()
	const row = "Epoch 1/3, loss: 0.80\n"
	for _, in := range []string{
		"Best loss: 0.41", "Best val loss: 0.70", "Saved checkpoint (loss=0.60)", "Early stopping at epoch 3, best loss 0.41", "Final loss: 0.12",
		"loss threshold: 0.05", "loss_scale: 32768", "Target loss: 0.05",
		"[Val] Epoch 1/3, loss: 0.9", "Validation | Epoch: 1 | Loss: 0.6", "Epoch 1 | Val | loss: 0.6", "Epoch 1/9 [val] loss: 0.6", "Epoch 1 (val): loss=0.6",
		"Epoch 1/9 [Val]: 100%|██████████| 20/20 [00:01<00:00, 9.50it/s, loss=0.9]",
		"Test: [ 11/196]\tTime  2.345 ( 2.345)\tLoss 6.5e+00 (6.7e+00)\tAcc@1   0.39 (  0.39)",
		"Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n    total_loss = 0.5 * loss\nException: bad sample",
	} {
		if rows := recordsOf[*Progress](row + in + "\n"); len(rows) != 1 {
			t.Errorf("%q is a row: %+v", in, rows[1])
		}
	}
	v := recordsOf[*Validation](row + "Test: [ 11/196]\tTime  2.345 ( 2.345)\tLoss 6.5e+00 (6.7e+00)\n *   Acc@1 0.10 Acc@5 0.50\n")
	if len(v) != 1 || !slices.Equal(v[0].Names, []string{"Acc@1", "Acc@5"}) || !slices.Equal(v[0].Values, []float64{.1, .5}) {
		t.Errorf("%+v", v)
	}
	for in, want := range map[string][]float64{
		"Step 10 | policy_loss: 0.30 | value_loss: 0.50":                     {.3, .5},
		"device=cuda:0 epoch=1 loss=0.5":                                     {.5},
		"Device: 0, Epoch: 1, Step: 10, Loss: 0.53":                          {.53},
		"losses.py:33 Epoch 1 step 20 loss 0.3":                              {.3},
		"step 100 loss 3.21 ms 230":                                          {3.21},
		"Epoch 3: loss 0.53 min 0.1 max 0.9":                                 {.53},
		"step 10 loss: 0.53 s/it: 0.2":                                       {.53},
		"step 10 loss 0.5 GPU bandwidth: 500 GB/s":                           {.5},
		"Step 1,000 | loss: 0.52":                                            {.52},
		"GPU available: True (cuda), used: True\nEpoch 1/9, train_loss: 0.5": {.5},
	} {
		p := one[*Progress](t, in+"\n")
		if !slices.Equal(p.Values, want) || p.Memory.Measure != NotMeasured {
			t.Errorf("%q: %v %+v", in, p.Values, p.Memory)
		}
	}
	if p := one[*Progress](t, "Step 12,000 | loss: 0.52\n"); p.Iter != 12000 {
		t.Errorf("iteration %d", p.Iter)
	}
	for _, in := range []string{"epoch: 100\n", "epoch: 1700000000\n", "Epoch 1700000000\n"} {
		if s := recordsOf[*Notice](in); len(s) != 0 {
			t.Errorf("%q is a heading", in)
		}
	}
	for _, in := range []string{
		"Cached 12.3 GB of images in memory", "数据缓存：3.2 GB", "Dataset cached: 3.2 GB", "Total: reserved=5664MB, committed=1234MB", "KV cache reserved: 4 GB", "Reserved 4 GB for the cache",
	} {
		if m := recordsOf[*Memory](in + "\n"); len(m) != 0 {
			t.Errorf("%q is memory: %+v", in, m[0])
		}
	}
}

// TestOwnFormatsGoFirst promises that nothing else takes a line that a user has described.
func TestOwnFormatsGoFirst(t *testing.T) {
	t.Parallel()
	for row, c := range map[string]struct {
		lines string
		want  int
	}{
		`^(?P<iter>\d+): loss (?P<loss>\S+)`:                                       {"1: loss 0.5\n9999: loss 0.4\n10000: loss 0.1\n", 3},
		`^\s+(?P<epoch>\d+)/(?P<epochs>\d+)\s+(?P<memory>[\d.]+)G\s+(?P<loss>\S+)`: {"       1/50      2.61G      1.21     0.84        12       640: 100%|██████████| 10/10 [00:01<00:00, 9.5it/s]\n", 1},
		`^(?:ep (?P<epoch>\d+) )?it (?P<iter>\d+) loss (?P<loss>\S+)`:              {"ep 3 it 1 loss 0.5\nit 2 loss 0.4\nit 3 loss 0.3\n", 3},
	} {
		units := map[string]string{}
		if strings.Contains(row, "memory") {
			units["memory"] = "GB"
		}
		g, err := NewGrammar(Format{Name: "own", Row: row, FirstEpoch: 1, FirstIter: 1, Units: units})
		if err != nil {
			t.Fatal(err)
		}
		var rows []*Progress
		s := g.NewStream(0)
		s.Write([]byte(c.lines), time.Time{}, func(e Event) {
			if p, ok := e.Record.(*Progress); ok {
				rows = append(rows, p)
			}
		})
		if s.Dialect() != "own" || len(rows) != c.want || rows[0].Epoch != rows[len(rows)-1].Epoch {
			t.Errorf("%s: %q, %d rows", row, s.Dialect(), len(rows))
		}
	}
}
