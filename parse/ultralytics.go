package parse

import (
	"bytes"
	"regexp"
	"strings"
)

// ultralyticsBanner reads "Ultralytics 8.3.40 🚀 Python-3.11 torch-2.5.1 CUDA:0 (...)".
// Until 8.2.103 the version had "YOLOv" before it; Windows drops the rocket.
var ultralyticsBanner = regexp.MustCompile(`Ultralytics (?:YOLOv)?(\d[\w.+-]*)\s.*?Python-\S+\s+torch-(\S+)\s+(.*)$`)

// ultralyticsArgs finds the arguments line behind its prefix, which Windows
// writes with a backslash and versions before 8.0.136 with "yolo/" in front.
var ultralyticsArgs = regexp.MustCompile(`engine[/\\]trainer:\s*(.*\b(?:task|mode|model)=.*)$`)

// since2_30 is the first Ultralytics version that divides GPU_mem by 2^30.
var since2_30 = [3]int{8, 3, 76}

func ultralytics() dialect {
	return dialect{
		name: "ultralytics",
		claims: func(line []byte) bool {
			if bytes.Contains(line, []byte("Ultralytics ")) && bytes.Contains(line, []byte("Python-")) {
				return true
			}
			if bytes.Contains(line, []byte("engine")) && bytes.Contains(line, []byte("trainer: ")) && bytes.Contains(line, []byte("=")) {
				return true
			}
			if !beginsEpoch(line) {
				return false
			}
			c := (&table{}).header(cleanText(line))
			return c != nil && !yolov5Columns(c)
		},
		start: func() reader {
			r := &yoloReader{trainer: "ultralytics", banner: ultralyticsBanner.FindStringSubmatch, args: ultralyticsArgs}
			r.table.base = 1
			r.introduce = func(b *Banner) {
				r.table.unit = 1e9
				if AtLeast(b.Version, since2_30) {
					r.table.unit = GiB
				}
			}
			return r
		},
	}
}

// yoloReader reads the output of the trainers that share the table grammar.
type yoloReader struct {
	table   table
	trainer string
	banner  func(string) []string // version, torch, devices
	args    *regexp.Regexp
	// introduce and columns adjust the table to a version and a header.
	introduce func(*Banner)
	columns   func(*Columns)

	sure      bool // a banner or arguments named the trainer
	devices   bool // the last line was a banner or a further device of it
	finalized bool // "Validating best.pt" was seen
}

// read takes a segment; it reports false if the segment is not of this trainer.
func (r *yoloReader) read(s *Stream, text []byte, reset int) bool {
	if !r.table.stale {
		if p, rest := r.table.row(text, reset); p != nil {
			r.devices = false
			r.table.val.open = false
			s.emit(p)
			s.glued(rest)
			return true
		}
	} else if p, rest := r.table.row(text, reset); p != nil {
		s.glued(rest)
		return true
	}
	if rest, done, ok := bareBar(text); ok {
		if done == 0 {
			s.emit(&Notice{Kind: BarBegan})
		}
		s.glued(rest)
		return true
	}
	return r.readLine(s, text, reset)
}

// frame implements barReader.
func (r *yoloReader) frame(text []byte, reset int) *Progress {
	if r.table.stale {
		return nil
	}
	p, _ := r.table.row(text, reset)
	return p
}

// bareBar recognizes a frame without a description: "  0%|   | 0/4 [00:00<?, ?it/s]"
// or ": 0% ──── 0/4  0.1s".
func bareBar(text []byte) (rest []byte, done int, ok bool) {
	i := skipSpace(text, 0)
	if i < len(text) && text[i] == ':' {
		i = skipSpace(text, i+1)
	}
	_, n := scanInt(text[i:])
	if n == 0 || n > 3 || i+n >= len(text) || text[i+n] != '%' {
		return nil, 0, false
	}
	t, rest := scanBar(text[i:])
	return rest, t.done, t.total >= 0
}

// testing reads the bar of YOLOv5's classifier over its validation images, which
// stands behind the columns of the epoch.
func (r *yoloReader) testing(s *Stream, text []byte) bool {
	bar, ok := bytes.CutPrefix(text, []byte("testing:"))
	if !ok {
		bar, ok = bytes.CutPrefix(text, []byte("validating:"))
	}
	if !ok {
		return false
	}
	b, rest := scanBar(bar)
	// Its time is part of the epoch's bar, which goes on behind it.
	s.emit(&Stage{Kind: Validating, Part: "val", Done: b.done, Total: b.total, Elapsed: -1})
	s.glued(rest)
	return true
}

func (r *yoloReader) readLine(s *Stream, text []byte, reset int) bool {
	if h, bar, ok := scanValHeader(text, reset); ok {
		r.table.val = h
		st := &Stage{Kind: Validating, Part: "val", Done: -1, Total: -1, Elapsed: -1}
		if r.finalized {
			st.Kind = FinalValidation
		}
		b, rest := scanBar(bar)
		st.Done, st.Total, st.Elapsed = b.done, b.total, b.elapsed
		s.emit(st)
		s.glued(rest)
		return true
	}
	if !r.table.val.open && r.table.columns != nil && bytes.HasPrefix(bytes.TrimLeft(text, " "), []byte("all ")) {
		// The header is the description of a bar, which went to the other stream.
		r.table.val = valHeader{open: true, cut: true, counts: 2}
		if len(r.table.columns.Losses) == 1 {
			r.table.val = valHeader{open: true, names: []string{"top1_acc", "top5_acc"}}
		}
	}
	if v := r.table.val.row(text); v != nil {
		v.Final = r.finalized
		s.emit(v)
		return true
	}
	if r.testing(s, text) {
		return true
	}
	line := strings.TrimRight(cleanText(bound(text)), " ")
	if c := r.table.header(line); c != nil {
		if !r.sure && r.columns == nil && yolov5Columns(c) {
			return false // rows came before any header, and it is another trainer's
		}
		r.table.stale = false
		if r.columns != nil {
			r.columns(c)
		}
		if !sameColumns(c, r.table.columns) {
			r.table.columns = c
		}
		r.table.val.open = false
		s.emit(&Notice{Kind: Header, Text: line, Columns: r.table.columns})
		return true
	}
	if m := r.banner(line); m != nil {
		b := &Banner{Trainer: r.trainer, Version: strings.TrimPrefix(m[1], "v"), Torch: m[2]}
		if d := parseDevice(m[3]); d != nil {
			b.Devices = append(b.Devices, *d)
		}
		r.introduce(b)
		r.devices, r.sure = true, true
		s.emit(b)
		return true
	}
	if r.devices && strings.HasPrefix(line, "  ") {
		if d := parseDevice(line); d != nil && d.Index >= 0 {
			s.emit(&Banner{Trainer: r.trainer, Devices: []Device{*d}})
			return true
		}
	}
	r.devices = false
	if m := r.args.FindStringSubmatch(line); m != nil {
		r.sure = true
		s.emit(configOf(splitArgs(m[1])))
		return true
	}
	if m := dataBar.FindStringSubmatch(line); m != nil {
		st := &Stage{Kind: Scanning, Part: m[1], Done: -1, Total: -1, Elapsed: -1}
		if m[2] != "Scanning" {
			st.Kind = Caching
			if c := cachedImages.FindStringSubmatch(line); c != nil {
				st.Cached = Bytes(number(c[1]) * float64(GiB))
			}
		}
		if k := bytes.LastIndex(text, []byte("%")); k > 0 {
			j := k
			for j > 0 && isDigit(text[j-1]) {
				j--
			}
			b, rest := scanBar(text[j:])
			st.Done, st.Total, st.Elapsed = b.done, b.total, b.elapsed
			s.emit(st)
			s.glued(rest)
			return true
		}
		s.emit(st)
		return true
	}
	if m := finalValidation.FindStringSubmatch(line); m != nil {
		r.finalized = true
		s.emit(&Stage{Kind: FinalValidation, Part: "val", Done: -1, Total: -1, Elapsed: -1})
		return true
	}
	if s.torch.quoted(line) {
		return false
	}
	rec := announce(line, r.table.base)
	if rec == nil {
		return false
	}
	switch rec := rec.(type) {
	case *Failure:
		s.torch.traceback = false
	case *Notice:
		switch rec.Kind {
		case BatchReduced, NaNRecovery:
			r.table.stale = true
		case TrainingStarted:
			r.finalized = false
		}
	}
	s.emit(rec)
	return true
}
