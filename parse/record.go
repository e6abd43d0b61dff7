// Package parse says what can be known of a training run and turns text into it.
//
// Bytes go into a [Stream] in whatever chunks they arrive and come out as
// [Event] values: a [Record], which is what was said, and an [Origin], which is
// where and when. A stream finds out by itself which trainer wrote it; each
// trainer's grammar is a dialect in a file of its own, and all of them share the
// errors and warnings that any PyTorch program prints (torch.go).
//
// The package does no input or output, starts no goroutine and reads no clock.
package parse

import "time"

// Bytes is an amount of memory or data in bytes.
type Bytes int64

// Binary units. Trainers and drivers that print MiB and GiB mean these.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
)

// GiB is b in units of 2^30 bytes.
func (b Bytes) GiB() float64 { return float64(b) / float64(GiB) }

// Measure says what a memory number counts. Numbers of different measures must
// never share a series or be compared with each other.
type Measure uint8

// The measures that trainers and drivers print.
const (
	// NotMeasured is the measure of a row that prints 0G or no memory at all.
	NotMeasured Measure = iota
	// Reserved is torch.cuda.memory_reserved: what the caching allocator of
	// this process holds now, without the CUDA context.
	Reserved
	// AllocatedMax is torch.cuda.max_memory_allocated since the process began;
	// it never falls and does not contain the cache.
	AllocatedMax
	// IntervalMax is the maximum of allocated memory since the last row.
	IntervalMax
	// DriverTotal is what the driver counts on the device for every process.
	DriverTotal
	// DriverProcess is what the driver counts for this process alone.
	DriverProcess
	// ReservedMax is torch.cuda.max_memory_reserved: the most that the caching allocator
	// held since the process began.
	ReservedMax
	// Allocated is torch.cuda.memory_allocated: what tensors take now, without the cache.
	Allocated
	// Unspecified is what a program calls GPU memory without saying which.
	Unspecified
	// Measures is how many there are.
	Measures = iota
)

// String is the measure's name in the output of check --json.
func (m Measure) String() string {
	switch m {
	case Reserved:
		return "reserved"
	case ReservedMax:
		return "reserved-max"
	case AllocatedMax, IntervalMax:
		return "allocated-max"
	case Allocated:
		return "allocated"
	case DriverTotal, DriverProcess:
		return "driver"
	case Unspecified:
		return "unspecified"
	default:
		return "none"
	}
}

// An Event is one thing that an input said, with its origin.
type Event struct {
	Origin
	Record Record
}

// Origin is where and when an event was said.
type Origin struct {
	// Input is the index of the input, in the order in which inputs were given.
	Input int
	// Line is the line in the input, from 1. Only '\n' ends a line, so all the
	// frames of a progress bar lie on one line.
	Line int
	// Offset is the byte offset in the input at which the segment begins.
	Offset int64
	// Run is the run time: the printed time stamp where there is one, else the
	// elapsed time of the progress bars added up. It never falls within an input.
	// HasRun is false where nothing tells it yet: arrival does not count, so that
	// a log that is read later has the run times of the live run.
	Run    time.Duration
	HasRun bool
	// Arrival is when the bytes came in; zero when a finished file is read.
	Arrival time.Time
	// Provisional marks the newest frame of a bar, whose end was not seen yet.
	// It will come again; only a screen may use it.
	Provisional bool
}

// Record is what an input said: one of the types below.
type Record interface{ record() }

// Banner is the line with which a trainer introduces itself and its devices.
type Banner struct {
	Trainer string // dialect: "ultralytics", "yolov5"
	Version string // as printed, without a leading v: "8.3.40", "7.0-162-gc3e4e94", "2026-8-20"
	Torch   string // as printed: "2.5.1+cu124"
	Devices []Device
}

// Device is a device that a banner names.
type Device struct {
	Kind  string // "cuda", "cpu", "mps", "npu"
	Index int    // the trainer's own number (CUDA order), -1 where none is printed
	Name  string // "NVIDIA GeForce RTX 3090"; empty where none is printed
	Total Bytes  // the whole device's memory; 0 where it is not printed
}

// Config is what a trainer says it was told to do: its arguments line, args.yaml
// or opt.yaml. Zero and nil mean that it did not say.
type Config struct {
	Task    string // detect, segment, pose, obb, classify, semantic
	Mode    string // train, val, ...
	Model   string // model file or name as given
	Data    string
	Epochs  int
	Batch   float64 // images a step over all GPUs; -1 or a fraction asks for AutoBatch
	ImgSize []int   // pixels; one number, or height and width
	Workers int     // data loader processes for each GPU; -1 where not said
	AMP     *bool   // mixed precision as asked for (the check may switch it off)
	SaveDir string  // folder with weights and results.csv
	// Args holds every key as printed, which is what may be advised to this run.
	Args map[string]string
}

// MemoryReading is one memory number as a trainer printed it.
type MemoryReading struct {
	Bytes   Bytes
	Measure Measure
	// Step is the distance to the next number that the same format can print
	// (three significant digits: 0.1G from 10G to 100G). Smaller changes cannot
	// be seen.
	Step Bytes
	// Decimal is that the text says GB or MB, which programs use for powers of 1000 and of
	// 1024; the latter were taken, which may be up to 7% too much.
	Decimal bool
}

// Memory is what a program printed of torch's memory counters apart from a row: in a line of
// its own, or as the table of torch.cuda.memory_summary.
type Memory struct {
	Device   int // the trainer's own number; -1 where none is printed
	Readings []MemoryReading
	Total    Bytes // of the device; 0 where it is not printed
	// Retries is how often the allocator has emptied its cache and asked again, and OOMs how
	// often it has given up, since the process began; -1 where they are not printed.
	Retries, OOMs int
}

// Columns are the names in the header above the rows of an epoch, in order,
// between the memory column and the end of the row.
type Columns struct {
	Losses []string // names as printed: "box_loss"
	// Instances and Size say whether the header ends with these columns.
	Instances, Size bool
}

// Progress is one frame of the training bar: how far an epoch is, and its
// columns. The losses are means over the epoch so far, while memory, instances
// and size are those of the last batch.
type Progress struct {
	Epoch, Epochs int // from 1, whatever the trainer prints; Epochs 0 if unknown
	Iter, Iters   int // batches done and in total; -1 where the row was cut before it
	// Stepwise is that the trainer counts no epochs: Epoch is 1, and Iter counts the whole run.
	Stepwise  bool
	Memory    MemoryReading
	Columns   *Columns      // nil if no header was seen
	Values    []float64     // losses in the order of Columns; shorter if the row was cut
	Instances float64       // labels in the last batch on rank 0; -1 if not shown
	Size      float64       // pixels; -1 if not shown
	Rate      float64       // iterations a second, smoothed by the trainer; 0 if not shown
	Elapsed   time.Duration // since the bar began; -1 if not shown
	// StepTime is how long an iteration takes on average since the row before, and
	// DataTime the part of it that was spent waiting for data; 0 if not shown.
	StepTime, DataTime time.Duration
	store              [6]float64 // what Values lies in as a rule: one allocation a row
}

// Complete reports whether the row is the last one of its epoch, so that its
// means cover the whole epoch.
func (p *Progress) Complete() bool { return p.Iters > 0 && p.Iter >= p.Iters }

// Validation is the result row of a validation for all classes or for one.
type Validation struct {
	Class     string   // "all" or a class name
	Images    int      // -1 if not shown
	Instances int      // -1 if not shown
	Names     []string // "precision", "recall", "mAP50", "mAP50-95", "mAP50(M)", "top1_acc", "mIoU"
	Values    []float64
	// Final marks rows of the validation of best.pt after the last epoch.
	Final bool
}

// EpochRow is one row of results.csv: what an epoch ended with. It is written
// after the epoch's validation.
type EpochRow struct {
	Epoch   int           // from 1
	Time    time.Duration // since this process began to train; -1 without that column
	Losses  Named         // training losses without the "train/" prefix
	Metrics Named         // names as in Validation
	Val     Named         // validation losses, with the "val/" prefix
	Rates   Named         // learning rates, with their prefix
}

// Named is a list of names with a value each; a value that was empty or cannot
// be read is left out, one that is printed as nan or inf is NaN or infinite.
type Named struct {
	Names  []string
	Values []float64
}

// Get is the value of name; ok is false where there is none.
func (n Named) Get(name string) (value float64, ok bool) {
	for i, s := range n.Names {
		if s == name {
			return n.Values[i], true
		}
	}
	return 0, false
}

// StageKind is what a trainer does outside the rows of an epoch.
type StageKind uint8

// The stages that bars and lines announce.
const (
	Scanning        StageKind = iota // labels of the data set
	Caching                          // images into memory or onto disk
	CheckingAMP                      // self-test of mixed precision
	AutoBatch                        // search of a batch size
	Validating                       // validation bar
	FinalValidation                  // validation of best.pt after the last epoch
	Plotting                         // plots of labels or results
)

// Stage is a sign that the trainer is busy with something other than a training
// step, from a progress bar or an announcement.
type Stage struct {
	Kind        StageKind
	Part        string        // "train", "val" or empty
	Done, Total int           // -1 where not shown
	Elapsed     time.Duration // since the bar began; -1 if not shown
	Cached      Bytes         // of images held in main memory so far; 0 if not shown, or on disk
}

// NoticeKind is what a line of a trainer announces.
type NoticeKind uint8

// The events that trainers announce between rows.
const (
	Header            NoticeKind = iota // the names above an epoch's rows
	TrainingStarted                     // "Starting training for N epochs..."
	Resumed                             // goes on after a checkpoint; Epoch is the first one
	SaveDir                             // Path is the run folder
	MosaicClosed                        // mosaic augmentation is off from here on
	StoppedEarly                        // patience ran out
	Completed                           // "N epochs completed"
	BatchReduced                        // out of memory, goes on with Batch (was From)
	NaNRecovery                         // NaN seen, goes back to last.pt
	CheckpointSkipped                   // weights hold NaN, not saved
	AMPPassed                           // mixed precision works
	AMPFailed                           // mixed precision is off whatever was asked
	AMPSkipped                          // the check could not run, the setting stands
	BatchChosen                         // AutoBatch took Batch
	BatchNotChosen                      // AutoBatch failed and took the default
	SlowImages                          // slow access to the images was measured
	ImageDamaged                        // an image library complains of a file
	WorkersSet                          // Count data loader processes
	WorkersTooMany                      // torch suggests at most Count workers
	EpochBegan                          // a heading says that Epoch begins
	ModelSummary                        // the model has Count parameters
	OptimizerChosen                     // Name is the optimizer
	BarBegan                            // a bar whose rows will come stands at its beginning
)

// Notice is an announcement of the trainer.
type Notice struct {
	Kind        NoticeKind
	Text        string // the line, cleaned
	Epoch       int    // where the line names one, from 1; else 0
	Epochs      int
	Batch, From float64 // batch sizes where the line names them
	Count       int
	Path        string
	Name        string
	Columns     *Columns // of a Header
}

// FailureKind is why a run dies or may die.
type FailureKind uint8

// The failures that any PyTorch program may print.
const (
	// OutOfMemory is the allocator's own refusal, with numbers where printed.
	OutOfMemory FailureKind = iota
	// OutOfMemoryLikely is a library error that a full card often causes.
	OutOfMemoryLikely
	// WorkerKilled is a data loader process killed by the system.
	WorkerKilled
	// WorkerLost is the consequence line that follows another failure.
	WorkerLost
	// Killed is the shell's word for a process that got SIGKILL.
	Killed
	// SharedMemory is /dev/shm that is full or too small.
	SharedMemory
	// HostMemory is an allocation in main memory that failed.
	HostMemory
	// PagingFile is Windows' commit limit.
	PagingFile
	// NaNPersisted is a trainer that gave up because of NaN.
	NaNPersisted
	// Interrupted is Ctrl-C.
	Interrupted
	// Exception is the last line of any other Python traceback, or a crash.
	Exception
	// WorkerTimeout is a data loader that gave up waiting for its processes.
	WorkerTimeout
	// FileHandles is a process that may not open more files; the tensors that data loader
	// processes hand over count.
	FileHandles
	// Communication is GPUs that gave up waiting for each other, or cannot talk.
	Communication
	// Cancelled is the job scheduler that ended the run.
	Cancelled
)

// Failure is an error that a program printed. Whether it ended the run shows in
// what follows: trainers catch some and go on.
type Failure struct {
	Kind FailureKind
	Text string // the line, cleaned
	Rank int    // -1 where no rank is printed
	PID  int    // of the process that the text names; 0 if none
	OOM  *OOM   // numbers of an OutOfMemory or HostMemory; nil if it printed none
	// Validating is that a function in its traceback validates.
	Validating bool
}

// OOM holds the numbers of an out-of-memory text. Zero means not printed; sizes
// are as printed, rounded to two digits after the point.
type OOM struct {
	Device      int // -1 if not printed
	Tried       Bytes
	Total       Bytes
	Free        Bytes
	HasFree     bool  // "0 bytes is free" is a number too
	Process     Bytes // this process, with its context
	Allocated   Bytes // by tensors
	Unallocated Bytes // reserved by torch and not allocated
	Reserved    Bytes // Allocated + Unallocated, or as printed
	Others      []ProcessMemory
	CPU         bool   // an allocation of main memory; then only Tried is known
	Backend     string // "CUDA", "HIP", "MPS"; empty if CPU
}

// ProcessMemory is a process on a device and what it holds there.
type ProcessMemory struct {
	PID   int
	Bytes Bytes
}

// Text is a line that nothing else could be made of.
type Text struct{ Text string }

// Dated says at which time of day the run time of a stream is zero, once lines of it carry
// time stamps. It comes before what those lines say.
type Dated struct {
	Start time.Time // UTC where no zone was printed
	Zoned bool      // a zone was printed
}

func (*Dated) record() {}

func (*Banner) record()     {}
func (*Config) record()     {}
func (*Progress) record()   {}
func (*Validation) record() {}
func (*EpochRow) record()   {}
func (*Stage) record()      {}
func (*Notice) record()     {}
func (*Failure) record()    {}
func (*Text) record()       {}
func (*Memory) record()     {}
