//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// trainerBinary builds the scripted trainer once.
var trainerBinary = sync.OnceValues(func() (string, error) {
	path, err := binary()
	if err != nil {
		return "", err
	}
	path = filepath.Join(filepath.Dir(path), "trainer")
	out, err := exec.Command("go", "build", "-o", path, "./testdata/trainer").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// scriptedRun is a scripted trainer whose output goes to yolotop in a terminal.
type scriptedRun struct {
	*window
	gate   *os.File // to tell it what to do
	report string   // path of what it says at its end
	folder string
}

// script starts a shell command in a terminal, in which $TRAINER is the trainer.
func script(t *testing.T, command string) *scriptedRun {
	t.Helper()
	trainer, err := trainerBinary()
	if err != nil {
		t.Fatal(err)
	}
	s := &scriptedRun{folder: t.TempDir()}
	gate := filepath.Join(s.folder, "gate")
	s.report = filepath.Join(s.folder, "report.json")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	if s.gate, err = os.OpenFile(gate, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.gate.Close() })
	s.window = open(t, 100, 30, command, "TRAINER="+trainer, "TRAINER_GATE="+gate, "TRAINER_REPORT="+s.report, "FOLDER="+s.folder)
	return s
}

// tell tells the trainer what to do.
func (s *scriptedRun) tell(commands ...string) {
	s.t.Helper()
	if _, err := s.gate.WriteString(strings.Join(commands, "\n") + "\n"); err != nil {
		s.t.Fatal(err)
	}
}

// trainerReport is what the trainer says at its end.
type trainerReport struct {
	Sum             string
	Bytes           int
	Signals, Errors []string
	Terminal        string
}

// ends waits for the trainer's end and reads its report.
func (s *scriptedRun) ends() (r trainerReport) {
	s.t.Helper()
	wait(s.t, "the trainer's report", func() bool {
		data, err := os.ReadFile(s.report)
		return err == nil && json.Unmarshal(data, &r) == nil
	})
	return r
}

// unharmed checks that nothing was done to the trainer and that a file has each byte of it.
func (s *scriptedRun) unharmed(r trainerReport, log string) {
	s.t.Helper()
	if len(r.Signals) > 0 || len(r.Errors) > 0 {
		s.t.Errorf("signals %q, failed writes %q", r.Signals, r.Errors)
	}
	s.kept(r, log)
}

// kept checks that a file has, in the end, each byte that the trainer wrote.
func (s *scriptedRun) kept(r trainerReport, log string) {
	s.t.Helper()
	var size int
	wait(s.t, "all of the log", func() bool {
		data, err := os.ReadFile(log)
		sum := sha256.Sum256(data)
		size = len(data)
		return err == nil && hex.EncodeToString(sum[:]) == r.Sum
	})
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
		s.t.Errorf("%s of %d bytes: %v, %v", log, size, info.Mode(), err)
	}
}

// children are the processes that a process has started.
func children(pid int) (out []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(data), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			out = append(out, child)
		}
	}
	return out
}

// processes are those at or below a process whose command line has the given words.
func processes(pid int, words ...string) (out []int) {
	for _, p := range append([]int{pid}, children(pid)...) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p))
		if all := !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(string(line), w) }); all {
			out = append(out, p)
		}
		if p != pid {
			for _, q := range processes(p, words...) {
				if !slices.Contains(out, q) {
					out = append(out, q)
				}
			}
		}
	}
	return out
}

// keeperAndViewer are the two processes of yolotop in a pipe.
func (s *scriptedRun) keeperAndViewer() (keeper, viewer int) {
	s.t.Helper()
	wait(s.t, "keeper and viewer", func() bool {
		for _, p := range processes(s.cmd.Process.Pid, "yolotop", "--tee") {
			for _, c := range children(p) {
				if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", c)); err == nil && strings.HasPrefix(string(line), "yolotop\x00--tee\x00") { // not the one that asks the devices
					keeper, viewer = p, c
				}
			}
		}
		return viewer > 0
	})
	return keeper, viewer
}

// kill sends a signal to a process.
func (s *scriptedRun) kill(pid int, signal syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(pid, signal); err != nil {
		s.t.Fatal(err)
	}
}

const pipeCommand = `"$TRAINER" 2>&1 | "$YOLOTOP" --tee "$FOLDER/train.log" -`

// TestNothingEndsTheTraining promises that whatever happens to the viewer, the training goes on to
// its end, unharmed, that each of its bytes is kept, and that the terminal is as before.
func TestNothingEndsTheTraining(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		act    func(s *scriptedRun)
		status int
		says   string
	}{
		{"q", func(s *scriptedRun) { s.press("q") }, exitOK, "the log: "},
		{"ctrl-c", func(s *scriptedRun) { s.press("\x03") }, exitOK, "yolo train resume"},
		{"terminate", func(s *scriptedRun) { k, _ := s.keeperAndViewer(); s.kill(k, syscall.SIGTERM) }, exitInterrupted, ""},
		{"interrupt", func(s *scriptedRun) { k, _ := s.keeperAndViewer(); s.kill(k, syscall.SIGINT) }, exitInterrupted, ""},
		{"quit", func(s *scriptedRun) { k, _ := s.keeperAndViewer(); s.kill(k, syscall.SIGQUIT) }, exitInterrupted, ""},
		{"hangup of yolotop", func(s *scriptedRun) { k, _ := s.keeperAndViewer(); s.kill(k, syscall.SIGHUP) }, exitInterrupted, ""},
		{"kill of the viewer", func(s *scriptedRun) { _, v := s.keeperAndViewer(); s.kill(v, syscall.SIGKILL) }, exitOK, "the viewer crashed (signal: killed)"},
		{"a crash that Go cannot catch", func(s *scriptedRun) { _, v := s.keeperAndViewer(); s.kill(v, syscall.SIGSEGV) }, exitOK, "the viewer crashed"},
		{"abort of the viewer", func(s *scriptedRun) { _, v := s.keeperAndViewer(); s.kill(v, syscall.SIGABRT) }, exitOK, "the viewer crashed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := script(t, pipeCommand)
			s.tell("rows 3")
			s.shows("3/10000")
			c.act(s)
			s.until("the alternate screen left", func(string) bool { return strings.Contains(s.output(), "\x1b[?1049l") })
			s.tell("bulk 3000", "exit 0")
			s.unharmed(s.ends(), filepath.Join(s.folder, "train.log"))
			s.shows("the trainer's last words")
			s.restored(c.status)
			if !strings.Contains(s.output(), c.says) {
				t.Errorf("does not say %q: %s", c.says, s.output())
			}
		})
	}
}

// TestTheViewerComesAgain promises that a viewer that has crashed is there again for Enter, with
// all that was printed so far.
func TestTheViewerComesAgain(t *testing.T) {
	t.Parallel()
	s := script(t, pipeCommand)
	s.tell("rows 3")
	s.shows("3/10000")
	_, viewer := s.keeperAndViewer()
	s.kill(viewer, syscall.SIGKILL)
	s.shows("Enter starts the viewer again")
	s.tell("rows 2")
	s.shows("mAP50") // its text passes
	s.press("\r")
	s.shows("5/10000")
	s.tell("rows 1", "exit 0")
	s.shows("6/10000")
	s.unharmed(s.ends(), filepath.Join(s.folder, "train.log"))
	s.press("q")
	s.restored(exitOK)
}

// TestAnAnswerIsNoEnter promises that what the terminal answers to a viewer which has crashed does
// not start another one.
func TestAnAnswerIsNoEnter(t *testing.T) {
	t.Parallel()
	s := script(t, pipeCommand)
	s.tell("rows 3")
	s.shows("3/10000")
	_, viewer := s.keeperAndViewer()
	s.kill(viewer, syscall.SIGSTOP) // it leaves the answer unread, and dies
	s.press("\x1b[?2026;2$y")
	s.kill(viewer, syscall.SIGKILL)
	s.shows("Enter starts the viewer again")
	s.tell("rows 1", "exit 0")
	s.unharmed(s.ends(), filepath.Join(s.folder, "train.log"))
	s.shows("the trainer's last words")
	s.restored(exitOK)
}

// TestCtrlZDoesNotStopTheTraining promises that the key which stops jobs does nothing while the
// screen is up, and that a viewer that was stopped hinders nobody.
func TestCtrlZDoesNotStopTheTraining(t *testing.T) {
	t.Parallel()
	s := script(t, pipeCommand)
	s.tell("rows 3")
	s.shows("3/10000")
	s.press("\x1a")
	s.tell("rows 1")
	s.shows("4/10000")
	_, viewer := s.keeperAndViewer()
	s.kill(viewer, syscall.SIGSTOP)
	s.tell("bulk 5000", "exit 0")
	s.unharmed(s.ends(), filepath.Join(s.folder, "train.log"))
	s.kill(viewer, syscall.SIGCONT)
	s.press("q")
	s.restored(exitOK)
}

// TestATerminalThatStopsReading promises that a terminal which takes nothing any more does not
// block the training, not even where its text only passes through.
func TestATerminalThatStopsReading(t *testing.T) {
	t.Parallel()
	for name, quit := range map[string]bool{"with the screen": false, "with the text": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := script(t, pipeCommand)
			s.tell("rows 3")
			s.shows("3/10000")
			if quit {
				s.press("q")
				s.until("the alternate screen left", func(string) bool { return strings.Contains(s.output(), "\x1b[?1049l") })
			}
			s.stall()
			s.tell("rows 50", "bulk 20000", "exit 0")
			s.unharmed(s.ends(), filepath.Join(s.folder, "train.log"))
			s.flow()
			if quit {
				s.shows("the trainer's last words")
			} else {
				s.shows("53/10000")
				s.press("q")
			}
			s.restored(exitOK)
		})
	}
}

// TestALostTerminalLeavesADrain promises that a terminal that goes away, with its hangup, does the
// training no harm that it does not take itself.
func TestALostTerminalLeavesADrain(t *testing.T) {
	t.Parallel()
	s := script(t, `trap "" HUP; `+pipeCommand)
	s.tell("rows 3")
	s.shows("3/10000")
	if err := s.master.Close(); err != nil {
		t.Fatal(err)
	}
	s.tell("bulk 3000", "exit 0")
	r := s.ends()
	r.Signals = slices.DeleteFunc(r.Signals, func(name string) bool { return name == syscall.SIGHUP.String() }) // it is on that terminal, too
	s.unharmed(r, filepath.Join(s.folder, "train.log"))
	s.gone()
}

// TestATeeThatIsFull promises that a disk which takes nothing any more ends the keeping, and
// neither the training nor its text.
func TestATeeThatIsFull(t *testing.T) {
	t.Parallel()
	s := script(t, `ulimit -f 8; trap "" XFSZ; `+pipeCommand)
	s.tell("rows 3")
	s.shows("3/10000")
	s.tell("bulk 3000")
	s.shows("no longer kept")
	s.press("q")
	s.until("the alternate screen left", func(string) bool { return strings.Contains(s.output(), "\x1b[?1049l") })
	s.tell("bulk 10", "exit 0")
	if r := s.ends(); len(r.Signals)+len(r.Errors) > 0 {
		t.Errorf("%+v", r)
	}
	s.shows("the trainer's last words")
	s.restored(exitOK)
}

// TestATeeIsNeverOverwritten promises that a file which exists stays, and where the bytes go.
func TestATeeIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	s := script(t, `echo old > "$FOLDER/train.log"; `+pipeCommand)
	s.tell("rows 3")
	s.shows("3/10000")
	s.press("q")
	s.tell("exit 0")
	s.unharmed(s.ends(), filepath.Join(s.folder, "train-2.log"))
	s.shows("train-2.log")
	s.restored(exitOK)
	if data, err := os.ReadFile(filepath.Join(s.folder, "train.log")); err != nil || string(data) != "old\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(s.folder, "train-3.log")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestAnEmptyPipeIsExplained promises that a pipe through which nothing comes is explained after some
// seconds, with the remedies.
func TestAnEmptyPipeIsExplained(t *testing.T) {
	t.Parallel()
	w := open(t, 100, 30, `sleep 1000 | "$YOLOTOP" -`)
	w.shows("nothing was read yet")
	w.shows("PYTHONUNBUFFERED=1")
	w.shows("yolotop run -- COMMAND")
}

// TestWhoReadsUsGoes promises that yolotop ends when nobody can read its lines any more and nobody
// depends on it, quietly where a reader has gone, and with the reason where a disk is full.
func TestWhoReadsUsGoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	status, long := filepath.Join(dir, "status"), filepath.Join(dir, "long.log")
	if err := os.WriteFile(long, []byte(logOf(16, make([]float64, 2000)...)), 0o600); err != nil { // its lines fill a pipe
		t.Fatal(err)
	}
	w := open(t, 80, 24, `{ "$YOLOTOP" --follow "$LONG"; echo $? > "$STATUS"; } | head -1; "$YOLOTOP" "$LOG" > /dev/full; echo "status $?"`, "LOG="+logFile(t), "LONG="+long, "STATUS="+status)
	w.shows("no space left on device")
	w.shows("status 3")
	if got, err := os.ReadFile(status); err != nil || string(got) != "0\n" {
		t.Errorf("status %q, %v", got, err)
	}
}

// TestCheckIsInterruptible promises that an interrupt ends a check that waits for a writer.
func TestCheckIsInterruptible(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "check", fifo)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when it is being read
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
		t.Errorf("status %d", got)
	}
}

// TestALostTerminalUnderNohup promises that a screen ends with its terminal though no hangup arrives
// and nothing changes on it.
func TestALostTerminalUnderNohup(t *testing.T) {
	t.Parallel()
	w := open(t, 100, 30, `trap "" HUP; "$YOLOTOP" "$LOG"; true`, "LOG="+logFile(t))
	w.shows("3/10")
	if err := w.master.Close(); err != nil {
		t.Fatal(err)
	}
	w.gone()
}
