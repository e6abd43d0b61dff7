package sources

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

// upstream is how many programs may stand between a trainer and its log.
const upstream = 4

// findTrainer finds the process of this machine that writes a file, or that writes into
// our standard input for "-".
func findTrainer(path string) (parse.Trainer, bool) {
	if t, ok := ourProcfs.findTrainer(path, os.Getpid()); ok {
		return t, true
	}
	if filepath.Base(path) != "results.csv" {
		return parse.Trainer{}, false
	}
	return newTrainingSearch().trainerOfRun(path)
}

// lookAtTrainer reads the processes of a trainer again; ok is false if it has ended.
func lookAtTrainer(t parse.Trainer) (parse.Trainer, bool) { return ourProcfs.lookAtTrainer(t) }

func (p *procfs) findTrainer(path string, self int) (parse.Trainer, bool) {
	want, ok := p.target(path, self)
	if !ok {
		return parse.Trainer{}, false
	}
	for range upstream {
		writers := p.writers(want, self)
		if pid, ok := p.soleTrainer(writers); ok {
			t := parse.Trainer{PID: pid}
			_, env := p.memory(pid)
			t.Visible, t.IsVisible = env["CUDA_VISIBLE_DEVICES"]
			t.Order = env["CUDA_DEVICE_ORDER"]
			return p.lookAtTrainer(t)
		}
		want = nil
		for _, pid := range writers { // whatever passes on what it reads from a pipe
			if link, err := os.Readlink(p.root + procPath(pid, "/fd/0")); err == nil && strings.HasPrefix(link, "pipe:") {
				want = append(want, opened{link: link})
			}
		}
		if len(want) == 0 {
			break
		}
	}
	return parse.Trainer{}, false
}

// opened is what a process must have open for writing.
type opened struct {
	link string // as the kernel names it: a path, or "pipe:[123]"
	base string // name of the file, and its number, by which it is known in other mounts
	ino  uint64
}

func (p *procfs) target(path string, self int) ([]opened, bool) {
	if path == "-" {
		link, err := os.Readlink(p.root + procPath(self, "/fd/0"))
		return []opened{{link: link}}, err == nil && strings.HasPrefix(link, "pipe:")
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, false
	}
	if real, err := filepath.EvalSymlinks(whole); err == nil {
		whole = real
	}
	var s unix.Stat_t
	if unix.Stat(whole, &s) != nil {
		return nil, false
	}
	o := opened{link: whole}
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		o.base, o.ino = filepath.Base(whole), s.Ino
	case unix.S_IFIFO:
	default: // anybody may write into a device
		return nil, false
	}
	return []opened{o}, true
}

// writers are the processes that have one of the files open for writing. Nothing here
// touches the files, whose file system may hang.
func (p *procfs) writers(want []opened, self int) []int {
	f := files{root: p.root, open: p.open}
	pids, _ := f.numbered("/proc") // none, then none is found
	var out []int
	for _, pid := range pids {
		if pid != self && p.writes(&f, pid, want) {
			out = append(out, pid)
		}
	}
	return out
}

// usesGPU reports whether a process has a device open: /dev/nvidia0 and so on, or what
// WSL has instead. Programs that only watch have nvidiactl.
func (p *procfs) usesGPU(pid int) bool {
	dir := p.root + procPath(pid, "/fd")
	fds, _ := os.ReadDir(dir) // none if it has ended
	for _, fd := range fds {
		link, _ := os.Readlink(filepath.Join(dir, fd.Name()))
		number, ok := strings.CutPrefix(link, "/dev/nvidia")
		if _, isNumber := count([]byte(number)); ok && isNumber || link == "/dev/dxg" {
			return true
		}
	}
	return false
}

func (p *procfs) writes(f *files, pid int, want []opened) bool {
	dir := p.root + procPath(pid, "/fd")
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false // it has ended, or is not ours
	}
	for _, fd := range fds {
		link, err := os.Readlink(filepath.Join(dir, fd.Name()))
		if err != nil {
			continue
		}
		for _, o := range want {
			same := link == o.link
			if !same && (o.ino == 0 || filepath.Base(link) != o.base) {
				continue
			}
			info, err := f.read(procPath(pid, "/fdinfo/"+fd.Name()), smallLimit)
			if err != nil {
				continue
			}
			flags, ino := fdInfo(info)
			if flags&(unix.O_WRONLY|unix.O_RDWR) != 0 && (same || ino == o.ino) {
				return true
			}
		}
	}
	return false
}

// fdInfo reads the flags and, from Linux 5.14 on, the file's number.
func fdInfo(b []byte) (flags, ino uint64) {
	for line := range bytes.Lines(b) {
		key, value := cutField(bytes.TrimSpace(line))
		value, _ = cutField(value)
		switch string(key) {
		case "flags:":
			flags, _ = strconv.ParseUint(string(value), 8, 64)
		case "ino:":
			ino, _ = strconv.ParseUint(string(value), 10, 64)
		}
	}
	return flags, ino
}

// soleTrainer is the one among the processes that looks like a trainer and has no ancestor
// among those; ok is false if there is none, or more than one.
func (p *procfs) soleTrainer(pids []int) (pid int, ok bool) {
	l := p.newLookup()
	trainers := map[int]Process{}
	for _, pid := range pids {
		if q, err := p.read(l, pid); err == nil && looksLikeTrainer(q) {
			trainers[pid] = q
		}
	}
	roots := 0
	for _, q := range trainers {
		if !p.descends(l, q.PPID, trainers) {
			pid = q.PID
			roots++
		}
	}
	return pid, roots == 1
}

// descends reports whether the process pid or one of its ancestors is among some.
func (p *procfs) descends(l *lookup, pid int, some map[int]Process) bool {
	for range maxDepth {
		if _, ok := some[pid]; ok {
			return true
		}
		b, err := l.files.read(procPath(pid, "/stat"), smallLimit)
		if err != nil {
			return false
		}
		s, ok := parseStat(b)
		if !ok || s.ppid <= 1 {
			return false
		}
		pid = s.ppid
	}
	return false
}

func (p *procfs) lookAtTrainer(t parse.Trainer) (parse.Trainer, bool) {
	tree := processTree{files: files{root: p.root, open: p.open}}
	found, err := tree.collect(t.PID)
	if err != nil || found[t.PID].dead() || t.Start != 0 && t.Start != found[t.PID].start {
		return parse.Trainer{}, false
	}
	t.Start = found[t.PID].start
	t.Processes = nil
	for pid := range found {
		t.Processes = append(t.Processes, pid)
		t.UsesGPU = t.UsesGPU || p.usesGPU(pid)
	}
	slices.Sort(t.Processes)
	return t, true
}
