package parse

import (
	"bytes"
	"slices"
	"strings"
)

// valHeader is the header of a validation table, which is at the same time the
// description of the validation's bar.
type valHeader struct {
	open   bool     // rows may follow
	names  []string // metrics, normalized; may be incomplete if cut
	cut    bool     // the terminal's edge cut the header
	counts int      // whole numbers between the class and the metrics: 2 or 0
}

// classWidth is the column of the class; only a name that fills it begins a line.
const classWidth = 22

// boxMetrics are the metrics of a detection in their order.
var boxMetrics = []string{"precision", "recall", "mAP50", "mAP50-95"}

// metricNames maps the names of validation headers to ours.
var metricNames = map[string]string{
	"P": "precision", "R": "recall",
	"mAP50": "mAP50", "mAP@.5": "mAP50", "mAP@0.5": "mAP50", "mAP_0.5": "mAP50",
	"mAP50-95": "mAP50-95", "mAP@.5:.95": "mAP50-95", "mAP@0.5:0.95": "mAP50-95", "mAP_0.5:0.95": "mAP50-95",
}

// groupSuffix is what follows the names of a group of metrics.
var groupSuffix = map[string]string{"Box": "", "Mask": "(M)", "Pose": "(P)"}

// scanValHeader reads "Class Images Instances Box(P R mAP50 mAP50-95)  Mask(...)"
// or "classes top1_acc top5_acc", up to the bar's percentage.
func scanValHeader(text []byte, reset int) (h valHeader, bar []byte, ok bool) {
	trimmed := bytes.TrimLeft(text, " ")
	classify := bytes.HasPrefix(trimmed, []byte("classes"))
	if !classify && !bytes.HasPrefix(trimmed, []byte("Class ")) || len(text) > lineLimit {
		return h, nil, false
	}
	desc := text
	if k := bytes.Index(text, []byte(": ")); k >= 0 {
		desc, bar = text[:k], text[k+1:]
	} else {
		h.cut = true
	}
	if reset >= 0 && reset <= len(desc) {
		desc, h.cut = text[:reset], true
	}
	fields := strings.Fields(cleanText(desc))
	if classify {
		if len(fields) < 2 || fields[0] != "classes" || !strings.HasPrefix(fields[1], "top1") {
			return h, nil, false
		}
		h.names, h.open = fields[1:], true
		return h, bar, true
	}
	if len(fields) < 2 || fields[1] != "Images" || len(fields) > 2 && !isCountName(fields[2], h.cut) {
		return h, nil, false
	}
	h.counts, h.open = 2, true
	suffix := ""
	for i, f := range fields[min(3, len(fields)):] {
		if group, name, found := strings.Cut(f, "("); found {
			s, known := groupSuffix[group]
			if !known {
				s = "(" + group + ")"
			}
			suffix, f = s, name
		}
		closes := strings.HasSuffix(f, ")")
		f = strings.TrimSuffix(f, ")")
		if h.cut && i+3 == len(fields)-1 && !closes {
			break // the last word of a cut header may be half a word
		}
		if n, known := metricNames[f]; known {
			f = n
		}
		h.names = append(h.names, f+suffix)
	}
	return h, bar, true
}

// isCountName reports whether s names the second of the counts in a validation
// header, or begins such a name where the header was cut.
func isCountName(s string, cut bool) bool {
	for _, name := range [...]string{"Instances", "Labels", "Targets", "Pixels"} {
		if s == name || cut && strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

// row reads a result row below the header: the numbers are taken from the right,
// since the name of a class may hold blanks and digits.
func (h *valHeader) row(text []byte) *Validation {
	if !h.open || len(text) == 0 || len(text) > lineLimit || text[0] != ' ' && len(text) < classWidth {
		return nil
	}
	fields := bytes.Fields(text)
	want := h.counts + len(h.names)
	if h.cut {
		if want = h.wantCut(fields); want == 0 {
			return nil
		}
	}
	if len(fields) <= want || len(fields) > maxColumns+h.counts {
		return nil
	}
	numbers := make([]float64, want)
	for i, f := range fields[len(fields)-want:] {
		v, n := scanFloat(f)
		if n == 0 || n != len(f) {
			return nil
		}
		numbers[i] = v
	}
	v := &Validation{
		Class:  cleanText(bytes.Join(fields[:len(fields)-want], []byte(" "))),
		Images: -1, Instances: -1,
		Names: h.names, Values: numbers[h.counts:],
	}
	if h.counts == 2 {
		if !(numbers[0] >= 0 && numbers[1] >= 0) {
			return nil
		}
		v.Images, v.Instances = int(min(numbers[0], maxCount)), int(min(numbers[1], maxCount))
	}
	if h.cut { // the first row tells how many columns there are
		h.names, h.cut = cutNames(h.names, len(v.Values)), false
		v.Names = h.names
	}
	return v
}

// wantCut is how many numbers the row "all" has below a header that was cut.
func (h *valHeader) wantCut(fields [][]byte) int {
	n := 0
	for n < len(fields) {
		f := fields[len(fields)-1-n]
		if _, k := scanFloat(f); k == 0 || k != len(f) {
			break
		}
		n++
	}
	if n < h.counts+1 || len(fields) == n || h.counts == 2 && (n-h.counts)%len(boxMetrics) != 0 {
		return 0
	}
	return n
}

// cutNames completes the names of a cut header: groups of four, of which the
// second is a mask or a pose, which the header no longer tells.
func cutNames(known []string, n int) []string {
	if len(known) >= n {
		return known[:n]
	}
	out := slices.Clone(known)
	for i := len(out); i < n; i++ {
		name := boxMetrics[i%len(boxMetrics)]
		if i >= len(boxMetrics) {
			name += "(2)"
		}
		out = append(out, name)
	}
	return out
}
