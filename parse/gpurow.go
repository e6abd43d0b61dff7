package parse

import (
	"strings"
	"time"
)

// gpuRow is what the cells of a row of a table hold.
type gpuRow struct {
	gpu       GPU
	host      Host
	free      Number
	process   GPUProcess
	hasHost   bool
	isProcess bool
}

// gpuKnown reports whether the row tells anything of a device.
func (r *gpuRow) gpuKnown() bool {
	return r.gpu.Used.State == Present || r.gpu.Busy.State == Present || r.free.State == Present && r.gpu.Total.State == Present
}

// take reads a cell; false if it cannot be one of its column.
func (r *gpuRow) take(col gpuColumn, cell string) (ok bool) {
	g, h := &r.gpu, &r.host
	ok = true
	memory := func(n *Number) { *n, ok = readMetric(cell, orMiB(col.unit)) }
	plain := func(n *Number) { *n, ok = readMetric(cell, "") }
	percent := func(n *Number) { *n, ok = readShare(cell) }
	switch col.field {
	case fieldStamp:
		ok = r.time(cell)
	case fieldElapsed:
		plain(&g.Elapsed)
	case fieldEpoch:
		g.Epoch = max(smallInt(cell), 0)
	case fieldIndex:
		g.Index = smallInt(strings.TrimLeft(cell, "gpuGPU: "))
		ok = g.Index >= 0
	case fieldName:
		g.Name = cell
	case fieldUUID:
		g.UUID = cell
	case fieldUsed:
		memory(&g.Used)
	case fieldFree:
		memory(&r.free)
	case fieldReserved:
		memory(&g.Reserved)
	case fieldTotal:
		memory(&g.Total)
	case fieldBusy:
		percent(&g.Busy)
	case fieldMemoryBusy:
		percent(&g.MemoryBusy)
	case fieldTemperature:
		plain(&g.Temperature)
	case fieldPower:
		plain(&g.Power)
	case fieldPowerLimit:
		plain(&g.PowerLimit)
	case fieldClock:
		plain(&g.Clock)
	case fieldMaxClock:
		plain(&g.MaxClock)
	case fieldFan:
		g.Fan = share(cell) // a fan may run at 105 %
	case fieldPCIeGen:
		plain(&g.PCIeGen)
	case fieldPCIeWidth:
		plain(&g.PCIeWidth)
	case fieldECC:
		plain(&g.ECC)
	case fieldEncoder:
		percent(&g.Encoder)
	case fieldDecoder:
		percent(&g.Decoder)
	case fieldRAMUsed:
		memory(&h.RAMUsed)
		r.hasHost = true
	case fieldRAMTotal:
		memory(&h.RAMTotal)
	case fieldSwapUsed:
		memory(&h.SwapUsed)
	case fieldSwapTotal:
		memory(&h.SwapTotal)
	case fieldCPU:
		h.CPU = share(cell) // of all cores together it may pass 100 %
	case fieldPID:
		r.process.PID = smallInt(cell)
		r.isProcess, ok = true, r.process.PID >= 0
	case fieldProcess:
		r.process.Name = cell
	case fieldProcessUsed:
		memory(&r.process.Used)
	}
	return ok
}

// time reads a cell of a column that is called time: nvidia-smi's stamp, or seconds
// since 1970 or since a beginning.
func (r *gpuRow) time(cell string) bool {
	if r.gpu.Stamp = smiStamp(cell); !r.gpu.Stamp.IsZero() {
		return true
	}
	v, ok := parseFloat(cell)
	switch {
	case !ok || !(v >= 0) || v > 1e11: // in a form that is not known
		return hasDigit(cell)
	case v > 1e9:
		r.gpu.Stamp = time.UnixMilli(int64(v * 1000)).UTC()
	default:
		r.gpu.Elapsed = Have(v)
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
