package parse

import (
	"slices"
	"strings"
)

// gpuCSV reads the output of "nvidia-smi --query-gpu=... --format=csv" with and
// without header and units, and tables that people write with scripts of their own,
// which may hold main memory and the epoch too. Names bind the columns, never their
// position; without a header the shape of the first rows does.
type gpuCSV struct {
	columns []gpuColumn
	held    [][]string // rows without a header, until their shape is known
	origins []Origin
}

// gpuColumn is what a column holds.
type gpuColumn struct {
	field gpuField
	unit  string
}

type gpuField uint8

const (
	fieldOther gpuField = iota
	fieldStamp
	fieldElapsed
	fieldEpoch
	fieldIndex
	fieldName
	fieldUUID
	fieldUsed
	fieldFree
	fieldReserved
	fieldTotal
	fieldBusy
	fieldMemoryBusy
	fieldTemperature
	fieldPower
	fieldPowerLimit
	fieldClock
	fieldMaxClock
	fieldFan
	fieldRAMUsed
	fieldRAMTotal
	fieldSwapUsed
	fieldSwapTotal
	fieldCPU
)

// gpuFields maps normalized names: nvidia-smi's own, and those that scripts use.
var gpuFields = map[string]gpuField{
	"timestamp": fieldStamp, "time": fieldStamp, "datetime": fieldStamp,
	"elapsed": fieldElapsed, "elapsed_s": fieldElapsed, "t_seconds": fieldElapsed, "seconds": fieldElapsed,
	"epoch": fieldEpoch,
	"index": fieldIndex, "gpu": fieldIndex, "gpu_index": fieldIndex, "gpu_id": fieldIndex,
	"name": fieldName, "gpu_name": fieldName, "uuid": fieldUUID, "gpu_uuid": fieldUUID,
	"memory.used": fieldUsed, "gpu_mem": fieldUsed, "gpu_memory": fieldUsed, "gpu_mem_used": fieldUsed, "memory_used": fieldUsed,
	"memory.free": fieldFree, "memory.reserved": fieldReserved,
	"memory.total": fieldTotal, "gpu_total": fieldTotal, "gpu_mem_total": fieldTotal, "memory_total": fieldTotal,
	"utilization.gpu": fieldBusy, "gpu_util": fieldBusy, "gpu_utilization": fieldBusy, "util": fieldBusy,
	"utilization.memory": fieldMemoryBusy,
	"temperature.gpu":    fieldTemperature, "temperature": fieldTemperature,
	"power.draw": fieldPower, "power.draw.average": fieldPower, "power.draw.instant": fieldPower, "power": fieldPower,
	"power.limit": fieldPowerLimit, "enforced.power.limit": fieldPowerLimit,
	"clocks.sm": fieldClock, "clocks.current.sm": fieldClock, "clocks.max.sm": fieldMaxClock, "fan.speed": fieldFan,
	"ram_used": fieldRAMUsed, "ram_total": fieldRAMTotal, "swap_used": fieldSwapUsed, "swap_total": fieldSwapTotal,
	"cpu": fieldCPU, "cpu_util": fieldCPU, "cpu_percent": fieldCPU,
}

// shapeRows is how many rows without a header are looked at before their columns
// are guessed.
const shapeRows = 8

func (c *gpuCSV) read(s *Stream, line string) bool {
	if !strings.Contains(line, ",") {
		return false
	}
	if columns := gpuHeader(line); columns != nil {
		c.columns, c.held, c.origins = columns, nil, nil
		s.known = true
		return true
	}
	cells := strings.Split(line, ",")
	if c.columns != nil {
		if len(cells) != len(c.columns) || !hasDigit(cells[0]) {
			return false
		}
		return c.row(s, cells)
	}
	if len(cells) < 3 || smiStamp(strings.TrimSpace(cells[0])).IsZero() || !strings.Contains(cells[0], "/") {
		return false
	}
	if len(c.held) > 0 && len(c.held[0]) != len(cells) {
		c.held, c.origins = nil, nil
	}
	c.held, c.origins = append(c.held, cells), append(c.origins, s.origin)
	s.known = true
	if len(c.held) == shapeRows {
		c.flush(s)
	}
	return true
}

// flush guesses the columns of the rows that were held back and sends them.
func (c *gpuCSV) flush(s *Stream) {
	held, origins := c.held, c.origins
	c.held, c.origins = nil, nil
	if len(held) == 0 {
		return
	}
	if c.columns = guessColumns(held); c.columns == nil {
		return
	}
	now := s.origin
	for i, cells := range held {
		s.origin = origins[i]
		c.row(s, cells)
	}
	s.origin = now
}

// gpuHeader reads a header, nil if line is none: at least two names that are known,
// one of which is a number of a device.
func gpuHeader(line string) []gpuColumn {
	cells := strings.Split(line, ",")
	if len(cells) < 2 || len(cells) > 64 || splitHeader([]byte(line)) != nil {
		return nil // results.csv with columns of somebody's own is no table of devices
	}
	columns := make([]gpuColumn, len(cells))
	known, device := 0, false
	for i, cell := range cells {
		name, unit := splitUnit(cell)
		f := gpuFields[name]
		columns[i] = gpuColumn{f, unit}
		if f != fieldOther {
			known++
		}
		device = device || f == fieldUsed || f == fieldBusy
	}
	if known < 2 || !device {
		return nil
	}
	return columns
}

// splitUnit splits "memory.used [MiB]" and "gpu_mem_mib".
func splitUnit(cell string) (name, unit string) {
	name = strings.ToLower(strings.Trim(cell, " \""))
	if open := strings.IndexByte(name, '['); open >= 0 {
		return strings.TrimSpace(name[:open]), strings.Trim(name[open:], "[] ")
	}
	for _, suffix := range []string{"_mib", "_gib", "_mb", "_gb", "_pct", "_percent", "_bytes", "_w", "_c", "_mhz"} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			unit = suffix[1:]
			if unit == "percent" {
				unit = "pct"
			}
			return base, unit
		}
	}
	return strings.ReplaceAll(name, " ", "_"), ""
}

// row sends what a row holds.
func (c *gpuCSV) row(s *Stream, cells []string) bool {
	g := &GPU{Index: -1}
	h := &Host{Workers: -1}
	device, host := false, false
	free := Number{}
	for i, cell := range cells {
		col := c.columns[i]
		cell = strings.TrimSpace(cell)
		switch col.field {
		case fieldStamp:
			g.Stamp = smiStamp(cell)
		case fieldElapsed:
			g.Elapsed = metric(cell, "")
		case fieldEpoch:
			g.Epoch = max(smallInt(cell), 0)
		case fieldIndex:
			g.Index = smallInt(cell)
		case fieldName:
			g.Name = cell
		case fieldUUID:
			g.UUID = cell
		case fieldUsed:
			g.Used, device = metric(cell, orMiB(col.unit)), true
		case fieldFree:
			free = metric(cell, orMiB(col.unit))
		case fieldReserved:
			g.Reserved = metric(cell, orMiB(col.unit))
		case fieldTotal:
			g.Total = metric(cell, orMiB(col.unit))
		case fieldBusy:
			g.Busy, device = share(cell), true
		case fieldMemoryBusy:
			g.MemoryBusy = share(cell)
		case fieldTemperature:
			g.Temperature = metric(cell, "")
		case fieldPower:
			g.Power = metric(cell, "")
		case fieldPowerLimit:
			g.PowerLimit = metric(cell, "")
		case fieldClock:
			g.Clock = metric(cell, "")
		case fieldMaxClock:
			g.MaxClock = metric(cell, "")
		case fieldFan:
			g.Fan = share(cell)
		case fieldRAMUsed:
			h.RAMUsed, host = metric(cell, orMiB(col.unit)), true
		case fieldRAMTotal:
			h.RAMTotal = metric(cell, orMiB(col.unit))
		case fieldSwapUsed:
			h.SwapUsed = metric(cell, orMiB(col.unit))
		case fieldSwapTotal:
			h.SwapTotal = metric(cell, orMiB(col.unit))
		case fieldCPU:
			h.CPU = share(cell)
		}
	}
	if !device || g.Used.State != Present && g.Busy.State != Present && g.Stamp.IsZero() {
		return false
	}
	if g.Used.State != Present && free.State == Present && g.Total.State == Present {
		g.Used = Have(max(0, g.Total.Value-free.Value))
	}
	if g.Index < 0 && g.UUID == "" {
		g.Index = 0
	}
	s.emitGPU(g)
	if host {
		h.Stamp, h.Elapsed = g.Stamp, g.Elapsed
		s.emit(h)
	}
	return true
}

// orMiB is the unit of a column, or the one that nvidia-smi means where it names none.
func orMiB(unit string) string {
	if unit == "" {
		return "mib"
	}
	return unit
}

// guessColumns finds out what rows without a header hold, nil if that is not plain:
// the total is the greatest column and constant, the used memory the next one that
// is never above it, utilization lies within 0 and 100, an index counts up.
func guessColumns(rows [][]string) []gpuColumn {
	width := len(rows[0])
	columns := make([]gpuColumn, width)
	columns[0].field = fieldStamp
	values := make([][]float64, width)
	for j := 1; j < width; j++ {
		for _, row := range rows {
			if n := metric(row[j], "none"); n.State == Present {
				values[j] = append(values[j], n.Value)
			} else if !hasDigit(row[j]) && n.State == Unavailable {
				columns[j].field = fieldName
			}
		}
	}
	total, used := -1, -1
	for j := 1; j < width; j++ {
		if len(values[j]) > 0 && slices.Max(values[j]) > 1000 && slices.Min(values[j]) == slices.Max(values[j]) && (total < 0 || values[j][0] > values[total][0]) {
			total = j
		}
	}
	for j := 1; j < width; j++ {
		if j == total || len(values[j]) == 0 || slices.Max(values[j]) <= 100 {
			continue
		}
		if (total < 0 || slices.Max(values[j]) <= values[total][0]) && (used < 0 || slices.Max(values[j]) > slices.Max(values[used])) {
			used = j
		}
	}
	if used < 0 {
		return nil
	}
	columns[used] = gpuColumn{fieldUsed, "mib"}
	if total >= 0 {
		columns[total] = gpuColumn{fieldTotal, "mib"}
	}
	index, busy := -1, -1
	for j := 1; j < width; j++ {
		if columns[j].field != fieldOther || len(values[j]) == 0 {
			continue
		}
		switch {
		case index < 0 && j < used && isIndex(values[j]):
			index = j
			columns[j].field = fieldIndex
		case busy < 0 && slices.Max(values[j]) <= 100:
			busy = j
			columns[j] = gpuColumn{fieldBusy, "%"}
		}
	}
	return columns
}

// isIndex reports whether values count devices, again and again: 0, 1, 0, 1, ...
func isIndex(values []float64) bool {
	top := slices.Max(values)
	if top > 15 {
		return false
	}
	for i, v := range values {
		if v != float64(i%(int(top)+1)) {
			return false
		}
	}
	return true
}
