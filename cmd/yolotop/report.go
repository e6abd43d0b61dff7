package main

import (
	"math"

	"yolotop/diagnose"
	"yolotop/parse"
)

// reportVersion is the version of the JSON form that check prints.
const reportVersion = 1

// report is what check --json prints. A value that is not known is left out and
// never 0.
type report struct {
	Version int         `json:"version"`
	Runs    []runReport `json:"runs"`
}

type runReport struct {
	Inputs         []string            `json:"inputs"`
	Trainer        string              `json:"trainer,omitempty"`
	TrainerVersion string              `json:"trainer_version,omitempty"`
	Torch          string              `json:"torch,omitempty"`
	Task           string              `json:"task,omitempty"`
	Model          string              `json:"model,omitempty"`
	Status         diagnose.Status     `json:"status"`
	Epoch          int                 `json:"epoch,omitempty"`
	Epochs         int                 `json:"epochs,omitempty"`
	EpochsSeen     *int                `json:"epochs_seen,omitempty"`
	FirstEpoch     int                 `json:"first_epoch,omitempty"`
	Iter           *int                `json:"iter,omitempty"`
	Iters          int                 `json:"iters,omitempty"`
	Batch          float64             `json:"batch,omitempty"`
	ImgSize        any                 `json:"imgsz,omitempty"`
	Workers        *int                `json:"workers,omitempty"`
	AMP            *bool               `json:"amp,omitempty"`
	Device         *deviceReport       `json:"device,omitempty"`
	Memory         memoryReport        `json:"memory"`
	GPUs           []gpuReport         `json:"gpus,omitempty"`
	Host           *hostReport         `json:"host,omitempty"`
	Columns        []string            `json:"columns,omitempty"`
	Last           map[string]*float64 `json:"last,omitempty"`
	Metrics        map[string]*float64 `json:"metrics,omitempty"`
	Rate           float64             `json:"rate_it_per_s,omitempty"`
	DataShare      *float64            `json:"data_share,omitempty"`
	Verdict        diagnose.Kind       `json:"verdict"`
	Others         []string            `json:"others,omitempty"` // what other runs tell about its memory
	Findings       []findingReport     `json:"findings"`
}

type deviceReport struct {
	Name  string      `json:"name,omitempty"`
	Index *int        `json:"index,omitempty"`
	Total parse.Bytes `json:"total_bytes,omitempty"`
}

// gpuReport is a device as the driver counts it.
type gpuReport struct {
	Index       int         `json:"index"`
	Name        string      `json:"name,omitempty"`
	Total       parse.Bytes `json:"total_bytes,omitempty"`
	UsedLast    parse.Bytes `json:"used_last_bytes,omitempty"`
	UsedPeak    parse.Bytes `json:"used_peak_bytes,omitempty"`
	Utilization *float64    `json:"utilization,omitempty"`
}

// hostReport is the machine at its newest sample.
type hostReport struct {
	RAMUsed  parse.Bytes `json:"ram_used_bytes,omitempty"`
	RAMTotal parse.Bytes `json:"ram_total_bytes,omitempty"`
}

type memoryReport struct {
	Measure string      `json:"measure"`
	Last    parse.Bytes `json:"last_bytes,omitempty"`
	Peak    parse.Bytes `json:"peak_bytes,omitempty"`
	Total   parse.Bytes `json:"total_bytes,omitempty"`
}

type findingReport struct {
	Kind        diagnose.Kind `json:"kind"`
	Level       string        `json:"level"`
	Active      bool          `json:"active"`
	Provisional bool          `json:"provisional"`
	GPU         *int          `json:"gpu,omitempty"`
	First       momentReport  `json:"first"`
	Last        momentReport  `json:"last"`
	Title       string        `json:"title"`
	Because     string        `json:"because"`
	Advice      []string      `json:"advice"`
	Limits      []string      `json:"limits,omitempty"`
	OOM         *oomReport    `json:"oom,omitempty"`
}

type momentReport struct {
	Input   string   `json:"input,omitempty"`
	Line    int      `json:"line,omitempty"`
	Epoch   int      `json:"epoch,omitempty"`
	Elapsed *float64 `json:"elapsed_s,omitempty"`
}

type oomReport struct {
	Epoch float64  `json:"epoch"`
	Low   float64  `json:"epoch_low"`
	High  float64  `json:"epoch_high"`
	In    *float64 `json:"in_s,omitempty"`
}

// reportOf describes all runs of a session, oldest first.
func reportOf(s *diagnose.Session, lang diagnose.Lang) report {
	r := report{Version: reportVersion, Runs: []runReport{}}
	for _, run := range s.Runs() {
		if run.Known {
			r.Runs = append(r.Runs, reportRun(run, s.Inputs(), lang))
		}
	}
	return r
}

func reportRun(run *diagnose.Run, inputs []diagnose.Input, lang diagnose.Lang) runReport {
	r := runReport{
		Trainer: run.Trainer, TrainerVersion: run.Version, Torch: run.Torch, Task: run.Task, Model: run.Model,
		Status: run.Status, Epoch: run.Epoch, Epochs: run.Epochs, EpochsSeen: &run.EpochsSeen, FirstEpoch: run.FirstEpoch,
		AMP: run.AMP, Columns: run.Columns, Rate: run.Rate, Verdict: run.Verdict(), Findings: []findingReport{},
		Memory: memoryReport{Measure: run.Memory.Measure.String(), Last: run.Memory.Last, Peak: run.Memory.Peak, Total: run.Memory.Total},
	}
	if run.Stepwise {
		r.Epoch, r.Epochs, r.EpochsSeen, r.FirstEpoch = 0, 0, nil, 0 // not counted: absent
	}
	for _, i := range run.Inputs {
		r.Inputs = append(r.Inputs, inputs[i].Name)
	}
	if run.Iter >= 0 {
		r.Iter, r.Iters = &run.Iter, run.Iters
	}
	if share, ok := run.DataShare(); ok {
		r.DataShare = &share
	}
	if run.Batch >= 1 {
		r.Batch = run.Batch
	}
	switch len(run.ImgSize) {
	case 0:
	case 1:
		r.ImgSize = run.ImgSize[0]
	default:
		r.ImgSize = run.ImgSize
	}
	if run.Workers >= 0 {
		r.Workers = &run.Workers
	} else if run.LoaderWorkers >= 0 {
		r.Workers = &run.LoaderWorkers
	}
	if d, ok := run.Device(); ok || run.Memory.Total > 0 {
		r.Device = &deviceReport{Name: d.Name, Total: run.Memory.Total}
		if ok && d.Index >= 0 {
			r.Device.Index = &d.Index
		}
	}
	r.driver(run)
	r.Last = lastRow(run)
	r.Metrics = named(run.Metrics)
	for _, m := range run.Comparison() {
		r.Others = append(r.Others, m.In(lang))
	}
	for _, f := range run.Findings {
		r.Findings = append(r.Findings, reportFinding(f, run, inputs, lang))
	}
	return r
}

// driver adds what the driver counts; where only its numbers are known, device and
// memory hold them.
func (r *runReport) driver(run *diagnose.Run) {
	for _, g := range run.GPUs {
		d := gpuReport{Index: g.Index, Name: g.Name, Total: g.Total, UsedLast: g.Used, UsedPeak: g.Peak}
		if p, ok := g.Busy.Last(); ok {
			d.Utilization = &p.Last
		}
		r.GPUs = append(r.GPUs, d)
	}
	if h := run.Host; h != nil {
		used, _ := h.RAMUsed.Bytes()
		total, _ := h.RAMTotal.Bytes()
		r.Host = &hostReport{RAMUsed: used, RAMTotal: total}
	}
	g := run.FirstGPU()
	if g == nil || run.Memory.Peak > 0 || !g.Measured {
		return
	}
	r.Memory = memoryReport{Measure: parse.DriverTotal.String(), Last: g.Used, Peak: g.Peak, Total: g.Total}
	if r.Device == nil {
		r.Device = &deviceReport{Name: g.Name, Total: g.Total}
		if g.Index >= 0 {
			r.Device.Index = &g.Index
		}
	}
}

// lastRow is the newest row: losses by name, instances and size.
func lastRow(run *diagnose.Run) map[string]*float64 {
	last := named(parse.Named{Names: run.Columns, Values: run.Losses})
	if run.Instances >= 0 {
		last["instances"] = finite(run.Instances)
	}
	if run.Size >= 0 {
		last["size"] = finite(run.Size)
	}
	return last
}

func named(n parse.Named) map[string]*float64 {
	m := make(map[string]*float64, len(n.Values)+2)
	for i, v := range n.Values {
		if i < len(n.Names) {
			m[n.Names[i]] = finite(v)
		}
	}
	return m
}

// finite is nil for NaN and infinities, which JSON cannot hold.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func reportFinding(f *diagnose.Finding, run *diagnose.Run, inputs []diagnose.Input, lang diagnose.Lang) findingReport {
	r := findingReport{
		Kind: f.Kind, Level: f.Level.String(), Active: f.Active, Provisional: f.Provisional,
		First: reportMoment(f.First, run, inputs), Last: reportMoment(f.Last, run, inputs),
		Title: f.Title.In(lang), Because: f.Because.In(lang), Advice: []string{},
	}
	if f.GPU >= 0 {
		r.GPU = &f.GPU
	}
	for _, m := range run.AdviceFor(f) {
		r.Advice = append(r.Advice, m.In(lang))
	}
	for _, m := range f.Limits {
		r.Limits = append(r.Limits, m.In(lang))
	}
	if o := f.OOM; o != nil {
		r.OOM = &oomReport{Epoch: o.Epoch, Low: o.Low, High: o.High}
		if o.In > 0 {
			s := o.In.Seconds()
			r.OOM.In = &s
		}
	}
	return r
}

func reportMoment(m diagnose.Moment, run *diagnose.Run, inputs []diagnose.Input) momentReport {
	r := momentReport{Line: m.Line, Epoch: m.Epoch}
	if run.Stepwise {
		r.Epoch = 0
	}
	if len(run.Inputs) > 1 && m.Input < len(inputs) {
		r.Input = inputs[m.Input].Name
	}
	if m.HasRun {
		s := m.Run.Seconds()
		r.Elapsed = &s
	}
	return r
}
