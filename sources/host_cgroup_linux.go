package sources

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"yolotop/parse"
)

const (
	mountLimit = 1 << 20
	// unlimited is the smallest "limit" that is none. Version 1 has no word for that
	// and prints the largest count of pages, near 2^63 bytes.
	unlimited = 1 << 60
	maxDepth  = 32 // of nested groups
)

// groups reads what a control group may use and holds, in both versions of the
// interface; a machine may use one for memory and the other for the rest.
type groups struct {
	membership       []byte // of the process, as it was when the rest was found
	memory, cpu, set hierarchy
}

// hierarchy is where a group is in the tree of one controller.
type hierarchy struct {
	v1 bool
	// dirs are the folders of the group and of those that hold it, outwards as far as
	// they can be seen. In a container that is often the group alone.
	dirs []string
}

// put adds the group of the process pid, or of this process, to a sample.
func (g *groups) put(f *files, h *parse.Host, pid, online int) {
	g.find(f, pid)
	h.GroupUsed, h.GroupLimit = g.memoryUse(f)
	h.CPULimit = g.cpuLimit(f, online)
}

// find looks for the folders again if the process is in another group than last time.
func (g *groups) find(f *files, pid int) {
	var b []byte
	if pid > 0 {
		// A process outside our namespace of groups is in "/../something".
		b, _ = f.read(procPath(pid, "/cgroup"), smallLimit)
		if bytes.Contains(b, []byte("/..")) {
			b = nil
		}
	}
	if len(b) == 0 {
		b, _ = f.read("/proc/self/cgroup", smallLimit)
	}
	if g.membership != nil && bytes.Equal(b, g.membership) {
		return
	}
	g.membership = append([]byte{}, b...)
	info, _ := f.read("/proc/self/mountinfo", mountLimit)
	mounts := groupMounts(info)
	g.memory = locate(f, g.membership, mounts, "memory", "/sys/fs/cgroup/memory")
	g.cpu = locate(f, g.membership, mounts, "cpu", "/sys/fs/cgroup/cpu")
	g.set = locate(f, g.membership, mounts, "cpuset", "/sys/fs/cgroup/cpuset")
}

// groupMount is where (a part of) a tree of groups can be seen.
type groupMount struct {
	root, point string
	controllers string // of version 1: ",cpu,cpuacct,"; empty for version 2
}

// groupMounts reads lines such as "31 23 0:28 /docker/4f /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu".
func groupMounts(b []byte) []groupMount {
	var out []groupMount
	for line, rest, ok := cutLine(b); ok; line, rest, ok = cutLine(rest) {
		left, right, ok := strings.Cut(string(line), " - ")
		at, what := strings.Fields(left), strings.Fields(right)
		if !ok || len(at) < 5 || len(what) < 3 || !strings.HasPrefix(what[0], "cgroup") {
			continue
		}
		m := groupMount{root: unescape(at[3]), point: unescape(at[4])}
		if what[0] == "cgroup" {
			m.controllers = "," + what[2] + ","
		}
		out = append(out, m)
	}
	return out
}

// unescape undoes what the kernel does to blanks in paths.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// locate finds the folders of a controller. What the process calls its group and what
// is mounted need not fit together in containers; then the mount is the group.
func locate(f *files, membership []byte, mounts []groupMount, controller, usual string) hierarchy {
	group, v1, ok := member(membership, controller)
	if !ok {
		group = "/" // the process is not told; there may be a group all the same
	}
	mounts = slices.DeleteFunc(slices.Clone(mounts), func(m groupMount) bool {
		return v1 != strings.Contains(m.controllers, ","+controller+",") || !v1 && m.controllers != ""
	})
	if len(mounts) == 0 {
		point := "/sys/fs/cgroup"
		if v1 {
			point = usual
		}
		mounts = []groupMount{{root: "/", point: point}}
	}
	for _, m := range mounts {
		if inside, ok := below(group, m.root); ok {
			if dir := path.Join(m.point, inside); f.exists(dir) {
				return hierarchy{v1: v1, dirs: upwards(dir, m.point)}
			}
		}
	}
	return hierarchy{v1: v1, dirs: []string{mounts[0].point}}
}

// member reads the group of a controller from lines such as "4:memory:/docker/4f" and,
// for all controllers of version 2, "0::/user.slice".
func member(b []byte, controller string) (group string, v1, ok bool) {
	for line, rest, more := cutLine(b); more; line, rest, more = cutLine(rest) {
		parts := strings.SplitN(string(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		if slices.Contains(strings.Split(parts[1], ","), controller) {
			return parts[2], true, true
		}
		if parts[0] == "0" && parts[1] == "" {
			group, ok = parts[2], true
		}
	}
	return group, false, ok
}

// below is the part of a path below root.
func below(p, root string) (inside string, ok bool) {
	if strings.Contains(p+"/", "/../") || !strings.HasPrefix(p, "/") {
		return "", false
	}
	if root == "/" {
		return p, true
	}
	inside, ok = strings.CutPrefix(p, root)
	return inside, ok && (inside == "" || inside[0] == '/')
}

func upwards(dir, top string) []string {
	dirs := []string{dir}
	for dir != top && len(dirs) < maxDepth && len(dir) > len(top) {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// memoryUse returns the tightest limit and what the group with that limit holds, or
// what the process's own group holds if there is none.
func (g *groups) memoryUse(f *files) (used, limit parse.Number) {
	limitFile, useFile, cacheKey := "/memory.max", "/memory.current", "inactive_file"
	if g.memory.v1 {
		limitFile, useFile, cacheKey = "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"
	}
	limit = missing(parse.NotSupported)
	var at string
	for _, dir := range g.memory.dirs {
		b, err := f.read(dir+limitFile, smallLimit)
		if err != nil {
			if limit.State == parse.NotSupported {
				limit.State = why(err)
			}
			continue
		}
		n, ok := byteCount(b)
		switch {
		case !ok && string(bytes.TrimSpace(b)) != "max" && limit.State != parse.Present:
			limit.State = parse.Unavailable
		case ok && n < unlimited && (limit.State != parse.Present || n < limit.Value):
			limit, at = parse.Have(n), dir
		}
	}
	if at == "" {
		at = g.ownMemory(f, useFile)
	}
	if at == "" {
		return missing(parse.NotSupported), limit
	}
	b, err := f.read(at+useFile, smallLimit)
	if err != nil {
		return missing(why(err)), limit
	}
	holds, ok := byteCount(b)
	if b, err = f.read(at+"/memory.stat", smallLimit); err != nil {
		return missing(why(err)), limit
	}
	cache, okCache := statValue(b, cacheKey)
	if !ok || !okCache {
		return missing(parse.Unavailable), limit
	}
	// Version 1 tells limits of groups that a container cannot see.
	if n, ok := statValue(b, "hierarchical_memory_limit"); ok && n < unlimited && !(limit.State == parse.Present && limit.Value <= n) {
		limit = parse.Have(n)
	}
	return parse.Have(max(0, holds-cache)), limit
}

// ownMemory is the innermost group whose memory is counted; empty if that is the
// whole machine.
func (g *groups) ownMemory(f *files, useFile string) string {
	for _, dir := range g.memory.dirs {
		// Only the root of a tree of version 1 has this file; that of version 2 counts
		// no memory.
		if g.memory.v1 && f.exists(dir+"/cgroup.sane_behavior") {
			return ""
		}
		if f.exists(dir + useFile) {
			return dir
		}
	}
	return ""
}

// byteCount reads a file that holds one number, which may be near 2^64.
func byteCount(b []byte) (n float64, ok bool) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + float64(c-'0')
	}
	return n, true
}

// statValue reads the value of a key in memory.stat.
func statValue(b []byte, key string) (n float64, ok bool) {
	for line, rest, more := cutLine(b); more; line, rest, more = cutLine(rest) {
		if name, value := cutField(line); string(name) == key {
			return byteCount(value)
		}
	}
	return 0, false
}

// cpuLimit returns how many cores' time the group may use: by quota, or because it
// is bound to some of the cores that are online.
func (g *groups) cpuLimit(f *files, online int) parse.Number {
	limit := missing(parse.NotSupported)
	tighten := func(cores float64) {
		if limit.State != parse.Present || cores < limit.Value {
			limit = parse.Have(cores)
		}
	}
	for _, dir := range g.cpu.dirs {
		if cores, ok := quota(f, dir, g.cpu.v1); ok {
			tighten(cores)
		}
	}
	names := []string{"/cpuset.cpus.effective"}
	if g.set.v1 {
		names = []string{"/cpuset.effective_cpus", "/cpuset.cpus"}
	}
	for _, dir := range g.set.dirs {
		for _, name := range names {
			b, err := f.read(dir+name, smallLimit)
			if n := coreCount(b); err == nil && n > 0 {
				if n < online {
					tighten(float64(n))
				}
				return limit // what holds the group is counted in already
			}
		}
	}
	return limit
}

// quota reads "200000 100000" from cpu.max, or the two files of version 1:
// microseconds of processor time and in how many.
func quota(f *files, dir string, v1 bool) (cores float64, ok bool) {
	var used, period []byte
	if v1 {
		b, err := f.read(dir+"/cpu.cfs_quota_us", smallLimit)
		if err != nil || bytes.HasPrefix(b, []byte("-1")) {
			return 0, false
		}
		used = bytes.Clone(bytes.TrimSpace(b))
		if b, err = f.read(dir+"/cpu.cfs_period_us", smallLimit); err != nil {
			return 0, false
		}
		period = bytes.TrimSpace(b)
	} else {
		b, err := f.read(dir+"/cpu.max", smallLimit)
		if err != nil {
			return 0, false
		}
		used, b = cutField(bytes.TrimSpace(b))
		period, _ = cutField(b)
	}
	u, ok := count(used)
	p, okPeriod := count(period)
	if !ok || !okPeriod || u == 0 || p == 0 {
		return 0, false
	}
	return float64(u) / float64(p), true
}

// coreCount counts a list such as "0-3,8"; it is 0 if that is no list.
func coreCount(b []byte) int {
	n := uint64(0)
	for part := range bytes.SplitSeq(bytes.TrimSpace(b), []byte{','}) {
		from, to, isRange := bytes.Cut(part, []byte{'-'})
		if !isRange {
			to = from
		}
		a, okA := count(from)
		z, okZ := count(to)
		if !okA || !okZ || z < a || z >= 1<<20 {
			return 0
		}
		n += z - a + 1
	}
	return int(n)
}
