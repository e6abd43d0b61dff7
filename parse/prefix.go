package parse

import (
	"regexp"
	"time"
)

// peeled is a line without the prefix of a transport.
type peeled struct {
	text  []byte
	stamp time.Time
	zoned bool // the stamp names its zone
	rank  int
}

// Prefixes that transports put before lines: docker and kubectl, journald, ts,
// srun -l, torchrun.
var (
	stampPrefix  = regexp.MustCompile(`^\s*\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?\]?\s`)
	syslogPrefix = regexp.MustCompile(`^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )(?:\S+ \S+\[\d+\]: )?`)
	rankPrefix   = regexp.MustCompile(`^\[(?:rank|default)(\d+)\]:\s?`)
	srunPrefix   = regexp.MustCompile(`^ ?(\d{1,4}): `)
)

// peel takes known prefixes off the start of a line.
func peel(seg *segment) peeled {
	p := peeled{text: seg.text, rank: -1}
	if !seg.first || len(p.text) == 0 {
		return p
	}
	for range 3 {
		c := p.text[0]
		i := skipSpace(p.text, 0)
		if i == len(p.text) || c == ' ' && !isDigit(p.text[i]) {
			return p
		}
		head := p.text[:min(len(p.text), 160)]
		switch {
		case c == '[' || isDigit(p.text[i]):
			if m := stampPrefix.FindSubmatch(head); m != nil {
				p.stamp, p.zoned = parseStamp(string(m[1]), string(m[2])), len(m[2]) > 0
				p.text = p.text[len(m[0]):]
			} else if m := rankPrefix.FindSubmatch(head); m != nil {
				p.rank, _ = scanInt(m[1])
				p.text = p.text[len(m[0]):]
			} else if m := srunPrefix.FindSubmatch(head); m != nil && !darknetRow.Match(p.text) {
				p.rank, _ = scanInt(m[1])
				p.text = p.text[len(m[0]):]
			} else {
				return p
			}
		case c >= 'A' && c <= 'Z':
			m := syslogPrefix.Find(head)
			if m == nil {
				return p
			}
			p.text = p.text[len(m):]
		default:
			return p
		}
		if len(p.text) == 0 {
			return p
		}
	}
	return p
}

// parseStamp reads an ISO time; without a zone it counts as UTC, since only
// differences matter. It is zero if the numbers are no time.
func parseStamp(s, zone string) time.Time {
	b := []byte(s)
	b[4], b[7], b[10] = '-', '-', 'T'
	for i, c := range b {
		if c == ',' {
			b[i] = '.'
		}
	}
	if zone == "" {
		zone = "Z"
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700"} {
		if t, err := time.Parse(layout, string(b)+zone); err == nil {
			return t
		}
	}
	return time.Time{}
}
