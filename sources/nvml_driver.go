package sources

import (
	"errors"
	"strconv"
)

// nvmlDriver is what is asked of NVIDIA's management library. One goroutine at a time
// may use it and its devices; any call may block for as long as the driver likes.
// Errors are nvmlCode values.
type nvmlDriver interface {
	version() (string, error) // of the driver: "580.65.06"
	count() (int, error)
	device(index int) (nvmlDevice, error)
	// watch asks for the Xid errors of a device, which xids then tells by its index.
	watch(index int, d nvmlDevice) error
	// xids is what has happened since the last call; it does not wait for more.
	xids() ([]nvmlXid, error)
	close()
}

// nvmlDevice is one device, or an instance on a device that is divided (MIG).
type nvmlDevice interface {
	uuid() (string, error)
	name() (string, error)
	memory() (nvmlMemory, error)    // with the driver's reserve apart
	memoryOld() (nvmlMemory, error) // with the reserve counted as used

	// busySince is the driver's own record of utilization, newer than a time in µs
	// of the driver's clock.
	busySince(us uint64) ([]nvmlSample, error)
	rates() (gpu, memory float64, err error) // percent

	computing() ([]nvmlProcess, error)
	drawing() ([]nvmlProcess, error)

	power() (float64, error)       // mW
	powerLimit() (float64, error)  // mW
	temperature() (float64, error) // °C
	fan() (float64, error)         // percent
	clock() (float64, error)       // MHz
	maxClock() (float64, error)    // MHz
	reasons() (uint64, error)      // why the clock is what it is, as bits

	linkGeneration() (float64, error)
	linkWidth() (float64, error)
	received() (float64, error) // KiB/s into the device; measures for 20 ms
	sent() (float64, error)     // KiB/s out of the device; measures for 20 ms

	ecc() (float64, error)     // uncorrected errors since the driver was loaded
	encoder() (float64, error) // percent
	decoder() (float64, error) // percent

	divided() (bool, error)           // whether MIG is on
	instances() ([]nvmlDevice, error) // what it is divided into
}

// nvmlMemory is in bytes.
type nvmlMemory struct{ total, used, reserved uint64 }

// nvmlSample is a utilization in percent at a time in µs of the driver's clock.
type nvmlSample struct {
	at    uint64
	value float64
}

// nvmlProcess is a process with memory on a device.
type nvmlProcess struct {
	pid  int
	used uint64 // bytes, or nvmlNotAvailable
}

// nvmlXid is an error that the driver reported of the device with this index, or of
// one that is not known, -1.
type nvmlXid struct {
	index int
	xid   int
}

// nvmlNotAvailable is what the driver says instead of an amount that it does not know.
const nvmlNotAvailable = 1<<64 - 1

// nvmlCode is a return code of the library other than success.
type nvmlCode int

// The codes that are told apart.
const (
	nvmlInvalidArgument  nvmlCode = 2 // for an instance: the question is for whole devices
	nvmlNotSupported     nvmlCode = 3
	nvmlNoPermission     nvmlCode = 4
	nvmlNotFound         nvmlCode = 6
	nvmlInsufficientSize nvmlCode = 7 // the answer grew while it was given
	nvmlDriverNotLoaded  nvmlCode = 9
	nvmlTimeout          nvmlCode = 10
	nvmlLibraryNotFound  nvmlCode = 12
	nvmlFunctionNotFound nvmlCode = 13
	nvmlGPULost          nvmlCode = 15
	nvmlResetRequired    nvmlCode = 16
	nvmlVersionMismatch  nvmlCode = 18
	nvmlNoData           nvmlCode = 21
	nvmlStructVersion    nvmlCode = 25
	nvmlNotReady         nvmlCode = 27
	nvmlUnknown          nvmlCode = 999
)

// Error is in our words: the library's own text can come from a library that is not
// there any more.
func (c nvmlCode) Error() string {
	switch c {
	case nvmlNotSupported, nvmlFunctionNotFound, nvmlStructVersion:
		return "not supported"
	case nvmlNoPermission:
		return "no permission"
	case nvmlDriverNotLoaded:
		return "the driver is not loaded"
	case nvmlGPULost:
		return "the device is lost"
	case nvmlResetRequired:
		return "the device needs a reset"
	case nvmlVersionMismatch:
		return "the library and the driver are of different versions"
	case nvmlUnknown:
		return "unknown error of the driver"
	}
	return "error " + strconv.Itoa(int(c)) + " of the driver"
}

// Reasons why there is no driver to ask.
var (
	errNVMLNotBuilt = errors.New("built without NVML")
	errNVMLNoDevice = errors.New("no NVIDIA device")
)

// nvmlLibraryError is a library that cannot be used.
type nvmlLibraryError struct {
	path string // empty if none was found
	why  string // as the system's loader says it, or empty
	stub bool   // it is the one for linking that comes with the CUDA toolkit
}

func (e *nvmlLibraryError) Error() string {
	switch {
	case e.path == "":
		return "no library"
	case e.stub:
		return e.path + " is for linking only"
	}
	return "cannot load " + e.path + ": " + e.why
}
