package diagnose

import (
	"strings"
	"time"

	"yolotop/parse"
)

// notMeasured says when nothing can be known of GPU memory, and why: the run is on
// the CPU, its rows go elsewhere, or its file has no such column.
type notMeasured struct {
	headers int       // epoch headers since the last row
	waiting time.Time // arrival of the newest header, as long as nothing else came
}

// rowsLate is how long nothing may come behind the header of an epoch before it is said that the
// rows probably go elsewhere: tqdm prints its first bar at once.
const rowsLate = 10 * time.Second

// Observe implements detector.
func (d *notMeasured) Observe(r *Run, e *parse.Event) {
	d.waiting = time.Time{}
	switch rec := e.Record.(type) {
	case *parse.Progress:
		d.headers = 0
		if f := r.active(NotMeasured); f != nil && f.Provisional {
			r.withdraw(NotMeasured) // here they are
		}
		if rec.Memory.Measure != parse.NotMeasured {
			r.withdraw(NotMeasured)
			return
		}
		if r.measuredRows > 0 || r.active(NotMeasured) != nil {
			return
		}
		d.raiseZero(r, e)
	case *parse.Notice:
		if rec.Kind == parse.Header {
			d.headers++
			d.waiting = e.Arrival
		}
	case *parse.Validation:
		// A header and then a result without a row between them: the rows are on
		// the other stream, which was the way of Ultralytics 8.0.212 to 8.3.185.
		f := r.active(NotMeasured)
		if d.headers > 0 && rec.Class == "all" && !rec.Final && r.measuredRows+r.unmeasuredRows == 0 && (f == nil || f.Provisional) {
			d.elsewhere(r, e, Say("notmeasured.stderr.because"), false)
		}
	case *parse.EpochRow:
		if r.measuredRows+r.unmeasuredRows == 0 && r.finding(NotMeasured) == nil {
			r.raise(e, Finding{
				Kind: NotMeasured, GPU: -1, Level: Info,
				Title: Say("notmeasured.csv.title"), Because: Say("notmeasured.csv.because"),
				Advice: []Message{Say("notmeasured.csv.advice")},
			})
		}
	}
}

// elsewhere says that the rows go to another stream.
func (d *notMeasured) elsewhere(r *Run, e *parse.Event, because Message, provisional bool) {
	r.raise(e, Finding{
		Kind: NotMeasured, GPU: -1, Level: Info, Provisional: provisional,
		Title: Say("notmeasured.stderr.title"), Because: because,
		Advice: []Message{Say("notmeasured.stderr.advice"), Say("notmeasured.stderr.tqdm")},
	})
}

// Tick implements ticker: it says soon what is sure only after the first validation.
func (d *notMeasured) Tick(r *Run, now time.Time) {
	if d.waiting.IsZero() || now.Sub(d.waiting) < rowsLate || r.measuredRows+r.unmeasuredRows > 0 || r.Status != Running || r.active(NotMeasured) != nil {
		return
	}
	if r.Trainer != "ultralytics" || !parse.AtLeast(r.Version, [3]int{8, 0, 212}) || parse.AtLeast(r.Version, [3]int{8, 3, 186}) {
		return
	}
	e := parse.Event{Origin: parse.Origin{Input: r.Inputs[0], Line: r.lastLine(), Run: r.Elapsed, HasRun: r.HasElapsed}}
	d.elsewhere(r, &e, Say("notmeasured.stderr.late"), true)
}

// zeroBecause is why a row has no memory, by trainer: some print 0G, some leave it out, and
// others never print any.
func zeroBecause(trainer string) (because Message, never bool) {
	switch trainer {
	case "", "ultralytics", "yolov5", "yolov7", "yolov9":
		return Say("notmeasured.zero.because"), false
	case "yolox", "damo-yolo", "mmdet", "mmengine", "metriclogger", "paddledetection", "detectron2", "yolo-nas":
		return Say("notmeasured.left.because"), false
	}
	return Say("notmeasured.never.because"), true
}

// raiseZero explains rows that print 0G.
func (d *notMeasured) raiseZero(r *Run, e *parse.Event) {
	because, never := zeroBecause(r.Trainer)
	f := Finding{Kind: NotMeasured, GPU: -1, Level: Info, Because: because}
	dev, known := r.Device()
	switch {
	case never && (!known || dev.Kind != "cpu"):
		f.Title = Say("notmeasured.zero.title")
		f.Advice = []Message{Say("notmeasured.never.driver")}
	case known && dev.Kind == "cpu":
		f.Title = Say("notmeasured.cpu.title")
		if strings.Contains(r.Torch, "+cpu") {
			f.Because = Say("notmeasured.cputorch.because", r.Torch)
			f.Advice = append(f.Advice, Say("notmeasured.cputorch.advice"))
		} else {
			f.Because = Say("notmeasured.cpu.because")
			f.Advice = append(f.Advice, Say("notmeasured.cpu.check"))
		}
		if r.Has("device") {
			f.Advice = append(f.Advice, Say("notmeasured.cpu.device"))
		}
	case known && dev.Kind == "mps":
		f.Title = Say("notmeasured.mps.title")
		f.Advice = []Message{Say("notmeasured.mps.advice")}
	case known:
		f.Title = Say("notmeasured.zero.title")
		f.Advice = []Message{Say("notmeasured.zero.driver")}
	default:
		f.Title = Say("notmeasured.zero.title")
		f.Advice = []Message{Say("notmeasured.cpu.check")}
	}
	r.raise(e, f)
}
