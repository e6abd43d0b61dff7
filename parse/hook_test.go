package parse

import (
	"strings"
	"testing"
	"time"
)

const hookLine = "yolotop-hook v=1 rank=1 step=150 steps=50 time=12.5000 wait=3.2500 dev=1 alloc=5368709120 alloc_max=9663676416 held=10737418240 split=104857600 retries=2 ooms=0 free=4294967296 total=25446842368"

// TestHookLine promises all numbers of a line, in any stream: behind a bar, and between rows.
func TestHookLine(t *testing.T) {
	t.Parallel()
	text := "Ultralytics 8.4.82 🚀 Python-3.11.9 torch-2.8.0+cu128 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n" +
		"\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n" +
		"\r        1/3      1.85G      1.234      2.345      1.456         12        640:  25%|██▌       | 1/4 [00:01<00:02,  1.00it/s]" +
		"\r" + hookLine + "\n" +
		"\r        1/3      1.85G      1.234      2.345      1.456         12        640:  50%|█████     | 2/4 [00:02<00:02,  1.00it/s]\n"
	var got *Hook
	rows, texts := 0, 0
	for _, e := range eventsOf(text) {
		switch r := e.Record.(type) {
		case *Hook:
			got = r
		case *Progress:
			rows++
		case *Text:
			texts++
		}
	}
	if rows != 2 || texts > 0 || got == nil {
		t.Fatalf("%d rows, %d texts, %+v", rows, texts, got)
	}
	alloc, _ := got.Reading(Allocated)
	held, _ := got.Reading(Reserved)
	most, _ := got.Reading(AllocatedMax)
	if got.Rank != 1 || got.Step != 150 || got.Steps != 50 || got.Took != 12500*time.Millisecond || got.Wait != 3250*time.Millisecond ||
		got.Device != 1 || alloc != 5*GiB || most != 9*GiB || held != 10*GiB || got.Split != 100*MiB || got.Retries != 2 || got.OOMs != 0 || got.Free != 4*GiB || got.Total != 24268*MiB {
		t.Errorf("%+v", got)
	}
}

// TestHookLineOnACPU promises a line without memory, and none of what is cut or of another version.
func TestHookLineOnACPU(t *testing.T) {
	t.Parallel()
	h := readHook([]byte("yolotop-hook v=1 rank=0 step=1 steps=1 time=0.0000 wait=0.0000"))
	if h == nil || len(h.Readings) > 0 || h.Retries != -1 || h.Free != -1 {
		t.Errorf("%+v", h)
	}
	for _, line := range []string{
		"yolotop-hook v=2 rank=0 step=1 steps=1", "yolotop-hook v=1 rank=0 step=1", "yolotop-hook v=1 rank=-1 step=1 steps=1", "yolotop-hook v=1 rank=0 step=x steps=1",
		"yolotop-hook v=1 rank=0 step=1 steps=1 time=nan", "yolotop-hook v=1 rank=0 step=1 steps=1 time=1e300", "yolotop-hook ", "yolotop-hooks v=1 rank=0 step=1 steps=1",
		"yolotop-hook v=1 rank=0 step=1 steps=1 alloc=" + strings.Repeat("9", 40),
	} {
		if h := readHook([]byte(line)); h != nil {
			t.Errorf("%q: %+v", line, h)
		}
	}
}
