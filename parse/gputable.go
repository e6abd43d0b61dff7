package parse

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// gpuTable reads the boxed tables of nvidia-smi and nvitop and the rows of gpustat.
// A device is a line with its name and one with its numbers; the widths differ by
// driver, so the numbers are found by their form.
type gpuTable struct {
	stamp time.Time
	index int
	name  string
	open  bool // a name was read and its numbers are awaited
}

var (
	boxName    = regexp.MustCompile(`^[|│]\s+(\d{1,3})\s+(\S.*?)\s{2,}|^[|│]\s+(\d{1,3})\s+(\S.*?)\s+(?:On|Off|N/A)\s*[|│]`)
	boxNumbers = regexp.MustCompile(`(\d+(?:\.\d+)?)\s*(MiB|GiB)\s*/\s*(\d+(?:\.\d+)?)\s*(MiB|GiB)\s*[|│]\s*(\S+?)%?\s`)
	boxState   = regexp.MustCompile(`^[|│]\s*(\S+?)%?\s+(\S+?)C\s+\S+\s+(\S+?)W?\s*/\s*(\S+?)W?\s*[|│]`)
	gpustatRow = regexp.MustCompile(`^\[(\d{1,3})\]\s+(.*?)\s*\|\s*([^|]*)\|\s*(\S+)\s*/\s*(\S+)\s*MB\s*\|(.*)$`)
	gpustatCol = regexp.MustCompile(`(\d+|\?\?)\s*(%|'C|°C|C)`)
	gpustatPID = regexp.MustCompile(`(\w[\w.-]*)(?::([^/(\s]+))?(?:/(\d+))?\((\d+|\?)M\)`)
	dateLine   = regexp.MustCompile(`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}`)
)

func (t *gpuTable) read(s *Stream, line string) bool {
	switch {
	case strings.HasPrefix(line, "["):
		return t.gpustat(s, line)
	case strings.HasPrefix(line, "|"), strings.HasPrefix(line, "│"):
		return t.box(s, line)
	case strings.HasPrefix(line, "+-"), strings.HasPrefix(line, "╒"), strings.HasPrefix(line, "╞"), strings.HasPrefix(line, "├"), strings.HasPrefix(line, "╘"):
		return !t.stamp.IsZero() // a rule of the box
	}
	if d := dateLine.FindString(line); d != "" {
		t.stamp, t.open = clockStamp(d), false
		return !t.stamp.IsZero() && s.reader == nil
	}
	return false
}

func (t *gpuTable) box(s *Stream, line string) bool {
	if m := boxNumbers.FindStringSubmatch(line); m != nil && t.open {
		t.open = false
		g := &GPU{Index: t.index, Name: t.name, Stamp: t.stamp}
		g.Used, g.Total, g.Busy = metric(m[1], m[2]), metric(m[3], m[4]), share(m[5])
		if m := boxState.FindStringSubmatch(line); m != nil {
			g.Fan, g.Temperature = share(m[1]), metric(m[2], "")
			g.Power, g.PowerLimit = metric(m[3], ""), metric(m[4], "")
		}
		s.emitGPU(g)
		return true
	}
	if m := boxName.FindStringSubmatch(line); m != nil && !strings.Contains(line, "MiB") {
		t.index, t.name, t.open = smallInt(m[1]+m[3]), strings.TrimSpace(m[2]+m[4]), true
		return true
	}
	return strings.Contains(line, "NVIDIA-SMI") || strings.Contains(line, "NVITOP") || !t.stamp.IsZero()
}

// gpustat reads "[0] NAME | 74°C, 97 % | 10240 / 24564 MB | user:python/41234(10228M)".
// With -a a fan stands before the utilization.
func (t *gpuTable) gpustat(s *Stream, line string) bool {
	m := gpustatRow.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	g := &GPU{Index: smallInt(m[1]), Name: m[2], Stamp: t.stamp}
	g.Used, g.Total = metric(m[4], "MB"), metric(m[5], "MB")
	cells := gpustatCol.FindAllStringSubmatch(m[3], -1)
	var shares []string
	for _, c := range cells {
		if c[2] == "%" {
			shares = append(shares, c[1])
		} else {
			g.Temperature = metric(c[1], "")
		}
	}
	switch len(shares) {
	case 1:
		g.Busy = share(shares[0])
	case 2: // fan and utilization
		g.Fan, g.Busy = share(shares[0]), share(shares[1])
	}
	for _, p := range gpustatPID.FindAllStringSubmatch(m[6], 64) {
		pid, _ := strconv.Atoi(p[3])
		g.Processes = append(g.Processes, GPUProcess{PID: pid, User: p[1], Name: p[2], Used: metric(p[4], "MB")})
	}
	if len(g.Processes) > 0 {
		g.ProcessesState = Present
	}
	s.emitGPU(g)
	return true
}
