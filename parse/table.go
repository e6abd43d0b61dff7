package parse

import (
	"bytes"
	"time"
	"unicode/utf8"
)

// table is the grammar that the YOLO trainers of one descent share: a header
// with names, rows "epoch/total memory losses...: percent bar done/total ...",
// and a validation table. A dialect sets the base of its epochs and its unit.
type table struct {
	columns *Columns
	// base is the number of the first epoch as printed: 0 or 1.
	base int
	// unit is what the trainer divides bytes by to print G; 0 if not known, in
	// which case the kind of bar tells.
	unit Bytes
	// stale is set when the trainer starts an epoch anew: rows up to the next
	// header belong to the bar that was given up.
	stale bool

	val valHeader
}

// unknownUnit is the divisor of the memory column where no banner told the
// version: the bar of 2025 came after the change to 2^30.
func unknownUnit(ownBar bool) Bytes {
	if ownBar {
		return GiB
	}
	return 1e9
}

// ellipsis is what newer bars put where they cut their description to the width of
// the terminal.
var ellipsis = []byte("…")

// maxColumns is the most numbers of a row that are looked at.
const maxColumns = 32

// row reads a row of an epoch at the start of text. rest is what was glued
// behind it. It returns nil if text is not a row.
func (t *table) row(text []byte, reset int) (p *Progress, rest []byte) {
	i := skipSpace(text, 0)
	epoch, n := scanInt(text[i:])
	if n == 0 || i+n >= len(text) || text[i+n] != '/' {
		return nil, nil
	}
	i += n + 1
	epochs, n := scanInt(text[i:])
	if n == 0 || i+n >= len(text) || text[i+n] != ' ' {
		return nil, nil
	}
	i = skipSpace(text, i+n)
	memory, n := scanFloat(text[i:])
	if n == 0 || !isDigit(text[i]) || i+n >= len(text) {
		return nil, nil
	}
	letter := text[i+n]
	i += n + 1
	if letter != 'G' && letter != 'M' && letter != 'K' || i < len(text) && text[i] != ' ' && text[i] != ':' {
		return nil, nil
	}

	var numbers [maxColumns]float64
	count, end, bar, cut := 0, i, false, false
	for count < maxColumns {
		j := skipSpace(text, i)
		if j >= len(text) {
			break
		}
		if text[j] == ':' {
			bar, end = true, j+1
			break
		}
		if bytes.HasPrefix(text[j:], ellipsis) { // the description was cut here
			i = j + len(ellipsis)
			continue
		}
		v, n := scanFloat(text[j:])
		if n == 0 {
			end = j
			break
		}
		i = j + n
		end = i
		numbers[count] = v
		count++
		if bytes.HasPrefix(text[i:], ellipsis) {
			count-- // cut in this number
			continue
		}
		if i < len(text) && text[i] != ' ' && text[i] != ':' {
			break // text is glued to the number
		}
		cut = cut || i == reset
	}
	want := t.width()
	touches := i == end && (i == len(text) || text[i] != ' ' && text[i] != ':')
	switch {
	case cut && count > 0:
		count-- // the bar cut its description in this number
	case !bar && touches && (count < want || i == len(text) && want > 0 && i%headerWidth != 0):
		count-- // the terminal's edge, or glued text, ran into this number
	}
	if count < 0 || !bar && count == 0 || t.columns == nil && (!bar || count < 1) {
		return nil, nil
	}

	p = &Progress{Epoch: epoch + 1 - t.base, Epochs: epochs + 1 - t.base, Iter: -1, Iters: -1, Columns: t.columns, Instances: -1, Size: -1, Elapsed: -1}
	t.bind(p, numbers[:count])
	ownBar := false
	rest = text[end:]
	if bar {
		var b barTail
		b, rest = scanBar(rest)
		p.Iter, p.Iters, p.Rate, p.Elapsed = b.done, b.total, b.rate, b.elapsed
		ownBar = b.own
	}
	p.Memory = t.memory(memory, letter, ownBar)
	return p, bytes.TrimLeft(rest, " ")
}

// headerWidth is the width of a column in the official headers.
const headerWidth = 11

// width is how many numbers a row has behind the memory column; 0 if unknown.
func (t *table) width() int {
	if t.columns == nil {
		return 0
	}
	n := len(t.columns.Losses)
	if t.columns.Instances {
		n++
	}
	if t.columns.Size {
		n++
	}
	return n
}

// bind gives numbers their names by order: never by offset, since the padding of
// rows and headers differs.
func (t *table) bind(p *Progress, numbers []float64) {
	if t.columns == nil {
		return
	}
	losses := min(len(t.columns.Losses), len(numbers))
	p.Values = append(p.store[:0], numbers[:losses]...)
	numbers = numbers[losses:]
	if t.columns.Instances && len(numbers) > 0 {
		p.Instances = numbers[0]
		numbers = numbers[1:]
	}
	if t.columns.Size && len(numbers) > 0 {
		p.Size = numbers[0]
	}
}

func (t *table) memory(value float64, letter byte, ownBar bool) MemoryReading {
	if value == 0 {
		return MemoryReading{}
	}
	unit := t.unit
	if unit == 0 {
		unit = unknownUnit(ownBar)
	}
	thousand := float64(1000)
	if unit == GiB {
		thousand = 1024
	}
	scale := float64(unit)
	switch letter {
	case 'M':
		scale /= thousand
	case 'K':
		scale /= thousand * thousand
	}
	if value*scale > 1<<50 {
		return MemoryReading{}
	}
	return MemoryReading{Bytes: Bytes(value*scale + 0.5), Measure: Reserved, Step: Bytes(printStep(value)*scale + 0.5)}
}

// printStep is the distance between two numbers that "%.3g" can tell apart near
// value: 1 from 100 on, 0.1 from 10 on, and so on.
func printStep(value float64) float64 {
	step := 0.01
	for v := value; v >= 10; v /= 10 {
		step *= 10
	}
	for v := value; v < 1 && step > 1e-6; v *= 10 {
		step /= 10
	}
	return step
}

// barTail is what stands behind a bar's description: how far, how fast, how long.
type barTail struct {
	done, total int // -1 if the row was cut before them
	rate        float64
	elapsed     time.Duration
	own         bool // Ultralytics' own bar, not tqdm's
}

// scanBar reads "75%|####| 3/4 [00:00<00:00, 29.29it/s]" or the like, beginning
// behind the description's colon. rest is what was glued behind it.
//
// The bar's glyphs are not looked at: they may be blocks, '#', or garbage from a
// wrong code page.
func scanBar(b []byte) (t barTail, rest []byte) {
	t = barTail{done: -1, total: -1, elapsed: -1}
	i := skipSpace(b, 0)
	_, n := scanInt(b[i:])
	if n > 0 && i+n >= len(b) {
		return t, nil // cut in the percentage
	}
	if n == 0 || b[i+n] != '%' {
		return t, b[i:]
	}
	i += n + 1
	from := i
	for { // the first done/total: digits, a slash, digits
		k := i
		for k < len(b) && (b[k] >= utf8.RuneSelf || b[k] == ' ' || b[k] != '/' && !isLetter(b[k]) && b[k] != '[' && b[k] != '^') {
			k++
		}
		if k == len(b) {
			return t, nil // cut in the bar
		}
		if b[k] != '/' {
			return t, b[k:] // cut, and what follows is glued to it
		}
		j := k
		for j > from && isDigit(b[j-1]) {
			j--
		}
		if j < k {
			done, _ := scanInt(b[j:k])
			total, n := scanInt(b[k+1:])
			if n > 0 {
				t.own = b[from] != '|'
				i = k + 1 + n
				if i >= len(b) {
					return t, nil // may be cut in the number
				}
				if b[i] != ' ' {
					return t, b[i:]
				}
				t.done, t.total = done, total
				break
			}
		}
		i = k + 1
	}
	i = skipSpace(b, i)
	if i < len(b) && b[i] == '[' {
		return t, t.scanTqdm(b, i+1)
	}
	return t, t.scanOwn(b, i)
}

// scanTqdm reads "elapsed<left, rate]".
func (t *barTail) scanTqdm(b []byte, i int) (rest []byte) {
	if d, n := scanClock(b[i:]); n > 0 && i+n < len(b) && (b[i+n] == '<' || b[i+n] == ',' || b[i+n] == ']') {
		t.elapsed = d
	}
	comma := -1
	for k := i; k < len(b); k++ {
		switch b[k] {
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ':', '.', ' ', '<', '?', 'i', 't', '/', 's', 'K', 'M', 'G':
		case ',':
			if comma < 0 {
				comma = k
				continue
			}
			t.rate, _ = scanRate(b[skipSpace(b, comma+1):k])
			_, rest, _ = bytes.Cut(b[k:], []byte("]")) // a postfix: "29.29it/s, loss=0.3]"
			return rest
		case ']':
			if comma >= 0 {
				t.rate, _ = scanRate(b[skipSpace(b, comma+1):k])
			}
			return b[k+1:]
		default:
			return b[k:] // cut at the terminal's edge, and something is glued to it
		}
	}
	return nil
}

// scanOwn reads "rate elapsed<left" of Ultralytics' own bar, in which the rate
// may be missing, or the "elapsed" of YOLOv5 7.0.
func (t *barTail) scanOwn(b []byte, i int) (rest []byte) {
	empty := i > 1 && b[i-2] == ' ' // where the rate should be: two blanks, not one
	if r, n := scanRate(b[i:]); n > 0 {
		t.rate, empty = r, true
		i = skipSpace(b, i+n)
	}
	d, n := scanClock(b[i:])
	if n == 0 {
		return b[i:]
	}
	if !empty && b[i+n-1] == 's' && (i+n == len(b) || b[i+n] == '/') {
		return nil // the first half of "1.5s/it"
	}
	t.elapsed = d
	i += n
	if i < len(b) && b[i] == '<' {
		_, n = scanClock(b[i+1:])
		i += 1 + n
	}
	return b[i:]
}

// scanRate reads "1.9it/s", "2.4Kit/s" or "1.5s/it" as iterations a second.
func scanRate(b []byte) (perSecond float64, n int) {
	v, n := scanFloat(b)
	if n == 0 || !isDigit(b[0]) {
		return 0, 0
	}
	if bytes.HasPrefix(b[n:], []byte("s/it")) {
		if v == 0 {
			return 0, n + 4
		}
		return 1 / v, n + 4
	}
	scale := 1.0
	if n < len(b) {
		switch b[n] {
		case 'K':
			scale, n = 1e3, n+1
		case 'M':
			scale, n = 1e6, n+1
		case 'G':
			scale, n = 1e9, n+1
		}
	}
	if !bytes.HasPrefix(b[n:], []byte("it/s")) {
		return 0, 0
	}
	return v * scale, n + 4
}
