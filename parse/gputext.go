package parse

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// gpuText reads what nvidia-smi, gpustat, nvitop and people's own scripts print
// about devices, in a file of its own or between the lines of a trainer. It is
// asked after the trainer's dialect and never replaces it.
type gpuText struct {
	csv   gpuCSV
	table gpuTable
	mon   gpuMon
	stat  gpustat
	holds bool // there are samples that have to be sent before anything else is
}

// read takes a line if it is one of a device's.
func (g *gpuText) read(s *Stream, text []byte) bool {
	if len(text) > 4<<10 {
		return false
	}
	line := strings.TrimSpace(cleanText(text))
	if line == "" {
		return false
	}
	return g.csv.read(s, line) || g.mon.read(s, line) || g.stat.read(s, line) || g.table.read(s, line)
}

// release sends the samples that wait for more of their kind, since something else
// comes.
func (g *gpuText) release(s *Stream) {
	g.holds = false
	g.csv.flush(s)
	g.table.flush(s)
}

// flush sends the samples that only what follows would have ended.
func (g *gpuText) flush(s *Stream) {
	g.release(s)
	g.csv.apps.flush(s)
	g.mon.sum.flush(s)
}

// emitGPU sends a sample. Its printed time tells the time of the stream where there
// is no trainer that does.
func (s *Stream) emitGPU(g *GPU) {
	if s.reader == nil {
		stamp := g.Stamp
		if seconds, ok := g.Elapsed.Get(); ok && stamp.IsZero() && seconds < 1e9 {
			stamp = time.Unix(0, 0).Add(time.Duration(seconds * float64(time.Second)))
		}
		if !stamp.IsZero() {
			s.clock.sampled(stamp)
		}
	}
	s.emit(g)
}

// metric is readMetric for text that is known to hold a value.
func metric(cell, unit string) Number {
	n, _ := readMetric(cell, unit)
	return n
}

// readMetric reads "97 %", "6100 MiB", "28.00 W", "97" or one of the words for a
// missing value, and scales it by its unit or, if it has none, by the given one. ok
// is false if the cell holds something else.
func readMetric(cell, unit string) (n Number, ok bool) {
	cell = strings.Trim(cell, " \"[]")
	switch strings.ToLower(cell) {
	case "", "-", "n/a", "not supported", "not available", "??", "err!":
		return Number{State: NotSupported}, true
	case "insufficient permissions":
		return Number{State: NoPermission}, true
	case "unknown error", "unknown", "gpu requires reset", "gpu is lost", "nan":
		return Number{State: Unavailable}, true
	}
	v, length := scanFloat([]byte(cell))
	if length == 0 {
		return Number{State: Unavailable}, false
	}
	if rest := strings.TrimSpace(cell[length:]); rest != "" {
		unit = rest
	}
	switch strings.ToLower(unit) {
	case "", "w", "c", "mhz", "b", "bytes":
	case "%", "pct":
		v /= 100
	case "kib", "kb", "k":
		v *= float64(KiB)
	case "mib", "mb", "m":
		v *= float64(MiB)
	case "gib", "gb", "g":
		v *= float64(GiB)
	default:
		return Number{State: Unavailable}, false
	}
	if !(v >= 0 && v <= 1<<60) {
		return Number{State: Unavailable}, false
	}
	return Have(v), true
}

// share is a metric in percent that may lack its sign.
func share(cell string) Number {
	n, _ := readShare(cell)
	return n
}

func readShare(cell string) (n Number, ok bool) {
	n, ok = readMetric(cell, "%")
	if n.State == Present && n.Value > 1 {
		return Number{State: Unavailable}, false
	}
	return n, ok
}

// smiStamp reads nvidia-smi's "2026/03/14 09:12:05.113", zero if s is none.
func smiStamp(s string) time.Time {
	for _, layout := range []string{"2006/01/02 15:04:05.999", "2006-01-02 15:04:05.999", "2006-01-02T15:04:05.999", time.RFC3339Nano} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// clockStamp reads the date line before a table, "Sat Mar 14 09:12:05 2026", zero if
// s is none.
func clockStamp(s string) time.Time {
	fields := strings.Fields(s)
	if len(fields) < 5 {
		return time.Time{}
	}
	t, err := time.Parse("Mon Jan 2 15:04:05 2006", strings.Join(fields[:5], " "))
	if err != nil {
		return time.Time{}
	}
	return t
}

// smallInt reads an index or a pid, -1 if s is none.
func smallInt(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 || n > maxCount {
		return -1
	}
	return n
}

// hasDigit reports whether b holds a digit: lines without one are no samples.
func hasDigit(b string) bool { return bytes.ContainsAny([]byte(b), "0123456789") }
