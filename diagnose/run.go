package diagnose

import (
	"slices"
	"time"

	"yolotop/parse"
)

// Status is how a run is, as far as its inputs tell.
type Status string

// The states of a run. The names are those of check --json.
const (
	Running       Status = "running"
	Finished      Status = "finished"
	StoppedEarly  Status = "stopped_early" // patience ran out
	Failed        Status = "failed"
	Killed        Status = "killed"  // by a signal or by Ctrl-C
	StatusUnknown Status = "unknown" // the input ended without a word
)

// Phase is what the trainer is doing now.
type Phase uint8

// The phases of a run, in their order.
const (
	Starting      Phase = iota // before the first row; Stage tells more
	Training                   // rows of an epoch
	Validating                 // validation after an epoch
	BetweenEpochs              // after the validation's result
	Finishing                  // after the last epoch: validation of best.pt
	Ended
)

// Memory is what is known of GPU memory from the log of a run.
type Memory struct {
	Measure parse.Measure
	Last    parse.Bytes // 0 before the first row that measures
	Peak    parse.Bytes
	Total   parse.Bytes // of the card; 0 if not known
	Step    parse.Bytes // what the last printed number can resolve
	// Decimal is that it was printed in GB or MB, which may be powers of 1000 or of 1024.
	Decimal bool
}

// EpochStat sums up one epoch.
type EpochStat struct {
	Epoch    int
	Peak     parse.Bytes // greatest memory of its rows; 0 if not measured
	Low      parse.Bytes
	First    parse.Bytes // memory of its first row
	Losses   []float64   // of its last row; nil if no row showed them
	Metrics  parse.Named // of its validation
	Rows     int
	Complete bool          // its last row was seen
	Start    time.Duration // run time of the first row
	Moment   Moment        // of its last row
}

// MarkKind is an event on the time axis.
type MarkKind uint8

// The marks that a chart carries.
const (
	MarkMosaicClosed MarkKind = iota
	MarkResumed
	MarkBatchReduced
	MarkNaN
	MarkOOM
	MarkFailure
	MarkNeighbour // another process came onto the card
	MarkOnset
)

// Mark is an event on the time axis.
type Mark struct {
	Kind MarkKind
	X    float64 // on the axis of the series, as Run.X
	Text Message
}

// LogLine is a line for the log pane.
type LogLine struct {
	Input int
	Line  int
	Text  string
	Grave bool // a failure or a warning
}

// Run is what is known of one training run. Readers outside this package get
// copies and must not change them.
type Run struct {
	ID     int
	Inputs []int // indexes of the inputs it was read from, the first one leads
	live   bool  // it began while somebody looked
	// Continues is the ID of the run before it in the same input whose training it has resumed; 0 if
	// there is none.
	Continues int

	Trainer, Version, Torch string
	Task, Model, Data       string
	SaveDir                 string
	Batch                   float64 // in force: AutoBatch and retries change it; 0 if not known
	AskedBatch              float64 // as in the arguments
	ImgSize                 []int
	Workers                 int    // for each GPU, as in the arguments; -1 if not known
	LoaderWorkers           int    // processes that the trainer started; -1 if not known
	Parameters              int    // of the model; 0 if not known
	Optimizer               string // as the trainer calls it; empty if not known
	AMP                     *bool  // in force; nil if not known
	AMPFailed, AMPPassed    bool   // the trainer's own check of it; neither is true before
	Args                    map[string]string
	Devices                 []parse.Device

	// Known is false while nothing but text was read that nobody understood.
	Known bool

	Status Status
	// Forsaken is that its process has ended on this machine and said nothing of why.
	Forsaken   bool
	Phase      Phase
	Stage      *parse.Stage   // last stage outside epochs; nil if none was seen
	Death      *parse.Failure // what ended the run, nil if nothing did
	DeathAt    Moment
	DeathPhase Phase
	// EndedAt is when it was seen to end, however it did; zero if that was read from a file.
	EndedAt time.Time

	Epoch, Epochs int // 0 if not known
	FirstEpoch    int
	EpochsSeen    int
	Iter, Iters   int // -1 if not known
	// Stepwise is that the trainer counts no epochs: what is epoch 1 here is the whole run,
	// and Iter says where it is.
	Stepwise      bool
	FirstIter     int // the first iteration of a run that counts no epochs; 0 if it counts them
	Columns       []string
	Losses        []float64 // of the newest row; shorter than Columns if the row was cut
	Instances     float64   // -1 if not shown
	Size          float64   // -1 if not shown
	Metrics       parse.Named
	MetricsEpoch  int
	BestEpoch     int
	BestFitness   float64
	Memory        Memory
	Rate          float64 // iterations a second; 0 if not known
	Elapsed       time.Duration
	HasElapsed    bool
	EpochTime     time.Duration // of a whole epoch with its validation; 0 if not known
	LastRow       time.Time     // arrival of the newest row; zero if it was read from a file
	DamagedImages int
	Texts         int // lines so far that nobody understood
	// Hooked is that yolotop's hook in the training tells what torch counts and how long it waits.
	Hooked bool
	// CountedOOMs is how often torch says that it ran out of memory since the process began.
	CountedOOMs int
	predecessor *Run // the run before it in the same input, nil if none

	GPUs []*GPU      // devices that were sampled, in the order in which they came
	Host *parse.Host // newest sample of the machine; nil if there was none
	// CardBy is why devices of this machine are the run's; see [Run.Joined].
	CardBy CardEvidence
	// Recording is the run that holds the samples of a recording beside the log, for
	// CardByRecording; else nil. Its findings on the run's devices are the run's.
	Recording *Run
	// Apart is that samples were given beside a log and could not be tied to it.
	Apart bool
	// Others are the other runs that can be compared with it, those of the same size first.
	Others []OtherRun
	// DriverSeries is what everybody uses on the first of the run's devices on this
	// machine, in bytes, as the driver counts. Its X is that of MemorySeries.
	DriverSeries Series
	// ValSamples are those of DriverSeries during validation, which no row of the log counts. Of
	// recordings it is not known which they are.
	ValSamples Series

	Epochal      []EpochStat // the last epochs, oldest first
	MemorySeries Series
	LossSeries   map[string]*Series // one value an epoch, or a row where there are none
	MetricSeries map[string]*Series // one value a validation
	ValSeries    map[string]*Series // losses of the validation, one value an epoch, by the name of the training's
	LRSeries     map[string]*Series // learning rates, one value an epoch, by parameter group
	RateSeries   Series
	Marks        []Mark
	Findings     []*Finding
	Log          []LogLine

	stepped, waited              time.Duration         // of all steps whose time was printed, and waiting for data in them
	caches                       map[string]cacheState // of images in main memory, by part of the data set
	processes                    []int                 // of its trainer on this machine, in rising order; nil if not known
	cards                        []card                // devices of this machine that are the run's
	began                        time.Duration         // run time of its stream at which it began
	batchChosen                  bool                  // AutoBatch has ended
	ahead                        bool                  // the newest row is provisional
	counted                      int                   // the greatest epoch that is among EpochsSeen
	begun                        int                   // epoch whose header was seen after the newest row
	untimed                      time.Duration         // seconds given to samples that have no time
	firstSample                  time.Time             // arrival of the first sample
	lastSample                   time.Time             // arrival of the newest sample
	firstStamp                   time.Time             // printed time of the first sample
	stepsSince                   int                   // iterations since the row before; 0 if not known
	lastIter                     int
	logBytes                     int
	detectors                    []detector
	dirty                        bool // a finding changed since the last pass
	validation                   int  // validations so far, final ones excluded
	printedColumns               *parse.Columns
	measuredRows, unmeasuredRows int
	flat                         int                 // measured rows since the last new high
	readings                     [parse.Measures]int // so far, by measure
	firstLevel                   parse.Bytes         // most memory of its first epoch; 0 before its end
	batchPeak                    parse.Bytes         // most memory with the batch in force
	batchPeakEpoch               int                 // and its epoch
	closed                       int                 // how often an epoch was closed
	firstLosses                  []float64           // of its first epoch; nil before its end
	other                        *OtherRun           // its sum, once it has ended; nil if that is to be made anew
	isOther                      bool                // it says enough
	counting                     bool                // counters that name a device were seen
	countsOf                     int                 // and which one first
	gap                          livePulse
}

// cacheState is how much main memory images take now, and how much they will take.
type cacheState struct{ held, need parse.Bytes }

// CacheNeeds is how much main memory the images of the run will take that are cached
// there, and how much of it they have; 0 if none are, or nothing is known yet.
func (r *Run) CacheNeeds() (held, need parse.Bytes) {
	for _, c := range r.caches {
		held += c.held
		need += c.need
	}
	return held, need
}

// DataShare is the share of the time of its steps that the run has waited for data; ok is
// false where the trainer does not print that.
func (r *Run) DataShare() (share float64, ok bool) {
	if r.stepped <= 0 {
		return 0, false
	}
	return float64(r.waited) / float64(r.stepped), true
}

// Local reports whether a process of this machine is known to write the run.
func (r *Run) Local() bool { return len(r.processes) > 0 }

// OwnProcess reports whether a process of this machine is the trainer or one that it has
// started.
func (r *Run) OwnProcess(pid int) bool {
	_, ok := slices.BinarySearch(r.processes, pid)
	return ok
}

// epochsKept is how many epochs are kept as rows of a table.
const epochsKept = 256

// logLimit is how many bytes of log lines are kept.
const logLimit = 256 << 10

func newRun(id, input int) *Run {
	return &Run{
		ID: id, Inputs: []int{input}, Status: Running, Workers: -1, LoaderWorkers: -1,
		Iter: -1, Iters: -1, Instances: -1, Size: -1,
		LossSeries: map[string]*Series{}, MetricSeries: map[string]*Series{},
		ValSeries: map[string]*Series{}, LRSeries: map[string]*Series{},
		detectors: newDetectors(),
	}
}

// HasRows reports whether any row of an epoch was seen.
func (r *Run) HasRows() bool { return r.EpochsSeen > 0 }

// Current is the newest epoch, nil before the first row. It must not be kept.
func (r *Run) Current() *EpochStat {
	if len(r.Epochal) == 0 {
		return nil
	}
	return &r.Epochal[len(r.Epochal)-1]
}

// Remaining is how long the rest of the run will take at the present pace; ok is
// false where nothing tells.
func (r *Run) Remaining() (d time.Duration, ok bool) {
	if r.Stepwise && r.Status == Running && r.Iters > 0 && r.Rate > 0 && r.Iter <= r.Iters {
		if left := float64(r.Iters-r.Iter) / r.Rate; left < 1e9 {
			return time.Duration(left * float64(time.Second)), true
		}
	}
	if r.Epochs == 0 || r.Epoch == 0 || r.Status != Running {
		return 0, false
	}
	perEpoch := r.EpochTime
	if perEpoch == 0 {
		if r.Rate <= 0 || r.Iters <= 0 {
			return 0, false
		}
		perEpoch = time.Duration(float64(r.Iters) / r.Rate * float64(time.Second))
	}
	left := float64(r.Epochs) - r.Position()
	if left < 0 || left*perEpoch.Seconds() > 1e9 {
		return 0, false
	}
	return time.Duration(left * float64(perEpoch)), true
}

// Free is what the card has left beyond the held memory at its peak, or beyond what all
// processes on it have used at most, where the driver is known to count that card. ok is
// false where neither is known: what was allocated leaves the allocator's cache out.
func (r *Run) Free() (b parse.Bytes, ok bool) {
	if r.Memory.Total > 0 && r.Memory.Peak > 0 && r.Memory.Held() {
		b, ok = max(0, r.Memory.Total-r.Memory.Peak), true
	}
	if g := r.FirstGPU(); r.Joined() && r.Memory.Peak > 0 && g != nil && g.Measured && g.Total > 0 {
		free := max(0, g.Total-g.Peak)
		if !ok || free < b {
			b, ok = free, true
		}
	}
	return b, ok
}

// HeldAtEnd is what the run held, as its rows count it, when an allocation failed that ended it; 0
// where none did, or did not say so.
func (r *Run) HeldAtEnd() parse.Bytes {
	if d := r.Death; d != nil && d.Kind == parse.OutOfMemory && d.OOM != nil && r.Memory.Held() {
		return d.OOM.Reserved
	}
	return 0
}

// Held reports whether the numbers are what is taken from the card, its cache included, so
// that they may be compared with its size.
func (m Memory) Held() bool {
	switch m.Measure {
	case parse.Reserved, parse.ReservedMax, parse.DriverTotal, parse.DriverProcess:
		return true
	}
	return false
}

// Word says what the numbers count, since different ones are never mixed.
func (m Memory) Word() Message {
	switch m.Measure {
	case parse.AllocatedMax:
		return Say("memory.allocated")
	case parse.IntervalMax:
		return Say("memory.interval")
	case parse.Allocated:
		return Say("memory.allocated.now")
	case parse.ReservedMax:
		return Say("memory.held.max")
	case parse.Unspecified:
		return Say("memory.unspecified")
	case parse.DriverTotal, parse.DriverProcess:
		return Say("memory.driver")
	}
	return Say("memory.held")
}

// Device is the device that the log's memory numbers are about: the first one of
// the banner. ok is false if no banner named one.
func (r *Run) Device() (d parse.Device, ok bool) {
	if len(r.Devices) == 0 {
		return d, false
	}
	return r.Devices[0], true
}

// Has reports whether the trainer knows a setting of this name.
func (r *Run) Has(key string) bool {
	_, ok := r.Args[key]
	return ok
}
