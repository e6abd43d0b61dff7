package parse

import (
	"strings"
	"time"
)

// gpuCSV reads the output of "nvidia-smi --query-gpu=... --format=csv" with and
// without header and units, and tables that people write with scripts of their own,
// which may hold main memory and the epoch too. Names bind the columns, never their
// position; without a header the shape of the first rows does. The rows of
// "--query-compute-apps" are gathered into samples of their devices.
type gpuCSV struct {
	columns []gpuColumn
	guess   *csvGuess  // how the columns were found, nil if by a header
	held    [][]string // rows without a header, until their shape is known
	origins []Origin
	last    GPU // device of the row before, where only the order tells it
	apps    processSum
}

// gpuColumn is what a column holds.
type gpuColumn struct {
	field gpuField
	unit  string
}

// gpuField is a thing that a column may hold.
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
	fieldPCIeGen
	fieldPCIeWidth
	fieldECC
	fieldEncoder
	fieldDecoder
	fieldRAMUsed
	fieldRAMTotal
	fieldSwapUsed
	fieldSwapTotal
	fieldCPU
	fieldPID
	fieldProcess
	fieldProcessUsed
)

// gpuFields maps normalized names: nvidia-smi's own, and those that scripts use.
var gpuFields = map[string]gpuField{
	"timestamp": fieldStamp, "time": fieldStamp, "datetime": fieldStamp,
	"elapsed": fieldElapsed, "elapsed_s": fieldElapsed, "t_seconds": fieldElapsed, "seconds": fieldElapsed,
	"elapsed_time": fieldElapsed, "elapsed_sec": fieldElapsed, "elapsed_seconds": fieldElapsed, "time_s": fieldElapsed,
	"epoch": fieldEpoch,
	"index": fieldIndex, "gpu": fieldIndex, "gpu_index": fieldIndex, "gpu_id": fieldIndex,
	"name": fieldName, "gpu_name": fieldName, "uuid": fieldUUID, "gpu_uuid": fieldUUID,
	"memory.used": fieldUsed, "gpu_mem": fieldUsed, "gpu_memory": fieldUsed, "gpu_mem_used": fieldUsed, "gpu_memory_used": fieldUsed,
	"memory_used": fieldUsed, "mem_used": fieldUsed, "vram": fieldUsed, "vram_used": fieldUsed,
	"memory.free": fieldFree, "memory_free": fieldFree, "memory.reserved": fieldReserved,
	"memory.total": fieldTotal, "gpu_total": fieldTotal, "gpu_mem_total": fieldTotal, "gpu_memory_total": fieldTotal,
	"memory_total": fieldTotal, "mem_total": fieldTotal, "vram_total": fieldTotal,
	"utilization.gpu": fieldBusy, "gpu_util": fieldBusy, "gpu_utilization": fieldBusy, "util": fieldBusy, "utilization": fieldBusy,
	"utilization.memory": fieldMemoryBusy,
	"temperature.gpu":    fieldTemperature, "temperature": fieldTemperature, "temp": fieldTemperature, "gpu_temp": fieldTemperature,
	"power.draw": fieldPower, "power.draw.average": fieldPower, "power.draw.instant": fieldPower, "power": fieldPower, "gpu_power": fieldPower,
	"power.limit": fieldPowerLimit, "enforced.power.limit": fieldPowerLimit,
	"clocks.sm": fieldClock, "clocks.current.sm": fieldClock, "clocks.max.sm": fieldMaxClock, "fan.speed": fieldFan,
	"pcie.link.gen.current": fieldPCIeGen, "pcie.link.gen.gpucurrent": fieldPCIeGen, "pcie.link.width.current": fieldPCIeWidth,
	"ecc.errors.uncorrected.volatile.total": fieldECC,
	"utilization.encoder":                   fieldEncoder, "utilization.decoder": fieldDecoder,
	"ram_used": fieldRAMUsed, "ram_total": fieldRAMTotal, "swap_used": fieldSwapUsed, "swap_total": fieldSwapTotal,
	"cpu": fieldCPU, "cpu_util": fieldCPU, "cpu_percent": fieldCPU,
	"pid": fieldPID, "process_name": fieldProcess, "used_gpu_memory": fieldProcessUsed, "used_memory": fieldProcessUsed,
}

func (c *gpuCSV) read(s *Stream, line string) bool {
	if !strings.Contains(line, ",") {
		return false
	}
	if columns := gpuHeader(line); columns != nil {
		c.flush(s)
		c.columns, c.guess = columns, nil
		s.known = true
		return true
	}
	cells := strings.Split(line, ",")
	if s.unended { // the last value may be half a one
		if unfinished := &cells[len(cells)-1]; !endsInUnit(*unfinished) {
			*unfinished = ""
		}
	}
	if c.columns != nil {
		if len(cells) == len(c.columns) {
			c.guess.recheck(cells)
			return c.row(s, cells)
		}
		if c.guess == nil {
			return false
		}
	}
	if !rowShape(cells) {
		return false
	}
	c.columns, c.guess = nil, nil
	if len(c.held) > 0 && len(c.held[0]) != len(cells) {
		c.flush(s)
		c.columns, c.guess = nil, nil
	}
	c.held, c.origins = append(c.held, cells), append(c.origins, s.origin)
	s.gpu.holds = true
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
	now := s.origin
	c.guess = guessColumns(held)
	c.columns = c.guess.columns
	for i, cells := range held {
		s.origin = origins[i]
		if !c.row(s, cells) {
			s.emit(&Text{Text: strings.Join(cells, ",")})
		}
	}
	s.origin = now
	if !c.guess.used {
		c.columns, c.guess = nil, nil // try again with the next rows
	}
}

// gpuHeader reads a header, nil if line is none: at least two names that are known,
// one of which is a number of a device.
func gpuHeader(line string) []gpuColumn {
	cells := strings.Split(line, ",")
	if len(cells) < 2 || len(cells) > 128 || splitHeader([]byte(line)) != nil {
		return nil // results.csv with columns of somebody's own is no table of devices
	}
	columns := make([]gpuColumn, len(cells))
	known, device, process := 0, false, false
	for i, cell := range cells {
		name, unit := splitUnit(cell)
		f := gpuFields[name]
		columns[i] = gpuColumn{f, unit}
		if f != fieldOther {
			known++
		}
		device = device || f == fieldUsed || f == fieldBusy || f == fieldFree
		process = process || f == fieldPID
	}
	for _, col := range columns {
		device = device || process && col.field == fieldProcessUsed
	}
	if known < 2 || !device {
		return nil
	}
	return columns
}

// splitUnit splits "memory.used [MiB]", "GPU Memory (MB)" and "gpu_mem_mib".
func splitUnit(cell string) (name, unit string) {
	name = strings.ToLower(strings.Trim(cell, " \""))
	if open := strings.IndexAny(name, "[("); open >= 0 {
		unit = strings.Trim(name[open:], "[]() ")
		name = strings.TrimSpace(name[:open])
	}
	name = strings.ReplaceAll(name, " ", "_")
	if unit != "" || gpuFields[name] != fieldOther {
		return name, unit
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
	return name, ""
}

// row sends what a row holds; false if it cannot be one of the columns.
func (c *gpuCSV) row(s *Stream, cells []string) bool {
	r := gpuRow{gpu: GPU{Index: -1}, host: Host{Workers: -1}}
	for i, cell := range cells {
		if !r.take(c.columns[i], strings.Trim(cell, " \"")) {
			return false
		}
	}
	if r.isProcess {
		return c.apps.add(s, &r.gpu, r.process)
	}
	if c.guess != nil && !r.gpuKnown() || !r.gpuKnown() && r.gpu.Stamp.IsZero() {
		return false
	}
	g := &r.gpu
	if free, ok := r.free.Get(); ok && g.Used.State != Present && g.Total.State == Present {
		g.Used = Have(max(0, g.Total.Value-free))
	}
	if g.Index < 0 && g.UUID == "" {
		g.Index = c.order(g)
	}
	s.emitGPU(g)
	if r.hasHost {
		r.host.Stamp, r.host.Elapsed = g.Stamp, g.Elapsed
		s.emit(&r.host)
	}
	return true
}

// sameTick is the greatest distance of two rows that nvidia-smi printed of two
// devices at once. Its stamps have milliseconds; others do not tell ticks apart.
const sameTick = 15 * time.Millisecond

// order is the index of a device that only the order of the rows tells.
func (c *gpuCSV) order(g *GPU) int {
	index := 0
	distance := g.Stamp.Sub(c.last.Stamp)
	if !c.last.Stamp.IsZero() && distance >= 0 && distance <= sameTick && g.Stamp.Nanosecond() != 0 {
		index = c.last.Index + 1
	}
	c.last = GPU{Stamp: g.Stamp, Index: index}
	return index
}
