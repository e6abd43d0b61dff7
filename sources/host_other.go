//go:build !linux

package sources

import (
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"

	"yolotop/parse"
)

// otherProbe knows processors, main memory and swap. There are no control groups and
// no pressure elsewhere, and processes are not looked at.
type otherProbe struct {
	meter cpuMeter
	cores []coreTimes
}

func newHostProbe() hostProbe { return &otherProbe{} }

// machine implements hostProbe.
func (p *otherProbe) machine(h *parse.Host, _ int, _ time.Time) {
	none, failed := parse.Number{State: parse.NotSupported}, parse.Number{State: parse.Unavailable}
	h.CPULimit, h.GroupUsed, h.GroupLimit = none, none, none
	h.CPUPressure, h.IOPressure, h.MemoryPressure = none, none, none
	h.ShmUsed, h.ShmTotal = none, none
	p.processor(h)
	h.IOWait = none // it is not counted
	h.RAMUsed, h.RAMTotal, h.SwapUsed, h.SwapTotal = failed, failed, failed, failed
	if m, err := mem.VirtualMemory(); err == nil && m.Total > 0 && m.Available <= m.Total {
		h.RAMUsed, h.RAMTotal = parse.Have(float64(m.Total-m.Available)), parse.Have(float64(m.Total))
	}
	if s, err := mem.SwapMemory(); err == nil && s.Used <= s.Total {
		h.SwapUsed, h.SwapTotal = parse.Have(float64(s.Used)), parse.Have(float64(s.Total))
	}
}

func (p *otherProbe) processor(h *parse.Host) {
	all, err := cpu.Times(false)
	if err != nil || len(all) != 1 {
		p.meter.forget(h, parse.Unavailable)
		return
	}
	p.cores = p.cores[:0]
	each, _ := cpu.Times(true) // without them there are only all together
	for i, t := range each {
		n, err := strconv.Atoi(strings.TrimLeft(t.CPU, "cpu"))
		if err != nil {
			n = i
		}
		p.cores = append(p.cores, coreTimes{n, timesOf(t)})
	}
	p.meter.put(h, timesOf(all[0]), p.cores)
}

func timesOf(t cpu.TimesStat) cpuTimes {
	return cpuTimes{busy: t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal, idle: t.Idle, iowait: t.Iowait}
}

// trainer implements hostProbe.
func (p *otherProbe) trainer(int, time.Time) trainer { return missingTrainer(parse.NotSupported) }
