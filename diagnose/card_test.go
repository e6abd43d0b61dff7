package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// bench is a session with live runs, one an input, on a machine with devices.
type bench struct {
	t     *testing.T
	s     *Session
	now   time.Time
	cards []parse.GPU
}

// newBench has a run in its second epoch for each banner.
func newBench(t *testing.T, cards []parse.GPU, banners ...string) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Unix(1_800_000_000, 0), cards: cards}
	b.s = NewSession(make([]Input, len(banners))...)
	for i, text := range banners {
		feed(b.s, i, text+start+header+row("1", "10", "15.1G")+validation+header+row("2", "10", "15.1G"))
	}
	return b
}

// onDevices is the banner of a run on a device that it names.
func onDevices(names string) string {
	return strings.Replace(banner, "CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)", names, 1)
}

// machine is devices of the given names, without processes.
func machine(names ...string) []parse.GPU {
	var out []parse.GPU
	for i, name := range names {
		out = append(out, parse.GPU{
			Index: i, UUID: fmt.Sprintf("GPU-%d%d", i, i), Name: "NVIDIA " + name, Used: parse.Have(float64(parse.GiB)),
			Total: parse.Have(24576 * float64(parse.MiB)), Busy: parse.Have(0.9), ProcessesState: parse.Present,
		})
	}
	return out
}

// with is a device with a process that has so many GiB; less than none is not known.
func with(g parse.GPU, pid int, gib float64) parse.GPU {
	used := parse.Have(gib * float64(parse.GiB))
	if gib < 0 {
		used = parse.Number{State: parse.NotSupported}
	}
	g.Processes = append(slices.Clone(g.Processes), parse.GPUProcess{PID: pid, Used: used})
	return g
}

// runs are samples of all devices for so many seconds, rows of the logs beside them.
func (b *bench) runs(seconds int) {
	for range seconds {
		b.now = b.now.Add(time.Second)
		for i := range b.cards {
			g := b.cards[i]
			b.s.Observe(parse.Event{Origin: parse.Origin{Input: MachineInput, Arrival: b.now}, Record: &g})
		}
	}
}

func (b *bench) trainer(input int, t parse.Trainer) {
	b.s.Observe(parse.Event{Origin: parse.Origin{Input: input, Arrival: b.now}, Record: &t})
}

// wants checks which devices are an input's.
func (b *bench) wants(input int, by CardEvidence, devices ...string) {
	b.t.Helper()
	r := b.s.states[input].run
	var got []string
	for _, g := range b.s.machine.GPUs {
		if r.Owns(g) {
			got = append(got, g.UUID)
		}
	}
	if r.CardBy != by || !slices.Equal(got, devices) {
		b.t.Errorf("run %d has %v by %d, want %v by %d", input, got, r.CardBy, devices, by)
	}
	for _, g := range r.GPUs {
		if !slices.Contains(devices, g.UUID) {
			b.t.Errorf("run %d has samples of %s", input, g.UUID)
		}
	}
}

func trains(pids ...int) parse.Trainer {
	return parse.Trainer{PID: pids[0], Processes: pids, UsesGPU: true}
}

func TestTheCardIsTheTrainers(t *testing.T) {
	t.Parallel()
	b := newBench(t, machine("GeForce RTX 3090", "GeForce RTX 3090", "GeForce RTX 3090"), banner, banner)
	b.cards[1], b.cards[2] = with(b.cards[1], 11, 15.4), with(with(b.cards[2], 21, 15.4), 99, 2)
	b.runs(5)
	b.wants(0, CardUnknown)
	b.trainer(0, trains(20, 21))
	b.trainer(1, trains(11))
	b.runs(5)
	b.wants(0, CardByProcess, "GPU-22")
	b.wants(1, CardByProcess, "GPU-11")
	if g := b.s.states[0].run.GPUs[0]; g.Samples < 4 {
		t.Errorf("%d samples were given to the run", g.Samples)
	}

	b.cards[2].Processes, b.cards[2].ProcessesState = nil, parse.Unavailable
	b.runs(30)
	b.wants(0, CardByProcess, "GPU-22")
	b.trainer(0, parse.Trainer{}) // it ended: what was seen stays, and nothing is added
	seen := b.s.states[0].run.GPUs[0].Samples
	b.runs(5)
	b.wants(0, CardByProcess, "GPU-22")
	if g := b.s.states[0].run.GPUs[0]; g.Samples != seen {
		t.Errorf("the card of a trainer that has ended goes on: %d, %d", seen, g.Samples)
	}
}

func TestALogFromElsewhereHasNoCard(t *testing.T) {
	t.Parallel()
	b := newBench(t, machine("GeForce RTX 3090"), banner)
	b.cards[0] = with(b.cards[0], 77, 15.4) // just such a run, of somebody else
	b.cards[0].Busy = parse.Have(0.1)
	b.runs(400)
	b.wants(0, CardUnknown)
	if f := b.s.states[0].run.Findings; len(f) != 0 {
		t.Errorf("it is judged by this machine: %+v", f[0])
	}
	// Some program that is no training keeps the file open: a copy over the network.
	b.trainer(0, parse.Trainer{PID: 5, Processes: []int{5}})
	b.runs(60)
	b.wants(0, CardUnknown)
}

func TestCardsOfOneRunOnTwo(t *testing.T) {
	t.Parallel()
	b := newBench(t, machine("A100", "A100", "A100"), onDevices("CUDA:0 (A100, 24268MiB)\n                                                          CUDA:1 (A100, 24268MiB)"))
	b.cards[0], b.cards[2] = with(b.cards[0], 31, 15.4), with(b.cards[2], 32, 9)
	b.trainer(0, trains(30, 31, 32))
	b.runs(5)
	b.wants(0, CardByProcess, "GPU-00", "GPU-22")
}

// A container's processes have other numbers than the driver tells, if it tells any.
func TestCardByNameAndEnvironment(t *testing.T) {
	t.Parallel()
	env := func(visible, order string) parse.Trainer {
		t := trains(57)
		t.Visible, t.Order, t.IsVisible = visible, order, visible != ""
		return t
	}
	const first, second = "CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)", "CUDA:1 (NVIDIA GeForce RTX 3090, 24268MiB)"
	same, mixed := machine("GeForce RTX 3090", "GeForce RTX 3090"), machine("GeForce GTX 1080", "GeForce RTX 3090", "GeForce RTX 3090")
	for name, c := range map[string]struct {
		cards   []parse.GPU
		on      string
		trainer parse.Trainer
		want    string
	}{
		"the only one":             {machine("GeForce RTX 3090"), first, env("", ""), "GPU-00"},
		"the only one of its name": {machine("GeForce GTX 1080", "GeForce RTX 3090"), first, env("", ""), "GPU-11"},
		"all alike":                {same, second, env("", ""), "GPU-11"},
		"the first visible":        {same, first, env("1", ""), "GPU-11"},
		"permuted":                 {same, second, env("1,0", ""), "GPU-00"},
		"by its UUID":              {mixed, second, env("GPU-22,GPU-11", ""), "GPU-11"},
		"by a part of it":          {mixed, first, env("GPU-2", ""), "GPU-22"},
		"a UUID of another":        {mixed, first, env("GPU-0", ""), ""},
		"a part of several":        {mixed, first, env("GPU-", ""), ""},
		"by place":                 {mixed, first, env("2", "PCI_BUS_ID"), "GPU-22"},
		"by speed":                 {mixed, first, env("2", ""), ""},
		"by speed, all visible":    {mixed, first, env("", ""), ""},
		"too few visible":          {mixed, second, env("2", "PCI_BUS_ID"), ""},
		"no number":                {mixed, first, env("all", "PCI_BUS_ID"), ""},
		"another name":             {machine("H100"), first, env("", ""), ""},
		"another size":             {machine("GeForce RTX 3090"), "CUDA:0 (NVIDIA GeForce RTX 3090, 12000MiB)", env("", ""), ""},
		"no GPU in use":            {machine("GeForce RTX 3090"), first, parse.Trainer{PID: 57, Processes: []int{57}}, ""},
		"a chance of numbers":      {[]parse.GPU{with(same[0], 57, 0.4), same[1]}, second, env("", ""), "GPU-11"},
		"a process of ours":        {[]parse.GPU{with(same[0], 57, -1), same[1]}, second, env("", ""), "GPU-00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, c.cards, onDevices(c.on))
			b.trainer(0, c.trainer)
			b.runs(cardPatience + 2)
			switch {
			case c.want == "":
				b.wants(0, CardUnknown)
			case name == "a process of ours":
				b.wants(0, CardByProcess, c.want)
			default:
				b.wants(0, CardByName, c.want)
			}
		})
	}
}

func TestADeviceInTheArgumentsIsNotGuessedOver(t *testing.T) {
	t.Parallel()
	b := newBench(t, machine("GeForce RTX 3090", "GeForce RTX 3090"), strings.Replace(banner, "data=x.yaml", "data=x.yaml, device=0", 1))
	tr := trains(57)
	tr.Visible, tr.IsVisible = "1", true
	b.trainer(0, tr)
	b.runs(cardPatience + 2)
	b.wants(0, CardUnknown)
}

func TestAnInstanceIsTheCard(t *testing.T) {
	t.Parallel()
	cards := machine("H100")
	cards = append(cards, cards[0], cards[0])
	cards[1].UUID, cards[2].UUID = "MIG-a", "MIG-b"
	cards[0], cards[2] = with(cards[0], 7, 15.4), with(cards[2], 7, 15.4)
	b := newBench(t, cards, onDevices("CUDA:0 (NVIDIA H100 MIG 3g.40gb, 40192MiB)"))
	b.trainer(0, trains(7))
	b.runs(5)
	b.wants(0, CardByProcess, "MIG-b")
}

func TestACardIsChosenByHand(t *testing.T) {
	t.Parallel()
	b := newBench(t, machine("GeForce RTX 3090", "GeForce RTX 3090"), banner)
	b.runs(5)
	id := b.s.Runs()[0].ID
	b.s.Choose(id, 1)
	b.runs(2)
	b.wants(0, CardByHand, "GPU-11")
	b.s.Choose(id, 7)
	b.s.Choose(id+1, 0)
	b.wants(0, CardByHand, "GPU-11")
	b.cards[0] = with(b.cards[0], 5, 15.4)
	b.trainer(0, trains(5))
	b.runs(5)
	b.wants(0, CardByHand, "GPU-11")
	b.s.Choose(id, ChooseNone)
	b.runs(5)
	b.wants(0, CardNoneByHand)
	b.s.Choose(id, ChooseEvidence)
	b.runs(5)
	b.wants(0, CardByProcess, "GPU-00")
}

// TestTheCardTellsOnTheRun promises that a run is judged by its own card, and that what
// was said of a card that turns out to be another's is taken back.
func TestTheCardTellsOnTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, machine("GeForce RTX 3090", "GeForce RTX 3090"), banner)
	b.trainer(0, trains(5))
	b.cards[0] = with(b.cards[0], 5, 15.4)
	for i := range 300 {
		b.cards[0].Busy, b.cards[1].Busy = parse.Have(bursts(i)), parse.Have(0.95)
		b.runs(1)
	}
	r := b.s.Runs()[0]
	if f := r.finding(Starved); f != nil {
		t.Fatalf("the epoch is complete, this is the validation: %+v", f)
	}
	feed(b.s, 0, header+strings.Replace(row("3", "10", "15.1G"), "100% ━━━━━━━━━━━━ 100/100", "1% ──────────── 1/100", 1))
	for i := range 300 {
		b.cards[0].Busy = parse.Have(bursts(i))
		b.runs(1)
	}
	if f := found(t, r, Starved); !f.Active || f.GPU != 0 || f.First.Line != 0 || f.First.Input != 0 {
		t.Errorf("%+v", f)
	}
	b.s.Choose(r.ID, 1)
	b.runs(2)
	if f := found(t, r, Starved); f.Active {
		t.Errorf("of another's card: %+v", f)
	}
}

// A run that its log says is silent stays so while the driver talks.
func TestSamplesAreNoSignOfLife(t *testing.T) {
	t.Parallel()
	b := newBench(t, machine("GeForce RTX 3090"), banner)
	b.cards[0] = with(b.cards[0], 5, 15.4)
	b.trainer(0, trains(5))
	stream := parse.NewStream(0)
	stream.Write([]byte(header+row("3", "10", "15.1G")), b.now, b.s.Observe)
	for range 30 * 60 {
		b.runs(1)
		b.s.Tick(b.now)
	}
	if f := found(t, b.s.Runs()[0], Stalled); !f.Active {
		t.Errorf("%+v", f)
	}
}
