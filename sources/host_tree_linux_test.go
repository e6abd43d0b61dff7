package sources

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

// task lays a process: utime, stime, cutime and cstime in ticks.
func task(t testing.TB, root string, pid, ppid int, start uint64, times [4]int) {
	t.Helper()
	lay(t, root, fmt.Sprintf("proc/%d/stat", pid),
		fmt.Sprintf("%d (python) S %d 1 1 0 -1 4 5 0 0 0 %d %d %d %d 20 0 9 0 %d 9000000000 400000 1 1 1 0\n", pid, ppid, times[0], times[1], times[2], times[3], start))
	lay(t, root, fmt.Sprintf("proc/%d/task/%d/children", pid, pid), "")
	lay(t, root, fmt.Sprintf("proc/%d/smaps_rollup", pid), "55e0 ---p 0 [rollup]\nPss:   1000 kB\n")
}

func end(t testing.TB, root string, pid int) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(root, "proc", fmt.Sprint(pid))); err != nil {
		t.Fatal(err)
	}
}

func children(t testing.TB, root string, pid int, list string) {
	t.Helper()
	lay(t, root, fmt.Sprintf("proc/%d/task/%d/children", pid, pid), list)
}

func number(t *testing.T, what string, got parse.Number, want float64) {
	t.Helper()
	if v, ok := got.Get(); !ok || math.Abs(v-want) > 1e-9 {
		t.Errorf("%s is %+v, want %v", what, got, want)
	}
}

const trainerStart = 100000 // ticks; as in testdata/host/trainer.txt

func TestTrainerTree(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1760005000, 0)
	for _, listed := range []bool{true, false} {
		t.Run(fmt.Sprintf("children listed %v", listed), func(t *testing.T) {
			t.Parallel()
			p := fakeMachine(t, "trainer")
			root := p.files.root
			if !listed {
				for _, pid := range []string{"100", "101", "102", "103"} {
					check(t, os.RemoveAll(filepath.Join(root, "proc", pid, "task")))
				}
			}
			p.sample() // how many cores there are
			got := p.trainer(100, begin)
			if got.cpu != missing(parse.Unavailable) || got.workers != 2 {
				t.Errorf("at first %+v", got)
			}
			number(t, "PSS", got.pss, 1024*(2048000+512000+256000))
			put(t, filepath.Join(root, "proc/101/stat"), "101 (python) S 100 1 1 0 -1 4 5 0 0 0 1000 100 0 0 20 0 9 0 101000 9 4 1\n")
			put(t, filepath.Join(root, "proc/100/stat"), "100 (a) S 1 1 1 0 -1 4 5 0 0 0 10250 2000 304 40 20 0 9 0 100000 9 4 1\n")
			end(t, root, 103) // waited for, its 4 ticks are with its parent
			got = p.trainer(100, begin.Add(5*time.Second))
			number(t, "CPU", got.cpu, 7.5/5)
		})
	}
}

func TestTrainerWorkersComeAndGo(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1760005000, 0)
	cases := []struct {
		name    string
		change  func(t *testing.T, root string)
		want    float64 // cores, over 10 s from 5000 s after the start of the system
		workers int
		before  func(t *testing.T, root string)
	}{
		{"nothing happens", func(*testing.T, string) {}, 0, 2, nil},
		{"a new worker", func(t *testing.T, root string) {
			task(t, root, 300, 100, 500200, [4]int{700, 300, 0, 0})
			children(t, root, 100, "101 102 300 ")
		}, 1, 3, nil},
		{"an old process joins", func(t *testing.T, root string) {
			task(t, root, 300, 100, 400000, [4]int{1e9, 1e9, 0, 0})
			children(t, root, 100, "101 102 300 ")
		}, 0, 3, nil},
		{"a worker ends and is waited for", func(t *testing.T, root string) {
			end(t, root, 102) // it had 800 and used 500 more
			children(t, root, 100, "101 ")
			task100(t, root, [4]int{10000, 2000, 1300, 340})
		}, 0.5, 1, nil},
		{"a worker ends and nobody waits", func(t *testing.T, root string) {
			end(t, root, 102)
			children(t, root, 100, "101 ")
		}, 0, 1, nil},
		{"a worker with a child of its own ends", func(t *testing.T, root string) {
			end(t, root, 101)
			end(t, root, 110)
			children(t, root, 100, "102 ")
			task100(t, root, [4]int{10000, 2000, 300 + 650, 40 + 250}) // 600 and 50 known, 250 new
		}, 0.25, 1, func(t *testing.T, root string) {
			task(t, root, 110, 101, 101500, [4]int{40, 10, 0, 0})
			children(t, root, 101, "110 ")
		}},
		{"a number is used again", func(t *testing.T, root string) {
			task(t, root, 102, 100, 500300, [4]int{200, 0, 0, 0})
		}, 0.2, 2, nil},
		{"all workers are renewed", func(t *testing.T, root string) {
			end(t, root, 101)
			end(t, root, 102)
			task(t, root, 301, 100, 500100, [4]int{1, 0, 0, 0})
			task(t, root, 302, 100, 500100, [4]int{1, 0, 0, 0})
			children(t, root, 100, "301 302 ")
			task100(t, root, [4]int{10000, 2000, 1500, 290})
		}, 0.002 + 0.05, 2, nil},
		{"more than there can be", func(t *testing.T, root string) {
			task100(t, root, [4]int{1e9, 1e9, 0, 0})
		}, 4, 2, nil},
		{"times that fall", func(t *testing.T, root string) {
			task100(t, root, [4]int{1, 1, 1, 1})
		}, 0, 2, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := fakeMachine(t, "trainer")
			root := p.files.root
			children(t, root, 100, "101 102 ")
			end(t, root, 103)
			check(t, os.RemoveAll(filepath.Join(root, "proc/100/task/130")))
			if c.before != nil {
				c.before(t, root)
			}
			p.sample()
			p.trainer(100, begin)
			c.change(t, root)
			got := p.trainer(100, begin.Add(10*time.Second))
			number(t, "CPU", got.cpu, c.want)
			if got.workers != c.workers {
				t.Errorf("%d workers, want %d", got.workers, c.workers)
			}
		})
	}
}

// task100 changes the times of the trainer itself.
func task100(t *testing.T, root string, times [4]int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "proc/100/task/100/children"))
	check(t, err)
	task(t, root, 100, 1, trainerStart, times)
	children(t, root, 100, string(b))
}

func TestTrainerThatEnds(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1760005000, 0)
	p := fakeMachine(t, "trainer")
	p.trainer(100, begin)
	end(t, p.files.root, 100)
	if got := p.trainer(100, begin.Add(5*time.Second)); got != missingTrainer(parse.Unavailable) {
		t.Errorf("after its end: %+v", got)
	}
	task(t, p.files.root, 100, 1, trainerStart+1, [4]int{1e6, 0, 0, 0})
	if got := p.trainer(100, begin.Add(10*time.Second)); got.cpu != missing(parse.Unavailable) || got.workers != 0 {
		t.Errorf("another process with its number: %+v", got)
	}
}

func TestTrainerReplacedUnderItsNumber(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1760005000, 0)
	p := fakeMachine(t, "trainer")
	p.trainer(100, begin)
	task(t, p.files.root, 100, 1, trainerStart+1, [4]int{1e6, 0, 0, 0})
	if got := p.trainer(100, begin.Add(5*time.Second)); got.cpu != missing(parse.Unavailable) {
		t.Errorf("got %+v", got)
	}
}

func TestTrainerMemoryThatIsNotTold(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		alone bool
		err   error
		path  string
		want  parse.Number
	}{
		{"of another user", false, unix.EACCES, "/smaps_rollup", missing(parse.NoPermission)},
		{"one of them", false, unix.EACCES, "/102/smaps_rollup", missing(parse.NoPermission)},
		{"an old kernel", false, unix.ENOENT, "/smaps_rollup", missing(parse.NotSupported)},
		{"one has just ended", false, unix.ESRCH, "/102/smaps_rollup", parse.Have(1024 * (2048000 + 512000))},
		{"all have just ended", false, unix.ESRCH, "/smaps_rollup", missing(parse.Unavailable)},
		{"of another user, alone", true, unix.EACCES, "/smaps_rollup", parse.Have(250000 * 4096)},
		{"an old kernel, alone", true, unix.ENOENT, "/smaps_rollup", parse.Have(250000 * 4096)},
		{"nothing, alone", true, unix.EACCES, "m", missing(parse.NoPermission)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := fakeMachine(t, "trainer")
			p.tree.page = 4096
			if c.alone {
				children(t, p.files.root, 100, "")
				check(t, os.RemoveAll(filepath.Join(p.files.root, "proc/100/task/130")))
			}
			p.tree.files.open = refusing(c.path, c.err)
			if c.path == "m" {
				p.tree.files.open = func(path string) (int, error) {
					if filepath.Base(path) == "statm" || filepath.Base(path) == "smaps_rollup" {
						return -1, c.err
					}
					return openRaw(path)
				}
			}
			if got := p.trainer(100, time.Unix(1, 0)); got.pss != c.want {
				t.Errorf("got %+v, want %+v", got.pss, c.want)
			}
		})
	}
}

// The group is the trainer's, which may be another than ours.
func TestHostGroupOfTheTrainer(t *testing.T) {
	t.Parallel()
	for group, want := range map[string]parse.Number{
		"0::/machine slice/job-8\n": parse.Have(5e9),
		"0::/../job-8\n":            parse.Have(6e9), // cannot be seen: ours
		"":                          parse.Have(6e9),
	} {
		p := fakeMachine(t, "nested")
		lay(t, p.files.root, "sys/fs/cgroup/machine slice/job-8/memory.max", "5000000000\n")
		lay(t, p.files.root, "proc/100/cgroup", group)
		h := &parse.Host{}
		p.machine(h, 0, time.Time{})
		if h.GroupLimit != parse.Have(6e9) {
			t.Errorf("ours has %+v", h.GroupLimit)
		}
		p.machine(h, 100, time.Time{})
		if h.GroupLimit != want {
			t.Errorf("in %q: %+v, want %+v", group, h.GroupLimit, want)
		}
	}
}
