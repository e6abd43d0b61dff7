package diagnose

import (
	"math"
	"time"

	"yolotop/parse"
)

// hostRAM says that the machine's memory, not the card's, will end a run, where the
// machine is sampled; and after the fact that it did: killed workers, a full
// /dev/shm, Windows' commit limit.
type hostRAM struct {
	ramp hostRamp
	died bool
}

// Observe implements detector.
func (d *hostRAM) Observe(r *Run, e *parse.Event) {
	switch rec := e.Record.(type) {
	case *parse.Host:
		if !d.died {
			d.ramp.sample(r, e, rec)
		}
	case *parse.Stage:
		if rec.Kind == parse.Caching && !d.died {
			d.caching(r, e, rec)
		}
	case *parse.Progress:
		if d.died {
			d.died = false
			r.withdraw(HostRAM) // it went on
		}
	case *parse.Failure:
		d.failure(r, e, rec)
	}
}

// cacheKnown is the share of the images from which on it is known what all will need.
const cacheKnown = 0.1

// caching says, while images are read into main memory, that they will not fit.
func (d *hostRAM) caching(r *Run, e *parse.Event, s *parse.Stage) {
	if r.Host == nil || s.Cached == 0 || float64(s.Done) < cacheKnown*float64(s.Total) {
		return
	}
	used, total, ok := HostMemory(r.Host)
	if !ok {
		return
	}
	held, need := r.CacheNeeds()
	free, f := max(0, total-used), r.active(HostRAM)
	if need-held <= free {
		if f != nil {
			r.withdraw(HostRAM)
		}
		return
	}
	if f != nil {
		f.Last = r.moment(e)
		return
	}
	r.raise(e, Finding{
		Kind: HostRAM, GPU: -1, Level: Warning,
		Title:   Say("hostram.caching.title", need, free+held),
		Because: Say("hostram.caching.because", held, Percent(float64(s.Done)/float64(s.Total)), free),
		Advice:  []Message{cacheAdvice(r)},
		Limits:  []Message{Say("hostram.caching.limits")},
	})
}

func cacheAdvice(r *Run) Message {
	if c, ok := r.Args["cache"]; ok {
		return Say("hostram.cache", c)
	}
	return Say("hostram.caching.disk")
}

// HostMemory is how much main memory is in use and how much there is, within the limit of
// the control group where that is lower; ok is false if it is not known.
func HostMemory(h *parse.Host) (used, total parse.Bytes, ok bool) {
	used, okUsed := h.RAMUsed.Bytes()
	total, okTotal := h.RAMTotal.Bytes()
	if limit, ok := h.GroupLimit.Bytes(); ok && (limit < total || !okTotal) {
		if group, ok := h.GroupUsed.Bytes(); ok {
			return group, limit, limit > 0
		}
	}
	return used, total, okUsed && okTotal && total > 0
}

// failure explains an error that the machine's memory caused.
func (d *hostRAM) failure(r *Run, e *parse.Event, f *parse.Failure) {
	if r.Death != f && (d.died || f.Kind == parse.Killed) {
		return // a consequence of what was said already
	}
	var title, because Message
	var advice []Message
	switch f.Kind {
	case parse.WorkerKilled:
		title, because = Say("hostram.worker.title", phaseName(r.DeathPhase)), Say("hostram.worker.because", f.PID)
	case parse.Killed:
		title, because = Say("hostram.killed.title", phaseName(r.DeathPhase)), Say("hostram.killed.because")
		advice = append(advice, Say("hostram.dmesg"))
	case parse.SharedMemory:
		title, because = Say("hostram.shm.title"), Say("hostram.shm.because")
		advice = append(advice, Say("hostram.shm.size"))
	case parse.FileHandles:
		title, because = Say("hostram.files.title"), Say("hostram.files.because")
		advice = append(advice, Say("hostram.files.limit"), Say("hostram.files.sharing"))
	case parse.HostMemory:
		title, because = Say("hostram.alloc.title"), Say("hostram.alloc.because")
	case parse.PagingFile:
		title, because = Say("hostram.paging.title"), Say("hostram.paging.because")
		advice = append(advice, Say("hostram.paging.size"))
	default:
		return
	}
	advice = append(advice, hostAdvice(r)...)
	d.died = true
	r.raise(e, Finding{Kind: HostRAM, GPU: -1, Level: Critical, Title: title, Because: because, Advice: advice, Limits: []Message{Say("hostram.limits")}})
}

// hostAdvice is how to make a run need less of the machine's memory.
func hostAdvice(r *Run) []Message {
	var out []Message
	if r.Has("workers") && r.Workers > 0 {
		out = append(out, Say("hostram.workers.key", r.Workers, max(1, r.Workers/2)))
	} else if r.Workers != 0 {
		out = append(out, Say("hostram.workers"))
	}
	if c, ok := r.Args["cache"]; ok && c != "False" && c != "None" && c != "disk" {
		out = append(out, Say("hostram.cache", c))
	}
	return append(out, Say("hostram.batch"))
}

// Main memory grows for good only if block after block holds more than the one
// before; page cache is not in the number.
const (
	hostBlock     = 2 * time.Minute // where no epochs are known
	hostRises     = 3               // blocks in a row
	hostRise      = 0.01            // of all memory, by which a block must rise
	hostGrowth    = 0.10            // of all memory, over the calm level before
	hostFull      = 0.90
	hostBlocksOff = 10 // no forecast further than this
)

// hostRamp follows the use of main memory, block by block: an epoch, or two minutes.
type hostRamp struct {
	epoch       int
	began       time.Duration
	high        float64 // of the present block, in bytes
	last        float64 // of the block before
	calm        float64 // of the last block that did not rise
	first       float64 // of the first block
	rises       int
	steps       float64 // sum of the rises in a row
	initialized bool
}

func (h *hostRamp) sample(r *Run, e *parse.Event, s *parse.Host) {
	usedBytes, totalBytes, ok := HostMemory(s)
	if !ok {
		return
	}
	used, total := float64(usedBytes), float64(totalBytes)
	at := r.sampleTime(e, s.Stamp, s.Elapsed)
	if !h.initialized {
		*h = hostRamp{initialized: true, epoch: r.Epoch, began: at, high: used}
		return
	}
	if r.Epoch != h.epoch || r.Epoch == 0 && at-h.began >= hostBlock {
		h.close(total)
		h.epoch, h.began, h.high = r.Epoch, at, used
	}
	h.high = max(h.high, used)
	h.judge(r, e, used, total)
}

// close ends a block.
func (h *hostRamp) close(total float64) {
	rise := h.high - h.last
	switch {
	case h.last == 0:
		h.calm, h.first = h.high, h.high
	case rise > hostRise*total:
		h.rises++
		h.steps += rise
	default:
		h.rises, h.steps, h.calm = 0, 0, h.high
	}
	h.last = h.high
}

// A data loader process of Ultralytics keeps so many batches of decoded images for mosaics, and
// so many images at most (max_buffer_length in data/base.py).
const (
	mosaicBatches = 8
	mosaicImages  = 1000
)

// mosaicBuffers is how many bytes those of all processes take at most; 0 if that is not known.
func mosaicBuffers(r *Run) float64 {
	workers := max(r.Workers, r.LoaderWorkers)
	if r.Trainer != "ultralytics" || r.Task == "classify" || workers <= 0 || r.Batch < 1 || len(r.ImgSize) == 0 {
		return 0
	}
	images := math.Min(mosaicBatches*r.Batch, mosaicImages)
	return float64(workers) * images * 3 * pixels(1, r.ImgSize)
}

func (h *hostRamp) judge(r *Run, e *parse.Event, used, total float64) {
	f := r.active(HostRAM)
	if h.rises < hostRises || h.high-h.calm < hostGrowth*total {
		if f != nil && h.rises == 0 && used < hostFull*total {
			r.withdraw(HostRAM)
		}
		return
	}
	if rest := mosaicBuffers(r) - (h.high - h.first); rest > 0 && used+rest < hostFull*total {
		return // its processes fill their buffers of images once, and there is room for them
	}
	perBlock := h.steps / float64(h.rises)
	blocks := (total - used) / perBlock
	level := Warning
	if used >= hostFull*total {
		level = Critical
	} else if blocks > hostBlocksOff {
		return
	}
	if f != nil && f.Level >= level {
		f.Last = r.moment(e)
		return
	}
	unit := Say("hostram.block")
	if r.Epoch > 0 {
		unit = Say("hostram.epoch")
	}
	r.raise(e, Finding{
		Kind: HostRAM, GPU: -1, Level: level,
		Title:   Say("hostram.ramp.title", parse.Bytes(perBlock), unit, int(max(blocks, 0))),
		Because: Say("hostram.ramp.because", parse.Bytes(used), parse.Bytes(total), h.rises),
		Advice:  hostAdvice(r),
		Limits:  []Message{Say("hostram.limits")},
	})
}
