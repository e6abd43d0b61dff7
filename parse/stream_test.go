package parse

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// pieces are what noise is made of: everything that a log may hold, and the parts
// of it that break when they are cut.
var pieces = []string{
	"\n", "\n", "\r", "\r\n", "\r\x1b[K", "\x1b[0m", "\x1b[", "\x1b]0;t", "\a", "\x00", "\xff", "\xe2\x94", "━", " ", "  ", ": ", "/", "%", "1/3", "2.41G", "nan",
	banner83, banner84, detectHead,
	"YOLOv5 🚀 v7.0-162-gc3e4e94 Python-3.8.16 torch-1.12.1+cu113 CUDA:0 (Tesla T4, 15102MiB)\n",
	"      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n",
	"epoch,time,train/box_loss,lr/pg0\n", "1,2.5,0.1,0.01\n", "2,1.5,nan,0.01\n",
	"        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── 1/4 1.9it/s 0.2s<1.6s",
	"        0/3      12.4G        nan        inf  1.235e+04         10         64:  75%|███████▌  | 3/4 [00:02<00:01,  1.51s/it]",
	"        1/3      2.41G      4.635      \x1b[0m: 25% ━━━───────── 1/4 1.9it/s 0.2s<1.6s",
	"  0%|          | 0/4 [00:00<?, ?it/s]",
	"                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100% ━━━━━━━━━━━━ 1/1 29.4it/s 0.0s\n",
	"                   all          8         18     0.0104      0.721     0.0208    0.00459\n",
	"WARNING ⚠️ CUDA out of memory with batch=8. Reducing to batch=4 and retrying (1/3).\n",
	"Traceback (most recent call last):\n", "  File \"a.py\", line 1, in b\n",
	"[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 39.56 GiB\n",
	"2026-03-14T09:12:05.123Z ", "Killed\n", "Validating /data/best.pt...\n", "Starting training for 3 epochs...\n", "^C",
}

// noise draws a mix of pieces.
func noise(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 20, -1)), 0, 60).Draw(t, "pieces"), "")
}

// chop cuts s where rapid likes.
func chop(t *rapid.T, s string) []string {
	cuts := rapid.SliceOfN(rapid.IntRange(0, len(s)), 0, 40).Draw(t, "cuts")
	slices.Sort(cuts)
	var out []string
	at := 0
	for _, c := range cuts {
		out = append(out, s[at:c])
		at = c
	}
	return append(out, s[at:])
}

func TestChunksDoNotMatter(t *testing.T) {
	t.Parallel()
	check := func(t *rapid.T, in string) {
		whole, cut := eventsOf(in), eventsOf(chop(t, in)...)
		if i := firstDifference(whole, cut); i >= 0 {
			t.Fatalf("event %d of %d and %d differs", i, len(whole), len(cut))
		}
	}
	t.Run("noise", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) { check(t, noise(t)) })
	})
	all := recordings(t, "*.log")
	maps.Copy(all, recordings(t, "*.csv"))
	names := slices.Sorted(maps.Keys(all))
	t.Run("recordings", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) { check(t, all[rapid.SampledFrom(names).Draw(t, "name")]) })
	})
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if i := firstDifference(eventsOf(all[name]), eventsOf(bytewise(all[name])...)); i >= 0 {
				t.Errorf("event %d differs byte by byte", i)
			}
		})
	}
}

func TestPendingChangesNothing(t *testing.T) {
	t.Parallel()
	all := recordings(t, ".log")
	names := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(t *rapid.T) {
		in := all[rapid.SampledFrom(names).Draw(t, "name")]
		if rapid.Bool().Draw(t, "noise") {
			in = noise(t)
		}
		var got []Event
		keep := func(e Event) { got = append(got, e) }
		s := NewStream(0)
		for _, c := range chop(t, in) {
			s.Write([]byte(c), time.Time{}, keep)
			e, ok := s.Pending(time.Time{})
			again, okAgain := s.Pending(time.Time{})
			if ok != okAgain || !same(e, again) {
				t.Fatal("two looks at the pending frame differ")
			}
			if p, isRow := e.Record.(*Progress); ok && (!e.Provisional || !isRow || p == nil) {
				t.Fatalf("pending is %+v", e)
			}
		}
		s.Close(time.Time{}, keep)
		if i := firstDifference(eventsOf(in), got); i >= 0 {
			t.Fatalf("event %d differs after a look at the pending frame", i)
		}
		for _, e := range got {
			if e.Provisional {
				t.Fatal("a provisional event came out of Write")
			}
		}
	})
}

func TestPendingIsTheNewestFrame(t *testing.T) {
	t.Parallel()
	s := NewStream(3)
	seen := 0
	count := func(Event) { seen++ }
	if _, ok := s.Pending(time.Time{}); ok {
		t.Error("pending in an empty stream")
	}
	now := time.Unix(1000, 0)
	s.Write([]byte(banner84+detectHead), now, count)
	seen = 0
	frame := "\r\x1b[K        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── 1/4 1.9it/s 0.2s<1.6s"
	s.Write([]byte(frame), now, count)
	e, ok := s.Pending(now)
	p, _ := e.Record.(*Progress)
	if !ok || p == nil || p.Iter != 1 || e.Input != 3 || e.Line != 4 || !e.Arrival.Equal(now) || seen != 0 {
		t.Fatalf("pending is %+v %+v, %d events", e, p, seen)
	}
	s.Write([]byte("\r"), now, count)
	if _, ok := s.Pending(now); ok || seen != 1 {
		t.Errorf("pending after its end %v, %d events", ok, seen)
	}
	s.Write([]byte("Validating /data/runs/best.pt..."), now, count)
	if _, ok := s.Pending(now); ok {
		t.Error("a line that is no row is pending")
	}
}

// A frame of which only a part came must not show numbers that are wrong.
func TestPendingHalfFrame(t *testing.T) {
	t.Parallel()
	for _, frame := range []string{
		"      12/30      12.4G      4.635      4.044     0.1412         10        640: 25% ━━━───────── 12/400 11.5s/it 21.5s<1:06:05",
		"      12/30      12.4G      4.635      4.044     0.1412         10        640:  25%|██▌       | 12/400 [01:21<10:04,  1.51s/it]",
	} {
		for n := range len(frame) {
			s := NewStream(0)
			s.Write([]byte(banner84+detectHead+"\r"+frame[:n]), time.Time{}, func(Event) {})
			e, ok := s.Pending(time.Time{})
			if !ok {
				continue
			}
			p := e.Record.(*Progress)
			rate := 1 / 11.5
			if strings.Contains(frame, "|") {
				rate = 1 / 1.51
			}
			allowed := p.Epoch == 12 && p.Epochs == 30 && p.Memory.Bytes == gibibytes(12.4) &&
				same(p.Values, []float64{4.635, 4.044, .1412}[:len(p.Values)]) &&
				(p.Instances == -1 || p.Instances == 10) && (p.Size == -1 || p.Size == 640) &&
				(p.Iter == -1 || p.Iter == 12) && (p.Iters == -1 || p.Iters == 400) &&
				(p.Rate == 0 || p.Rate == rate) &&
				(p.Elapsed == -1 || p.Elapsed == 21500*time.Millisecond || p.Elapsed == 81*time.Second)
			if !allowed {
				t.Errorf("%q: %+v", frame[:n], p)
			}
		}
	}
}

func TestRunTimeNeverFalls(t *testing.T) {
	t.Parallel()
	check := func(t interface {
		Fatalf(string, ...any)
	}, events []Event,
	) {
		var last time.Duration
		known := false
		for _, e := range events {
			if known && !e.HasRun || e.HasRun && e.Run < last {
				t.Fatalf("line %d: run time %v (%v) after %v (%v)", e.Line, e.Run, e.HasRun, last, known)
			}
			if known = e.HasRun; known {
				last = e.Run
			}
		}
	}
	for name, in := range recordings(t, "") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, eventsOf(in))
		})
	}
	t.Run("noise", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			var events []Event
			s := NewStream(0)
			now := time.Unix(0, 0)
			if rapid.Bool().Draw(t, "file") {
				now = time.Time{}
			}
			for range rapid.IntRange(1, 5).Draw(t, "chunks") {
				s.Write([]byte(noise(t)), now, func(e Event) { events = append(events, e) })
				if !now.IsZero() {
					now = now.Add(time.Duration(rapid.IntRange(0, 60_000).Draw(t, "wait")) * time.Millisecond)
				}
			}
			check(t, events)
		})
	})
}

func TestRunTime(t *testing.T) {
	t.Parallel()
	row := func(epoch, done, elapsed string) string {
		return "\r        " + epoch + "/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── " + done + "/4 1.9it/s " + elapsed + "s<1.6s"
	}
	val := "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100% ━━━━━━━━━━━━ 1/1 29.4it/s 5.0s"
	for _, c := range []struct {
		name, in string
		want     time.Duration
	}{
		{"a bar's elapsed time", detectHead + row("1", "1", "1.0") + row("1", "2", "2.0"), 2 * time.Second},
		{"bars add up", detectHead + row("1", "4", "2.0") + "\r" + val + "\n" + detectHead + row("2", "1", "1.0"), 8 * time.Second},
		{"an epoch that is repeated", detectHead + row("1", "4", "2.0") + "\n" + detectHead + row("1", "1", "1.0"), 3 * time.Second},
		{"stamps win", "2026-03-14T09:12:05Z a\n2026-03-14T09:12:15Z b\n" + detectHead + row("1", "1", "3.0"), 10 * time.Second},
		{"bars fill the time between stamps", "2026-03-14T09:12:05Z a\n" + detectHead + row("1", "1", "1.0") + row("1", "2", "3.0"), 2 * time.Second},
		{"stamps that go back", "2026-03-14T09:12:05Z a\n2026-03-14T09:12:15Z b\n2026-03-14T09:12:06Z c\n", 10 * time.Second},
		{"results.csv", lines("epoch,time,train/loss", "1,10,0.1", "2,20,0.1"), 20 * time.Second},
		{"a resumed results.csv", lines("epoch,time,train/loss", "1,10,0.1", "2,20,0.1", "3,10,0.1", "4,21,0.1"), 41 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := eventsOf(c.in)
			if e := all[len(all)-1]; !e.HasRun || e.Run != c.want {
				t.Errorf("%v (%v), want %v", e.Run, e.HasRun, c.want)
			}
		})
	}
	t.Run("arrival does not count, so that a replayed log has the times of the live run", func(t *testing.T) {
		t.Parallel()
		var last Event
		s := NewStream(0)
		s.Write([]byte(banner84), time.Unix(5000, 0), func(e Event) { last = e })
		if last.HasRun {
			t.Errorf("a banner tells %v", last.Run)
		}
		s.Write([]byte(detectHead+row("1", "1", "2.0")+"\n"), time.Unix(5035, 0), func(e Event) { last = e })
		if last.Run != 2*time.Second {
			t.Errorf("with the bar %v", last.Run)
		}
	})
	t.Run("nothing tells", func(t *testing.T) {
		t.Parallel()
		if e := eventsOf(banner84)[0]; e.HasRun {
			t.Errorf("%v", e.Run)
		}
	})
}

func TestTransportPrefixes(t *testing.T) {
	t.Parallel()
	row := "      1/3      2.41G      4.635      4.044     0.1412         10         64: 100% ━━━━━━━━━━━━ 4/4 13.9it/s 0.3s"
	for _, c := range []struct {
		name, prefix string
		stamped      bool
	}{
		{"none", "", false},
		{"docker logs -t", "2026-03-14T09:12:05.123456789Z ", true},
		{"kubectl --timestamps", "2026-03-14T09:12:05.123Z ", true},
		{"with a zone", "2026-03-14T09:12:05+01:00 ", true},
		{"with a zone without a colon", "2026-03-14T09:12:05+0100 ", true},
		{"ts with a date", "2026-03-14 09:12:05 ", true},
		{"in brackets", "[2026-03-14 09:12:05,123] ", true},
		{"ts", "Mar 14 09:12:05 ", false},
		{"journald", "Mar  4 09:12:05 gpu-07 python[4242]: ", false},
		{"srun -l", "0: ", false},
		{"srun -l of many", "12: ", false},
		{"torchrun", "[rank0]: ", false},
		{"torchrun --tee", "[default0]:", false},
		{"docker and torchrun", "2026-03-14T09:12:05.123Z [rank0]: ", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := c.prefix + strings.TrimPrefix(detectHead, "\n") + c.prefix + row + "\n" + c.prefix + strings.ReplaceAll(row, "1/3", "2/3") + "\r\n"
			rows := recordsOf[*Progress](in)
			if len(rows) != 2 || rows[0].Size != 64 || rows[0].Iters != 4 || rows[0].Epoch != 1 || rows[1].Epoch != 2 {
				t.Fatalf("%d rows: %+v", len(rows), rows)
			}
			if n := recordsOf[*Text](in); len(n) != 0 {
				t.Errorf("text is left: %q", n[0].Text)
			}
			dated := recordsOf[*Dated](in)
			if e := eventsOf(in)[len(dated)]; e.HasRun != c.stamped || len(dated) > 1 || len(dated) == 1 != c.stamped {
				t.Errorf("stamped %v, dated %+v", e.HasRun, dated)
			}
			if zoned := strings.ContainsAny(c.prefix, "Z+"); c.stamped && (dated[0].Zoned != zoned || dated[0].Start.Year() != 2026) {
				t.Errorf("dated %+v", dated[0])
			}
			if f := recordsOf[*Failure](c.prefix + "Killed\n"); len(f) != 1 {
				t.Errorf("%d failures", len(f))
			}
		})
	}
}

func TestNoPrefix(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"[x] text", "2026-99-14T09:12:05Z", "12345: five digits", "Mar is a month", "[rank]: no number", "  indented text", "May 1", "[", "0:", "99 bottles",
	} {
		if got := one[*Text](t, line); got.Text != line {
			t.Errorf("%q became %q", line, got.Text)
		}
	}
	// A time that is none is still a prefix, but tells nothing.
	if e := eventsOf("2026-99-14T09:12:05Z text\n")[0]; e.HasRun {
		t.Errorf("run time %v", e.Run)
	}
}

func TestDialect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"text", "hello\nCUDA out of memory\n", ""},
		{"a banner", banner83, "ultralytics"},
		{"a header", detectHead, "ultralytics"},
		{"rows alone", recording(t, "8.3.0-detect-stderr.log"), "ultralytics"},
		{"YOLOv5's banner", "YOLOv5 🚀 v7.0-162-gc3e4e94 Python-3.8.16 torch-1.12.1+cu113 CPU\n", "yolov5"},
		{"YOLOv5's header", "     Epoch   gpu_mem       box       obj       cls    labels  img_size\n", "yolov5"},
		{"YOLOv5's classifier", "     Epoch   GPU_mem  train_loss   test_loss    top1_acc    top5_acc\n", "yolov5"},
		{"results", "epoch,train/box_loss\n", "results.csv"},
		{"another table", "epoch,loss\n1,2\n", ""},
		{"YOLOv5 named in passing", "PRO TIP 💡 Replace 'model=yolov5n.pt' with new 'model=yolov5nu.pt'.\nYOLOv5 'u' models are better than standard YOLOv5 models\n", ""},
		{"Ultralytics named in passing", "New https://pypi.org/project/ultralytics/8.4.90 available\nUltralytics is on Python-3.11\n", ""},
		{"rows, then YOLOv5's header", "        1/3      2.41G     0.0447     0.0345     0.0142         10        640:  25%|██▌       | 1/4 [00:02<00:04,  1.51s/it]\n      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n", "yolov5"},
		{"an objectness loss in a fork of Ultralytics", banner83 + "      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n", "ultralytics"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := NewStream(0)
			s.Write([]byte(c.in), time.Time{}, func(Event) {})
			s.Close(time.Time{}, func(Event) {})
			if got := s.Dialect(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Lines of another trainer in the middle of a run, and a return from it, change
// neither the unit nor the number of the first epoch.
func TestDialectHolds(t *testing.T) {
	t.Parallel()
	row := "        1/3      2.41G      4.635      4.044     0.1412         10         64:  25%|██▌       | 1/4 [00:02<00:04,  1.51s/it]\n"
	for name, between := range map[string]string{
		"YOLOv5's columns":      "\n      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n",
		"YOLOv5 named":          "YOLOv5 v7.0 is older than torch-2.0 models\n",
		"results.csv printed":   lines("epoch,time,train/box_loss", "1,2.5,0.1") + detectHead,
		"something of a module": "see engine.trainer: a=b\nultralytics/engine/trainer: x=1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := recordsOf[*Progress](banner83 + detectHead + row + between + row)
			if len(rows) != 2 || rows[1].Epoch != 1 || rows[1].Epochs != 3 || rows[1].Memory.Bytes != 2_410_000_000 {
				t.Fatalf("%d rows, the last %+v", len(rows), rows[len(rows)-1])
			}
		})
	}
}

func TestRecognized(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{"": false, "text\n": false, banner83: true, "Killed\n": true, "3 epochs completed in 0.1 hours.\n": true} {
		s := NewStream(0)
		s.Write([]byte(in), time.Time{}, func(Event) {})
		if got := s.Recognized(); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}
