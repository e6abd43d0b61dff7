package parse

import (
	"regexp"
	"strconv"
	"strings"
)

// introduction names a trainer that prints no banner, once.
type introduction struct{ done bool }

func (i *introduction) make(s *Stream, trainer string) {
	if !i.done {
		i.done = true
		s.emit(&Banner{Trainer: trainer})
	}
}

// bannerDevice finds "CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)" and the like.
// Names hold blanks, dashes and parentheses; YOLOv5 5.0 prints "11019.4375MB".
var bannerDevice = regexp.MustCompile(`(CUDA|NPU|XPU|MPS|CPU)(?::(\d+))?(?:\s*\((.*)\))?\s*$`)

// bannerTotal splits "NVIDIA GeForce RTX 3090, 24268MiB".
var bannerTotal = regexp.MustCompile(`^(.*?),\s*([\d.]+)\s*Mi?B$`)

// parseDevice reads the device at the end of a banner, or nil.
func parseDevice(s string) *Device {
	m := bannerDevice.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	d := &Device{Kind: strings.ToLower(m[1]), Index: -1, Name: m[3]}
	if n, digits := scanInt([]byte(m[2])); digits > 0 {
		d.Index = n
	}
	if t := bannerTotal.FindStringSubmatch(m[3]); t != nil {
		d.Name = t[1]
		if v, err := strconv.ParseFloat(t[2], 64); err == nil && v > 0 && v < 1<<30 {
			d.Total = Bytes(v * float64(MiB))
		}
	}
	if d.Name == "unknown" {
		d.Name = ""
	}
	return d
}

// version is a dotted version as numbers; missing parts are 0.
func version(s string) (v [3]int) {
	for i, part := range strings.SplitN(s, ".", 3) {
		n := 0
		for _, c := range part {
			if c < '0' || c > '9' || n > 1e6 {
				break
			}
			n = n*10 + int(c-'0')
		}
		v[i] = n
	}
	return v
}

// AtLeast reports whether version s is v or newer.
func AtLeast(s string, v [3]int) bool {
	have := version(s)
	for i := range have {
		if have[i] != v[i] {
			return have[i] > v[i]
		}
	}
	return true
}
