package diagnose

import (
	"math"
	"strings"

	"yolotop/parse"
)

// nan finds losses that are no numbers any more: in rows as they come, and in the
// epochs of results.csv.
type nan struct {
	rows     int  // rows with NaN in a row
	wholly   bool // every row of the present epoch had one
	epoch    int
	recovers int // times that the trainer went back to its last checkpoint
}

// Observe implements detector.
func (d *nan) Observe(r *Run, e *parse.Event) {
	switch rec := e.Record.(type) {
	case *parse.Progress:
		d.progress(r, e, rec)
	case *parse.EpochRow:
		d.epochRow(r, e, rec)
	case *parse.Notice:
		switch rec.Kind {
		case parse.NaNRecovery:
			d.recovers++
			d.rows = 0
			r.raise(e, Finding{
				Kind: NaN, GPU: r.gpu(), Level: Warning, Provisional: true,
				Title:   Say("nan.recover.title", r.Epoch),
				Because: Say("nan.recover.because", d.recovers),
				Advice:  d.advice(r),
			})
		case parse.CheckpointSkipped:
			r.raise(e, Finding{
				Kind: NaN, GPU: r.gpu(), Level: Critical,
				Title:   Say("nan.weights.title", rec.Epoch),
				Because: Say("nan.weights.because"),
				Advice:  append([]Message{Say("nan.stop")}, d.advice(r)...),
			})
		}
	case *parse.Failure:
		if rec.Kind == parse.NaNPersisted {
			f := Finding{
				Kind: NaN, GPU: r.gpu(), Level: Critical,
				Title:   Say("nan.died.title", r.Epoch),
				Because: Say("nan.died.because"),
				Advice:  d.advice(r),
			}
			if d.recovers == 0 {
				f.Title, f.Because = Say("nan.stopped.title", r.Place(max(r.Epoch, 1), r.Iter)), Say("nan.stopped.because")
			}
			r.raise(e, f)
		}
	}
}

func (d *nan) progress(r *Run, e *parse.Event, p *parse.Progress) {
	bad := badNames(r.Columns, p.Values)
	if p.Epoch != d.epoch {
		d.epoch, d.wholly = p.Epoch, true
	}
	if len(bad) == 0 {
		d.wholly = false
		d.rows = 0
		if f := r.active(NaN); f != nil && p.Complete() && len(p.Values) > 0 {
			r.withdraw(NaN) // a whole epoch's mean is a number again
		}
		return
	}
	d.rows++
	f := r.active(NaN)
	switch {
	case d.wholly && p.Complete():
		if f != nil && f.Level == Critical {
			f.Last = r.moment(e)
			return
		}
		r.raise(e, Finding{
			Kind: NaN, GPU: r.gpu(), Level: Critical,
			Title:   Say("nan.epoch.title", r.Epoch),
			Because: Say("nan.epoch.because", strings.Join(bad, ", ")),
			Advice:  append([]Message{Say("nan.stop")}, d.advice(r)...),
		})
	case f == nil:
		r.raise(e, Finding{
			Kind: NaN, GPU: r.gpu(), Level: Warning,
			Title:   Say("nan.row.title", r.Here()),
			Because: Say("nan.row.because", strings.Join(bad, ", "), max(p.Iter, 0)),
			Advice:  d.advice(r),
		})
		r.mark(MarkNaN, r.X(), Say("mark.nan"))
	default:
		f.Last = r.moment(e)
	}
}

func (d *nan) epochRow(r *Run, e *parse.Event, row *parse.EpochRow) {
	train := badNames(row.Losses.Names, row.Losses.Values)
	val := badNames(row.Val.Names, row.Val.Values)
	isNaN := false
	for _, v := range append(append([]float64(nil), row.Losses.Values...), row.Val.Values...) {
		isNaN = isNaN || math.IsNaN(v)
	}
	f := r.active(NaN)
	switch {
	case len(train) > 0 && r.measuredRows+r.unmeasuredRows > 0:
		return // the log's own rows said it
	case len(train)+len(val) == 0:
		if f != nil && f.Level == Info {
			f.Provisional = false
		}
		return
	case len(train) > 0:
		r.raise(e, Finding{
			Kind: NaN, GPU: r.gpu(), Level: Warning,
			Title:   Say("nan.epoch.title", row.Epoch),
			Because: Say("nan.epoch.because", strings.Join(train, ", ")),
			Advice:  d.advice(r),
		})
	case isNaN:
		if f != nil && f.Level >= Warning {
			f.Last = r.moment(e)
			return
		}
		r.raise(e, Finding{
			Kind: NaN, GPU: r.gpu(), Level: Warning,
			Title:   Say("nan.val.title", row.Epoch),
			Because: Say("nan.val.because", strings.Join(val, ", ")),
			Advice:  []Message{halfAdvice(r), Say("nan.val.stop")},
		})
	case f == nil || f.Level == Info:
		r.raise(e, Finding{
			Kind: NaN, GPU: r.gpu(), Level: Info,
			Title:   Say("nan.inf.title", row.Epoch),
			Because: Say("nan.inf.because", strings.Join(val, ", ")),
			Advice:  []Message{halfAdvice(r)},
		})
	}
}

// advice is what helps against NaN, the cheapest first. Cards of the GTX 16
// series compute half precision wrongly.
func (d *nan) advice(r *Run) []Message {
	var out []Message
	dev, _ := r.Device()
	ampOff := r.AMP != nil && !*r.AMP
	switch {
	case ampOff:
	case strings.Contains(dev.Name, "GTX 16") && r.Has("amp"):
		out = append(out, Say("nan.gtx16.key", dev.Name))
	case strings.Contains(dev.Name, "GTX 16"):
		out = append(out, Say("nan.gtx16", dev.Name))
	case r.Has("amp"):
		out = append(out, Say("nan.amp.key"))
	}
	if r.Has("lr0") {
		out = append(out, Say("nan.lr0", r.Args["lr0"]))
	} else {
		out = append(out, Say("nan.lr"))
	}
	return append(out, Say("nan.labels"))
}

// halfAdvice is how to tell whether half precision makes a validation overflow.
func halfAdvice(r *Run) Message {
	if r.Has("half") {
		return Say("nan.val.half.key")
	}
	return Say("nan.val.half")
}

// badNames are the names whose value is NaN or infinite.
func badNames(names []string, values []float64) []string {
	var out []string
	for i, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			continue
		}
		name := "?"
		if i < len(names) {
			name = names[i]
		}
		if strings.Contains(name, "grad_norm") {
			continue // mixed precision skips such a step and goes on
		}
		out = append(out, name+" "+FormatNumber(v))
	}
	return out
}
