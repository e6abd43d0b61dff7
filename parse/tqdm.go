package parse

import "bytes"

// tqdmLine is a line with a bar of tqdm: "Epoch 3:  98%|███| 39/40 [00:16<00:00, 2.31it/s,
// loss=1.62]".
type tqdmLine struct {
	description []byte // before the bar, without its colon
	bar         barTail
	postfix     []byte // behind the speed, without the bracket
	rest        []byte // behind the bar
}

// scanTqdmLine finds the bar of a line; ok is false if it has none.
func scanTqdmLine(line []byte) (t tqdmLine, ok bool) {
	at := bytes.Index(line, []byte("%|"))
	if at < 1 || !isDigit(line[at-1]) {
		return t, false
	}
	start := at
	for start > 0 && isDigit(line[start-1]) {
		start--
	}
	t.bar, t.rest = scanBar(line[start:])
	if t.bar.done < 0 || t.bar.own {
		return t, false
	}
	t.description = bytes.TrimRight(line[:start], " ")
	t.description = bytes.TrimSpace(bytes.TrimSuffix(t.description, []byte(":")))
	if open := bytes.IndexByte(line[at:], '['); open >= 0 {
		inside, _, closed := bytes.Cut(line[at+open+1:], []byte("]"))
		if parts := bytes.SplitN(inside, []byte(","), 3); len(parts) == 3 && closed {
			t.postfix = bytes.TrimSpace(parts[2])
		}
	}
	return t, true
}

// field is a name and a number of a postfix: "train_loss=1.620".
type field struct {
	name  string
	value float64
}

// fields are the numbers of a postfix; what is no number is left out.
func (t *tqdmLine) fields() []field {
	var out []field
	for part := range bytes.SplitSeq(t.postfix, []byte(", ")) {
		name, value, ok := bytes.Cut(part, []byte("="))
		v, n := scanFloat(bytes.TrimSpace(value))
		if ok && n > 0 && n == len(bytes.TrimSpace(value)) && len(out) < maxColumns {
			out = append(out, field{name: cleanText(bytes.TrimSpace(name)), value: v})
		}
	}
	return out
}
