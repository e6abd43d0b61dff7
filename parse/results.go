package parse

import (
	"bytes"
	"strings"
	"time"
)

// resultsCSV is results.csv of Ultralytics and YOLOv5, one row an epoch, in all
// its forms: padded to 20 or 23 columns, compact, saved again by a spreadsheet
// (semicolons or tabs, decimal commas), or appended to by a resumed run, with or
// without a second header.
func resultsCSV() dialect {
	return dialect{
		name:   "results.csv",
		claims: func(line []byte) bool { return splitHeader(line) != nil },
		start:  func() reader { return &csvReader{} },
	}
}

// csvHeader is what the first line of a results.csv tells.
type csvHeader struct {
	separator byte
	names     []string
}

// splitHeader reads the header line, nil if line is none: its first name is
// "epoch" and some other one begins with "train/", "val/" or "metrics/".
func splitHeader(line []byte) *csvHeader {
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) < 5 || trimmed[0] != 'e' && trimmed[0] != 'E' && trimmed[0] != '"' {
		return nil
	}
	h := &csvHeader{separator: ','}
	for _, c := range []byte{';', '\t', ','} {
		if bytes.IndexByte(trimmed, c) >= 0 {
			h.separator = c
			break
		}
	}
	ours := false
	for _, cell := range splitCells(trimmed, h.separator) {
		name := cleanText(bytes.Trim(cell, " \""))
		h.names = append(h.names, name)
		ours = ours || strings.HasPrefix(name, "train/") || strings.HasPrefix(name, "val/") || strings.HasPrefix(name, "metrics/")
	}
	if !ours || !strings.EqualFold(h.names[0], "epoch") {
		return nil
	}
	return h
}

// maxCells is the most cells of a line that are looked at.
const maxCells = 256

// splitCells cuts a line at the separators that stand outside of quotes.
func splitCells(line []byte, separator byte) [][]byte {
	cells := make([][]byte, 0, 16)
	quoted, from := false, 0
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			if len(cells) == maxCells-1 {
				return append(cells, line[from:i])
			}
			cells = append(cells, line[from:i])
			from = i + 1
		}
	}
	return append(cells, line[from:])
}

// csvReader reads the rows of a results.csv.
type csvReader struct {
	header *csvHeader
	shift  int // added to printed epochs: 1 where they begin with 0
}

func (r *csvReader) read(s *Stream, text []byte, _ int) bool {
	if h := splitHeader(text); h != nil {
		r.header = h
		return true
	}
	if r.header == nil {
		return false
	}
	row := r.row(text, s.unended)
	if row == nil {
		return false
	}
	s.emit(row)
	return true
}

// row reads one line of values; nil if it does not begin with an epoch. Of a line
// that the writer has not ended yet, the last cell may be half a number.
func (r *csvReader) row(text []byte, unended bool) *EpochRow {
	cells := splitCells(text, r.header.separator)
	if unended {
		if len(cells) < len(r.header.names) {
			return nil
		}
		cells = cells[:len(cells)-1]
	}
	epoch, ok := r.number(cells[0])
	if !ok || epoch < 0 || epoch > maxCount || epoch != float64(int(epoch)) || len(cells) < 2 {
		return nil
	}
	if epoch == 0 {
		r.shift = 1
	}
	row := &EpochRow{Epoch: int(epoch) + r.shift, Time: -1}
	for i, cell := range cells[1:] {
		if i+1 >= len(r.header.names) {
			break
		}
		v, ok := r.number(cell)
		if !ok {
			continue
		}
		name := r.header.names[i+1]
		switch {
		case name == "time":
			if v >= 0 && v < 1e9 {
				row.Time = time.Duration(v * float64(time.Second))
			}
		case strings.HasPrefix(name, "train/"):
			row.Losses.add(strings.TrimPrefix(name, "train/"), v)
		case strings.HasPrefix(name, "metrics/"):
			row.Metrics.add(csvMetric(strings.TrimPrefix(name, "metrics/")), v)
		case strings.HasPrefix(name, "val/"):
			row.Val.add(name, v)
		case strings.HasPrefix(name, "test/"): // what YOLOv5 classify calls it
			row.Val.add("val/"+strings.TrimPrefix(name, "test/"), v)
		case strings.HasPrefix(name, "lr/"), strings.HasPrefix(name, "x/lr"):
			row.Rates.add(name, v)
		}
	}
	return row
}

func (n *Named) add(name string, v float64) {
	n.Names = append(n.Names, name)
	n.Values = append(n.Values, v)
}

// number reads a cell; ok is false if it is empty or holds something else. A comma
// in it is the decimal point of a spreadsheet.
func (r *csvReader) number(cell []byte) (float64, bool) {
	cell = bytes.Trim(cell, " \t\"")
	if bytes.IndexByte(cell, ',') >= 0 {
		cell = bytes.Replace(cell, []byte{','}, []byte{'.'}, 1)
	}
	v, n := scanFloat(cell)
	return v, n > 0 && n == len(cell)
}

// csvMetric gives a metric of results.csv the name that the log gives it:
// "mAP50(B)" is "mAP50", "accuracy_top1" is "top1_acc".
func csvMetric(name string) string {
	name = strings.TrimSuffix(name, "(B)")
	switch name {
	case "mAP_0.5":
		return "mAP50"
	case "mAP_0.5:0.95":
		return "mAP50-95"
	case "accuracy_top1":
		return "top1_acc"
	case "accuracy_top5":
		return "top5_acc"
	case "pixel_acc":
		return "PixAcc"
	}
	return name
}
