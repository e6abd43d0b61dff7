package diagnose

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"yolotop/parse"
)

// epochsOf is a run whose epochs end with the given memory.
func epochsOf(total int, memory ...float64) string {
	var b strings.Builder
	b.WriteString(strings.Replace(banner, "epochs=10", fmt.Sprintf("epochs=%d", total), 1) + start)
	for i, m := range memory {
		b.WriteString(header + row(fmt.Sprint(i+1), fmt.Sprint(total), fmt.Sprintf("%.3gG", m)) + validation)
	}
	return b.String()
}

func line(n int, from, step float64) (out []float64) {
	for i := range n {
		out = append(out, from+step*float64(i))
	}
	return out
}

// TestLeakIsSaidEarly promises a leak of a steady run by its sixth epoch, with a forecast that
// is revised, and no ratchet beside it.
func TestLeakIsSaidEarly(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, epochsOf(100, line(6, 6.1, .25)...)))
	f := found(t, r, Leak)
	if f.Level != Warning || !f.Active || f.OOM == nil || f.First.Epoch != 6 {
		t.Fatalf("%+v", f)
	}
	// 24268 MiB less 0.5 GiB are 23.2 GiB: (23.2-7.35)/0.25 are 63 epochs more.
	if o := f.OOM; o.Epoch < 67 || o.Epoch > 72 || o.Low >= o.Epoch || o.High <= o.Epoch {
		t.Errorf("forecast %+v", o)
	}
	mention(t, f.Title, "0.25 GiB each epoch")
	if a := advice(f); !strings.Contains(a, "resume model=runs/detect/train/weights/last.pt") || strings.Contains(a, "lower the batch") {
		t.Errorf("advice: %s", a)
	}
	if r.active(Creep) != nil || r.Verdict() != Leak {
		t.Errorf("verdict %s", r.Verdict())
	}
}

// TestLeakLevels promises a remark where the run ends before the card is full, a warning where
// it does not, and alarm when the end is near.
func TestLeakLevels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		total int
		first float64
		step  float64
		want  Level
	}{
		{12, 6, .25, Info}, {300, 6, .25, Warning}, {300, 21, .4, Critical},
	} {
		f := found(t, only(t, read(t, epochsOf(c.total, line(8, c.first, c.step)...))), Leak)
		if f.Level != c.want || (f.OOM == nil) != (c.want == Info) {
			t.Errorf("%+v: %s, %+v", c, f.Level, f.OOM)
		}
	}
}

// TestNoLeak promises silence for what only looks like one.
func TestNoLeak(t *testing.T) {
	t.Parallel()
	ramp := []float64{6, 6.9, 7.6, 7.9, 8.3, 8.3, 8.3, 8.5, 8.5, 8.5, 8.5, 8.6, 8.6, 8.6, 8.6, 8.6, 8.6, 8.6, 8.7, 8.7, 8.7, 8.7}
	for name, memory := range map[string][]float64{
		"flat":             line(30, 8, 0),
		"a ramp at first":  ramp,
		"one step":         append(line(10, 6, 0), line(20, 12, 0)...),
		"two steps":        append(append(line(8, 6, 0), line(8, 8, 0)...), line(10, 9, 0)...),
		"up and down":      {6, 7, 6.2, 7.4, 6.1, 7.2, 6.3, 7.5, 6, 7.1, 6.2, 7.3, 6.4, 7, 6.1, 7.4},
		"falling":          line(20, 12, -.2),
		"print quanta":     {6, 6.01, 6.01, 6.02, 6.02, 6.02, 6.02, 6.03, 6.03, 6.03, 6.03, 6.03, 6.03},
		"four rises":       line(5, 6, .25),
		"a late new level": append(line(25, 6, 0), 6.5, 6.9, 6.9, 6.9, 6.9, 6.9),
	} {
		r := only(t, read(t, epochsOf(100, memory...)))
		if f := r.finding(Leak); f != nil {
			t.Errorf("%s: %s, %s", name, f.Title.In(English), f.Because.In(English))
		}
	}
}

// TestLeakThatStops promises that a leak which has stopped is taken back.
func TestLeakThatStops(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, epochsOf(300, append(line(12, 6, .25), line(14, 8.75, 0)...)...)))
	if f := found(t, r, Leak); f.Active {
		t.Errorf("%+v", f)
	}
}

// TestRatchetIsARemark promises that growth which slows down is no leak, and is said to be
// harmless.
func TestRatchetIsARemark(t *testing.T) {
	t.Parallel()
	memory := []float64{6, 6.9, 7.6, 7.6, 8, 8, 8, 8.4, 8.4, 8.4, 8.4, 8.4, 8.9, 8.9, 8.9, 8.9, 8.9, 8.9, 8.9}
	r := only(t, read(t, epochsOf(100, memory...)))
	f := found(t, r, Creep)
	if f.Level != Info || r.finding(Leak) != nil || f.OOM != nil {
		t.Errorf("%+v", f)
	}
	mention(t, f.Because, "new highs in 3 of")
}

// TestMosaicStartsAnew promises that what comes after mosaic was closed is not weighed with
// what was before.
func TestMosaicStartsAnew(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(strings.Replace(banner, "epochs=10", "epochs=60", 1) + start)
	for e := 1; e <= 40; e++ {
		m := 6.0
		if e > 30 {
			m = 6 + .1*float64(min(e-30, 3)) // a few highs, as at any beginning
		}
		if e == 31 {
			b.WriteString("Closing dataloader mosaic\n")
		}
		b.WriteString(header + row(fmt.Sprint(e), "60", fmt.Sprintf("%.3gG", m)) + validation)
	}
	if f := only(t, read(t, b.String())).finding(Leak); f != nil {
		t.Errorf("%+v", f)
	}
}

// TestDenseBatchesAreNamed promises a warning within the first epoch where memory follows the
// number of objects.
func TestDenseBatchesAreNamed(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(banner + start + header)
	frame := func(i int, m string, instances int) string {
		return strings.Replace(rowWith("1", "10", m, "1.1", fmt.Sprint(instances)), "100% ━━━━━━━━━━━━ 100/100", fmt.Sprintf("%d%% ━━━━━━━━━━━━ %d/100", i, i), 1)
	}
	for i := range 12 {
		b.WriteString(frame(i+1, "15G", 100-i))
	}
	early := only(t, read(t, b.String()+frame(13, "19.5G", 200)))
	if f := early.finding(Creep); f != nil {
		t.Errorf("after one rise: %+v", f)
	}
	for i, m := range []string{"16G", "18G", "20G", "21.5G"} {
		b.WriteString(frame(20+10*i, m, 140+40*i))
	}
	f := found(t, only(t, read(t, b.String())), Creep)
	if f.Level != Warning || f.First.Epoch != 1 {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "dense")
}

// TestDriverWithoutEpochs promises only a remark about a steady rise that the driver counts
// where nothing tells the epochs, and none about a start.
func TestDriverWithoutEpochs(t *testing.T) {
	t.Parallel()
	samples := func(n int, of func(i int) int) string {
		var b strings.Builder
		b.WriteString("timestamp, index, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n")
		for i := range n {
			fmt.Fprintf(&b, "2026/03/14 09:%02d:%02d.000, 0, %d MiB, 24576 MiB, 95 %%\n", i/60, i%60, of(i))
		}
		return b.String()
	}
	f := found(t, only(t, read(t, samples(120, func(i int) int { return 5000 + 20*i }))), Creep)
	if f.Level != Info || !f.Provisional || f.OOM != nil {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "1.17 GiB a minute")
	start := func(i int) int { return min(400+700*i, 9000) }
	if r := only(t, read(t, samples(200, start))); r.finding(Creep) != nil || r.finding(Leak) != nil {
		t.Errorf("a start: %+v", r.Findings)
	}
}

// TestLastRowDrawnTwice promises that tqdm's habit to draw a last row again changes nothing.
func TestLastRowDrawnTwice(t *testing.T) {
	t.Parallel()
	once := epochsOf(100, line(10, 6, .25)...)
	var twice strings.Builder
	for _, l := range strings.SplitAfter(once, "\n") {
		twice.WriteString(l)
		if strings.Contains(l, "100/100") {
			twice.WriteString(l)
		}
	}
	a, b := found(t, only(t, read(t, once)), Leak), found(t, only(t, read(t, twice.String())), Leak)
	if a.Title.In(English) != b.Title.In(English) || a.Level != b.Level || a.OOM.Epoch != b.OOM.Epoch {
		t.Errorf("%s %+v, drawn twice %s %+v", a.Title.In(English), a.OOM, b.Title.In(English), b.OOM)
	}
}

// TestRarePrints promises rates for each epoch where only some epochs are printed.
func TestRarePrints(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for e := 10; e <= 120; e += 10 {
		fmt.Fprintf(&b, "Epoch %d/400, loss: 0.5, allocated: %.2f GB, reserved: %.2f GB\n", e, 4+.04*float64(e), 5+.04*float64(e))
	}
	mention(t, found(t, only(t, read(t, b.String())), Leak).Title, "0.04 GiB each epoch")
}

// TestLeakThatFades promises that a leak is taken back when memory stops to grow slowly, and
// that no forecast lies in the past.
func TestLeakThatFades(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(e int) float64{
		"stops":  func(e int) float64 { return 6 + .07*float64(min(e, 60)) },
		"fills":  func(e int) float64 { return 6 + 5*(1-math.Exp(-float64(e)/8)) },
		"slowly": func(e int) float64 { return 6 + 5*(1-math.Exp(-float64(e)/30)) },
	} {
		var memory []float64
		for e := range 250 {
			memory = append(memory, of(e))
		}
		if f := only(t, read(t, epochsOf(300, memory...))).active(Leak); f != nil {
			t.Errorf("%s: %s, %s", name, f.Title.In(English), f.Because.In(English))
		}
	}
}

// TestStepwiseLeak promises rates for iterations where a trainer counts no epochs, and a mere
// remark if the run ends before memory does.
func TestStepwiseLeak(t *testing.T) {
	t.Parallel()
	run := func(perRow float64) *Finding {
		s := NewSession(Input{Name: "log"})
		s.Observe(parse.Event{Record: &parse.Banner{Trainer: "detectron2", Torch: "2", Devices: []parse.Device{{Kind: "cuda", Total: 24 * parse.GiB}}}})
		for i := range 600 {
			s.Observe(parse.Event{Origin: parse.Origin{Line: i + 1}, Record: &parse.Progress{
				Epoch: 1, Stepwise: true, Iter: 20 * (i + 1), Iters: 60000, Instances: -1, Size: -1, Elapsed: -1,
				Memory: parse.MemoryReading{Bytes: 5*parse.GiB + parse.Bytes(perRow*float64(i)*float64(parse.MiB)), Measure: parse.AllocatedMax, Step: parse.MiB},
			}})
		}
		return s.Runs()[0].active(Leak)
	}
	if f := run(0.5); f == nil || f.Level != Info || f.OOM != nil {
		t.Errorf("it fits the run: %+v", f)
	}
	f := run(10)
	if f == nil || f.Level != Warning {
		t.Fatalf("it does not: %+v", f)
	}
	mention(t, f.Title, "each 1000 iterations")
}

// TestOthersOnTheCardComeFirst promises that a leak does not hide who else holds the card.
func TestOthersOnTheCardComeFirst(t *testing.T) {
	t.Parallel()
	const full = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 512.81 MiB is free. Process 52574 has 14.30 GiB memory in use. Including non-PyTorch memory, this process has 8.31 GiB memory in use. Of the allocated memory 7.12 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated.\n"
	f := found(t, only(t, read(t, epochsOf(100, line(9, 6, .25)...)+full)), OOM)
	if a := advice(f); !strings.Contains(a, "52574") {
		t.Errorf("advice: %s", a)
	}
	mention(t, f.Because, "foreseeable since epoch 6")
}

// TestDeadOfALeak promises that a run which a leak has killed is told how to go on, and neither
// to stop nor how long it still has.
func TestDeadOfALeak(t *testing.T) {
	t.Parallel()
	const full = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 512.81 MiB is free. Including non-PyTorch memory, this process has 22.61 GiB memory in use. Of the allocated memory 21.42 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated.\n"
	rows := epochsOf(100, line(40, 10, .25)...)
	before := found(t, only(t, read(t, rows)), Leak)
	mention(t, before.Because, "without a leak that happens less than once in a million runs", "the card is full in epoch", ", in about ")
	if a := advice(before); !strings.Contains(a, "stop after an epoch") {
		t.Errorf("while it runs: %s", a)
	}
	run := only(t, read(t, rows+full))
	leak := found(t, run, Leak)
	mention(t, leak.Because, "the last forecast of a full card was epoch")
	if s := leak.Because.In(English); strings.Contains(s, ", in about ") {
		t.Errorf("time left of a dead run: %s", s)
	}
	for _, kind := range []Kind{Leak, OOM} {
		if a := advice(found(t, run, kind)); strings.Contains(a, "stop after") || !strings.Contains(a, "gets as far again") {
			t.Errorf("%s: %s", kind, a)
		}
	}
}

// TestDenseBatchesAreForecast promises that memory which follows the number of objects is said
// to be harmless where the card has room, with when the next record comes and what it takes.
func TestDenseBatchesAreForecast(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(strings.Replace(banner, "epochs=10", "epochs=100", 1) + start)
	memory, most := 5.0, 100
	for e := 1; e <= 20; e++ {
		b.WriteString(header)
		for i := 1; i <= 5; i++ {
			instances := 80 + i
			if e == 1 && i > 1 || i == 4 && (e == 5 || e == 8 || e == 13) {
				most += 50
				instances = most
				memory += .4
			}
			b.WriteString(strings.Replace(rowWith(fmt.Sprint(e), "100", fmt.Sprintf("%.3gG", memory), "1.1", fmt.Sprint(instances)), "100% ━━━━━━━━━━━━ 100/100", fmt.Sprintf("%d%% ━━━━━━━━━━━━ %d/5", 20*i, i), 1))
		}
		b.WriteString(validation)
	}
	r := only(t, read(t, b.String()))
	f := found(t, r, Creep)
	if f.Level != Info || r.active(Leak) != nil {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "follows dense batches", "1.20 GiB")
	mention(t, f.Because, "it rose 7 times, 7 of them", "within 20 epochs as likely as not", "about 0.40 GiB more (so far at most 0.40 GiB)", "15.9 GiB are free")
}
