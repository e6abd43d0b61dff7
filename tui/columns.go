package tui

import (
	"slices"

	"yolotop/diagnose"
	"yolotop/parse"
)

// column is a column of the table of losses.
type column struct {
	name   string
	rank   int // the lowest ones stay when room is short
	series *diagnose.Series
	of     func(*diagnose.EpochStat) (float64, bool)
	now    func() (float64, bool) // in the epoch that is under way
	format columnFormat
	digits int // at most, after the point; of a column that does not warn
	cells  int
	warns  bool // nan is an error here
}

// columns are those that fit into w cells, in the order in which trainers print
// them. Metrics that people choose by come before precision and recall.
func (s scene) columns(w int) []column {
	r := s.run
	var all []column
	for i, name := range r.Columns {
		all = append(all, column{
			name: clean(name), rank: i, series: r.LossSeries[name], warns: true,
			of: func(e *diagnose.EpochStat) (float64, bool) {
				if i >= len(e.Losses) {
					return 0, false
				}
				return e.Losses[i], true
			},
			now: func() (float64, bool) {
				if i >= len(r.Losses) {
					return 0, false
				}
				return r.Losses[i], true
			},
		})
	}
	for _, name := range r.Metrics.Names {
		all = append(all, column{
			name: clean(name), rank: metricRank(name), series: r.MetricSeries[name], digits: 3,
			of:  func(e *diagnose.EpochStat) (float64, bool) { return e.Metrics.Get(name) },
			now: func() (float64, bool) { return 0, false },
		})
	}
	if s.measured() {
		all = append(all, column{
			name: s.say("losses.memory"), rank: 40, digits: 2,
			of:  func(e *diagnose.EpochStat) (float64, bool) { return e.Peak.GiB(), e.Peak > 0 },
			now: func() (float64, bool) { e := r.Current(); return e.Peak.GiB(), e.Peak > 0 },
		})
	}
	for i := range all {
		c := &all[i]
		var values []float64
		for k := range r.Epochal {
			if v, ok := c.of(&r.Epochal[k]); ok {
				values = append(values, v)
			}
		}
		c.format = formatFor(values)
		if !c.warns { // metrics have three digits in the log, memory one or two
			c.format.digits = min(c.format.digits, c.digits)
		}
		c.cells = min(max(width(c.name), 7), 15) + 3
	}
	return slices.DeleteFunc(all, func(c column) bool { return !fitsColumn(all, c, w) })
}

// fitsColumn reports whether the columns up to the rank of c fit into w cells.
func fitsColumn(all []column, c column, w int) bool {
	used := 0
	for _, o := range all {
		if o.rank <= c.rank {
			used += o.cells
		}
	}
	return used <= w
}

// metricRank is how early a metric gives way.
func metricRank(name string) int {
	switch name {
	case "mAP50-95", "top1_acc", "mIoU":
		return 1
	case "mAP50", "top5_acc", "pixel_acc":
		return 3
	case "mAP50-95(M)", "mAP50-95(P)":
		return 10
	case "mAP50(M)", "mAP50(P)":
		return 20
	}
	return 50
}

// past is an epoch as the series remember it, where its row is no longer kept.
func (s scene) past(epoch int) diagnose.EpochStat {
	p := s.run.At(float64(epoch))
	e := diagnose.EpochStat{Epoch: epoch, Peak: p.Memory, Complete: true}
	for _, name := range s.run.Columns {
		v, ok := p.Losses[name]
		if !ok {
			break
		}
		e.Losses = append(e.Losses, v)
	}
	for _, name := range s.run.Metrics.Names {
		if v, ok := p.Metrics[name]; ok {
			e.Metrics = parse.Named{Names: append(e.Metrics.Names, name), Values: append(e.Metrics.Values, v)}
		}
	}
	return e
}
