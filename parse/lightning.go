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
//	Epoch 2/2 ━━━━━━━━ 39/40 0:00:16 • 0:00:01 2.31it/s v_num: 0.000 train_loss: 1.620
//	                                                     val_loss: 0.967
//
// The second is its rich bar, which goes on in further lines where the terminal is narrow.
// Epochs count from 0.
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
	// richBar finds the epoch and the last one, how far of how much, elapsed, speed, and what
	// is behind it.
	richBar = regexp.MustCompile(`^(?:Epoch (\d+)/(-?\d+)|Validation|Sanity Checking|Testing)\s.*?(\d+)/(\d+)\s+(\d+:\d\d:\d\d)\s+\S+\s+\S+\s+([0-9.]+it/s)(.*)$`)
	// richMore finds a line with which such a bar goes on.
	richMore = regexp.MustCompile(`^ {20,}(?:[-+\d.einfa]+ +)?(?:[\w/.@-]+:(?: +\S+)? *)*$`)
)

// lightningReader reads a stream of Lightning.
type lightningReader struct {
	trainer introduction
	columns *Columns
	results Named     // of the newest validation
	rich    *Progress // the newest row of a rich bar; nil if there was none
	shown   Named     // what rich bars show, which may be spread over lines
	cut     string    // the name that its line ended with; its number is on the next one
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
	if r.richLine(s, line) {
		return true
	}
	bar, isBar := scanTqdmLine(line)
	if isBar && (bytes.HasPrefix(bar.description, []byte("Validation")) || bytes.HasPrefix(bar.description, []byte("Sanity Checking"))) {
		// Its time is in that of the epoch's bar, which is drawn again behind it.
		s.emit(&Stage{Kind: Validating, Part: "val", Done: bar.bar.done, Total: bar.bar.total, Elapsed: -1})
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
	bar, ok := scanTqdmLine(line)
	if !ok {
		return nil
	}
	p := &Progress{Epoch: epoch + 1, Iter: bar.bar.done, Iters: bar.bar.total, Rate: bar.bar.rate, Elapsed: bar.bar.elapsed, Instances: -1, Size: -1}
	fields := bar.fields()
	r.bind(p, fields)
	return &lightningRow{progress: p, results: r.fresh(p, fields), rest: bar.rest}
}

// fresh are the results among the numbers of a row, once the epoch is complete and they are
// new; nil if not.
func (r *lightningReader) fresh(p *Progress, fields []field) *Validation {
	results := resultsOf(fields)
	if !p.Complete() || len(results.Names) == 0 || slices.Equal(results.Names, r.results.Names) && slices.Equal(results.Values, r.results.Values) {
		return nil
	}
	r.results = results
	return &Validation{Class: "all", Images: -1, Instances: -1, Names: results.Names, Values: results.Values}
}

// richLine reads a line of a rich bar.
func (r *lightningReader) richLine(s *Stream, line []byte) bool {
	if r.rich != nil && len(line) > 20 && richMore.Match(line) {
		r.show(line)
		p := *r.rich
		r.emitRich(s, &p)
		return true
	}
	m := richBar.FindSubmatch(line)
	if m == nil {
		return false
	}
	r.trainer.make(s, "lightning")
	done, _ := scanInt(m[3])
	total, _ := scanInt(m[4])
	elapsed, _ := scanClock(m[5])
	shown, rest := m[7], []byte(nil)
	if i := bytes.IndexByte(shown, '`'); i >= 0 { // an announcement is glued to it
		shown, rest = shown[:i], shown[i:]
	}
	if m[1] == nil {
		s.emit(&Stage{Kind: Validating, Part: "val", Done: done, Total: total, Elapsed: -1})
		s.glued(append(shown[:len(shown):len(shown)], rest...))
		return true
	}
	epoch, digits := scanInt(m[1])
	if digits == 0 {
		return false
	}
	p := &Progress{Epoch: epoch + 1, Iter: done, Iters: total, Elapsed: elapsed, Instances: -1, Size: -1}
	p.Rate, _ = scanRate(m[6])
	if last, n := scanInt(m[2]); n > 0 {
		p.Epochs = last + 1
	}
	if done == 0 {
		p.Elapsed = -1 // still that of the epoch before
	}
	r.rich = p
	r.show(shown)
	now := *p
	r.emitRich(s, &now)
	s.glued(rest)
	return true
}

// show takes the numbers of a line of a rich bar; the others stay as they were.
func (r *lightningReader) show(line []byte) {
	if r.cut != "" {
		line = append([]byte(r.cut+": "), bytes.TrimLeft(line, " ")...)
		r.cut = ""
	}
	if words := bytes.Fields(line); len(words) > 0 {
		if name, ok := bytes.CutSuffix(words[len(words)-1], []byte(":")); ok {
			r.cut = cleanText(name)
		}
	}
	eachField(line, func(key, value []byte) bool {
		v, n := scanFloat(value)
		if n == 0 || n != len(value) {
			return true
		}
		name := cleanText(key)
		if i := slices.Index(r.shown.Names, name); i >= 0 {
			r.shown.Values[i] = v
		} else {
			r.shown.Names, r.shown.Values = append(r.shown.Names, name), append(r.shown.Values, v)
		}
		return len(r.shown.Names) < maxColumns
	})
}

// emitRich sends a row with the numbers that are shown.
func (r *lightningReader) emitRich(s *Stream, p *Progress) {
	var fields []field
	for i, name := range r.shown.Names {
		fields = append(fields, field{name: name, value: r.shown.Values[i]})
	}
	r.bind(p, fields)
	s.emit(p)
	if v := r.fresh(p, fields); v != nil {
		s.emit(v)
	}
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
