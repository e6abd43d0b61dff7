package sources

import (
	"bytes"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

const (
	statLimit    = 512 << 10 // of /proc/stat: the lines of some 4000 cores
	smallLimit   = 16 << 10
	procRootPath = "/proc/"
)

// linuxProbe reads /proc and /sys. All of it but the memory maps of other users'
// processes is there for everybody.
type linuxProbe struct {
	files  files
	statfs func(path string) (used, total float64, err error) // bytes
	meter  cpuMeter
	cores  []coreTimes
	groups groups

	online atomic.Int64 // cores; the tree is read at the same time
	tree   processTree
}

func newHostProbe() hostProbe { return newLinuxProbe("") }

func newLinuxProbe(root string) *linuxProbe {
	return &linuxProbe{files: files{root: root}, statfs: statfs, tree: processTree{files: files{root: root}, page: os.Getpagesize()}}
}

// machine implements hostProbe.
func (p *linuxProbe) machine(h *parse.Host, pid int, _ time.Time) {
	p.processor(h)
	p.memory(h)
	h.CPUPressure = p.pressure("/proc/pressure/cpu")
	h.IOPressure = p.pressure("/proc/pressure/io")
	h.MemoryPressure = p.pressure("/proc/pressure/memory")
	p.shm(h)
	p.groups.put(&p.files, h, pid, len(p.cores))
}

// trainer implements hostProbe.
func (p *linuxProbe) trainer(pid int, now time.Time) trainer {
	return p.tree.look(pid, now, int(p.online.Load()))
}

// processor reads /proc/stat, which counts for the machine even in a container.
func (p *linuxProbe) processor(h *parse.Host) {
	p.cores = p.cores[:0]
	b, err := p.files.read("/proc/stat", statLimit)
	if err != nil {
		p.meter.forget(h, why(err))
		return
	}
	all, ok := p.times(b)
	if !ok {
		p.meter.forget(h, parse.Unavailable)
		return
	}
	p.online.Store(int64(len(p.cores)))
	p.meter.put(h, all, p.cores)
}

// times reads the lines of all cores together and of each, which come first.
func (p *linuxProbe) times(b []byte) (all cpuTimes, ok bool) {
	for line, rest, more := cutLine(b); more; line, rest, more = cutLine(rest) {
		name, line := cutField(line)
		id, isCPU := bytes.CutPrefix(name, []byte("cpu"))
		if !isCPU {
			break
		}
		times, good := cpuLine(line)
		if !good {
			continue
		}
		if len(id) == 0 {
			all, ok = times, true
		} else if n, good := count(id); good {
			p.cores = append(p.cores, coreTimes{int(n), times})
		}
	}
	return all, ok
}

// cpuLine reads user, nice, system, idle, iowait, irq, softirq and steal; guests'
// time, which follows, is in user and nice already. Old kernels have fewer.
func cpuLine(line []byte) (t cpuTimes, ok bool) {
	for i := range 8 {
		var field []byte
		field, line = cutField(line)
		if len(field) == 0 {
			return t, i >= 4
		}
		n, ok := count(field)
		switch {
		case !ok:
			return t, false
		case i == 3:
			t.idle = float64(n)
		case i == 4:
			t.iowait = float64(n)
		default:
			t.busy += float64(n)
		}
	}
	return t, true
}

func (p *linuxProbe) memory(h *parse.Host) {
	b, err := p.files.read("/proc/meminfo", smallLimit)
	if err != nil {
		n := missing(why(err))
		h.RAMUsed, h.RAMTotal, h.SwapUsed, h.SwapTotal = n, n, n, n
		return
	}
	// Kernels before 3.14 do not say what is available.
	h.RAMUsed, h.RAMTotal = usedOf(b, "MemTotal:", "MemAvailable:")
	h.SwapUsed, h.SwapTotal = usedOf(b, "SwapTotal:", "SwapFree:")
}

// usedOf returns a total and what of it is not left, in bytes.
func usedOf(b []byte, totalKey, leftKey string) (used, total parse.Number) {
	used, total = missing(parse.Unavailable), missing(parse.Unavailable)
	t, okTotal := kilobytes(b, totalKey)
	left, okLeft := kilobytes(b, leftKey)
	if okTotal {
		total = parse.Have(t)
	}
	if okTotal && okLeft && left <= t {
		used = parse.Have(t - left)
	}
	return used, total
}

// pressure reads "some avg10=1.23 ...": percent of the last 10 s in which at least
// one task waited. Kernels before 4.20 have no such files, and those that were
// started without it refuse to open them.
func (p *linuxProbe) pressure(path string) parse.Number {
	b, err := p.files.read(path, smallLimit)
	if err != nil {
		return missing(why(err))
	}
	for line, rest, ok := cutLine(b); ok; line, rest, ok = cutLine(rest) {
		name, line := cutField(line)
		field, _ := cutField(line)
		value, isAvg := bytes.CutPrefix(field, []byte("avg10="))
		if string(name) != "some" || !isAvg {
			continue
		}
		v, err := strconv.ParseFloat(string(value), 64)
		if err != nil || !(v >= 0 && v <= 100) {
			break
		}
		return parse.Have(v / 100)
	}
	return missing(parse.Unavailable)
}

// shm asks how full /dev/shm is, through which workers hand over batches.
func (p *linuxProbe) shm(h *parse.Host) {
	used, total, err := p.statfs(p.files.root + "/dev/shm")
	switch {
	case err != nil:
		h.ShmUsed, h.ShmTotal = missing(why(err)), missing(why(err))
	case !(total > 0): // a tmpfs without a limit
		h.ShmUsed, h.ShmTotal = missing(parse.NotSupported), missing(parse.NotSupported)
	default:
		h.ShmUsed, h.ShmTotal = parse.Have(min(max(used, 0), total)), parse.Have(total)
	}
}

func statfs(path string) (used, total float64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, 0, err
	}
	block := float64(s.Bsize)
	return (float64(s.Blocks) - float64(s.Bfree)) * block, float64(s.Blocks) * block, nil
}

func procPath(pid int, name string) string { return procRootPath + strconv.Itoa(pid) + name }
