package diagnose

import (
	"testing"

	"yolotop/parse"
)

// TestOneStepIsARemark promises that a single rise is said to be one, after it has stayed.
func TestOneStepIsARemark(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, epochsOf(100, append([]float64{6.4}, line(9, 12.2, 0)...)...)))
	f := found(t, r, Step)
	if f.Level != Info || !f.Active {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "5.80 GiB in epoch 2")
	for name, memory := range map[string][]float64{
		"flat":         line(12, 8, 0),
		"too early":    {6.4, 12.2, 12.2, 12.2},
		"two steps":    append(append(line(3, 6, 0), line(3, 8, 0)...), line(8, 10, 0)...),
		"a small step": append(line(3, 8, 0), line(9, 8.3, 0)...),
		"a leak":       line(14, 6, .4),
	} {
		if f := only(t, read(t, epochsOf(100, memory...))).active(Step); f != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestValidationSetsTheLimit promises that the peaks of training and validation are learned
// apart from the driver's count.
func TestValidationSetsTheLimit(t *testing.T) {
	t.Parallel()
	b, r := joined(t)
	b.cards[0].Used = parse.Have(15.8 * float64(parse.GiB))
	stage := func(rec parse.Record) { b.s.Observe(parse.Event{Record: rec}) }
	for range 2 {
		stage(&parse.Progress{Epoch: 2, Iter: 10, Iters: 100, Instances: -1, Size: -1, Elapsed: -1, Memory: parse.MemoryReading{Bytes: 15 * parse.GiB, Measure: parse.Reserved, Step: parse.MiB}})
		b.cards[0].Used = parse.Have(15.8 * float64(parse.GiB))
		b.runs(3)
		stage(&parse.Stage{Kind: parse.Validating, Done: 1, Total: 2, Elapsed: -1})
		b.cards[0].Used = parse.Have(18.8 * float64(parse.GiB))
		b.runs(3)
	}
	f := found(t, r, ValPeak)
	if f.Level != Info || !f.ByDriver {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "3.00 GiB more than training")
	if v := r.ValSamples; v.Len() != 6 || v.Min() != 18.8*float64(parse.GiB) || r.DriverSeries.Len() <= v.Len() {
		t.Errorf("%d samples of validation from %v", v.Len(), v.Min())
	}
	b.cards[0].Used = parse.Have(22.6 * float64(parse.GiB))
	b.runs(2)
	if f := found(t, r, ValPeak); f.Level != Warning {
		t.Errorf("%+v", f)
	}
}
