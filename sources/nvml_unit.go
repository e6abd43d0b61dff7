package sources

import (
	"math"
	"slices"
	"strings"

	"yolotop/parse"
)

// nvmlUnit is a device that is watched, or an instance of a device that is divided.
type nvmlUnit struct {
	watch  *nvmlWatch
	device nvmlDevice
	index  int
	uuid   string // empty until known
	name   string // empty until known

	answers [nvmlMetrics]nvmlAnswer
	pass    int         // that is made
	seen    uint64      // µs of the driver's clock, of its newest utilization
	fault   nvmlCode    // why it is not asked any more; 0 if it is
	parts   []*nvmlUnit // instances

	programs map[int]nvmlProgram // of the last pass, by process: they are asked for once
}

// nvmlProgram is whose process is on a device.
type nvmlProgram struct{ name, user string }

func newNVMLUnit(w *nvmlWatch, d nvmlDevice, index int) *nvmlUnit {
	return &nvmlUnit{watch: w, device: d, index: index}
}

// sample asks the device for everything. If fault is set afterwards, it was lost
// meanwhile.
func (u *nvmlUnit) sample(pass int) *parse.GPU {
	u.pass = pass
	u.identify()
	g := &parse.GPU{Index: u.index, UUID: u.uuid, Name: u.name}
	d := u.device
	u.memory(g)
	u.utilization(g)
	u.processes(g)
	g.Power = u.number(nvmlPower, 1e-3, d.power)
	g.PowerLimit = u.number(nvmlPowerLimit, 1e-3, d.powerLimit)
	g.Temperature = u.number(nvmlTemperature, 1, d.temperature)
	g.Fan = u.number(nvmlFan, 1e-2, d.fan)
	g.Clock = u.number(nvmlClock, 1, d.clock)
	g.MaxClock = u.number(nvmlMaxClock, 1, d.maxClock)
	var reasons uint64
	if u.ask(nvmlReasons, func() (err error) {
		reasons, err = d.reasons()
		return err
	}) == parse.Present {
		g.Throttled = throttled(reasons)
	}
	g.PCIeGen = u.number(nvmlLinkGeneration, 1, d.linkGeneration)
	g.PCIeWidth = u.number(nvmlLinkWidth, 1, d.linkWidth)
	g.ECC = u.number(nvmlECC, 1, d.ecc)
	g.Encoder = u.number(nvmlEncoder, 1e-2, d.encoder)
	g.Decoder = u.number(nvmlDecoder, 1e-2, d.decoder)
	// The traffic is measured while we wait. Each device has a pass of its own for
	// that, not the first, so that no pass waits for many.
	if pass%nvmlSlowEvery == (u.index+1)%nvmlSlowEvery && pass > 0 {
		g.PCIeRx = u.number(nvmlReceived, 1<<10, d.received)
		g.PCIeTx = u.number(nvmlSent, 1<<10, d.sent)
	}
	return g
}

// identify asks for the device's name, until there is one.
func (u *nvmlUnit) identify() {
	for _, q := range []struct {
		to  *string
		get func() (string, error)
	}{{&u.uuid, u.device.uuid}, {&u.name, u.device.name}} {
		if *q.to != "" || u.fault != 0 {
			continue
		}
		u.watch.alive()
		s, err := q.get()
		switch {
		case err == nil:
			*q.to = printable(s)
		case lost(err):
			u.fault = nvmlGPULost
		}
	}
}

func (u *nvmlUnit) memory(g *parse.GPU) {
	var m nvmlMemory
	state := u.ask(nvmlMemoryNew, func() (err error) {
		m, err = u.device.memory()
		return err
	})
	reserved := state
	if state == parse.NotSupported {
		state = u.ask(nvmlMemoryOld, func() (err error) {
			m, err = u.device.memoryOld()
			return err
		})
	}
	g.Total, g.Used = nvmlNumber(state, float64(m.total)), nvmlNumber(state, float64(m.used))
	g.Reserved = nvmlNumber(reserved, float64(m.reserved))
}

// utilization takes the mean of what the driver has recorded since the last pass, and
// the driver's own newest value where it keeps no record. The record of the time before
// the first pass is older than the sample's.
func (u *nvmlUnit) utilization(g *parse.GPU) {
	var record []nvmlSample
	recorded := u.ask(nvmlBusySince, func() (err error) {
		record, err = u.device.busySince(u.seen)
		return err
	})
	var gpu, memory float64
	state := u.ask(nvmlRates, func() (err error) {
		gpu, memory, err = u.device.rates()
		return err
	})
	g.MemoryBusy = nvmlNumber(state, share(memory))
	g.Busy = nvmlNumber(state, share(gpu))
	if recorded != parse.Present {
		return
	}
	since := u.seen
	for _, s := range record {
		u.seen = max(u.seen, s.at)
	}
	if since == 0 {
		since = u.seen - min(u.seen, uint64(u.watch.interval.Microseconds()))
	}
	sum, n := 0.0, 0
	for _, s := range record {
		if s.at > since && s.value >= 0 && s.value <= 100 {
			sum, n = sum+s.value, n+1
		}
	}
	if n > 0 {
		g.Busy = parse.Have(share(sum / float64(n)))
	}
}

// share is a number of percent as a share. Drivers round up over 100.
func share(percent float64) float64 { return math.Min(percent, 100) / 100 }

// processes puts the programs together that compute and those that draw; some do both.
func (u *nvmlUnit) processes(g *parse.GPU) {
	var all []nvmlProcess
	list := func(m nvmlMetric, get func() ([]nvmlProcess, error)) parse.Presence {
		return u.ask(m, func() error {
			some, err := get()
			if err == nil {
				all = append(all, some...)
			}
			return err
		})
	}
	g.ProcessesState = list(nvmlComputing, u.device.computing)
	if other := list(nvmlDrawing, u.device.drawing); g.ProcessesState == parse.Present && other != parse.NotSupported {
		g.ProcessesState = other
	}
	programs := make(map[int]nvmlProgram, len(all))
	for _, p := range all {
		used := parse.Number{State: parse.NotSupported}
		if p.used != nvmlNotAvailable {
			used = parse.Have(float64(p.used))
		}
		i := slices.IndexFunc(g.Processes, func(q parse.GPUProcess) bool { return q.PID == p.pid })
		switch {
		case i < 0:
			known, ok := u.programs[p.pid]
			if !ok {
				known.name, known.user = u.watch.program(p.pid)
			}
			programs[p.pid] = known
			g.Processes = append(g.Processes, parse.GPUProcess{PID: p.pid, Name: known.name, User: known.user, Used: used})
		case used.Value > g.Processes[i].Used.Value:
			g.Processes[i].Used = used
		}
	}
	u.programs = programs
}

// divide is what the device is divided into. People change that rarely.
func (u *nvmlUnit) divide(pass int) []*nvmlUnit {
	u.parts = slices.DeleteFunc(u.parts, func(p *nvmlUnit) bool { return p.fault != 0 })
	if pass%nvmlSlowEvery != 0 {
		return u.parts
	}
	var found []nvmlDevice
	state := u.ask(nvmlInstances, func() error {
		on, err := u.device.divided()
		if err == nil && on {
			found, err = u.device.instances()
		}
		return err
	})
	if state != parse.Present {
		if state != parse.Unavailable {
			u.parts = nil
		}
		return u.parts
	}
	var parts []*nvmlUnit
	for _, d := range found {
		fresh := newNVMLUnit(u.watch, d, u.index)
		fresh.identify()
		if !strings.Contains(fresh.name, "MIG") { // drivers before 470 repeat the device's
			fresh.name = strings.TrimSpace(fresh.name + " MIG")
		}
		// What an instance has no answer for is known already if it was there before.
		if i := slices.IndexFunc(u.parts, func(p *nvmlUnit) bool { return p.uuid == fresh.uuid && p.uuid != "" }); i >= 0 {
			u.parts[i].device, fresh = d, u.parts[i]
		}
		parts = append(parts, fresh)
	}
	u.parts = parts
	return parts
}
