package diagnose

import (
	"testing"
	"time"

	"yolotop/parse"
)

// BenchmarkDetectors measures what all detectors together cost a row, beside what the benchmark
// itself costs.
func BenchmarkDetectors(b *testing.B) {
	b.Run("all", func(b *testing.B) { benchmarkDetectors(b, newDetectors()) })
	b.Run("none", func(b *testing.B) { benchmarkDetectors(b, nil) })
}

func benchmarkDetectors(b *testing.B, detectors []detector) {
	r := newRun(1, 0)
	r.detectors = detectors
	r.Memory.Total, r.Memory.Measure, r.Trainer = 24*parse.GiB, parse.Reserved, "ultralytics"
	columns := &parse.Columns{Losses: []string{"box_loss", "cls_loss", "dfl_loss"}, Instances: true, Size: true}
	const iters = 500
	values := []float64{1, 2, 3}
	row := &parse.Progress{}
	var event parse.Event
	i := 0
	for b.Loop() {
		epoch, iter := 1+i/iters, i%iters
		*row = parse.Progress{ // what that costs is measured too
			Epoch: epoch, Epochs: 300, Iter: iter + 1, Iters: iters, Columns: columns, Values: values, Instances: float64(100 + (i*7919+iter*104729)%300), Size: 640, Rate: 9,
			Elapsed: time.Duration(iter) * 100 * time.Millisecond,
			Memory:  parse.MemoryReading{Bytes: 8*parse.GiB + parse.Bytes(i*2654435761%(200<<20)), Measure: parse.Reserved, Step: 10 * parse.MiB},
		}
		event = parse.Event{Origin: parse.Origin{Line: i, Run: time.Duration(i) * 100 * time.Millisecond, HasRun: true}, Record: row}
		r.Epoch, r.Iter, r.Iters, r.Elapsed = epoch, iter+1, iters, event.Run
		r.observe(&event)
		i++
	}
}
