package parse

import "strings"

// memorySummary reads the table of torch.cuda.memory_summary, in whatever program:
//
//	|                  PyTorch CUDA memory summary, device ID 0                 |
//	|            CUDA OOMs: 0            |        cudaMalloc retries: 0         |
//	|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
//	| Allocated memory      |    5200 MB |    6100 MB |    1574 GB |    1569 GB |
//	| GPU reserved memory   |    6527 MB |    6527 MB |    7930 MB |    1403 MB |
//
// Until torch 1.13 units are written KB and MB, later KiB and MiB; they are binary in both.
type memorySummary struct{ open *Memory }

// read takes a line; it returns what the table says with its row of reserved memory. ok is
// that the line belongs to a table.
func (t *memorySummary) read(line string) (m *Memory, ok bool) {
	if !strings.HasPrefix(line, "|") {
		return nil, false
	}
	if _, id, ok := strings.Cut(line, "CUDA memory summary, device ID "); ok {
		device, n := scanInt([]byte(id))
		if n == 0 {
			device = -1
		}
		t.open = &Memory{Device: device, Retries: -1, OOMs: -1}
		return nil, true
	}
	if t.open == nil {
		return nil, false
	}
	cells := strings.Split(strings.Trim(line, "| "), "|")
	name := strings.TrimSpace(cells[0])
	switch {
	case strings.HasPrefix(name, "CUDA OOMs:") && len(cells) > 1:
		t.open.OOMs = countBehind(cells[0])
		t.open.Retries = countBehind(cells[1])
	case name == "Allocated memory" && len(cells) > 2:
		t.open.add(cells[1], Allocated)
		t.open.add(cells[2], AllocatedMax)
	case name == "GPU reserved memory" && len(cells) > 2:
		t.open.add(cells[1], Reserved)
		t.open.add(cells[2], ReservedMax)
		m, t.open = t.open, nil
		if len(m.Readings) == 0 {
			return nil, true
		}
		return m, true
	}
	return nil, true
}

// add takes the number of a cell.
func (m *Memory) add(cell string, measure Measure) {
	number, unit, _ := strings.Cut(strings.TrimSpace(cell), " ")
	v, ok := parseFloat(number)
	if !ok {
		return
	}
	if b, _, ok := amountOf(v, unit); ok && b > 0 {
		scale, _, _ := sizeUnit(unit)
		m.Readings = append(m.Readings, MemoryReading{Bytes: b, Measure: measure, Step: scale})
	}
}

// countBehind is the number behind the colon of a cell; -1 if there is none.
func countBehind(cell string) int {
	_, s, _ := strings.Cut(cell, ":")
	if n, digits := scanInt([]byte(strings.TrimSpace(s))); digits > 0 {
		return n
	}
	return -1
}
