package parse

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// yolov6Args finds the arguments of YOLOv6: "training args are: Namespace(data_path=...)".
var yolov6Args = regexp.MustCompile(`training args are: Namespace\((.*\bepochs=.*)\)\s*$`)

// yolov6 is YOLOv6 (Meituan), whose rows have no memory, and a learning rate since 0.4.0:
//
//	Epoch        lr  iou_loss  dfl_loss  cls_loss
//	  0/2 0.0001667       1.1     1.261     2.672:   2%|▏  | 1/45 [00:00<00:20,  2.1it/s]
func yolov6() dialect {
	return dialect{
		name: "yolov6",
		claims: func(line []byte) bool {
			return yolov6Columns(line) != nil || bytes.Contains(line, []byte("training args are: ")) && yolov6Args.Match(line)
		},
		start: func() reader { return &yolov6Reader{} },
	}
}

// yolov6Columns reads the header; nil if the line is none.
func yolov6Columns(line []byte) []string {
	if !beginsEpoch(line) || !bytes.Contains(line, []byte("iou_loss")) {
		return nil
	}
	fields := strings.Fields(cleanText(line))
	if len(fields) < 3 || len(fields) > maxColumns || !strings.EqualFold(fields[0], "epoch") || fields[1] != "lr" && fields[1] != "iou_loss" {
		return nil
	}
	return fields[1:]
}

// yolov6Reader reads a stream of YOLOv6.
type yolov6Reader struct {
	trainer introduction
	names   []string // of the header
	columns *Columns
}

// read implements reader.
func (r *yolov6Reader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if p, rest := r.row(line); p != nil {
		s.emit(p)
		s.glued(rest)
		return true
	}
	if rest, _, ok := bareBar(line); ok {
		s.glued(rest)
		return true
	}
	if names := yolov6Columns(line); names != nil {
		r.trainer.make(s, "yolov6")
		r.names = names
		c := &Columns{Losses: slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "lr" })}
		if !sameColumns(c, r.columns) {
			r.columns = c
		}
		s.emit(&Notice{Kind: Header, Text: cleanText(line), Columns: r.columns})
		return true
	}
	clean := cleanText(line)
	if m := yolov6Args.FindStringSubmatch(clean); m != nil {
		r.trainer.make(s, "yolov6")
		args := splitArgs(m[1])
		c := configOf(args)
		c.Model, c.Data = args["conf_file"], args["data_path"]
		s.emit(c)
		return true
	}
	if m := yolov6Result.FindStringSubmatch(clean); m != nil {
		half, _ := parseFloat(m[1])
		whole, _ := parseFloat(m[2])
		s.emit(&Validation{Class: "all", Images: -1, Instances: -1, Names: []string{"mAP50", "mAP50-95"}, Values: []float64{half, whole}})
		return true
	}
	if yolov6Done.MatchString(clean) {
		s.emit(&Notice{Kind: Completed, Text: clean})
		return true
	}
	return false
}

var (
	yolov6Result = regexp.MustCompile(`^\s*Epoch: \d+ \| mAP@0\.5: ([0-9.eE+-]+) \| mAP@0\.50:0\.95: ([0-9.eE+-]+)`)
	yolov6Done   = regexp.MustCompile(`^\s*Training completed in [0-9.]+ hours\.`)
)

// frame implements barReader.
func (r *yolov6Reader) frame(text []byte, _ int) *Progress {
	p, _ := r.row(bound(text))
	return p
}

// row reads a row; nil if the line is none.
func (r *yolov6Reader) row(line []byte) (p *Progress, rest []byte) {
	if r.columns == nil {
		return nil, nil
	}
	i := skipSpace(line, 0)
	epoch, n := scanInt(line[i:])
	if n == 0 || i+n >= len(line) || line[i+n] != '/' {
		return nil, nil
	}
	i += n + 1
	epochs, n := scanInt(line[i:])
	if n == 0 {
		return nil, nil
	}
	i += n
	p = &Progress{Epoch: epoch + 1, Epochs: epochs + 1, Iter: -1, Iters: -1, Columns: r.columns, Instances: -1, Size: -1, Elapsed: -1}
	for _, name := range r.names {
		j := skipSpace(line, i)
		v, n := scanFloat(line[j:])
		if j == i || n == 0 {
			return nil, nil
		}
		i = j + n
		if name != "lr" {
			p.Values = append(p.Values, v)
		}
	}
	if i >= len(line) || line[i] != ':' {
		return nil, nil
	}
	b, rest := scanBar(line[i+1:])
	p.Iter, p.Iters, p.Rate, p.Elapsed = b.done, b.total, b.rate, b.elapsed
	return p, rest
}
