package diagnose

import (
	"strings"
	"testing"
)

const died = "Traceback (most recent call last):\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.88 GiB. GPU 0 has a total capacity of 23.70 GiB of which 520.00 MiB is free. Including non-PyTorch memory, this process has 23.10 GiB memory in use.\n"

// TestStory promises that what became of a run is told with how far it came, what ended it, whether
// that was foretold, and how to go on; and that a run that goes on has no story.
func TestStory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log         string
		want, never []string
	}{
		"a leak that killed": {
			epochsOf(100, line(24, 8, 0.6)...) + died,
			[]string{"reached epoch 24 of 100", "It died: out of memory", "The cause: GPU memory leaks", "That was foretold: leak, from epoch ", "What to do first: "},
			[]string{"finished"},
		},
		"a sudden death": {epochsOf(100, 8, 8, 8, 8, 8) + died, []string{"It died: out of memory", "Nothing in the log foretold it."}, []string{"The cause: GPU memory leaks"}},
		"nothing to resume from": {
			banner + start + header + row("1", "10", "8.2G") + died,
			[]string{"reached epoch 1 of 10", "Nothing was saved yet"},
			[]string{"resume"},
		},
		"something to resume from": {epochsOf(100, 8, 8) + header + row("3", "100", "8.2G") + died, []string{"To resume after epoch 2: yolo train resume"}, []string{"Nothing was saved"}},
		"it goes on":               {epochsOf(100, 8, 8, 8), nil, []string{"epoch"}},
		"an end that is good":      {epochsOf(4, 8, 8, 8, 8) + "\n4 epochs completed in 0.112 hours.\n", []string{"finished with epoch 4 of 4"}, []string{"died", "foretold", "go on"}},
	} {
		runs := read(t, c.log).Runs()
		var parts []string
		for _, m := range runs[len(runs)-1].Story() {
			parts = append(parts, m.In(English))
			if m.In(Chinese) == m.In(English) {
				t.Errorf("%s: no Chinese for %q", name, m.In(English))
			}
		}
		story := strings.Join(parts, " ")
		for _, w := range c.want {
			if !strings.Contains(story, w) {
				t.Errorf("%s: no %q in %q", name, w, story)
			}
		}
		for _, w := range c.never {
			if strings.Contains(story, w) {
				t.Errorf("%s: %q in %q", name, w, story)
			}
		}
	}
}
