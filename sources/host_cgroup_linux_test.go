package sources

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"yolotop/parse"
)

func TestGroupMounts(t *testing.T) {
	t.Parallel()
	got := groupMounts([]byte("31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n" +
		`35 31 0:32 /a\040b /sys/fs/c\134d rw,relatime shared:1 master:2 - cgroup cgroup rw,memory` + "\n" +
		"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n" +
		"42 31 0:38 / /cut rw - cgroup2 cgroup2 rw"))
	want := []groupMount{
		{root: "/a b", point: `/sys/fs/c\d`, controllers: ",rw,memory,"},
		{root: "/", point: "/sys/fs/cgroup/unified"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestLocateGroups(t *testing.T) {
	t.Parallel()
	const v2 = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	cases := []struct {
		name, membership, mounts string
		dirs                     []string // that exist
		want                     []string
		v1                       bool
	}{
		{"nested", "0::/a/b\n", v2, []string{"/sys/fs/cgroup/a/b"}, []string{"/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"}, false},
		{"a container that is told the machine's path", "0::/docker/4f\n", v2, nil, []string{"/sys/fs/cgroup"}, false},
		{"outside the namespace", "0::/../b\n", v2, []string{"/sys/fs/cgroup/b"}, []string{"/sys/fs/cgroup"}, false},
		{"deleted", "0::/a (deleted)\n", v2, nil, []string{"/sys/fs/cgroup"}, false},
		{"no list of mounts", "0::/a\n", "", []string{"/sys/fs/cgroup/a"}, []string{"/sys/fs/cgroup/a", "/sys/fs/cgroup"}, false},
		{"no list of mounts, version 1", "4:memory:/a\n", "", nil, []string{"/sys/fs/cgroup/memory"}, true},
		{"not told", "", "", nil, []string{"/sys/fs/cgroup"}, false},
		{
			"both versions", "4:memory:/a\n0::/b\n",
			"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
			[]string{"/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/unified/b"},
			[]string{"/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"},
			true,
		},
		{
			"two mounts", "0::/a/b\n", "1 1 0:1 /x /other rw - cgroup2 cgroup2 rw\n" + "2 1 0:1 /a /mine rw - cgroup2 cgroup2 rw\n",
			[]string{"/mine/b"},
			[]string{"/mine/b", "/mine"},
			false,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &files{root: t.TempDir()}
			for _, dir := range c.dirs {
				check(t, os.MkdirAll(filepath.Join(f.root, dir), 0o700))
			}
			got := locate(f, []byte(c.membership), groupMounts([]byte(c.mounts)), "memory", "/sys/fs/cgroup/memory")
			if !slices.Equal(got.dirs, c.want) || got.v1 != c.v1 {
				t.Errorf("got %+v, want %v", got, c.want)
			}
		})
	}
}

// The root of a tree of version 1 counts the whole machine.
func TestGroupThatIsTheMachine(t *testing.T) {
	t.Parallel()
	p := fakeMachine(t, "bare")
	const dir = "sys/fs/cgroup/memory/"
	lay(t, p.files.root, "proc/self/cgroup", "4:memory:/\n0::/\n")
	lay(t, p.files.root, "proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
	lay(t, p.files.root, dir+"memory.limit_in_bytes", "9223372036854771712\n")
	lay(t, p.files.root, dir+"memory.usage_in_bytes", "9000000\n")
	lay(t, p.files.root, dir+"memory.stat", "total_inactive_file 1\nhierarchical_memory_limit 9223372036854771712\n")
	lay(t, p.files.root, dir+"cgroup.sane_behavior", "0\n")
	none := missing(parse.NotSupported)
	if h := p.sample(); h.GroupUsed != none || h.GroupLimit != none {
		t.Errorf("holds %+v of %+v", h.GroupUsed, h.GroupLimit)
	}
}

// A limit may be set, and a process moved, while we look.
func TestGroupThatChanges(t *testing.T) {
	t.Parallel()
	p := fakeMachine(t, "bare")
	p.sample()
	const session = "sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/"
	lay(t, p.files.root, session+"memory.max", "7000000000\n")
	if h := p.sample(); h.GroupLimit != parse.Have(7e9) || h.GroupUsed != parse.Have(4e9) {
		t.Errorf("with a new limit: %+v of %+v", h.GroupUsed, h.GroupLimit)
	}
	lay(t, p.files.root, "proc/self/cgroup", "0::/user.slice\n")
	if h := p.sample(); h.GroupLimit != missing(parse.NotSupported) || h.GroupUsed != parse.Have(9e9-7) {
		t.Errorf("after a move: %+v of %+v", h.GroupUsed, h.GroupLimit)
	}
}

func TestCoreCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"0-3,8\n": 5, "7": 1, "0": 1, "0-63,128-191": 128, "": 0, "\n": 0, "3-1": 0, "0-": 0, "a": 0, "0-99999999999": 0, "0,,1": 0,
	} {
		if got := coreCount([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCPULimit(t *testing.T) {
	t.Parallel()
	const dir = "sys/fs/cgroup/"
	cases := []struct {
		name, max, set string
		online         int
		want           parse.Number
	}{
		{"a quota", "150000 100000\n", "0-3\n", 4, parse.Have(1.5)},
		{"a set", "max 100000\n", "1,3\n", 4, parse.Have(2)},
		{"both", "100000 50000\n", "2\n", 4, parse.Have(1)},
		{"all cores", "max 100000\n", "0-3\n", 4, missing(parse.NotSupported)},
		{"cores not known", "max 100000\n", "0-3\n", 0, missing(parse.NotSupported)},
		{"nothing of it makes sense", "1 0\n", "x\n", 4, missing(parse.NotSupported)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &files{root: t.TempDir()}
			lay(t, f.root, dir+"cpu.max", c.max)
			lay(t, f.root, dir+"cpuset.cpus.effective", c.set)
			var g groups
			g.find(f, 0)
			if got := g.cpuLimit(f, c.online); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
