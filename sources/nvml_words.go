package sources

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// nvmlPlace is where we run, as far as it changes what is to be done when there is no
// driver.
type nvmlPlace uint8

const (
	nvmlAnyPlace nvmlPlace = iota
	nvmlWSL                // Linux inside Windows, which has the driver
	nvmlJetson             // a board whose graphics processor has a driver of another kind
)

// findNVMLPlace looks at what the system says of itself.
func findNVMLPlace() nvmlPlace {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease") // a system without it is neither
	model, _ := os.ReadFile("/proc/device-tree/model")
	return nvmlPlaceOf(string(release), string(model))
}

func nvmlPlaceOf(release, model string) nvmlPlace {
	switch {
	case strings.Contains(strings.ToLower(release), "microsoft"):
		return nvmlWSL
	case strings.Contains(model, "Jetson"), strings.HasSuffix(strings.TrimSpace(release), "-tegra"):
		return nvmlJetson
	}
	return nvmlAnyPlace
}

// explainNVML is the sentence about an error that leaves nothing to watch, with what
// to do about it.
func explainNVML(err error, place nvmlPlace) string {
	var library *nvmlLibraryError
	var code nvmlCode
	switch {
	case errors.Is(err, errNVMLNotBuilt):
		return "built without NVML: nvidia-smi can be read instead"
	case errors.Is(err, errNVMLNoDevice):
		return "the NVIDIA driver knows no device here" + inContainer(place)
	case errors.As(err, &library):
		return library.explain(place)
	case !errors.As(err, &code):
		return "cannot ask the NVIDIA driver: " + printable(err.Error())
	}
	switch code {
	case nvmlDriverNotLoaded:
		if place == nvmlWSL {
			return "the NVIDIA driver is not loaded: install or update it in Windows"
		}
		return "the NVIDIA driver is not loaded: run nvidia-smi, or sudo modprobe nvidia, or reboot"
	case nvmlVersionMismatch:
		return "the driver was upgraded and not reloaded: reboot, or reload the nvidia modules"
	case nvmlNoPermission:
		return "no permission to use the NVIDIA driver: see who may read and write /dev/nvidia*"
	case nvmlLibraryNotFound:
		return "the NVIDIA driver misses a library of its own: install the driver again"
	case nvmlGPULost:
		return "the driver has lost a device: see dmesg, and reboot"
	case nvmlFunctionNotFound:
		return "the NVIDIA driver library is too old or not NVIDIA's"
	}
	return fmt.Sprintf("the NVIDIA driver does not answer (error %d): see what nvidia-smi says", int(code))
}

func (e *nvmlLibraryError) explain(place nvmlPlace) string {
	switch {
	case e.stub:
		return fmt.Sprintf("%s is the CUDA toolkit's stub, not a driver: take %s out of LD_LIBRARY_PATH",
			printable(e.path), printable(filepath.Dir(e.path)))
	case e.path != "":
		return printable("cannot load " + e.path + ": " + e.why)
	}
	const missing = "no NVIDIA driver library (libnvidia-ml.so.1) here"
	switch place {
	case nvmlWSL:
		return missing + ": WSL has it in /usr/lib/wsl/lib if Windows has an NVIDIA driver"
	case nvmlJetson:
		return missing + ": on a Jetson it comes with JetPack 6, and tegrastats works on any"
	}
	return missing
}

func inContainer(place nvmlPlace) string {
	if place == nvmlAnyPlace {
		return ": a container must be started with its GPUs (docker run --gpus all)"
	}
	return ""
}

// throttled names what holds a clock down, from the driver's bits. That the device is
// idle (1), or has clocks that a person set (2, 0x100), is no throttling.
func throttled(reasons uint64) []string {
	const heat, brake = 0x20 | 0x40, 0x80
	hardware := uint64(0x200 | 0x400)
	if reasons&(0x40|brake) == 0 {
		hardware |= 0x8 // the slowdown in hardware, unless its own reason is there too
	}
	var out []string
	for _, r := range []struct {
		bits uint64
		word string
	}{{0x4 | brake, "power"}, {heat, "heat"}, {hardware, "hardware"}, {0x10, "sync"}} {
		if reasons&r.bits != 0 {
			out = append(out, r.word)
		}
	}
	return out
}

// xidText says what an Xid means. NVIDIA documents some two hundred; here are those
// that end trainings.
func xidText(xid int) string {
	switch xid {
	case 13:
		return "graphics engine exception, often an access out of bounds in a kernel"
	case 31:
		return "memory page fault, often an illegal address in a kernel"
	case 32:
		return "invalid or corrupted push buffer"
	case 38:
		return "driver firmware error"
	case 43:
		return "a program's channel was reset, that program failed"
	case 45:
		return "a program's channel was taken down, often after another error"
	case 48:
		return "double-bit ECC error: the device needs a reset"
	case 61, 62:
		return "microcontroller halted: the device needs a reset"
	case 63:
		return "a bad memory row is to be remapped at the next reset"
	case 64:
		return "a bad memory row cannot be remapped"
	case 69:
		return "graphics engine class error"
	case 74:
		return "nvlink error"
	case 79:
		return "the device has fallen off the bus: check power, heat and seating, then reboot"
	case 92:
		return "many corrected memory errors"
	case 94:
		return "contained memory error, one program was ended"
	case 95:
		return "uncontained memory error: the device needs a reset"
	case 119, 120:
		return "the device's firmware (gsp) does not answer: the device needs a reset"
	case 121:
		return "c2c link error"
	case 140:
		return "unrecovered ECC error: the device needs a reset"
	case 154:
		return "the driver asks for a recovery of the device"
	}
	return "error of the device"
}

// faultText says what it means that the driver refuses a device with this code.
func faultText(code nvmlCode) string {
	if code == nvmlResetRequired {
		return "the device must be reset: end its programs, then nvidia-smi --gpu-reset, or reboot"
	}
	return "the driver has lost the device: check power, heat and seating, then reboot"
}
