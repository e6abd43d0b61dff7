package main

import (
	"strings"
	"testing"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

// healthy are the facts of a machine on which all works.
func healthy() facts {
	return facts{
		system: "linux/amd64",
		driver: sources.DriverReport{
			Library: sources.Facility{There: true, Why: "driver 580.65"}, Path: "/usr/lib/libnvidia-ml.so.1",
			GPUs: []*parse.GPU{{
				Name: "NVIDIA GeForce RTX 3090", Used: parse.Have(2 * float64(parse.GiB)), Total: parse.Have(24 * float64(parse.GiB)), ProcessesState: parse.Present,
			}},
		},
		host: &parse.Host{
			RAMUsed: parse.Have(8 * float64(parse.GiB)), RAMTotal: parse.Have(64 * float64(parse.GiB)),
			ShmTotal: parse.Have(32 * float64(parse.GiB)), IOPressure: parse.Have(0),
		},
		processes: 300, own: 40, tmux: sources.Facility{There: true, Why: "3.4"}, notices: sources.Facility{There: true},
		term: "xterm-256color", terminal: true, w: 120, h: 40, colors: "TrueColor", locale: "en_US.UTF-8", utf8: true,
	}
}

// TestDoctorJudges promises a line for every fact, how grave it is, and what to do.
func TestDoctorJudges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*facts)
		worst  judgement
		says   string
	}{
		{"all works", func(*facts) {}, fine, "✓ GPU             GPU 0, NVIDIA GeForce RTX 3090, 2.00 GiB of 24.0 GiB in use"},
		{"the library's path", func(*facts) {}, fine, "✓ NVIDIA library  driver 580.65, /usr/lib/libnvidia-ml.so.1"},
		{"no driver", func(f *facts) {
			f.driver = sources.DriverReport{Library: sources.Facility{Why: "no library here"}, Program: sources.Facility{Why: "not installed"}}
		}, lacking, "! NVIDIA library  no library here"},
		{"a broken driver", func(f *facts) {
			f.driver = sources.DriverReport{Library: sources.Facility{Broken: true, Why: "upgraded: reboot"}, Program: sources.Facility{Broken: true}}
		}, failing, "× NVIDIA library  upgraded: reboot"},
		{"nvidia-smi will do", func(f *facts) {
			f.driver.Library, f.driver.Program = sources.Facility{Broken: true, Why: "a stub"}, sources.Facility{There: true}
		}, lacking, "✓ nvidia-smi      works"},
		{"a lost device", func(f *facts) {
			f.driver.Faults = []*parse.GPUFault{{Index: 3, Text: "the driver has lost the device"}}
		}, failing, "× GPU             GPU 3: the driver has lost the device"},
		{"hidden processes of a device", func(f *facts) { f.driver.GPUs[0].ProcessesState = parse.NoPermission }, fine, "its processes are not told"},
		{"small shared memory", func(f *facts) { f.host.ShmTotal = parse.Have(64 * float64(parse.MiB)) }, lacking, "--shm-size=8g"},
		{"a training", func(f *facts) { f.trainings = []parse.Training{{PID: 4711, Command: "python train.py"}} }, fine, "pid 4711: python train.py"},
		{"no tmux", func(f *facts) { f.tmux = sources.Facility{} }, lacking, "! tmux            not installed"},
		{"a locale of letters we do not draw", func(f *facts) { f.utf8, f.locale = false, "C" }, lacking, "--ascii"},
		{"no terminal", func(f *facts) { f.terminal, f.w = false, 0 }, fine, "plain lines are printed"},
		{"no notices", func(f *facts) { f.notices = sources.Facility{Broken: true, Why: "by the clock"} }, lacking, "! file notices    by the clock"},
		{"no processes", func(f *facts) { f.processes = -1 }, lacking, "! processes       cannot be listed"},
		{"no pressure", func(f *facts) { f.host.IOPressure = parse.Number{} }, lacking, "! pressure"},
	} {
		f := healthy()
		c.change(&f)
		d := doctor{lang: diagnose.English}
		list := d.judge(f)
		worst := fine
		for _, s := range list {
			worst = max(worst, s.judgement)
		}
		if report := d.report(list); worst != c.worst || !strings.Contains(report, c.says) {
			t.Errorf("%s: %d, want %d and %q in\n%s", c.name, worst, c.worst, c.says, report)
		}
	}
}

// TestDoctorRuns promises that the command itself says something of this machine,
// whatever there is here.
func TestDoctorRuns(t *testing.T) {
	t.Parallel()
	got := command(t, "doctor")
	if got.status > exitCritical || got.stderr != "" {
		t.Errorf("status %d, %q", got.status, got.stderr)
	}
	for _, name := range []string{"yolotop", "NVIDIA library", "processes", "trainings", "main memory", "tmux", "terminal", "locale"} {
		if !strings.Contains(got.stdout, " "+name+" ") {
			t.Errorf("%s is missing in\n%s", name, got.stdout)
		}
	}
	if got := command(t, "doctor", "--lang", "zh"); !strings.Contains(got.stdout, "主机内存") {
		t.Errorf("not in Chinese:\n%s", got.stdout)
	}
}
