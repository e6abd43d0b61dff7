package parse_test

import (
	"fmt"
	"time"

	"yolotop/parse"
)

// A stream takes bytes as they arrive, cut anywhere, and says what they mean. The
// newest frame of a progress bar has no end yet; Pending shows it already.
func ExampleStream() {
	stream := parse.NewStream(0)
	show := func(e parse.Event) {
		switch r := e.Record.(type) {
		case *parse.Banner:
			fmt.Printf("line %d: %s %s on %s\n", e.Line, r.Trainer, r.Version, r.Devices[0].Name)
		case *parse.Progress:
			loss, _ := parse.Named{Names: r.Columns.Losses, Values: r.Values}.Get("box_loss")
			fmt.Printf("line %d: epoch %d/%d, batch %d/%d, %.2f GiB %s, box_loss %g\n",
				e.Line, r.Epoch, r.Epochs, r.Iter, r.Iters, r.Memory.Bytes.GiB(), r.Memory.Measure, loss)
		case *parse.Failure:
			fmt.Printf("line %d: tried %.2f GiB, %.2f GiB free\n", e.Line, r.OOM.Tried.GiB(), r.OOM.Free.GiB())
		}
	}
	for _, chunk := range []string{
		"Ultralytics 8.4.82 🚀 Python-3.11.2 torch-2.9.0+cu128 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n\n      Ep",
		"och    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n",
		"\r\x1b[K        1/3      21.4G      4.635      4.044     0.1412         10        640: 25% ━━━───────── 1/4 1.9it/s 0.2s<1.6s",
		"\r\x1b[K        1/3      22.1G      4.590      4.011     0.1399         12        640: 50% ━━━━━━────── 2/4 1.9it/s 0.7s<1.1s",
	} {
		stream.Write([]byte(chunk), time.Time{}, show)
	}
	if e, ok := stream.Pending(time.Time{}); ok {
		fmt.Print("pending ")
		show(e)
	}
	stream.Write([]byte("\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. "+
		"GPU 0 has a total capacity of 23.69 GiB of which 512.00 MiB is free.\n"), time.Time{}, show)
	stream.Close(time.Time{}, show)
	// Output:
	// line 1: ultralytics 8.4.82 on NVIDIA GeForce RTX 3090
	// line 4: epoch 1/3, batch 1/4, 21.40 GiB reserved, box_loss 4.635
	// pending line 4: epoch 1/3, batch 2/4, 22.10 GiB reserved, box_loss 4.59
	// line 4: epoch 1/3, batch 2/4, 22.10 GiB reserved, box_loss 4.59
	// line 5: tried 2.50 GiB, 0.50 GiB free
}
