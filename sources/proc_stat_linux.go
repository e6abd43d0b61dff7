package sources

import (
	"bytes"
	"errors"
	"strings"
)

var errNoStat = errors.New("its state makes no sense")

// procStat is what is used of /proc/PID/stat. Times are in ticks.
type procStat struct {
	state  byte // 'R', 'S', 'D', ...
	ppid   int
	own    uint64 // processor time of its threads, those that ended too
	reaped uint64 // of its children that ended and were waited for, and of theirs
	start  uint64 // since the system started; with the number it tells processes apart
}

// dead reports whether the process is only waited for: it has no memory any more.
func (s procStat) dead() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// parseStat reads "12 (name) S 1 ...". A program chooses its name, which may hold
// blanks, brackets and newlines.
func parseStat(b []byte) (s procStat, ok bool) {
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return s, false
	}
	line, _, _ := bytes.Cut(b[end+1:], []byte{'\n'})
	for i := 3; i <= 22; i++ { // as the manual numbers the fields
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			return s, false
		}
		if i == 3 {
			s.state = field[0]
			continue
		}
		if i != 4 && (i < 14 || i > 17) && i != 22 {
			continue
		}
		n, ok := count(field)
		if !ok {
			// The kernel prints children's times with a sign.
			if i != 16 && i != 17 || field[0] != '-' {
				return s, false
			}
			n = 0
		}
		switch i {
		case 4:
			s.ppid = int(n)
		case 14, 15:
			s.own += n
		case 16, 17:
			s.reaped += n
		case 22:
			s.start = n
		}
	}
	return s, len(line) > 0 // the last number may be cut off
}

func statName(b []byte) string {
	from, to := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if from < 0 || to <= from {
		return ""
	}
	return strings.ToValidUTF8(string(b[from+1:to]), "\uFFFD")
}

// statusUID reads the user who started the process from "Uid: real effective ...";
// -1 if it is not there.
func statusUID(b []byte) int {
	for line, rest, ok := cutLine(b); ok; line, rest, ok = cutLine(rest) {
		if key, value := cutField(line); string(key) == "Uid:" {
			value, _ = cutField(value)
			if n, ok := count(value); ok && n < 1<<32 {
				return int(n)
			}
			break
		}
	}
	return -1
}
