// Command mkdemo writes the log that "yolotop demo" plays: a made-up training in the
// exact form in which Ultralytics 8.4 prints one, with data whose density varies, so
// that memory has no margin long before the run dies of a dense batch.
//
//	go run ./cmd/mkdemo > cmd/yolotop/demo.log.gz
//
// The same program writes the same bytes.
package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

// The made-up run.
const (
	epochs    = 40
	iters     = 118
	perSecond = 7.4  // iterations
	diesIn    = 27   // epoch
	baseHeld  = 10.9 // GiB after the cache was emptied
	perObject = 0.041
	cardGiB   = 23.7
)

// densest is the greatest number of objects in a batch, by epoch; others draw
// theirs from a calm distribution.
var densest = map[int]int{6: 231, 11: 262, 17: 276, 22: 281}

const header = "Ultralytics 8.4.82 🚀 Python-3.11.9 torch-2.8.0+cu128 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n" +
	"\x1b[34m\x1b[1mengine/trainer: \x1b[0magnostic_nms=False, amp=True, batch=16, cache=False, close_mosaic=10, cos_lr=False, " +
	"data=street.yaml, deterministic=True, device=0, epochs=40, imgsz=640, lr0=0.01, mode=train, model=yolo11s.pt, " +
	"multi_scale=0.0, name=train, nbs=64, optimizer=auto, patience=100, project=None, resume=False, save=True, " +
	"save_dir=runs/detect/train, task=detect, val=True, workers=8\n" +
	"\nYOLO11s summary: 181 layers, 9,428,179 parameters, 9,428,163 gradients, 21.6 GFLOPs\n\n" +
	"Transferred 493/499 items from pretrained weights\n" +
	"\x1b[34m\x1b[1mAMP: \x1b[0mrunning Automatic Mixed Precision (AMP) checks...\n" +
	"\x1b[34m\x1b[1mAMP: \x1b[0mchecks passed ✅\n" +
	"\x1b[34m\x1b[1mtrain: \x1b[0mFast image access ✅ (ping: 0.0±0.0 ms, read: 1210.4±310.2 MB/s, size: 141.7 KB)\n"

func main() {
	log.SetFlags(0)
	zip, err := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(zip)
	write(w)
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		log.Fatal(err)
	}
}

func write(w io.Writer) {
	rnd := rand.New(rand.NewPCG(8, 40))
	say := func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
	say("%s", header)
	for i := 0; i <= 1888; i += 472 {
		say("\r\x1b[K\x1b[34m\x1b[1mtrain: \x1b[0mScanning /data/street/labels/train... %d images, 12 backgrounds, 0 corrupt: %d%% %s %d/1888 2.4Kit/s %.1fs", i, 100*i/1888, bar(i, 1888), i, float64(i)/2400)
	}
	say("\n\x1b[34m\x1b[1moptimizer:\x1b[0m AdamW(lr=0.001667, momentum=0.9) with parameter groups 81 weight(decay=0.0), 88 weight(decay=0.0005), 87 bias(decay=0.0)\n")
	say("Image sizes 640 train, 640 val\nUsing 8 dataloader workers\nLogging results to \x1b[1mruns/detect/train\x1b[0m\nStarting training for %d epochs...\n", epochs)
	for e := 1; e <= diesIn; e++ {
		if epoch(say, rnd, e) {
			say(traceback)
			return
		}
		validation(say, e)
	}
}

// epoch writes the frames of an epoch and reports whether the run dies in it.
func epoch(say func(string, ...any), rnd *rand.Rand, e int) bool {
	say("\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n")
	k := 1 / (1 + 0.11*float64(e-1))
	peak, held := densest[e], baseHeld
	denseAt := 20 + rnd.IntN(iters-40)
	last := 0
	for i := 0; i <= iters; i++ {
		objects := 55 + int(math.Abs(rnd.NormFloat64())*38)
		objects = min(objects, 205)
		if peak > 0 && i == denseAt {
			objects = peak
		}
		held = max(held, baseHeld+perObject*float64(objects)) // the cache keeps the greatest
		noise := 1 + 0.02*rnd.NormFloat64()/math.Sqrt(float64(i+1))
		box, cls, dfl := (0.86+1.02*k)*noise, (0.55+2.6*k)*noise, (0.91+0.6*k)*noise
		elapsed := float64(i) / perSecond
		left := ""
		if i > 0 && i < iters {
			left = fmt.Sprintf("<%.1fs", (float64(iters)-float64(i))/perSecond)
		}
		last = i
		say("\r\x1b[K%11s%11s%11.4g%11.4g%11.4g%11d%11d: %d%% %s %d/%d %.1fit/s %.1fs%s",
			fmt.Sprintf("%d/%d", e, epochs), fmt.Sprintf("%.3gG", min(held, cardGiB)), box, cls, dfl, objects, 640,
			100*i/iters, bar(i, iters), i, iters, perSecond, elapsed, left)
		if e == diesIn && i == 74 {
			break
		}
	}
	say("\n")
	return last < iters
}

func validation(say func(string, ...any), e int) {
	for i := 0; i <= 15; i += 5 {
		say("\r\x1b[K                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): %d%% %s %d/15 8.1it/s %.1fs", 100*i/15, bar(i, 15), i, float64(i)/8.1)
	}
	m := 0.655 * (1 - math.Exp(-float64(e)/7.5))
	m += 0.006 * math.Sin(float64(e)*2.1)
	say("\n%22s%11d%11d%11.3g%11.3g%11.3g%11.3g\n", "all", 472, 6120, m+0.09, m-0.02, m, m*0.66)
}

func bar(done, total int) string {
	const cells = 12
	n := cells * done / total
	return strings.Repeat("━", n) + strings.Repeat("─", cells-n)
}

const traceback = `Traceback (most recent call last):
  File "/opt/venv/bin/yolo", line 8, in <module>
    sys.exit(entrypoint())
  File "/opt/venv/lib/python3.11/site-packages/ultralytics/engine/trainer.py", line 458, in _do_train
    loss, self.loss_items = self.model(batch)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.21 GiB. GPU 0 has a total capacity of 23.70 GiB of which 612.81 MiB is free. Including non-PyTorch memory, this process has 23.09 GiB memory in use. Of the allocated memory 21.87 GiB is allocated by PyTorch, and 771.22 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-alloc-conf)
`
