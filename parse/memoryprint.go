package parse

import (
	"math"
	"slices"
	"strings"
)

// words that name memory of the device in people's prints, in English and Chinese.
var (
	allocatedWords = []string{"allocated", "mem_alloc", "alloc_mem", "memory_alloc", "分配"}
	reservedWords  = []string{"reserv", "保留", "预留"}
	cachedWords    = []string{"cached", "缓存"} // which images are as well
	greatestWords  = []string{"peak", "max", "峰值", "最大", "最高"}
	totalWords     = []string{"total", "capacity", "共", "总"}
	freeWords      = []string{"free", "avail", "left", "剩余", "可用", "空闲"}
	deviceWords    = []string{"gpu", "cuda", "vram", "显存", "torch"}
	usedWords      = []string{"mem", "used", "usage", "占用", "已用", "使用"}
	hostWords      = []string{"cpu", "ram", "host", "rss", "swap", "disk", "内存"}
)

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// memoryWord reports whether a word in lower case names memory.
func memoryWord(w string) bool {
	return containsAny(w, allocatedWords) || containsAny(w, reservedWords) || containsAny(w, cachedWords) || containsAny(w, deviceWords) || containsAny(w, usedWords) ||
		w == "peak" || w == "total" || w == "共" || w == "总"
}

// sizeUnit is what a number is multiplied with; decimal is that programs use the unit for
// powers of 1000 as well. ok is false if it is no unit of memory.
func sizeUnit(unit string) (scale Bytes, decimal, ok bool) {
	switch strings.ToLower(unit) {
	case "b", "bytes":
		return 1, false, true
	case "k", "kb":
		return KiB, true, true
	case "kib":
		return KiB, false, true
	case "m", "mb":
		return MiB, true, true
	case "mib":
		return MiB, false, true
	case "g", "gb":
		return GiB, true, true
	case "gib":
		return GiB, false, true
	case "tb":
		return GiB * 1024, true, true
	case "tib":
		return GiB * 1024, false, true
	}
	return 0, false, false
}

// amountOf is a number of bytes; ok is false where that makes no sense.
func amountOf(value float64, unit string) (b Bytes, decimal, ok bool) {
	scale, decimal, ok := sizeUnit(unit)
	if v := value * float64(scale); ok && v >= 0 && v <= 1<<50 {
		return Bytes(v + 0.5), decimal, true
	}
	return 0, false, false
}

// memoryOf collects what the pairs of a line say of the device's memory; nil if nothing is.
// plain is that the line belongs to a loop whose rows are known, where "Memory: 1234 MB" and
// the like count too.
func memoryOf(pairs []pair, plain bool) *Memory {
	m := &Memory{Device: -1, Retries: -1, OOMs: -1}
	allocated := slices.ContainsFunc(pairs, func(p pair) bool { return containsAny(strings.ToLower(p.name), allocatedWords) })
	for _, p := range pairs {
		name := strings.ToLower(p.name)
		if n, ok := p.count(); ok && p.unit == "" && (name == "gpu" || name == "rank" || name == "cuda") {
			m.Device = n
			continue
		}
		b, decimal, ok := amountOf(p.value, p.unit)
		if !ok || containsAny(name, hostWords) && !containsAny(name, deviceWords) || containsAny(name, freeWords) {
			continue
		}
		scale, _, _ := sizeUnit(p.unit)
		r := MemoryReading{Bytes: b, Step: max(1, Bytes(float64(scale)*math.Pow10(-p.decimals))), Decimal: decimal}
		greatest := containsAny(name, greatestWords)
		reserved := containsAny(name, reservedWords) || allocated && containsAny(name, cachedWords)
		switch {
		case reserved && greatest:
			r.Measure = ReservedMax
		case reserved:
			r.Measure = Reserved
		case containsAny(name, allocatedWords) && greatest:
			r.Measure = AllocatedMax
		case containsAny(name, allocatedWords):
			r.Measure = Allocated
		case containsAny(name, totalWords):
			if len(m.Readings) > 0 {
				m.Total = b
			}
			continue
		case plain && !greatest && (containsAny(name, deviceWords) || strings.Contains(name, "mem")) && !strings.Contains(name, "bandwidth"):
			r.Measure = Unspecified
			if p.of > 0 {
				m.Total, _, _ = amountOf(p.of, p.unit)
			}
		default:
			continue
		}
		if r.Bytes > 0 && len(m.Readings) < 8 {
			m.Readings = append(m.Readings, r)
		}
	}
	if len(m.Readings) == 0 {
		return nil
	}
	return m
}

// measureRank orders measures by how well they tell what the card has to hold: what the
// allocator has taken from it, then what tensors needed at most, then what they need now.
var measureRank = map[Measure]int{Reserved: 5, ReservedMax: 4, AllocatedMax: 3, Allocated: 2, Unspecified: 1}

// Better reports whether m tells more of what the card has to hold than o.
func (m Measure) Better(o Measure) bool { return measureRank[m] > measureRank[o] }

// best is the reading that tells most.
func (m *Memory) best() MemoryReading {
	var best MemoryReading
	for _, r := range m.Readings {
		if r.Measure.Better(best.Measure) {
			best = r
		}
	}
	return best
}

// mostLoose is how many words that say nothing a line of numbers may hold.
const mostLoose = 3

// memoryPrint reads a line of memory counters that belongs to no row, in whatever program:
// "allocated: 1.23 GB, reserved: 1.80 GB". It must name the device or torch, or both of what
// torch counts. nil if it is none.
func memoryPrint(line string) *Memory {
	if len(line) > maxSentence {
		return nil
	}
	low := strings.ToLower(line)
	allocated, reserved := containsAny(low, allocatedWords), containsAny(low, reservedWords) || containsAny(low, cachedWords)
	if !allocated && !reserved || !containsAny(low, deviceWords) && (!allocated || !reserved) {
		return nil
	}
	s := sentenceOf(line)
	if len(s.pairs) == 0 || s.loose > 0 {
		return nil
	}
	return memoryOf(s.pairs, false)
}
