package diagnose

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

func TestTightIsSaidInTheFirstEpoch(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, banner+start+header+row("1", "10", "22.4G")))
	f := found(t, r, Tight)
	if f.Level != Warning || f.First.Epoch != 1 || f.GPU != 0 {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "95%", "epoch 1")
	mention(t, f.Because, "22.4 GiB", "23.7 GiB")
	if a := advice(f); !strings.Contains(a, "batch=12") || !strings.Contains(a, "60 images, as against 64") {
		t.Errorf("advice: %s", a)
	}
}

func TestTightIsTakenBackWhenMemoryStaysLow(t *testing.T) {
	t.Parallel()
	text := banner + start + header + row("1", "10", "22.4G")
	for e := 2; e <= 4; e++ {
		text += header + row(fmt.Sprint(e), "10", "15.1G")
	}
	if f := found(t, only(t, read(t, text)), Tight); !f.Active {
		t.Error("three calm epochs prove nothing: the dense batch comes again")
	}
	for e := 5; e <= 8; e++ {
		text += header + row(fmt.Sprint(e), "10", "15.1G")
	}
	if f := found(t, only(t, read(t, text)), Tight); f.Active {
		t.Errorf("%+v", f)
	}
}

func TestRoomIsNoTrouble(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(banner + start)
	for e := 1; e <= 6; e++ {
		b.WriteString(header + row(fmt.Sprint(e), "10", "15.1G") + validation)
	}
	r := only(t, read(t, b.String()))
	if len(r.Findings) != 0 || r.Verdict() != Stable {
		t.Errorf("verdict %s, findings %+v", r.Verdict(), r.Findings)
	}
}

func TestTooLittleIsUnknown(t *testing.T) {
	t.Parallel()
	if v := only(t, read(t, banner+start+header+row("1", "10", "5G"))).Verdict(); v != Unknown {
		t.Errorf("verdict %s after one epoch", v)
	}
	var b strings.Builder
	b.WriteString(banner + start)
	for e := 1; e <= 4; e++ {
		b.WriteString(header + row(fmt.Sprint(e), "10", []string{"", "5.1G", "6.1G", "6.3G", "8.9G", "9.0G", "10.4G"}[e]) + validation)
	}
	if v := only(t, read(t, b.String())).Verdict(); v != Unknown {
		t.Errorf("verdict %s while memory rises every epoch", v)
	}
}

const oomTail = " If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.\n"

// TestOutOfMemoryIsExplained promises that the numbers decide, not the advice in the
// error's own text.
func TestOutOfMemoryIsExplained(t *testing.T) {
	t.Parallel()
	healthy := banner + start + header + row("1", "10", "15.1G") + validation
	for name, c := range map[string]struct {
		before, text string
		title        string
		because      []string
		first        string // what the first advice speaks of
		never        string
	}{
		"a full card": {
			before:  healthy + header + row("2", "10", "22.9G"),
			text:    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 212.81 MiB is free. Including non-PyTorch memory, this process has 23.40 GiB memory in use. Of the allocated memory 22.12 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated." + oomTail,
			title:   "epoch 2, in training",
			because: []string{"1.06 GiB", "0.21 GiB", "23.7 GiB", "23.4 GiB"},
			first:   "batch=",
		},
		"another process": {
			before:  healthy,
			text:    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 512.81 MiB is free. Process 52574 has 17.30 GiB memory in use. Including non-PyTorch memory, this process has 5.31 GiB memory in use. Of the allocated memory 4.12 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated." + oomTail,
			because: []string{"17.3 GiB", "52574"},
			first:   "52574",
			never:   "batch=",
		},
		"in a container the run looks like another process": {
			before:  banner + start + header,
			text:    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 400.38 MiB. GPU 0 has a total capacty of 23.70 GiB of which 184.32 MiB is free. Process 305661 has 23.31 GiB memory in use. Of the allocated memory 22.93 GiB is allocated by PyTorch, and 15.04 MiB is reserved by PyTorch but unallocated." + oomTail,
			title:   "before the first batch",
			because: []string{"never fitted"},
			first:   "batch=",
			never:   "305661",
		},
		"plenty of the card is free": {
			before:  healthy,
			text:    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 400.00 MiB. GPU 0 has a total capacity of 23.70 GiB of which 6.57 GiB is free. Of the allocated memory 333.00 MiB is allocated by PyTorch, and 2.00 MiB is reserved by PyTorch but unallocated." + oomTail,
			because: []string{"6.57 GiB", "not the cause"},
			first:   "paging file",
			never:   "batch=",
		},
		"one huge request": {
			before:  healthy,
			text:    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 11.40 GiB. GPU 0 has a total capacity of 23.70 GiB of which 9.60 GiB is free. Including non-PyTorch memory, this process has 6.12 GiB memory in use. Of the allocated memory 5.12 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated." + oomTail,
			because: []string{"11.4 GiB", "spike"},
			first:   "objects",
		},
		"pieces": {
			before:  healthy,
			text:    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 512.81 MiB is free. Including non-PyTorch memory, this process has 23.04 GiB memory in use. Of the allocated memory 17.12 GiB is allocated by PyTorch, and 5.31 GiB is reserved by PyTorch but unallocated." + oomTail,
			because: []string{"5.31 GiB", "not in use"},
			first:   "expandable_segments",
		},
		"validation": {
			before: healthy + header + row("2", "10", "15.1G") + "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 50% ━━━━━━────── 5/10 8.0it/s 0.6s<0.6s\n",
			text:   "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 512.81 MiB is free. Including non-PyTorch memory, this process has 23.04 GiB memory in use. Of the allocated memory 21.12 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated." + oomTail,
			title:  "epoch 2, in validation",
			first:  "twice the training batch",
		},
		"without numbers": {
			before:  healthy,
			text:    "RuntimeError: CUDA error: out of memory\n",
			because: []string{"no numbers"},
			first:   "batch",
		},
		"a library on a full card": {
			before:  banner + start + header + row("1", "10", "22.4G"),
			text:    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\n",
			because: []string{"22.4 GiB", "95%"},
			first:   "batch=",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := only(t, read(t, c.before+"Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n"+c.text))
			f := found(t, r, OOM)
			if !f.Active || f.Level != Critical || r.Status != Failed || r.Verdict() != OOM {
				t.Errorf("status %s, verdict %s, %+v", r.Status, r.Verdict(), f)
			}
			mention(t, f.Title, c.title)
			mention(t, f.Because, c.because...)
			if first := f.Advice[0].In(English); !strings.Contains(first, c.first) {
				t.Errorf("first advice: %s", first)
			}
			if c.never != "" && strings.Contains(f.Because.In(English)+advice(f), c.never) {
				t.Errorf("speaks of %q: %s", c.never, advice(f))
			}
		})
	}
}

func TestALibraryErrorOnAnEmptyCardIsNoOutOfMemory(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, banner+start+header+row("1", "10", "5.1G")+"RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`\n"))
	if r.finding(OOM) != nil || r.Status != Failed {
		t.Errorf("status %s, %+v", r.Status, r.Findings)
	}
}

func TestDenseBatchesAreNamedOnlyWhereMemoryFollowsThem(t *testing.T) {
	t.Parallel()
	grows := func(instances func(i int) string) string {
		var b strings.Builder
		b.WriteString(banner + start + header)
		for i := range 9 {
			b.WriteString(rowWith("1", "10", fmt.Sprintf("%d.1G", 13+i), "1.1", instances(i)))
		}
		b.WriteString("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 212.81 MiB is free. Including non-PyTorch memory, this process has 23.40 GiB memory in use. Of the allocated memory 22.12 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated." + oomTail)
		return b.String()
	}
	// The rows of one epoch are complete in these texts, so that they read as
	// repeats of it: what counts is the order of memory and instances.
	dense := only(t, read(t, strings.ReplaceAll(grows(func(i int) string { return fmt.Sprint(100 + 30*i) }), "100/100", "50/100")))
	mention(t, found(t, dense, OOM).Because, "dense")
	calm := only(t, read(t, strings.ReplaceAll(grows(func(int) string { return "100" }), "100/100", "50/100")))
	if strings.Contains(found(t, calm, OOM).Because.In(English), "dense") {
		t.Error("dense batches are named without a record of instances")
	}
}

func TestAnOutOfMemoryThatWasCaughtIsTakenBack(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, banner+start+header+row("1", "10", "15.1G")+"RuntimeError: CUDA error: out of memory\n"+header+row("2", "10", "15.1G")))
	if f := found(t, r, OOM); f.Active || r.Death != nil || r.Status == Failed {
		t.Errorf("the run went on: status %s, %+v", r.Status, f)
	}
}

func TestAutoBatchRunsOutOfMemoryOnPurpose(t *testing.T) {
	t.Parallel()
	text := banner + "AutoBatch: Computing optimal batch size for imgsz=640 at 60.0% CUDA memory utilization.\n" +
		"CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 23.70 GiB of which 1.00 GiB is free.\n" +
		"AutoBatch: Using batch-size 48 for CUDA:0 14.1G/23.70G (60%) ✅\n"
	r := only(t, read(t, text))
	if r.Death != nil || len(r.Findings) != 0 || r.Batch != 48 {
		t.Errorf("batch %v, %+v, %+v", r.Batch, r.Death, r.Findings)
	}
}

func TestAScriptThatFailsAfterTheTrainingIsNoDeath(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, banner+start+header+row("1", "1", "5.1G")+validation+"\n1 epochs completed in 0.010 hours.\n"+
		"Traceback (most recent call last):\n  File \"x.py\", line 9\nConnectionError: upload failed\n"))
	if r.Status != Finished || r.Death != nil {
		t.Errorf("status %s, %+v", r.Status, r.Death)
	}
}

func TestTheFirstFailureIsTheCause(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, banner+start+header+row("1", "10", "5.1G")+
		"RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed. \n"+
		"Traceback (most recent call last):\n  File \"x.py\"\nRuntimeError: DataLoader worker (pid(s) 4711) exited unexpectedly\n"))
	f := found(t, r, HostRAM)
	mention(t, f.Because, "4711", "main memory")
	if r.finding(OOM) != nil || r.Verdict() != HostRAM {
		t.Errorf("verdict %s", r.Verdict())
	}
	if first := f.Advice[0].In(English); !strings.Contains(first, "workers=4") {
		t.Errorf("first advice: %s", first)
	}
}

func TestHostMemoryHasManyFaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Killed\n": "killed",
		"ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).\n":                          "shared memory",
		"OSError: [WinError 1455] The paging file is too small for this operation to complete\n":                                                  "paging file",
		"RuntimeError: [enforce fail at alloc_cpu.cpp:73] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 3145728000 bytes\n": "main memory",
	} {
		r := only(t, read(t, banner+start+header+row("1", "10", "5.1G")+text))
		f := found(t, r, HostRAM)
		mention(t, f.Title, want)
		if f.Level != Critical || r.finding(OOM) != nil {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func TestNaNGetsGraverWhenItLasts(t *testing.T) {
	t.Parallel()
	half := strings.ReplaceAll(rowWith("2", "10", "5.1G", "nan", "80"), "100% ━━━━━━━━━━━━ 100/100", "50% ━━━━━━────── 50/100")
	text := banner + start + header + row("1", "10", "5.1G") + header + half
	f := found(t, only(t, read(t, text)), NaN)
	if f.Level != Warning {
		t.Errorf("after one row: %+v", f)
	}
	mention(t, f.Because, "box_loss nan")
	f = found(t, only(t, read(t, text+rowWith("2", "10", "5.1G", "nan", "80"))), NaN)
	if f.Level != Critical || !f.Active {
		t.Errorf("after an epoch: %+v", f)
	}
	if !strings.Contains(f.Advice[0].In(English), "stop the run") {
		t.Errorf("advice: %s", advice(f))
	}
}

func TestCardsWithBrokenHalfPrecisionAreNamed(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(banner, "NVIDIA GeForce RTX 3090", "NVIDIA GeForce GTX 1650") + start + header + rowWith("1", "10", "2.1G", "nan", "80")
	if a := advice(found(t, only(t, read(t, text)), NaN)); !strings.Contains(a, "start with amp=False: cards such as the NVIDIA GeForce GTX 1650") {
		t.Errorf("advice: %s", a)
	}
}

func TestNotMeasuredIsExplained(t *testing.T) {
	t.Parallel()
	cpu := "Ultralytics 8.4.82 🚀 Python-3.11.9 torch-2.1.0+cpu CPU (AMD Ryzen 5)\n"
	for name, c := range map[string]struct{ text, title string }{
		"cpu":           {cpu + start + header + row("1", "10", "0G"), "on the CPU"},
		"results alone": {results(), "results.csv"},
		"rows on the other stream": {
			banner + start + header + "                   all        100        900        0.7        0.6       0.61       0.42\n",
			"do not arrive",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := only(t, read(t, c.text))
			f := found(t, r, NotMeasured)
			mention(t, f.Title, c.title)
			if f.Level != Info || r.Verdict() != NotMeasured || r.Memory.Last != 0 {
				t.Errorf("verdict %s, memory %d, %+v", r.Verdict(), r.Memory.Last, f)
			}
		})
	}
}

// live is a session that is followed, second by second.
type live struct {
	*Session
	now    time.Time
	stream *parse.Stream
}

func newLive() *live {
	return &live{Session: NewSession(Input{Name: "train.log"}), now: time.Unix(1_000_000, 0), stream: parse.NewStream(0)}
}

func (l *live) say(text string) { l.stream.Write([]byte(text), l.now, l.Observe) }

func (l *live) wait(d time.Duration) {
	for end := l.now.Add(d); l.now.Before(end); {
		l.now = l.now.Add(time.Second)
		l.Tick(l.now)
	}
}

func (l *live) train(epochs int) *Run {
	l.say(banner + start)
	for e := 1; e <= epochs; e++ {
		l.say(header + row(fmt.Sprint(e), "10", "5.1G"))
		l.wait(10 * time.Second)
		l.say(validation)
	}
	return l.Runs()[0]
}

func TestSilenceIsAStallOnlyWhenItIsUnusual(t *testing.T) {
	t.Parallel()
	l := newLive()
	r := l.train(3)
	l.wait(100 * time.Second)
	if r.active(Stalled) != nil {
		t.Error("100 s is no stall yet")
	}
	l.wait(60 * time.Second)
	f := r.active(Stalled)
	if f == nil {
		t.Fatal("silent for 160 s, usual are 10")
	}
	mention(t, f.Title, "2 min")
	l.say(header + row("4", "10", "5.1G"))
	if r.active(Stalled) != nil {
		t.Error("a row came: no stall any more")
	}
}

func TestASlowStartIsNoStall(t *testing.T) {
	t.Parallel()
	l := newLive()
	l.say(banner)
	l.wait(8 * time.Minute)
	if r := l.Runs()[0]; len(r.Findings) > 0 {
		t.Errorf("scanning and compiling take their time: %+v", r.Findings[0])
	}
}

func TestASleepingMachineIsNoStall(t *testing.T) {
	t.Parallel()
	l := newLive()
	r := l.train(3)
	l.now = l.now.Add(9 * time.Hour) // the lid was closed
	l.Tick(l.now)
	if r.active(Stalled) != nil {
		t.Error("the clock jumped, nothing stalled")
	}
}

func TestAFinishedRunDoesNotStall(t *testing.T) {
	t.Parallel()
	l := newLive()
	r := l.train(3)
	l.wait(5 * time.Minute)
	if r.active(Stalled) == nil {
		t.Fatal("not stalled")
	}
	l.say("\n3 epochs completed in 0.010 hours.\n")
	l.wait(time.Hour)
	if r.active(Stalled) != nil || r.Status != Finished {
		t.Errorf("status %s: a run that is over is not silent", r.Status)
	}
}

// TestReplayedIsLive promises that a log read later gives the findings that the
// live run gave.
func TestReplayedIsLive(t *testing.T) {
	t.Parallel()
	text := banner + start + header + row("1", "10", "22.4G") + validation + header + rowWith("2", "10", "22.4G", "nan", "80") + validation
	later := only(t, read(t, text))
	l := newLive()
	for _, line := range strings.SplitAfter(text, "\n") {
		l.say(line)
		l.wait(3 * time.Second)
	}
	now := l.Runs()[0]
	if len(now.Findings) != len(later.Findings) {
		t.Fatalf("%d findings live, %d later", len(now.Findings), len(later.Findings))
	}
	for i, f := range now.Findings {
		g := later.Findings[i]
		if f.Kind != g.Kind || f.Level != g.Level || f.First != g.First || f.Title.In(English) != g.Title.In(English) {
			t.Errorf("live %+v, later %+v", f, g)
		}
	}
}
