package diagnose

import (
	"path/filepath"
	"slices"
	"strings"

	"yolotop/parse"
)

// join looks whether a results.csv and a log are of one run, after either of them
// ended an epoch: they name the same folder, or their values agree.
func (s *Session) join(input int) {
	if len(s.inputs) < 2 {
		return
	}
	if s.states[input].isCSV {
		for i := range s.states {
			if s.joinPair(i, input) {
				return
			}
		}
		return
	}
	for i := range s.states {
		if s.states[i].isCSV && s.joinPair(input, i) {
			return
		}
	}
}

// joinPair joins a log and a results.csv if they belong together.
func (s *Session) joinPair(log, csv int) bool {
	l, c := &s.states[log], &s.states[csv]
	if log == csv || l.isCSV || !c.isCSV || c.joined || l.run == nil || c.run == nil || !l.run.HasRows() {
		return false
	}
	agree, differ := compareEpochs(l.run, c.rows)
	if differ > 0 || agree == 0 && !s.sameFolder(l.run, csv) {
		return false
	}
	s.runs = slices.DeleteFunc(s.runs, func(r *Run) bool { return r == c.run })
	c.run, c.joined = l.run, true
	l.run.Inputs = append(l.run.Inputs, csv)
	if c.config != nil {
		l.run.update(c.config)
	}
	for i := range c.rows {
		l.run.update(&c.rows[i])
		l.run.observe(&c.rows[i])
	}
	c.rows = nil
	l.run.settle()
	return true
}

// sameFolder reports whether the log of r says that it writes to the folder of
// the results.csv.
func (s *Session) sameFolder(r *Run, csv int) bool {
	if r.SaveDir == "" {
		return false
	}
	dir := s.inputs[csv].Group
	if dir == "" {
		dir = filepath.Dir(s.inputs[csv].Name)
	}
	dir, save := filepath.ToSlash(filepath.Clean(dir)), filepath.ToSlash(filepath.Clean(r.SaveDir))
	if dir == "." {
		return false
	}
	return dir == save || strings.HasSuffix(dir, "/"+save) || strings.HasSuffix(save, "/"+dir)
}

// compareEpochs counts the epochs in which the losses of a log and of rows of
// results.csv agree within what the log prints, and in which they differ.
func compareEpochs(r *Run, rows []parse.Event) (agree, differ int) {
	rows = rows[max(0, len(rows)-rowsCompared):]
	byEpoch := make(map[int]*parse.EpochRow, len(rows))
	for _, e := range rows {
		row := e.Record.(*parse.EpochRow)
		byEpoch[row.Epoch] = row // a repeated epoch: the last one counts
	}
	for i := range r.Epochal {
		st := &r.Epochal[i]
		row := byEpoch[st.Epoch]
		if row == nil || !st.Complete {
			continue
		}
		n := min(len(st.Losses), len(row.Losses.Values))
		if n == 0 {
			continue
		}
		same := true
		for k := range n {
			same = same && close4(st.Losses[k], row.Losses.Values[k])
		}
		if same {
			agree++
		} else {
			differ++
		}
	}
	return agree, differ
}
