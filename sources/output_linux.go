package sources

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

// paneLister lists the panes of the tmux server at a socket, by their terminals.
type paneLister func(socket string) map[string]string

// outputSearch finds where the output of one process goes. It touches files, whose file
// system may hang, so it shares nothing that changes.
type outputSearch struct {
	procfs    *procfs
	self, uid int
	panes     paneLister
	sniff     func(tmuxPane) bool
	claims    []claim
}

// of finds where the output of a process can be read. Of a process that says that it
// trains, any file or pane is taken; of one that only uses a device, those that hold a
// training's text, and a run folder; of others only a file that holds one.
func (s *outputSearch) of(q Process, says, gpu bool) found {
	t := trainingRun{process: q, own: q.UID == s.uid}
	var certain bool
	t.output, certain = s.outputOf(&t, q.PID, upstream)
	switch t.output {
	case parse.OutputFile:
		if certain && (says || isTrainingLog(t.targets[0].Path)) {
			return found{t, true}
		}
		t.targets = nil // not yet
		return found{t, false}
	case parse.OutputPane:
		if says || gpu && s.sniff(t.pane) {
			return found{t, true}
		}
	case parse.OutputForeign:
		return found{t, false}
	}
	if says || gpu {
		if targets := s.runOf(q); targets != nil {
			t.output, t.targets = parse.OutputFile, targets
			return found{t, true}
		}
	}
	return found{t, false}
}

// runOf is the newest run folder below the working folder of a process that is its own,
// as far as that can be told: nil if there is none.
func (s *outputSearch) runOf(q Process) []Target {
	if q.Cwd == "" || q.Started.IsZero() {
		return nil
	}
	dir, ok := s.reach(q.PID, "/cwd", q.Cwd)
	if !ok {
		return nil
	}
	targets, err := searchRun(dir, func(f folder) []Target {
		if f.began.IsZero() {
			return nil
		}
		inside := q.Cwd + strings.TrimPrefix(f.path, strings.TrimSuffix(dir, "/"))
		if ownerOf(s.claims, inside, f.began) != q.PID {
			return nil
		}
		f.logs = slices.DeleteFunc(f.logs, func(l logFile) bool { return l.changed.Before(f.began) })
		return f.targets()
	})
	if err != nil {
		return nil
	}
	return targets
}

// outputOf finds where the output and the error output of a process go: both matter,
// since older trainers show their progress in the latter. certain is false where it may
// still turn out to be the other one.
func (s *outputSearch) outputOf(t *trainingRun, pid, depth int) (out parse.Output, certain bool) {
	kind, file := s.stream(t, pid, "/fd/1", depth)
	var scratch trainingRun // a pane or file of the error output counts only if it is taken
	errKind, errFile := s.stream(&scratch, pid, "/fd/2", depth)
	switch {
	case kind == parse.OutputForeign:
		return kind, false
	case errKind == parse.OutputFile && errFile != file && hasRows(errFile):
		t.targets = targetOf(errFile)
		return parse.OutputFile, true
	case kind == parse.OutputFile:
		t.targets = targetOf(file)
		return kind, errKind != parse.OutputFile || errFile == file || hasRows(file)
	case kind == parse.OutputPane:
		return kind, true
	case errKind == parse.OutputFile && kind != parse.OutputPipe && kind != parse.OutputTerminal:
		t.targets = targetOf(errFile)
		return errKind, true
	case errKind == parse.OutputPane:
		t.pane = scratch.pane
		return errKind, true
	case kind == parse.OutputUnknown, kind == parse.OutputNowhere && errKind != parse.OutputUnknown:
		return errKind, true
	}
	return kind, true
}

// targetOf is a log with the arguments beside it.
func targetOf(path string) []Target { return []Target{{Path: path, Args: argsBeside(path)}} }

// stream finds where a stream of a process goes; file is its path for OutputFile, the pane
// is put into t.
func (s *outputSearch) stream(t *trainingRun, pid int, fd string, depth int) (out parse.Output, file string) {
	link, err := os.Readlink(s.procfs.root + procPath(pid, fd))
	switch {
	case os.IsPermission(err):
		return parse.OutputForeign, ""
	case err != nil:
		return parse.OutputUnknown, ""
	case strings.HasPrefix(link, "pipe:"):
		return s.behind(t, link, pid, depth)
	case link == "/dev/null":
		return parse.OutputNowhere, ""
	case strings.HasPrefix(link, "/dev/pts/"), strings.HasPrefix(link, "/dev/tty"):
		if _, env := s.procfs.memory(pid); env[LogVariable] != "" && s.regular(env[LogVariable]) {
			return parse.OutputFile, env[LogVariable] // the terminal is the one that we opened for it
		}
		return s.terminal(t, pid, fd, link), ""
	}
	if path, ok := s.reach(pid, fd, link); ok && s.regular(path) {
		return parse.OutputFile, path
	}
	return parse.OutputUnknown, ""
}

// behind finds who reads a pipe, and what becomes of the text there: tee writes it to a
// file, grep passes it on. What we ourselves show somewhere is no text of a training.
func (s *outputSearch) behind(t *trainingRun, pipe string, writer, depth int) (out parse.Output, file string) {
	if depth == 0 {
		return parse.OutputPipe, ""
	}
	f := files{root: s.procfs.root, open: s.procfs.open}
	pids, _ := f.numbered("/proc")
	for _, pid := range pids {
		if pid == writer || pid == s.self {
			continue
		}
		link, err := os.Readlink(s.procfs.root + procPath(pid, "/fd/0"))
		if err != nil || link != pipe {
			continue
		}
		if path := s.kept(&f, pid); path != "" { // by tee, or by us
			return parse.OutputFile, path
		}
		if b, err := f.read(procPath(pid, "/comm"), smallLimit); err == nil && strings.HasPrefix(string(b), "yolotop") {
			continue
		}
		if out, file := s.stream(t, pid, "/fd/1", depth-1); out == parse.OutputFile || out == parse.OutputPane {
			return out, file
		}
	}
	return parse.OutputPipe, ""
}

// kept is the file into which a reader of a pipe writes beside its own output.
func (s *outputSearch) kept(f *files, pid int) string {
	dir := s.procfs.root + procPath(pid, "/fd")
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
// which shows us, or one of another machine or container that only has the same name.
func (s *outputSearch) terminal(t *trainingRun, pid int, fd, tty string) parse.Output {
	if path, ok := s.reach(pid, fd, tty); !ok || path != tty {
		return parse.OutputTerminal
	}
	for _, own := range []string{"/fd/0", "/fd/1", "/fd/2"} {
		if link, err := os.Readlink(s.procfs.root + procPath(s.self, own)); err == nil && link == tty {
			return parse.OutputTerminal
		}
	}
	_, env := s.procfs.memory(pid)
	socket, _, _ := strings.Cut(env["TMUX"], ",")
	for _, socket := range []string{socket, filepath.Join(tmuxFolder(env["TMUX_TMPDIR"], s.uid), "default")} {
		if socket == "" || !ownSocket(socket, s.uid) {
			continue
		}
		if id := s.panes(socket)[tty]; id != "" {
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
	if unix.Stat(s.procfs.root+procPath(pid, fd), &want) != nil {
		return "", false
	}
	for _, path := range []string{link, s.procfs.root + procPath(pid, "/root") + link} {
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
