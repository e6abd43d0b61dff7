package parse

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// segmentLimit is the most bytes of one segment that are kept. A longer one is
// cut into pieces, so that a line without end costs no more memory than this.
const segmentLimit = 64 << 10

// segment is the text between two terminators.
type segment struct {
	text   []byte // without escape sequences; may hold invalid UTF-8 and control bytes
	line   int    // from 1
	offset int64  // of the first byte in the input
	first  bool   // nothing came before it on its line, so a transport's prefix may
	// continued marks a piece of a segment that was too long, but not the first.
	continued bool
	// reset is the index in text at which "\x1b[0m" stood: bars that cut their
	// description to the terminal's width put it behind the cut. -1 if nowhere.
	reset int
}

// splitter cuts a byte stream into segments at '\n' and '\r'. A bar writes its
// '\r' before each frame, so the newest frame has no terminator yet.
//
// What comes out depends on the bytes alone, not on how they were chunked.
type splitter struct {
	started bool
	head    []byte // the first bytes, until they tell the encoding
	wide    wideDecoder

	tail       []byte // the unfinished segment, raw
	tailOffset int64
	pos        int64 // offset of the next byte
	line       int   // terminators '\n' so far
	midLine    bool  // a '\r' was seen since the last '\n'
	continued  bool  // the tail goes on after a cut

	seg     segment // reused for every call of emit
	scratch []byte
}

// write takes the next bytes and calls emit for each segment that they end. The
// segment and its text are only valid during the call.
func (s *splitter) write(b []byte, emit func(*segment)) {
	if !s.started {
		if b = s.begin(b); b == nil {
			return
		}
	}
	if s.wide.order != narrow {
		s.writeWide(b, emit)
		return
	}
	cr, lf := -1, -1 // next terminators in b; recomputed only once passed
	for at := 0; at < len(b); {
		if cr < at {
			cr = indexFrom(b, at, '\r')
		}
		if lf < at {
			lf = indexFrom(b, at, '\n')
		}
		end := min(cr, lf)
		piece := b[at:end]
		if end == len(b) {
			s.extend(piece, emit)
			s.pos += int64(len(piece))
			return
		}
		if len(s.tail) > 0 {
			s.extend(piece, emit)
			piece = s.tail
		} else {
			s.tailOffset = s.pos
			piece = s.cut(piece, emit)
		}
		s.pos += int64(end - at + 1)
		s.emit(piece, emit)
		s.terminate(b[end])
		at = end + 1
	}
}

// begin looks at the first bytes for a byte order mark. It returns what is to be
// read, or nil if more bytes are needed to tell.
func (s *splitter) begin(b []byte) []byte {
	s.head = append(s.head, b...)
	h := s.head
	switch {
	case len(h) >= 2 && h[0] == 0xff && h[1] == 0xfe:
		s.wide.order, s.pos, h = little, 2, h[2:]
	case len(h) >= 2 && h[0] == 0xfe && h[1] == 0xff:
		s.wide.order, s.pos, h = big, 2, h[2:]
	case len(h) >= 3 && h[0] == 0xef && h[1] == 0xbb && h[2] == 0xbf:
		s.pos, h = 3, h[3:]
	case len(h) == 0,
		len(h) < 2 && (h[0] == 0xff || h[0] == 0xfe),
		len(h) < 3 && h[0] == 0xef && (len(h) < 2 || h[1] == 0xbb):
		return nil
	}
	s.started, s.head = true, nil
	if h == nil {
		h = []byte{}
	}
	return h
}

func indexFrom(b []byte, at int, c byte) int {
	if i := bytes.IndexByte(b[at:], c); i >= 0 {
		return at + i
	}
	return len(b)
}

// extend adds raw bytes to the unfinished segment.
func (s *splitter) extend(b []byte, emit func(*segment)) {
	if len(b) == 0 {
		return
	}
	if len(s.tail) == 0 {
		s.tailOffset = s.pos
	}
	for len(s.tail)+len(b) > segmentLimit {
		room := segmentLimit - len(s.tail)
		s.tail = append(s.tail, b[:room]...)
		b = b[room:]
		n := runeBoundary(s.tail)
		s.emit(s.tail[:n], emit)
		s.continued = true
		s.tailOffset += int64(n)
		s.tail = append(s.tail[:0], s.tail[n:]...)
	}
	s.tail = append(s.tail, b...)
}

// cut emits all but the last piece of a segment that is too long.
func (s *splitter) cut(b []byte, emit func(*segment)) []byte {
	for len(b) > segmentLimit {
		n := runeBoundary(b[:segmentLimit])
		s.emit(b[:n], emit)
		s.continued = true
		s.tailOffset += int64(n)
		b = b[n:]
	}
	return b
}

// runeBoundary is the length of b without a UTF-8 sequence cut at its end.
func runeBoundary(b []byte) int {
	for i := 1; i < utf8.UTFMax && i < len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				return len(b) - i
			}
			break
		}
	}
	return len(b)
}

func (s *splitter) emit(raw []byte, emit func(*segment)) {
	if len(raw) == 0 {
		return
	}
	s.fill(raw)
	if len(s.seg.text) > 0 {
		emit(&s.seg)
	}
}

func (s *splitter) fill(raw []byte) {
	s.seg = segment{line: s.line + 1, offset: s.tailOffset, first: !s.midLine && !s.continued, continued: s.continued}
	if s.midLine && !s.continued && bytes.HasPrefix(raw, []byte("[K")) {
		raw = raw[2:] // what a notebook leaves of the bar's "\x1b[K"
	}
	s.seg.text, s.seg.reset, s.scratch = stripEscapes(raw, s.scratch)
}

func (s *splitter) terminate(c byte) {
	s.tail = s.tail[:0]
	s.continued = false
	if c == '\n' {
		s.line++
		s.midLine = false
	} else {
		s.midLine = true
	}
}

// pending is the segment that no terminator has ended yet, nil if there is none.
func (s *splitter) pending() *segment {
	if len(s.tail) == 0 || s.continued {
		return nil
	}
	s.fill(s.tail)
	if len(s.seg.text) == 0 {
		return nil
	}
	return &s.seg
}

// close emits what is left at the end of the input.
func (s *splitter) close(emit func(*segment)) {
	if !s.started && len(s.head) > 0 {
		s.started, s.tail, s.head = true, s.head, nil
	}
	if len(s.tail) > 0 {
		s.emit(s.tail, emit)
		s.terminate('\r')
	}
}

// stripEscapes removes terminal escape sequences. The result is raw itself (or a
// part of it) where there is nothing to remove from its middle, else it lies in
// scratch, which is returned for reuse. reset is where the first "\x1b[0m" stood.
func stripEscapes(raw, scratch []byte) (text []byte, reset int, _ []byte) {
	reset = -1
	if len(raw) >= 3 && raw[0] == 0x1b && raw[1] == '[' && raw[2] == 'K' {
		raw = raw[3:] // how each frame of the newer Ultralytics bar begins
	}
	i := bytes.IndexByte(raw, 0x1b)
	if i < 0 {
		return raw, reset, scratch
	}
	out := append(scratch[:0], raw[:i]...)
	unended := false // one string has no end, so no later one has
	for i < len(raw) {
		if raw[i] != 0x1b {
			j := bytes.IndexByte(raw[i:], 0x1b)
			if j < 0 {
				j = len(raw) - i
			}
			out = append(out, raw[i:i+j]...)
			i += j
			continue
		}
		n, isReset, opens := 2, false, opensString(raw[i:])
		if !opens || !unended {
			n, isReset = escapeLen(raw[i:])
			unended = unended || opens && n == 2
		}
		if isReset && reset < 0 {
			reset = len(out)
		}
		i += n
	}
	return out, reset, out
}

// opensString reports whether b begins a sequence that holds text up to BEL or
// ESC \: a title, a link, a device control string.
func opensString(b []byte) bool {
	return len(b) > 1 && (b[1] == ']' || b[1] == 'P' || b[1] == 'X' || b[1] == '^' || b[1] == '_')
}

// escapeLen is the length of the escape sequence at the start of b, and whether
// it resets the colours. Sequences: ECMA-48, section 5.
func escapeLen(b []byte) (n int, isReset bool) {
	if len(b) < 2 {
		return len(b), false
	}
	switch {
	case b[1] == '[': // CSI: parameters, intermediates, a final byte
		i := 2
		for i < len(b) && b[i] >= 0x30 && b[i] <= 0x3f {
			i++
		}
		for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f {
			i++
		}
		if i == len(b) {
			return i, false
		}
		if b[i] < 0x40 || b[i] > 0x7e {
			return i, false // malformed: leave the odd byte as text
		}
		return i + 1, b[i] == 'm' && (i == 2 || i == 3 && b[2] == '0')
	case opensString(b):
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1, false
			}
			if b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2, false
			}
		}
		return 2, false // never ended: keep what follows as text
	}
	i := 1
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f {
		i++
	}
	if i < len(b) && b[i] >= 0x30 && b[i] <= 0x7e {
		i++
	}
	return i, false
}

// byteOrder is the encoding of the stream, by its byte order mark.
type byteOrder uint8

const (
	narrow byteOrder = iota // UTF-8 or anything else with one-byte terminators
	little                  // UTF-16LE, as PowerShell's > writes it
	big                     // UTF-16BE
)

// wideDecoder turns UTF-16 into UTF-8, two bytes at a time.
type wideDecoder struct {
	order   byteOrder
	half    byte
	hasHalf bool
	high    rune // a surrogate that waits for its other half, or 0
}

// unit adds a byte; ok is true when it completes a code unit.
func (w *wideDecoder) unit(c byte) (u rune, ok bool) {
	if !w.hasHalf {
		w.half, w.hasHalf = c, true
		return 0, false
	}
	w.hasHalf = false
	if w.order == little {
		return rune(w.half) | rune(c)<<8, true
	}
	return rune(w.half)<<8 | rune(c), true
}

func (s *splitter) writeWide(b []byte, emit func(*segment)) {
	var buf [2 * utf8.UTFMax]byte
	for _, c := range b {
		u, ok := s.wide.unit(c)
		if !ok {
			s.pos++
			continue
		}
		out := buf[:0]
		if s.wide.high != 0 {
			r := utf16.DecodeRune(s.wide.high, u)
			s.wide.high = 0
			out = utf8.AppendRune(out, r) // U+FFFD for a lone surrogate
			if r != utf8.RuneError {
				u = -1
			}
		}
		switch {
		case u < 0:
		case u >= 0xd800 && u < 0xdc00:
			s.wide.high = u
		case u == '\r' || u == '\n':
			s.extend(out, emit)
			s.emit(s.tail, emit)
			s.terminate(byte(u))
			out = out[:0]
		default:
			out = utf8.AppendRune(out, u)
		}
		if len(s.tail) == 0 && len(out) > 0 {
			s.pos-- // the segment begins at the unit's first byte
			s.extend(out, emit)
			s.pos++
		} else {
			s.extend(out, emit)
		}
		s.pos++
	}
}

// cleanText makes a string of b that is safe to print: valid UTF-8, tabs as
// blanks, no control characters.
func cleanText(b []byte) string {
	plain := true
	for _, c := range b {
		if c < 0x20 || c >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return string(b)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1 // C0, C1 and the controls that turn the direction of text
		}
		return r
	}, strings.ToValidUTF8(string(b), "\ufffd"))
}
