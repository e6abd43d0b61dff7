package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// joined is a run of 15.1 GB whose trainer, 5 with its worker 6, is on the only device of
// 24 GiB.
func joined(t *testing.T) (*bench, *Run) {
	t.Helper()
	b := newBench(t, machine("GeForce RTX 3090"), banner)
	b.cards[0] = with(with(b.cards[0], 5, 15.4), 6, 0.1)
	b.cards[0].Used = parse.Have(15.8 * float64(parse.GiB))
	b.trainer(0, trains(5, 6))
	b.runs(30)
	b.wants(0, CardByProcess, "GPU-00")
	return b, b.s.Runs()[0]
}

// TestANeighbourOnTheCard promises that another process on the run's card is told with
// whose it is, as a note while there is room and as a warning when there is not, after it
// has stayed, and taken back when it has gone.
func TestANeighbourOnTheCard(t *testing.T) {
	t.Parallel()
	b, r := joined(t)
	if f := r.finding(OtherProcess); f != nil {
		t.Fatalf("its own processes are no neighbours: %+v", f)
	}
	alone := b.cards[0]
	beside := with(alone, 77, 4)
	beside.Processes[len(beside.Processes)-1].Name = "python"
	beside.Processes[len(beside.Processes)-1].User = "ben"
	beside.Used = parse.Have(19.8 * float64(parse.GiB))
	b.cards[0] = beside
	b.runs(neighbourSamples - 1)
	if f := r.finding(OtherProcess); f != nil {
		t.Fatalf("it may only pass by: %+v", f)
	}
	b.runs(2)
	f := found(t, r, OtherProcess)
	if title := f.Title.In(English); f.Level != Info || !strings.Contains(title, "pid 77 (python, user ben) has 4.00 GiB") {
		t.Errorf("%v: %s", f.Level, title)
	}
	if n := len(r.Marks); n == 0 || r.Marks[n-1].Kind != MarkNeighbour {
		t.Errorf("marks %+v", r.Marks)
	}
	full := beside
	full.Used = parse.Have(23.0 * float64(parse.GiB))
	b.cards[0] = full
	b.runs(2)
	if f := found(t, r, OtherProcess); f.Level != Warning || strings.Contains(strings.Join(texts(f.Advice), " "), "batch") {
		t.Errorf("%v: %q", f.Level, texts(f.Advice))
	}
	other := with(alone, 99, 6) // the first one has gone, another has come
	other.Used = parse.Have(21.8 * float64(parse.GiB))
	b.cards[0] = other
	b.runs(2)
	if f := found(t, r, OtherProcess); f.Level != Warning || !strings.Contains(f.Title.In(English), "pid 99") {
		t.Errorf("%v: %s", f.Level, f.Title.In(English))
	}
	other.Used = parse.Have(19 * float64(parse.GiB))
	b.cards[0] = other
	b.runs(2)
	if f := found(t, r, OtherProcess); f.Level != Info {
		t.Errorf("there is room again: %v", f.Level)
	}
	if free, ok := r.Free(); !ok || free > 2*parse.GiB {
		t.Errorf("%v are free at the peak, with the neighbour", free)
	}
	b.cards[0] = alone
	b.runs(neighbourSamples + 1)
	if f := found(t, r, OtherProcess); f.Active {
		t.Error("it has gone")
	}
}

// What is not known of the other processes is not said of them.
func TestNeighboursThatAreNone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(g *parse.GPU){
		"a desktop":         func(g *parse.GPU) { *g = with(*g, 77, 0.6) },
		"memory not known":  func(g *parse.GPU) { *g = with(*g, 77, -1) },
		"list not complete": func(g *parse.GPU) { *g = with(*g, 77, 9); g.ProcessesState = parse.NoPermission },
		"not ours either": func(g *parse.GPU) {
			g.Processes = []parse.GPUProcess{{PID: 77, Used: parse.Have(9 * float64(parse.GiB))}}
		},
	} {
		b, r := joined(t)
		change(&b.cards[0])
		b.runs(60)
		if f := r.finding(OtherProcess); f != nil {
			t.Errorf("%s: %s", name, f.Title.In(English))
		}
	}
}

// texts are sentences in English.
func texts(messages []Message) []string {
	var out []string
	for _, m := range messages {
		out = append(out, m.In(English))
	}
	return out
}

// TestACardThatIsHeldBack promises that heat and the hardware's brake are told, where they
// last on a device that works, and that the limit of its power is not.
func TestACardThatIsHeldBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		busy float64
		why  []string
		want string
	}{
		{"heat", 0.9, []string{"heat"}, "GPU 0 is slowed by heat"},
		{"heat and power", 0.9, []string{"power", "heat"}, "GPU 0 is slowed by heat"},
		{"hardware", 0.9, []string{"power", "hardware"}, "GPU 0 is slowed by its hardware's protection"},
		{"power", 0.9, []string{"power"}, ""},
		{"idle", 0.1, []string{"heat"}, ""},
		{"nothing", 0.9, nil, ""},
	} {
		b, r := joined(t)
		g := &b.cards[0]
		g.Busy = parse.Have(c.busy)
		b.runs(61)
		g.Throttled = c.why
		g.Temperature, g.Clock, g.MaxClock = parse.Have(88), parse.Have(1200), parse.Have(1700)
		b.runs(90)
		f := r.finding(Slow)
		if (f == nil) != (c.want == "") || f != nil && (f.Title.In(English) != c.want || f.Level != Warning) {
			t.Errorf("%s: %+v, want %q", c.name, f, c.want)
			continue
		}
		if f == nil {
			continue
		}
		if c.name == "heat" && !strings.Contains(f.Because.In(English), "88 °C, 1200 of at most 1700 MHz") {
			t.Errorf("%s: %s", c.name, f.Because.In(English))
		}
		g.Throttled = nil
		b.runs(120)
		if found(t, r, Slow).Active {
			t.Errorf("%s: it is over", c.name)
		}
	}
}

// pace is a log of epochs with a memory and a rate each.
func pace(epochs ...[2]float64) string {
	var b strings.Builder
	b.WriteString(banner + start)
	for i, e := range epochs {
		line := row(fmt.Sprint(i+1), "10", fmt.Sprintf("%.1fG", e[0]))
		b.WriteString(header + strings.Replace(line, "8.0it/s 12.5s", fmt.Sprintf("%.1fit/s %.1fs", e[1], 100/e[1]), 1) + validation)
	}
	return b.String()
}

// TestMemoryPressureMakesItSlow promises that a run which became much slower as its memory
// came near the limit is told so, and one that became slower alone, or full alone, is not.
func TestMemoryPressureMakesItSlow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		epochs [][2]float64
		raised bool
		active bool
	}{
		{"full and slow", [][2]float64{{18, 8}, {18, 8}, {18, 8}, {24.5, 2.5}, {24.5, 2.5}}, true, true},
		{"and fast again", [][2]float64{{18, 8}, {18, 8}, {18, 8}, {24.5, 2.5}, {18, 7.9}}, true, false},
		{"slow alone", [][2]float64{{18, 8}, {18, 8}, {18, 8}, {18, 2.5}, {18, 2.5}}, false, false},
		{"full alone", [][2]float64{{18, 8}, {18, 8}, {18, 8}, {24.5, 7.5}, {24.5, 7.5}}, false, false},
		{"full from the beginning", [][2]float64{{24.4, 8}, {24.4, 8}, {24.4, 8}, {24.5, 2.5}}, false, false},
		{"one epoch tells nothing", [][2]float64{{18, 8}, {24.5, 2.5}, {24.5, 2.5}}, false, false},
	} {
		s := NewSession(Input{Name: "train.log"})
		feed(s, 0, pace(c.epochs...))
		f := s.Runs()[0].finding(Slow)
		if (f != nil) != c.raised || f != nil && f.Active != c.active {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// TestTheDriverSeesAFullCard promises that a card which the driver counts full is told
// even where the log alone shows room, after it has stayed full.
func TestTheDriverSeesAFullCard(t *testing.T) {
	t.Parallel()
	b, r := joined(t)
	calm := b.cards[0].Used
	b.cards[0].Used = parse.Have(23.5 * float64(parse.GiB))
	b.runs(tightBothLong - 1)
	if f := r.finding(Tight); f != nil {
		t.Fatalf("it may be a peak: %+v", f)
	}
	b.runs(1)
	if f := found(t, r, Tight); !f.Active || !f.ByDriver || f.Level != Warning {
		t.Errorf("%+v", f)
	}
	b.cards[0].Used = calm
	b.runs(1)
	if f := found(t, r, Tight); f.Active {
		t.Error("there is room again")
	}
}

// TestWhyDataComesLate promises that the machine's load is named as the cause where it
// tells one, and that advice which it rules out is not given.
func TestWhyDataComesLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		host    parse.Host
		because string
		workers bool // are advised
	}{
		{"busy cores", parse.Host{CPU: parse.Have(0.98)}, "98% of this machine's cores are busy", false},
		{"a limit of cores", parse.Host{CPU: parse.Have(0.1), CPULimit: parse.Have(4), TrainerCPU: parse.Have(3.9)}, "98% of this machine's cores are busy", false},
		{"a slow disk", parse.Host{CPU: parse.Have(0.6), IOPressure: parse.Have(0.7)}, "wait for the disk 70% of the time", true},
		{"idle cores", parse.Host{CPU: parse.Have(0.2), IOWait: parse.Have(0.01)}, "only 20% of this machine's cores are busy", true},
		{"nothing told", parse.Host{}, "so it is when work waits for data", true},
	} {
		b, r := joined(t)
		feed(b.s, 0, header+strings.Replace(row("3", "10", "15.1G"), "100% ━━━━━━━━━━━━ 100/100", "1% ──────────── 1/100", 1))
		for i := range 300 {
			h := c.host
			b.s.Observe(parse.Event{Origin: parse.Origin{Input: MachineInput, Arrival: b.now.Add(500 * time.Millisecond)}, Record: &h})
			b.cards[0].Busy = parse.Have(bursts(i))
			b.runs(1)
		}
		f := found(t, r, Starved)
		advised := slices.ContainsFunc(f.Advice, func(m Message) bool { return strings.HasPrefix(string(m.Key), "starved.workers") })
		if !strings.Contains(f.Because.In(English), c.because) || advised != c.workers {
			t.Errorf("%s: %s; %q", c.name, f.Because.In(English), texts(f.Advice))
		}
	}
}

// TestRoomThatIsNotTheRuns promises that a larger batch is not offered for memory that
// others on the card have, and that what the driver counts beyond the log is left alone.
func TestRoomThatIsNotTheRuns(t *testing.T) {
	t.Parallel()
	offered := func(used float64, change func(*parse.GPU)) *Finding {
		b := newBench(t, machine("GeForce RTX 3090"), banner)
		b.cards[0] = with(b.cards[0], 5, 6.5)
		b.cards[0].Used = parse.Have(used * float64(parse.GiB))
		change(&b.cards[0])
		b.trainer(0, trains(5))
		feed(b.s, 0, pace()) // a run of its own
		b.trainer(0, trains(5))
		var text string
		for e := 1; e <= 5; e++ {
			text += header + row(fmt.Sprint(e), "10", "6.1G") + validation
		}
		b.runs(30)
		feed(b.s, 0, header+row("1", "10", "6.1G"))
		b.runs(30)
		feed(b.s, 0, strings.TrimPrefix(text, header+row("1", "10", "6.1G")))
		runs := b.s.Runs()
		return runs[len(runs)-1].active(Headroom)
	}
	alone := offered(6.6, func(*parse.GPU) {})
	if alone == nil {
		t.Fatal("there is room, and it is not said")
	}
	if f := offered(16, func(g *parse.GPU) { *g = with(*g, 77, 9) }); f != nil {
		t.Errorf("the room is another's: %q", texts(f.Advice))
	}
	if f := offered(14, func(*parse.GPU) {}); f != nil {
		t.Errorf("the driver counts more than the log: %q", texts(f.Advice))
	}
}
