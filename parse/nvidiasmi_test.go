package parse

import (
	"strings"
	"testing"
	"time"
)

const mebi = float64(MiB)

// TestGPULines promises what each form of text about devices gives.
func TestGPULines(t *testing.T) {
	t.Parallel()
	missing := func(p Presence) Number { return Number{State: p} }
	head := "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"
	stamp := "2026/03/14 09:12:05.150, "
	for name, c := range map[string]struct {
		text string
		want []GPU
	}{
		"the reasons for missing values": {
			"index, memory.used [MiB], utilization.gpu [%], power.draw [W], fan.speed [%], temperature.gpu, clocks.current.sm [MHz]\n" +
				"0, 410 MiB, [Unknown Error], [Insufficient Permissions], [N/A], [GPU requires reset], [Not Supported]\n",
			[]GPU{{Used: Have(410 * mebi), Busy: missing(Unavailable), Power: missing(NoPermission), Fan: missing(NotSupported), Temperature: missing(Unavailable), Clock: missing(NotSupported)}},
		},
		"columns in any order, by their names": {
			"memory.total [MiB], utilization.memory [%], gpu_uuid, utilization.gpu [%], memory.used [MiB]\n40960, 40, GPU-1, 97, 410\n40960, 0, GPU-2, 0, 9\n",
			[]GPU{
				{Index: -1, UUID: "GPU-1", Busy: Have(0.97), MemoryBusy: Have(0.4), Used: Have(410 * mebi), Total: Have(40960 * mebi)},
				{Index: -1, UUID: "GPU-2", Busy: Have(0), MemoryBusy: Have(0), Used: Have(9 * mebi), Total: Have(40960 * mebi)},
			},
		},
		"devices that only their order tells": {
			"timestamp, name, memory.used [MiB], utilization.gpu [%]\n2026/03/14 09:12:05.150, T4, 1 MiB, 1 %\n2026/03/14 09:12:05.154, T4, 2 MiB, 2 %\n2026/03/14 09:12:06.150, T4, 3 MiB, 3 %\n",
			[]GPU{{Name: "T4", Used: Have(mebi), Busy: Have(0.01)}, {Index: 1, Name: "T4", Used: Have(2 * mebi), Busy: Have(0.02)}, {Name: "T4", Used: Have(3 * mebi), Busy: Have(0.03)}},
		},
		"a second header": {
			head + stamp + "0, 97 %, 410 MiB, 40960 MiB\nindex, memory.used [MiB], utilization.gpu [%]\n1, 9 MiB, 5 %\n",
			[]GPU{{Used: Have(410 * mebi), Total: Have(40960 * mebi), Busy: Have(0.97)}, {Index: 1, Used: Have(9 * mebi), Busy: Have(0.05)}},
		},
		"a row that is cut": {
			head + stamp + "0, 97 %, 410 MiB, 40960 MiB\n" + stamp + "1, 97 %, 410 MiB, 40",
			[]GPU{{Used: Have(410 * mebi), Total: Have(40960 * mebi), Busy: Have(0.97)}, {Index: 1, Used: Have(410 * mebi), Total: missing(NotSupported), Busy: Have(0.97)}},
		},
		"a row that is cut in its unit": {
			head + stamp + "0, 97 %, 410 MiB, 40960 Mi",
			[]GPU{{Used: Have(410 * mebi), Total: missing(NotSupported), Busy: Have(0.97)}},
		},
		"no header, no stamp, but units": {
			"0, 97 %, 410 MiB, 40960 MiB\n1, 0 %, 9 MiB, 40960 MiB\n",
			[]GPU{{Busy: Have(0.97), Used: Have(410 * mebi), Total: Have(40960 * mebi)}, {Index: 1, Busy: Have(0), Used: Have(9 * mebi), Total: Have(40960 * mebi)}},
		},
		"no header, and used behind free": {
			"NVIDIA A100-SXM4-40GB, P0, 40960 MiB, 40140 MiB, 410 MiB, 55.10 W, 1410 MHz\nNVIDIA A100-SXM4-40GB, P0, 40960 MiB, 38100 MiB, 2450 MiB, 56.10 W, 1410 MHz\n",
			[]GPU{
				{Name: "NVIDIA A100-SXM4-40GB", Used: Have(410 * mebi), Total: Have(40960 * mebi), Power: Have(55.1), Clock: Have(1410)},
				{Name: "NVIDIA A100-SXM4-40GB", Used: Have(2450 * mebi), Total: Have(40960 * mebi), Power: Have(56.1), Clock: Have(1410)},
			},
		},
		"no header, and a temperature before the utilization": {
			stamp + "34, 0, 410, 40960\n2026/03/14 09:12:06.150, 35, 97, 500, 40960\n2026/03/14 09:12:07.150, 36, 12, 600, 40960\n",
			[]GPU{
				{Busy: Have(0), Used: Have(410 * mebi), Total: Have(40960 * mebi)},
				{Busy: Have(0.97), Used: Have(500 * mebi), Total: Have(40960 * mebi)},
				{Busy: Have(0.12), Used: Have(600 * mebi), Total: Have(40960 * mebi)},
			},
		},
		"processes of devices": {
			"timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n" + stamp + "GPU-1, 7, python, 398 MiB\n" + stamp + "GPU-1, 8, python, 2 MiB\n" + stamp + "GPU-2, 9, python, [N/A]\n" +
				"2026/03/14 09:12:06.150, GPU-1, 7, python, 399 MiB\n",
			[]GPU{
				{
					Index: -1, UUID: "GPU-1", Used: Have(400 * mebi), ProcessesState: Present,
					Processes: []GPUProcess{{PID: 7, Name: "python", Used: Have(398 * mebi)}, {PID: 8, Name: "python", Used: Have(2 * mebi)}},
				},
				{Index: -1, UUID: "GPU-1", Used: Have(399 * mebi), ProcessesState: Present, Processes: []GPUProcess{{PID: 7, Name: "python", Used: Have(399 * mebi)}}},
			},
		},
		"names that people give": {
			"Time,GPU Memory (MB),GPU Util (%),\"cpu_percent\",ram_used_gb\n12.5,6100,97,50,20\n",
			[]GPU{{Elapsed: Have(12.5), Used: Have(6100 * mebi), Busy: Have(0.97)}},
		},
		"dmon of all groups": {
			"# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk  pviol  tviol     fb   bar1   ccpm  sbecc  dbecc    pci  rxpci  txpci\n" +
				"# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz      %   bool     MB     MB     MB   errs   errs   errs   MB/s   MB/s\n" +
				"    0    331     74      -     97     53      0      0      0      0  10251   2520     12      0  10240     12      0      -      0      0    100     50\n",
			[]GPU{{
				Power: Have(331), Temperature: Have(74), Busy: Have(0.97), MemoryBusy: Have(0.53), Encoder: Have(0), Decoder: Have(0), Clock: Have(2520),
				Used: Have(10240 * mebi), ECC: Have(0), PCIeRx: Have(100 * mebi), PCIeTx: Have(50 * mebi), Throttled: []string{"power"},
			}},
		},
		"dmon with commas, and a row that is cut": {
			"#gpu, pwr, gtemp, sm, fb\n#Idx, W, C, %, MB\n0, 331, 74, -, 410\n0, 331, 74, 97, 51",
			[]GPU{{Power: Have(331), Temperature: Have(74), Busy: missing(NotSupported), Used: Have(410 * mebi)}},
		},
		"pmon without memory": {
			"# gpu         pid   type     sm    mem    enc    dec    command \n# Idx           #    C/G      %      %      %      %    name \n    0      41234     C     97     48      -      -    python a b     \n    1          -     -      -      -      -      -    -              \n",
			[]GPU{{Busy: Have(0.97), ProcessesState: Present, Processes: []GPUProcess{{PID: 41234, Name: "python a b", Busy: Have(0.97)}}}},
		},
		"a box with processes, and one of Windows": {
			"| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |\n" +
				"|   0  NVIDIA GeForce RTX 3080 ...  WDDM  | 00000000:01:00.0  On |                  N/A |\n| N/A   55C    P8    N/A /  N/A  |    410MiB / 10240MiB |      N/A      Default |\n|                               |                      |                  N/A |\n" +
				"+---+\n\n+---+\n| Processes: |\n|====|\n|    0   N/A  N/A      1234    C+G   C:\\Windows\\explorer.exe         N/A      |\n|    0   N/A  N/A     41234      C   python                            404MiB |\n+---+\n",
			[]GPU{{
				Name: "NVIDIA GeForce RTX 3080 ...", Fan: missing(NotSupported), Temperature: Have(55), Power: missing(NotSupported), PowerLimit: missing(NotSupported),
				Used: Have(410 * mebi), Total: Have(10240 * mebi), Busy: missing(NotSupported), ProcessesState: Present,
				Processes: []GPUProcess{{PID: 1234, Name: `C:\Windows\explorer.exe`, Used: missing(NotSupported)}, {PID: 41234, Name: "python", Used: Have(404 * mebi)}},
			}},
		},
		"MIG devices are no devices of their own": {
			"|   0  NVIDIA A100-SXM4-40GB          On  | 00000000:07:00.0 Off |                   On |\n| N/A   34C    P0              48W / 400W |  10410MiB / 40960MiB |     N/A      Default |\n|                                         |                      |              Enabled |\n" +
				"| MIG devices:                                                                          |\n|  0    1   0   0  |            3000MiB / 20096MiB  | 42      0 |  3   0    2    0    0 |\n",
			[]GPU{{
				Name: "NVIDIA A100-SXM4-40GB", Fan: missing(NotSupported), Temperature: Have(34), Power: Have(48), PowerLimit: Have(400),
				Used: Have(10410 * mebi), Total: Have(40960 * mebi), Busy: missing(NotSupported),
			}},
		},
		"gpustat with everything": {
			"[0] Tesla V100 | 74'C,  30 %,  97 % (E:   3 %  D:   4 %),  331 / 450 W | 10240 / 24564 MB | user:python/41234(10228M) gdm(??M)\n[1] Tesla V100 | ??°C,  ?? % |    ?? / 24564 MB |\n[2] Tesla V100 | 40°C,   5 % |    1 / 24564 MB\n",
			[]GPU{
				{
					Name: "Tesla V100", Temperature: Have(74), Fan: Have(0.3), Busy: Have(0.97), Encoder: Have(0.03), Decoder: Have(0.04), Power: Have(331), PowerLimit: Have(450),
					Used: Have(10240 * mebi), Total: Have(24564 * mebi), ProcessesState: Present,
					Processes: []GPUProcess{{PID: 41234, User: "user", Name: "python", Used: Have(10228 * mebi)}, {User: "gdm", Used: missing(NotSupported)}},
				},
				{Index: 1, Name: "Tesla V100", Temperature: missing(NotSupported), Busy: missing(NotSupported), Used: missing(NotSupported), Total: Have(24564 * mebi)},
				{Index: 2, Name: "Tesla V100", Temperature: Have(40), Busy: Have(0.05), Used: Have(1 * mebi), Total: Have(24564 * mebi)},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := gpus(c.text)
			for i := range max(len(got), len(c.want)) {
				if i >= len(got) || i >= len(c.want) {
					t.Fatalf("%d samples, want %d", len(got), len(c.want))
				}
				g := *got[i]
				g.Stamp = time.Time{}
				if !same(g, c.want[i]) {
					t.Errorf("sample %d\ngot  %+v\nwant %+v", i, g, c.want[i])
				}
			}
		})
	}
}

// TestGPURecordings promises how many samples of which devices each recording has.
func TestGPURecordings(t *testing.T) {
	t.Parallel()
	for name, in := range recordings(t, "") {
		if !strings.HasPrefix(name, "nvidia-smi") && !strings.HasPrefix(name, "gpustat") && !strings.HasPrefix(name, "nvitop") {
			continue
		}
		devices := map[int]int{}
		for _, e := range eventsOf(in) {
			switch r := e.Record.(type) {
			case *GPU:
				devices[r.Index]++
				if r.Used.State != Present && r.Busy.State != Present {
					t.Errorf("%s:%d: an empty sample", name, e.Line)
				}
			default:
				t.Errorf("%s:%d: %T %+v", name, e.Line, r, r)
			}
		}
		if len(devices) == 0 || devices[1] > 0 && devices[0]-devices[1] > 1 || devices[2] > 0 && devices[0]-devices[2] > 1 {
			t.Errorf("%s: %v", name, devices)
		}
	}
}

// TestIdleUtilizationIsNoIndex promises that rows without a header of a device that
// idles at first do not become rows of many devices later.
func TestIdleUtilizationIsNoIndex(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 20 {
		busy := "0"
		if i >= 10 {
			busy = "3"
		}
		b.WriteString("2026/03/14 09:12:" + string([]byte{'0' + byte(i/10), '0' + byte(i%10)}) + ".113, " + busy + ", 410\n")
	}
	for i, g := range gpus(b.String()) {
		if g.Index != 0 || i >= 10 && g.Busy != Have(0.03) || g.Used != Have(410*mebi) {
			t.Errorf("row %d: %+v", i, g)
		}
	}
}

// TestOtherTextsBesideDevices promises that texts that look like a device's, or that
// come behind a table, are not swallowed.
func TestOtherTextsBesideDevices(t *testing.T) {
	t.Parallel()
	box := "Sat Mar 14 09:12:05 2026\n" + recording(t, "nvitop-once.log")
	for _, text := range []string{
		"2026/03/14 09:12:05, hello, world",
		"2026/03/14 09:12:05.150, hello, world",
		"| 0 | model | ResNet | 11.2 M |",
		"| Allocated memory      |   1000 KiB |   2000 KiB |",
		"Training started Sat Mar 14 09:12:05 2026 on gpu-box",
		"1 2 3 4 5 6 7 8 9 ten",
		"loss 5, 4, 3",
		"5 MiB, ten MiB",
	} {
		got := recordsOf[*Text](box + "# gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk\n" + text + "\n")
		if len(got) != 1 || got[0].Text != text {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestClockOfDevices promises that stamps of samples tell the run time until a
// trainer or a transport does, and do not disturb it then.
func TestClockOfDevices(t *testing.T) {
	t.Parallel()
	head := "timestamp, index, memory.used [MiB]\n"
	sample := func(clock string) string { return "2026/03/14 " + clock + ".000, 0, 410 MiB\n" }
	row := func(done, elapsed string) string {
		return "        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── " + done + "/4 1.9it/s " + elapsed + "s<1.6s\n"
	}
	last := func(text string) time.Duration {
		all := eventsOf(text)
		return all[len(all)-1].Run
	}
	for name, c := range map[string]struct {
		text string
		want time.Duration
	}{
		"samples alone":               {head + sample("09:00:00") + sample("09:00:30"), 30 * time.Second},
		"printed seconds":             {"elapsed_s,gpu_mem_mib\n5,400\n65,400\n", time.Minute},
		"then a training":             {head + sample("09:00:00") + sample("09:00:30") + banner84 + detectHead + row("1", "2.0") + sample("23:00:00") + row("2", "5.0"), 35 * time.Second},
		"in another zone than docker": {"2026-03-14T01:00:00Z " + head + "2026-03-14T01:00:00Z " + sample("09:00:00") + "2026-03-14T01:00:07Z " + sample("09:00:07"), 7 * time.Second},
	} {
		if got := last(c.text); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestSamplesKeepTheOrder promises that samples that are held back come before what
// was said after them.
func TestSamplesKeepTheOrder(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	box := recording(t, "nvidia-smi-table-3gpu.log")
	for i, l := range strings.SplitAfter(box+box, "\n") {
		b.WriteString(l)
		if i%3 == 0 {
			b.WriteString("2026/03/14 09:12:05.150, 0, 97, 410\nsomething else\n")
		}
	}
	checkEvents(t, eventsOf(b.String()))
}

func FuzzNvidiaSMI(f *testing.F) {
	seed(f, "nvidia-smi-table-3gpu.log", "nvidia-smi-pmon.log", "nvidia-smi-dmon-dt-fb.log", "gpustat-watch-ansi.log", "nvitop-once.log")
	fuzzStream(f, "# gpu   pwr gtemp    sm   mem    fb\n| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |\n")
}

func FuzzGPUCSV(f *testing.F) {
	seed(f, "nvidia-smi-csv-units-leak.csv", "nvidia-smi-csv-nounits-2gpu.csv", "nvidia-smi-csv-loopms.csv")
	f.Add([]byte("timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n2026/03/14 09:12:05.150, GPU-1, 7, python, 398 MiB\n"), 9)
	fuzzStream(f, "elapsed_s,epoch,gpu_mem_mib,gpu_total_mib,gpu_util_pct,ram_used_mib\n")
}
