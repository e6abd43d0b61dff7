package parse

import (
	"bytes"
	"regexp"
	"strings"
	"time"
)

// darknet is AlexeyAB's darknet, which counts iterations only:
//
//	Loaded: 3.519584 seconds - performance bottleneck on CPU or Disk HDD/SSD
//	 2: 1300.750784, 1413.896003 avg loss, 0.000013 rate, 1.006782 seconds, 128 images, 7.541429 hours left
//
// The seconds of a row do not hold those of loading. Older builds print no hours. In a pipe
// the lines of the layers, which are not read, come before the loading they follow.
func darknet() dialect {
	return dialect{
		name: "darknet",
		claims: func(line []byte) bool {
			return bytes.Contains(line, darknetMark) && darknetRow.Match(line) || bytes.Contains(line, []byte("compute_capability = ")) && darknetDevice.Match(line)
		},
		start: func() reader { return &darknetReader{iters: -1} },
	}
}

var darknetMark = []byte(" avg loss, ")

// Lines of darknet.
var (
	darknetRow    = regexp.MustCompile(`^\s*(\d+): (\S+), (\S+) avg loss, \S+ rate, ([0-9.]+) seconds, (\d+) images\b`)
	darknetDevice = regexp.MustCompile(`^\s*(\d+) : compute_capability = \d+.*?, GPU: (.+?)\s*$`)
	darknetBatch  = regexp.MustCompile(`^\s*mini_batch = \d+, batch = (\d+), time_steps = \d+, train = 1\b`)
	darknetLoaded = regexp.MustCompile(`^\s*Loaded: ([0-9.]+) seconds`)
	darknetOf     = regexp.MustCompile(`^\s*(\d+)/(\d+): loss=`)
	darknetSize   = regexp.MustCompile(`^\s*(\d+) x (\d+)\s*$`)
	darknetMAP    = regexp.MustCompile(`mean_average_precision \(mAP@0\.50?\) = ([0-9.]+)`)
)

// darknetReader reads a stream of darknet.
type darknetReader struct {
	trainer introduction
	loaded  time.Duration // for the next row
	iters   int           // -1 if not known
	batch   float64       // 0 if not known
	size    float64       // of the images; 0 if not known
	resizes bool          // the next line is the new size
}

// darknetColumns are the losses of each row.
var darknetColumns = &Columns{Losses: []string{"loss", "avg_loss"}}

// read implements reader.
func (r *darknetReader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if layerLine(line) {
		return true
	}
	resizes := r.resizes
	r.resizes = false
	if bytes.Contains(line, darknetMark) {
		if p := r.row(line); p != nil {
			r.trainer.make(s, "darknet")
			s.emit(p)
			return true
		}
	}
	if m := darknetLoaded.FindSubmatch(line); m != nil {
		r.loaded = seconds(number(string(m[1])))
		return true
	}
	if m := darknetOf.FindSubmatch(line); m != nil {
		if n, digits := scanInt(m[2]); digits > 0 && n > 0 {
			r.iters = n
		}
		return true
	}
	clean := cleanText(line)
	switch {
	case strings.Contains(clean, "compute_capability = "):
		m := darknetDevice.FindStringSubmatch(clean)
		if m == nil {
			return false
		}
		index, _ := scanInt([]byte(m[1]))
		r.trainer.make(s, "darknet")
		s.emit(&Banner{Devices: []Device{{Kind: "cuda", Index: index, Name: m[2]}}})
		return true
	case darknetBatch.MatchString(clean):
		r.batch = number(darknetBatch.FindStringSubmatch(clean)[1])
		s.emit(&Config{Mode: "train", Batch: r.batch, Workers: -1})
		return true
	case strings.Contains(clean, "Resizing, random_coef"):
		r.resizes = true
	case resizes && darknetSize.MatchString(clean):
		r.size = number(darknetSize.FindStringSubmatch(clean)[1])
	case darknetMAP.MatchString(clean):
		s.emit(&Validation{
			Class: "all", Images: -1, Instances: -1, Names: []string{"mAP50"},
			Values: []float64{number(darknetMAP.FindStringSubmatch(clean)[1])},
		})
		return true
	case strings.Contains(clean, "Saving weights to ") && strings.HasSuffix(strings.TrimSpace(clean), "_final.weights"):
		s.emit(&Notice{Kind: Completed, Text: clean})
		return true
	}
	return false
}

// layerLine reports whether a line is about one layer of one part of a batch, of which there
// are thousands: "v3 (iou loss, Normalizer: ... ) Region 139 Avg (IOU: 0.45), count: 28, ...".
func layerLine(line []byte) bool {
	return bytes.HasPrefix(line, []byte("v3 (")) && bytes.Contains(line, []byte(" Region ")) ||
		bytes.HasPrefix(line, []byte("Region ")) && bytes.Contains(line, []byte(" Avg IOU: ")) ||
		bytes.HasPrefix(line, []byte(" total_bbox = ")) && bytes.Contains(line, []byte("rewritten_bbox"))
}

// row reads a row; nil if the line is none.
func (r *darknetReader) row(line []byte) *Progress {
	m := darknetRow.FindSubmatch(line)
	if m == nil {
		return nil
	}
	iter, n := scanInt(m[1])
	loss, a := scanFloat(m[2])
	mean, b := scanFloat(m[3])
	if n == 0 || a != len(m[2]) || b != len(m[3]) {
		return nil
	}
	p := &Progress{Epoch: 1, Stepwise: true, Iter: iter, Iters: r.iters, Columns: darknetColumns, Values: []float64{loss, mean}, Instances: -1, Size: -1, Elapsed: -1}
	if r.size > 0 {
		p.Size = r.size
	}
	if trained := seconds(number(string(m[4]))); trained > 0 {
		p.StepTime, p.DataTime = r.loaded+trained, r.loaded
		p.Rate = float64(time.Second) / float64(p.StepTime)
	}
	r.loaded = 0
	return p
}
