package parse

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"time"
)

// huggingFace is the Trainer of Hugging Face's transformers. It prints a Python dictionary
// every so many steps, and between them a bar over the steps of the whole run:
//
//	 3%|▎         | 10/300 [00:04<02:05,  2.30it/s]
//	{'loss': 2.6784, 'grad_norm': 19.4, 'learning_rate': 4.83e-05, 'epoch': 0.1}
//
// The epoch is a fraction of the run's epochs. Newer versions print numbers as texts.
func huggingFace() dialect {
	return dialect{
		name: "huggingface",
		claims: func(line []byte) bool {
			return dictOf(line) != nil
		},
		start: func() reader { return &hfReader{total: -1} },
	}
}

// hfPair finds a key and its number in such a dictionary.
var hfPair = regexp.MustCompile(`'([\w/.@-]+)': (?:'([^']*)'|([^,'}\s]+))`)

// dictOf reads a dictionary of the Trainer; nil if the line is none. All have an epoch, and
// what is printed beside it tells them from those of other programs.
func dictOf(line []byte) *Named {
	i := skipSpace(line, 0)
	if i >= len(line) || line[i] != '{' || !bytes.Contains(line, []byte("'epoch': ")) || len(line) > maxSentence {
		return nil
	}
	out := &Named{}
	for _, m := range hfPair.FindAllSubmatch(line[i:], maxColumns) {
		text := m[3]
		if m[2] != nil {
			text = m[2]
		}
		if v, n := scanFloat(text); n > 0 && n == len(text) {
			out.Names, out.Values = append(out.Names, string(m[1])), append(out.Values, v)
		}
	}
	if _, ok := out.Get("epoch"); !ok {
		return nil
	}
	for _, name := range []string{"learning_rate", "eval_loss", "eval_runtime", "train_runtime"} {
		if _, ok := out.Get(name); ok {
			return out
		}
	}
	return nil
}

// hfReader reads a stream of the Trainer.
//
// Steps of an epoch are not printed. They follow from a dictionary's epoch and the state of
// the bar that is drawn anew behind it, as long as the two come in turn: a file or a pipe may
// hold the dictionaries back.
type hfReader struct {
	trainer introduction
	columns *Columns
	total   int     // steps of the whole run; -1 if not known
	epochs  int     // 0 if not known
	told    float64 // the epoch of the newest dictionary, until a bar follows; else 0
	turns   bool    // dictionaries and bars come in turn
	epoch   int     // the newest one, from 1; 0 before it
	done    int
	elapsed time.Duration // of the bar
	last    time.Duration // of the bar at the newest row
	from    time.Duration // of the bar at the last row of the epoch before
	ended   bool
}

// read implements reader.
func (r *hfReader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if d := dictOf(line); d != nil {
		r.trainer.make(s, "huggingface")
		for _, rec := range r.dict(d, cleanText(line)) {
			s.emit(rec)
		}
		return true
	}
	bar, ok := scanTqdmLine(line)
	if !ok || len(bar.description) > 0 {
		return false
	}
	if rec := r.bar(bar.bar); rec != nil {
		s.emit(rec)
	}
	s.glued(bar.rest)
	return true
}

// frame implements barReader.
func (r *hfReader) frame(text []byte, _ int) *Progress {
	bar, ok := scanTqdmLine(bound(text))
	if !ok || len(bar.description) > 0 {
		return nil
	}
	p, _ := new(*r).bar(bar.bar).(*Progress)
	return p
}

// dict makes records of a dictionary.
func (r *hfReader) dict(d *Named, text string) []Record {
	epoch, _ := d.Get("epoch")
	if !(epoch >= 0 && epoch < 1e6) {
		return nil
	}
	if _, ok := d.Get("train_runtime"); ok {
		r.ended = true
		return []Record{&Notice{Kind: Completed, Text: text}}
	}
	if _, ok := d.Get("learning_rate"); ok && r.ended { // another training of the same program
		*r = hfReader{total: -1, columns: r.columns, trainer: r.trainer}
	}
	if _, ok := d.Get("learning_rate"); !ok {
		if v := hfResults(d); v != nil {
			return []Record{v}
		}
		return nil
	}
	r.turns = r.told == 0
	r.told = epoch
	p := r.at(epoch)
	var names []string
	for i, n := range d.Names {
		if strings.Contains(n, "loss") {
			names, p.Values = append(names, n), append(p.Values, d.Values[i])
		}
	}
	if names == nil {
		return nil
	}
	if c := (&Columns{Losses: names}); !sameColumns(c, r.columns) {
		r.columns = c
	}
	p.Columns = r.columns
	return []Record{p}
}

// hfResults are the results of an evaluation; nil if there are none.
func hfResults(d *Named) *Validation {
	v := &Validation{Class: "all", Images: -1, Instances: -1}
	for i, n := range d.Names {
		switch {
		case !strings.HasPrefix(n, "eval_"), strings.HasSuffix(n, "_runtime"), strings.HasSuffix(n, "_per_second"), strings.Contains(n, "_mem_"):
		default:
			name, _ := valName(n)
			v.Names, v.Values = append(v.Names, name), append(v.Values, d.Values[i])
		}
	}
	if v.Names == nil {
		return nil
	}
	return v
}

// bar makes a row of a frame of the bar; nil if it is that of an evaluation, or says nothing
// new.
func (r *hfReader) bar(b barTail) Record {
	if r.total < 0 {
		r.total = b.total
	}
	switch {
	case r.ended:
		return nil
	case b.total != r.total:
		return &Stage{Kind: Validating, Part: "val", Done: b.done, Total: b.total, Elapsed: -1} // its time is in that of the run's bar
	}
	if r.told > 0 && r.turns {
		r.measure(r.told, b.done)
	}
	r.told = 0
	r.elapsed = max(r.elapsed, b.elapsed)
	if b.done <= r.done || r.epochs == 0 {
		r.done = max(r.done, b.done)
		return nil
	}
	r.done = b.done
	p := r.at(float64(b.done) * float64(r.epochs) / float64(r.total))
	p.Rate = b.rate
	return p
}

// measure tells how many epochs there are from a step and its epoch, which has two digits
// behind the point at least.
func (r *hfReader) measure(epoch float64, done int) {
	if done <= 0 {
		return
	}
	scale := float64(r.total) / float64(done)
	all, slack := epoch*scale, 0.005*scale
	if n := math.Round(all); slack < 0.4 && n >= 1 && math.Abs(all-n) <= slack+0.02 && n < 1e6 {
		r.epochs = int(n)
	}
}

// at is a row at a number of epochs done. The end of an epoch is in it.
func (r *hfReader) at(epoch float64) *Progress {
	p := &Progress{Epoch: max(1, int(math.Ceil(epoch-1e-6))), Iter: -1, Iters: -1, Instances: -1, Size: -1, Elapsed: -1}
	if p.Epoch < r.epoch {
		p.Epoch = r.epoch // the bar and the dictionaries come by two streams
	}
	if r.epochs > 0 {
		p.Epoch = min(p.Epoch, r.epochs)
		p.Epochs, p.Iters = r.epochs, max(1, r.total/r.epochs)
		p.Iter = min(max(0, int(math.Round((epoch-float64(p.Epoch-1))*float64(p.Iters)))), p.Iters)
	}
	if p.Epoch > r.epoch {
		r.epoch, r.from = p.Epoch, r.last
	}
	if r.elapsed > 0 {
		p.Elapsed = max(0, r.elapsed-r.from)
		r.last = r.elapsed
	}
	return p
}
