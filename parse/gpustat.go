package parse

import (
	"regexp"
	"strings"
	"time"
)

// gpustat reads the rows of gpustat, which are whole samples:
//
//	[0] NVIDIA GeForce RTX 4090 | 74°C,  97 % | 10240 / 24564 MB | user:python/41234(10228M)
//
// Options put a fan before the utilization, and codecs and power behind it.
type gpustat struct {
	stamp time.Time
}

var (
	gpustatRow     = regexp.MustCompile(`^\[(\d{1,3})\]\s+([^|]*?)\s*\|([^|]*)\|\s*(\d+|\?\?)\s*/\s*(\d+|\?\?)\s*MB(?:\s*\|(.*))?$`)
	gpustatHead    = regexp.MustCompile(`^\S+\s+([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})(?:\s+[\d.]+)?$`)
	gpustatShare   = regexp.MustCompile(`^(\d+|\?\?)\s*%$`)
	gpustatDegrees = regexp.MustCompile(`^(\d+|\?\?)\s*(?:'|°)?\s*C$`)
	gpustatCodec   = regexp.MustCompile(`([ED]):\s*(\d+|\?\?)\s*%`)
	gpustatPower   = regexp.MustCompile(`^(\d+|\?\?)?\s*(?:/\s*(\d+|\?\?))?\s*W$`)
	gpustatPID     = regexp.MustCompile(`([^\s:/()]+)(?::([^\s/()]+))?(?:/(\d+))?\((\d+|\?+)M\)`)
)

func (t *gpustat) read(s *Stream, line string) bool {
	if line[0] != '[' {
		if len(line) > 160 {
			return false
		}
		m := gpustatHead.FindStringSubmatch(line)
		if m == nil {
			return false
		}
		t.stamp = clockStamp(m[1])
		return !t.stamp.IsZero() && s.reader == nil
	}
	m := gpustatRow.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	g := &GPU{Index: smallInt(m[1]), Name: m[2], Stamp: t.stamp}
	g.Used, g.Total = metric(m[4], "MB"), metric(m[5], "MB")
	gpustatState(g, m[3])
	for _, p := range gpustatPID.FindAllStringSubmatch(m[6], 64) {
		g.Processes = append(g.Processes, GPUProcess{PID: max(0, smallInt(p[3])), User: p[1], Name: p[2], Used: metric(strings.Trim(p[4], "?"), "MB")})
	}
	if len(g.Processes) > 0 {
		g.ProcessesState = Present
	}
	s.emitGPU(g)
	return true
}

// gpustatState reads "74°C,  30 %,  97 % (E: 0 %  D: 0 %),  331 / 450 W".
func gpustatState(g *GPU, text string) {
	if open := strings.IndexByte(text, '('); open >= 0 {
		for _, c := range gpustatCodec.FindAllStringSubmatch(text[open:], 2) {
			if c[1] == "E" {
				g.Encoder = share(c[2])
			} else {
				g.Decoder = share(c[2])
			}
		}
		if end := strings.IndexByte(text[open:], ')'); end >= 0 {
			text = text[:open] + text[open+end+1:]
		}
	}
	var shares []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if m := gpustatShare.FindStringSubmatch(part); m != nil {
			shares = append(shares, m[1])
		} else if m := gpustatDegrees.FindStringSubmatch(part); m != nil {
			g.Temperature = metric(m[1], "")
		} else if m := gpustatPower.FindStringSubmatch(part); m != nil {
			if m[1] != "" {
				g.Power = metric(m[1], "")
			}
			if m[2] != "" {
				g.PowerLimit = metric(m[2], "")
			}
		}
	}
	switch len(shares) {
	case 1:
		g.Busy = share(shares[0])
	case 2:
		g.Fan, g.Busy = share(shares[0]), share(shares[1])
	}
}
