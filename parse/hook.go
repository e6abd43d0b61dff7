package parse

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

// Hook is a line of yolotop's own hook in a training: what torch counts in one process, and how
// long it waited for data.
type Hook struct {
	Memory           // of the process; without readings on a CPU
	Rank       int   // of the process, from 0
	Step       int   // optimizer steps so far
	Steps      int   // of them since the line before
	Split      Bytes // held in pieces that are not in use and cannot be given back; -1 if not known
	Free       Bytes // of the device, by the driver; -1 if not known
	Took, Wait time.Duration
}

func (*Hook) record() {}

// hookWord begins a line of the hook, hookVersion is the version that is read.
const (
	hookWord    = "yolotop-hook "
	hookVersion = "1"
)

// hookLongest is the longest time that is believed, memoryLimit the most bytes (or steps).
const (
	hookLongest = 1000 * time.Hour
	memoryLimit = 1 << 50
)

// readHook reads a line of the hook; nil if it is none, or is cut.
func readHook(text []byte) *Hook {
	if !bytes.HasPrefix(text, []byte(hookWord)) {
		return nil
	}
	h := &Hook{Memory: Memory{Device: -1, Retries: -1, OOMs: -1}, Split: -1, Free: -1, Rank: -1, Step: -1, Steps: -1}
	version := ""
	for field := range strings.FieldsSeq(string(bound(text))[len(hookWord):]) {
		key, value, ok := strings.Cut(field, "=")
		if !ok {
			continue
		}
		if key == "v" {
			version = value
			continue
		}
		if key == "time" || key == "wait" {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil || !(seconds >= 0) || seconds > hookLongest.Seconds() {
				return nil
			}
			d := time.Duration(seconds * float64(time.Second))
			if key == "time" {
				h.Took = d
			} else {
				h.Wait = d
			}
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 || n > memoryLimit {
			return nil
		}
		h.count(key, n)
	}
	if version != hookVersion || h.Rank < 0 || h.Step < 0 || h.Steps < 0 {
		return nil
	}
	h.Wait = min(h.Wait, h.Took)
	return h
}

// count takes a number of the line.
func (h *Hook) count(key string, n int64) {
	small := int(min(n, math.MaxInt32))
	switch key {
	case "rank":
		h.Rank = small
	case "step":
		h.Step = small
	case "steps":
		h.Steps = small
	case "dev":
		h.Device = small
	case "retries":
		h.Retries = small
	case "ooms":
		h.OOMs = small
	case "split":
		h.Split = Bytes(n)
	case "free":
		h.Free = Bytes(n)
	case "total":
		h.Total = Bytes(n)
	case "alloc":
		h.read(Allocated, n)
	case "alloc_max":
		h.read(AllocatedMax, n)
	case "held":
		h.read(Reserved, n)
	}
}

// read takes a reading of memory: the first of each measure, and none that is 0.
func (h *Hook) read(of Measure, n int64) {
	if _, ok := h.Reading(of); !ok && n > 0 {
		h.Readings = append(h.Readings, MemoryReading{Bytes: Bytes(n), Measure: of, Step: 1})
	}
}

// Reading is the number of a measure; ok is false where it was not printed.
func (m *Memory) Reading(of Measure) (b Bytes, ok bool) {
	for _, r := range m.Readings {
		if r.Measure == of {
			return r.Bytes, true
		}
	}
	return 0, false
}
