package diagnose

import (
	"testing"
	"time"

	"yolotop/parse"
)

// BenchmarkDetectors measures what all detectors together cost a row.
func BenchmarkDetectors(b *testing.B) {
	r := newRun(1, 0)
	r.Memory.Total, r.Memory.Measure, r.Trainer = 24*parse.GiB, parse.Reserved, "ultralytics"
	columns := &parse.Columns{Losses: []string{"box_loss", "cls_loss", "dfl_loss"}, Instances: true, Size: true}
	const iters = 500
	events := make([]parse.Event, iters)
	i := 0
	for b.Loop() {
		epoch, iter := 1+i/iters, i%iters
		if iter == 0 { // events are made outside of what is measured, an epoch at a time
			b.StopTimer()
			for k := range events {
				events[k] = parse.Event{Origin: parse.Origin{Line: i + k, Run: time.Duration(i+k) * 100 * time.Millisecond, HasRun: true}, Record: &parse.Progress{
					Epoch: epoch, Epochs: 300, Iter: k + 1, Iters: iters, Columns: columns, Values: []float64{1, 2, 3}, Instances: float64(100 + (i*7919+k*104729)%300), Size: 640, Rate: 9,
					Memory: parse.MemoryReading{Bytes: 8*parse.GiB + parse.Bytes((i+k)*2654435761%(200<<20)), Measure: parse.Reserved, Step: 10 * parse.MiB},
				}}
			}
			b.StartTimer()
		}
		e := events[iter]
		r.Epoch, r.Iter, r.Iters, r.Elapsed = epoch, iter+1, iters, e.Run
		r.observe(e)
		i++
	}
}
