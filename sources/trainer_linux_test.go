package sources

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

// pythonChild is set in a child that stands for a trainer.
const pythonChild = "YOLOTOP_TEST_PYTHON"

// TestPythonChild is that child, and nothing in the parent: it writes a line and waits
// for its input to end.
func TestPythonChild(t *testing.T) {
	if os.Getenv(pythonChild) == "" {
		return
	}
	fmt.Println("training")
	fmt.Fprintln(os.Stderr, "training")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// python is a folder with this test's own program under the name of an interpreter.
func python(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	dir := t.TempDir()
	check(t, os.Symlink(self, filepath.Join(dir, "python3")))
	return dir
}

// shell runs a script in which "train" is a program that looks like a trainer. What
// comes to its error stream tells that all is set up: that many lines of the trainer.
// All that it starts ends with the test.
func shell(t *testing.T, lines int, script string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", `exec 3<&0; train() { python3 -test.run=^TestPythonChild$ <&3; }; `+script)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), append([]string{pythonChild + "=1", "PATH=" + python(t) + ":" + os.Getenv("PATH")}, env...)...)
	in, err := cmd.StdinPipe()
	check(t, err)
	errs, err := cmd.StderrPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	for r := bufio.NewReader(errs); lines > 0; lines-- {
		if line, err := r.ReadString('\n'); err != nil || line != "training\n" {
			t.Fatalf("the trainer says %q, %v", line, err)
		}
	}
	return cmd
}

func TestTrainerOfAFile(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a file":          "train > train.log",
		"appended":        "train >> train.log",
		"a shell's child": "( echo begin; train ) > train.log",
		"behind tee":      "train 2>/dev/null | tee train.log >&2",
		"behind two":      "train 2>/dev/null | cat | tee train.log >&2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := shell(t, 1, script, "CUDA_VISIBLE_DEVICES=3,GPU-1", "CUDA_DEVICE_ORDER=PCI_BUS_ID")
			path := filepath.Join(cmd.Dir, "train.log")
			got, ok := findTrainer(path)
			if !ok {
				t.Fatal("not found")
			}
			p, err := ReadProcess(got.PID)
			check(t, err)
			if p.Name != "python3" || !slices.Contains(got.Processes, got.PID) {
				t.Errorf("found %+v, which is %q", got, p.Name)
			}
			if !got.IsVisible || got.Visible != "3,GPU-1" || got.Order != "PCI_BUS_ID" {
				t.Errorf("its environment is %+v", got)
			}
			link := filepath.Join(t.TempDir(), "link.log")
			check(t, os.Symlink(path, link))
			if by, ok := findTrainer(link); !ok || by.PID != got.PID {
				t.Errorf("through a link it is %+v, %v", by, ok)
			}
		})
	}
}

func TestTrainerOfOurInput(t *testing.T) {
	t.Parallel()
	const reader = " | sh -c 'echo $$ > pid; exec cat >&2'"
	for name, script := range map[string]string{
		"a pipe":     "train 2>/dev/null" + reader,
		"behind tee": "train 2>/dev/null | tee copy.log" + reader,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := shell(t, 1, script)
			b, err := os.ReadFile(filepath.Join(cmd.Dir, "pid"))
			check(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
			check(t, err)
			got, ok := ourProcfs.findTrainer("-", pid)
			if !ok {
				t.Fatal("not found")
			}
			if p, err := ReadProcess(got.PID); err != nil || p.Name != "python3" {
				t.Errorf("found %+v, which is %+v, %v", got, p, err)
			}
		})
	}
}

// A log is not the work of who only reads it, nor of a program that is no trainer, nor
// of one of two that share it.
func TestNoTrainer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		lines  int
	}{
		"a reader":    {"touch train.log; train 4< train.log", 1},
		"another log": {"touch train.log; train > other.log", 1},
		"no trainer":  {"echo training >&2; exec cat > train.log", 1},
		"two":         {"train > train.log & train >> train.log", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := shell(t, c.lines, c.script)
			if got, ok := findTrainer(filepath.Join(cmd.Dir, "train.log")); ok {
				t.Errorf("found %+v", got)
			}
		})
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "missing"), t.TempDir(), "/dev/null"} {
		if got, ok := findTrainer(path); ok {
			t.Errorf("%s has the trainer %+v", path, got)
		}
	}
}

// TestTrainersFollow promises that a trainer is published when it is found, when its
// processes change and when it has ended, and found again where another one follows.
func TestTrainersFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, there := parse.Trainer{}, false
		set := func(next parse.Trainer, ok bool) {
			mu.Lock()
			defer mu.Unlock()
			now, there = next, ok
		}
		looked := 0
		s := NewTrainers(TrainersOptions{
			Inputs: []string{"", "train.log"},
			find: func(path string) (parse.Trainer, bool) {
				mu.Lock()
				defer mu.Unlock()
				looked++
				return now, there && path == "train.log"
			},
			look: func(known parse.Trainer) (parse.Trainer, bool) {
				mu.Lock()
				defer mu.Unlock()
				return now, there && now.PID == known.PID
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := &recorder{}
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx, r) }()
		seen := func(d time.Duration, want ...int) {
			t.Helper()
			<-time.After(d)
			synctest.Wait()
			events := r.all()
			var got []int
			for _, e := range events {
				if e.Input != 1 {
					t.Errorf("it is of input %d", e.Input)
				}
				got = append(got, e.Record.(*parse.Trainer).PID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("published %v, want %v", got, want)
			}
			if pid := s.PID(); len(want) > 0 && pid != want[len(want)-1] {
				t.Errorf("the trainer is %d, want %v", pid, want)
			}
		}
		seen(time.Hour)
		if looked < 50 || looked > 100 {
			t.Errorf("looked for %d times in an hour without one", looked)
		}
		set(parse.Trainer{PID: 7, Processes: []int{7}}, true)
		seen(time.Minute, 7)
		set(parse.Trainer{PID: 7, Processes: []int{7, 8}}, true)
		seen(trainerEvery, 7, 7)
		seen(time.Minute, 7, 7)
		set(parse.Trainer{}, false)
		seen(trainerEvery, 7, 7, 0)
		set(parse.Trainer{PID: 9}, true)
		seen(time.Minute, 7, 7, 0, 9)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestTrainerThatIsGone(t *testing.T) {
	t.Parallel()
	if got, ok := lookAtTrainer(parse.Trainer{PID: 1 << 30}); ok {
		t.Errorf("a process that is not there is %+v", got)
	}
}

// A process that only has the number of a trainer that has ended is another one.
func TestTrainerIsNoOtherProcessOfItsNumber(t *testing.T) {
	t.Parallel()
	now, ok := lookAtTrainer(parse.Trainer{PID: os.Getpid()})
	if !ok || now.Start == 0 {
		t.Fatalf("%+v, %v", now, ok)
	}
	if again, ok := lookAtTrainer(now); !ok || again.Start != now.Start {
		t.Errorf("the same one is %+v, %v", again, ok)
	}
	now.Start++
	if other, ok := lookAtTrainer(now); ok {
		t.Errorf("another one is %+v", other)
	}
}
