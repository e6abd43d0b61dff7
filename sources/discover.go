package sources

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"yolotop/parse"
)

const (
	// discoverEvery is how soon it is looked again after a training has begun or ended.
	discoverEvery = 2 * time.Second
	// discoverEveryMax is the same where nothing has changed for a while: looking costs
	// the more, the more processes there are.
	discoverEveryMax = 10 * time.Second
	// discoverInputs bounds how many trainings are followed at a time.
	discoverInputs = 16
)

// DiscoverOptions say where to look.
type DiscoverOptions struct {
	// Folder is where the person is: if nothing runs, the newest run in it or below it
	// is the last one that ended.
	Folder  string
	Grammar parse.Grammar // what the output of trainings may be in
	Poll    bool          // look at files by the clock only

	running func() []trainingRun // for tests; nil asks the system
	last    func(folder string) []Target
}

// Discover is a source that finds what trains on this machine and follows it, as one
// input each, beginning with index 0. It says with [parse.Found] what an input is, with
// [parse.Trainings] what runs, watched or not, and with [parse.Trainer] which processes
// write an input.
//
// It looks for processes of this user that train (on Linux, in /proc), and takes what
// they print: from the file that it goes to, behind a pipe too, if somebody there keeps
// it; from the pane of tmux that they run in; or else from the newest run folder below
// their working folder. It opens nothing for writing and never reads a pipe. If nothing
// runs at first, the last run that ended is an input.
type Discover struct {
	options DiscoverOptions
	first   atomic.Int64 // process number of the newest training that is followed
}

// trainingRun is a process that trains, and where its output can be had.
type trainingRun struct {
	process Process
	own     bool // this user's
	output  parse.Output
	targets []Target // of OutputFile
	pane    tmuxPane // of OutputPane
}

// key is what tells where the output of a training goes.
func (t trainingRun) key() string {
	if t.output == parse.OutputPane {
		return t.pane.socket + " " + t.pane.id
	}
	if len(t.targets) > 0 {
		return t.targets[0].Path
	}
	return ""
}

// name is what a person calls it.
func (t trainingRun) name(target int) string {
	if t.output == parse.OutputPane {
		return t.pane.String()
	}
	return t.targets[target].Path
}

// NewDiscover makes a source that looks until it is stopped.
func NewDiscover(o DiscoverOptions) *Discover {
	if o.running == nil {
		o.running = trainingFinder()
	}
	if o.last == nil {
		o.last = lastRun
	}
	return &Discover{options: o}
}

// Name implements [Source].
func (d *Discover) Name() string { return "discovery" }

// Input is -1: the source is none of the inputs.
func (d *Discover) Input() int { return -1 }

// PID is the process number of the training that was found last and has not ended, 0 if
// there is none. It may be called at any time.
func (d *Discover) PID() int { return int(d.first.Load()) }

// Run implements [Source]. It ends because of its context, or if nobody receives any
// more; all that it follows has ended then, too.
func (d *Discover) Run(ctx context.Context, p Publisher) error {
	ctx, stop := context.WithCancel(ctx)
	s := discovery{options: d.options, to: p, known: map[string]*followed{}}
	defer s.children.Wait()
	defer stop()
	var before []int
	for delay, first := discoverEvery, true; ; first = false {
		running := d.options.running()
		list, err := s.pass(ctx, running)
		if err == nil && first && s.inputs == 0 {
			err = s.fallBack(ctx)
		}
		if err == nil {
			err = s.tell(ctx, list)
		}
		if err != nil {
			return err
		}
		d.first.Store(int64(s.newest()))
		if !slices.Equal(pids(running), before) { // more may follow soon
			delay, before = discoverEvery, pids(running)
		}
		if err := pause(ctx, delay); err != nil {
			return err
		}
		delay = min(2*delay, discoverEveryMax)
	}
}

// pids are the process numbers of trainings.
func pids(running []trainingRun) []int {
	var out []int
	for _, t := range running {
		out = append(out, t.process.PID)
	}
	return out
}

// discovery is the state of a search.
type discovery struct {
	options  DiscoverOptions
	to       Publisher
	inputs   int                  // how many there are
	live     int                  // of them are written
	known    map[string]*followed // by what they are the output of
	said     *parse.Trainings
	children sync.WaitGroup
}

// followed is the output of a training that is followed.
type followed struct {
	input   int
	trainer parse.Trainer // PID 0: it has ended
	started time.Time
	ended   chan struct{} // closed when it has
}

// pass follows what is new, says what has ended and returns what runs.
func (s *discovery) pass(ctx context.Context, running []trainingRun) (parse.Trainings, error) {
	list := parse.Trainings{Folder: s.options.Folder}
	alive := map[int]string{}
	for _, t := range running {
		alive[t.process.PID] = t.key()
	}
	s.live = 0
	for key, f := range s.known {
		if f.trainer.PID != 0 {
			s.live++
		}
		if f.trainer.PID != 0 && alive[f.trainer.PID] != key { // it has ended, or trains again
			f.trainer = parse.Trainer{}
			s.live--
			if err := s.publish(ctx, f.input, &parse.Trainer{}); err != nil {
				return list, err
			}
			close(f.ended) // told first, so that the end of the text is known for what it is
		}
	}
	// The newest comes last, so that it is the one that a screen shows.
	for i := len(running) - 1; i >= 0; i-- {
		t := running[i]
		entry := parse.Training{
			PID: t.process.PID, User: printable(t.process.User), Own: t.own, Command: commandLine(t.process), Input: -1, Output: t.output,
		}
		if t.key() != "" {
			f, err := s.take(ctx, t)
			if err != nil {
				return list, err
			}
			if f != nil {
				entry.Input = f.input
			}
		}
		list.Running = append(list.Running, entry)
	}
	slices.Reverse(list.Running)
	return list, nil
}

// tell says what runs, where that has changed.
func (s *discovery) tell(ctx context.Context, list parse.Trainings) error {
	if s.said != nil && reflect.DeepEqual(list, *s.said) {
		return nil
	}
	s.said = &list
	return s.publish(ctx, -1, &list)
}

// take follows the output of a training, unless it is followed already, and says which
// processes write it.
func (s *discovery) take(ctx context.Context, t trainingRun) (*followed, error) {
	f := s.known[t.key()]
	if f == nil || f.trainer.PID == 0 && t.output == parse.OutputPane {
		if s.live >= discoverInputs {
			return nil, nil
		}
		s.live++
		f = &followed{input: s.inputs, ended: make(chan struct{})}
		s.known[t.key()] = f
		if err := s.follow(ctx, t, f.ended, true); err != nil {
			return nil, err
		}
	}
	if f.trainer.PID != 0 && f.trainer.PID != t.process.PID {
		return f, nil // two write the same file; the first one speaks for it
	}
	if f.trainer.PID == 0 && !f.started.IsZero() {
		f.ended = make(chan struct{}) // another one goes on writing it
	}
	f.started = t.process.Started
	now, ok := lookAtTrainer(trainerOf(t.process))
	if !ok {
		now = parse.Trainer{PID: t.process.PID, Processes: []int{t.process.PID}}
	}
	if reflect.DeepEqual(now, f.trainer) {
		return f, nil
	}
	f.trainer = now
	return f, s.publish(ctx, f.input, &now)
}

// trainerOf is what a process says about its devices by its environment.
func trainerOf(p Process) parse.Trainer {
	t := parse.Trainer{PID: p.PID, Order: p.Environ["CUDA_DEVICE_ORDER"]}
	t.Visible, t.IsVisible = p.Environ["CUDA_VISIBLE_DEVICES"]
	return t
}

// follow begins to read the inputs of a training, which may be a log and a results.csv.
func (s *discovery) follow(ctx context.Context, t trainingRun, ended <-chan struct{}, live bool) error {
	var children []Source
	if t.output == parse.OutputPane {
		children = append(children, newTmuxSource(t.pane, s.inputs, s.options.Grammar, ended))
	}
	for i, target := range t.targets {
		children = append(children, NewFile(FileOptions{
			Path: target.Path, Input: s.inputs + i, Args: target.Args, Grammar: s.options.Grammar,
			Wait: target.Expected, Poll: s.options.Poll, Follow: live,
		}))
	}
	for i, child := range children {
		found := &parse.Found{Name: t.name(i)}
		if i < len(t.targets) {
			found.Group = t.targets[i].Group
			if !live {
				found.Written = written(t.targets[i])
			}
		}
		if err := s.publish(ctx, s.inputs, found); err != nil {
			return err
		}
		s.inputs++
		s.children.Go(func() { _ = runOne(ctx, s.to, child) }) // it has said what went wrong
	}
	return nil
}

// fallBack reads the last run that ended, where no training that runs can be followed.
func (s *discovery) fallBack(ctx context.Context) error {
	targets := s.options.last(s.options.Folder)
	if len(targets) == 0 {
		return nil
	}
	return s.follow(ctx, trainingRun{output: parse.OutputFile, targets: targets}, nil, false)
}

// newest is the process number of the newest training that is followed.
func (s *discovery) newest() int {
	var newest *followed
	for _, f := range s.known {
		if f.trainer.PID != 0 && (newest == nil || f.started.After(newest.started) || f.started.Equal(newest.started) && f.input > newest.input) {
			newest = f
		}
	}
	if newest == nil {
		return 0
	}
	return newest.trainer.PID
}

func (s *discovery) publish(ctx context.Context, input int, r parse.Record) error {
	origin := parse.Origin{Input: input, Arrival: time.Now()}
	return s.to.Publish(ctx, []parse.Event{{Origin: origin, Record: r}})
}
