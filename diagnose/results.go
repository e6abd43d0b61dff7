package diagnose

import (
	"math"
	"slices"
	"strings"

	"yolotop/parse"
)

func (r *Run) validated(e *parse.Event, v *parse.Validation) {
	if v.Class != "all" {
		return
	}
	if v.Final {
		if r.validation == 0 {
			r.Metrics, r.MetricsEpoch = parse.Named{Names: v.Names, Values: v.Values}, r.Epoch
		}
		return
	}
	r.validation++
	if r.measuredRows+r.unmeasuredRows == 0 { // no rows at all: they go elsewhere
		r.EpochsSeen++
		if r.FirstEpoch == 0 {
			r.FirstEpoch = 1
		}
		r.Epoch = r.FirstEpoch + r.EpochsSeen - 1
		r.LastRow = e.Arrival
	}
	r.Phase = BetweenEpochs
	if st := r.Current(); st != nil {
		if !st.Complete {
			st.Complete = true
			r.closeEpoch(st)
		}
		st.Metrics = parse.Named{Names: v.Names, Values: v.Values}
	}
	r.metrics(r.Epoch, parse.Named{Names: v.Names, Values: v.Values})
}

// metrics takes the metrics of a validation after an epoch.
func (r *Run) metrics(epoch int, m parse.Named) {
	r.Metrics, r.MetricsEpoch = m, epoch
	for i, name := range m.Names {
		if i < len(m.Values) {
			x := float64(epoch)
			if r.Stepwise {
				x = r.X()
			}
			add(r.MetricSeries, name, x, r.Elapsed, m.Values[i])
		}
	}
	if f, ok := fitness(m); ok && !r.Stepwise && (r.BestEpoch == 0 || f > r.BestFitness) {
		r.BestEpoch, r.BestFitness = epoch, f
	}
}

// fitness is what Ultralytics and YOLOv5 choose best.pt by: 0.1 mAP50 + 0.9
// mAP50-95 summed over boxes, masks and poses; the accuracy of a classifier.
func fitness(m parse.Named) (f float64, ok bool) {
	for i, name := range m.Names {
		if i >= len(m.Values) {
			break
		}
		weight := 0.0
		switch name {
		case "mAP50", "mAP50(M)", "mAP50(P)":
			weight = 0.1
		case "mAP50-95", "mAP50-95(M)", "mAP50-95(P)":
			weight = 0.9
		case "top1_acc", "mIoU":
			weight = 1
		}
		if weight > 0 && !math.IsNaN(m.Values[i]) {
			f += weight * m.Values[i]
			ok = true
		}
	}
	return f, ok
}

// epochRow takes a row of results.csv: all there is to know of an epoch if there
// is no log, else only what the log lacks.
func (r *Run) epochRow(e *parse.Event, row *parse.EpochRow) {
	for i, name := range row.Val.Names {
		if i < len(row.Val.Values) {
			add(r.ValSeries, strings.TrimPrefix(name, "val/"), float64(row.Epoch), r.Elapsed, row.Val.Values[i])
		}
	}
	for i, name := range row.Rates.Names {
		if i < len(row.Rates.Values) {
			add(r.LRSeries, strings.TrimPrefix(strings.TrimPrefix(name, "lr/"), "x/"), float64(row.Epoch), r.Elapsed, row.Rates.Values[i])
		}
	}
	if r.measuredRows+r.unmeasuredRows > 0 {
		if r.validation == 0 {
			r.metrics(row.Epoch, row.Metrics)
		}
		return
	}
	if st := r.Current(); st == nil || st.Epoch != row.Epoch {
		r.startEpoch(e, row.Epoch)
	}
	r.Epoch = row.Epoch
	r.Columns, r.Losses = row.Losses.Names, slices.Clone(row.Losses.Values)
	r.Phase, r.LastRow = BetweenEpochs, e.Arrival
	st := r.Current()
	st.Losses, st.Metrics, st.Complete, st.Moment = row.Losses.Values, row.Metrics, true, r.moment(e)
	st.Rows++
	r.closeEpoch(st)
	r.metrics(row.Epoch, row.Metrics)
	if r.Epochs > 0 && row.Epoch >= r.Epochs {
		r.Status, r.Phase = Finished, Ended
	} else if r.Status == Finished || r.Status == StatusUnknown {
		r.Status = Running
	}
	r.Forsaken = false
}
