package parse

import (
	"bytes"
	"slices"
	"time"
)

// reader reads the segments of one stream in one dialect.
type reader interface {
	// read turns a segment into records; false if it can make nothing of it.
	read(s *Stream, text []byte, reset int) bool
}

// barReader is a reader of rows that are drawn over each other.
type barReader interface {
	// frame reads the newest state of a row, which may be cut anywhere, and changes nothing;
	// nil if it is none.
	frame(text []byte, reset int) *Progress
}

// dialect is the grammar of a trainer family.
type dialect struct {
	name string
	// claims reports whether a line can only come from this trainer.
	claims func(line []byte) bool
	// weak is that others may print such lines as well: it claims none that another one
	// does, takes over from none, and lets the others look at each line first.
	weak bool
	own  bool // a user has written it down
	// start makes a reader for a stream in this dialect.
	start func() reader
}

// dialects is the table of all trainers: a new one is a file and a line here.
func dialects() []dialect {
	return []dialect{
		ultralytics(), yolov5(), yolov6(), yolov7(), yolov9(), resultsCSV(), yolov7Results(), yoloNAS(),
		yolox(), damoYOLO(), mmdet(), mmengine(), metricLogger(), paddle(), detectron2(), jsonLines(),
		darknet(), lightning(), huggingFace(), plainLoop(),
	}
}

// A Stream turns the bytes of one input into events. It finds out by itself which
// trainer wrote them. What comes out does not depend on how the bytes were cut.
type Stream struct {
	split    splitter
	dialects []dialect
	current  int // index of the dialect that reads, -1 if none does yet
	reader   reader
	readers  []reader // of each dialect, once it was tried: a stream may come back to it
	torch    torchReader
	summary  memorySummary
	gpu      gpuText
	clock    clock

	input   int
	arrival time.Time
	out     func(Event)
	origin  Origin
	depth   int
	known   bool
	rows    int  // of training so far
	unended bool // no terminator ended the current segment, the input did
	times   func(offset int64) (time.Time, bool)
}

// SetTimes tells the stream when its bytes arrived, by their offsets, where something has kept that
// apart: such times count as if each line carried its own, without a zone. ok is false where it is
// not known.
func (s *Stream) SetTimes(times func(offset int64) (at time.Time, ok bool)) { s.times = times }

func newStream(input int, d []dialect) *Stream {
	return &Stream{input: input, dialects: d, current: -1, readers: make([]reader, len(d)), torch: torchReader{rank: -1}}
}

// Write takes the next bytes and calls emit for every event in them, in order.
// arrival is when they came; zero if that means nothing, as in a finished file.
func (s *Stream) Write(b []byte, arrival time.Time, emit func(Event)) {
	s.arrival, s.out = arrival, emit
	s.split.write(b, s.segment)
}

// Close reads what the last terminator left over, at the end of the input.
func (s *Stream) Close(arrival time.Time, emit func(Event)) {
	s.arrival, s.out, s.unended = arrival, emit, true
	s.split.close(s.segment)
	s.gpu.flush(s)
	s.unended = false
}

// Dialect is the name of the trainer family that was recognized, empty if none.
func (s *Stream) Dialect() string {
	if s.current < 0 {
		return ""
	}
	return s.dialects[s.current].name
}

// Recognized reports whether anything but plain text came out so far.
func (s *Stream) Recognized() bool { return s.known }

// Pending is the newest frame of a training bar, which nothing has terminated
// yet, as a provisional event; ok is false if there is none.
func (s *Stream) Pending(arrival time.Time) (e Event, ok bool) {
	r, hasBars := s.reader.(barReader)
	if !hasBars {
		return Event{}, false
	}
	seg := s.split.pending()
	if seg == nil {
		return Event{}, false
	}
	p := r.frame(peel(seg).text, seg.reset)
	if p == nil {
		return Event{}, false
	}
	e = Event{Origin: Origin{Input: s.input, Line: seg.line, Offset: seg.offset, Arrival: arrival, Provisional: true}, Record: p}
	e.Run, e.HasRun = s.clock.peek(p)
	return e, true
}

// segment takes one segment from the splitter.
func (s *Stream) segment(seg *segment) {
	s.origin = Origin{Input: s.input, Line: seg.line, Offset: seg.offset, Arrival: s.arrival}
	text, reset := seg.text, seg.reset
	if s.times != nil {
		if at, ok := s.times(seg.offset); ok {
			s.stamped(at, false)
		}
	}
	if seg.first && !s.owns(text) {
		p := peel(seg)
		if !p.stamp.IsZero() && s.times == nil {
			s.stamped(p.stamp, p.zoned)
		}
		s.torch.rank = p.rank
		reset -= len(text) - len(p.text)
		text = p.text
	}
	s.depth = 0
	if seg.continued {
		s.line(text)
		return
	}
	s.take(text, reset)
}

// stamped takes the time of a line.
func (s *Stream) stamped(at time.Time, zoned bool) {
	began := s.clock.stamps && !s.clock.samples
	if !began && s.gpu.holds { // what was held back came before
		s.gpu.release(s)
	}
	s.clock.stamped(at)
	if !began {
		e := Event{Origin: s.origin, Record: &Dated{Start: s.clock.first, Zoned: zoned}}
		e.Run, e.HasRun = s.clock.now, true
		s.out(e)
	}
}

// take offers text to the dialect, to the readers of devices, to the other dialects,
// and to torch, in this order.
func (s *Stream) take(text []byte, reset int) {
	if h := readHook(text); h != nil {
		s.emit(h)
		return
	}
	weak := s.current >= 0 && s.dialects[s.current].weak
	if s.reader != nil && !weak && s.reader.read(s, text, reset) {
		return
	}
	if s.reader == nil && !s.owns(text) {
		if p, _ := (&table{base: 1}).row(text, reset); p != nil {
			s.adopt(s.indexOf("ultralytics")) // rows without a header, as on the error stream alone
			s.reader.read(s, text, reset)
			return
		}
	}
	if s.gpu.read(s, text) {
		return
	}
	for i := range s.dialects {
		if i == s.current || s.dialects[i].weak && s.rows > 0 || !s.dialects[i].claims(bound(text)) {
			continue
		}
		current, reader, rows := s.current, s.reader, s.rows
		s.adopt(i)
		if s.reader.read(s, text, reset) {
			if weak && rows > 0 && s.rows == rows { // it has only been mentioned
				s.current, s.reader = current, reader
			}
			return
		}
		s.current, s.reader = current, reader // it can make nothing of it either
	}
	if weak && s.reader.read(s, text, reset) {
		return
	}
	s.line(text)
}

// indexOf is the index of a dialect that is in every grammar of more than one.
func (s *Stream) indexOf(name string) int {
	return slices.IndexFunc(s.dialects, func(d dialect) bool { return d.name == name })
}

// owns reports whether a line is of a format that a user has written down, which goes before
// all that is known of lines.
func (s *Stream) owns(text []byte) bool {
	for i := range s.dialects {
		if !s.dialects[i].own {
			return false // they come first
		}
		if s.dialects[i].claims(bound(text)) {
			return true
		}
	}
	return false
}

func (s *Stream) adopt(i int) {
	if s.readers[i] == nil {
		s.readers[i] = s.dialects[i].start()
	}
	s.current, s.reader = i, s.readers[i]
}

// lineLimit is how much of a line is matched against patterns. The longest line
// that trainers print, their arguments, has some 2 KB.
const lineLimit = 16 << 10

// bound is the part of a line that is matched against patterns.
func bound[T string | []byte](line T) T { return line[:min(len(line), lineLimit)] }

// line takes text that no dialect knows.
func (s *Stream) line(text []byte) {
	text = bytes.TrimRight(text, " \t")
	if len(bytes.TrimLeft(text, " \t")) == 0 {
		return
	}
	line := cleanText(text)
	if rec := s.torch.read(bound(line)); rec != nil {
		s.emit(rec)
		return
	}
	if m, ok := s.summary.read(bound(line)); ok {
		s.emit(&Text{Text: line})
		if m != nil {
			s.emit(m)
		}
		return
	}
	if !s.torch.quoted(line) {
		if m := memoryPrint(bound(line)); m != nil {
			s.emit(&Text{Text: line})
			s.emit(m)
			return
		}
	}
	if s.reader == nil {
		if rec := announce(bound(line), 1); rec != nil {
			s.emit(rec)
			return
		}
	}
	s.emit(&Text{Text: line})
}

// glued takes what was written behind a row on the same line: a warning, an
// error, the output of an image library.
func (s *Stream) glued(rest []byte) {
	rest = bytes.TrimSpace(rest)
	for bytes.HasPrefix(rest, []byte("^C")) { // the terminal's echo of Ctrl-C
		rest = rest[2:]
	}
	if len(rest) == 0 {
		return
	}
	if m := rankPrefix.FindSubmatch(rest[:min(len(rest), 32)]); m != nil { // another rank's traceback
		s.torch.rank, _ = scanInt(m[1])
		rest = rest[len(m[0]):]
	}
	if s.depth++; s.depth > maxGlued {
		s.line(rest)
		return
	}
	s.take(rest, -1)
}

// maxGlued is how many texts behind one another on one line are told apart.
const maxGlued = 64

// emit sends a record with the origin of the current segment.
func (s *Stream) emit(rec Record) {
	if s.gpu.holds {
		s.gpu.release(s)
	}
	switch rec.(type) {
	case *Text:
	case *Progress:
		s.known = true
		s.rows++
	default:
		s.known = true
	}
	e := Event{Origin: s.origin, Record: rec}
	e.Run, e.HasRun = s.clock.at(rec)
	s.out(e)
}
