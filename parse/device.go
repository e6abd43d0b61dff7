package parse

import "time"

// Presence says whether a number is there, and if not, why.
type Presence uint8

// The states of a number. A missing one is n/a and never 0.
const (
	NotAsked     Presence = iota // nobody asked for it, or the text does not have it
	Present                      // Value holds it
	NotSupported                 // the device does not count this
	NoPermission                 // the driver or the system does not tell this user
	Unavailable                  // it failed this time
)

// Number is a number of a device or a host that may be missing.
type Number struct {
	Value float64
	State Presence
}

// Have is a number that is there.
func Have(v float64) Number { return Number{Value: v, State: Present} }

// Get is the value; ok is false if it is missing.
func (n Number) Get() (v float64, ok bool) { return n.Value, n.State == Present }

// Bytes is the value as an amount of memory; ok is false if it is missing.
func (n Number) Bytes() (b Bytes, ok bool) { return Bytes(n.Value), n.State == Present }

// GPU is one sample of one device: from the driver, or from a line that nvidia-smi,
// dmon, gpustat or a person's own script printed. All numbers of a sample are of
// one moment.
type GPU struct {
	Index int    // in the driver's order (PCI bus), not CUDA's; -1 if not known
	UUID  string // "GPU-..." or "MIG-..."; empty if not known
	Name  string // empty if not known
	// Stamp is the printed wall time, zero if there was none. Without a printed
	// zone it counts as UTC: only differences mean anything.
	Stamp time.Time
	// Elapsed is a printed time since some beginning, in seconds.
	Elapsed Number
	Epoch   int // under way, from 1, where a person's own script notes it; else 0

	Used     Number // bytes in use by everybody, the driver's own reserve not included
	Reserved Number // bytes that the driver keeps for itself (memory v2)
	Total    Number // bytes

	Busy       Number // share of the time since the last sample with a kernel running, 0 to 1
	MemoryBusy Number // share of the time with the memory controller working, 0 to 1

	Power, PowerLimit Number // watts
	Temperature       Number // degrees Celsius
	Fan               Number // share of full speed, 0 to 1
	Clock, MaxClock   Number // of the multiprocessors, MHz
	// Throttled names why the clock is held down: "power", "heat", "hardware", ...
	// Empty if it is not or not known.
	Throttled []string

	PCIeRx, PCIeTx     Number // bytes a second into and out of the device
	PCIeGen, PCIeWidth Number // of the link as it is now
	ECC                Number // uncorrected errors since the driver was loaded
	Encoder, Decoder   Number // share of time, 0 to 1

	Processes      []GPUProcess // the processes with memory on the device
	ProcessesState Presence     // whether Processes is all there is to know
}

// GPUProcess is a process on a device.
type GPUProcess struct {
	PID  int
	Name string // may be empty
	User string // may be empty
	Used Number // bytes on the device
	Busy Number // share of the multiprocessors' time, 0 to 1
}

// GPUFault is an error that the driver reports of a device.
type GPUFault struct {
	Index int
	Xid   int    // NVIDIA's number for the error; 0 if it is another one
	Text  string // lower case, for people
}

// Host is one sample of the machine and of the training's processes on it.
type Host struct {
	Stamp   time.Time // printed wall time, zero if there was none
	Elapsed Number    // seconds, printed

	Cores    []float64 // busy share of each core, 0 to 1
	CPU      Number    // busy share of all cores, 0 to 1
	CPULimit Number    // cores that the control group may use
	IOWait   Number    // share of the time that cores waited for disks, 0 to 1
	// Pressure is the share of the last 10 s in which some task waited (PSI).
	CPUPressure, IOPressure, MemoryPressure Number

	RAMUsed, RAMTotal   Number // bytes; used is total less available
	SwapUsed, SwapTotal Number // bytes
	ShmUsed, ShmTotal   Number // bytes in /dev/shm
	// GroupUsed is what the control group holds without page cache that can be
	// dropped; GroupLimit is its limit. Missing outside containers and groups.
	GroupUsed, GroupLimit Number // bytes

	TrainerPID int    // 0 if no trainer is known
	TrainerCPU Number // cores that the trainer and its children keep busy
	TrainerPSS Number // bytes of main memory, shared pages counted by share
	Workers    int    // child processes of the trainer; -1 if not known
}

// Trainer is the process on this machine that writes an input.
type Trainer struct {
	PID int // 0 if it has ended
	// Start is when it began, by the system's own count: with PID it tells a process from a
	// later one of the same number. 0 if not known.
	Start     uint64
	Processes []int // it and its descendants, in rising order
	// Visible is CUDA_VISIBLE_DEVICES in the environment that it was started with, and
	// Order is CUDA_DEVICE_ORDER. IsVisible is false where the former is not set.
	Visible, Order string
	IsVisible      bool
	UsesGPU        bool // it has a device of NVIDIA's driver open
}

// Found says that a search has found a further input. Its index is that of the event's
// origin, the next one that is free.
type Found struct {
	Name  string // for people: a path, or the pane of a terminal
	Group string // run folder that it was found in; empty if it was found by itself
	// Written is when it was last written, where nobody writes it any more: the last run
	// of those that ended. It is zero for a training that runs.
	Written time.Time
}

// Trainings are the processes of this machine that look like a training, as far as this
// user may see them: their own first, and the newest of those first.
type Trainings struct {
	Running []Training
	Folder  string // whose runs were looked at as well
}

// Training is a process that looks like a training.
type Training struct {
	PID     int
	User    string // who runs it; empty if not known
	Own     bool   // it is this user's
	Command string // its command line, which may be long
	// Input is the index of the input that is its output, -1 if its output cannot be
	// read or was not found yet.
	Input  int
	Output Output
}

// Output is where a training's text goes, as far as that matters to who wants to read it.
type Output uint8

// Places of output. Only a file and the pane of a terminal can be read by others.
const (
	OutputUnknown  Output = iota
	OutputFile            // a file, or a run folder that holds its results
	OutputPane            // a terminal of tmux, whose text tmux gives
	OutputTerminal        // another terminal; nobody can read that
	OutputPipe            // a pipe, which only its one reader may read
	OutputNowhere         // it is thrown away
	OutputForeign         // another user's, who may keep it
)

func (*Found) record()     {}
func (*Trainings) record() {}
func (*Trainer) record()   {}
func (*GPU) record()       {}
func (*GPUFault) record()  {}
func (*Host) record()      {}
