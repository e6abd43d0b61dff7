package diagnose

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"yolotop/parse"
)

// Starvation is told from the trainer's own data time where it prints one, and from
// the duty cycle of the device where the driver is watched. Single samples prove
// nothing: utilization is the share of a fraction of a second in which any kernel
// ran.
const (
	waitWindow  = 90 * time.Second // of step time
	waitShare   = 0.35             // of the step time, waiting for data
	waitHealed  = 0.20
	waitMuch    = 0.60             // of it: plain enough to be said sooner
	waitSoon    = 40 * time.Second // of step time
	coldEpoch   = 30 * time.Minute // a first epoch longer than this is no warm-up
	coldShare   = 0.60             // said as provisional within the first epoch
	coldWindow  = 2 * time.Minute
	dutyWindow  = 120 * time.Second
	dutyLow     = 0.45 // median below: the device idles
	dutyHealed  = 0.60
	dutyBursty  = 0.16 // mean step between samples, of the median: it comes in bursts
	dutyIdle    = 0.05 // a sample below counts as idle
	dutyIdles   = 0.20 // share of idle samples that makes bursts by itself
	dutyLeast   = 60   // samples
	boundaryGap = 6 * time.Second
)

// starved finds a device that waits for data.
type starved struct {
	wait dataWait
	host hostLoad
}

// Observe implements detector.
func (d *starved) Observe(r *Run, e *parse.Event) {
	switch rec := e.Record.(type) {
	case *parse.Progress:
		if rec.StepTime > 0 && !r.Hooked {
			steps := time.Duration(max(1, r.stepsSince))
			d.dataTime(r, e, rec.Epoch, rec.StepTime*steps, rec.DataTime*steps)
		}
	case *parse.Hook:
		if rec.Rank == 0 && rec.Took > 0 {
			d.dataTime(r, e, max(1, r.Epoch), rec.Took, rec.Wait)
		}
	case *parse.Host:
		d.host.sample(rec)
	case *parse.GPU:
		if d.wait.rows == 0 { // the trainer's own data time is the better witness
			d.dutyCycle(r, e, rec)
		}
	}
}

// dataWait is how long a run waited for data lately.
type dataWait struct {
	rows        int
	epoch       int
	firstEpoch  int
	epochTime   time.Duration // step time of the present epoch
	step, data  []time.Duration
	total, wait time.Duration // sums of the window
}

// push adds the steps since the last row.
func (w *dataWait) push(step, data time.Duration, window time.Duration) {
	w.step, w.data = append(w.step, step), append(w.data, data)
	w.total += step
	w.wait += data
	for len(w.step) > 1 && w.total-w.step[0] >= window {
		w.total -= w.step[0]
		w.wait -= w.data[0]
		w.step, w.data = w.step[1:], w.data[1:]
	}
}

func (w *dataWait) clear() { w.step, w.data, w.total, w.wait = nil, nil, 0, 0 }

func (w *dataWait) share() float64 {
	if w.total == 0 {
		return 0
	}
	return float64(w.wait) / float64(w.total)
}

// dataTime weighs how long the steps of a row took and waited. The first row of an
// epoch holds the start of the workers and does not count; the first epoch warms
// caches up and only counts where it is long.
func (d *starved) dataTime(r *Run, e *parse.Event, epoch int, step, data time.Duration) {
	w := &d.wait
	w.rows++
	if w.firstEpoch == 0 {
		w.firstEpoch = epoch
	}
	if epoch != w.epoch {
		if w.epoch == w.firstEpoch && w.epochTime < coldEpoch {
			w.clear()
			if f := r.active(Starved); f != nil && f.Provisional {
				r.withdraw(Starved)
			}
		}
		w.epoch, w.epochTime = epoch, 0
		return
	}
	w.epochTime += step
	w.push(step, data, waitWindow)
	share := w.share()
	cold := epoch == w.firstEpoch && w.epochTime < coldEpoch && r.Epochs != 1
	if r.Epoch == 0 { // nothing tells epochs
		cold = w.epochTime < coldWindow
	}
	f := r.active(Starved)
	switch {
	case w.total < waitWindow && !(w.total >= waitSoon && share >= waitMuch):
	case cold && share > coldShare && w.epochTime >= coldWindow && f == nil:
		r.raise(e, d.finding(r, share, true))
	case !cold && share > waitShare && (f == nil || f.Provisional):
		r.raise(e, d.finding(r, share, false))
	case share < waitHealed && f != nil:
		r.withdraw(Starved)
	case f != nil:
		f.Last = r.moment(e)
	}
}

func (d *starved) finding(r *Run, share float64, provisional bool) Finding {
	f := Finding{
		Kind: Starved, GPU: r.gpu(), Level: Warning, Provisional: provisional,
		Title:   Say("starved.title", Percent(share)),
		Because: d.host.explain(Say("starved.because", Percent(share), d.wait.total.Round(time.Second))),
		Advice:  d.host.advise(dataAdvice(r)),
	}
	if provisional {
		f.Limits = []Message{Say("starved.cold")}
	}
	return f
}

// dutyCycle is how a device was busy lately.
type dutyCycle struct {
	epoch   int
	samples []dutySample
	held    []dutySample // of the present epoch, the end of which may be validation
	quiet   time.Duration
	seen    int // epochs
}

type dutySample struct {
	at   time.Duration
	busy float64
}

// dutyCycle weighs a sample of the driver. Around the ends of epochs a device idles
// for other reasons: validation, checkpoints, the restart of workers.
func (d *starved) dutyCycle(r *Run, e *parse.Event, s *parse.GPU) {
	g := r.device(s.Index, s.UUID)
	busy, ok := s.Busy.Get()
	if !ok {
		return
	}
	at, _ := g.Busy.Last()
	now := at.Run
	c := &g.duty
	if r.Epoch != c.epoch {
		drop := min(len(c.held), max(5, len(c.held)*15/100))
		c.samples = lastFor(append(c.samples, c.held[:len(c.held)-drop]...), dutyWindow)
		c.held, c.epoch, c.quiet = nil, r.Epoch, now+boundaryGap
		c.seen++
	}
	known, st := r.Epoch > 0, r.Current()
	if known && (st != nil && st.Complete || c.seen == 1 && r.Epoch == r.FirstEpoch || now < c.quiet || r.Phase == Validating || r.Phase == Finishing) {
		return
	}
	c.held = append(c.held, dutySample{now, busy})
	if len(c.held) > 4096 {
		c.held = c.held[1024:]
	}
	window := c.held
	if known {
		window = window[:len(window)-min(len(window), max(5, len(window)/10))]
	}
	if len(window) < 2048 {
		window = append(slices.Clone(c.samples), window...)
	}
	window = lastFor(window, dutyWindow)
	if len(window) < dutyLeast || window[len(window)-1].at-window[0].at < dutyWindow*98/100 {
		return
	}
	d.weigh(r, e, g, window)
}

// lastFor is the end of samples that covers d.
func lastFor(samples []dutySample, d time.Duration) []dutySample {
	if len(samples) == 0 {
		return samples
	}
	from := samples[len(samples)-1].at - d
	i, _ := slices.BinarySearchFunc(samples, from, func(s dutySample, t time.Duration) int { return cmp.Compare(s.at, t) })
	return samples[i:]
}

// weigh decides by the window: busy enough, in bursts (it waits for something), or
// steadily low (a small model that cannot fill the device).
func (d *starved) weigh(r *Run, e *parse.Event, g *GPU, window []dutySample) {
	values := make([]float64, len(window))
	rough, idle, sum := 0.0, 0, 0.0
	for i, s := range window {
		values[i] = s.busy
		sum += s.busy
		if s.busy <= dutyIdle {
			idle++
		}
		if i > 0 {
			rough += max(s.busy-window[i-1].busy, window[i-1].busy-s.busy)
		}
	}
	slices.Sort(values)
	median, mean := values[len(values)/2], sum/float64(len(window))
	rough /= float64(len(window) - 1)
	idles := float64(idle) / float64(len(window))
	f := r.active(Starved)
	if f != nil && f.GPU != g.Index {
		f = nil
	}
	switch {
	case median >= dutyHealed:
		if f != nil {
			r.withdraw(Starved)
		}
		if u := r.active(UnderUsed); u != nil && u.GPU == g.Index {
			r.withdraw(UnderUsed)
		}
	case median >= dutyLow:
	case idles > 0.95 && !r.HasRows() && g.Busy.Max() <= dutyIdle:
		// A device on which nothing ever ran is idle, not starved.
	case rough > dutyBursty*median || idles > dutyIdles:
		if f != nil {
			f.Last = r.moment(e)
			return
		}
		if r.active(Starved) != nil {
			return // another device's: one finding says it
		}
		r.withdraw(UnderUsed)
		r.raise(e, Finding{
			Kind: Starved, GPU: g.Index, Level: Warning, ByDriver: true,
			Title:   Say("starved.duty.title", Percent(mean), max(g.Index, 0)),
			Because: d.host.explain(Say("starved.duty.because", dutyWindow, Percent(median), Percent(idles))),
			Advice:  append(d.host.advise(dataAdvice(r)), Say("starved.gaps")),
			Limits:  []Message{Say("starved.duty.limits")},
		})
	case f == nil && r.active(UnderUsed) == nil && r.active(Starved) == nil:
		r.raise(e, Finding{
			Kind: UnderUsed, GPU: g.Index, Level: Info, ByDriver: true,
			Title:   Say("underused.title", Percent(mean), max(g.Index, 0)),
			Because: Say("underused.because", dutyWindow, Percent(median)),
			Advice:  []Message{Say("underused.batch"), Say("underused.model")},
			Limits:  []Message{Say("starved.duty.limits")},
		})
	}
}

// loaderSettings is where a trainer is told how many data loader processes it starts.
var loaderSettings = map[string]string{
	"yolox": "data_num_workers", "damo-yolo": "num_workers", "yolo-nas": "num_workers", "mmdet": "workers_per_gpu",
	"detectron2": "DATALOADER.NUM_WORKERS", "paddledetection": "worker_num", "huggingface": "dataloader_num_workers",
}

// dataAdvice is how to make data come faster, by trainer. Ultralytics has no
// num_workers and no prefetch_factor, and darknet no setting at all.
func dataAdvice(r *Run) []Message {
	var out []Message
	cores := r.Workers
	switch setting := loaderSettings[r.Trainer]; {
	case r.Has("workers") && cores >= 0:
		out = append(out, Say("starved.workers.key", cores))
	case setting != "":
		out = append(out, Say("starved.loader.setting", setting))
	case r.Trainer == "darknet":
	case r.Trainer == "" || r.Trainer == "ultralytics" || strings.HasPrefix(r.Trainer, "yolov"):
		out = append(out, Say("starved.workers"))
	default:
		out = append(out, Say("starved.loader"))
	}
	if c, ok := r.Args["cache"]; ok && (c == "False" || c == "None") {
		out = append(out, Say("starved.cache.key"))
	}
	return append(out, Say("starved.disk"), Say("starved.images"))
}
