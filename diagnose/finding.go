package diagnose

import "time"

// Kind is what a finding is about. The names are those of check --json.
type Kind string

// The kinds of findings, in the order in which equally grave ones explain a run.
const (
	NaN          Kind = "nan"
	OtherProcess Kind = "other-process"
	HostRAM      Kind = "host-ram"
	Leak         Kind = "leak"
	ValPeak      Kind = "val-peak"
	OOM          Kind = "oom"
	Tight        Kind = "tight"
	Starved      Kind = "starved"
	Slow         Kind = "slow"
	Stalled      Kind = "stalled"
	Creep        Kind = "creep"
	Step         Kind = "step"
	UnderUsed    Kind = "under-used"
	Headroom     Kind = "headroom"
	NotMeasured  Kind = "not-measured"
	Unreadable   Kind = "unreadable"
)

// Verdicts that are no finding.
const (
	Stable  Kind = "stable"  // enough was seen and nothing is wrong
	Unknown Kind = "unknown" // too little was seen to judge
)

// kindOrder ranks equally grave findings: the one that explains comes first.
var kindOrder = []Kind{
	NaN, OtherProcess, HostRAM, Leak, ValPeak, OOM, Tight, Starved, Slow, Stalled, Creep, Step,
	UnderUsed, Headroom, NotMeasured, Unreadable,
}

// Level is how grave a finding is.
type Level uint8

// The levels, in rising order.
const (
	Info     Level = iota // worth knowing
	Warning               // will cost time or the run if nothing is done
	Critical              // the run is dead, or about to die, or worthless
)

// String is the level's name in check --json.
func (l Level) String() string {
	return [...]string{"info", "warning", "critical"}[l]
}

// Moment is a place in a run.
type Moment struct {
	Input  int // index of the input
	Line   int // from 1; 0 if no line tells it
	Epoch  int // from 1; 0 before the first
	Iter   int // where there are no epochs; else -1
	Run    time.Duration
	HasRun bool
}

// Forecast says when memory will run out.
type Forecast struct {
	Epoch, Low, High float64 // epochs from 1, with an interval
	In               time.Duration
}

// Finding is something that a detector found out about a run. Its identity is run,
// kind and GPU: a run has at most one finding of a kind for each GPU, which gets
// graver or is withdrawn as more is seen.
type Finding struct {
	Kind        Kind
	GPU         int // index of the device, -1 if it is about none
	Level       Level
	Active      bool
	Provisional bool
	ByDriver    bool   // rests on samples of the device GPU
	First, Last Moment // when it was first and last true
	// Since is when it was seen to become true, or graver; zero if that was read from a file.
	Since time.Time

	Title   Message   // what, in one sentence
	Because Message   // why: the numbers it rests on
	Advice  []Message // what to do, the cheapest first
	Limits  []Message // what yolotop cannot know here
	OOM     *Forecast // nil if there is no forecast
}

// better reports whether f is graver than g, or explains more.
func (f *Finding) better(g *Finding) bool {
	if f.Level != g.Level {
		return f.Level > g.Level
	}
	return rank(f.Kind) < rank(g.Kind)
}

func rank(k Kind) int {
	for i, o := range kindOrder {
		if o == k {
			return i
		}
	}
	return len(kindOrder)
}
