package parse

import (
	"strings"
	"time"
)

// gpuMon reads "nvidia-smi dmon" (a line a device) and "nvidia-smi pmon" (a line a
// process). Their headers begin with '#' and come again and again; columns are found
// by name. In dmon "mem" is the load of the memory controller, "fb" is memory used.
type gpuMon struct {
	names   []string
	process bool
	sample  *GPU // of pmon, until the next device or round begins
	origin  Origin
}

func (m *gpuMon) read(s *Stream, line string) bool {
	if strings.HasPrefix(line, "#") {
		return m.header(s, line)
	}
	if m.names == nil || !isDigit(line[0]) {
		return false
	}
	fields := strings.Fields(line)
	if len(fields) < len(m.names) {
		return false
	}
	if m.process {
		return m.processRow(s, fields)
	}
	return m.deviceRow(s, fields)
}

// header takes "# gpu pwr gtemp ..." and knows "# Idx W C ..." as its second line.
func (m *gpuMon) header(s *Stream, line string) bool {
	names := strings.Fields(strings.ToLower(strings.TrimLeft(line, "# ")))
	index := func(want string) bool {
		for _, n := range names {
			if n == want {
				return true
			}
		}
		return false
	}
	switch {
	case index("gpu") && index("pid"):
		m.names, m.process = names, true
	case index("gpu") && (index("sm") || index("fb") || index("pwr") || index("gtemp")):
		m.names, m.process = names, false
	case len(names) > 0 && (names[0] == "idx" || strings.HasPrefix(names[0], "yyyymmdd") || strings.HasPrefix(names[0], "hh:mm")):
		return m.names != nil // the units
	default:
		return false
	}
	s.known = true
	return true
}

func (m *gpuMon) deviceRow(s *Stream, fields []string) bool {
	m.flush(s)
	g := &GPU{Index: -1, Used: Number{State: NotAsked}}
	date := ""
	for i, name := range m.names {
		v := fields[i]
		switch name {
		case "date":
			date = v
		case "time":
			if t, err := time.Parse("20060102 15:04:05", date+" "+v); err == nil {
				g.Stamp = t
			}
		case "gpu":
			g.Index = smallInt(v)
		case "pwr":
			g.Power = metric(v, "")
		case "gtemp", "temp":
			g.Temperature = metric(v, "")
		case "sm":
			g.Busy = share(v)
		case "mem":
			g.MemoryBusy = share(v)
		case "enc":
			g.Encoder = share(v)
		case "dec":
			g.Decoder = share(v)
		case "fb":
			g.Used = metric(v, "mib")
		case "pclk":
			g.Clock = metric(v, "")
		}
	}
	if g.Index < 0 {
		return false
	}
	s.emitGPU(g)
	return true
}

// processRow gathers the processes of a device; the sample is complete when another
// device or the same process again comes.
func (m *gpuMon) processRow(s *Stream, fields []string) bool {
	p := GPUProcess{PID: -1}
	index := -1
	for i, name := range m.names {
		v := fields[i]
		switch name {
		case "gpu":
			index = smallInt(v)
		case "pid":
			p.PID = smallInt(v)
		case "sm":
			p.Busy = share(v)
		case "fb":
			p.Used = metric(v, "mib")
		case "command":
			p.Name = strings.Join(fields[i:], " ")
		}
	}
	if index < 0 {
		return false
	}
	if m.sample != nil && (m.sample.Index != index || p.PID < 0 || m.holds(p.PID)) {
		m.flush(s)
	}
	if m.sample == nil {
		m.sample, m.origin = &GPU{Index: index, ProcessesState: Present}, s.origin
	}
	if p.PID < 0 { // an idle device is a row of dashes
		return true
	}
	m.sample.Processes = append(m.sample.Processes, p)
	if p.Used.State == Present {
		m.sample.Used = Have(m.sample.Used.Value + p.Used.Value)
	}
	if p.Busy.State == Present {
		m.sample.Busy = Have(min(1, m.sample.Busy.Value+p.Busy.Value))
	}
	return true
}

func (m *gpuMon) holds(pid int) bool {
	for _, p := range m.sample.Processes {
		if p.PID == pid {
			return true
		}
	}
	return false
}

// flush sends the sample of pmon that is being gathered.
func (m *gpuMon) flush(s *Stream) {
	if m.sample == nil {
		return
	}
	g, now := m.sample, s.origin
	m.sample = nil
	if g.Used.State != Present && g.Busy.State != Present {
		return // nothing runs there
	}
	s.origin = m.origin
	s.emitGPU(g)
	s.origin = now
}
