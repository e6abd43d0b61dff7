package diagnose

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"yolotop/parse"
)

// OtherRun is what another run has shown that was read too: one that was given beside this one,
// or whose log lies beside this one's.
type OtherRun struct {
	Name        string // of its input, for people
	Batch       float64
	ImgSize     []int
	Peak, Total parse.Bytes // greatest memory, and the card's; 0 if not known
	PeakEpoch   int         // of the peak
	Epochs      int         // that were seen
	Growth      float64     // bytes an epoch, behind the first one; NaN if too few were seen
	OOMEpoch    int         // in which it ran out of memory; 0 if it did not

	measure    parse.Measure
	step       parse.Bytes
	setting    string    // what else its memory depends on
	first      []float64 // losses of its first epoch
	saveDir    string
	firstLevel parse.Bytes // most memory of its first epoch; 0 if that has not ended
}

// Settings, beside batch and image size, that change how much memory a run needs.
var memorySettings = []string{"task", "amp", "rect", "multi_scale", "optimizer", "freeze", "compile", "mosaic", "mixup", "copy_paste", "deterministic"}

// otherEpochs is how many epochs another run must have to be compared with, unless it ran out
// of memory before.
const otherEpochs = 3

// AsOther sums up a run for comparison with others; ok is false if it says too little: a run
// that still goes on, or whose model, data or batch are not known.
func (r *Run) AsOther(name string) (o OtherRun, ok bool) {
	if !r.comparableModel() || r.batchPeak == 0 || r.Status == Running || r.Stepwise {
		return o, false
	}
	o = OtherRun{
		Name: name, Batch: r.Batch, ImgSize: r.ImgSize, Peak: r.batchPeak, PeakEpoch: r.batchPeakEpoch, Total: r.Memory.Total, Epochs: r.EpochsSeen, Growth: r.growthPerEpoch(),
		measure: r.Memory.Measure, step: r.Memory.Step, setting: r.memorySettings(), saveDir: r.SaveDir, first: r.firstLosses, firstLevel: r.firstLevel,
	}
	if r.outgrown() && r.DeathAt.Epoch > 0 {
		o.OOMEpoch = r.DeathAt.Epoch
	}
	return o, o.Epochs >= otherEpochs || o.OOMEpoch > 0
}

// memorySettings are the settings that its memory depends on, apart from batch and image size.
func (r *Run) memorySettings() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %d", r.Trainer, r.Model, r.Data, len(r.Devices))
	for _, key := range memorySettings {
		v := r.Args[key]
		if key == "amp" && r.AMPFailed {
			v = "False"
		}
		b.WriteString(" " + v)
	}
	return b.String()
}

// comparableModel reports whether what is trained is known: a checkpoint may be of any model.
func (r *Run) comparableModel() bool {
	name := path.Base(strings.ReplaceAll(r.Model, `\`, "/"))
	checkpoint := name == "last.pt" || name == "best.pt" || strings.HasPrefix(name, "epoch")
	return r.Model != "" && !checkpoint && r.Data != "" && r.Batch >= 1 && len(r.ImgSize) > 0
}

// outgrown reports whether the run has died of an out-of-memory that its own needs explain.
func (r *Run) outgrown() bool {
	f := r.active(OOM)
	if f == nil || r.Death == nil || r.active(OtherProcess) != nil {
		return false
	}
	cause := f.Because
	if m, ok := first(cause.Args).(Message); ok && cause.Key == "oom.foreseen" {
		cause = m
	}
	switch cause.Key {
	case "oom.others.because", "oom.free.because":
		return false
	}
	return true
}

func first(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// growthPerEpoch is by how much memory has grown each epoch behind the first one; NaN if that
// cannot be told.
func (r *Run) growthPerEpoch() float64 {
	var x, v []float64
	for _, e := range r.Epochal[min(1, len(r.Epochal)):] {
		if e.Complete && e.Peak > 0 {
			x, v = append(x, float64(e.Epoch)), append(v, float64(e.Peak))
		}
	}
	if len(x) < 5 {
		return math.NaN()
	}
	return theilSen(x, v)
}

// How runs differ in the memory that batch and image size take.
const (
	sizesDiffer = 2    // times as many pixels a step, from which on growth tells a leak from the size
	ratesAlike  = 1.4  // times as fast, up to which they grow alike
	flatGrowth  = 0.02 // of the peak over all epochs, up to which a run has not grown
)

// grew reports whether memory has grown by more than noise in so many epochs.
func grew(rate float64, epochs int, peak, step parse.Bytes) bool {
	return rate*float64(epochs) > math.Max(flatGrowth*float64(peak), 3*float64(step))
}

// pixels is how many pixels a step has.
func pixels(batch float64, size []int) float64 {
	return batch * float64(size[0]) * float64(size[len(size)-1])
}

// comparable are the other runs that had the same settings, those of the same size first. The
// run itself, read from another file, is not among them.
func (r *Run) comparable(others []OtherRun) []OtherRun {
	if !r.comparableModel() {
		return nil
	}
	mine := r.memorySettings()
	var out []OtherRun
	for _, o := range others {
		if o.measure != r.Memory.Measure || o.setting != mine {
			continue
		}
		if o.saveDir == r.SaveDir && len(o.first) > 0 && slices.EqualFunc(o.first, r.firstLosses, close4) {
			continue // a copy of its log: with the same seed, another run may have the same losses
		}
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b OtherRun) int {
		if same := r.sameSize(a); same != r.sameSize(b) {
			if same {
				return -1
			}
			return 1
		}
		return b.Epochs - a.Epochs
	})
	return out
}

func (r *Run) sameSize(o OtherRun) bool {
	return r.Batch == o.Batch && slices.Equal(r.ImgSize, o.ImgSize)
}

// othersSaid is how many other runs are named at most.
const othersSaid = 3

// Comparison is what other runs with the same settings, or with only another batch or image
// size, tell about the memory of this one.
func (r *Run) Comparison() []Message {
	var out []Message
	for _, o := range r.Others {
		if len(out) == othersSaid {
			break
		}
		if r.sameSize(o) {
			out = append(out, r.compareSame(o))
		} else if m, ok := r.compareSize(o); ok {
			out = append(out, m)
		}
	}
	return out
}

func (r *Run) compareSame(o OtherRun) Message {
	leak := r.active(Leak)
	if leak != nil && !grew(r.growthPerEpoch(), o.Epochs, o.Peak, o.step) {
		leak = nil // so slow that it would not show in so few epochs
	}
	switch {
	case o.OOMEpoch > 0:
		return Say("other.same.died", o.Name, o.OOMEpoch, o.Peak)
	case leak != nil && !math.IsNaN(o.Growth) && grew(o.Growth, o.Epochs, o.Peak, o.step):
		return Say("other.same.grew", o.Name, o.Peak, Epochs(o.Epochs), parse.Bytes(o.Growth))
	case leak != nil && !math.IsNaN(o.Growth):
		return Say("other.same.flat", o.Name, o.Peak, Epochs(o.Epochs))
	}
	return Say("other.same.peak", o.Name, o.Peak, Epochs(o.Epochs))
}

// compareSize compares with a run of another batch or image size: memory that a leak keeps does
// not depend on them, and what a batch takes does.
func (r *Run) compareSize(o OtherRun) (m Message, ok bool) {
	size := Say("other.size", o.Batch, o.ImgSize[0])
	times := pixels(r.Batch, r.ImgSize) / pixels(o.Batch, o.ImgSize)
	far := times >= sizesDiffer || times <= 1/sizesDiffer
	mine := r.growthPerEpoch()
	if r.active(Leak) != nil && far && !math.IsNaN(o.Growth) && grew(mine, o.Epochs, o.Peak, o.step) {
		switch ratio := mine / o.Growth; {
		case !grew(o.Growth, o.Epochs, o.Peak, o.step):
			return Say("other.size.flat", o.Name, size, Epochs(o.Epochs)), true
		case ratio >= 1/ratesAlike && ratio <= ratesAlike:
			return Say("other.size.leaks", o.Name, size, parse.Bytes(o.Growth)), true
		case ratio >= times/ratesAlike && ratio <= times*ratesAlike:
			return Say("other.size.follows", o.Name, size, parse.Bytes(o.Growth)), true
		}
		return m, false
	}
	switch {
	case o.OOMEpoch > 0:
		return Say("other.size.died", o.Name, size, o.OOMEpoch, o.Peak), true
	case r.outgrown() && r.active(Leak) == nil && times > 1 && o.Epochs > r.EpochsSeen:
		return Say("other.size.lived", o.Name, size, o.Peak, Epochs(o.Epochs)), true
	}
	return Say("other.size.peak", o.Name, size, o.Peak, Epochs(o.Epochs)), true
}
