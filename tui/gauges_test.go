package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"yolotop/diagnose"
	"yolotop/parse"
)

// samples are two minutes of samples of devices: the first one works in bursts, the
// second one steadily, and the third one does not tell how busy it is.
func samples(gpus int) string {
	var b strings.Builder
	b.WriteString("timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], temperature.gpu, power.draw [W]\n")
	for i := range 150 {
		for g := range gpus {
			busy := fmt.Sprintf("%d %%", []int{(i % 4) * 20, 93, 0, 96}[g%4])
			if g%4 == 2 {
				busy = "[N/A]"
			}
			fmt.Fprintf(&b, "2026/03/14 09:%02d:%02d.000, %d, NVIDIA GeForce RTX 4090, %s, %d MiB, 24564 MiB, 71, 331.00 W\n",
				12+i/60, i%60, g, busy, 11000+1000*(g%4))
		}
	}
	return b.String()
}

func TestDevices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ gpus, w, h int }{{1, 120, 40}, {2, 80, 24}, {8, 80, 24}, {2, 44, 30}, {3, 20, 5}} {
		t.Run(fmt.Sprintf("%d/%dx%d", c.gpus, c.w, c.h), func(t *testing.T) {
			t.Parallel()
			snap := snapshotOf(true, samples(c.gpus))
			golden.RequireEqual(t, plainText(t, screenOf(snap, Options{Version: "0.1"}, c.w, c.h).View().Content))
		})
	}
}

// TestThisMachine promises that this machine's devices stand beside a run whose rows
// come in live, and not beside an old log, which may be from anywhere.
func TestThisMachine(t *testing.T) {
	t.Parallel()
	beside := func(arrival time.Time) string {
		s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
		stream := parse.NewStream(0)
		stream.Write([]byte(newLog(100).scanned().whole(1, 5, flat).rows(6, 14.6, 20).String()), arrival, s.Observe)
		o := parse.Origin{Input: diagnose.MachineInput, Arrival: noon().Add(-time.Second)}
		s.Observe(parse.Event{Origin: o, Record: &parse.GPU{
			Name: "NVIDIA GeForce RTX 4090", Busy: parse.Have(0.57), Used: parse.Have(19.3 * float64(parse.GiB)), Total: parse.Have(24 * float64(parse.GiB)),
		}})
		s.Observe(parse.Event{Origin: o, Record: &parse.Host{
			CPU: parse.Have(0.97), RAMUsed: parse.Have(37 * float64(parse.GiB)), RAMTotal: parse.Have(64 * float64(parse.GiB)),
		}})
		return plainText(t, screenOf(s.Snapshot(noon()), Options{Version: "0.1"}, 80, 24).View().Content)
	}
	golden.RequireEqual(t, beside(noon().Add(-3*time.Second)))
	if old := beside(time.Time{}); strings.Contains(old, "4090") || strings.Contains(old, "97%") {
		t.Errorf("an old log is shown beside this machine:\n%s", old)
	}
}

// besideMachine is the screen of a live run beside what the machine's sources publish.
func besideMachine(t *testing.T, w, h int, records ...parse.Record) string {
	t.Helper()
	s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
	stream := parse.NewStream(0)
	stream.Write([]byte(newLog(100).scanned().whole(1, 5, flat).rows(6, 14.6, 20).String()), noon().Add(-3*time.Second), s.Observe)
	o := parse.Origin{Input: diagnose.MachineInput, Arrival: noon().Add(-12 * time.Second)}
	for _, r := range records {
		s.Observe(parse.Event{Origin: o, Record: r})
	}
	return plainText(t, screenOf(s.Snapshot(noon()), Options{Version: "0.1"}, w, h).View().Content)
}

// TestDevicesInTrouble promises that what the driver does not tell has its reason, and
// that nothing of the past is shown as if it were now.
func TestDevicesInTrouble(t *testing.T) {
	t.Parallel()
	card := func(index int, uuid string) *parse.GPU {
		return &parse.GPU{
			Index: index, UUID: uuid, Name: "NVIDIA H100 80GB HBM3",
			Busy: parse.Have(0.57), Used: parse.Have(19.3 * float64(parse.GiB)), Total: parse.Have(80 * float64(parse.GiB)),
		}
	}
	lost := &parse.GPUFault{Index: 0, Text: "the driver has lost the device: check power, heat and seating, then reboot"}
	xid := &parse.GPUFault{Index: 1, Xid: 31, Text: "memory page fault, often an illegal address in a kernel"}
	secret := card(1, "GPU-1")
	secret.Busy = parse.Number{State: parse.NoPermission}
	reading := &parse.SourceState{Name: "nvml", Status: parse.SourceReading, Why: "driver 580.65.06"}
	for _, c := range []struct {
		name    string
		records []parse.Record
		want    []string
		not     []string
	}{
		{"lost", []parse.Record{reading, card(0, "GPU-0"), card(1, "GPU-1"), lost}, []string{"GPU 0  the driver has lost the device", "GPU 1  busy"}, []string{"GPU 0  busy"}},
		{"xid", []parse.Record{reading, card(0, "GPU-0"), card(1, "GPU-1"), xid}, []string{"GPU 0  busy", "GPU 1  xid 31: memory page fault"}, nil},
		{"xid of nobody", []parse.Record{reading, card(0, "GPU-0"), &parse.GPUFault{Index: -1, Xid: 31, Text: "somewhere"}}, []string{"GPU 0  busy"}, []string{"somewhere"}},
		{"no permission", []parse.Record{reading, card(0, "GPU-0"), secret}, []string{"GPU 1  busy n/a"}, []string{"57%  mem ━━━━━━━━━━━━"}},
		{"divided", []parse.Record{reading, card(0, "GPU-0"), card(0, "MIG-a"), card(0, "MIG-b")}, []string{"GPU 0  busy", "GPU0:0 busy", "GPU0:1 busy"}, nil},
		{"silent", []parse.Record{reading, card(0, "GPU-0")}, []string{"driver silent for 12 s"}, nil},
		{
			"no driver",
			[]parse.Record{
				&parse.SourceState{Name: "nvml", Status: parse.SourceFailed, Why: "no NVIDIA driver library here"},
				&parse.SourceState{Name: "nvidia-smi", Status: parse.SourceFailed, Why: "nvidia-smi is not installed"},
			},
			[]string{"GPU    no NVIDIA driver library here; nvidia-smi is not installed"},
			[]string{"busy"},
		},
		{
			"second try",
			[]parse.Record{
				&parse.SourceState{Name: "nvml", Status: parse.SourceFailed, Why: "built without NVML"},
				&parse.SourceState{Name: "nvidia-smi", Status: parse.SourceReading}, card(0, ""),
			},
			[]string{"GPU 0  busy"},
			[]string{"NVML"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			screen := besideMachine(t, 80, 24, c.records...)
			for _, text := range c.want {
				if !strings.Contains(screen, text) {
					t.Errorf("%q is missing in\n%s", text, screen)
				}
			}
			for _, text := range c.not {
				if strings.Contains(screen, text) {
					t.Errorf("%q is shown in\n%s", text, screen)
				}
			}
		})
	}
}

// TestManyDevices holds eight devices beside a live run to what they looked like.
func TestManyDevices(t *testing.T) {
	t.Parallel()
	var records []parse.Record
	for i := range 8 {
		records = append(records, &parse.GPU{
			Index: i, Name: "NVIDIA A100-SXM4-40GB", Busy: parse.Have(float64(i) / 8),
			Used: parse.Have(float64(i) * 5 * float64(parse.GiB)), Total: parse.Have(40 * float64(parse.GiB)),
		})
	}
	records = append(records, &parse.GPUFault{Index: 5, Xid: 48, Text: "double-bit ECC error: the device needs a reset"})
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, besideMachine(t, size[0], size[1], records...))
		})
	}
}

// joinedMachine is a run whose trainer is on device 2 of this machine.
func joinedMachine(t *testing.T, w, h int, o Options, keys ...string) string {
	t.Helper()
	s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
	stream := parse.NewStream(0)
	log := newLog(100).scanned().whole(1, 5, flat)
	stream.Write([]byte(log.String()), noon().Add(-63*time.Second), s.Observe)
	s.Observe(parse.Event{Record: &parse.Trainer{PID: 7, Processes: []int{7, 8}}})
	sampled := func(from, to int) {
		for i := from; i > to; i-- {
			at := parse.Origin{Input: diagnose.MachineInput, Arrival: noon().Add(time.Duration(-i) * time.Second)}
			for g := range 3 {
				s.Observe(parse.Event{Origin: at, Record: &parse.GPU{
					Index: g, Name: "NVIDIA GeForce RTX 3090", Busy: parse.Have(0.3 * float64(g+1)),
					Used: parse.Have(float64(g) * 7.6 * float64(parse.GiB)), Total: parse.Have(24 * float64(parse.GiB)),
					Processes: []parse.GPUProcess{{PID: 5 + g, Used: parse.Have(float64(g) * 7.5 * float64(parse.GiB))}},
				}})
			}
			s.Observe(parse.Event{Origin: at, Record: &parse.Host{
				CPU: parse.Have(0.97), RAMUsed: parse.Have(37 * float64(parse.GiB)), RAMTotal: parse.Have(64 * float64(parse.GiB)),
			}})
		}
	}
	sampled(63, 10)
	before := log.String()
	stream.Write([]byte(log.rows(6, 14.6, 20).String()[len(before):]), noon().Add(-10*time.Second), s.Observe)
	sampled(10, 0)
	return plainText(t, screenOf(s.Snapshot(noon()), o, w, h, keys...).View().Content)
}

// TestTheCardOfTheRun holds the screen of a run whose card is known to what it looked like.
func TestTheCardOfTheRun(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {80, 24}, {44, 30}, {20, 5}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, joinedMachine(t, size[0], size[1], Options{Version: "0.1"}))
		})
	}
}

func TestTheCardIsChosen(t *testing.T) {
	t.Parallel()
	var got [][2]int
	o := Options{Version: "0.1", Choose: func(run, gpu int) { got = append(got, [2]int{run, gpu}) }}
	joinedMachine(t, 80, 24, o, "g")
	if len(got) != 1 || got[0] != [2]int{1, 0} {
		t.Errorf("chosen: %v", got)
	}
	joinedMachine(t, 80, 24, Options{Version: "0.1"}, "g") // where there is nobody to tell
}
