package sources

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"yolotop/parse"
)

// What lies beside a log that yolotop has kept: when what arrived, and what the devices did.
const (
	TimesSuffix   = ".times"   // offsets and times, as [WriteTimes] writes them
	SamplesSuffix = ".gpu.csv" // samples of devices, as nvidia-smi --query-gpu prints them, in UTC
)

// timesHeader is the first line of the times of a log; a line follows for each moment at which the
// log had grown: its size then, in bytes, and the time in UTC.
const (
	timesHeader = "size,time\n"
	timesLayout = "2006-01-02T15:04:05.000Z"
	timesEvery  = time.Second
	timesMost   = 64 << 20 // bytes of such a file that are read
)

// WriteTimes writes to w when a spool has grown, at most once a second, until its end or that of w.
// wait waits between two looks.
func WriteTimes(w io.Writer, s *Spool, now func() time.Time, wait func(time.Duration)) error {
	if _, err := io.WriteString(w, timesHeader); err != nil {
		return err
	}
	for size := int64(0); ; {
		state := s.State()
		if grown := s.Size(); grown > size {
			size = grown
			if _, err := fmt.Fprintf(w, "%d,%s\n", size, now().UTC().Format(timesLayout)); err != nil {
				return err
			}
		}
		if state.Ended || state.Err != nil {
			return state.Err
		}
		<-state.Changed
		wait(timesEvery)
	}
}

// times tells when the bytes of a log arrived.
type times struct {
	sizes []int64
	at    []time.Time
}

// readTimes reads what lies beside a log; nil if there is nothing that can be read.
func readTimes(log string) *times {
	f, err := openFile(log + TimesSuffix)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := bufio.NewReader(io.LimitReader(f, timesMost))
	if head, err := r.ReadString('\n'); err != nil || head != timesHeader {
		return nil
	}
	t := &times{}
	for {
		line, err := r.ReadString('\n')
		if err != nil { // the last line may be cut
			break
		}
		size, at, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ",")
		n, errSize := strconv.ParseInt(size, 10, 64)
		when, errTime := time.Parse(timesLayout, at)
		if k := len(t.sizes); !ok || errSize != nil || errTime != nil || k > 0 && (n <= t.sizes[k-1] || when.Before(t.at[k-1])) {
			continue // a clock that went back tells nothing
		}
		t.sizes, t.at = append(t.sizes, n), append(t.at, when)
	}
	if len(t.sizes) == 0 {
		return nil
	}
	return t
}

// when is when the byte at an offset arrived; ok is false behind the last known one.
func (t *times) when(offset int64) (at time.Time, ok bool) {
	i := sort.Search(len(t.sizes), func(i int) bool { return t.sizes[i] > offset })
	if i == len(t.sizes) {
		return time.Time{}, false
	}
	return t.at[i], true
}

// withTimes has a stream take its time from what lies beside a log, if there is something.
func withTimes(stream *parse.Stream, log string) *parse.Stream {
	if t := readTimes(log); t != nil {
		stream.SetTimes(t.when)
	}
	return stream
}

// samplesHeader are the columns that samples are written in.
var samplesHeader = []string{
	"timestamp", "index", "uuid", "name", "utilization.gpu [%]", "memory.used [MiB]", "memory.total [MiB]", "power.draw [W]", "temperature.gpu",
}

// RecordSamples writes the samples of devices that a source gives to w, in the form of nvidia-smi's
// query with times in UTC, until the context or the source ends.
func RecordSamples(ctx context.Context, w io.Writer, devices Source, every time.Duration, now func() time.Time) error {
	out := csv.NewWriter(w)
	last := map[string]time.Time{}
	return devices.Run(ctx, publishing(func(events []parse.Event) error {
		for _, e := range events {
			s, ok := e.Record.(*parse.GPU)
			if !ok {
				continue
			}
			at, key := now(), s.UUID+strconv.Itoa(s.Index)
			if before, seen := last[key]; seen && at.Sub(before) < every {
				continue
			}
			if len(last) == 0 { // where there are no devices, nothing is written
				if err := out.Write(samplesHeader); err != nil {
					return err
				}
			}
			last[key] = at
			if err := out.Write(sampleRow(s, at)); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	}))
}

// sampleRow is a sample as a row; what is not known is "[N/A]", as nvidia-smi has it.
func sampleRow(s *parse.GPU, at time.Time) []string {
	number := func(n parse.Number, scale float64, unit string) string {
		v, ok := n.Get()
		if !ok {
			return "[N/A]"
		}
		return strconv.FormatFloat(v/scale, 'f', -1, 64) + unit
	}
	whole := func(n parse.Number, scale float64, unit string) string {
		v, ok := n.Get()
		if !ok {
			return "[N/A]"
		}
		return strconv.FormatFloat(v/scale, 'f', 0, 64) + unit
	}
	const mib = float64(parse.MiB)
	return []string{
		at.UTC().Format("2006/01/02 15:04:05.000"), strconv.Itoa(s.Index), s.UUID, s.Name,
		whole(s.Busy, 0.01, " %"), whole(s.Used, mib, " MiB"), whole(s.Total, mib, " MiB"), number(s.Power, 1, " W"), whole(s.Temperature, 1, ""),
	}
}

// publishing is a function that is published to.
type publishing func([]parse.Event) error

// Publish implements [Publisher].
func (f publishing) Publish(_ context.Context, events []parse.Event) error { return f(events) }

// besideLog are the samples that lie beside a log which yolotop has kept.
func besideLog(path string) []Target {
	samples := path + SamplesSuffix
	f, err := openFile(samples)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 16)
	n, _ := io.ReadFull(f, head)
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || !bytes.HasPrefix(head[:n], []byte("timestamp")) {
		return nil
	}
	return []Target{{Path: samples}}
}

// NewBeside makes a file beside a log that only its owner may read; it fails if there is one.
func NewBeside(log, suffix string) (*os.File, error) {
	return os.OpenFile(log+suffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}
