//go:build nvmlstub && linux && cgo

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scripted is the program beside a live log, on a machine whose NVIDIA driver does what
// a script says.
type scripted struct {
	*window
	log, script string
}

// driverLibrary builds the scripted driver's library into a folder of its own.
func driverLibrary(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{
		"-shared", "-fPIC", "-O1", "-Wl,-soname,libnvidia-ml.so.1",
		"-o", filepath.Join(dir, "libnvidia-ml.so.1"), "../../sources/testdata/nvml/stub.c",
	}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return dir
}

// beside opens the program in a terminal. Without an nvidia-smi in its path it has no
// other driver than the one in the folder library.
func beside(t *testing.T, library string, script ...string) *scripted {
	t.Helper()
	s := &scripted{log: logFile(t), script: filepath.Join(t.TempDir(), "script")}
	s.write(t, script...)
	s.window = open(t, 120, 40, `exec "$YOLOTOP" "$LOG"`,
		"LOG="+s.log, "NVML_SCRIPT="+s.script, "LD_LIBRARY_PATH="+library, "PATH="+t.TempDir()+":/usr/local/bin:/bin")
	s.shows("3/10")
	s.row(t, 75, "0.7654")
	s.shows("0.765")
	return s
}

// write replaces the script, all at once.
func (s *scripted) write(t *testing.T, lines ...string) {
	t.Helper()
	fresh := s.script + ".new"
	if err := os.WriteFile(fresh, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(fresh, s.script); err != nil {
		t.Fatal(err)
	}
}

// row adds a frame of the bar to the log.
func (s *scripted) row(t *testing.T, percent int, loss string) {
	t.Helper()
	f, err := os.OpenFile(s.log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "\r\x1b[K       3/10      15.1G     %s      0.744      1.022        120        640: %d%% ━━━━━━━━━─── %d/100 8.0it/s 9.4s<3.1s", loss, percent, percent); err != nil {
		t.Fatal(err)
	}
}

// goesOn checks that the log is still shown and that the program ends as it should.
func (s *scripted) goesOn(t *testing.T) {
	t.Helper()
	s.row(t, 80, "0.6543")
	s.shows("0.654")
	s.press("q")
	s.restored(exitOK)
}

// cards is a script of a number of healthy devices.
func cards(n int) []string {
	out := []string{fmt.Sprint("count ", n), "driver 580.65.06", "* total 24576", "* reserved 0", "* name NVIDIA GeForce RTX 3090"}
	for i := range n {
		out = append(out, fmt.Sprintf("%d uuid GPU-%d", i, i), fmt.Sprintf("%d util %d", i, 90-i), fmt.Sprintf("%d used %d", i, 1024*(i+1)))
	}
	return out
}

func TestDriverOnTheScreen(t *testing.T) {
	t.Parallel()
	library := driverLibrary(t)
	for _, n := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := beside(t, library, cards(n)...)
			for i := range n {
				s.shows(fmt.Sprintf("%d%%  mem", 90-i))
				s.shows(fmt.Sprintf("%d.00 of 24.0 GiB", i+1))
			}
			s.write(t, append(cards(n), "* used 22016", "* util 13")...)
			s.until("new values of all", func(screen string) bool {
				return strings.Count(screen, "21.5 of 24.0 GiB") == n && strings.Count(screen, "13%  mem") == n
			})
			s.goesOn(t)
		})
	}
}

func TestDriverThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	library := driverLibrary(t)
	for script, want := range map[string]string{
		"init 9":  "the NVIDIA driver is not loaded",
		"init 18": "the driver was upgraded and not reloaded: reboot",
		"init 4":  "no permission to use the NVIDIA driver",
		"count 0": "the NVIDIA driver knows no device here",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			s := beside(t, library, script)
			s.shows(want)
			s.goesOn(t)
		})
	}
}

// TestDriverIsExamined promises that doctor tells a driver that works from one that does
// not, in its text and its exit status.
func TestDriverIsExamined(t *testing.T) {
	t.Parallel()
	library := driverLibrary(t)
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		script []string
		says   string
		status int
	}{
		{cards(2), "GPU 1, NVIDIA GeForce RTX 3090", exitWarning},
		{[]string{"init 18"}, "× NVIDIA library  the driver was upgraded and not reloaded", exitCritical},
	} {
		script := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(script, []byte(strings.Join(c.script, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "doctor")
		cmd.Env = append(os.Environ(), "NVML_SCRIPT="+script, "LD_LIBRARY_PATH="+library, "PATH="+t.TempDir(), "LC_ALL=C.UTF-8")
		out, err := cmd.Output()
		if !strings.Contains(string(out), c.says) {
			t.Errorf("%q is missing in\n%s", c.says, out)
		}
		if status := cmd.ProcessState.ExitCode(); status != c.status {
			t.Errorf("%s: status %d, %v", c.says, status, err)
		}
	}
}

func TestDriverLosesADevice(t *testing.T) {
	t.Parallel()
	s := beside(t, driverLibrary(t), cards(2)...)
	s.shows("2.00 of 24.0 GiB")
	s.write(t, append(cards(2), "1 ret nvmlDeviceGetMemoryInfo_v2 15", "0 used 3072")...)
	s.shows("the driver has lost the device")
	s.shows("3.00 of 24.0 GiB") // the other one
	s.goesOn(t)
}

func TestDriverReportsAnError(t *testing.T) {
	t.Parallel()
	s := beside(t, driverLibrary(t), cards(2)...)
	s.shows("2.00 of 24.0 GiB")
	s.write(t, append(cards(2), "xid 1 79")...)
	s.shows("xid 79: the device has fallen off the bus")
	s.goesOn(t)
}

func TestDriverHangs(t *testing.T) {
	t.Parallel()
	s := beside(t, driverLibrary(t), cards(1)...)
	s.shows("1.00 of 24.0 GiB")
	s.write(t, append(cards(1), "hang nvmlDeviceGetPowerUsage")...)
	s.goesOn(t)
}

func TestOldDriver(t *testing.T) {
	t.Parallel()
	s := beside(t, driverLibrary(t, "-DNO_MEMORY_V2", "-DNO_SAMPLES", "-DNO_EVENTS", "-DNO_PROCESSES_V3", "-DNO_REASONS"), cards(1)...)
	s.shows("1.00 of 24.0 GiB")
	s.goesOn(t)
}

// TestDriverCountsLess promises that nothing that a driver does not count, or does not
// tell this user, keeps the rest from being shown.
func TestDriverCountsLess(t *testing.T) {
	t.Parallel()
	library := driverLibrary(t)
	for function, code := range map[string]int{
		"nvmlDeviceGetSamples": 3, "nvmlDeviceGetUtilizationRates": 3, "nvmlDeviceGetComputeRunningProcesses_v3": 4,
		"nvmlDeviceGetGraphicsRunningProcesses_v3": 3, "nvmlDeviceGetPowerUsage": 3, "nvmlDeviceGetEnforcedPowerLimit": 3,
		"nvmlDeviceGetTemperature": 3, "nvmlDeviceGetFanSpeed": 3, "nvmlDeviceGetClockInfo": 3, "nvmlDeviceGetMaxClockInfo": 3,
		"nvmlDeviceGetCurrPcieLinkGeneration": 3, "nvmlDeviceGetCurrPcieLinkWidth": 3, "nvmlDeviceGetTotalEccErrors": 3,
		"nvmlDeviceGetEncoderUtilization": 3, "nvmlDeviceGetDecoderUtilization": 3, "nvmlDeviceGetMigMode": 3,
		"nvmlDeviceGetName": 3, "nvmlDeviceGetUUID": 3, "nvmlDeviceGetMemoryInfo_v2": 3, "nvmlDeviceRegisterEvents": 3,
	} {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			s := beside(t, library, append(cards(1), fmt.Sprintf("ret %s %d", function, code))...)
			s.shows("1.00 of 24.0 GiB")
			if function != "nvmlDeviceGetUtilizationRates" { // the record of utilization goes by it
				s.shows("90%  mem")
			}
			s.goesOn(t)
		})
	}
	t.Run("busy", func(t *testing.T) {
		t.Parallel()
		s := beside(t, library, append(cards(1), "ret nvmlDeviceGetSamples 3", "ret nvmlDeviceGetUtilizationRates 3")...)
		s.shows("busy n/a")
		s.goesOn(t)
	})
}

// pythonChild is set in a child that stands for a trainer: it has the log open for
// writing until its input ends.
const pythonChild = "YOLOTOP_TEST_PYTHON"

// TestPythonChild is that child, and nothing in the parent.
func TestPythonChild(t *testing.T) {
	if os.Getenv(pythonChild) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// TestTheCardOfTheTrainer promises that the card of a training on this machine is found
// and named, and that another can be chosen.
func TestTheCardOfTheTrainer(t *testing.T) {
	t.Parallel()
	s := &scripted{log: logFile(t), script: filepath.Join(t.TempDir(), "script")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(t.TempDir(), "python3")
	if err := os.Symlink(self, python); err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(s.log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	trainer := exec.Command(python, "-test.run=^TestPythonChild$")
	trainer.Env = append(os.Environ(), pythonChild+"=1")
	trainer.Stdout = log
	in, err := trainer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := trainer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = trainer.Wait()
	})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	s.write(t, append(cards(3), fmt.Sprintf("2 procs %d:16000", trainer.Process.Pid))...)
	s.window = open(t, 120, 40, `exec "$YOLOTOP" "$LOG"`,
		"LOG="+s.log, "NVML_SCRIPT="+s.script, "LD_LIBRARY_PATH="+driverLibrary(t), "PATH="+t.TempDir()+":/usr/local/bin:/bin")
	s.shows("GPU 2 is the run's")
	s.shows("driver 3.00") // beside what the log measures
	s.shows("Processes on GPU 2")
	many := fmt.Sprintf("2 procs %d:16000", trainer.Process.Pid)
	for i := range 40 { // the list grows while it is read
		many += fmt.Sprintf(",%d:%d", 8_000_001+i, 40-i)
		if i%8 == 0 {
			s.write(t, append(cards(3), many)...)
		}
	}
	s.write(t, append(cards(3), many)...)
	s.shows("8000001")
	s.shows("of 41")
	for _, choice := range []string{
		"GPU 0 is the run's, by your choice", "GPU 1 is the run's, by your choice",
		"GPU 2 is the run's, by your choice", "none is the run's, by your choice", "GPU 2 is the run's ─",
	} {
		s.press("g")
		s.shows(choice)
	}
	s.goesOn(t)
}
