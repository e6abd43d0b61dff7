package diagnose

import "yolotop/parse"

// phaseName is the name of a phase for people.
func phaseName(p Phase) Message {
	return Say([...]Key{"phase.starting", "phase.training", "phase.validating", "phase.between", "phase.finishing", "phase.ended"}[p])
}

// PhaseText says what the trainer is doing: while it starts, at which step it is.
func (r *Run) PhaseText() Message {
	if r.Phase != Starting || r.Stage == nil {
		return phaseName(r.Phase)
	}
	s := r.Stage
	key := [...]Key{
		parse.Scanning: "stage.scanning", parse.Caching: "stage.caching", parse.CheckingAMP: "stage.amp", parse.AutoBatch: "stage.autobatch",
		parse.Validating: "phase.validating", parse.FinalValidation: "phase.finishing", parse.Plotting: "stage.plotting",
	}[s.Kind]
	if s.Total > 0 && s.Done >= 0 && (s.Kind == parse.Scanning || s.Kind == parse.Caching) {
		return Say("stage.percent", Say(key), Percent(min(1, float64(s.Done)/float64(s.Total))))
	}
	return Say(key)
}
