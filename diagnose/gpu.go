package diagnose

import (
	"strings"
	"time"

	"yolotop/parse"
)

// GPU is what is known of one device from samples: of the driver, or of what
// nvidia-smi and the like printed. Its numbers are everybody's on the device and
// never share a series with those of the log.
type GPU struct {
	Index int // in the driver's order; -1 if not known
	// Instance is which of the instances of a divided device (MIG) this is, from 0 in
	// the order in which they came; -1 for a whole device.
	Instance int
	UUID     string
	Name     string
	Total    parse.Bytes // 0 if not known
	Used     parse.Bytes // of the newest sample
	Peak     parse.Bytes
	Measured bool // Used is known
	Sample   parse.GPU
	Samples  int
	// Fault is the newest error that the driver has reported, nil if it has not. Without
	// an Xid the device is lost, and no sample follows.
	Fault  *parse.GPUFault
	Memory Series // bytes over seconds
	Busy   Series // 0 to 1 over seconds
	duty   dutyCycle
	at     time.Duration // of the newest sample, on the axis of its source
}

// Lost reports whether the driver does not reach the device any more. Its newest sample
// is of the past then.
func (g *GPU) Lost() bool { return g.Fault != nil && g.Fault.Xid == 0 }

// device is the run's state of a device, made when it is first seen.
func (r *Run) device(index int, uuid string) *GPU {
	for _, g := range r.GPUs {
		if uuid != "" && g.UUID != "" {
			if uuid == g.UUID {
				return g
			}
			continue
		}
		if g.Index == index && g.Instance < 0 {
			return g
		}
	}
	g := &GPU{Index: index, Instance: -1, UUID: uuid}
	if strings.HasPrefix(uuid, "MIG-") {
		g.Instance = 0
		for _, other := range r.GPUs {
			if other.Index == index && other.Instance >= 0 {
				g.Instance++
			}
		}
	}
	r.GPUs = append(r.GPUs, g)
	return g
}

// gpuFault takes what the driver reports of a device. What it cannot say of which is
// nobody's.
func (r *Run) gpuFault(f *parse.GPUFault) {
	if f.Index < 0 {
		return
	}
	r.device(f.Index, "").Fault = f
	for _, g := range r.GPUs {
		if g.Index == f.Index && f.Xid == 0 { // a device takes its instances with it
			g.Fault = f
		}
	}
}

// gpuSample takes a sample of a device.
func (r *Run) gpuSample(e *parse.Event, s *parse.GPU) {
	g := r.device(s.Index, s.UUID)
	g.Samples++
	g.Sample = *s
	if s.Name != "" {
		g.Name = s.Name
	}
	r.lastSample = e.Arrival
	at := r.sampleTime(e, s.Stamp, s.Elapsed)
	g.at = at
	if b, ok := s.Total.Bytes(); ok && b > 0 {
		g.Total = b
	}
	if b, ok := s.Used.Bytes(); ok {
		g.Used, g.Measured = b, true
		g.Peak = max(g.Peak, b)
		g.Memory.Add(at.Seconds(), at, float64(b))
	}
	if v, ok := s.Busy.Get(); ok {
		g.Busy.Add(at.Seconds(), at, v)
	}
	if s.Epoch > 0 {
		r.noteEpoch(e, s.Epoch)
	}
}

// noteEpoch takes the number of an epoch that a person's own recording carries.
func (r *Run) noteEpoch(e *parse.Event, epoch int) {
	if r.measuredRows+r.unmeasuredRows > 0 || epoch == r.Epoch {
		return
	}
	if r.FirstEpoch == 0 {
		r.FirstEpoch = epoch
	}
	if epoch > r.Epoch {
		r.EpochsSeen++
	}
	r.Epoch = epoch
	r.LastRow = e.Arrival
}

// sampleTime is the moment of a sample on the axis of its source: the printed time,
// else the run time of a stamp, else the arrival.
func (r *Run) sampleTime(e *parse.Event, stamp time.Time, printed parse.Number) time.Duration {
	if s, ok := printed.Get(); ok {
		return time.Duration(s * float64(time.Second))
	}
	if !stamp.IsZero() {
		if r.firstStamp.IsZero() {
			r.firstStamp = stamp
		}
		return stamp.Sub(r.firstStamp)
	}
	if e.HasRun {
		return e.Run
	}
	if e.Arrival.IsZero() {
		r.untimed += time.Second // nothing tells: as many seconds as samples
		return r.untimed
	}
	if r.firstSample.IsZero() {
		r.firstSample = e.Arrival
	}
	return e.Arrival.Sub(r.firstSample)
}

// flatSamples is how many samples of a device must be seen to call its memory flat.
const flatSamples = 60

// flat reports whether the device's memory did not grow in the second half of what
// was seen of it.
func (g *GPU) flat() bool {
	points := g.Memory.Points()
	if g.Memory.Len() < flatSamples || len(points) < 2 {
		return false
	}
	var before, after float64
	for i, p := range points {
		if i < len(points)/2 {
			before = max(before, p.Max)
		} else {
			after = max(after, p.Max)
		}
	}
	return after <= before*1.01
}

// FirstGPU is the device that speaks for a run whose log has no memory: the one
// with the lowest index. It is nil if no sample was seen.
func (r *Run) FirstGPU() *GPU {
	var first *GPU
	for _, g := range r.GPUs {
		if first == nil || g.Index < first.Index {
			first = g
		}
	}
	return first
}
