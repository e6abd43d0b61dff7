package diagnose

import (
	"slices"
	"sort"
	"time"

	"yolotop/parse"
)

const (
	// recordingCovers is the share of a run's time that a recording beside it must cover
	// to be of the same time.
	recordingCovers = 0.5
	// recordingLive is how lately both must have said something to be live together.
	recordingLive = 2 * time.Minute
)

// onlySamples reports whether a run is a recording of devices and nothing else.
func (r *Run) onlySamples() bool {
	return len(r.GPUs) > 0 && len(r.Epochal) == 0 && !r.HasRows() && r.CardBy == CardUnknown
}

// joinRecordings ties recordings of devices to the logs beside them, where one clock proves
// that they are of the same time: both carry time stamps of the same kind, or both come in
// live. Times of files prove nothing. What is not tied is shown on its own.
func (s *Session) joinRecordings() {
	if len(s.inputs) < 2 || !s.recordings {
		return
	}
	s.recordings = false
	for i := range s.states {
		in := &s.states[i]
		if in.run == nil || !in.run.onlySamples() {
			continue
		}
		var fits []*Run
		logs := 0
		for j := range s.states {
			log := &s.states[j]
			if j == i || log.run == nil || len(log.run.Epochal) == 0 || log.joined {
				continue
			}
			logs++
			if r := log.run; r.Recording != nil && r.Recording != in.run || r.CardBy > CardByRecording {
				continue // it has another one, or this machine's devices
			}
			if s.sameTime(log, in) && len(log.run.recordedBy(in.run)) > 0 {
				fits = append(fits, log.run)
			}
		}
		in.run.Apart = logs > 0 && len(fits) != 1
		if len(fits) == 1 {
			fits[0].takeRecording(in.run, s.offset(fits[0], in))
		}
	}
	s.runs = slices.DeleteFunc(s.runs, func(r *Run) bool { return r.onlySamples() && s.owned(r) })
}

// owned reports whether all devices of a recording are one run's.
func (s *Session) owned(recording *Run) bool {
	for _, r := range s.runs {
		if r.Recording == recording && len(r.GPUs) == len(recording.GPUs) {
			return true
		}
	}
	return false
}

// sameTime reports whether a clock proves that a log and a recording are of one time.
func (s *Session) sameTime(log, rec *inputState) bool {
	l, d := log.run, rec.run
	if log.dated != nil && !d.firstStamp.IsZero() && !log.dated.Zoned {
		from, to := log.dated.Start.Add(l.began), log.dated.Start.Add(l.began+l.Elapsed)
		first, last := d.firstStamp, d.firstStamp.Add(d.recorded())
		covered := minTime(to, last).Sub(maxTime(from, first))
		return l.Elapsed > 0 && float64(covered) >= recordingCovers*float64(l.Elapsed)
	}
	if l.Status != Running || l.LastRow.IsZero() || d.lastSample.IsZero() {
		return false
	}
	apart := l.LastRow.Sub(d.lastSample)
	return max(apart, -apart) <= recordingLive
}

// offset is the run time of a run at the beginning of a recording; nil where only arrival
// ties the two.
func (s *Session) offset(r *Run, rec *inputState) *time.Duration {
	log := &s.states[r.Inputs[0]]
	if log.dated == nil || log.dated.Zoned || rec.run.firstStamp.IsZero() {
		return nil
	}
	d := rec.run.firstStamp.Sub(log.dated.Start.Add(r.began))
	return &d
}

// recorded is how long a recording is.
func (r *Run) recorded() time.Duration {
	longest := time.Duration(0)
	for _, g := range r.GPUs {
		for _, series := range []*Series{&g.Memory, &g.Busy} {
			if p, ok := series.Last(); ok {
				longest = max(longest, p.Run)
			}
		}
	}
	return longest
}

// recordedBy are the devices of a recording that can only be the run's: those that it
// names, or the only one.
func (r *Run) recordedBy(recording *Run) []*GPU {
	var named []parse.Device
	for _, d := range r.Devices {
		if d.Kind == "cuda" {
			named = append(named, d)
		}
	}
	var alike []*GPU
	for _, g := range recording.GPUs {
		if len(named) == 0 || g.mayBe(named[0]) {
			alike = append(alike, g)
		}
	}
	if len(alike) == max(1, len(named)) {
		return alike
	}
	return nil
}

// mayBe reports whether nothing that is known of a device speaks against it being the one
// that a banner names.
func (g *GPU) mayBe(d parse.Device) bool {
	if g.Name != "" && d.Name != "" {
		return g.looksLike(d) || g.Total == 0 && shortName(g.Name) == shortName(d.Name)
	}
	if g.Total == 0 || d.Total == 0 {
		return true
	}
	ratio := float64(d.Total) / float64(g.Total)
	return ratio > 1-cardTotal && ratio < 1+cardTotal
}

// takeRecording makes the devices of a recording the run's. at is the run time at which
// the recording begins; without one only what comes from now on is on the run's axis.
func (r *Run) takeRecording(recording *Run, at *time.Duration) {
	if r.Recording == nil {
		r.Inputs = append(r.Inputs, recording.Inputs[0])
	}
	r.CardBy, r.Recording, r.GPUs = CardByRecording, recording, r.recordedBy(recording)
	if g := r.FirstGPU(); r.Memory.Total == 0 && len(r.GPUs) == 1 {
		r.Memory.Total = g.Total // the log does not tell it
	}
	if at != nil {
		r.alignDriver(*at)
	}
	r.adoptFindings()
}

// alignDriver puts what the driver counted on the run's axis, by time.
func (r *Run) alignDriver(at time.Duration) {
	r.DriverSeries, r.ValSamples = Series{}, Series{}
	axis := r.MemorySeries.Points()
	if len(axis) == 0 {
		axis = r.RateSeries.Points()
	}
	if len(axis) == 0 {
		return
	}
	first := r.FirstGPU()
	for _, p := range first.Memory.Points() {
		run := at + p.Run
		i := sort.Search(len(axis), func(i int) bool { return axis[i].Run >= run })
		if i == len(axis) || run < 0 {
			continue // before the first row, or after the last
		}
		x := axis[i].X
		if i > 0 && axis[i].Run > axis[i-1].Run {
			share := float64(run-axis[i-1].Run) / float64(axis[i].Run-axis[i-1].Run)
			x = axis[i-1].X + share*(axis[i].X-axis[i-1].X)
		}
		r.DriverSeries.Add(x, run, p.Max)
	}
}

// adoptFindings makes findings on the recording's devices the run's, unless it has its own
// of that kind.
func (r *Run) adoptFindings() {
	for _, f := range r.Recording.Findings {
		mine := slices.ContainsFunc(r.GPUs, func(g *GPU) bool { return g.Index == f.GPU })
		if mine && r.finding(f.Kind) == nil {
			r.Findings = append(r.Findings, f)
			r.dirty = true
		}
	}
}

// recorded takes a further sample of a recording that is a run's.
func (s *Session) recorded(in *inputState, e parse.Event) {
	for _, r := range s.runs {
		if r.Recording != in.run || r.Recording == nil || r.CardBy != CardByRecording {
			continue
		}
		sample, ok := e.Record.(*parse.GPU)
		if ok && !e.Arrival.IsZero() && r.Status == Running && slices.Contains(r.GPUs, in.run.device(sample.Index, sample.UUID)) {
			r.ownSample(sample)
		}
		r.adoptFindings()
		r.settle()
	}
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
