package tui

import (
	"strings"

	"yolotop/diagnose"
	"yolotop/parse"
)

// noDevice is why this machine shows no device, as one line.
func (s scene) noDevice() string {
	if !s.beside() || len(s.snap.Machine.GPUs) > 0 {
		return ""
	}
	return clean(s.snap.Machine.Trouble())
}

// beside reports whether this machine is shown beside a run: its rows come in live or it
// is known to be here, and its own inputs hold no samples.
func (s scene) beside() bool {
	if s.snap == nil || s.snap.Machine == nil || s.sampled() || s.recorded() {
		return false
	}
	if s.run == nil {
		return s.searching()
	}
	return s.run.Status == diagnose.Running && (!s.run.LastRow.IsZero() || s.run.Local() || s.run.CardBy != diagnose.CardUnknown)
}

// sampled reports whether the run's own inputs hold samples of devices.
func (s scene) sampled() bool {
	return s.run != nil && len(s.run.GPUs) > 0 && !s.run.Joined()
}

// recorded reports whether a recording of devices beside the log is the run's.
func (s scene) recorded() bool {
	return s.run != nil && s.run.CardBy == diagnose.CardByRecording
}

// owns reports whether a device of this machine is the run's.
func (s scene) owns(g *diagnose.GPU) bool { return s.run != nil && s.beside() && s.run.Owns(g) }

// whose says which of this machine's devices are the run's, and why.
func (s scene) whose() string {
	if s.run == nil {
		return ""
	}
	if s.run.CardBy == diagnose.CardNoneByHand {
		return s.say("gauges.none.hand")
	}
	var names []string
	for _, g := range s.devices() {
		if s.owns(g) {
			names = append(names, GPUName(g))
		}
	}
	if len(names) == 0 {
		return s.say("gauges.unjoined")
	}
	key := map[diagnose.CardEvidence]diagnose.Key{
		diagnose.CardByName: "gauges.own.name", diagnose.CardByHand: "gauges.own.hand", diagnose.CardByProcess: "gauges.own",
	}[s.run.CardBy]
	return s.say(key, strings.Join(names, ", "))
}

// hostSample is the newest sample of this machine, nil if it is not shown.
func (s scene) hostSample() *parse.Host {
	if !s.beside() {
		return nil
	}
	return s.snap.Machine.Host
}
