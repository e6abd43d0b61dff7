//go:build nvmlstub && linux && cgo

package sources

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// The bindings keep the library in global variables, and a library can end the process.
// So each test runs the source in a process of its own: this test binary again.
const (
	stubChild   = "NVML_TEST_CHILD" // set in the child, to the path of the library or "system"
	stubPatient = 30 * time.Second  // for a machine that is busy; nothing depends on it
)

// stubEvent is an event as the child prints it.
type stubEvent struct {
	Kind  string // "GPU", "fault", "state", "end"
	GPU   *parse.GPU
	Fault *parse.GPUFault
	State *parse.SourceState
	Err   string
}

// TestNVMLStubChild is the child, and nothing in the parent.
func TestNVMLStubChild(t *testing.T) {
	library := os.Getenv(stubChild)
	if library == "" {
		t.Skip("for the other tests")
	}
	if library == "system" {
		library = ""
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // the parent ends us by closing our input
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		cancel()
	}()
	out := json.NewEncoder(os.Stdout)
	n := NewNVML(NVMLOptions{Interval: time.Millisecond, Library: library, place: func() nvmlPlace { return nvmlAnyPlace }})
	n.options.deadline = 300 * time.Millisecond
	err := n.Run(ctx, stubPrinter{out})
	end := stubEvent{Kind: "end"}
	if err != nil && !errors.Is(err, context.Canceled) {
		end.Err = err.Error()
	}
	check(t, out.Encode(end))
}

type stubPrinter struct{ out *json.Encoder }

func (p stubPrinter) Publish(ctx context.Context, events []parse.Event) error {
	for _, e := range events {
		var s stubEvent
		switch r := e.Record.(type) {
		case *parse.GPU:
			s = stubEvent{Kind: "GPU", GPU: r}
		case *parse.GPUFault:
			s = stubEvent{Kind: "fault", Fault: r}
		case *parse.SourceState:
			s = stubEvent{Kind: "state", State: r}
		}
		if err := p.out.Encode(s); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// stubRun is a child with a library and its script.
type stubRun struct {
	t      *testing.T
	script string
	events chan stubEvent
	stop   func()
}

// buildStub makes the library in a folder of its own and gives its path.
func buildStub(t *testing.T, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wl,-soname,libnvidia-ml.so.1", "-o", path, "testdata/nvml/stub.c"}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return path
}

// startStub runs the source on a library until the test ends.
func startStub(t *testing.T, library string, script ...string) *stubRun {
	t.Helper()
	r := &stubRun{t: t, script: filepath.Join(t.TempDir(), "script"), events: make(chan stubEvent, 1000)}
	r.write(script...)
	cmd := exec.Command(os.Args[0], "-test.run=^TestNVMLStubChild$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), stubChild+"="+library, "NVML_SCRIPT="+r.script)
	if library == "system" {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+filepath.Dir(buildStub(t)))
	}
	return r.start(cmd)
}

func (r *stubRun) start(cmd *exec.Cmd) *stubRun {
	in, err := cmd.StdinPipe()
	check(r.t, err)
	out, err := cmd.StdoutPipe()
	check(r.t, err)
	cmd.Stderr = os.Stderr
	check(r.t, cmd.Start())
	go func() {
		defer close(r.events)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e stubEvent
			if json.Unmarshal(lines.Bytes(), &e) == nil { // else it is what go test prints
				r.events <- e
			}
		}
	}()
	r.stop = func() { _ = in.Close() }
	r.t.Cleanup(func() {
		r.stop()
		for range r.events { // until the child ends
		}
		if err := cmd.Wait(); err != nil {
			r.t.Errorf("the child ended with %v", err)
		}
	})
	return r
}

// write replaces the script, all at once.
func (r *stubRun) write(lines ...string) {
	r.t.Helper()
	fresh := r.script + ".new"
	check(r.t, os.WriteFile(fresh, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	check(r.t, os.Rename(fresh, r.script))
}

// until waits for an event that is as wanted.
func (r *stubRun) until(what string, wanted func(stubEvent) bool) stubEvent {
	r.t.Helper()
	timeout := time.After(stubPatient)
	var seen []string
	for {
		select {
		case e, ok := <-r.events:
			if !ok {
				r.t.Fatalf("ended before: %s\n%s", what, strings.Join(seen, "\n"))
			}
			if wanted(e) {
				return e
			}
			s, _ := json.Marshal(e)
			seen = append(seen, string(s))
		case <-timeout:
			r.t.Fatalf("waited in vain for: %s\n%s", what, strings.Join(seen, "\n"))
		}
	}
}

func (r *stubRun) untilState(status parse.SourceStatus, why string) {
	r.t.Helper()
	r.until(why, func(e stubEvent) bool {
		return e.Kind == "state" && e.State.Status == status && strings.HasPrefix(e.State.Why, why)
	})
}

func (r *stubRun) untilGPU(index int) *parse.GPU {
	r.t.Helper()
	return r.until("a sample", func(e stubEvent) bool { return e.Kind == "GPU" && e.GPU.Index == index }).GPU
}

func TestNVMLStubValues(t *testing.T) {
	t.Parallel()
	library := buildStub(t)
	for _, count := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(count, " devices"), func(t *testing.T) {
			t.Parallel()
			script := []string{
				fmt.Sprint("count ", count), "driver 580.65.06", "* total 24576", "* reserved 300", "* util 93", "* memutil 41",
				"* power 250000", "* limit 350000", "* temp 71", "* clock 1800", "* maxclock 2100", "* fan 40", "* reasons 4",
				"* gen 4", "* width 8", "* ecc 2", "* encoder 10", "* decoder 20", "* rx 3", "* tx 2",
			}
			me := os.Getpid()
			mine, user := programOf(me)
			first, firstUser := programOf(1)
			for i := range count {
				script = append(script, fmt.Sprintf("%d name NVIDIA Card %d", i, i), fmt.Sprintf("%d uuid GPU-%d", i, 100+i),
					fmt.Sprintf("%d used %d", i, 1000*(i+1)), fmt.Sprintf("%d procs %d:%d,1:-", i, me, 900*(i+1)))
			}
			r := startStub(t, library, script...)
			r.untilState(parse.SourceReading, "driver 580.65.06")
			for i := range count {
				want := &parse.GPU{
					Index: i, UUID: fmt.Sprintf("GPU-%d", 100+i), Name: fmt.Sprintf("NVIDIA Card %d", i),
					Used: parse.Have(float64(1000 * (i + 1) << 20)), Reserved: parse.Have(300 << 20), Total: parse.Have(24576 << 20),
					Busy: parse.Have(0.93), MemoryBusy: parse.Have(0.41), Power: parse.Have(250), PowerLimit: parse.Have(350),
					Temperature: parse.Have(71), Fan: parse.Have(0.4), Clock: parse.Have(1800), MaxClock: parse.Have(2100),
					Throttled: []string{"power"}, PCIeGen: parse.Have(4), PCIeWidth: parse.Have(8), ECC: parse.Have(2),
					Encoder: parse.Have(0.1), Decoder: parse.Have(0.2), ProcessesState: parse.Present,
					Processes: []parse.GPUProcess{
						{PID: me, Name: mine, User: user, Used: parse.Have(float64(900 * (i + 1) << 20))},
						{PID: 1, Name: first, User: firstUser, Used: parse.Number{State: parse.NotSupported}},
					},
				}
				got, _ := json.Marshal(r.untilGPU(i))
				if want, _ := json.Marshal(want); string(got) != string(want) {
					t.Errorf("device %d:\n got %s\nwant %s", i, got, want)
				}
			}
			r.until("traffic", func(e stubEvent) bool {
				return e.Kind == "GPU" && e.GPU.PCIeRx == parse.Have(3<<10) && e.GPU.PCIeTx == parse.Have(2<<10)
			})
			r.write(append(script, "* used 4321", "* samples 10,20,60")...)
			r.until("new values", func(e stubEvent) bool {
				return e.Kind == "GPU" && e.GPU.Used == parse.Have(4321<<20)
			})
		})
	}
}

func TestNVMLStubIsFoundBySystem(t *testing.T) {
	t.Parallel()
	startStub(t, "system", "driver 535.1").untilState(parse.SourceReading, "driver 535.1")
}

func TestNVMLStubUtilizationRecord(t *testing.T) {
	t.Parallel()
	r := startStub(t, buildStub(t), "* util 50", "* samples 0,0,0,0,0,70,90") // 250 ms are one value
	if g := r.untilGPU(0); g.Busy != parse.Have(0.8) && g.Busy != parse.Have(0.9) {
		t.Errorf("busy %+v", g.Busy)
	}
}

func TestNVMLStubOldDrivers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag string
		ok   func(g *parse.GPU) bool
	}{
		{"-DNO_MEMORY_V2", func(g *parse.GPU) bool {
			return g.Used == parse.Have(1300<<20) && g.Reserved == parse.Number{State: parse.NotSupported} && g.Total == parse.Have(24576<<20)
		}},
		{"-DNO_SAMPLES", func(g *parse.GPU) bool { return g.Busy == parse.Have(0.93) }},
		{"-DNO_EVENTS", func(g *parse.GPU) bool { return g.Used == parse.Have(1000<<20) }},
		{"-DNO_PROCESSES_V3", func(g *parse.GPU) bool { return g.ProcessesState == parse.Present && len(g.Processes) == 1 }},
		{"-DNO_REASONS", func(g *parse.GPU) bool { return slices.Equal(g.Throttled, []string{"heat"}) }},
	} {
		t.Run(c.flag, func(t *testing.T) {
			t.Parallel()
			r := startStub(t, buildStub(t, c.flag), "* used 1000", "* reserved 300", "* util 93", "* procs 1:10", "* reasons 32")
			if g := r.untilGPU(0); !c.ok(g) {
				t.Errorf("published %+v", g)
			}
			r.untilGPU(0) // and it goes on
		})
	}
}

func TestNVMLStubFailures(t *testing.T) {
	t.Parallel()
	library := buildStub(t)
	for script, want := range map[string]string{
		"init 4":                          "no permission to use the NVIDIA driver",
		"init 9":                          "the NVIDIA driver is not loaded",
		"init 12":                         "the NVIDIA driver misses a library of its own",
		"init 18":                         "the driver was upgraded and not reloaded: reboot, or reload the nvidia modules",
		"count 0":                         "the NVIDIA driver knows no device here",
		"ret nvmlDeviceGetCount_v2 17":    "the NVIDIA driver does not answer (error 17)",
		"ret nvmlDeviceGetName 15":        "the driver has lost all devices",
		"ret nvmlDeviceGetPowerUsage 16":  "the driver has lost all devices",
		"ret nvmlDeviceGetMemoryInfo 999": "",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			r := startStub(t, library, script)
			if want == "" { // the older function is not asked
				r.untilGPU(0)
				return
			}
			r.untilState(parse.SourceFailed, want)
			if e := r.until("the end", func(e stubEvent) bool { return e.Kind == "end" }); !strings.HasPrefix(e.Err, "read nvml: ") {
				t.Errorf("ended with %q", e.Err)
			}
		})
	}
}

func TestNVMLStubBadLibraries(t *testing.T) {
	t.Parallel()
	t.Run("not there", func(t *testing.T) {
		t.Parallel()
		startStub(t, "/nowhere/libnvidia-ml.so.1").untilState(parse.SourceFailed, "cannot load /nowhere/libnvidia-ml.so.1: cannot open")
	})
	t.Run("no library", func(t *testing.T) {
		t.Parallel()
		path := writeNVMLFile(t, "libnvidia-ml.so.1", "no library")
		startStub(t, path).untilState(parse.SourceFailed, "cannot load "+path+": ")
	})
	t.Run("another library", func(t *testing.T) {
		t.Parallel()
		startStub(t, buildStub(t, "-DNO_INIT")).untilState(parse.SourceFailed, "the NVIDIA driver library is too old or not NVIDIA's")
	})
	t.Run("for linking", func(t *testing.T) {
		t.Parallel()
		from, err := os.ReadFile(buildStub(t))
		check(t, err)
		path := writeNVMLFile(t, "stubs/libnvidia-ml.so.1", string(from))
		startStub(t, path, "init 9").untilState(parse.SourceFailed, path+" is the CUDA toolkit's stub")
	})
}

func TestNVMLStubLosesADevice(t *testing.T) {
	t.Parallel()
	script := []string{"count 2"}
	r := startStub(t, buildStub(t), script...)
	r.untilGPU(1)
	script = append(script, "xid 1 79", "1 ret nvmlDeviceGetTemperature 15")
	r.write(script...)
	// The two may be seen in different passes.
	faults := map[int]string{}
	for len(faults) < 2 {
		f := r.until("two faults", func(e stubEvent) bool { return e.Kind == "fault" }).Fault
		if f.Index != 1 {
			t.Errorf("published %+v", f)
		}
		faults[f.Xid] = f.Text
	}
	if faults[79] == "" || faults[0] == "" {
		t.Errorf("faults %v", faults)
	}
	for range 3 { // the other one goes on, alone
		if e := r.until("a sample", func(e stubEvent) bool { return e.Kind == "GPU" }); e.GPU.Index != 0 {
			t.Errorf("published %+v of a device that is lost", e.GPU)
		}
	}
	r.write(append(script, "xid 0 31")...)
	if f := r.until("a fault", func(e stubEvent) bool { return e.Kind == "fault" }).Fault; f.Xid != 31 || f.Index != 0 {
		t.Errorf("published %+v", f)
	}
}

func TestNVMLStubHangs(t *testing.T) {
	t.Parallel()
	r := startStub(t, buildStub(t), "* used 1000")
	r.untilGPU(0)
	r.write("hang nvmlDeviceGetPowerUsage", "* used 2000")
	r.untilState(parse.SourceWaiting, "driver silent")
	r.write("* used 3000")
	r.untilState(parse.SourceReading, "driver 580")
	if g := r.untilGPU(0); g.Used != parse.Have(3000<<20) {
		t.Errorf("published %+v of before the silence", g.Used)
	}
	r.write("hang nvmlDeviceGetPowerUsage")
	r.untilState(parse.SourceWaiting, "driver silent")
	r.stop() // ends it all the same
	if e := r.until("the end", func(e stubEvent) bool { return e.Kind == "end" }); e.Err != "" {
		t.Errorf("ended with %q", e.Err)
	}
}

func TestNVMLStubDividedDevice(t *testing.T) {
	t.Parallel()
	r := startStub(t, buildStub(t), "* mig 2", "0.1 used 77", "0.1 uuid MIG-second", "0 ret nvmlDeviceGetUtilizationRates 3")
	g := r.until("the second instance", func(e stubEvent) bool { return e.Kind == "GPU" && e.GPU.UUID == "MIG-second" }).GPU
	if g.Index != 0 || g.Name != "NVIDIA Stub MIG 1g.5gb" || g.Used != parse.Have(77<<20) {
		t.Errorf("published %+v", g)
	}
}
