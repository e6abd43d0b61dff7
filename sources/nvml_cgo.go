//go:build linux && cgo

package sources

import (
	"os"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/dl"
	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// goNVML is the driver through NVIDIA's bindings. They call what the library lacks, and
// the system ends the process then, with nothing to catch. So every function is looked
// up before its first call.
type goNVML struct {
	lib     nvml.Interface
	has     nvmlSymbols
	devices map[int]nvml.Device // whose errors are asked for
	events  nvml.EventSet       // nil until there is one
}

// nvmlSymbols is which functions the library has.
type nvmlSymbols map[string]bool

// lack is the error of functions of which the library must have one and has none.
func (s nvmlSymbols) lack(anyOf ...string) error {
	for _, name := range anyOf {
		if s[name] {
			return nil
		}
	}
	return nvmlFunctionNotFound
}

// nvmlFunctions is everything that may be called, with the older names that the
// bindings fall back on.
func nvmlFunctions() []string {
	return []string{
		"nvmlShutdown", "nvmlSystemGetDriverVersion",
		"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex",
		"nvmlDeviceGetUUID", "nvmlDeviceGetName",
		"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo",
		"nvmlDeviceGetSamples", "nvmlDeviceGetUtilizationRates",
		"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses",
		"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses",
		"nvmlDeviceGetPowerUsage", "nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetTemperature", "nvmlDeviceGetFanSpeed",
		"nvmlDeviceGetClockInfo", "nvmlDeviceGetMaxClockInfo",
		"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
		"nvmlDeviceGetCurrPcieLinkGeneration", "nvmlDeviceGetCurrPcieLinkWidth", "nvmlDeviceGetPcieThroughput",
		"nvmlDeviceGetTotalEccErrors", "nvmlDeviceGetEncoderUtilization", "nvmlDeviceGetDecoderUtilization",
		"nvmlDeviceGetMigMode", "nvmlDeviceGetMaxMigDeviceCount", "nvmlDeviceGetMigDeviceHandleByIndex",
		"nvmlEventSetCreate", "nvmlEventSetFree", "nvmlEventSetWait_v2", "nvmlEventSetWait", "nvmlDeviceRegisterEvents",
	}
}

// openNVML loads the library and starts it.
func openNVML(library string) (nvmlDriver, error) {
	name, err := loadNVML(library)
	if err != nil {
		return nil, err
	}
	lib := nvml.New(nvml.WithLibraryPath(name))
	if err := nvmlError(lib.Init()); err != nil {
		return nil, err
	}
	g := &goNVML{lib: lib, has: nvmlSymbols{}, devices: map[int]nvml.Device{}}
	for _, f := range nvmlFunctions() {
		g.has[f] = lib.Extensions().LookupSymbol(f) == nil
	}
	return g, nil
}

// loadNVML finds a library that can be started and gives the name to load it by. It
// stays loaded, since one that hangs must not be taken away.
func loadNVML(asked string) (name string, err error) {
	for _, name := range nvmlLibraries(asked) {
		lib := dl.New(name, dl.RTLD_LAZY)
		if err := lib.Open(); err != nil {
			why := strings.TrimPrefix(err.Error(), name+": ")
			if asked == "" && strings.Contains(why, "No such file") && (why != err.Error() || strings.Contains(why, name)) {
				continue // a library that it needs itself is another matter
			}
			return "", &nvmlLibraryError{path: name, why: why}
		}
		maps, _ := os.ReadFile("/proc/self/maps") // without it the name has to do
		if path := nvmlLoaded(name, string(maps)); nvmlIsStub(path) {
			return "", &nvmlLibraryError{path: path, stub: true}
		}
		if lib.Lookup("nvmlInit_v2") != nil && lib.Lookup("nvmlInit") != nil {
			return "", nvmlFunctionNotFound
		}
		return name, nil
	}
	return "", &nvmlLibraryError{}
}

// nvmlError is nil for success.
func nvmlError(ret nvml.Return) error {
	if ret == nvml.SUCCESS {
		return nil
	}
	return nvmlCode(ret)
}

func (g *goNVML) version() (string, error) {
	if err := g.has.lack("nvmlSystemGetDriverVersion"); err != nil {
		return "", err
	}
	s, ret := g.lib.SystemGetDriverVersion()
	return s, nvmlError(ret)
}

func (g *goNVML) count() (int, error) {
	if err := g.has.lack("nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"); err != nil {
		return 0, err
	}
	n, ret := g.lib.DeviceGetCount()
	return n, nvmlError(ret)
}

func (g *goNVML) device(index int) (nvmlDevice, error) {
	if err := g.has.lack("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"); err != nil {
		return nil, err
	}
	d, ret := g.lib.DeviceGetHandleByIndex(index)
	if err := nvmlError(ret); err != nil {
		return nil, err
	}
	return goDevice{d, g.has}, nil
}

func (g *goNVML) watch(index int, d nvmlDevice) error {
	for _, f := range []string{"nvmlEventSetCreate", "nvmlDeviceRegisterEvents"} {
		if err := g.has.lack(f); err != nil {
			return err
		}
	}
	if err := g.has.lack("nvmlEventSetWait_v2", "nvmlEventSetWait"); err != nil {
		return err
	}
	if g.events == nil {
		set, ret := g.lib.EventSetCreate()
		if err := nvmlError(ret); err != nil {
			return err
		}
		g.events = set
	}
	device := d.(goDevice).Device
	if err := nvmlError(device.RegisterEvents(nvml.EventTypeXidCriticalError, g.events)); err != nil {
		return err
	}
	g.devices[index] = device
	return nil
}

func (g *goNVML) xids() ([]nvmlXid, error) {
	if len(g.devices) == 0 {
		return nil, nil
	}
	var out []nvmlXid
	for len(out) < nvmlXidMax {
		e, ret := g.events.Wait(0)
		switch {
		case ret == nvml.ERROR_TIMEOUT:
			return out, nil
		case ret != nvml.SUCCESS && len(out) > 0:
			return out, nil
		case ret != nvml.SUCCESS:
			return nil, nvmlCode(ret)
		case e.EventType&nvml.EventTypeXidCriticalError == 0:
			return out, nil
		}
		x := nvmlXid{index: -1, xid: int(e.EventData)}
		for i, d := range g.devices {
			if d == e.Device {
				x.index = i
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// close ends the driver's work for this process. The errors do not matter any more.
func (g *goNVML) close() {
	if g.events != nil && g.has["nvmlEventSetFree"] {
		_ = g.events.Free()
	}
	if g.has["nvmlShutdown"] {
		_ = g.lib.Shutdown()
	}
}
