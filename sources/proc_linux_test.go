package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// trainerFolder is the machine with a trainer, where process 100 can be looked into.
func trainerFolder(t testing.TB) string {
	t.Helper()
	root := fakeRoot(t, "trainer")
	lay(t, root, "proc/100/cmdline", "python\x00train.py\x00\x00--data=a b\x00")
	lay(t, root, "proc/100/environ", "HOME=/home/ana\x00CUDA_VISIBLE_DEVICES=1\x00CUDA_VISIBLE_DEVICES=2\x00EMPTY=\x00odd\x00")
	if err := os.Symlink("/home/ana/yolo", filepath.Join(root, "proc/100/cwd")); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestReadProcess(t *testing.T) {
	t.Parallel()
	p := newProcfs(trainerFolder(t))
	want := Process{
		PID: 100, PPID: 1, UID: 1000, User: "ana", Name: "python) S 1 (x",
		Args: []string{"python", "train.py", "", "--data=a b"}, Cwd: "/home/ana/yolo",
		Environ: map[string]string{"HOME": "/home/ana", "CUDA_VISIBLE_DEVICES": "1", "EMPTY": ""},
		Started: time.Unix(1760001000, 0),
	}
	got, err := p.one(100)
	check(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	got, err = p.one(101) // little is told of it
	check(t, err)
	want = Process{PID: 101, PPID: 100, UID: -1, Name: "python", Started: time.Unix(1760001010, 0)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	for _, pid := range []int{0, -1, 77} {
		if _, err := p.one(pid); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("process %d: %v", pid, err)
		}
	}
}

func TestReadProcessOfAnotherUser(t *testing.T) {
	t.Parallel()
	p := newProcfs(trainerFolder(t))
	p.open = refusing("/environ", unix.EACCES)
	got, err := p.one(100)
	check(t, err)
	if got.Environ != nil || len(got.Args) != 4 {
		t.Errorf("got %+v", got)
	}
	p.open = refusing("/100/stat", unix.EACCES)
	if _, err := p.one(100); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

func TestProcessesThatEndMeanwhile(t *testing.T) {
	t.Parallel()
	p := newProcfs(trainerFolder(t))
	check(t, os.MkdirAll(filepath.Join(p.root, "proc/555"), 0o700)) // listed, and gone when read
	p.open = refusing("/proc/102/stat", unix.ESRCH)
	all, err := p.all()
	check(t, err)
	var pids []int
	for _, q := range all {
		pids = append(pids, q.PID)
	}
	slices.Sort(pids)
	if want := []int{1, 100, 101, 103, 200}; !slices.Equal(pids, want) {
		t.Errorf("got %v, want %v", pids, want)
	}
	if _, err := newProcfs(t.TempDir()).all(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without /proc: %v", err)
	}
}

func TestReadProcessIsBounded(t *testing.T) {
	t.Parallel()
	p := newProcfs(trainerFolder(t))
	lay(t, p.root, "proc/100/cmdline", "python\x00"+strings.Repeat("x", 1<<20))
	lay(t, p.root, "proc/100/environ", strings.Repeat("K=v\x00", 1<<18))
	got, err := p.one(100)
	check(t, err)
	if !slices.Equal(got.Args, []string{"python"}) || got.Environ["K"] != "v" {
		t.Errorf("%d arguments, environment %v", len(got.Args), got.Environ)
	}
}

// A process that changes its memory map lets nobody look, for however long.
func TestReadProcessDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newProcfs(trainerFolder(t))
		let := make(chan struct{})
		p.open = func(path string) (int, error) {
			if strings.HasSuffix(path, "/100/cmdline") {
				<-let
			}
			return openRaw(path)
		}
		for range memoryReaders {
			begin := time.Now()
			got, err := p.one(100)
			check(t, err)
			if took := time.Since(begin); got.Name == "" || got.Args != nil || took != memoryPatience {
				t.Fatalf("got %+v after %v", got, took)
			}
		}
		begin := time.Now()
		if got, err := p.one(100); err != nil || got.Args != nil || time.Since(begin) != 0 {
			t.Errorf("with all readers stuck: %+v, %v", got, err)
		}
		close(let)
		synctest.Wait()
		if got, err := p.one(100); err != nil || len(got.Args) != 4 {
			t.Errorf("after that: %+v, %v", got, err)
		}
	})
}

func TestProcessesOfThisMachine(t *testing.T) {
	t.Parallel()
	self, err := ReadProcess(os.Getpid())
	check(t, err)
	if self.PPID != os.Getppid() || self.UID != os.Getuid() || len(self.Args) == 0 || self.Environ == nil {
		t.Errorf("this test is %+v", self)
	}
	all, err := Processes()
	check(t, err)
	if !slices.ContainsFunc(all, func(p Process) bool { return p.PID == self.PID && p.Started.Equal(self.Started) }) {
		t.Error("this test is not among all processes")
	}
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	const good = "7 (a) S 1 1 1 0 -1 4 5 0 0 0 10 20 -30 40 20 0 9 0 500 9\n"
	want := procStat{state: 'S', ppid: 1, own: 30, reaped: 40, start: 500}
	if got, ok := parseStat([]byte(good)); !ok || got != want {
		t.Errorf("got %+v, %v", got, ok)
	}
	for n := range strings.LastIndexByte(good, ' ') {
		if got, ok := parseStat([]byte(good[:n])); ok {
			t.Errorf("cut after %d bytes: %+v", n, got)
		}
	}
	for _, bad := range []string{
		"", ")", "7 (a)", "7 a S 1", "7 (a) S x 1 1 0 -1 4 5 0 0 0 10 20 30 40 20 0 9 0 500 9\n",
		"7 (a) S 1 1 1 0 -1 4 5 0 0 0 99999999999999999999 20 30 40 20 0 9 0 500 9\n",
	} {
		if got, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}
