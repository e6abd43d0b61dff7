package sources

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"yolotop/parse"
)

const (
	// trainingPatience is how long the files of a process are waited for in one pass. A
	// file system that hangs costs a goroutine, and the process has no output until it
	// answers.
	trainingPatience = time.Second
	// trainingAgain is how soon it is looked again where the output of a process was not
	// found, and whether it uses a device.
	trainingAgain = 8 * time.Second
)

// processID is a process, and not another one that has its number later.
type processID struct {
	pid   int
	start uint64 // in ticks
}

// trainingSearch finds the processes of this machine that train, and where their output
// goes. It remembers what it found out from pass to pass: a process that is known stays
// so until it ends, whatever cannot be read of it meanwhile.
type trainingSearch struct {
	procfs    *procfs
	self, uid int
	panes     paneLister
	sniff     func(tmuxPane) bool // reports whether the text of a pane is a training's
	known     map[processID]*candidate
	byPID     map[int]*candidate // of the last pass
}

// candidate is a process that may train.
type candidate struct {
	process Process
	name    string // as the kernel had it: another one may be another program
	trainer bool   // it is what trainers are
	says    bool   // that it trains, in its command line
	gpu     bool   // it uses a device
	asked   time.Time
	parent  int
	output  trainingRun
	found   bool // the output is settled
	next    time.Time
	looks   int
	answer  chan found // of a look that goes on; nil if none does
	late    bool       // it has not answered in time
}

// found is what a look for the output of a process has come to.
type found struct {
	run     trainingRun
	settled bool
}

func newTrainingSearch() *trainingSearch {
	return &trainingSearch{
		procfs: ourProcfs, self: os.Getpid(), uid: os.Geteuid(), panes: listTmuxPanes, sniff: sniffTmuxPane,
		known: map[processID]*candidate{},
	}
}

// changes reports whether the output of a candidate may become another one while it runs:
// a program that trains again writes another run folder.
func (c *candidate) changes() bool {
	return c.output.output == parse.OutputFile && c.output.targets[0].Group != ""
}

// patience is how often the wait between two looks is doubled: a service in Python is not
// worth reading its log every few seconds, while a training may begin to write any time.
func (c *candidate) patience() int {
	if c.likely() {
		return 0
	}
	return 5
}

// trainingFinder finds trainings, pass by pass.
func trainingFinder() func() []trainingRun { return newTrainingSearch().find }

// find makes a pass: the trainings of this machine, this user's first and the newest of
// those first. The descendants of a training are part of it.
func (s *trainingSearch) find() []trainingRun {
	roots := s.roots()
	for _, c := range roots {
		s.look(c, roots)
	}
	patience := time.NewTimer(trainingPatience)
	defer patience.Stop()
	for _, c := range roots {
		c.learn(patience)
	}
	var out []trainingRun
	for _, c := range roots {
		if c.says || c.found {
			out = append(out, c.output)
		}
	}
	byAge(out)
	return out
}

// roots are the candidates that may train by what they are, but not the descendants of
// those: those that say so or use a device, and others of this user that could only be told
// by what they print.
func (s *trainingSearch) roots() []*candidate {
	byPID := s.processes()
	var out []*candidate
	for _, c := range byPID {
		if !c.trainer || s.under(c, byPID, func(a *candidate) bool { return a.trainer && a.says }) {
			continue
		}
		if now := time.Now(); !c.says && !c.gpu && now.Sub(c.asked) >= trainingAgain {
			c.asked = now
			if c.gpu = s.procfs.usesGPU(c.process.PID); c.gpu {
				c.next = time.Time{} // it may train after all
			}
		}
		if c.says || c.gpu || c.process.UID == s.uid {
			out = append(out, c)
		}
	}
	return slices.DeleteFunc(out, func(c *candidate) bool {
		return s.under(c, byPID, func(a *candidate) bool { return a.trainer && (a.says || a.gpu || !c.likely()) })
	})
}

// likely reports whether a process is more than a program in Python.
func (c *candidate) likely() bool { return c.says || c.gpu }

// processes reads the processes that are worth it, each once for every name that it has,
// and forgets those that have ended. What cannot be read now stays as it was known.
func (s *trainingSearch) processes() map[int]*candidate {
	l := s.procfs.newLookup()
	pids, err := l.files.numbered("/proc")
	if err != nil {
		return s.byPID
	}
	byPID := make(map[int]*candidate, len(pids))
	known := make(map[processID]*candidate, len(pids))
	for _, pid := range pids {
		b, err := l.files.read(procPath(pid, "/stat"), smallLimit)
		if err != nil && !gone(err) {
			for id, c := range s.known {
				if id.pid == pid {
					known[id], byPID[pid] = c, c
				}
			}
			continue
		}
		stat, ok := parseStat(b)
		if err != nil || pid == s.self || !ok || stat.dead() {
			continue
		}
		id, name := processID{pid, stat.start}, statName(b)
		c := s.known[id]
		if c == nil || c.name != name {
			if fresh := s.read(l, pid, name); fresh != nil {
				c = fresh.after(c)
			}
		}
		if c != nil {
			c.parent = stat.ppid
			known[id], byPID[pid] = c, c
		}
	}
	s.known, s.byPID = known, byPID
	return byPID
}

// after is a candidate of which before was known under another name, as torch gives its
// main thread one: what it prints and uses is the same if it is the same program.
func (c *candidate) after(before *candidate) *candidate {
	if before == nil || !before.trainer || !slices.Equal(before.process.Args, c.process.Args) {
		return c
	}
	before.name, before.process.Name = c.name, c.process.Name
	return before
}

// read reads a process that is new; nil if its command line cannot be read now.
func (s *trainingSearch) read(l *lookup, pid int, name string) *candidate {
	exe, _ := os.Readlink(s.procfs.root + procPath(pid, "/exe")) // of this user's only
	if !looksLikeTrainer(Process{Name: name}) && !strings.HasPrefix(filepath.Base(exe), "python") {
		return &candidate{name: name}
	}
	q, err := s.procfs.read(l, pid)
	if err != nil || len(q.Args) == 0 {
		return nil
	}
	c := &candidate{process: q, name: name, trainer: looksLikeTrainer(q), says: saysTraining(q)}
	c.output = trainingRun{process: q, own: q.UID == s.uid}
	return c
}

// under reports whether a candidate has an ancestor of a kind.
func (s *trainingSearch) under(c *candidate, byPID map[int]*candidate, kind func(*candidate) bool) bool {
	pid := c.parent
	for range maxDepth {
		a := byPID[pid]
		if a == nil {
			return false
		}
		if a != c && kind(a) {
			return true
		}
		pid = a.parent
	}
	return false
}

// look begins to look where the output of a candidate goes, unless that is known or was
// looked for lately.
func (s *trainingSearch) look(c *candidate, roots []*candidate) {
	now := time.Now()
	if c.answer != nil || c.found && !c.changes() || now.Before(c.next) {
		return
	}
	c.next = now.Add(trainingAgain << min(c.looks, c.patience()))
	c.looks++
	search := outputSearch{procfs: s.procfs, self: s.self, uid: s.uid, panes: s.panes, sniff: s.sniff, claims: claimsOf(roots)}
	q, says, gpu := c.process, c.says, c.gpu
	answer := make(chan found, 1)
	c.answer = answer
	f := found{run: c.output}
	go func() {
		_ = guarded(func() error { // after a panic it has no output, no more
			f = search.of(q, says, gpu)
			return nil
		})
		answer <- f
	}()
}

// learn takes what a look has found out, if it comes before patience ends. One that hangs
// is not waited for twice.
func (c *candidate) learn(patience *time.Timer) {
	if c.answer == nil {
		return
	}
	var f found
	select {
	case f = <-c.answer:
	default:
		if c.late {
			return
		}
		select {
		case f = <-c.answer:
		case <-patience.C:
			patience.Reset(0) // for the others, too
			c.late = true
			return
		}
	}
	c.answer, c.late = nil, false
	if f.settled || !c.found {
		c.output, c.found = f.run, f.settled
	}
}

// claim is a process that could be the one that writes what lies below a folder.
type claim struct {
	pid    int
	folder string
	start  time.Time
}

// claimsOf are the claims of processes that are likely to train, the newest first.
func claimsOf(roots []*candidate) []claim {
	var out []claim
	for _, c := range roots {
		if c.likely() && c.process.Cwd != "" && !c.process.Started.IsZero() {
			out = append(out, claim{c.process.PID, c.process.Cwd, c.process.Started})
		}
	}
	slices.SortFunc(out, func(a, b claim) int { return cmp.Or(b.start.Compare(a.start), cmp.Compare(b.pid, a.pid)) })
	return out
}

// ownerOf is the process that writes a run folder below its working folder, whose arguments
// were written at a time: of those that ran then the nearest, and of those in one folder the
// youngest. It is 0 if there is none.
func ownerOf(claims []claim, folder string, began time.Time) int {
	var best claim
	for _, c := range claims { // the youngest first
		inside := folder == c.folder || strings.HasPrefix(folder, strings.TrimSuffix(c.folder, "/")+"/")
		started := !began.Before(c.start.Add(-time.Second)) // it is known to a second
		if inside && started && len(c.folder) > len(best.folder) {
			best = c
		}
	}
	return best.pid
}

// trainerOfRun finds the training of a results.csv, which nobody holds open, by when its
// arguments were written.
func (s *trainingSearch) trainerOfRun(path string) (parse.Trainer, bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return parse.Trainer{}, false
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := list(filepath.Dir(path))
	if err != nil || f.began.IsZero() {
		return parse.Trainer{}, false
	}
	roots := slices.DeleteFunc(s.roots(), func(c *candidate) bool { return c.process.UID != s.uid })
	pid := ownerOf(claimsOf(roots), f.path, f.began)
	i := slices.IndexFunc(roots, func(c *candidate) bool { return c.process.PID == pid })
	if i < 0 {
		return parse.Trainer{}, false
	}
	return s.procfs.lookAtTrainer(trainerOf(roots[i].process))
}
