package parse

import (
	"regexp"
	"strings"
	"time"
)

// gpuTable reads the boxed tables of nvidia-smi and nvitop. A device is a line with
// its name and one with its numbers; the widths differ by driver, so the numbers are
// found by their form. The samples are complete when the list of processes below
// ends, or something else begins.
type gpuTable struct {
	stamp   time.Time
	part    boxPart
	named   *GPU // its name was read; its numbers are on the next line
	samples []*GPU
	origins []Origin
}

// boxPart is where in a box the reader is.
type boxPart uint8

const (
	outside     boxPart = iota
	ofDevices           // title, heads, devices, MIG devices
	ofProcesses         // title and heads of the processes
	ofRows              // the processes themselves
)

var (
	boxName    = regexp.MustCompile(`^[|│]\s+(\d{1,3})\s+(\S.*?)(?:\s+(?:On|Off|N/A|WDDM|TCC|MCDM))?\s*[|│]\s*[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d\s`)
	boxNumbers = regexp.MustCompile(`[|│]\s*(\d+(?:\.\d+)?)\s*([MG]iB)\s*/\s*(\d+(?:\.\d+)?)\s*([MG]iB)\s*[|│]\s*(\d+%|\S+)\s`)
	boxState   = regexp.MustCompile(`^[|│]\s*(\S+?)%?\s+(\S+?)C?\s+\S+\s+(\S+?)W?\s*/\s*(\S+?)W?\s*[|│]`)
	boxProcess = regexp.MustCompile(`^\|\s+(\d{1,3})\s+(?:(?:N/A|\d+)\s+(?:N/A|\d+)\s+)?(\d+)\s+(?:C\+G|M\+C|C|G|M)\s+(\S.*?)\s+(\d+MiB|N/A)\s*\|$`)
	nvitopRow  = regexp.MustCompile(`^[|│]\s+(\d{1,3})\s+(\d+)\s+(?:C\+G|C|G|X|N/A)\s+(\S+)\s+([\d.]+[MG]iB|N/A)\s+(\S+)\s+(?:\S+\s+){4}(.*?)\s*[|│]$`)
	dateLine   = regexp.MustCompile(`^(?:Every [\d.]+s: .*?)?((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$`)
)

// boxRules are what the lines between the rows of a box begin with.
var boxRules = []string{"+-", "|-", "|=", "╒", "╞", "├", "╘"}

func (t *gpuTable) read(s *Stream, line string) bool {
	named := t.named
	t.named = nil
	if len(line) > 512 {
		return false
	}
	for _, rule := range boxRules {
		if strings.HasPrefix(line, rule) {
			return t.rule(s, line)
		}
	}
	if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "│") {
		return t.row(s, line, named)
	}
	if m := dateLine.FindStringSubmatch(line); m != nil {
		t.flush(s)
		t.stamp = clockStamp(m[1])
		return !t.stamp.IsZero() && s.reader == nil
	}
	return false
}

// rule takes a line between rows. The one below the processes ends the box.
func (t *gpuTable) rule(s *Stream, line string) bool {
	switch {
	case t.part == outside:
		return !t.stamp.IsZero() && strings.Trim(line, "+-╒═╕") == "" && s.reader == nil // the top
	case t.part == ofProcesses && (strings.HasPrefix(line, "|=") || strings.HasPrefix(line, "╞")):
		t.part = ofRows
	case t.part == ofRows && !strings.HasPrefix(line, "|"):
		t.flush(s)
	}
	return true
}

func (t *gpuTable) row(s *Stream, line string, named *GPU) bool {
	if named != nil {
		if m := boxNumbers.FindStringSubmatch(line); m != nil {
			named.Used, named.Total, named.Busy = metric(m[1], m[2]), metric(m[3], m[4]), share(m[5])
			if m := boxState.FindStringSubmatch(line); m != nil {
				named.Fan, named.Temperature = share(m[1]), metric(m[2], "")
				named.Power, named.PowerLimit = metric(m[3], ""), metric(m[4], "")
			}
			t.samples, t.origins = append(t.samples, named), append(t.origins, s.origin)
			s.gpu.holds = true
			return true
		}
	}
	if t.part < ofProcesses {
		if m := boxName.FindStringSubmatch(line); m != nil {
			if index := smallInt(m[1]); t.part == outside || len(t.samples) >= maxDevices || t.index(index) != nil {
				t.flush(s) // a table without a beginning
				t.part = ofDevices
			}
			t.named = &GPU{Index: smallInt(m[1]), Name: m[2], Stamp: t.stamp}
			return true
		}
	}
	switch {
	case strings.Contains(line, "NVIDIA-SMI") || strings.Contains(line, "NVITOP"):
		t.flush(s)
		t.part, s.gpu.holds = ofDevices, true
	case t.part == outside:
		return false
	case strings.Contains(line, " Processes:"):
		t.part = ofProcesses
	case t.part == ofRows:
		t.process(line)
	}
	return true
}

// maxDevices bounds the samples that are kept until a box ends.
const maxDevices = 256

// index is the sample of a device in this box, nil if there is none.
func (t *gpuTable) index(i int) *GPU {
	for _, g := range t.samples {
		if g.Index == i {
			return g
		}
	}
	return nil
}

func (t *gpuTable) process(line string) {
	p := GPUProcess{}
	m := boxProcess.FindStringSubmatch(line)
	if m != nil {
		p.Name, p.Used = m[3], metric(m[4], "")
	} else if m = nvitopRow.FindStringSubmatch(line); m != nil {
		p.User, p.Used, p.Busy, p.Name = m[3], metric(m[4], ""), share(m[5]), m[6]
	} else {
		return
	}
	p.PID = max(0, smallInt(m[2]))
	if g := t.index(smallInt(m[1])); g != nil && len(g.Processes) < maxDevices {
		g.Processes, g.ProcessesState = append(g.Processes, p), Present
	}
}

// flush sends the samples of the box and leaves it.
func (t *gpuTable) flush(s *Stream) {
	samples, origins, now := t.samples, t.origins, s.origin
	t.samples, t.origins, t.part = nil, nil, outside
	for i, g := range samples {
		s.origin = origins[i]
		s.emitGPU(g)
	}
	s.origin = now
}
