//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const runCommandLine = `exec "$YOLOTOP" run --log "$FOLDER/train.log" -- "$TRAINER"`

// holder is the process that holds the training.
func (s *scriptedRun) holder() (pid int) {
	s.t.Helper()
	wait(s.t, "the holder", func() bool {
		found := processes(s.cmd.Process.Pid, "yolotop\x00hold\x00")
		if len(found) > 0 {
			pid = found[0]
		}
		return pid > 0
	})
	return pid
}

// log is what is kept of what the trainer prints.
func (s *scriptedRun) log() string { return filepath.Join(s.folder, "train.log") }

// TestRun promises a training in a wide terminal of its own, each of its bytes in the log, and its
// exit status.
func TestRun(t *testing.T) {
	t.Parallel()
	s := script(t, runCommandLine)
	s.tell("rows 3")
	s.shows("3/10000")
	s.tell("bulk 2000", "exit 7")
	r := s.ends()
	s.unharmed(r, s.log())
	if r.Terminal != "200x50" {
		t.Errorf("its terminal is %q", r.Terminal)
	}
	s.shows("ended with status 7")
	s.press("q") // it has ended: there is nothing to ask
	s.restored(7)
}

// TestRunAsks promises that leaving asks what becomes of the training, and does it.
func TestRunAsks(t *testing.T) {
	t.Parallel()
	t.Run("detach", func(t *testing.T) {
		t.Parallel()
		s := script(t, runCommandLine)
		s.tell("rows 3")
		s.shows("3/10000")
		s.press("\x03")
		s.shows("What shall become of it?")
		s.press("\x1b")
		s.until("the question gone", func(screen string) bool { return !strings.Contains(screen, "What shall become of it?") })
		s.press("q")
		s.shows("What shall become of it?")
		s.press("d")
		s.restored(exitOK)
		s.shows("the training goes on")
		s.tell("bulk 2000", "exit 0")
		s.unharmed(s.ends(), s.log())
	})
	t.Run("stop", func(t *testing.T) {
		t.Parallel()
		s := script(t, runCommandLine)
		s.tell("rows 3", "wait")
		s.shows("3/10000")
		s.press("q")
		s.shows("What shall become of it?")
		s.press("s")
		s.shows("a signal came")
		s.tell("wait")
		s.press("q")
		s.shows("once more tells it to terminate")
		s.press("s")
		s.tell("exit 3")
		r := s.ends()
		if want := []string{"interrupt", "terminated"}; !slices.Equal(r.Signals, want) || len(r.Errors) > 0 {
			t.Errorf("%+v", r)
		}
		s.kept(r, s.log())
		s.shows("ended with status 3")
		s.press("q")
		s.restored(3)
	})
}

// TestRunOutlivesItsScreen promises that neither a crash of the viewer nor the end of the process
// that was started, nor the loss of the terminal, reaches the training.
func TestRunOutlivesItsScreen(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(s *scriptedRun){
		"hangup": func(s *scriptedRun) { _ = s.master.Close() },
		"kill of all but the holder": func(s *scriptedRun) {
			holder := s.holder()
			for _, p := range children(s.cmd.Process.Pid) {
				if p != holder {
					s.kill(p, syscall.SIGKILL)
				}
			}
			s.kill(s.cmd.Process.Pid, syscall.SIGKILL)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := script(t, runCommandLine)
			s.tell("rows 3")
			s.shows("3/10000")
			act(s)
			s.gone()
			s.tell("bulk 3000", "exit 0")
			s.unharmed(s.ends(), s.log())
		})
	}
	t.Run("crash of the viewer", func(t *testing.T) {
		t.Parallel()
		s := script(t, runCommandLine)
		s.tell("rows 3")
		s.shows("3/10000")
		for _, p := range children(s.cmd.Process.Pid) {
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p)); !strings.Contains(string(line), "\x00hold\x00") {
				s.kill(p, syscall.SIGSEGV)
			}
		}
		s.shows("Enter starts the viewer again")
		s.press("\r")
		s.shows("3/10000")
		s.tell("exit 5")
		s.unharmed(s.ends(), s.log())
		s.shows("ended with status 5")
		s.press("q")
		s.restored(5)
	})
}

// TestRunWithoutATerminal promises lines, the same log, signals that go to the training, and its
// exit status.
func TestRunWithoutATerminal(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR1} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			s := script(t, `true`) // for the trainer's files
			s.gone()
			path, err := binary()
			if err != nil {
				t.Fatal(err)
			}
			trainer, err := trainerBinary()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd := exec.Command(path, "run", "--log", s.log(), "--", trainer)
			cmd.Env = append(os.Environ(), "TRAINER_GATE="+s.gate.Name(), "TRAINER_REPORT="+s.report, "LC_ALL=C.UTF-8")
			cmd.Stdout, cmd.Stderr = &out, &out
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			s.tell("rows 3", "wait")
			wait(t, "three epochs", func() bool { data, _ := os.ReadFile(s.log()); return strings.Contains(string(data), "3/10000") })
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			s.tell("exit 3")
			r := s.ends()
			if len(r.Signals) != 1 || r.Signals[0] != signal.String() {
				t.Errorf("%+v", r)
			}
			s.kept(r, s.log())
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != 3 || !strings.Contains(out.String(), "2/10000") {
				t.Errorf("status %d, printed:\n%s", got, out.String())
			}
		})
	}
}

// TestRunStatus promises the statuses of a shell where a command cannot be started or is killed.
func TestRunStatus(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("\x7fELF\x00"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command []string
		want    int
		says    string
	}{
		"not found":      {[]string{"no-such-command"}, exitNotFound, "no-such-command: command not found"},
		"not executable": {[]string{plain}, exitNotExecutable, "cannot be executed"},
		"no program":     {[]string{broken}, exitNotExecutable, "exec format error\n"},
		"killed":         {[]string{"sh", "-c", "kill -9 $$"}, 137, ""},
		"its own":        {[]string{"sh", "-c", "exit 42"}, 42, ""},
		"nothing":        {nil, exitUsage, "run needs a command"},
		"a question":     {[]string{"sh", "-c", "read answer && exit 9; exit 6"}, 6, ""}, // nobody can answer
		"prints nowhere": {[]string{"sh", "-c", "exec >/dev/null 2>&1 </dev/null; sleep 0.3; echo late > /dev/tty; exit 3"}, 3, ""},
		"left behind":    {[]string{"sh", "-c", "sleep 1000 & echo $! > " + filepath.Join(dir, "left") + "; exit 4"}, 4, ""},
	} {
		cmd := exec.Command(path, append([]string{"run", "--log", filepath.Join(dir, "log"), "--"}, c.command...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.want || !strings.Contains(string(out), c.says) || strings.Contains(string(out), "no training in it") {
			t.Errorf("%s: status %d, want %d: %s", name, got, c.want, out)
		}
	}
	var left int
	if data, err := os.ReadFile(filepath.Join(dir, "left")); err == nil {
		_, _ = fmt.Sscan(string(data), &left)
	}
	if left == 0 || syscall.Kill(left, syscall.SIGKILL) != nil {
		t.Errorf("what the command left behind, %d, does not live", left)
	}
}

// TestRunHook promises that the command, and what it starts, finds the hook before all else, and that
// nothing of it is left behind.
func TestRunHook(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(path, "run", "--hook", "--log", filepath.Join(dir, "log"), "--", "sh", "-c", `echo "path $PYTHONPATH"; ls -1 "${PYTHONPATH%%:*}"`)
	cmd.Env = append(os.Environ(), "PYTHONPATH=/mine", "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != exitOK {
		t.Errorf("%v: %s", err, out)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || !strings.Contains(string(log), ":/mine\n") || !strings.Contains(string(log), "sitecustomize.py\nyolotop_hook.py\n") {
		t.Errorf("%q, %v", log, err)
	}
	wait(t, "the folder of the hook gone", func() bool {
		left, _ := filepath.Glob(filepath.Join(dir, "yolotop-hook-*"))
		return len(left) == 0
	})
}

// TestRunKeepsWhatIsLeftBehind promises that a training which a script has left in the background goes
// on when the script ends, and is kept on.
func TestRunKeepsWhatIsLeftBehind(t *testing.T) {
	t.Parallel()
	s := script(t, `"$YOLOTOP" run --log "$FOLDER/train.log" -- sh -c '"$TRAINER" & sleep 0.1; exit 4' > "$FOLDER/out" 2>&1 < /dev/null; echo "status $?"`)
	s.shows("status 4")
	s.tell("rows 3", "bulk 2000", "exit 0")
	s.unharmed(s.ends(), s.log())
}

// TestRunTellsOfAKill promises an alert where the training is killed, or ends with a status and no
// word, while nobody looks.
func TestRunTellsOfAKill(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]string{"killed": "kill -9 $$", "a status": "exit 3"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "head"), []byte(liveLog), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, "run", "--log", filepath.Join(dir, "log"), "--alert-command", `echo "$YOLOTOP_EVENT $YOLOTOP_TITLE" >> `+filepath.Join(dir, "alerts"), "--", "sh", "-c", "cat "+filepath.Join(dir, "head")+"; "+end)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, _ := cmd.CombinedOutput()
		got, err := os.ReadFile(filepath.Join(dir, "alerts"))
		if err != nil || !strings.HasPrefix(string(got), "died ") || strings.Count(string(got), "\n") != 1 {
			t.Errorf("%s: alerts %q, %v, printed:\n%s", name, got, err, out)
		}
	}
}
