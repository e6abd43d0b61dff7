package parse

import (
	"bytes"
	"regexp"
)

// YOLOv7 calls itself YOLOR, of which it comes: "YOLOR 🚀 v0.1-128-ga207844 torch
// 1.13.1+cu117 CUDA:0 (NVIDIA GeForce RTX 3090, 24267.5625MB)". YOLOR and PyTorch_YOLOv4
// print "Using torch 1.7.1 CUDA:0 (GeForce RTX 2080 Ti, 11019MB)".
var (
	yolorBanner = regexp.MustCompile(`YOLOR\s+(?:🚀\s*)?(v?\d\S*)\s+torch[- ](\S+)\s+(.*)$`)
	usingTorch  = regexp.MustCompile(`^\s*Using torch (\d\S*)\s+((?:CUDA|CPU).*)$`)
)

// namespaceArgs finds the arguments in "Namespace(adam=False, ..., epochs=3, ...)".
var namespaceArgs = regexp.MustCompile(`^\s*Namespace\((.*\bepochs=.*)\)\s*$`)

// yolov7 is YOLOv7, YOLOR and PyTorch_YOLOv4 (WongKinYiu). Their header has a column of the
// sum of the losses, "total", and their memory is reserved, in 1e9 bytes.
func yolov7() dialect {
	return dialect{
		name: "yolov7",
		claims: func(line []byte) bool {
			switch {
			case bytes.Contains(line, []byte("YOLOR")):
				return yolorBanner.Match(line)
			case bytes.Contains(line, []byte("Using torch ")):
				return usingTorch.Match(line)
			}
			return false
		},
		start: func() reader {
			banner := func(line string) []string {
				if m := yolorBanner.FindStringSubmatch(line); m != nil {
					return m
				}
				if m := usingTorch.FindStringSubmatch(line); m != nil {
					return []string{m[0], "", m[1], m[2]}
				}
				return nil
			}
			return descendant("yolov7", banner, namespaceArgs)
		},
	}
}

// yolov9Banner reads "YOLO 🚀 v0.1-104-g5b1ea9a Python-3.10.13 torch-2.1.2+cu118 CUDA:0 (...)".
var yolov9Banner = regexp.MustCompile(`YOLO\s+(?:🚀\s*)?(v\d\S*)\s+Python-\S+\s+torch-(\S+)\s+(.*)$`)

// yolov9Args finds the arguments behind the name of the script.
var yolov9Args = regexp.MustCompile(`^\s*(?:panoptic[/\\]|segment[/\\])?train(?:_dual|_triple)?:\s*(.*\b(?:weights|cfg)=.*\bepochs=.*)$`)

// yolov9 is YOLOv9 (WongKinYiu), which prints as YOLOv5 7.0 does.
func yolov9() dialect {
	return dialect{
		name: "yolov9",
		claims: func(line []byte) bool {
			switch {
			case bytes.Contains(line, []byte("YOLO ")):
				return yolov9Banner.Match(line)
			case bytes.Contains(line, []byte("train_dual: ")), bytes.Contains(line, []byte("train_triple: ")):
				return yolov9Args.Match(line)
			}
			return false
		},
		start: func() reader {
			return descendant("yolov9", yolov9Banner.FindStringSubmatch, yolov9Args)
		},
	}
}

// descendant reads a trainer that prints as YOLOv5 does, counts epochs from 0 and divides
// bytes by 1e9.
func descendant(trainer string, banner func(string) []string, args *regexp.Regexp) *yoloReader {
	r := &yoloReader{trainer: trainer, banner: banner, args: args, introduce: func(*Banner) {}, columns: func(*Columns) {}}
	r.table.unit = 1e9
	return r
}

// yolov7Results is the results.txt of YOLOv7 and YOLOR, and of YOLOv5 before it wrote
// results.csv: one row an epoch and no header. It holds the last row of the epoch, then
// precision, recall, mAP50, mAP50-95 and the three losses of the validation.
func yolov7Results() dialect {
	return dialect{
		name:   "yolov7-results",
		claims: func(line []byte) bool { p, _ := resultsText(line); return p != nil },
		start:  func() reader { return resultsTextReader{} },
	}
}

// resultsTextReader reads such a file.
type resultsTextReader struct{}

// read implements reader.
func (resultsTextReader) read(s *Stream, text []byte, _ int) bool {
	p, v := resultsText(bound(text))
	if p == nil {
		return false
	}
	s.emit(p)
	s.emit(v)
	return true
}

// resultsColumns are the names of the first numbers of a row of results.txt.
var resultsColumns = &Columns{Losses: []string{"box", "obj", "cls", "total"}, Instances: true, Size: true}

// resultsFields is how many fields such a row has.
const resultsFields = 15

// resultsText reads a row of results.txt; nil if it is none. That it has exactly so many
// numbers and nothing else is what tells it from a row of a bar that was cut.
func resultsText(line []byte) (*Progress, *Validation) {
	i := skipSpace(line, 0)
	if i >= len(line) || !isDigit(line[i]) || bytes.IndexByte(line, ':') >= 0 {
		return nil, nil
	}
	fields := bytes.Fields(line)
	if len(fields) != resultsFields {
		return nil, nil
	}
	e, of, ok := bytes.Cut(fields[0], []byte("/"))
	epoch, n := scanInt(e)
	epochs, k := scanInt(of)
	memory, size := scanFloat(fields[1])
	if !ok || n == 0 || n != len(e) || k == 0 || k != len(of) || size != len(fields[1])-1 {
		return nil, nil
	}
	letter := fields[1][size]
	if letter != 'G' && letter != 'M' && letter != 'K' {
		return nil, nil
	}
	numbers := make([]float64, 0, resultsFields-2)
	for _, f := range fields[2:] {
		v, n := scanFloat(f)
		if n == 0 || n != len(f) {
			return nil, nil
		}
		numbers = append(numbers, v)
	}
	t := table{unit: 1e9, columns: resultsColumns}
	p := &Progress{Epoch: epoch + 1, Epochs: epochs + 1, Iter: -1, Iters: -1, Columns: resultsColumns, Instances: -1, Size: -1, Elapsed: -1}
	t.bind(p, numbers[:6])
	p.Memory = t.memory(memory, letter, false)
	return p, &Validation{Class: "all", Images: -1, Instances: -1, Names: boxMetrics, Values: numbers[6:10]}
}
