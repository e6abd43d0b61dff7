package parse

import (
	"slices"
	"strings"
	"time"
)

// gpuMon reads "nvidia-smi dmon" (a line a device) and "nvidia-smi pmon" (a line a
// process). Their headers begin with '#' and come again and again; columns are found
// by name. In dmon "mem" is the load of the memory controller, "fb" is memory used.
type gpuMon struct {
	names  []string
	pmon   bool
	commas bool // --format csv
	sum    processSum
	days   int // that passed where only the time of day is printed
	clock  time.Time
}

func (m *gpuMon) read(s *Stream, line string) bool {
	if strings.HasPrefix(line, "#") {
		return m.header(s, line)
	}
	if m.names == nil || !isDigit(line[0]) {
		return false
	}
	if m.commas {
		line = strings.ReplaceAll(line, ",", " ")
	}
	fields := strings.Fields(line)
	if len(fields) < len(m.names) || !m.pmon && len(fields) > len(m.names) || s.unended && !m.pmon {
		return false // of a row that was cut, the last number may be half a one
	}
	if m.pmon {
		return m.process(s, fields)
	}
	return m.device(s, fields)
}

// header takes "# gpu pwr gtemp ..." and knows "# Idx W C ..." as its second line.
func (m *gpuMon) header(s *Stream, line string) bool {
	commas := strings.Contains(line, ",")
	if commas {
		line = strings.ReplaceAll(line, ",", " ")
	}
	names := strings.Fields(strings.ToLower(strings.TrimLeft(line, "# ")))
	if len(names) == 0 || len(names) > 128 {
		return false
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case has("gpu") && has("pid"):
		m.names, m.pmon, m.commas = names, true, commas
	case has("gpu") && slices.ContainsFunc(names, func(n string) bool {
		return n == "sm" || n == "fb" || n == "pwr" || n == "gtemp" || n == "mclk" || n == "rxpci"
	}):
		m.names, m.pmon, m.commas = names, false, commas
	case has("idx"):
		return m.names != nil // the units
	default:
		return false
	}
	s.known = true
	return true
}

// device sends a row of dmon. Anything but numbers and dashes makes it another text.
func (m *gpuMon) device(s *Stream, fields []string) bool {
	g := &GPU{Index: -1}
	date := ""
	for i, name := range m.names {
		v := fields[i]
		if name == "date" || name == "time" {
			if name == "date" {
				date = v
			}
			continue
		}
		n, ok := readMetric(v, "")
		if !ok {
			return false
		}
		switch name {
		case "gpu":
			g.Index = smallInt(v)
		case "pwr":
			g.Power = n
		case "gtemp", "temp":
			g.Temperature = n
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
			g.Clock = n
		case "rxpci":
			g.PCIeRx = metric(v, "mb")
		case "txpci":
			g.PCIeTx = metric(v, "mb")
		case "dbecc":
			g.ECC = n
		case "pviol":
			g.throttled(n, "power")
		case "tviol":
			g.throttled(n, "heat")
		}
	}
	if g.Index < 0 {
		return false
	}
	g.Stamp = m.stamp(date, m.field(fields, "time"))
	s.emitGPU(g)
	return true
}

func (g *GPU) throttled(n Number, why string) {
	if n.State == Present && n.Value > 0 {
		g.Throttled = append(g.Throttled, why)
	}
}

// field is the value of a column, empty if there is none.
func (m *gpuMon) field(fields []string, name string) string {
	if i := slices.Index(m.names, name); i >= 0 {
		return fields[i]
	}
	return ""
}

// stamp reads the columns of -o DT. Where only the time is printed, the day before
// which it fell back is over.
func (m *gpuMon) stamp(date, clock string) time.Time {
	if clock == "" {
		return time.Time{}
	}
	if date != "" {
		t, _ := time.Parse("20060102 15:04:05", date+" "+clock) // zero if it is none
		return t
	}
	t, err := time.Parse("2006 15:04:05", "1970 "+clock)
	if err != nil {
		return time.Time{}
	}
	if t = t.AddDate(0, 0, m.days); t.Before(m.clock.Add(-12 * time.Hour)) {
		m.days++
		t = t.AddDate(0, 0, 1)
	}
	m.clock = t
	return t
}

// process gathers a row of pmon. The command is the last column or stands before
// numbers that newer drivers append; it may hold blanks at the end only.
func (m *gpuMon) process(s *Stream, fields []string) bool {
	p := GPUProcess{PID: -1}
	g := &GPU{Index: -1}
	for i, name := range m.names {
		v := fields[i]
		switch name {
		case "gpu":
			g.Index = smallInt(v)
		case "pid":
			if p.PID = smallInt(v); p.PID < 0 && v != "-" {
				return false
			}
		case "sm":
			p.Busy = share(v)
		case "fb":
			p.Used = metric(v, "mib")
		case "command":
			p.Name = v
			if i == len(m.names)-1 {
				p.Name = strings.Join(fields[i:], " ")
			}
		}
	}
	if g.Index < 0 {
		return false
	}
	g.Stamp = m.stamp(m.field(fields, "date"), m.field(fields, "time"))
	return m.sum.add(s, g, p)
}
