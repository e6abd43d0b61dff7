package parse

import (
	"strings"
	"testing"
	"time"
)

// gpus are the samples in a text.
func gpus(text string) []*GPU {
	var out []*GPU
	for _, e := range eventsOf(text) {
		if g, ok := e.Record.(*GPU); ok {
			out = append(out, g)
		}
	}
	return out
}

func TestGPUTables(t *testing.T) {
	t.Parallel()
	const mib = float64(MiB)
	for name, c := range map[string]struct {
		text string
		want GPU
	}{
		"csv with units": {
			"timestamp, name, index, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], temperature.gpu, power.draw [W]\n" +
				"2026/03/14 09:12:05.150, NVIDIA GeForce RTX 4090, 1, 97 %, 40 %, 410 MiB, 24564 MiB, 34, 28.50 W\n",
			GPU{Index: 1, Name: "NVIDIA GeForce RTX 4090", Busy: Have(0.97), MemoryBusy: Have(0.4), Used: Have(410 * mib), Total: Have(24564 * mib), Temperature: Have(34), Power: Have(28.5)},
		},
		"csv without units": {
			"timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n2026/03/14 09:12:05.150, 0, 97, 6100, 12288\n",
			GPU{Busy: Have(0.97), Used: Have(6100 * mib), Total: Have(12288 * mib)},
		},
		"what is not there is missing, with its reason": {
			"timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], fan.speed [%]\n2026/03/14 09:12:05.150, 0, [N/A], 6100 MiB, [Insufficient Permissions], [Unknown Error]\n",
			GPU{Busy: Number{State: NotSupported}, Used: Have(6100 * mib), Power: Number{State: NoPermission}, Fan: Number{State: Unavailable}},
		},
		"free instead of used": {
			"timestamp, index, memory.free [MiB], memory.total [MiB], utilization.gpu [%]\n2026/03/14 09:12:05.150, 0, 6188 MiB, 12288 MiB, 5 %\n",
			GPU{Busy: Have(0.05), Used: Have(6100 * mib), Total: Have(12288 * mib)},
		},
		"a script of one's own": {
			"elapsed_s,epoch,gpu_mem_mib,gpu_total_mib,gpu_util_pct,ram_used_mib,ram_total_mib,swap_used_mib\n20,3,6211,12288,80,19162,32108,0\n",
			GPU{Elapsed: Have(20), Epoch: 3, Busy: Have(0.8), Used: Have(6211 * mib), Total: Have(12288 * mib)},
		},
		"dmon of old": {
			"# gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk\n# Idx     W     C     C     %     %     %     %   MHz   MHz\n    2    28    34     -    97    41     0     0  9501   210\n",
			GPU{Index: 2, Power: Have(28), Temperature: Have(34), Busy: Have(0.97), MemoryBusy: Have(0.41), Encoder: Have(0), Decoder: Have(0), Clock: Have(210)},
		},
		"dmon with dates and memory": {
			"#Date       Time        gpu    pwr  gtemp     sm    mem     fb   bar1\n#YYYYMMDD   HH:MM:SS    Idx      W      C      %      %     MB     MB\n 20260314   09:12:05      0     28     34      5      2    410     12\n",
			GPU{Power: Have(28), Temperature: Have(34), Busy: Have(0.05), MemoryBusy: Have(0.02), Used: Have(410 * mib)},
		},
		"the box of 450": {
			"Sat Mar 14 09:12:05 2026\n|   0  GeForce RTX 208...  Off  | 00000000:65:00.0 Off |                  N/A |\n| 30%   34C    P2    28W / 250W |    410MiB / 11019MiB |      7%      Default |\n",
			GPU{Name: "GeForce RTX 208...", Fan: Have(0.3), Temperature: Have(34), Power: Have(28), PowerLimit: Have(250), Used: Have(410 * mib), Total: Have(11019 * mib), Busy: Have(0.07)},
		},
		"the box of 550": {
			"Sat Mar 14 09:12:05 2026\n|   3  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |\n| N/A   34C    P0             28W /  700W |     410MiB /  81559MiB |     99%      Default |\n",
			GPU{Index: 3, Name: "NVIDIA H100 80GB HBM3", Fan: Number{State: NotSupported}, Temperature: Have(34), Power: Have(28), PowerLimit: Have(700), Used: Have(410 * mib), Total: Have(81559 * mib), Busy: Have(0.99)},
		},
		"nvitop mixes units": {
			"Sat Mar 14 09:13:04 2026\n│   0  GeForce RTX 4090     Off │ 00000000:01:00.0 Off │                  N/A │\n│ 68%   74C   P2    331W / 450W │  10240MiB / 24.00GiB │     97%      Default │\n",
			GPU{Name: "GeForce RTX 4090", Fan: Have(0.68), Temperature: Have(74), Power: Have(331), PowerLimit: Have(450), Used: Have(10240 * mib), Total: Have(24 * float64(GiB)), Busy: Have(0.97)},
		},
		"gpustat with fan and processes": {
			"gpu-box   Sat Mar 14 09:12:05 2026  535.129.03\n[1] NVIDIA GeForce RTX 4090 |  34°C,  30 %,  93 %,   28 / 450 W |   410 / 24564 MB | user:python/41234(398M)\n",
			GPU{
				Index: 1, Name: "NVIDIA GeForce RTX 4090", Temperature: Have(34), Fan: Have(0.3), Busy: Have(0.93), Power: Have(28), PowerLimit: Have(450), Used: Have(410 * mib), Total: Have(24564 * mib),
				Processes: []GPUProcess{{PID: 41234, User: "user", Name: "python", Used: Have(398 * mib)}}, ProcessesState: Present,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := gpus(c.text)
			if len(got) != 1 {
				t.Fatalf("%d samples", len(got))
			}
			if strings.Contains(c.text, "2026") && got[0].Stamp.IsZero() {
				t.Error("the time was lost")
			}
			g := *got[0]
			g.Stamp = time.Time{}
			if !same(g, c.want) {
				t.Errorf("got  %+v\nwant %+v", g, c.want)
			}
		})
	}
}

// TestCSVWithoutHeader promises that the shape of rows tells their columns.
func TestCSVWithoutHeader(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 6 {
		for gpu, used := range []string{"8300", "14000"} {
			b.WriteString("2026/03/14 09:12:0" + string(rune('0'+i)) + ".113, " + string(rune('0'+gpu)) + ", 2" + string(rune('0'+i)) + ", " + used + ", 40960\n")
		}
	}
	got := gpus(b.String())
	if len(got) != 12 {
		t.Fatalf("%d samples, want 12", len(got))
	}
	g := got[3]
	if g.Index != 1 || g.Busy != Have(0.21) || g.Used != Have(14000*float64(MiB)) || g.Total != Have(40960*float64(MiB)) {
		t.Errorf("%+v", g)
	}
}

// TestPmonSumsUpADevice promises one sample a device and round, with its processes.
func TestPmonSumsUpADevice(t *testing.T) {
	t.Parallel()
	text := recording(t, "nvidia-smi-pmon.log")
	got := gpus(text)
	if len(got) < 5 {
		t.Fatalf("%d samples", len(got))
	}
	g := got[0]
	if g.Index != 0 || len(g.Processes) != 2 || g.Processes[0].PID != 41234 || g.Processes[1].Name != "Xorg" || g.Used != Have(7457*float64(MiB)) {
		t.Errorf("%+v", g)
	}
}

// TestDevicesBesideATraining promises that lines of a device between those of a
// trainer disturb neither.
func TestDevicesBesideATraining(t *testing.T) {
	t.Parallel()
	csv := "2026/03/14 09:12:05.150, 0, 97 %, 6100 MiB\n"
	row := func(done, elapsed string) string {
		return "        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── " + done + "/4 1.9it/s " + elapsed + "s<1.6s"
	}
	text := banner84 + "timestamp, index, utilization.gpu [%], memory.used [MiB]\n" + csv + detectHead + row("1", "2.0") + "\n" + csv + row("4", "8.0") + "\n" + csv
	rows, samples := 0, 0
	for _, e := range eventsOf(text) {
		switch r := e.Record.(type) {
		case *Progress:
			rows++
			if len(r.Values) != 3 {
				t.Errorf("a row lost its names: %+v", r)
			}
		case *GPU:
			samples++
		}
	}
	if rows != 2 || samples != 3 {
		t.Errorf("%d rows and %d samples", rows, samples)
	}
}

// TestOtherLinesAreNoDevices promises that tables and lists of something else give
// no samples.
func TestOtherLinesAreNoDevices(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"name, index, colour\nfoo, 1, red\n",
		"| Name  | Type | Params |\n| 0 | model | ResNet | 11.2 M |\n",
		"# gpu is great\n0 1 2 3\n",
		"[1] 4711 running\n",
		"[0] foo | bar | 1 / 2 KB | x\n",
		"2026/03/14 09:12:05.150, hello, world\n",
	} {
		if got := gpus(text); len(got) != 0 {
			t.Errorf("%q: %+v", text, got[0])
		}
	}
}
