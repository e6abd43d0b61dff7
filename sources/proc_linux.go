package sources

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

const (
	// memoryLimit is how much of a command line or an environment is read.
	memoryLimit = 128 << 10
	// memoryPatience is how long a process may keep us waiting for these two, which lie
	// in its memory: while it changes its map, the kernel lets nobody look.
	memoryPatience = 250 * time.Millisecond
	// memoryReaders bounds how many such readers may be stuck at a time. Each costs a
	// thread. With so many stuck nothing is read from memory any more.
	memoryReaders = 16
	passwdLimit   = 1 << 20
)

// procfs reads processes. It has no changing state but the places for its readers.
type procfs struct {
	root    string
	open    func(path string) (fd int, err error) // nil is the system's
	readers chan struct{}
}

func newProcfs(root string) *procfs {
	return &procfs{root: root, readers: make(chan struct{}, memoryReaders)}
}

// ourProcfs is the /proc of this machine.
var ourProcfs = newProcfs("")

// ReadProcess reads one process. The error is [fs.ErrNotExist] if there is none with
// this number, or none that this user may see. What is not told is empty in the
// result and no error. It waits a quarter of a second at most for a process that
// cannot be looked into at the moment, and leaves Args and Environ empty then.
func ReadProcess(pid int) (Process, error) { return ourProcfs.one(pid) }

// Processes reads all processes that this user may see, in no particular order.
// Those that end meanwhile are left out. It fails only if /proc cannot be listed.
func Processes() ([]Process, error) { return ourProcfs.all() }

// lookup is what is read once for many processes.
type lookup struct {
	files files
	boot  time.Time // when the system started; zero if not known
	users map[int]string
}

func (p *procfs) newLookup() *lookup {
	l := &lookup{files: files{root: p.root, open: p.open}}
	if b, err := l.files.read("/proc/stat", statLimit); err == nil {
		for line, rest, ok := cutLine(b); ok; line, rest, ok = cutLine(rest) {
			key, value := cutField(line)
			if string(key) != "btime" {
				continue
			}
			value, _ = cutField(value)
			if n, ok := count(value); ok && n > 0 && n < 1<<40 {
				l.boot = time.Unix(int64(n), 0)
			}
			break
		}
	}
	b, _ := l.files.read("/etc/passwd", passwdLimit) // without it users have no names
	l.users = passwd(b)
	return l
}

// passwd reads names of users from lines such as "ana:x:1000:1000::/home/ana:/bin/sh".
// Directories in the network are not asked: that could take long.
func passwd(b []byte) map[int]string {
	users := map[int]string{}
	for line := range bytes.Lines(b) {
		name, rest, _ := bytes.Cut(line, []byte{':'})
		_, rest, _ = bytes.Cut(rest, []byte{':'})
		id, _, ok := bytes.Cut(rest, []byte{':'})
		n, isNumber := count(id)
		if _, known := users[int(n)]; ok && isNumber && !known && len(name) > 0 {
			users[int(n)] = string(name)
		}
	}
	return users
}

func (p *procfs) one(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, fmt.Errorf("read process %d: %w", pid, fs.ErrNotExist)
	}
	return p.read(p.newLookup(), pid)
}

func (p *procfs) all() ([]Process, error) {
	l := p.newLookup()
	pids, err := l.files.numbered("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	out := make([]Process, 0, len(pids))
	for _, pid := range pids {
		if q, err := p.read(l, pid); err == nil {
			out = append(out, q)
		}
	}
	return out, nil
}

func (p *procfs) read(l *lookup, pid int) (Process, error) {
	fail := func(err error) (Process, error) {
		if gone(err) {
			err = fs.ErrNotExist
		}
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	b, err := l.files.read(procPath(pid, "/stat"), smallLimit)
	if err != nil {
		return fail(err)
	}
	s, ok := parseStat(b)
	if !ok {
		return fail(errNoStat)
	}
	out := Process{PID: pid, PPID: s.ppid, UID: -1, Name: statName(b)}
	if !l.boot.IsZero() {
		out.Started = l.boot.Add(time.Duration(s.start) * (time.Second / ticksPerSecond))
	}
	if b, err = l.files.read(procPath(pid, "/status"), smallLimit); err == nil {
		if out.UID = statusUID(b); out.UID >= 0 {
			out.User = l.users[out.UID]
		}
	}
	out.Cwd, _ = os.Readlink(p.root + procPath(pid, "/cwd")) // empty if not permitted
	if !s.dead() {
		out.Args, out.Environ = p.memory(pid)
	}
	return out, nil
}

// memory reads what lies in the memory of a process, and gives up when that takes
// long.
func (p *procfs) memory(pid int) (args []string, env map[string]string) {
	select {
	case p.readers <- struct{}{}:
	default:
		return nil, nil
	}
	type answer struct {
		args []string
		env  map[string]string
	}
	answers := make(chan answer, 1)
	go func() {
		defer func() { <-p.readers }()
		f := files{root: p.root, open: p.open}
		var a answer
		if b, err := f.read(procPath(pid, "/cmdline"), memoryLimit); err == nil {
			a.args = zeroEnded(b)
		}
		if b, err := f.read(procPath(pid, "/environ"), memoryLimit); err == nil {
			a.env = environ(zeroEnded(b))
		}
		answers <- a
	}()
	timer := time.NewTimer(memoryPatience)
	defer timer.Stop()
	select {
	case a := <-answers:
		return a.args, a.env
	case <-timer.C:
		return nil, nil
	}
}

// zeroEnded splits texts that end with zero bytes. A last one that was cut off is
// left out; a program that wrote its own title may have ended it without, or with
// many.
func zeroEnded(b []byte) []string {
	if len(b) == memoryLimit {
		b = b[:bytes.LastIndexByte(b, 0)+1]
	}
	text := strings.TrimRight(string(b), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// environ makes a map of "KEY=value"; the first of a key counts, as for getenv.
func environ(vars []string) map[string]string {
	out := make(map[string]string, len(vars))
	for _, v := range vars {
		key, value, ok := strings.Cut(v, "=")
		if _, known := out[key]; ok && !known {
			out[key] = value
		}
	}
	return out
}
