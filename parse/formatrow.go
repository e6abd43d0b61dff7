package parse

import (
	"regexp"
	"strings"
	"time"
)

// ownReader reads a stream of such a format.
type ownReader struct {
	format  *ownFormat
	trainer introduction
	columns *Columns
	epoch   int // of the newest row that has one; 0 before it
}

// read implements reader.
func (r *ownReader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if row := r.format.progress(line); row != nil {
		r.trainer.make(s, r.format.Name)
		p := row.Progress
		if row.counted {
			r.epoch = p.Epoch
		} else if r.epoch > 0 {
			p.Epoch = r.epoch // the group was optional
		}
		if p.Columns != nil {
			if sameColumns(p.Columns, r.columns) {
				p.Columns = r.columns
			}
			r.columns = p.Columns
		}
		s.emit(p)
		if row.total > 0 {
			s.emit(&Memory{Device: -1, Total: row.total, Retries: -1, OOMs: -1})
		}
		return true
	}
	if v := r.format.results(line); v != nil {
		s.emit(v)
		return true
	}
	if r.format.done != nil && r.format.done.Match(line) {
		s.emit(&Notice{Kind: Completed, Text: cleanText(line)})
		return true
	}
	return false
}

// ownRow is a row of such a format.
type ownRow struct {
	*Progress
	total   Bytes // of the device; 0 if not told
	counted bool  // the epoch is printed
}

// progress reads a row; nil if the line is none, or a counter in it is no number.
func (f *ownFormat) progress(line []byte) *ownRow {
	m := f.row.FindSubmatchIndex(line)
	if m == nil {
		return nil
	}
	p := &Progress{Epoch: 1, Iter: -1, Iters: -1, Instances: -1, Size: -1, Elapsed: -1}
	out := &ownRow{Progress: p}
	var losses []string
	for i, name := range f.row.SubexpNames() {
		if name == "" || m[2*i] < 0 {
			continue
		}
		text := line[m[2*i]:m[2*i+1]]
		value, n := scanFloat(text)
		number := n > 0 && n == len(text)
		count, digits := scanInt(text)
		whole := digits > 0 && digits == len(text)
		switch name {
		case "epoch", "iter":
			if !whole {
				return nil
			}
			if name == "epoch" {
				p.Epoch, out.counted = count+1-f.FirstEpoch, true
			} else {
				p.Iter = count + 1 - f.FirstIter
			}
		case "epochs":
			p.Epochs = count
		case "iters":
			if whole && count > 0 {
				p.Iters = count
			}
		case "memory":
			if b, step := f.size(name, text); b > 0 {
				p.Memory = MemoryReading{Bytes: b, Measure: f.measure, Step: step}
			}
		case "total":
			out.total, _ = f.size(name, text)
		case "rate":
			if number && value > 0 && value < 1e9 {
				p.Rate = value
			}
		case "elapsed":
			p.Elapsed = f.clock(text)
		case "step_time":
			p.StepTime = f.duration(name, value)
		case "data_time":
			p.DataTime = f.duration(name, value)
		case "instances":
			if number && value >= 0 {
				p.Instances = value
			}
		case "size":
			if number && value > 0 {
				p.Size = value
			}
		default:
			if number {
				losses, p.Values = append(losses, name), append(p.Values, value)
			}
		}
	}
	p.Stepwise = f.row.SubexpIndex("epoch") < 0
	if p.Epoch < 1 || p.Iter < -1 {
		return nil
	}
	if losses != nil {
		p.Columns = &Columns{Losses: losses, Instances: p.Instances >= 0, Size: p.Size >= 0}
	}
	p.DataTime = min(p.DataTime, p.StepTime)
	if p.Rate == 0 && p.StepTime > 0 {
		p.Rate = float64(time.Second) / float64(p.StepTime)
	}
	return out
}

// size is a number of bytes and the distance to the next one that can be printed; 0 if the
// text is no number.
func (f *ownFormat) size(group string, text []byte) (b, step Bytes) {
	value, n := scanFloat(text)
	scale := formatSizes[f.Units[group]]
	if v := value * scale; n > 0 && n == len(text) && v > 0 && v < 1<<50 {
		digits := 0
		if dot := strings.IndexByte(string(text), '.'); dot >= 0 {
			digits = len(text) - dot - 1
		}
		step := scale
		for range digits {
			step /= 10
		}
		return Bytes(v + 0.5), max(1, Bytes(step+0.5))
	}
	return 0, 0
}

// duration is a time in the unit of its group; 0 if it makes no sense.
func (f *ownFormat) duration(group string, value float64) time.Duration {
	if unit := f.Units[group]; unit != "" {
		value *= formatTimes[unit]
	}
	return seconds(value)
}

// clock is an elapsed time, as a number in its unit or as a clock; -1 if it is neither.
func (f *ownFormat) clock(text []byte) time.Duration {
	if d, n := scanClock(text); n > 0 && n == len(text) {
		return d
	}
	value, n := scanFloat(text)
	if n == 0 || n != len(text) || value < 0 {
		return -1
	}
	return f.duration("elapsed", value)
}

// results reads the results of a validation; nil if the line has none.
func (f *ownFormat) results(line []byte) *Validation {
	if f.result == nil {
		return nil
	}
	m := f.result.FindSubmatch(line)
	if m == nil {
		return nil
	}
	v := &Validation{Class: "all", Images: -1, Instances: -1}
	for i, name := range f.result.SubexpNames() {
		if name == "" || name == "epoch" || len(v.Names) == maxColumns {
			continue
		}
		if value, n := scanFloat(m[i]); n > 0 && n == len(m[i]) {
			v.Names, v.Values = append(v.Names, betweenDigits.ReplaceAllString(name, "$1-$2")), append(v.Values, value)
		}
	}
	if v.Names == nil {
		return nil
	}
	return v
}

// betweenDigits finds what a group's name has for a dash.
var betweenDigits = regexp.MustCompile(`(\d)_(\d)`)
