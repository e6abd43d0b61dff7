package diagnose

import (
	"testing"
	"time"

	"yolotop/parse"
)

// TestTheMachineIsNoRun promises that samples of this machine's devices are shown and
// that no detector mixes them into a run: the log may come from another machine.
func TestTheMachineIsNoRun(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "train.log"})
	feed(s, 0, banner+start+header+row("1", "10", "5.1G"))
	now := time.Unix(1000, 0)
	for i := range 300 {
		s.Observe(parse.Event{
			Origin: parse.Origin{Input: MachineInput, Arrival: now.Add(time.Duration(i) * time.Second)},
			Record: &parse.GPU{Busy: parse.Have(bursts(i)), Used: parse.Have(23.5e9), Total: parse.Have(24e9)},
		})
	}
	s.Observe(parse.Event{Origin: parse.Origin{Input: MachineInput}, Record: &parse.SourceState{Name: "nvml", Status: parse.SourceFailed, Why: "gone"}})
	r := only(t, s)
	if len(r.Findings) != 0 || len(r.GPUs) != 0 {
		t.Errorf("the run was judged by this machine: %+v", r.Findings)
	}
	m := s.Snapshot(now.Add(310 * time.Second)).Machine
	if len(m.GPUs) != 1 || m.GPUs[0].Samples != 300 || len(m.Sources) != 1 || m.Sources[0].Why != "gone" {
		t.Errorf("%+v", m)
	}
	if d, ok := m.Silent(now.Add(310 * time.Second)); !ok || d != 11*time.Second {
		t.Errorf("silent for %v, %v", d, ok)
	}
}
