package sources

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

// runningTrainings are the trainings of this machine, this user's first and the newest of
// those first.
func runningTrainings() []trainingRun {
	return ourProcfs.trainings(os.Getpid(), os.Geteuid(), listTmuxPanes)
}

// paneLister lists the panes of the tmux server at a socket, by their terminals.
type paneLister func(socket string) map[string]string

// trainings are the processes that train, but not their descendants. A process trains if
// its command line says so, or if it is what trainers are and has a device open or
// prints what trainers print.
func (p *procfs) trainings(self, uid int, panes paneLister) []trainingRun {
	l := p.newLookup()
	pids, _ := l.files.numbered("/proc") // none, then none is found
	s := outputSearch{procfs: p, self: self, uid: uid, panes: panes, listed: map[string]map[string]string{}}
	found := map[int]Process{}
	for _, pid := range pids {
		if pid == self || !p.maybeTrainer(l, pid) {
			continue
		}
		if q, err := p.read(l, pid); err == nil && looksLikeTrainer(q) {
			found[pid] = q
		}
	}
	trains := map[int]Process{}
	places := map[int]trainingRun{}
	for pid, q := range found {
		says := saysTraining(q)
		likely := says || p.usesGPU(pid)
		if !likely && q.UID != uid {
			continue
		}
		t := s.place(q, likely)
		if !says && !t.proven() {
			continue
		}
		trains[pid], places[pid] = q, t
	}
	var out []trainingRun
	for pid, q := range trains {
		if !p.descends(l, q.PPID, trains) {
			out = append(out, places[pid])
		}
	}
	byAge(out)
	return out
}

// trainerOfRun finds the training of a results.csv, which nobody holds open: the only one
// of this user below whose working folder it lies and which began before it was written.
func (p *procfs) trainerOfRun(path string, self, uid int) (parse.Trainer, bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return parse.Trainer{}, false
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return parse.Trainer{}, false
	}
	var found []Process
	nobody := func(string) map[string]string { return nil }
	for _, t := range p.trainings(self, uid, nobody) {
		q := t.process
		below := q.Cwd != "" && strings.HasPrefix(path, strings.TrimSuffix(q.Cwd, "/")+"/")
		if t.own && below && !q.Started.IsZero() && info.ModTime().After(q.Started.Add(-time.Second)) {
			found = append(found, q)
		}
	}
	if len(found) != 1 {
		return parse.Trainer{}, false
	}
	return p.lookAtTrainer(trainerOf(found[0]))
}

// proven reports whether the output of a training was seen to be one's.
func (t trainingRun) proven() bool {
	return t.output == parse.OutputFile && len(t.targets) > 0 && (t.targets[0].Group != "" || isTrainingLog(t.targets[0].Path))
}

// maybeTrainer reports whether it is worth reading a process: by its name, or by its
// program, where this user is told that.
func (p *procfs) maybeTrainer(l *lookup, pid int) bool {
	b, err := l.files.read(procPath(pid, "/stat"), smallLimit)
	if err != nil {
		return false
	}
	if s, ok := parseStat(b); !ok || s.dead() {
		return false
	}
	if looksLikeTrainer(Process{Name: statName(b)}) {
		return true
	}
	exe, _ := os.Readlink(p.root + procPath(pid, "/exe"))
	return strings.HasPrefix(filepath.Base(exe), "python")
}

// outputSearch finds where the output of processes goes.
type outputSearch struct {
	*procfs
	self, uid int
	panes     paneLister
	listed    map[string]map[string]string // panes by socket and terminal
}

// place finds where the output of a process can be read. Of a process that is likely to
// train, the folders are searched, too.
func (s *outputSearch) place(q Process, likely bool) trainingRun {
	t := trainingRun{process: q, own: q.UID == s.uid}
	t.output = s.outputOf(&t, q.PID, upstream)
	switch t.output {
	case parse.OutputFile, parse.OutputPane, parse.OutputForeign:
		return t
	}
	if !likely {
		return t
	}
	if targets := s.runOf(q); targets != nil {
		t.output, t.targets = parse.OutputFile, targets
	}
	return t
}

// runOf is the newest run below the working folder of a process that was written since the
// process began; nil if there is none.
func (s *outputSearch) runOf(q Process) []Target {
	if q.Cwd == "" || q.Started.IsZero() {
		return nil
	}
	dir, ok := s.reach(q.PID, "/cwd", q.Cwd)
	if !ok {
		return nil
	}
	targets, err := searchRun(dir, q.Started.Add(-time.Second))
	if err != nil {
		return nil
	}
	return targets
}

// outputOf finds where the output and the error output of a process go: both matter,
// since older trainers show their progress in the latter.
func (s *outputSearch) outputOf(t *trainingRun, pid, depth int) parse.Output {
	best := parse.OutputUnknown
	var paths []string
	for _, fd := range []string{"/fd/1", "/fd/2"} {
		link, err := os.Readlink(s.root + procPath(pid, fd))
		if err != nil {
			if os.IsPermission(err) {
				return parse.OutputForeign
			}
			continue
		}
		kind := parse.OutputUnknown
		switch {
		case strings.HasPrefix(link, "pipe:"):
			kind = s.behind(t, link, pid, depth)
		case link == "/dev/null":
			kind = parse.OutputNowhere
		case strings.HasPrefix(link, "/dev/pts/"), strings.HasPrefix(link, "/dev/tty"):
			kind = s.terminal(t, pid, link)
		default:
			if path, ok := s.reach(pid, fd, link); ok && s.regular(path) {
				paths = append(paths, path)
				kind = parse.OutputFile
			}
		}
		if rankOutput(kind) > rankOutput(best) {
			best = kind
		}
	}
	if len(paths) > 0 {
		path := paths[0]
		if len(paths) == 2 && paths[1] != path && hasRows(paths[1]) && !hasRows(path) {
			path = paths[1]
		}
		t.targets = []Target{{Path: path, Args: argsBeside(path)}}
	}
	return best
}

// rankOutput is how much can be done with an output.
func rankOutput(o parse.Output) int {
	switch o {
	case parse.OutputFile:
		return 4
	case parse.OutputPane:
		return 3
	case parse.OutputTerminal, parse.OutputPipe:
		return 2
	case parse.OutputNowhere:
		return 1
	}
	return 0
}

// behind finds who reads a pipe, and what becomes of the text there: tee writes it to a
// file, grep passes it on.
func (s *outputSearch) behind(t *trainingRun, pipe string, writer, depth int) parse.Output {
	if depth == 0 {
		return parse.OutputPipe
	}
	f := files{root: s.root, open: s.open}
	pids, _ := f.numbered("/proc")
	for _, pid := range pids {
		if pid == writer || pid == s.self {
			continue
		}
		link, err := os.Readlink(s.root + procPath(pid, "/fd/0"))
		if err != nil || link != pipe {
			continue
		}
		if path := s.kept(&f, pid); path != "" {
			t.targets = []Target{{Path: path, Args: argsBeside(path)}}
			return parse.OutputFile
		}
		if out := s.outputOf(t, pid, depth-1); rankOutput(out) > rankOutput(parse.OutputPipe) {
			return out
		}
	}
	return parse.OutputPipe
}

// kept is the file into which a reader of a pipe writes beside its own output.
func (s *outputSearch) kept(f *files, pid int) string {
	dir := s.root + procPath(pid, "/fd")
	fds, _ := os.ReadDir(dir)
	for _, fd := range fds {
		if n, err := strconv.Atoi(fd.Name()); err != nil || n < 3 {
			continue
		}
		link, err := os.Readlink(filepath.Join(dir, fd.Name()))
		if err != nil || !strings.HasPrefix(link, "/") {
			continue
		}
		info, err := f.read(procPath(pid, "/fdinfo/"+fd.Name()), smallLimit)
		if err != nil {
			continue
		}
		if flags, _ := fdInfo(info); flags&(unix.O_WRONLY|unix.O_RDWR) == 0 {
			continue
		}
		if path, ok := s.reach(pid, "/fd/"+fd.Name(), link); ok && s.regular(path) {
			return path
		}
	}
	return ""
}

// terminal finds the pane of tmux that a terminal is, unless it is our own terminal,
// which shows us.
func (s *outputSearch) terminal(t *trainingRun, pid int, tty string) parse.Output {
	for _, fd := range []string{"/fd/0", "/fd/1", "/fd/2"} {
		if link, err := os.Readlink(s.root + procPath(s.self, fd)); err == nil && link == tty {
			return parse.OutputTerminal
		}
	}
	_, env := s.memory(pid)
	socket, _, _ := strings.Cut(env["TMUX"], ",")
	for _, socket := range []string{socket, filepath.Join(tmuxFolder(env["TMUX_TMPDIR"], s.uid), "default")} {
		if socket == "" || !ownSocket(socket, s.uid) {
			continue
		}
		list, ok := s.listed[socket]
		if !ok {
			list = s.panes(socket)
			s.listed[socket] = list
		}
		if id := list[tty]; id != "" {
			t.pane = tmuxPane{socket: socket, id: id}
			return parse.OutputPane
		}
	}
	return parse.OutputTerminal
}

// ownSocket reports whether a socket is this user's: nobody else's server is asked.
func ownSocket(path string, uid int) bool {
	var st unix.Stat_t
	return unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK && int(st.Uid) == uid
}

// reach is the path by which what a process has open can be followed: the one that the
// kernel tells, or one within the process's own root where that is another one, as in a
// container. ok is false if it has no name any more.
func (s *outputSearch) reach(pid int, fd, link string) (path string, ok bool) {
	var want, got unix.Stat_t
	if unix.Stat(s.root+procPath(pid, fd), &want) != nil {
		return "", false
	}
	for _, path := range []string{link, s.root + procPath(pid, "/root") + link} {
		if unix.Stat(path, &got) == nil && got.Ino == want.Ino && got.Dev == want.Dev {
			return path, true
		}
	}
	return "", false
}

// regular reports whether a path is a regular file that this user may read.
func (s *outputSearch) regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && unix.Access(path, unix.R_OK) == nil
}
