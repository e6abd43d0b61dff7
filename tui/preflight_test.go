package tui

import (
	"strings"
	"testing"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// starting is a run that caches its images on this machine, whose card another process
// shares.
func starting(t *testing.T, w, h int, host parse.Host, caching string) string {
	t.Helper()
	return plainText(t, screenOf(startingOn(host, caching), Options{Version: "0.1"}, w, h).View().Content)
}

// startingOn is the snapshot of it.
func startingOn(host parse.Host, caching string) *diagnose.Snapshot {
	s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
	s.Observe(parse.Event{Record: &parse.Trainer{PID: 7, Processes: []int{7, 8}}})
	stream := parse.NewStream(0)
	stream.Write([]byte(newLog(100).String()), noon().Add(-30*time.Second), s.Observe)
	for i := 5; i >= 0; i-- {
		at := parse.Origin{Input: diagnose.MachineInput, Arrival: noon().Add(time.Duration(-i) * time.Second)}
		s.Observe(parse.Event{Origin: at, Record: &parse.GPU{
			Index: 1, Name: "NVIDIA GeForce RTX 3090", Busy: parse.Have(0.1), Used: parse.Have(4.9 * float64(parse.GiB)), Total: parse.Have(24 * float64(parse.GiB)),
			ProcessesState: parse.Present, Processes: []parse.GPUProcess{
				{PID: 7, Name: "pt_main_thread", User: "ana", Used: parse.Have(0.4 * float64(parse.GiB))},
				{PID: 77, Name: "python", User: "ben", Used: parse.Have(4.1 * float64(parse.GiB))},
				{PID: 78, Name: "Xorg", User: "root", Used: parse.Have(0.1 * float64(parse.GiB))},
			},
		}})
		h := host
		s.Observe(parse.Event{Origin: at, Record: &h})
	}
	stream.Write([]byte("train: Scanning /data/labels/train.cache... 2560 images, 3 backgrounds, 0 corrupt: 100%|██████████| 2560/2560 [00:00<?, ?it/s]\n"+caching), noon(), s.Observe)
	return s.Snapshot(noon())
}

func smallHost() parse.Host {
	return parse.Host{
		CPU: parse.Have(0.3), Cores: make([]float64, 16), CPULimit: parse.Have(4), RAMUsed: parse.Have(50 * float64(parse.GiB)), RAMTotal: parse.Have(64 * float64(parse.GiB)),
		ShmUsed: parse.Have(0), ShmTotal: parse.Have(64 * float64(parse.MiB)),
	}
}

// TestWhatIsShownBeforeTheFirstEpoch promises that what is well is not marked, and what is
// not known is not shown.
func TestWhatIsShownBeforeTheFirstEpoch(t *testing.T) {
	t.Parallel()
	large := smallHost()
	large.CPULimit, large.ShmTotal, large.RAMUsed = parse.Number{}, parse.Have(32*float64(parse.GiB)), parse.Have(4*float64(parse.GiB))
	for _, c := range []struct {
		host    parse.Host
		caching string
		want    []string
		not     []string
	}{
		{
			smallHost(), "",
			[]string{"8 workers on 4 cores · more workers than cores", "0.06 GiB of 0.06 GiB free · small", "14.0 GiB of 64.0 GiB free", "pid 77 python 4.10 GiB · 1 more", "19.1 GiB of 24.0 GiB free"},
			[]string{"the cache will need"},
		},
		{
			large, "train: Caching images (6.0GB RAM): 25% ━━━───────── 640/2560 99.0it/s 6.4s<19.2s\n",
			[]string{"8 workers on 16 cores", "32.0 GiB of 32.0 GiB free", "the cache will need 24.0 GiB"},
			[]string{"more workers than cores", "small for", "host-ram"},
		},
		{
			smallHost(), "train: Caching images (6.0GB RAM): 25% ━━━───────── 640/2560 99.0it/s 6.4s<19.2s\n",
			[]string{"caching the images will need 24.0 GiB of main memory, and there is room for 20.0 GiB"},
			nil,
		},
		{parse.Host{Workers: -1}, "", []string{"on: the check passed"}, []string{"cores", "/dev/shm"}},
	} {
		screen := starting(t, 120, 40, c.host, c.caching)
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
	}
}
