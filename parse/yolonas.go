package parse

import (
	"bytes"
	"regexp"
	"strings"
)

// yoloNAS is YOLO-NAS and whatever else trains with super-gradients. What other trainers
// put before the bar stands behind it, and what it is called is told each time:
//
//	Train epoch 3:  40%|████      | 20/50 [00:04<00:07, 4.10it/s, PPYoloELoss/loss=2.31, gpu_mem=9.8]
//
// Epochs count from 0; memory is reserved, in 1e9 bytes.
func yoloNAS() dialect {
	return dialect{
		name: "yolo-nas",
		claims: func(line []byte) bool {
			return bytes.HasPrefix(line, trainEpoch) && bytes.Contains(line, []byte("gpu_mem=")) || bytes.Contains(line, []byte("INFO - sg_trainer"))
		},
		start: func() reader { return &nasReader{} },
	}
}

var trainEpoch = []byte("Train epoch ")

// Lines of super-gradients beside its rows.
var (
	nasStarted = regexp.MustCompile(`sg_trainer.*Started training for (\d+) epochs`)
	nasBatch   = regexp.MustCompile(`^\s*- Total batch size:\s+(\d+)`)
	nasResult  = regexp.MustCompile(`(?i)^\W*mAP@0\.50(:0\.95)? = ([0-9.]+)`)
)

// nasReader reads a stream of YOLO-NAS.
type nasReader struct {
	trainer introduction
	epochs  int // 0 if not known
	columns *Columns
}

// read implements reader.
func (r *nasReader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if p, rest := r.row(line); p != nil {
		r.trainer.make(s, "yolo-nas")
		s.emit(p)
		s.glued(rest)
		return true
	}
	if rest, _, ok := bareBar(line); ok {
		s.glued(rest)
		return true
	}
	if bar, ok := bytes.CutPrefix(line, []byte("Validating epoch ")); ok {
		_, n := scanInt(bar)
		if n > 0 && n < len(bar) && bar[n] == ':' {
			b, rest := scanBar(bar[n+1:])
			s.emit(&Stage{Kind: Validating, Part: "val", Done: b.done, Total: b.total, Elapsed: b.elapsed})
			s.glued(rest)
			return true
		}
	}
	clean := cleanText(line)
	switch {
	case strings.Contains(clean, "INFO - sg_trainer"):
		r.trainer.make(s, "yolo-nas")
		if m := nasStarted.FindStringSubmatch(clean); m != nil {
			r.epochs = int(number(m[1]))
			s.emit(&Notice{Kind: TrainingStarted, Epochs: r.epochs, Text: clean})
			return true
		}
		s.emit(&Text{Text: clean})
		return true
	case nasBatch.MatchString(clean):
		s.emit(&Config{Batch: number(nasBatch.FindStringSubmatch(clean)[1]), Workers: -1})
		return true
	}
	if m := nasResult.FindStringSubmatch(clean); m != nil {
		name := "mAP50"
		if m[1] != "" {
			name = "mAP50-95"
		}
		s.emit(&Validation{Class: "all", Images: -1, Instances: -1, Names: []string{name}, Values: []float64{number(m[2])}})
		return true
	}
	return false
}

// frame implements barReader.
func (r *nasReader) frame(text []byte, _ int) *Progress {
	p, _ := new(*r).row(bound(text))
	return p
}

// row reads a row; nil if the line is none, or a bar that has no values yet.
func (r *nasReader) row(line []byte) (p *Progress, rest []byte) {
	bar, ok := bytes.CutPrefix(line, trainEpoch)
	if !ok {
		return nil, nil
	}
	epoch, n := scanInt(bar)
	if n == 0 || n >= len(bar) || bar[n] != ':' {
		return nil, nil
	}
	bar = bar[n+1:]
	open, end := bytes.IndexByte(bar, '['), bytes.IndexByte(bar, ']')
	if open < 0 || end < open {
		return nil, nil
	}
	b, _ := scanBar(bar)
	p = &Progress{Epoch: epoch + 1, Epochs: r.epochs, Iter: b.done, Iters: b.total, Rate: b.rate, Elapsed: b.elapsed, Instances: -1, Size: -1}
	var names []string
	for _, field := range strings.Split(string(bar[open+1:end]), ", ") {
		name, value, ok := strings.Cut(field, "=")
		v, n := scanFloat([]byte(value))
		switch {
		case !ok || n == 0 || n != len(value):
		case name == "gpu_mem":
			t := table{unit: 1e9}
			p.Memory = t.memory(v, 'G', false)
		case strings.Contains(name, "loss") && len(names) < maxColumns:
			names, p.Values = append(names, cleanText([]byte(name[strings.LastIndexByte(name, '/')+1:]))), append(p.Values, v)
		}
	}
	if p.Values == nil || p.Iter < 0 {
		return nil, nil
	}
	if c := (&Columns{Losses: names}); !sameColumns(c, r.columns) {
		r.columns = c
	}
	p.Columns = r.columns
	return p, bar[end+1:]
}
