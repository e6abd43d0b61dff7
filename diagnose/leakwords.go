package diagnose

import "math"

// because is what the finding rests on: how many new highs, how rare that is without growth,
// and where in an epoch it grows.
func (g *growth) because(epochs bool) Message {
	rises, of, n := g.counted()
	unit := Say("leak.unit.epochs")
	switch {
	case g.found.channel == inBlocks:
		unit = Say("leak.unit.parts")
	case !epochs:
		unit = Say("leak.unit.time")
	}
	odds := 1.0
	for odds*10 <= math.Min(g.found.evidence/float64(max(n, 1)), mostOdds) {
		odds *= 10
	}
	switch {
	case g.found.channel == inRanks:
		return Say("leak.because.ranks", of, unit, g.where())
	case g.found.channel == inSteps && odds < leastOdds:
		return Say("leak.because.steps", rises, of, unit, g.where())
	case odds < leastOdds:
		return Say("leak.because.plain", rises, of, unit, g.where())
	}
	if odds >= mostOdds {
		return Say("leak.because", rises, of, unit, Say("leak.odds.most"), g.where())
	}
	return Say("leak.because", rises, of, unit, int(odds), g.where())
}

// leastOdds is how rare something must be to be called so.
const leastOdds = 100

// mostOdds is beyond which nobody asks how rare.
const mostOdds = 1e6

// counted is in how many of how many last values of the channel there was a new high, and how
// many values there were in all.
func (g *growth) counted() (rises, of, all int) {
	x, v, _ := g.channelOf(g.found.channel, g.found.rank, true)
	k := 0
	for k < len(v)-1 && x[k] < g.found.since {
		k++
	}
	if len(v) == 0 {
		return 0, 0, 0
	}
	top := v[k]
	for _, y := range v[k+1:] {
		of++
		if y > top+g.quantum/2 {
			rises++
			top = y
		}
	}
	return rises, of, len(v)
}

// where says at which point of an epoch memory grows.
func (g *growth) where() Message {
	sum := g.within + g.between
	switch {
	case g.sawtooth():
		return Say("leak.where.saw")
	case g.all == g.epochs() || sum <= 0:
		return Say("leak.where.unknown")
	case g.between > 0.7*sum:
		return Say("leak.where.ends")
	case g.within > 0.7*sum:
		return Say("leak.where.steps")
	}
	return Say("leak.where.both")
}

// leakAdvice is what helps against a leak, the cheapest first. A run that has died of it is not
// told to stop.
func leakAdvice(r *Run, died bool) []Message {
	var out []Message
	resume, resumeBy := Key("leak.resume"), Key("leak.resume.command")
	if died {
		resume, resumeBy = "leak.again", "leak.again.command"
	}
	switch r.Trainer {
	case "ultralytics", "yolov5", "yolov7", "yolov9":
		if command := r.ResumeCommand(); command != "" {
			out = append(out, Say(resumeBy, command))
		} else {
			out = append(out, Say(resume))
		}
		out = append(out, Say("leak.callbacks"))
	default:
		out = append(out, Say("leak.item"), Say("leak.nograd"), Say(resume))
	}
	return append(out, Say("leak.test"))
}

// died rewords a leak after the run has run out of memory: there is nothing left to stop, and no
// time until the card is full.
func (f *Finding) died(r *Run) {
	f.Advice = leakAdvice(r, true)
	forecast := f.Because
	if m, ok := first(forecast.Args).(Message); ok && forecast.Key == "leak.full.time" {
		forecast = m
	}
	if forecast.Key == "leak.full" {
		forecast.Key = "leak.full.was"
	}
	f.Because = forecast
}
