package sources

import (
	"context"
	"errors"
)

// NVIDIA is a source that samples the NVIDIA devices of this machine: through the
// driver's library or, where that cannot be used, with nvidia-smi.
type NVIDIA struct {
	library, program Source
}

// NVIDIAOptions say how the devices are watched.
type NVIDIAOptions struct {
	NVML      NVMLOptions
	NvidiaSMI NvidiaSMIOptions
}

// NewNVIDIA makes a source that samples until it is stopped.
//
// A library can end the process that calls it. Where that process holds a pipe into
// which a training writes, use [NewNvidiaSMI] instead.
func NewNVIDIA(o NVIDIAOptions) *NVIDIA {
	return &NVIDIA{library: NewNVML(o.NVML), program: NewNvidiaSMI(o.NvidiaSMI)}
}

// Name implements [Source]. The states that are published have the names of the two
// sources behind it, "nvml" and "nvidia-smi".
func (n *NVIDIA) Name() string { return "nvidia" }

// Input is -1: the machine is none of the inputs.
func (n *NVIDIA) Input() int { return -1 }

// Run implements [Source]. It publishes what [NVML] publishes and, when that has
// failed, what [NvidiaSMI] does. It ends with the error of the one that was tried last;
// devices that the driver has lost are not asked for again.
func (n *NVIDIA) Run(ctx context.Context, p Publisher) error {
	err := n.library.Run(ctx, p)
	if ctx.Err() != nil || err == nil || errors.Is(err, errNVMLAllLost) {
		return err
	}
	return n.program.Run(ctx, p)
}
