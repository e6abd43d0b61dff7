package diagnose

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// TestHostRAMQuality promises which courses of main memory are trouble: what grows for good, and
// neither page cache nor the buffers that the data loader's processes fill once.
func TestHostRAMQuality(t *testing.T) {
	t.Parallel()
	const total = 32.0 // GiB of the machine or of the container
	for _, c := range []struct {
		name    string
		group   bool                        // in a container
		used    func(epoch float64) float64 // GiB without page cache
		cache   func(epoch float64) float64 // GiB of page cache
		trouble bool
	}{
		{"flat", false, func(float64) float64 { return 8 }, func(float64) float64 { return 4 }, false},
		{"page cache fills a container", true, func(float64) float64 { return 8 }, func(e float64) float64 { return min(23, 2*e) }, false},
		{"page cache fills a machine", false, func(float64) float64 { return 8 }, func(e float64) float64 { return min(23, 2*e) }, false},
		{"mosaic buffers fill once", false, func(e float64) float64 { return 8 + min(8, 2*e) }, func(float64) float64 { return 4 }, false},
		{"a step at the first validation", false, func(e float64) float64 { return 8 + 8*min(1, float64(int(e))) }, func(float64) float64 { return 4 }, false},
		{"it grows for good", false, func(e float64) float64 { return 8 + 1.1*e }, func(float64) float64 { return 4 }, true},
		{"it grows for good in a container", true, func(e float64) float64 { return 8 + 1.1*e }, func(float64) float64 { return 4 }, true},
		{"mosaic buffers for which there is no room", false, func(e float64) float64 { return 20 + min(12, 1.1*e) }, func(float64) float64 { return 0 }, true},
	} {
		draw := rand.New(rand.NewPCG(1, 2))
		s := NewSession(Input{Name: "train.log"})
		feed(s, 0, strings.Replace(banner, "batch=16", "batch=128", 1)+start)
		run := s.Runs()[0]
		warned := 0
		for i := range 20 * 30 {
			epoch := float64(i) / 30
			if i%30 == 0 {
				feedAt(s, i/30+1, time.Duration(i)*10*time.Second)
			}
			used := (c.used(epoch) + 0.05*draw.Float64()) * float64(parse.GiB)
			h := &parse.Host{
				Elapsed: parse.Have(float64(10 * i)), RAMUsed: parse.Have(used), RAMTotal: parse.Have(total * float64(parse.GiB)),
				Workers: -1,
			}
			if c.group { // the machine around it is great, and busy with others
				h.GroupUsed, h.GroupLimit = h.RAMUsed, h.RAMTotal
				h.RAMUsed, h.RAMTotal = parse.Have(200*float64(parse.GiB)), parse.Have(512*float64(parse.GiB))
			}
			s.Observe(parse.Event{Origin: parse.Origin{Run: time.Duration(i) * 10 * time.Second, HasRun: true}, Record: h})
			if f := run.active(HostRAM); f != nil && warned == 0 {
				warned = int(epoch) + 1
			}
			if c.used(epoch)+c.cache(epoch) > total {
				break
			}
		}
		if (warned > 0) != c.trouble {
			t.Errorf("%s: warned in epoch %d", c.name, warned)
		}
	}
}

// feedAt shows the first row of an epoch.
func feedAt(s *Session, epoch int, at time.Duration) {
	s.Observe(parse.Event{Origin: parse.Origin{Run: at, HasRun: true}, Record: &parse.Progress{
		Epoch: epoch, Epochs: 100, Iter: 1, Iters: 100, Instances: -1, Size: -1, Elapsed: -1,
	}})
}
