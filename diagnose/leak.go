package diagnose

import (
	"math"
	"time"

	"yolotop/parse"
)

// leak finds memory that is never given back: highs that come again and again where chance
// would make them rare. It watches the log's numbers, and the driver's for each device.
type leak struct {
	log   growth
	cards []*cardGrowth
	ranks []*rankGrowth // by the hook, which knows better than the log
	size  float64       // the greatest of images so far; 0 before the first
	iters int           // of an epoch; 0 before the first
	// compared is that the trainings before this one in its process were looked at.
	compared bool
	stepwise bool // of the newest row
	pauses   pauses
	excused  int // pauses whose rise did not count
}

// cardGrowth is the growth of one device by the driver's count.
type cardGrowth struct {
	index   int
	uuid    string
	own     bool // of the trainer's own process, else of everybody
	pid     int  // of the only process, where the trainer's is not known
	missing int  // samples in a row without the own process
	growth  growth
	pseudo  pseudoEpochs
}

// pseudoEpochs cuts time into parts where nothing tells the epochs.
type pseudoEpochs struct {
	n     int
	began time.Duration
}

// pseudoEpoch is how long such a part lasts.
const pseudoEpoch = 2 * time.Minute

func (p *pseudoEpochs) at(t time.Duration) int {
	if p.n == 0 || t-p.began >= pseudoEpoch {
		p.n++
		p.began = t
	}
	return p.n
}

// rowsAsEpoch is how many rows count as an epoch where a trainer counts none.
const rowsAsEpoch = 50

// Observe implements detector.
func (d *leak) Observe(r *Run, e *parse.Event) {
	switch rec := e.Record.(type) {
	case *parse.Progress:
		m := rec.Memory
		if m.Measure == parse.NotMeasured || m.Measure != r.Memory.Measure {
			return
		}
		d.row(r, e, rec, float64(m.Bytes), float64(m.Step))
	case *parse.Notice:
		switch rec.Kind {
		case parse.MosaicClosed, parse.Resumed:
			d.log.changed()
			for _, c := range d.cards {
				c.growth.changed()
			}
			for _, g := range d.ranks {
				g.growth.changed()
			}
		case parse.BatchReduced:
			d.log, d.cards, d.ranks = growth{}, nil, nil
			r.withdraw(Leak)
		}
	case *parse.Hook:
		d.hook(r, e, rec)
	case *parse.GPU:
		d.card(r, e, rec)
	}
}

// row takes a row of the log.
func (d *leak) row(r *Run, e *parse.Event, p *parse.Progress, v, quantum float64) {
	if p.Stepwise != d.stepwise && d.log.all > 0 { // another axis
		d.log = growth{}
		r.withdraw(Leak)
	}
	d.stepwise = p.Stepwise
	epoch, x, whole := p.Epoch, r.Position(), p.Complete()
	if p.Stepwise {
		epoch, x, whole = 1+d.log.all/rowsAsEpoch, float64(max(p.Iter, 0)), false
	}
	if p.Size > d.size || p.Iters > 0 && p.Iters != d.iters {
		if d.size > 0 || d.iters > 0 { // larger images, or another data set: other needs
			d.log.changed()
		}
		d.size, d.iters = max(d.size, p.Size), max(p.Iters, 0)
	}
	if d.pauses.row(p) && d.excused < mostExcused { // a new shape was compiled, and needs memory of its own
		d.excused++
		d.log.excuse(v)
	}
	d.log.total = float64(r.Memory.Total)
	before := d.log.epochs()
	if !d.log.row(epoch, x, v, math.Max(quantum, v/2000), whole) {
		return
	}
	d.between(r, e)
	if len(d.ranks) > 0 {
		return
	}
	limit := 0.0
	if r.Memory.Total > 0 {
		limit = float64(r.Memory.Total - contextLeast)
	}
	d.judge(r, e, &d.log, judgement{
		limit: limit, perEpoch: d.log.perEpoch(p.Stepwise), ended: d.log.epochs() > before, gpu: r.gpu(), measure: r.Memory.Measure, stepwise: p.Stepwise,
	})
}

// mostExcused is how many pauses may explain a rise: torch.compile gives up on code that it has
// compiled some times, while a validation in the middle of an epoch, which may leak, goes on.
const mostExcused = 32

// contextLeast is what CUDA and the desktop take beside what a log shows.
const contextLeast = 512 * parse.MiB

// card takes a sample of a device.
func (d *leak) card(r *Run, e *parse.Event, s *parse.GPU) {
	used, ok := s.Used.Bytes()
	if !ok {
		return
	}
	dev := r.device(s.Index, s.UUID)
	c := d.cardOf(s)
	v, others := float64(used), 0.0
	own, pid, known := ownMemory(r, s)
	switch {
	case known && (!c.own || pid != c.pid):
		c.growth, c.own, c.pid = growth{}, true, pid
	case !known && c.own:
		if c.missing++; c.missing < ownMissing {
			return // the list has a gap
		}
		c.growth, c.own = growth{}, false
	}
	c.missing = 0
	if known {
		v, others = float64(own), math.Max(0, float64(used-own))
	}
	c.growth.blind = !known
	c.growth.total = float64(dev.Total)
	at := dev.at
	epoch := r.Epoch
	if s.Epoch > 0 {
		epoch = s.Epoch
	} else if epoch == 0 || r.Stepwise {
		epoch = c.pseudo.at(at)
	}
	before := c.growth.epochs()
	if !c.growth.row(epoch, at.Seconds(), v, float64(2*parse.MiB), false) || dev.Total == 0 {
		return
	}
	d.judge(r, e, &c.growth, judgement{
		limit: float64(dev.Total) - others, perEpoch: c.growth.perEpoch(true), ended: c.growth.epochs() > before,
		gpu: max(s.Index, 0), measure: parse.DriverTotal, byDriver: true, timed: true, epochs: r.Epoch > 0 && !r.Stepwise, stepwise: r.Stepwise,
	})
}

func (d *leak) cardOf(s *parse.GPU) *cardGrowth {
	for _, c := range d.cards {
		if c.index == s.Index && c.uuid == s.UUID {
			return c
		}
	}
	c := &cardGrowth{index: s.Index, uuid: s.UUID}
	d.cards = append(d.cards, c)
	return c
}

// ownMissing is after how many samples without the own process it is no longer waited for.
const ownMissing = 60

// ownMemory is what the trainer's own processes hold on a device, and which process it is
// where that is not known otherwise; known is false where the driver or the recording does
// not tell.
func ownMemory(r *Run, s *parse.GPU) (own parse.Bytes, pid int, known bool) {
	if len(r.processes) == 0 { // a recording with one process is of that one
		if s.ProcessesState != parse.Present || len(s.Processes) != 1 {
			return 0, 0, false
		}
		own, known = s.Processes[0].Used.Bytes()
		return own, s.Processes[0].PID, known
	}
	for _, p := range s.Processes {
		if b, ok := p.Used.Bytes(); ok && r.OwnProcess(p.PID) {
			own, known = own+b, true
		}
	}
	return own, 0, known
}

// perEpoch is how much of X an epoch takes: one, unless X counts something else.
func (g *growth) perEpoch(other bool) float64 {
	k := len(g.levels)
	if !other || k < 2 || g.levels[k-1].epoch <= g.levels[0].epoch {
		return 1
	}
	return math.Max((g.levels[k-1].x-g.levels[0].x)/float64(g.levels[k-1].epoch-g.levels[0].epoch), 1e-9)
}

// judgement is what growth is judged against.
type judgement struct {
	limit    float64 // bytes at which memory is full; 0 if not known
	perEpoch float64 // X an epoch takes
	ended    bool    // an epoch has ended
	gpu      int
	measure  parse.Measure
	byDriver bool
	timed    bool // X is in seconds
	epochs   bool // something tells the epochs
	stepwise bool
}

// shortRun is how many epochs a run is taken for at least when growth is weighed: slow growth
// on a great card is growth too.
const shortRun = 60

// judge raises, revises or takes back the finding.
func (d *leak) judge(r *Run, e *parse.Event, g *growth, j judgement) {
	if g.found != nil && !j.ended {
		return
	}
	said := r.active(Leak)
	if said != nil && j.byDriver && !said.ByDriver {
		return // the log's own numbers say it better
	}
	own := said != nil && said.ByDriver == j.byDriver && said.GPU == j.gpu
	giveUp := func() {
		g.found = nil
		g.restart()
		if own {
			r.withdraw(Leak)
		}
	}
	if g.found != nil && (g.stopped() || own && said.OOM != nil && r.Position() > said.OOM.High) {
		giveUp()
		return
	}
	epochs := max(r.Epochs, shortRun)
	if f := g.judge(j.limit, float64(epochs)*j.perEpoch, j.ended); f == nil {
		return
	}
	slows := slowsTo
	if j.timed && !j.epochs {
		slows = slowsToTimed
	}
	if g.decelerates(slows) && !g.sawtooth() {
		if own {
			giveUp()
		}
		g.found = nil // it may still become one
		return
	}
	slope, level, ok := g.trend()
	if !ok {
		return
	}
	d.raise(r, e, g, j, slope, level)
}

// raise says what was found.
func (d *leak) raise(r *Run, e *parse.Event, g *growth, j judgement, slope, level float64) {
	perEpoch := parse.Bytes(slope * j.perEpoch)
	f := Finding{
		Kind: Leak, GPU: j.gpu, Level: Warning, ByDriver: j.byDriver,
		Title:   Say("leak.title", perEpoch),
		Because: g.because(r.Epoch > 0 && !j.stepwise),
		Advice:  leakAdvice(r, false),
		Limits:  []Message{Say("leak.limits")},
	}
	switch {
	case j.stepwise && !j.timed:
		f.Title = Say("leak.title.steps", parse.Bytes(slope*1000))
	case r.Epoch == 0 || j.stepwise:
		f.Title = Say("leak.title.time", parse.Bytes(slope*60))
	}
	if g.found.far || j.stepwise && !j.timed && j.limit > 0 && r.Iters > 0 && float64(r.Iter)+(j.limit-level)/slope > float64(r.Iters) {
		f.Level, f.Provisional = Info, g.found.far
	}
	if o := forecastOf(r, j, slope, level, g.doubt()); o != nil {
		f.OOM = o
		beyond := r.Epochs > 0 && o.Epoch > float64(r.Epochs)
		switch {
		case beyond, g.found.far:
			f.Level = Info
			f.Provisional = g.found.far
			f.OOM = nil
			if beyond {
				f.Because = Say("leak.fits", f.Because, r.Epochs)
			}
		case r.patienceEnds(o.Epoch):
			f.Level, f.OOM = Info, nil
			f.Because = Say("leak.fits.patience", f.Because, r.PatienceStop(), int(math.Ceil(o.Epoch)))
		case o.Epoch-r.Position() <= leakNear && r.Epochs > 0:
			f.Level = Critical
		}
		if f.OOM != nil {
			f.Because = Say("leak.full", f.Because, int(math.Ceil(o.Epoch)), int(math.Floor(o.Low)), int(math.Ceil(o.High)))
			if o.In > 0 {
				f.Because = Say("leak.full.time", f.Because, o.In)
			}
		}
	}
	if said := r.active(Leak); said != nil && said.GPU != f.GPU && said.ByDriver && (said.Level > f.Level || said.Level == f.Level && sooner(said.OOM, f.OOM)) {
		return // another device is worse
	}
	r.withdraw(Creep)
	r.raise(e, f)
}

// Growth that slows down to such a share of its pace is no leak; less is asked for where no
// epochs tell a start from the rest.
const (
	slowsTo      = 0.5
	slowsToTimed = 0.65
)

// decelerates reports whether growth since its onset has slowed down: so do caches and rare
// batches, and a leak does not.
func (g *growth) decelerates(to float64) bool {
	x, v, _ := g.channelOf(inPeak, 0, true)
	k := 0
	for k < len(x)-1 && x[k] < g.found.since {
		k++
	}
	v = v[k:]
	n := len(v)
	if n < 6 {
		return false
	}
	half := n / 2
	early, late := v[half]-v[0], v[n-1]-v[half]
	return early > 4*g.step() && late < to*early*float64(n-1-half)/float64(half)
}

// stopped reports whether memory has not grown for as long as it should have risen by several
// steps, at the pace at which it was found.
func (g *growth) stopped() bool {
	n := len(g.levels)
	if n < 8 || !(g.found.slope > 0) {
		return false
	}
	from, sure := n-8, 6*g.step()
	for from > 0 && g.found.slope*(g.levels[n-1].x-g.levels[from].x) < sure {
		from--
	}
	expected := g.found.slope * (g.levels[n-1].x - g.levels[from].x)
	top := 0.0
	for _, l := range g.levels[from+1:] {
		top = math.Max(top, l.max)
	}
	return expected >= sure && g.levels[from].x >= g.found.since && top-g.levels[from].max < 0.15*expected
}
