package parse

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func FuzzSplitter(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p+"\n"), 1)
	}
	f.Add([]byte(wide("a━\r\nb 🚀", false)), 3)
	f.Add([]byte(wide("a━\r\nb 🚀", true)), 5)
	f.Add([]byte(strings.Repeat("━", segmentLimit)), 100)
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		cut = max(0, min(cut, len(in)))
		whole, parts := cutting(string(in)), cutting(string(in[:cut]), string(in[cut:]))
		if !reflect.DeepEqual(whole, parts) {
			t.Fatalf("cut at %d: %q, whole %q", cut, parts, whole)
		}
		var s splitter
		line, offset := 1, int64(-1)
		s.write(in, func(g *segment) {
			if g.line < line || g.offset <= offset || g.offset > int64(len(in)) || len(g.text) > segmentLimit {
				t.Fatalf("line %d at %d after line %d at %d", g.line, g.offset, line, offset)
			}
			line, offset = g.line, g.offset
		})
		if cap(s.tail) > 4*segmentLimit || cap(s.scratch) > 4*segmentLimit {
			t.Fatalf("%d and %d bytes are kept", cap(s.tail), cap(s.scratch))
		}
	})
}

// fuzzStream checks what holds for every input behind a given beginning.
func fuzzStream(f *testing.F, beginning string) {
	for _, p := range pieces {
		f.Add([]byte(p+"\n"), 7)
	}
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		cut = max(0, min(cut, len(in)))
		whole := eventsOf(beginning, string(in))
		if i := firstDifference(whole, eventsOf(beginning+string(in[:cut]), string(in[cut:]))); i >= 0 {
			t.Fatalf("cut at %d: event %d differs", cut, i)
		}
		checkEvents(t, whole)
		s := NewStream(0)
		s.Write([]byte(beginning), time.Time{}, func(Event) {})
		s.Write(in, time.Time{}, func(Event) {})
		if e, ok := s.Pending(time.Time{}); ok {
			checkEvents(t, []Event{e})
		}
	})
}

// checkEvents fails where a value could harm whoever uses or prints it.
func checkEvents(t *testing.T, events []Event) {
	t.Helper()
	line, run := 1, time.Duration(0)
	for _, e := range events {
		if e.Line < line || e.HasRun && e.Run < run {
			t.Fatalf("line %d at %v after line %d at %v", e.Line, e.Run, line, run)
		}
		line, run = e.Line, max(run, e.Run)
		checkTexts(t, reflect.ValueOf(e.Record))
		switch r := e.Record.(type) {
		case *Progress:
			if r.Memory.Bytes < 0 || r.Memory.Bytes > 1<<50 || r.Memory.Step < 0 || r.Iter < -1 || r.Iters < -1 || r.Elapsed < -1 || !(r.Rate >= 0) ||
				r.Columns != nil && len(r.Values) > len(r.Columns.Losses) || r.Columns == nil && len(r.Values) > 0 {
				t.Fatalf("%+v", r)
			}
		case *Validation:
			if r.Images < -1 || r.Instances < -1 || len(r.Names) != len(r.Values) {
				t.Fatalf("%+v", r)
			}
		case *EpochRow:
			if r.Epoch < 1 || r.Time < -1 {
				t.Fatalf("%+v", r)
			}
			for _, n := range []Named{r.Losses, r.Metrics, r.Val, r.Rates} {
				if len(n.Names) != len(n.Values) {
					t.Fatalf("%+v", r)
				}
			}
		case *Stage:
			if r.Done < -1 || r.Total < -1 || r.Elapsed < -1 {
				t.Fatalf("%+v", r)
			}
		case *Banner:
			for _, d := range r.Devices {
				if d.Total < 0 || d.Total > 1<<50 || d.Index < -1 {
					t.Fatalf("%+v", r)
				}
			}
		case *Config:
			if math.IsNaN(r.Batch) || math.IsInf(r.Batch, 0) || r.Epochs < 0 || r.Workers < -1 || len(r.ImgSize) > 2 {
				t.Fatalf("%+v", r)
			}
		case *Notice:
			if r.Epoch < 0 || r.Epochs < 0 || r.Count < 0 || r.Batch < 0 || r.From < 0 || r.Kind == Header && r.Columns == nil {
				t.Fatalf("%+v", r)
			}
		case *GPU:
			checkNumbers(t, reflect.ValueOf(*r))
			for _, n := range []Number{r.Busy, r.MemoryBusy, r.Encoder, r.Decoder} {
				if n.Value > 1 {
					t.Fatalf("%+v", r)
				}
			}
			if r.Index < -1 || r.Epoch < 0 {
				t.Fatalf("%+v", r)
			}
			for _, p := range r.Processes {
				checkNumbers(t, reflect.ValueOf(p))
				if p.PID < 0 {
					t.Fatalf("%+v", r)
				}
			}
		case *Host:
			checkNumbers(t, reflect.ValueOf(*r))
		case *Memory:
			if r.Total < 0 || r.Total > 1<<50 || r.Device < -1 || r.Retries < -1 || r.OOMs < -1 {
				t.Fatalf("%+v", r)
			}
			for _, m := range r.Readings {
				if m.Bytes <= 0 || m.Bytes > 1<<50 || m.Step < 1 || m.Measure == NotMeasured {
					t.Fatalf("%+v", r)
				}
			}
		case *Hook:
			if r.Rank < 0 || r.Step < 0 || r.Steps < 0 || r.Split < -1 || r.Split > 1<<50 || r.Free < -1 || r.Free > 1<<50 || r.Total < 0 || r.Total > 1<<50 ||
				r.Wait < 0 || r.Wait > r.Took || r.Took > hookLongest || r.Device < -1 || r.Retries < -1 || r.OOMs < -1 {
				t.Fatalf("%+v", r)
			}
			for i, m := range r.Readings {
				if first, _ := r.Reading(m.Measure); m.Bytes <= 0 || m.Bytes > 1<<50 || i > 2 || first != m.Bytes {
					t.Fatalf("%+v", r)
				}
			}
		case *Failure:
			if r.PID < 0 || r.Rank < -1 {
				t.Fatalf("%+v", r)
			}
			if o := r.OOM; o != nil {
				for _, b := range []Bytes{o.Tried, o.Total, o.Free, o.Process, o.Allocated, o.Unallocated, o.Reserved / 2} {
					if b < 0 || b > 1<<50 || o.Device < -1 {
						t.Fatalf("%+v", o)
					}
				}
			}
		}
	}
}

// checkNumbers fails if a number of the structure v is absurd, or there although it
// is missing.
func checkNumbers(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		n, ok := v.Field(i).Interface().(Number)
		if ok && (!(n.Value >= 0 && n.Value <= 1<<60) || n.State != Present && n.Value != 0) {
			t.Fatalf("%s is %+v", v.Type().Field(i).Name, n)
		}
	}
}

// checkTexts fails if a string anywhere in v is not safe to print.
func checkTexts(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || len(s) > 3*segmentLimit {
			t.Fatalf("unsafe text of %d bytes: %.80q", len(s), s)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			checkTexts(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			checkTexts(t, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkTexts(t, v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			checkTexts(t, k)
			checkTexts(t, v.MapIndex(k))
		}
	}
}

// seed adds the lines of recordings that are not all alike.
func seed(f *testing.F, names ...string) {
	for _, name := range names {
		seen := make(map[string]bool)
		for _, l := range strings.FieldsFunc(recording(f, name), func(r rune) bool { return r == '\n' || r == '\r' }) {
			if key := l[:min(len(l), 20)]; !seen[key] {
				seen[key] = true
				f.Add([]byte(l+"\n"), len(l)/2)
			}
		}
	}
}

func FuzzUltralytics(f *testing.F) {
	seed(f, "8.4.82-detect-oomglued-merged.log", "8.3.0-detect-narrow-pty.log", "8.4.82bar128-detect-narrow-pty.log", "8.1.34-detect-autobatch-merged.log", "8.4.82-segment-merged.log")
	fuzzStream(f, banner84+detectHead)
}

func FuzzYOLOv5(f *testing.F) {
	seed(f, "yolov5-classify-merged.log", "yolov5v7.0-detect-merged.log")
	fuzzStream(f, banner5+"      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n")
}

func FuzzYOLOv6(f *testing.F) { fuzzStream(f, args6+head6) }

func FuzzYOLOv7(f *testing.F) { fuzzStream(f, banner7+space7+head7) }

func FuzzYOLOv9(f *testing.F) { fuzzStream(f, args9+banner9+head9) }

func FuzzResultsText(f *testing.F) { fuzzFields(f, rowResults) }

func FuzzYOLONAS(f *testing.F) { fuzzFields(f, rowNAS+"\n") }

func FuzzYOLOX(f *testing.F) { fuzzFields(f, rowYOLOX, rowYOLOXOld) }

func FuzzMMDetection(f *testing.F) { fuzzFields(f, rowMM2, rowMM2Iter) }

func FuzzMMEngine(f *testing.F) { fuzzFields(f, rowMM3) }

func FuzzMetricLogger(f *testing.F) { fuzzFields(f, rowMetric, rowMetricOf) }

func FuzzPaddle(f *testing.F) { fuzzFields(f, rowPaddle) }

func FuzzDAMOYOLO(f *testing.F) { fuzzFields(f, rowDAMO) }

func FuzzDetectron2(f *testing.F) { fuzzFields(f, rowD2, rowD206) }

func FuzzJSONLines(f *testing.F) { fuzzFields(f, jsonMM2, jsonMM3, jsonD2, jsonDETR) }

func FuzzDarknet(f *testing.F) {
	for _, l := range []string{
		rowDarknet, rowDarknetOld, "Loaded: 3.5 seconds\n", "mini_batch = 4, batch = 64, time_steps = 1, train = 1\n", " 544 x 544 \n",
		"2/6000: loss=1300.8 hours left=7.5\a\n", " mean_average_precision (mAP@0.50) = 0.598123\n",
	} {
		f.Add([]byte(l), len(l)/2)
	}
	fuzzStream(f, deviceDarknet)
}

func FuzzLightning(f *testing.F) {
	fuzzFields(f, "\r"+rowLightning+"\n", "Epoch 2/4 ━━━━━━━━━━━━━━━━ 39/40 0:00:16 • 0:00:01 2.31it/s v_num: 0.000 train_loss: 1.62\n", "`Trainer.fit` stopped: `max_epochs=3` reached.\n")
}

func FuzzHuggingFace(f *testing.F) {
	fuzzFields(f, rowHF, rowHFText, evalHF, "\r  3%|▎         | 10/300 [00:04<02:05,  2.30it/s]")
}

func FuzzPlainLoop(f *testing.F) {
	fuzzFields(
		f, "Epoch [1/10], Step [100/600], Loss: 0.53\n", "epoch=3 loss=0.41 lr=1e-4\n", "[1,  2000] loss: 2.230\n",
		"Epoch: [0][ 10/5005]  Time 0.51 ( 1.20)  Data 0.10 ( 0.31)  Loss 6.9e+00 (7.0e+00)\n", "[第 1/30 轮] 显存 已分配: 1.94 GB, 峰值保留: 2.11 GB\n",
		"Epoch 1/10:  50%|█████     | 5/10 [00:01<00:01,  4.50it/s, loss=0.5]\n", "val Loss: 0.22 Acc: 0.90\n", "allocated: 1.50 GB, reserved: 2.00 GB\n",
	)
}

func FuzzMemorySummary(f *testing.F) {
	for _, l := range []string{
		"|            CUDA OOMs: 2            |        cudaMalloc retries: 7         |\n",
		"| Allocated memory      |  12288 MiB |  13312 MiB |   1574 GiB |   1562 GiB |\n",
		"| GPU reserved memory   |  15360 MiB |  16384 MiB |   7930 MiB |   1403 MiB |\n",
	} {
		f.Add([]byte(l), len(l)/2)
	}
	fuzzStream(f, "|                  PyTorch CUDA memory summary, device ID 1                 |\n")
}

func FuzzHook(f *testing.F) {
	row := "yolotop-hook v=1 rank=0 step=200 steps=50 dev=0 alloc=1932735283 alloc_max=6442450944 held=7516192768 split=104857600 retries=0 ooms=0 free=1073741824 total=25447890944 time=4.2 wait=1.3\n"
	fuzzFields(f, row, "yolotop-hook v=1 rank=3 step=1 steps=1 time=0.5 wait=nan\n", "yolotop-hook v=2 alloc=9223372036854775807\n")
}

// FuzzFormat looks for a format of a user's own that can be written down and harms.
func FuzzFormat(f *testing.F) {
	f.Add(`\[ep (?P<epoch>\d+)/(?P<epochs>\d+)\] (?P<iter>\d+)/(?P<iters>\d+) box=(?P<box_loss>\S+) gpu=(?P<memory>[\d.]+)GB`, "GiB", "[ep 3/50] 120/400 box=1.21 gpu=9.61GB\n")
	f.Add(`(?P<epoch>.*) (?P<loss>.*) (?P<elapsed>.*) (?P<step_time>.*) (?P<data_time>.*) (?P<total>.*)`, "B", "3 nan 1:00:00 1e9 -5 999999999999999999999\n")
	f.Fuzz(func(t *testing.T, row, unit, in string) {
		own := Format{Name: "own", Row: row, Result: `^val (?P<mAP50_95>\S+)`, FirstEpoch: 1, Units: map[string]string{}}
		for _, group := range []string{"memory", "total"} {
			if strings.Contains(row, group) {
				own.Units[group] = unit
			}
		}
		g, err := NewGrammar(own)
		if err != nil {
			return
		}
		var events []Event
		s := g.NewStream(0)
		s.Write([]byte(in), time.Time{}, func(e Event) { events = append(events, e) })
		s.Close(time.Time{}, func(e Event) { events = append(events, e) })
		checkEvents(t, events)
	})
}

// fuzzFields checks a stream that begins with the first of some rows.
func fuzzFields(f *testing.F, rows ...string) {
	for _, row := range rows {
		f.Add([]byte(row), len(row)/2)
	}
	fuzzStream(f, rows[0])
}

func FuzzResultsCSV(f *testing.F) {
	for _, in := range recordings(f, ".csv") {
		f.Add([]byte(in), len(in)/2)
	}
	fuzzStream(f, "epoch,time,train/box_loss,metrics/mAP50(B),val/box_loss,lr/pg0\n")
}

func FuzzTorch(f *testing.F) {
	for _, l := range []string{
		"RuntimeError: CUDA out of memory. Tried to allocate 2.60 GiB (GPU 0; 3.81 GiB total capacity; 129.38 MiB already allocated; 2.12 GiB free; 410.00 MiB reserved in total by PyTorch)",
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU 1 has a total capacity of 8.00 GiB of which 0 bytes is free. Process 7 has 1.00 GiB memory in use. Including non-PyTorch memory, this process has 4.50 GiB memory in use. Of the allocated memory 4.00 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
		"[rank1]: RuntimeError: DataLoader worker (pid 20978) is killed by signal: Killed. ", "train.sh: line 3: 12345 Killed                  python train.py",
		"DefaultCPUAllocator: can't allocate memory: you tried to allocate 2097152 bytes. Error code 12 (Cannot allocate memory)",
	} {
		f.Add([]byte(l), len(l)/3)
	}
	fuzzStream(f, "Traceback (most recent call last):\n")
}

func FuzzArgs(f *testing.F) {
	for _, in := range recordings(f, ".yaml") {
		f.Add([]byte(in))
	}
	f.Add([]byte("a: &x [1, *x]\nbatch: .nan\nimgsz: [1, 2]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := ArgsFile(in)
		if (c == nil) == (err == nil) {
			t.Fatalf("%v and %v", c, err)
		}
		if c != nil {
			checkEvents(t, []Event{{Origin: Origin{Line: 1}, Record: c}})
		}
		if strings.ContainsAny(string(in), "\r\n") {
			return
		}
		checkEvents(t, eventsOf("engine/trainer: task=detect, "+string(in)+"\n"))
	})
}
