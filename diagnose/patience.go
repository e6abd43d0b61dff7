package diagnose

import "strconv"

// patienceShare is how much of its patience a run must have used up for it to be probable that
// patience ends it.
const patienceShare = 0.5

// PatienceStop is the epoch after which patience ends the run unless its metrics improve; 0 if
// that is not known, or not before the run's last epoch. Ultralytics and YOLOv5 stop once as
// many epochs as patience= says have brought no better fitness.
func (r *Run) PatienceStop() int {
	patience, err := strconv.Atoi(r.Args["patience"])
	if err != nil || patience <= 0 || r.BestEpoch == 0 || r.BestFitness == 0 {
		return 0
	}
	if stop := r.BestEpoch + patience; r.Epochs == 0 || stop < r.Epochs {
		return stop
	}
	return 0
}

// patienceEnds reports whether patience probably ends the run before an epoch.
func (r *Run) patienceEnds(before float64) bool {
	stop := r.PatienceStop()
	if stop == 0 || float64(stop) >= before {
		return false
	}
	return float64(r.MetricsEpoch-r.BestEpoch) >= patienceShare*float64(stop-r.BestEpoch)
}
