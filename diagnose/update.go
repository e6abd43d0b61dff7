package diagnose

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"yolotop/parse"
)

// update changes the state of the run by one event. Detectors see the event after
// it.
func (r *Run) update(e *parse.Event) {
	if e.Input == r.Inputs[0] && r.began > 0 { // the stream's clock goes on from run to run
		own := *e
		own.Run = max(0, e.Run-r.began)
		e = &own
	}
	if e.HasRun {
		r.Elapsed, r.HasElapsed = max(r.Elapsed, e.Run), true
	}
	if _, text := e.Record.(*parse.Text); !text {
		r.Known, r.other = true, nil
	}
	switch rec := e.Record.(type) {
	case *parse.Progress:
		r.progress(e, rec)
	case *parse.Validation:
		r.validated(e, rec)
	case *parse.EpochRow:
		r.epochRow(e, rec)
	case *parse.Banner:
		r.banner(rec)
	case *parse.Config:
		r.configure(rec, e.Line == 0)
	case *parse.Stage:
		r.stage(rec)
	case *parse.Notice:
		r.notice(e, rec)
	case *parse.Failure:
		r.failed(e, rec)
	case *parse.GPU:
		r.gpuSample(e, rec)
	case *parse.Host:
		r.Host = rec
	case *parse.Memory:
		r.counters(rec)
	case *parse.Hook:
		r.hook(rec)
	case *parse.Text:
		r.Texts++
		r.log(e, rec.Text, false)
	}
}

func (r *Run) progress(e *parse.Event, p *parse.Progress) {
	last := p.Epoch == r.Epoch || p.Epochs > 0 && p.Epoch == p.Epochs
	again := (r.Status == Finished || r.Status == StoppedEarly) && last && p.Complete()
	if (r.Death != nil || r.Status != Running && r.Phase != Ended) && !again { // the last row may be drawn once more
		r.Death, r.Status = nil, Running // a failure that the trainer survived
	}
	st := r.Current()
	if st == nil || st.Epoch != p.Epoch || p.Iter >= 0 && st.Complete && p.Iter < p.Iters {
		st = r.startEpoch(e, p.Epoch)
	}
	if !again {
		r.Phase = Training
	}
	r.LastRow, r.ahead, r.Forsaken = e.Arrival, false, false
	r.stepsSince = 0
	if st.Rows > 0 && p.Iter > r.lastIter {
		r.stepsSince = p.Iter - r.lastIter
	}
	if p.StepTime > 0 && st.Rows > 0 && !r.Hooked { // the first row of an epoch holds the start of the workers
		steps := time.Duration(max(1, r.stepsSince))
		r.stepped += p.StepTime * steps
		r.waited += p.DataTime * steps
	}
	r.lastIter = p.Iter
	r.row(p)
	st.Rows++
	st.Moment = r.moment(e)
	if p.Values != nil {
		st.Losses = slices.Clone(p.Values) // a snapshot may hold the old ones
	}
	if p.Memory.Measure != parse.NotMeasured {
		r.rowMeasured(p.Memory)
	} else {
		r.unmeasuredRows++
	}
	x := r.X()
	if r.Stepwise && p.Values != nil {
		r.addLosses(st, x)
	}
	if p.Rate > 0 && (r.Stepwise || p.Complete() || p.Iter%16 == 0) {
		r.RateSeries.Add(x, r.Elapsed, p.Rate)
	}
	if p.Complete() && !st.Complete {
		st.Complete = true
		r.closeEpoch(st)
	}
}

// row takes what the newest row shows, provisional or not.
func (r *Run) row(p *parse.Progress) {
	switch {
	case p.Stepwise && r.FirstIter == 0:
		r.FirstIter = max(p.Iter, 1)
	case r.Stepwise && !p.Stepwise: // its iterations have begun anew: they were those of an epoch
		r.countEpochs()
	}
	r.Epoch, r.Iter, r.Iters, r.Stepwise = p.Epoch, p.Iter, p.Iters, p.Stepwise
	if p.Epochs > 0 {
		r.Epochs = p.Epochs // time= changes it every epoch
	}
	if p.Columns != r.printedColumns && p.Columns != nil {
		r.printedColumns = p.Columns
		r.Columns = p.Columns.Losses
	}
	if p.Columns != nil { // else a frame of a bar that shows none
		r.Losses = append(r.Losses[:0], p.Values...)
	}
	r.Instances, r.Size = p.Instances, p.Size
	if p.Rate > 0 {
		r.Rate = p.Rate
	}
}

// countEpochs makes of an axis of iterations one of epochs, of which the first one is done.
func (r *Run) countEpochs() {
	factor := 1 / float64(max(r.Iter, 1))
	for _, s := range []*Series{&r.MemorySeries, &r.RateSeries, &r.DriverSeries, &r.ValSamples} {
		s.scale(factor)
	}
	for _, m := range []map[string]*Series{r.LossSeries, r.MetricSeries, r.ValSeries, r.LRSeries} {
		for _, s := range m {
			s.scale(factor)
		}
	}
	r.Marks = slices.Clone(r.Marks) // a snapshot may hold the old ones
	for i := range r.Marks {
		r.Marks[i].X *= factor
	}
}

// provisional shows a frame that has no terminator yet.
func (r *Run) provisional(e *parse.Event) {
	p, ok := e.Record.(*parse.Progress)
	if !ok || r.Death != nil || p.Epoch < r.Epoch || r.Phase == Ended {
		return
	}
	r.row(p)
	r.LastRow, r.ahead = e.Arrival, true
	if r.Phase != Finishing {
		r.Phase = Training
	}
	if p.Memory.Measure != parse.NotMeasured {
		r.Memory.Measure, r.Memory.Last = p.Memory.Measure, p.Memory.Bytes
	}
	r.gap.beat(e.Arrival, r.Phase)
}

func (r *Run) banner(b *parse.Banner) {
	if b.Version == "" && b.Torch == "" && len(b.Devices) > 0 { // a further device of the banner before
		r.Devices = append(r.Devices, b.Devices...)
		return
	}
	r.Trainer, r.Version, r.Torch = b.Trainer, b.Version, b.Torch
	if len(b.Devices) > 0 {
		r.Devices = slices.Clone(b.Devices)
		if t := b.Devices[0].Total; t > 0 {
			r.Memory.Total = t
		}
	}
}

// configure takes arguments; those of a file only fill what the log left open.
func (r *Run) configure(c *parse.Config, fromFile bool) {
	if fromFile && r.Args != nil {
		return
	}
	if c.Mode != "" && c.Mode != "train" {
		return // validation and prediction print their arguments too
	}
	r.Task, r.Model, r.Data, r.ImgSize, r.Args = c.Task, c.Model, c.Data, c.ImgSize, c.Args
	r.Workers, r.AskedBatch = c.Workers, c.Batch
	if c.SaveDir != "" {
		r.SaveDir = c.SaveDir
	}
	if r.Epochs == 0 {
		r.Epochs = c.Epochs
	}
	if c.Batch >= 1 {
		r.Batch = c.Batch
	}
	if c.AMP != nil && !r.AMPFailed {
		r.AMP = c.AMP
	}
}

// resumes reports whether a run may have gone on where another one has ended: that one was not done,
// and nothing says that another checkpoint was taken.
func (r *Run) resumes(p *Run) bool {
	switch {
	case p.Status == Finished, p.Status == StoppedEarly:
		return false
	case p.SaveDir == "":
		return true
	case strings.HasSuffix(r.Model, "last.pt"):
		return strings.HasPrefix(r.Model, strings.TrimSuffix(p.SaveDir, "/")+"/")
	}
	return r.SaveDir == "" || r.SaveDir == p.SaveDir
}

func (r *Run) stage(s *parse.Stage) {
	r.Stage = s
	switch s.Kind {
	case parse.Caching:
		if s.Cached > 0 && s.Done > 0 && s.Total > 0 {
			r.caches = maps.Clone(r.caches) // a snapshot may hold the old one
			if r.caches == nil {
				r.caches = map[string]cacheState{}
			}
			r.caches[s.Part] = cacheState{held: s.Cached, need: parse.Bytes(float64(s.Cached) * float64(s.Total) / float64(s.Done))}
		}
	case parse.Validating:
		if r.HasRows() {
			r.Phase = Validating
		}
	case parse.FinalValidation:
		r.Phase = Finishing
	}
}

func (r *Run) notice(e *parse.Event, n *parse.Notice) {
	grave := false
	switch n.Kind {
	case parse.Header:
		if r.printedColumns == nil && n.Columns != nil {
			r.Columns = n.Columns.Losses
		}
		if st := r.Current(); st != nil && st.Complete {
			r.begun = r.Epoch + 1
		}
		return
	case parse.BarBegan:
		return
	case parse.TrainingStarted:
		if n.Epochs > 0 {
			r.Epochs = n.Epochs
		}
	case parse.Resumed:
		r.FirstEpoch, r.Epochs = n.Epoch, n.Epochs
		if p := r.predecessor; p != nil && n.Epoch > 1 && n.Epoch <= p.Epoch+1 && r.resumes(p) {
			r.Continues = p.ID
		}
		r.mark(MarkResumed, float64(n.Epoch-1), Say("mark.resumed", n.Epoch))
	case parse.SaveDir:
		r.SaveDir = n.Path
	case parse.EpochBegan:
		r.epochBegan(e, n)
	case parse.MosaicClosed:
		r.mark(MarkMosaicClosed, float64(r.Epoch), Say("mark.mosaic"))
	case parse.StoppedEarly:
		r.Status = StoppedEarly
	case parse.Completed:
		if r.Epochs == 0 {
			r.Epochs = n.Epochs
		}
		if r.Status != StoppedEarly {
			r.Status = Finished
		}
		r.Phase, r.Death = Finishing, nil
	case parse.BatchReduced:
		r.batchPeak, r.firstLevel, r.firstLosses = 0, 0, nil // of what does not fit
		r.Batch, grave = n.Batch, true
		r.mark(MarkBatchReduced, r.X(), Say("mark.batch", n.Batch))
	case parse.NaNRecovery:
		grave = true
		r.mark(MarkNaN, r.X(), Say("mark.nan"))
	case parse.AMPPassed, parse.AMPSkipped:
		r.AMPFailed = false
		r.AMPPassed = n.Kind == parse.AMPPassed
	case parse.AMPFailed:
		off := false
		r.AMP, r.AMPFailed, grave = &off, true, true
	case parse.BatchChosen, parse.BatchNotChosen:
		r.Batch, r.batchChosen = n.Batch, true
	case parse.ModelSummary:
		r.Parameters = n.Count
	case parse.OptimizerChosen:
		r.Optimizer = n.Name
	case parse.WorkersSet:
		r.LoaderWorkers = n.Count
	case parse.ImageDamaged:
		r.DamagedImages++
	}
	r.log(e, n.Text, grave)
}

func (r *Run) mark(kind MarkKind, x float64, text Message) {
	const most = 200
	if len(r.Marks) == most {
		r.Marks = slices.Delete(r.Marks, 0, most/4)
	}
	r.Marks = append(r.Marks, Mark{Kind: kind, X: x, Text: text})
}

// log keeps a line for the log pane, the newest ones within a number of bytes.
func (r *Run) log(e *parse.Event, text string, grave bool) {
	const longest = 4 << 10
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…" // a copy, which lets go of the rest
	}
	if k := len(r.Log) - 1; k >= 0 && r.Log[k].Line == e.Line && r.Log[k].Input == e.Input && isBar(text) && isBar(r.Log[k].Text) {
		r.logBytes -= len(r.Log[k].Text) // the same bar, drawn anew
		r.Log = slices.Clip(r.Log[:k])   // a snapshot may hold the old state
	}
	r.Log = append(r.Log, LogLine{Input: e.Input, Line: e.Line, Text: text, Grave: grave})
	for r.logBytes += len(text); r.logBytes > logLimit || len(r.Log) > 4000; {
		r.logBytes -= len(r.Log[0].Text)
		r.Log = r.Log[1:]
	}
}

// isBar reports whether a line that nobody understood is a state of a bar.
func isBar(text string) bool { return strings.Contains(text, "%|") }

// moment is where an event stands in the run.
func (r *Run) moment(e *parse.Event) Moment {
	m := Moment{Input: e.Input, Line: e.Line, Epoch: r.Epoch, Iter: -1, Run: r.Elapsed, HasRun: r.HasElapsed}
	if r.Stepwise {
		m.Iter = r.Iter
	}
	return m
}

// close4 reports whether two numbers agree in the four digits that logs print.
func close4(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	if a == b {
		return true
	}
	return math.Abs(a-b) <= 0.001*max(math.Abs(a), math.Abs(b))+1e-9
}
