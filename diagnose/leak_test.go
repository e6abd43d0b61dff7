package diagnose

import (
	"fmt"
	"runtime"
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
	for i, m := range []string{"16G", "17G", "18.5G", "19.5G"} {
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

// TestAMillionEpochs promises that memory does not grow with the length of a run.
func TestAMillionEpochs(t *testing.T) {
	var d leak
	var c creep
	r := newRun(1, 0)
	r.Memory.Total, r.Memory.Measure = 24*parse.GiB, parse.Reserved
	feed := func(from, to int) {
		for e := from; e < to; e++ {
			p := &parse.Progress{Epoch: e, Iter: 10, Iters: 10, Instances: -1, Size: -1, Memory: parse.MemoryReading{
				Bytes: parse.Bytes(8<<30 + (e*2654435761)%(1<<28)), Measure: parse.Reserved, Step: 10 << 20,
			}}
			r.Epoch, r.Iter, r.Iters = e, 10, 10
			ev := parse.Event{Origin: parse.Origin{Line: e}, Record: p}
			d.Observe(r, ev)
			c.Observe(r, ev)
		}
	}
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	feed(1, 10_000)
	before := held()
	feed(10_000, 1_000_000)
	if after := held(); after > before+1<<20 {
		t.Errorf("%d bytes after ten thousand epochs, %d after a million", before, after)
	}
}
