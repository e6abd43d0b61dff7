package parse

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// lightning is PyTorch Lightning, whose rows hold what the user logs:
//
//	Epoch 2:  98%|█████████▊| 39/40 [00:16<00:00,  2.31it/s, v_num=0, train_loss=1.620]
//	Epoch 2/2 ━━━━━━━━ 39/40 0:00:16 • 0:00:01 2.31it/s v_num: 0 train_loss: 1.620
//
// The second is its rich bar. Epochs count from 0.
func lightning() dialect {
	return dialect{
		name: "lightning",
		claims: func(line []byte) bool {
			return bytes.HasPrefix(line, []byte("Epoch ")) && bytes.Contains(line, []byte("v_num")) ||
				bytes.HasPrefix(line, []byte("GPU available: ")) && bytes.Contains(line, []byte("used: ")) ||
				bytes.HasPrefix(line, []byte("`Trainer.fit` stopped"))
		},
		start: func() reader { return &lightningReader{} },
	}
}

// Lines of Lightning beside its rows.
var (
	lightningEpochs = regexp.MustCompile("^`Trainer.fit` stopped: `max_(epochs|steps|time)=?(\\d*)")
	lightningRich   = regexp.MustCompile(`^Epoch (\d+)/(-?\d+)\s.*?(\d+)/(\d+)\s+(\d+:\d\d:\d\d)\s+\S+\s+\S+\s+([0-9.]+it/s)(.*)$`)
)

// lightningReader reads a stream of Lightning.
type lightningReader struct {
	trainer introduction
	columns *Columns
	results Named // of the newest validation
	epochs  int   // 0 if not known
}

// read implements reader.
func (r *lightningReader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if row := r.row(line); row != nil {
		r.trainer.make(s, "lightning")
		if row.progress != nil {
			s.emit(row.progress)
		}
		if row.results != nil {
			s.emit(row.results)
		}
		s.glued(row.rest)
		return true
	}
	bar, isBar := scanTqdmLine(line)
	if isBar && (bytes.HasPrefix(bar.description, []byte("Validation")) || bytes.HasPrefix(bar.description, []byte("Sanity Checking"))) {
		s.emit(&Stage{Kind: Validating, Part: "val", Done: bar.bar.done, Total: bar.bar.total, Elapsed: bar.bar.elapsed})
		s.glued(bar.rest)
		return true
	}
	if isBar && bytes.Equal(bar.description, []byte("Training")) {
		s.glued(bar.rest)
		return true
	}
	clean := cleanText(line)
	switch {
	case strings.HasPrefix(clean, "GPU available: "):
		r.trainer.make(s, "lightning")
		s.emit(&Text{Text: clean})
		return true
	case strings.HasPrefix(clean, "`Trainer.fit` stopped"):
		n := &Notice{Kind: Completed, Text: clean}
		if m := lightningEpochs.FindStringSubmatch(clean); m != nil && m[1] == "epochs" {
			n.Epochs = int(number(m[2]))
		}
		r.trainer.make(s, "lightning")
		s.emit(n)
		return true
	case strings.Contains(clean, "Signaling Trainer to stop"):
		s.emit(&Notice{Kind: StoppedEarly, Text: clean})
		return true
	case strings.Contains(clean, "Detected KeyboardInterrupt, attempting graceful shutdown"):
		s.emit(&Failure{Kind: Interrupted, Text: clean, Rank: -1})
		return true
	}
	return false
}

// frame implements barReader.
func (r *lightningReader) frame(text []byte, _ int) *Progress {
	if row := new(*r).row(bound(text)); row != nil {
		return row.progress
	}
	return nil
}

// lightningRow is a frame of the bar of an epoch.
type lightningRow struct {
	progress *Progress
	results  *Validation // once they are new
	rest     []byte
}

// row reads a frame; nil if the line is none.
func (r *lightningReader) row(line []byte) *lightningRow {
	epochText, ok := bytes.CutPrefix(line, []byte("Epoch "))
	if !ok {
		return nil
	}
	epoch, n := scanInt(epochText)
	if n == 0 {
		return nil
	}
	p := &Progress{Epoch: epoch + 1, Epochs: r.epochs, Instances: -1, Size: -1}
	out := &lightningRow{progress: p}
	bar, ok := scanTqdmLine(line)
	var fields []field
	if ok {
		p.Iter, p.Iters, p.Rate, p.Elapsed = bar.bar.done, bar.bar.total, bar.bar.rate, bar.bar.elapsed
		fields, out.rest = bar.fields(), bar.rest
	} else {
		m := lightningRich.FindSubmatch(line)
		if m == nil {
			return nil
		}
		p.Iter, _ = scanInt(m[3])
		p.Iters, _ = scanInt(m[4])
		p.Elapsed, _ = scanClock(m[5])
		p.Rate, _ = scanRate(m[6])
		if last, n := scanInt(m[2]); n > 0 {
			p.Epochs = last + 1
		}
		eachField(m[7], func(key, value []byte) bool {
			if v, n := scanFloat(value); n > 0 && n == len(value) {
				fields = append(fields, field{name: cleanText(key), value: v})
			}
			return len(fields) < maxColumns
		})
	}
	r.bind(p, fields)
	results := resultsOf(fields)
	if p.Complete() && len(results.Names) > 0 && (!slices.Equal(results.Names, r.results.Names) || !slices.Equal(results.Values, r.results.Values)) {
		r.results = results
		out.results = &Validation{Class: "all", Images: -1, Instances: -1, Names: results.Names, Values: results.Values}
	}
	return out
}

// bind gives a row its numbers: whatever the user logs, but not the results of validations.
func (r *lightningReader) bind(p *Progress, fields []field) {
	var names []string
	for _, f := range fields {
		if f.name != "v_num" && !isValName(f.name) && len(names) < maxColumns-2 {
			names, p.Values = append(names, f.name), append(p.Values, f.value)
		}
	}
	if names == nil {
		return
	}
	if c := (&Columns{Losses: names}); !sameColumns(c, r.columns) {
		r.columns = c
	}
	p.Columns = r.columns
}

// resultsOf are the numbers of a validation among those of a bar.
func resultsOf(fields []field) (out Named) {
	for _, f := range fields {
		if isValName(f.name) {
			name, _ := valName(f.name)
			out.Names, out.Values = append(out.Names, name), append(out.Values, f.value)
		}
	}
	return out
}
