package diagnose

import (
	"testing"

	"yolotop/parse"
)

// TestEstimate promises what takes the memory, computed from what the trainer printed.
func TestEstimate(t *testing.T) {
	t.Parallel()
	const summary = "YOLO11s summary: 181 layers, 10,000,000 parameters, 10,000,000 gradients, 21.7 GFLOPs\n" +
		"YOLO11s summary (fused): 100 layers, 9,000,000 parameters, 0 gradients, 21.5 GFLOPs\n"
	for optimizer, numbers := range map[string]parse.Bytes{"AdamW": 5, "SGD": 4} {
		text := banner + summary + "optimizer: " + optimizer + "(lr=0.001667, momentum=0.9) with parameter groups 114 weight(decay=0.0)\n" + start + header + row("1", "10", "15.0G")
		m, ok := only(t, read(t, text)).Estimate()
		if !ok || m.Model() != numbers*40_000_000 || m.Input != 16*3*640*640*4 || m.Rest != 15*parse.GiB-m.Model()-m.Input {
			t.Errorf("%s: %v %+v", optimizer, ok, m)
		}
	}
	if m, ok := only(t, read(t, banner+start+header+row("1", "10", "15.0G"))).Estimate(); ok {
		t.Errorf("without a summary: %+v", m)
	}
}
