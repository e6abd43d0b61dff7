package parse

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"
)

// fieldFormat is the grammar of a trainer that prints rows of "name: value" with the time
// of a step and the part of it that was spent waiting for data.
type fieldFormat struct {
	name string
	// mark is what every row holds, and head is how one begins: the epoch, of how many, the
	// iteration, of how many. What is not there is an empty submatch. Fields follow.
	mark string
	head *regexp.Regexp
	// epochBase and iterBase are the numbers of the first epoch and iteration.
	epochBase, iterBase int
	// step and data are the fields of the time of a step, which contains that for data.
	step, data []string
	// work is the field of the part of a step's time that is not spent waiting for data,
	// where that is printed instead; empty if it is not.
	work string
	// memory is the field of the memory, in MiB, and measure what it measures.
	memory  string
	measure Measure
	// memoryOld is the same in older versions, where it ends in "Mb"; empty if there is none.
	memoryOld string
	size      string // field of the size of images; empty if there is none
	// val is how a row of results begins; nil if there are none.
	val *regexp.Regexp
	// validates is how a frame of the bar of a validation begins, or a row of one: how far, of
	// how many; nil if only what follows tells.
	validates *regexp.Regexp
	// total finds how many iterations there are, in a line before the rows; nil if rows tell.
	total *regexp.Regexp
	// args finds arguments that are printed as Python prints them; nil if there are none.
	args *regexp.Regexp
	// says are lines between the rows.
	says []announcement
}

// dialect is the format as one of the table.
func (f *fieldFormat) dialect() dialect {
	return dialect{
		name: f.name,
		claims: func(line []byte) bool {
			return bytes.Contains(line, []byte(f.mark)) && f.head.Match(line) || f.total != nil && f.total.Match(line) || f.args != nil && bytes.Contains(line, []byte("Namespace(")) && f.args.Match(line)
		},
		start: func() reader { return &fieldReader{format: f} },
	}
}

// fieldReader reads a stream of a fieldFormat.
type fieldReader struct {
	format  *fieldFormat
	trainer introduction
	columns *Columns
	coco    cocoTable
	total   int // iterations; 0 if not known
}

// read implements reader.
func (r *fieldReader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if bytes.Contains(line, []byte(r.format.mark)) {
		if p := r.row(line); p != nil {
			r.trainer.make(s, r.format.name)
			s.emit(p)
			return true
		}
	}
	if v := r.coco.read(line); v != nil {
		s.emit(v)
		return true
	}
	if r.columns != nil && r.validates(s, line) {
		return true
	}
	clean := cleanText(line)
	if m := r.format.val; m != nil {
		if at := m.FindStringIndex(clean); at != nil {
			if v := namedResults(clean[at[1]:]); v != nil {
				s.emit(v)
			}
			return true
		}
	}
	if r.format.total != nil {
		if m := r.format.total.FindStringSubmatch(clean); m != nil {
			r.total, _ = scanInt([]byte(m[1]))
			s.emit(&Text{Text: clean})
			return true
		}
	}
	if r.format.args != nil {
		if m := r.format.args.FindStringSubmatch(clean); m != nil {
			r.trainer.make(s, r.format.name)
			c := configOf(splitArgs(m[1]))
			if fp16, ok := c.Args["fp16"]; ok {
				on := fp16 == "True"
				c.AMP = &on
			}
			s.emit(c)
			return true
		}
	}
	if s.torch.quoted(clean) {
		return false
	}
	if rec := announceOf(r.format.says, clean, 1); rec != nil {
		s.emit(rec)
		return true
	}
	return false
}

// validates reads a frame of a validation's bar.
func (r *fieldReader) validates(s *Stream, line []byte) bool {
	if rest, _, ok := bareBar(line); ok {
		s.emit(&Stage{Kind: Validating, Part: "val", Done: -1, Total: -1, Elapsed: -1})
		s.glued(rest)
		return true
	}
	if r.format.validates == nil {
		return false
	}
	m := r.format.validates.FindSubmatch(line)
	if m == nil {
		return false
	}
	st := &Stage{Kind: Validating, Part: "val", Done: -1, Total: -1, Elapsed: -1}
	if n, digits := scanInt(m[1]); digits > 0 {
		st.Done = n
	}
	if n, digits := scanInt(m[2]); digits > 0 {
		st.Total = n
	}
	s.emit(st)
	return true
}

// maxFields is the most fields of a row that are looked at.
const maxFields = 128

// row reads a row; nil if the line is none.
func (r *fieldReader) row(line []byte) *Progress {
	m := r.format.head.FindSubmatchIndex(line)
	if m == nil {
		return nil
	}
	number := func(k, otherwise int) int {
		if m[2*k] < 0 {
			return otherwise
		}
		n, digits := scanInt(line[m[2*k]:m[2*k+1]])
		if digits == 0 {
			return otherwise
		}
		return n
	}
	p := &Progress{Instances: -1, Size: -1, Elapsed: -1}
	p.Epoch = number(1, r.format.epochBase) + 1 - r.format.epochBase
	p.Stepwise = m[2] == m[3] // no epoch, or an empty one
	p.Epochs = number(2, 0)
	p.Iter, p.Iters = number(3, -1), number(4, -1)
	if p.Iter >= 0 {
		p.Iter += 1 - r.format.iterBase
	}
	if p.Epoch < 1 || p.Iter < 0 {
		return nil
	}
	if p.Iters < 0 && r.total > 0 {
		p.Iters = r.total
	}
	worked := time.Duration(-1)
	var names []string
	known := r.columns != nil
	fields := 0
	eachField(line[m[1]:], func(key, value []byte) bool {
		v, n := scanFloat(value)
		if n == 0 {
			return true
		}
		switch name := string(key); {
		case slices.Contains(r.format.step, name):
			p.StepTime = seconds(v)
		case slices.Contains(r.format.data, name):
			p.DataTime = seconds(v)
		case name == r.format.work && name != "":
			worked = seconds(v)
		case name == r.format.memory:
			if v > 0 && v < 1<<30 {
				p.Memory = MemoryReading{Bytes: Bytes(v) * MiB, Measure: r.format.measure, Step: MiB}
			}
		case name == r.format.memoryOld && name != "" && bytes.HasSuffix(value, []byte("Mb")):
			if v > 0 && v < 1<<30 {
				p.Memory = MemoryReading{Bytes: Bytes(v) * MiB, Measure: r.format.measure, Step: MiB}
			}
		case name == r.format.size && name != "":
			p.Size = v
		case strings.Contains(name, "loss") && !isPart(name) && len(p.Values) < maxColumns-2:
			if known && (len(p.Values) >= len(r.columns.Losses) || r.columns.Losses[len(p.Values)] != name) {
				known = false
				names = append(names, r.columns.Losses[:len(p.Values)]...)
			}
			if !known {
				names = append(names, cleanText(key))
			}
			p.Values = append(p.Values, v)
		}
		fields++
		return fields < maxFields
	})
	if p.Values == nil && p.StepTime == 0 {
		return nil
	}
	if known && len(p.Values) < len(r.columns.Losses) {
		known, names = false, slices.Clone(r.columns.Losses[:len(p.Values)])
	}
	if !known {
		r.columns = &Columns{Losses: names, Size: p.Size >= 0}
	}
	p.Columns = r.columns
	if worked >= 0 {
		p.DataTime = max(0, p.StepTime-worked)
	}
	if p.StepTime > 0 {
		p.Rate = float64(time.Second) / float64(p.StepTime)
		p.DataTime = min(p.DataTime, p.StepTime)
	} else {
		p.DataTime = 0
	}
	return p
}

// isPart reports whether a loss is one of the many parts of another: of an auxiliary layer,
// of denoising, of an encoder.
func isPart(name string) bool {
	for _, infix := range []string{"_aux_", "_dn_", "_enc_", "_pre", "_unscaled"} {
		if strings.Contains(name, infix) {
			return true
		}
	}
	return false
}

// seconds is a printed time of a step; 0 if it makes no sense.
func seconds(v float64) time.Duration {
	if !(v > 0 && v < 1e6) {
		return 0
	}
	return time.Duration(v * float64(time.Second))
}

// eachField calls f for every "name: value", "name: value (mean)" or "name: value unit"
// until it returns false. The only names of two words are "gpu mem" and "max mem".
func eachField(b []byte, f func(key, value []byte) bool) {
	var before, key []byte
	for len(b) > 0 {
		i := 0
		for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == ',') {
			i++
		}
		b = b[i:]
		i = 0
		for i < len(b) && b[i] != ' ' && b[i] != '\t' && b[i] != ',' {
			i++
		}
		word := b[:i]
		b = b[i:]
		switch {
		case len(word) > 1 && word[len(word)-1] == ':':
			key = word[:len(word)-1]
			if string(key) == "mem" && (string(before) == "gpu" || string(before) == "max") {
				key = append(append(slices.Clone(before), ' '), key...)
			}
		case key != nil:
			if !f(key, word) {
				return
			}
			key = nil
		}
		before = word
	}
}

// namedResults reads "bbox_mAP: 0.4006, bbox_mAP_50: 0.6009" or the same with "coco/" before
// the names; nil if there are no such.
func namedResults(rest string) *Validation {
	v := &Validation{Class: "all", Images: -1, Instances: -1}
	eachField([]byte(rest), func(key, value []byte) bool {
		name := string(key)
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			name = name[i+1:]
		}
		ours := map[string]string{"bbox_mAP": "mAP50-95", "bbox_mAP_50": "mAP50", "segm_mAP": "mAP50-95(M)", "segm_mAP_50": "mAP50(M)"}[name]
		if x, n := scanFloat(value); ours != "" && n == len(value) {
			v.Names, v.Values = append(v.Names, ours), append(v.Values, x)
		}
		return len(v.Names) < maxColumns
	})
	if v.Names == nil {
		return nil
	}
	return v
}

// cocoTable reads the results that COCO's tools print, of which two lines count:
// " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.427".
type cocoTable struct {
	whole float64
	open  bool
}

var cocoLine = regexp.MustCompile(`^\s*Average Precision\s+\(AP\) @\[ IoU=(0\.50:0\.95|0\.50)\s+\| area=\s*all \| maxDets=\s*\d+ \] = (-?[0-9.]+)\s*$`)

// read takes a line; it returns the results with the second one.
func (c *cocoTable) read(line []byte) *Validation {
	if !bytes.Contains(line, []byte("(AP) @[ IoU=0.50")) {
		return nil
	}
	m := cocoLine.FindSubmatch(line)
	if m == nil {
		return nil
	}
	value, n := scanFloat(m[2])
	if n != len(m[2]) || value < 0 { // -1 is none
		return nil
	}
	if string(m[1]) != "0.50" {
		c.whole, c.open = value, true
		return nil
	}
	v := &Validation{Class: "all", Images: -1, Instances: -1, Names: []string{"mAP50"}, Values: []float64{value}}
	if c.open {
		v.Names, v.Values = append(v.Names, "mAP50-95"), append(v.Values, c.whole)
	}
	c.open = false
	return v
}
