package tui

import (
	"fmt"
	"math"
	"strconv"

	"yolotop/diagnose"
)

// tableEpochs are the epochs of the table, the newest first, and whether the first
// one is still under way.
func (s scene) tableEpochs() (rows []diagnose.EpochStat, current bool) {
	for i := len(s.run.Epochal) - 1; i >= 0; i-- {
		if e := s.run.Epochal[i]; s.live() || e.Epoch <= s.view.cursor {
			rows = append(rows, e)
		}
	}
	if !s.live() && s.run.Stepwise {
		return []diagnose.EpochStat{s.past(s.view.cursor)}, false
	}
	if !s.live() && (len(rows) == 0 || rows[0].Epoch < s.view.cursor) {
		return append([]diagnose.EpochStat{s.past(s.view.cursor)}, rows...), false
	}
	return rows, s.live() && len(rows) > 0 && !rows[0].Complete
}

// lossesPane is whether it learns: a small curve and the last epochs of each loss
// and metric.
func (s scene) lossesPane(w, h int) (caption, []string) {
	c := caption{title: s.say("pane.losses"), right: s.bestNote(), focused: s.view.focus == paneLosses}
	if s.run == nil || !s.run.HasRows() {
		return c, []string{s.theme.dim.Styled(s.say("losses.none"))}
	}
	t := s.theme
	epochCells := max(5, len(strconv.Itoa(max(s.run.Epochs, s.run.Epoch))), width(s.axisUnit()))
	if s.run.Stepwise {
		epochCells = max(epochCells, len(strconv.Itoa(max(s.run.Iters, s.run.Iter))))
	}
	const noteCells = 8
	cols := s.columns(w - epochCells - noteCells)
	head := fitRight(s.axisUnit(), epochCells)
	curves := spaces(epochCells)
	for _, col := range cols {
		head += fitRight(col.name, col.cells)
		curves += spaces(3) + spark(col.series, s.position(), col.cells-3)
	}
	out := []string{t.dim.Styled(head)}
	if h >= 4 {
		out = append(out, t.spark.Styled(curves))
	}
	rows, current := s.tableEpochs()
	room := h - len(out)
	skip := min(max(0, s.view.scroll[paneLosses]), max(0, len(rows)-room))
	for i := skip; i < len(rows) && len(out) < h; i++ {
		out = append(out, s.lossRow(rows[i], cols, epochCells, current && i == 0))
	}
	return c, out
}

// lossRow is one epoch of the table.
func (s scene) lossRow(e diagnose.EpochStat, cols []column, epochCells int, current bool) string {
	t := s.theme
	number := e.Epoch
	if s.run.Stepwise && s.live() {
		number = s.run.Iter
	}
	line := fitRight(strconv.Itoa(number), epochCells)
	if current || !s.live() && e.Epoch == s.view.cursor {
		line = t.strong.Styled(line)
	}
	for _, c := range cols {
		v, ok := c.of(&e)
		if current {
			v, ok = c.now()
		}
		switch {
		case ok && c.warns && (math.IsNaN(v) || math.IsInf(v, 0)):
			line += t.moods[moodCritical].Styled(fitRight(c.format.write(v), c.cells))
		case ok:
			line += fitRight(c.format.write(v), c.cells)
		case current, s.validates() && e.Epoch == s.run.Epoch: // its metrics are still to come
			line += t.dim.Styled(fitRight("…", c.cells))
		default:
			line += t.dim.Styled(fitRight("-", c.cells))
		}
	}
	switch {
	case s.validates() && e.Epoch == s.run.Epoch:
		line += t.dim.Styled("  " + s.say("losses.val"))
	case current:
		if share, ok := s.done(); ok {
			line += t.dim.Styled(fmt.Sprintf("  %3d%%", int(share*100)))
		}
	case e.Epoch == s.run.BestEpoch && s.run.BestFitness > 0:
		line += "  " + t.moods[moodOK].Styled(s.say("losses.best"))
	}
	return line
}

// validates reports whether the run validates now.
func (s scene) validates() bool {
	return s.live() && s.run.Status == diagnose.Running && s.run.Phase == diagnose.Validating
}

// bestNote says which epoch is the best one and when patience ends the run.
func (s scene) bestNote() string {
	r := s.run
	if r == nil || r.BestEpoch == 0 || r.BestFitness == 0 || !s.live() {
		return ""
	}
	note := s.say("verdict.best", r.BestEpoch)
	stop := r.PatienceStop()
	if stop < max(1, r.Epoch) || r.Status != diagnose.Running {
		return note
	}
	return note + " · " + s.say("losses.patience", diagnose.Epochs(stop-r.Epoch))
}
