package sources

import (
	"bytes"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

const (
	// ticksPerSecond is the unit of times in /proc/PID/stat. Linux shows USER_HZ, which
	// is 100 whatever the kernel's own clock is.
	ticksPerSecond = 100
	treeMax        = 4096 // processes
	childrenLimit  = 64 << 10
	// pssShare bounds what reading memory maps costs: the kernel walks every page of
	// the process, and holds up a change of its map for that long. The pause after it
	// is that many times as long as it took.
	pssShare = 100
	pssPause = 5 * time.Minute // at most
)

// processTree measures a process and its descendants from call to call.
type processTree struct {
	files files
	page  int // bytes

	root int
	seen map[int]procStat // what the last call saw; nil before
	at   time.Time        // of that call
	up   uint64           // how long the system was up then, in ticks; 0 if not known

	pss    parse.Number
	pssDue time.Time
}

// look returns what the tree of the process root uses. Its processor time is an
// average since the last call, so the first call for a root has none.
func (t *processTree) look(root int, now time.Time, online int) trainer {
	if root != t.root {
		*t = processTree{files: t.files, page: t.page, root: root}
	}
	found, err := t.collect(root)
	if err != nil {
		*t = processTree{files: t.files, page: t.page}
		if gone(err) {
			return missingTrainer(parse.Unavailable)
		}
		return missingTrainer(why(err))
	}
	if t.seen != nil && t.seen[root].start != found[root].start { // another process by now
		*t = processTree{files: t.files, page: t.page, root: root}
	}
	out := trainer{cpu: missing(parse.Unavailable)}
	if elapsed := now.Sub(t.at).Seconds(); t.seen != nil && elapsed > 0 {
		cores := t.ticksSince(found) / ticksPerSecond / elapsed
		if online > 0 {
			cores = min(cores, float64(online))
		}
		out.cpu = parse.Have(cores)
	}
	t.seen, t.at, t.up = found, now, t.uptime()
	for pid, s := range found {
		if pid != root && !s.dead() {
			out.workers++
		}
	}
	if !now.Before(t.pssDue) {
		begin := time.Now()
		t.pss = t.shares(found)
		t.pssDue = now.Add(min(pssShare*time.Since(begin), pssPause))
	}
	out.pss = t.pss
	return out
}

// ticksSince is the processor time of the tree since the last call. A worker that
// ended is counted through its parent, whose children's time has it; one that nobody
// waited for loses what it did since the last call.
func (t *processTree) ticksSince(found map[int]procStat) float64 {
	ended := map[int]uint64{} // by the process that remains: what it was counted for already
	for pid, s := range t.seen {
		if f, ok := found[pid]; ok && f.start == s.start {
			continue
		}
		heir := s.ppid
		for range maxDepth {
			if f, ok := found[heir]; ok && f.start == t.seen[heir].start {
				ended[heir] += s.own + s.reaped
				break
			}
			heir = t.seen[heir].ppid
		}
	}
	sum := 0.0
	for pid, f := range found {
		s, known := t.seen[pid]
		switch {
		case known && s.start == f.start:
			sum += grown(s.own, f.own) + grown(s.reaped+ended[pid], f.reaped)
		case t.up > 0 && f.start >= t.up:
			sum += float64(f.own) + float64(f.reaped)
		}
		// Anything else has been running for long and joined the tree just now.
	}
	return sum
}

func grown(from, to uint64) float64 {
	if to < from {
		return 0
	}
	return float64(to - from)
}

// uptime is in ticks, as are the times at which processes start.
func (t *processTree) uptime() uint64 {
	b, err := t.files.read("/proc/uptime", smallLimit)
	if err != nil {
		return 0
	}
	field, _ := cutField(bytes.TrimSpace(b))
	seconds, err := strconv.ParseFloat(string(field), 64)
	if err != nil || !(seconds > 0 && seconds < exact/ticksPerSecond) {
		return 0
	}
	return uint64(seconds * ticksPerSecond)
}

// collect reads the root and its descendants. The error is that of the root; any
// other process may end meanwhile.
func (t *processTree) collect(root int) (map[int]procStat, error) {
	s, err := t.stat(root)
	if err != nil {
		return nil, err
	}
	found := map[int]procStat{root: s}
	var all map[int][]int // children of every process, where the kernel does not list them
	if !t.files.exists(procPath(root, "/task/"+strconv.Itoa(root)+"/children")) {
		all = t.families()
	}
	for queue := []int{root}; len(queue) > 0 && len(found) < treeMax; queue = queue[1:] {
		children := all[queue[0]]
		if all == nil {
			children = t.children(queue[0])
		}
		for _, pid := range children {
			if _, twice := found[pid]; twice {
				continue
			}
			if s, err := t.stat(pid); err == nil {
				found[pid] = s
				queue = append(queue, pid)
			}
		}
	}
	return found, nil
}

func (t *processTree) stat(pid int) (procStat, error) {
	b, err := t.files.read(procPath(pid, "/stat"), smallLimit)
	if err != nil {
		return procStat{}, err
	}
	if s, ok := parseStat(b); ok {
		return s, nil
	}
	return procStat{}, unix.EBADMSG
}

// children reads what each thread of a process has started.
func (t *processTree) children(pid int) []int {
	threads, _ := t.files.numbered(procPath(pid, "/task")) // empty if it has ended
	var out []int
	for _, thread := range threads {
		b, err := t.files.read(procPath(pid, "/task/"+strconv.Itoa(thread)+"/children"), childrenLimit)
		if err != nil {
			continue
		}
		for field, rest := cutField(bytes.TrimSpace(b)); len(field) > 0; field, rest = cutField(rest) {
			if n, ok := count(field); ok && n > 0 && n < 1<<31 {
				out = append(out, int(n))
			}
		}
	}
	return out
}

// families looks through all processes for who is whose child.
func (t *processTree) families() map[int][]int {
	out := map[int][]int{}
	pids, _ := t.files.numbered("/proc") // empty: then nobody has children
	for _, pid := range pids {
		if s, err := t.stat(pid); err == nil {
			out[s.ppid] = append(out[s.ppid], pid)
		}
	}
	return out
}

// shares sums up the memory of the tree, with each shared page counted by share.
// Where that is not to be had, a process without children has about the memory that
// it shares with no file; for a family that would count what they inherited once for
// each, and there is no sum.
func (t *processTree) shares(found map[int]procStat) parse.Number {
	sum, read := 0.0, 0
	refused := parse.Present
	for pid, s := range found {
		if s.dead() {
			continue
		}
		b, err := t.files.read(procPath(pid, "/smaps_rollup"), smallLimit)
		switch {
		case errors.Is(err, unix.ESRCH):
		case err != nil:
			if !t.files.exists(procPath(pid, "/stat")) {
				continue // ended
			}
			// Kernels before 4.14 have no such file.
			if refused = why(err); refused == parse.NoPermission {
				return t.private(found, refused)
			}
		default:
			if n, ok := kilobytes(b, "Pss:"); ok {
				sum += n
				read++
			}
		}
	}
	switch {
	case refused != parse.Present:
		return t.private(found, refused)
	case read == 0:
		return missing(parse.Unavailable)
	}
	return parse.Have(sum)
}

// private returns the memory of a single process that is not shared, and for more
// than one nothing, with the reason.
func (t *processTree) private(found map[int]procStat, reason parse.Presence) parse.Number {
	if len(found) != 1 {
		return missing(reason)
	}
	for pid := range found {
		b, err := t.files.read(procPath(pid, "/statm"), smallLimit)
		if err != nil {
			return missing(reason)
		}
		_, rest := cutField(bytes.TrimSpace(b)) // size
		resident, rest := cutField(rest)
		shared, _ := cutField(rest)
		r, ok := count(resident)
		s, okShared := count(shared)
		if ok && okShared && s <= r && r > 0 {
			return parse.Have(float64(r-s) * float64(t.page))
		}
	}
	return missing(reason)
}
