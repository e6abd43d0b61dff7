package parse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// eraC is epochs of the bar that Ultralytics has had since 8.3.186.
func eraC(epochs, iters int) string {
	var b strings.Builder
	b.WriteString("Ultralytics 8.4.82 🚀 Python-3.11.2 torch-2.9.0+cu128 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n")
	for e := 1; e <= epochs; e++ {
		b.WriteString("\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n")
		for i := range iters {
			fmt.Fprintf(&b, "\r\x1b[K%11s%11s%11.4g%11.4g%11.4g%11d%11d: %d%% ━━━━━━────── %d/%d 7.9it/s %d.3s<%.1fs",
				fmt.Sprintf("%d/%d", e, epochs), "2.41G", 1.2345, 0.5678, 0.91011, 17, 640, 100*i/iters, i, iters, i, 12.5)
		}
		b.WriteString("\n                   all          8         18     0.0104      0.721     0.0208    0.00459\n")
	}
	return b.String()
}

// tqdmRows is epochs of the bar before that.
func tqdmRows(epochs, iters int) string {
	var b strings.Builder
	b.WriteString("Ultralytics 8.3.0 🚀 Python-3.11.2 torch-2.4.0+cu121 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n")
	for e := 1; e <= epochs; e++ {
		b.WriteString("\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n")
		for i := range iters {
			fmt.Fprintf(&b, "\r%11s%11s%11.4g%11.4g%11.4g%11d%11d: %3d%%|███████▌  | %d/%d [%02d:%02d<00:10, 29.29it/s]",
				fmt.Sprintf("%d/%d", e, epochs), "2.41G", 1.2345, 0.5678, 0.91011, 17, 640, 100*i/iters, i, iters, i/60, i%60)
		}
		b.WriteString("\n                   all          8         18     0.0104      0.721     0.0208    0.00459\n")
	}
	return b.String()
}

func BenchmarkStream(b *testing.B) {
	for _, c := range []struct{ name, log string }{
		{"own bar", eraC(20, 500)},
		{"tqdm", tqdmRows(20, 500)},
	} {
		b.Run(c.name, func(b *testing.B) {
			log := []byte(c.log)
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				s := parse.NewStream(0)
				for at := 0; at < len(log); at += 32 << 10 {
					s.Write(log[at:min(at+32<<10, len(log))], time.Time{}, func(parse.Event) {})
				}
				s.Close(time.Time{}, func(parse.Event) {})
			}
		})
	}
}
