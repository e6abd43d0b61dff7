package parse

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// plainLoop reads what loops print that people write themselves: a line with an epoch or a
// step and named numbers, a loss among them or memory. It claims a stream only where no
// trainer does, and reads nothing out of prose.
//
//	Epoch [1/10], Step [100/600], Loss: 0.53
//	epoch=3 loss=0.41 lr=1e-4
//	Epoch: [0][ 10/5005]  Time 0.51 ( 1.20)  Data 0.10 ( 0.31)  Loss 6.9e+00 (7.0e+00)
//	[1,  2000] loss: 2.230
//	Epoch 1/10:  50%|█████     | 5/10 [00:01<00:01,  4.50it/s, loss=0.5]
//	[第 1/30 轮] 损失：2.7158，显存 已分配: 1.94 GB
func plainLoop() dialect {
	return dialect{
		name: "pytorch",
		weak: true,
		claims: func(line []byte) bool {
			row := (&loopReader{}).row(line)
			return row != nil && (row.began != nil && row.began.Epoch <= maxHeading || row.progress != nil && (row.progress.Columns != nil || row.memory != nil))
		},
		start: func() reader { return &loopReader{base: -1} },
	}
}

// loopReader reads a stream of such lines.
type loopReader struct {
	trainer introduction
	columns *Columns
	base    int  // of the epochs as printed: 0 or 1; -1 before the first one
	epoch   int  // the newest one, from 1; 0 before it
	named   bool // epochs are printed, not counted by iterations that begin anew
	iter    int
	rows    bool
}

// loopRow is what a line of a loop says; nil where it does not.
type loopRow struct {
	progress *Progress
	values   *Validation
	began    *Notice
	stage    *Stage
	memory   *Memory
	rest     []byte
}

// read implements reader.
func (r *loopReader) read(s *Stream, text []byte, _ int) bool {
	line := bound(text)
	if s.torch.quoted(cleanText(line)) {
		return false
	}
	row := r.row(line)
	if row == nil {
		clean := cleanText(line)
		if r.rows && loopDone.MatchString(clean) {
			s.emit(&Notice{Kind: Completed, Text: clean})
			r.base, r.epoch, r.named, r.iter = -1, 0, false, 0 // what follows is another run
			return true
		}
		return false
	}
	r.trainer.make(s, "pytorch")
	if p := row.progress; p != nil {
		r.rows = true
		r.follow(p)
		if row.memory != nil {
			p.Memory = row.memory.best()
		}
		s.emit(p)
		if m := row.memory; m != nil && m.Total > 0 {
			s.emit(&Memory{Device: m.Device, Total: m.Total, Retries: -1, OOMs: -1})
		}
	}
	if n := row.began; n != nil {
		n.Epoch, n.Epochs = r.count(n.Epoch, n.Epochs)
		n.Text = cleanText(line)
		s.emit(n)
	}
	if row.values != nil {
		s.emit(row.values)
	}
	if row.stage != nil {
		s.emit(row.stage)
	}
	s.glued(row.rest)
	return true
}

// frame implements barReader.
func (r *loopReader) frame(text []byte, _ int) *Progress {
	if _, isBar := scanTqdmLine(bound(text)); !isBar {
		return nil
	}
	now := *r
	row := now.row(bound(text))
	if row == nil || row.progress == nil {
		return nil
	}
	now.follow(row.progress)
	if row.memory != nil {
		row.progress.Memory = row.memory.best()
	}
	return row.progress
}

// loopDone finds how tutorials end.
var loopDone = regexp.MustCompile(`^\W*(?:(?i:training (?:is )?(?:complete|completed|finished|done)|finished training)\b|训练(?:已)?(?:完成|结束))`)

// count makes of a printed epoch and total the epoch from 1 and how many there are.
//
// Loops that count from 0 print either the number of epochs or the last one; of the two the
// round number is meant. Where neither is round, the total is not known: 0.
func (r *loopReader) count(printed, total int) (epoch, epochs int) {
	if printed == 0 || r.base < 0 {
		r.base = min(printed, 1)
	}
	r.epoch, r.named = printed+1-r.base, true
	switch {
	case total <= 0:
		return r.epoch, 0
	case r.base == 1:
		return r.epoch, total
	case printed == total || (total+1)%5 == 0:
		return r.epoch, total + 1
	case total%5 == 0:
		return r.epoch, total
	}
	return r.epoch, 0
}

// follow gives a row its epoch: the printed one, that of the heading above it, or one more
// when the iterations begin anew.
func (r *loopReader) follow(p *Progress) {
	switch {
	case p.Epoch >= 0:
		p.Epoch, p.Epochs = r.count(p.Epoch, p.Epochs)
	case r.epoch == 0:
		r.epoch = 1
	case !r.named && p.Iter >= 0 && p.Iter < r.iter:
		r.epoch++
	}
	p.Epoch = r.epoch
	p.Stepwise = !r.named && r.epoch == 1 // until the iterations begin anew
	r.iter = p.Iter
	if p.Columns != nil {
		if sameColumns(p.Columns, r.columns) {
			p.Columns = r.columns
		}
		r.columns = p.Columns
	}
}

// maxHeading is the greatest epoch that a heading may name to claim a stream.
const maxHeading = 100_000

// words of counters and of validations, as the last and the first word of a name.
var (
	epochWords = map[string]bool{"epoch": true, "ep": true, "轮次": true, "轮": true, "第轮": true}
	stepWords  = map[string]bool{"step": true, "global_step": true, "iter": true, "iteration": true, "it": true, "batch": true, "batch_idx": true, "步": true, "步数": true, "迭代": true, "第步": true}
	valWords   = map[string]bool{"val": true, "valid": true, "validation": true, "test": true, "testing": true, "eval": true, "evaluation": true, "dev": true, "验证": true, "测试": true}
	// noLoss are words of names that hold "loss" and are no loss of a step.
	noLoss = map[string]bool{"best": true, "final": true, "min": true, "max": true, "lowest": true, "saved": true, "threshold": true, "target": true, "scale": true, "weight": true, "reset": true}
	// plainLoss are the words of a loss that may stand without a counter beside it.
	plainLoss = map[string]bool{"train": true, "training": true, "avg": true, "average": true, "mean": true, "running": true, "epoch": true, "total": true, "loss": true, "损失": true, "训练": true, "平均": true}
	// cifarRow is that of PyTorch's first tutorial, whose counters have no names.
	cifarRow = regexp.MustCompile(`^\s*\[(\d{1,6}),\s*(\d{1,9})\]\s+(loss: .*)$`)
)

// row reads a line; nil if it says nothing.
func (r *loopReader) row(line []byte) *loopRow {
	if len(line) > maxSentence || len(line) < 6 {
		return nil
	}
	bar, hasBar := scanTqdmLine(line)
	text := cleanText(line)
	if hasBar {
		text = cleanText(bar.description) + " | " + cleanText(bar.postfix)
	}
	c := counters{epoch: -1, epochs: -1, iter: -1, iters: -1, data: -1}
	if m := cifarRow.FindStringSubmatch(text); m != nil {
		c.epoch, c.iter = int(number(m[1])), int(number(m[2]))
		text = m[3]
	}
	if !strings.ContainsAny(text, "0123456789") && !hasBar {
		return nil
	}
	s := sentenceOf(text)
	if s.loose > mostLoose || s.loose > 0 && !s.lead && !hasBar {
		return nil
	}
	out := &loopRow{rest: bar.rest}
	p := &Progress{Iter: -1, Iters: -1, Instances: -1, Size: -1, Elapsed: -1}
	values := &Validation{Class: "all", Images: -1, Instances: -1}
	var names []string
	starred := strings.HasPrefix(strings.TrimSpace(text), "* ") // " * Acc@1 76.1 Acc@5 92.9"
	validates := len(s.pairs) > 0 && isValName(s.pairs[0].name) || s.val || starred
	if len(s.pairs) > 0 && isValName(s.pairs[0].name) && s.pairs[0].of > 0 && s.pairs[0].unit == "" && !strings.Contains(strings.ToLower(s.pairs[0].name), "acc") && !hasBar {
		if done, ok := s.pairs[0].count(); ok { // "Test: [ 11/196]"
			if r.rows {
				return &loopRow{stage: &Stage{Kind: Validating, Part: "val", Done: done, Total: s.pairs[0].total(), Elapsed: -1}}
			}
			return nil
		}
	}
	for _, pr := range s.pairs {
		name := strings.ToLower(pr.name)
		switch {
		case c.take(name, pr), pr.name == "":
		case name == "time" || name == "data" || strings.HasSuffix(name, " time"):
			c.duration(name, pr)
		case pr.unit != "" && pr.unit != "%" || len(pr.name) > 64:
		case validates || isValName(name):
			if n, known := valName(pr.name); (known || strings.Contains(name, "loss") || validates && !loopNoise[name]) && len(values.Names) < maxColumns {
				values.Names, values.Values = append(values.Names, n), append(values.Values, ratio(pr))
			}
		case isLoss(name):
			if len(names) < maxColumns-2 {
				names, p.Values = append(names, strings.ReplaceAll(pr.name, " ", "_")), append(p.Values, pr.value)
			}
		}
	}
	out.memory = memoryOf(s.pairs, true)
	counted := c.epoch >= 0 || c.iter >= 0 && c.certain
	switch {
	case hasBar && validates:
		out.stage = &Stage{Kind: Validating, Part: "val", Done: bar.bar.done, Total: bar.bar.total, Elapsed: bar.bar.elapsed}
	case len(names) > 0 && (counted || hasBar || r.epoch > 0 && s.loose == 0 && isPlainLoss(s.pairs[0].name)), counted && out.memory != nil, hasBar && c.epoch >= 0:
		p.Epoch, p.Epochs, p.Iter, p.Iters = c.epoch, max(0, c.epochs), c.iter, c.iters
		if hasBar {
			p.Iter, p.Iters, p.Rate, p.Elapsed = bar.bar.done, bar.bar.total, bar.bar.rate, bar.bar.elapsed
		}
		if names != nil {
			p.Columns = &Columns{Losses: names}
		}
		if c.step > 0 && c.data >= 0 && c.iter >= 0 {
			p.StepTime, p.DataTime = c.step, min(c.data, c.step)
			p.Rate = float64(time.Second) / float64(c.step)
		}
		out.progress = p
	case c.epoch >= 0 && c.iter < 0 && out.memory == nil && s.loose == 0 && values.Names == nil && len(s.pairs) == 1 && !hasBar && (!s.pairs[0].signed || c.epochs > 0):
		out.began = &Notice{Kind: EpochBegan, Epoch: c.epoch, Epochs: max(0, c.epochs)}
	}
	if values.Names != nil && (r.rows || out.progress != nil) && out.stage == nil {
		out.values = values
	}
	if out.progress == nil && out.values == nil && out.stage == nil && out.began == nil {
		return nil
	}
	return out
}

// counters are where a loop is, as printed; -1 where it is not.
type counters struct {
	epoch, epochs, iter, iters int
	certain                    bool // the iteration has a name that means nothing else
	step, data                 time.Duration
}

// take takes a pair that counts; it reports whether it does.
func (c *counters) take(name string, p pair) bool {
	words := strings.Fields(name)
	n, ok := p.count()
	if !ok || p.unit != "" {
		return false
	}
	if len(words) == 0 { // "Epoch: [0][100/5005]"
		if c.iter < 0 && p.total() > 0 && n <= p.total() {
			c.iter, c.iters = n, p.total()
		}
		return true
	}
	last := words[len(words)-1]
	for _, w := range words[:len(words)-1] {
		if !fillers[w] && w != "global" {
			return false // "best epoch"
		}
	}
	switch {
	case epochWords[last] && c.epoch < 0:
		c.epoch, c.epochs = n, p.total()
	case stepWords[last] && c.iter < 0:
		c.iter, c.iters = n, p.total()
		c.certain = last != "batch" && last != "it" || p.of > 0
	default:
		return false
	}
	return true
}

// duration takes the time of a step, or of waiting for its data.
func (c *counters) duration(name string, p pair) {
	d := seconds(p.value)
	switch p.unit {
	case "", "s", "sec":
	case "ms":
		d /= 1000
	default:
		return
	}
	switch {
	case strings.Contains(name, "data"):
		c.data = d
	case name == "time", name == "batch time", name == "step time", name == "iter time":
		c.step = d
	}
}

// loopNoise are numbers of validation lines that are no results.
var loopNoise = map[string]bool{"lr": true, "time": true, "eta": true, "data": true}

// nameWords are the words of a name in lower case.
func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c == ' ' || c == '_' || c == '/' || c == '-' || c == '.' })
}

// isValName reports whether a name is of a validation: "val_loss", "Test set: Average loss".
func isValName(name string) bool {
	words := nameWords(name)
	return len(words) > 0 && valWords[words[0]]
}

// isLoss reports whether a name in lower case is that of a loss of training.
func isLoss(name string) bool {
	if !strings.Contains(name, "loss") && !strings.Contains(name, "损失") {
		return false
	}
	return !slices.ContainsFunc(nameWords(name), func(w string) bool { return noLoss[w] })
}

// isPlainLoss reports whether a name can only be that of the loss of training.
func isPlainLoss(name string) bool {
	words := nameWords(name)
	return len(words) > 0 && isLoss(strings.ToLower(name)) && !slices.ContainsFunc(words, func(w string) bool { return !plainLoss[w] })
}

// valName is a result under the name that others use for it, where there is one, else as
// printed.
func valName(name string) (ours string, known bool) {
	key := strings.NewReplacer("val_", "", "val/", "", "val ", "", "test_", "", "test ", "", "eval_", "", "eval ", "", "@", "", ":", "-", " ", "", "_", "").Replace(strings.ToLower(name))
	switch key {
	case "map50", "map0.5", "map.5", "ap50":
		return "mAP50", true
	case "map50-95", "map0.5-0.95", "map.5-.95", "map5095", "map":
		return "mAP50-95", true
	case "precision", "recall":
		return key, true
	}
	return strings.ReplaceAll(name, " ", "_"), false
}

// ratio is a pair's value, or its share where it is one of a number: "9839/10000".
func ratio(p pair) float64 {
	if p.of > 0 {
		return p.value / p.of
	}
	return p.value
}
