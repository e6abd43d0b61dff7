//go:build linux && cgo

package sources

import (
	"encoding/binary"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// goDevice is a device through NVIDIA's bindings. What they return with an error may be
// anything.
type goDevice struct {
	nvml.Device
	has nvmlSymbols
}

// goNumber asks for one number.
func goNumber[T uint32 | uint64 | int](s nvmlSymbols, function string, get func() (T, nvml.Return)) (float64, error) {
	if err := s.lack(function); err != nil {
		return 0, err
	}
	v, ret := get()
	if err := nvmlError(ret); err != nil {
		return 0, err
	}
	return float64(v), nil
}

func (d goDevice) uuid() (string, error) {
	if err := d.has.lack("nvmlDeviceGetUUID"); err != nil {
		return "", err
	}
	s, ret := d.GetUUID()
	return s, nvmlError(ret)
}

func (d goDevice) name() (string, error) {
	if err := d.has.lack("nvmlDeviceGetName"); err != nil {
		return "", err
	}
	s, ret := d.GetName()
	return s, nvmlError(ret)
}

func (d goDevice) memory() (nvmlMemory, error) {
	if err := d.has.lack("nvmlDeviceGetMemoryInfo_v2"); err != nil {
		return nvmlMemory{}, err
	}
	m, ret := d.GetMemoryInfo_v2()
	return nvmlMemory{total: m.Total, used: m.Used, reserved: m.Reserved}, nvmlError(ret)
}

func (d goDevice) memoryOld() (nvmlMemory, error) {
	if err := d.has.lack("nvmlDeviceGetMemoryInfo"); err != nil {
		return nvmlMemory{}, err
	}
	m, ret := d.GetMemoryInfo()
	return nvmlMemory{total: m.Total, used: m.Used}, nvmlError(ret)
}

func (d goDevice) busySince(us uint64) ([]nvmlSample, error) {
	if err := d.has.lack("nvmlDeviceGetSamples"); err != nil {
		return nil, err
	}
	kind, samples, ret := d.GetSamples(nvml.GPU_UTILIZATION_SAMPLES, us)
	if err := nvmlError(ret); err != nil {
		return nil, err
	}
	out := make([]nvmlSample, 0, len(samples))
	for _, s := range samples {
		if v, ok := sampleValue(kind, s.SampleValue); ok {
			out = append(out, nvmlSample{at: s.TimeStamp, value: v})
		}
	}
	return out, nil
}

// sampleValue reads a value out of C's union.
func sampleValue(kind nvml.ValueType, b [8]byte) (float64, bool) {
	long := binary.NativeEndian.Uint64(b[:])
	switch kind {
	case nvml.VALUE_TYPE_DOUBLE:
		return math.Float64frombits(long), true
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return float64(binary.NativeEndian.Uint32(b[:])), true
	case nvml.VALUE_TYPE_SIGNED_INT:
		return float64(int32(binary.NativeEndian.Uint32(b[:]))), true
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
		return float64(long), true
	case nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return float64(int64(long)), true
	case nvml.VALUE_TYPE_UNSIGNED_SHORT:
		return float64(binary.NativeEndian.Uint16(b[:])), true
	}
	return 0, false
}

func (d goDevice) rates() (gpu, memory float64, err error) {
	if err := d.has.lack("nvmlDeviceGetUtilizationRates"); err != nil {
		return 0, 0, err
	}
	u, ret := d.GetUtilizationRates()
	return float64(u.Gpu), float64(u.Memory), nvmlError(ret)
}

func (d goDevice) computing() ([]nvmlProcess, error) {
	const f = "nvmlDeviceGetComputeRunningProcesses"
	if err := d.has.lack(f+"_v3", f+"_v2", f); err != nil {
		return nil, err
	}
	return processList(d.GetComputeRunningProcesses())
}

func (d goDevice) drawing() ([]nvmlProcess, error) {
	const f = "nvmlDeviceGetGraphicsRunningProcesses"
	if err := d.has.lack(f+"_v3", f+"_v2", f); err != nil {
		return nil, err
	}
	return processList(d.GetGraphicsRunningProcesses())
}

func processList(list []nvml.ProcessInfo, ret nvml.Return) ([]nvmlProcess, error) {
	if err := nvmlError(ret); err != nil {
		return nil, err
	}
	var out []nvmlProcess
	for _, p := range list {
		out = append(out, nvmlProcess{pid: int(p.Pid), used: p.UsedGpuMemory})
	}
	return out, nil
}

func (d goDevice) power() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetPowerUsage", d.GetPowerUsage)
}

func (d goDevice) powerLimit() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetEnforcedPowerLimit", d.GetEnforcedPowerLimit)
}

func (d goDevice) temperature() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetTemperature", func() (uint32, nvml.Return) {
		return d.GetTemperature(nvml.TEMPERATURE_GPU)
	})
}

func (d goDevice) fan() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetFanSpeed", d.GetFanSpeed)
}

func (d goDevice) clock() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetClockInfo", func() (uint32, nvml.Return) { return d.GetClockInfo(nvml.CLOCK_SM) })
}

func (d goDevice) maxClock() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetMaxClockInfo", func() (uint32, nvml.Return) { return d.GetMaxClockInfo(nvml.CLOCK_SM) })
}

// reasons takes the older name where the newer one (535) is not there.
func (d goDevice) reasons() (uint64, error) {
	get := d.GetCurrentClocksEventReasons
	if d.has.lack("nvmlDeviceGetCurrentClocksEventReasons") != nil {
		get = d.GetCurrentClocksThrottleReasons
		if err := d.has.lack("nvmlDeviceGetCurrentClocksThrottleReasons"); err != nil {
			return 0, err
		}
	}
	r, ret := get()
	return r, nvmlError(ret)
}

func (d goDevice) linkGeneration() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetCurrPcieLinkGeneration", d.GetCurrPcieLinkGeneration)
}

func (d goDevice) linkWidth() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetCurrPcieLinkWidth", d.GetCurrPcieLinkWidth)
}

func (d goDevice) received() (float64, error) { return d.traffic(nvml.PCIE_UTIL_RX_BYTES) }

func (d goDevice) sent() (float64, error) { return d.traffic(nvml.PCIE_UTIL_TX_BYTES) }

func (d goDevice) traffic(c nvml.PcieUtilCounter) (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetPcieThroughput", func() (uint32, nvml.Return) { return d.GetPcieThroughput(c) })
}

func (d goDevice) ecc() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetTotalEccErrors", func() (uint64, nvml.Return) {
		return d.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
	})
}

func (d goDevice) encoder() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetEncoderUtilization", func() (uint32, nvml.Return) {
		v, _, ret := d.GetEncoderUtilization()
		return v, ret
	})
}

func (d goDevice) decoder() (float64, error) {
	return goNumber(d.has, "nvmlDeviceGetDecoderUtilization", func() (uint32, nvml.Return) {
		v, _, ret := d.GetDecoderUtilization()
		return v, ret
	})
}

func (d goDevice) divided() (bool, error) {
	if err := d.has.lack("nvmlDeviceGetMigMode"); err != nil {
		return false, err
	}
	now, _, ret := d.GetMigMode()
	return now == nvml.DEVICE_MIG_ENABLE, nvmlError(ret)
}

func (d goDevice) instances() ([]nvmlDevice, error) {
	for _, f := range []string{"nvmlDeviceGetMaxMigDeviceCount", "nvmlDeviceGetMigDeviceHandleByIndex"} {
		if err := d.has.lack(f); err != nil {
			return nil, err
		}
	}
	n, ret := d.GetMaxMigDeviceCount()
	if err := nvmlError(ret); err != nil {
		return nil, err
	}
	var out []nvmlDevice
	for i := range n {
		part, ret := d.GetMigDeviceHandleByIndex(i)
		if ret == nvml.ERROR_NOT_FOUND || ret == nvml.ERROR_INVALID_ARGUMENT {
			continue // that many would fit, fewer are there
		}
		if err := nvmlError(ret); err != nil {
			return nil, err
		}
		out = append(out, goDevice{part, d.has})
	}
	return out, nil
}
