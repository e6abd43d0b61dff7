package diagnose

import (
	"strings"

	"yolotop/parse"
)

// MemoryEstimate is what takes the memory of a run, as far as its model, optimizer and batch
// tell. All but Rest are computed from 32-bit numbers, which mixed precision keeps as well.
type MemoryEstimate struct {
	Weights, Gradients parse.Bytes
	Optimizer          parse.Bytes // its state: one number a parameter with momentum, two with Adam
	EMA                parse.Bytes // the running mean of the weights
	Input              parse.Bytes // the batch of images on one GPU
	Rest               parse.Bytes // of the greatest held: activations and the allocator's cache
}

// bytesEach is how many bytes a number takes.
const bytesEach = 4

// Estimate estimates what takes the memory; ok is false where the model's size, the batch or
// the memory held is not known.
func (r *Run) Estimate() (m MemoryEstimate, ok bool) {
	if r.Parameters == 0 || r.Batch < 1 || len(r.ImgSize) == 0 || r.Memory.Peak == 0 || !r.Memory.Held() {
		return m, false
	}
	all := parse.Bytes(r.Parameters) * bytesEach
	m.Weights, m.Gradients, m.EMA, m.Optimizer = all, all, all, all
	if strings.Contains(strings.ToLower(r.Optimizer), "adam") {
		m.Optimizer = 2 * all
	}
	height, width := r.ImgSize[0], r.ImgSize[len(r.ImgSize)-1]
	images := parse.Bytes(r.Batch) / parse.Bytes(max(1, len(r.Devices)))
	m.Input = max(1, images) * 3 * parse.Bytes(height) * parse.Bytes(width) * bytesEach
	m.Rest = r.Memory.Peak - m.Model() - m.Input
	return m, m.Rest > 0
}

// Model is what the model takes whatever the batch is.
func (m MemoryEstimate) Model() parse.Bytes { return m.Weights + m.Gradients + m.Optimizer + m.EMA }

// Text is the estimate in a sentence.
func (m MemoryEstimate) Text() Message {
	return Say("estimate.text", m.Model(), m.Input, m.Rest)
}
