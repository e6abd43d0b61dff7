package sources

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

// fakeNVML is a driver that does as it is told. Functions are named by their methods;
// "power" is that of every device and "1 power" that of device 1.
type fakeNVML struct {
	mu      sync.Mutex
	devices int
	codes   map[string]error
	hangs   map[string]chan struct{}
	slow    map[string]time.Duration
	calls   map[string]int
	xidList []nvmlXid
	list    []nvmlProcess
	record  []nvmlSample
	parts   []string // UUIDs of the instances of device 0; MIG is on if not nil
	panics  string   // function that does
}

func newFakeNVML(devices int) *fakeNVML {
	return &fakeNVML{
		devices: devices, codes: map[string]error{}, hangs: map[string]chan struct{}{}, slow: map[string]time.Duration{},
		calls: map[string]int{}, list: []nvmlProcess{{pid: 4242, used: 8 << 30}},
	}
}

// set changes the fake while it is used.
func (f *fakeNVML) set(change func(*fakeNVML)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fakeNVML) called(function string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[function]
}

// enter is the beginning of every function.
func (f *fakeNVML) enter(who, function string) error {
	f.mu.Lock()
	f.calls[function]++
	f.calls[who+" "+function]++
	err := f.codes[function]
	if e := f.codes[who+" "+function]; e != nil {
		err = e
	}
	hang, slow, panics := f.hangs[function], f.slow[function], f.panics == function
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if slow > 0 {
		<-time.After(slow)
	}
	if panics {
		panic("a bad driver")
	}
	return err
}

func (f *fakeNVML) open(string) (nvmlDriver, error) {
	if err := f.enter("", "open"); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *fakeNVML) version() (string, error) { return "580.65.06", f.enter("", "version") }
func (f *fakeNVML) count() (int, error)      { return f.devices, f.enter("", "count") }
func (f *fakeNVML) close()                   { _ = f.enter("", "close") }

func (f *fakeNVML) device(i int) (nvmlDevice, error) {
	d := &fakeNVMLDevice{f: f, index: i, who: fmt.Sprint(i), id: fmt.Sprintf("GPU-%d", i), title: "NVIDIA Fake"}
	return d, f.enter(d.who, "device")
}

func (f *fakeNVML) watch(i int, _ nvmlDevice) error { return f.enter(fmt.Sprint(i), "watch") }

func (f *fakeNVML) xids() ([]nvmlXid, error) {
	err := f.enter("", "xids")
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.xidList
	f.xidList = nil
	return out, err
}

// fakeNVMLDevice has numbers that tell which device it is.
type fakeNVMLDevice struct {
	f         *fakeNVML
	index     int
	who       string
	id, title string
}

func (d *fakeNVMLDevice) number(function string, v float64) (float64, error) {
	return v, d.f.enter(d.who, function)
}

func (d *fakeNVMLDevice) uuid() (string, error) { return d.id, d.f.enter(d.who, "uuid") }
func (d *fakeNVMLDevice) name() (string, error) { return d.title, d.f.enter(d.who, "name") }

func (d *fakeNVMLDevice) memory() (nvmlMemory, error) {
	return nvmlMemory{total: 24 << 30, used: uint64(d.index+1) << 30, reserved: 1 << 28}, d.f.enter(d.who, "memory")
}

func (d *fakeNVMLDevice) memoryOld() (nvmlMemory, error) {
	return nvmlMemory{total: 24 << 30, used: uint64(d.index+1)<<30 + 1<<28}, d.f.enter(d.who, "memoryOld")
}

func (d *fakeNVMLDevice) busySince(us uint64) ([]nvmlSample, error) {
	err := d.f.enter(d.who, "busySince")
	d.f.mu.Lock()
	defer d.f.mu.Unlock()
	var out []nvmlSample
	for _, s := range d.f.record {
		if s.at > us {
			out = append(out, s)
		}
	}
	return out, err
}

func (d *fakeNVMLDevice) rates() (gpu, memory float64, err error) {
	return 50, 25, d.f.enter(d.who, "rates")
}

func (d *fakeNVMLDevice) computing() ([]nvmlProcess, error) {
	err := d.f.enter(d.who, "computing")
	d.f.mu.Lock()
	defer d.f.mu.Unlock()
	return slices.Clone(d.f.list), err
}

func (d *fakeNVMLDevice) drawing() ([]nvmlProcess, error) { return nil, d.f.enter(d.who, "drawing") }

func (d *fakeNVMLDevice) power() (float64, error)          { return d.number("power", 250_000) }
func (d *fakeNVMLDevice) powerLimit() (float64, error)     { return d.number("powerLimit", 350_000) }
func (d *fakeNVMLDevice) temperature() (float64, error)    { return d.number("temperature", 71) }
func (d *fakeNVMLDevice) fan() (float64, error)            { return d.number("fan", 40) }
func (d *fakeNVMLDevice) clock() (float64, error)          { return d.number("clock", 1800) }
func (d *fakeNVMLDevice) maxClock() (float64, error)       { return d.number("maxClock", 2100) }
func (d *fakeNVMLDevice) linkGeneration() (float64, error) { return d.number("linkGeneration", 4) }
func (d *fakeNVMLDevice) linkWidth() (float64, error)      { return d.number("linkWidth", 16) }
func (d *fakeNVMLDevice) received() (float64, error)       { return d.number("received", 3) }
func (d *fakeNVMLDevice) sent() (float64, error)           { return d.number("sent", 2) }
func (d *fakeNVMLDevice) ecc() (float64, error)            { return d.number("ecc", 0) }
func (d *fakeNVMLDevice) encoder() (float64, error)        { return d.number("encoder", 10) }
func (d *fakeNVMLDevice) decoder() (float64, error)        { return d.number("decoder", 20) }

func (d *fakeNVMLDevice) reasons() (uint64, error) { return 0x4, d.f.enter(d.who, "reasons") }

func (d *fakeNVMLDevice) divided() (bool, error) {
	err := d.f.enter(d.who, "divided")
	d.f.mu.Lock()
	defer d.f.mu.Unlock()
	return d.index == 0 && d.f.parts != nil, err
}

func (d *fakeNVMLDevice) instances() ([]nvmlDevice, error) {
	err := d.f.enter(d.who, "instances")
	d.f.mu.Lock()
	defer d.f.mu.Unlock()
	var out []nvmlDevice
	for _, id := range d.f.parts {
		out = append(out, &fakeNVMLDevice{f: d.f, index: d.index, who: id, id: id, title: "NVIDIA Fake MIG 1g.5gb"})
	}
	return out, err
}

// startNVML runs a source with a fake driver in a bubble until stop is called.
func startNVML(t *testing.T, f *fakeNVML, o NVMLOptions) (r *recorder, stop func() error) {
	t.Helper()
	o.open = f.open
	o.program = func(pid int) (name, user string) { return fmt.Sprint("program ", pid), fmt.Sprint("user ", pid) }
	o.place = func() nvmlPlace { return nvmlAnyPlace }
	ctx, cancel := context.WithCancel(t.Context())
	r = &recorder{}
	done := make(chan error, 1)
	go func() { done <- NewNVML(o).Run(ctx, r) }()
	synctest.Wait()
	return r, func() error {
		cancel()
		return <-done
	}
}

// gpus is the samples among events.
func gpus(events []parse.Event) []*parse.GPU {
	var out []*parse.GPU
	for _, e := range events {
		if g, ok := e.Record.(*parse.GPU); ok {
			out = append(out, g)
		}
	}
	return out
}

func newestGPU(t *testing.T, r *recorder) *parse.GPU {
	t.Helper()
	all := gpus(r.all())
	if len(all) == 0 {
		t.Fatal("no sample")
	}
	return all[len(all)-1]
}

// fakeSample is what the fake's device i is like, in a pass without traffic.
func fakeSample(i int) *parse.GPU {
	return &parse.GPU{
		Index: i, UUID: fmt.Sprintf("GPU-%d", i), Name: "NVIDIA Fake",
		Used: parse.Have(float64(uint64(i+1) << 30)), Reserved: parse.Have(1 << 28), Total: parse.Have(24 << 30),
		Busy: parse.Have(0.5), MemoryBusy: parse.Have(0.25), Power: parse.Have(250), PowerLimit: parse.Have(350),
		Temperature: parse.Have(71), Fan: parse.Have(0.4), Clock: parse.Have(1800), MaxClock: parse.Have(2100),
		Throttled: []string{"power"}, PCIeGen: parse.Have(4), PCIeWidth: parse.Have(16), ECC: parse.Have(0),
		Encoder: parse.Have(0.1), Decoder: parse.Have(0.2), ProcessesState: parse.Present,
		Processes: []parse.GPUProcess{{PID: 4242, Name: "program 4242", User: "user 4242", Used: parse.Have(8 << 30)}},
	}
}
