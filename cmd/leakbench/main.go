// Command leakbench runs the detectors over series of memory and utilization, for a
// benchmark of what they find and how early.
//
// It reads series from standard input: "#meta {...}" with what is known of a series,
// its rows (series, row, t_seconds, epoch, iter, phase, printed, nvml_used_mib,
// nvml_proc_mib, gpu_util_pct, data_time_share), and "#end NAME". For a row at which
// a finding became true it writes "series,row,label", the label being starved, leak
// or creep, and the seconds until memory runs out where there is a forecast.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// meta is what is known of a series before its first row.
type meta struct {
	Series        string  `json:"series"`
	TotalMiB      float64 `json:"device_total_mib"`
	Epochs        int     `json:"epochs"`
	ItersPerEpoch int     `json:"iters_per_epoch"`
	StartEpoch    int     `json:"start_epoch"`
	PrintedUnit   float64 `json:"printed_unit"`
	CloseMosaic   int     `json:"close_mosaic"` // how many of the last epochs are without mosaic; 0 for none
}

func main() {
	log.SetFlags(0)
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	w := bufio.NewWriterSize(out, 1<<16)
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 1<<16), 1<<20)
	var s *series
	for scanner.Scan() {
		line := scanner.Text()
		switch {
		case strings.HasPrefix(line, "#meta "):
			var m meta
			if err := json.Unmarshal([]byte(line[len("#meta "):]), &m); err != nil {
				return fmt.Errorf("read meta: %w", err)
			}
			s = newSeries(m)
		case strings.HasPrefix(line, "#"), s == nil:
		default:
			s.row(strings.Split(line, ","), w)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read rows: %w", err)
	}
	return w.Flush()
}

// series is one series on its way through a session.
type series struct {
	meta    meta
	session *diagnose.Session
	said    map[string]string // the newest line of each label
	before  time.Duration     // run time of the row before
	epoch   int
	iter    int
}

// trainerPID is the process that trains in series with memory by process.
const trainerPID = 1

func newSeries(m meta) *series {
	s := &series{meta: m, session: diagnose.NewSession(diagnose.Input{Name: m.Series}), said: map[string]string{}}
	s.session.Observe(parse.Event{Record: &parse.Trainer{PID: trainerPID, Processes: []int{trainerPID}}})
	s.session.Observe(parse.Event{Record: &parse.Banner{Torch: "2", Devices: []parse.Device{{Kind: "cuda", Total: parse.Bytes(m.TotalMiB * float64(parse.MiB))}}}})
	return s
}

// row shows a row to the detectors and writes what they said because of it.
func (s *series) row(f []string, w io.Writer) {
	if len(f) < 11 {
		return
	}
	at := time.Duration(number(f[2]) * float64(time.Second))
	epoch, iter := int(number(f[3])), int(number(f[4]))
	origin := parse.Origin{Line: int(number(f[1])) + 1, Run: at, HasRun: true}
	if s.meta.CloseMosaic > 0 && epoch != s.epoch && epoch == s.meta.Epochs-s.meta.CloseMosaic+1 {
		s.session.Observe(parse.Event{Origin: origin, Record: &parse.Notice{Kind: parse.MosaicClosed}})
	}
	if f[6] != "" {
		s.session.Observe(parse.Event{Origin: origin, Record: s.progress(f, epoch, iter, at)})
	}
	if f[9] != "" {
		gpu := &parse.GPU{
			Epoch: epoch, Elapsed: parse.Have(at.Seconds()), Busy: parse.Have(number(f[9]) / 100),
			Used: parse.Have(number(f[7]) * float64(parse.MiB)), Total: parse.Have(s.meta.TotalMiB * float64(parse.MiB)),
		}
		if f[8] != "" {
			gpu.Processes = []parse.GPUProcess{{PID: trainerPID, Used: parse.Have(number(f[8]) * float64(parse.MiB))}}
			gpu.ProcessesState = parse.Present
		}
		s.session.Observe(parse.Event{Origin: origin, Record: gpu})
	}
	s.before, s.epoch, s.iter = at, epoch, iter
	for _, r := range s.session.Runs() {
		for _, finding := range r.Findings {
			label := string(finding.Kind)
			switch finding.Kind {
			case diagnose.Starved, diagnose.Leak, diagnose.Creep:
			default:
				continue
			}
			if !finding.Active || finding.Provisional || finding.Kind == diagnose.Creep && finding.Level == diagnose.Info {
				continue
			}
			line := label
			if o := finding.OOM; o != nil {
				line = fmt.Sprintf("%s,%.0f", label, o.In.Seconds())
			}
			if s.said[label] != line {
				s.said[label] = line
				fmt.Fprintf(w, "%s,%s,%s\n", f[0], f[1], line)
			}
		}
	}
}

// progress is a row of the log with the data time that a callback measured: the
// share of the time of the iterations since the row before.
func (s *series) progress(f []string, epoch, iter int, at time.Duration) *parse.Progress {
	gib := number(strings.TrimSuffix(f[6], "G"))
	p := &parse.Progress{
		Epoch: epoch, Epochs: s.meta.Epochs, Iter: iter, Iters: s.meta.ItersPerEpoch, Instances: -1, Size: -1, Elapsed: -1,
		Memory: parse.MemoryReading{Bytes: parse.Bytes(gib * s.meta.PrintedUnit), Measure: parse.Reserved, Step: parse.Bytes(s.meta.PrintedUnit / 100)},
	}
	if f[10] != "" {
		steps := 1
		if epoch == s.epoch && iter > s.iter {
			steps = iter - s.iter
		}
		p.StepTime = max(1, (at-s.before)/time.Duration(steps))
		p.DataTime = time.Duration(number(f[10]) * float64(p.StepTime))
	}
	return p
}

func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}
