package parse

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// jsonLines reads files of one JSON object a row, which some trainers write beside their
// logs: mmcv's *.log.json, MMEngine's scalars.json, Detectron2's metrics.json and the
// log.txt of RT-DETR and its relatives. Python writes bare NaN and Infinity into them.
func jsonLines() dialect {
	return dialect{
		name: "jsonlines",
		claims: func(line []byte) bool {
			if !bytes.HasPrefix(line, []byte(`{"`)) || !bytes.HasSuffix(bytes.TrimRight(line, " "), []byte("}")) {
				return false
			}
			o := readObject(line)
			return o != nil && o.trainer() != ""
		},
		start: func() reader { return &jsonReader{} },
	}
}

// jsonReader reads a stream of such rows.
type jsonReader struct {
	trainer string
	columns *Columns
}

// object is what a row holds, in its order. Texts and objects in it are left out.
type object struct {
	names  []string
	values []float64
	lists  map[string][]float64
	texts  map[string]string
}

// get is a number of a row; ok is false if it has none of that name.
func (o *object) get(name string) (v float64, ok bool) {
	return Named{Names: o.names, Values: o.values}.Get(name)
}

// has reports whether a row has all the names.
func (o *object) has(names ...string) bool {
	for _, n := range names {
		if _, ok := o.get(n); !ok {
			return false
		}
	}
	return true
}

// trainer is who writes such a row; empty if that is not known.
func (o *object) trainer() string {
	switch {
	case o.texts["mode"] == "train" && o.has("epoch", "iter"), o.texts["mode"] == "val" && o.has("epoch"):
		return "mmdet"
	case o.texts["env_info"] != "" && o.texts["exp_name"] != "":
		return "mmdet"
	case o.has("iteration", "time", "data_time"):
		return "detectron2"
	case o.has("step", "time", "data_time", "loss"), o.has("step", "coco/bbox_mAP"):
		return "mmengine"
	case o.has("train_loss", "epoch"):
		return "metriclogger"
	}
	return ""
}

// nonNumber finds what is no JSON behind a colon.
var nonNumber = regexp.MustCompile(`([:\[,]\s*)(-?Infinity|NaN)\b`)

// maxObject is the most names of a row that are looked at.
const maxObject = 256

// readObject reads a row; nil if it is no JSON object.
func readObject(line []byte) *object {
	if bytes.Contains(line, []byte("NaN")) || bytes.Contains(line, []byte("Infinity")) {
		line = nonNumber.ReplaceAll(line, []byte(`$1"$2"`))
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	o := &object{lists: map[string][]float64{}, texts: map[string]string{}}
	for n := 0; d.More() && n < maxObject; n++ {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return nil
		}
		var v any
		if d.Decode(&v) != nil {
			return nil
		}
		switch v := v.(type) {
		case []any:
			for _, x := range v[:min(len(v), maxColumns)] {
				if f, ok := jsonNumber(x); ok {
					o.lists[name] = append(o.lists[name], f)
				}
			}
		case string:
			if f, ok := jsonNumber(v); ok {
				o.names, o.values = append(o.names, cleanText([]byte(name))), append(o.values, f)
			} else {
				o.texts[name] = v
			}
		default:
			if f, ok := jsonNumber(v); ok {
				o.names, o.values = append(o.names, cleanText([]byte(name))), append(o.values, f)
			}
		}
	}
	return o
}

// jsonNumber is a number, or the text that stands for one that JSON does not have.
func jsonNumber(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(v.String(), 64)
		return f, err == nil
	case string:
		switch v {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
	}
	return 0, false
}

// read implements reader.
func (r *jsonReader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if !bytes.HasPrefix(line, []byte(`{"`)) {
		return false
	}
	o := readObject(line)
	if o == nil {
		return false
	}
	trainer := o.trainer()
	if trainer == "" {
		return false
	}
	if r.trainer != trainer {
		r.trainer = trainer
		s.emit(&Banner{Trainer: trainer})
	}
	if rec := r.record(o); rec != nil {
		s.emit(rec)
	}
	return true
}

// record is what a row says; nil if that is nothing for us.
func (r *jsonReader) record(o *object) Record {
	if r.trainer == "metriclogger" {
		return epochObject(o)
	}
	if o.texts["mode"] == "val" || o.has("coco/bbox_mAP") {
		var b strings.Builder
		for i, n := range o.names {
			b.WriteString(n + ": " + strconv.FormatFloat(o.values[i], 'g', -1, 64) + "  ")
		}
		if v := namedResults(b.String()); v != nil {
			return v
		}
		return nil
	}
	p := r.progress(o)
	if p == nil {
		return nil
	}
	return p
}

// progress reads a row of training; nil if it is none.
func (r *jsonReader) progress(o *object) *Progress {
	p := &Progress{Epoch: 1, Iter: -1, Iters: -1, Instances: -1, Size: -1, Elapsed: -1}
	whole := func(name string) (int, bool) {
		v, ok := o.get(name)
		if !ok || !(v >= 0 && v < maxCount-1) || v != math.Trunc(v) {
			return 0, false
		}
		return int(v), true
	}
	if e, ok := whole("epoch"); ok && e > 0 {
		p.Epoch = e
	}
	if i, ok := whole("iteration"); ok { // from 0
		p.Iter, p.Stepwise = i+1, true
	} else if i, ok := whole("iter"); ok {
		p.Iter = i
	}
	if p.Iter < 0 {
		return nil
	}
	var names []string
	for i, n := range o.names {
		if strings.Contains(n, "loss") && !isPart(n) && len(names) < maxColumns-2 {
			names = append(names, n)
			p.Values = append(p.Values, o.values[i])
		}
	}
	if p.Values == nil {
		return nil
	}
	if c := (&Columns{Losses: names}); !sameColumns(c, r.columns) {
		r.columns = c
	}
	p.Columns = r.columns
	if v, ok := o.get("time"); ok {
		p.StepTime = seconds(v)
	}
	if v, ok := o.get("data_time"); ok {
		p.DataTime = min(seconds(v), p.StepTime)
	}
	if p.StepTime > 0 {
		p.Rate = float64(time.Second) / float64(p.StepTime)
	}
	if v, ok := o.get("memory"); ok && v > 0 && v < 1<<30 {
		p.Memory = MemoryReading{Bytes: Bytes(v) * MiB, Measure: AllocatedMax, Step: MiB}
		if r.trainer == "mmengine" {
			p.Memory.Measure = IntervalMax
		}
	}
	return p
}

// epochObject reads a row of an epoch; epochs count from 0. The list of COCO's results
// begins with the mean over all thresholds and that at 0.50.
func epochObject(o *object) Record {
	e, _ := o.get("epoch")
	if !(e >= 0 && e < maxCount-1) || e != math.Trunc(e) {
		return nil
	}
	row := &EpochRow{Epoch: int(e) + 1, Time: -1}
	for i, n := range o.names {
		switch name, ok := strings.CutPrefix(n, "train_"); {
		case !ok:
		case strings.HasPrefix(name, "lr"):
			row.Rates.Names, row.Rates.Values = append(row.Rates.Names, name), append(row.Rates.Values, o.values[i])
		case strings.Contains(name, "loss") && !isPart(name) && len(row.Losses.Names) < maxColumns:
			row.Losses.Names, row.Losses.Values = append(row.Losses.Names, name), append(row.Losses.Values, o.values[i])
		}
	}
	if coco := o.lists["test_coco_eval_bbox"]; len(coco) > 1 {
		row.Metrics = Named{Names: []string{"mAP50", "mAP50-95"}, Values: []float64{coco[1], coco[0]}}
	}
	return row
}
