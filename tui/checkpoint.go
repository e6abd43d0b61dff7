package tui

import (
	"yolotop/diagnose"
)

// withCheckpoint adds what can be resumed from: last.pt is written after the
// validation of every epoch.
func (s scene) withCheckpoint(v verdict, age bool) verdict {
	c, ok := s.run.Checkpoint()
	switch {
	case !ok:
		return v
	case age && s.run.Status == diagnose.Running && c.Timed:
		v.parts = append(v.parts, s.say("verdict.checkpoint.age", c.Epoch, coarse(c.Age)))
	default:
		v.parts = append(v.parts, s.say("verdict.checkpoint", c.Epoch))
	}
	return v
}

// withBest adds the best epoch and its main metric.
func (s scene) withBest(v verdict) verdict {
	r := s.run
	if r.BestEpoch == 0 || r.BestFitness == 0 { // 0 is what the first epochs have before anything is learnt
		return v
	}
	name := mainMetric(r)
	if m := r.MetricSeries[name]; m != nil {
		if p, ok := m.At(float64(r.BestEpoch)); ok {
			v.parts = append(v.parts, s.say("verdict.best.metric", r.BestEpoch, clean(name), columnFormat{digits: 3}.write(p.Last)))
			return v
		}
	}
	v.parts = append(v.parts, s.say("verdict.best", r.BestEpoch))
	return v
}

// mainMetric is the metric that people compare runs by; empty if there is none.
func mainMetric(r *diagnose.Run) string {
	for _, name := range []string{"mAP50-95", "top1_acc", "mIoU", "mAP50"} {
		if r.MetricSeries[name] != nil {
			return name
		}
	}
	if len(r.Metrics.Names) > 0 {
		return r.Metrics.Names[len(r.Metrics.Names)-1]
	}
	return ""
}
