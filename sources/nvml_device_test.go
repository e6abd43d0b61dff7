package sources

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

// nvmlLacks is what a sample lacks if a device does not answer one question.
var nvmlLacks = map[string]func(g *parse.GPU, n parse.Number){
	"memory":         func(g *parse.GPU, n parse.Number) { g.Reserved, g.Used = n, parse.Have(1<<30+1<<28) },
	"memoryOld":      func(*parse.GPU, parse.Number) {},
	"busySince":      func(*parse.GPU, parse.Number) {},
	"rates":          func(g *parse.GPU, n parse.Number) { g.Busy, g.MemoryBusy = n, n },
	"power":          func(g *parse.GPU, n parse.Number) { g.Power = n },
	"powerLimit":     func(g *parse.GPU, n parse.Number) { g.PowerLimit = n },
	"temperature":    func(g *parse.GPU, n parse.Number) { g.Temperature = n },
	"fan":            func(g *parse.GPU, n parse.Number) { g.Fan = n },
	"clock":          func(g *parse.GPU, n parse.Number) { g.Clock = n },
	"maxClock":       func(g *parse.GPU, n parse.Number) { g.MaxClock = n },
	"reasons":        func(g *parse.GPU, _ parse.Number) { g.Throttled = nil },
	"linkGeneration": func(g *parse.GPU, n parse.Number) { g.PCIeGen = n },
	"linkWidth":      func(g *parse.GPU, n parse.Number) { g.PCIeWidth = n },
	"received":       func(g *parse.GPU, n parse.Number) { g.PCIeRx = n },
	"sent":           func(g *parse.GPU, n parse.Number) { g.PCIeTx = n },
	"ecc":            func(g *parse.GPU, n parse.Number) { g.ECC = n },
	"encoder":        func(g *parse.GPU, n parse.Number) { g.Encoder = n },
	"decoder":        func(g *parse.GPU, n parse.Number) { g.Decoder = n },
	"computing":      func(g *parse.GPU, n parse.Number) { g.Processes, g.ProcessesState = nil, n.State },
	"drawing":        func(*parse.GPU, parse.Number) {},
	"divided":        func(*parse.GPU, parse.Number) {},
}

func TestNVMLDeviceWithoutAMetric(t *testing.T) {
	t.Parallel()
	for function, lack := range nvmlLacks {
		for _, code := range []nvmlCode{nvmlNotSupported, nvmlFunctionNotFound, nvmlInvalidArgument, nvmlStructVersion} {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeNVML(2)
				f.codes["0 "+function] = code
				r, stop := startNVML(t, f, NVMLOptions{})
				pass(11 * time.Second) // pass 11 asks device 0 for its traffic
				check(t, ignoreCanceled(stop()))
				all := gpus(r.all())
				got, other := all[22], all[23]
				want := fakeSample(0)
				want.PCIeRx, want.PCIeTx = parse.Have(3<<10), parse.Have(2<<10)
				lack(want, parse.Number{State: parse.NotSupported})
				if !reflect.DeepEqual(got, want) {
					t.Errorf("without %s (%d):\n got %+v\nwant %+v", function, code, got, want)
				}
				if !reflect.DeepEqual(other, fakeSample(1)) {
					t.Errorf("without %s: the other device is %+v", function, other)
				}
				if n := f.called("0 " + function); n > 1 {
					t.Errorf("%s was asked for %d times", function, n)
				}
				if got := r.news(); got[0] != nvmlFound || slices.ContainsFunc(got[1:], func(s string) bool { return s != "GPU" }) {
					t.Errorf("without %s: says %q", function, got)
				}
			})
		}
	}
}

func TestNVMLSaysOnceWhatItMayNotSee(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(3)
		f.codes["computing"], f.codes["ecc"], f.codes["2 device"] = nvmlNoPermission, nvmlNoPermission, nvmlNoPermission
		r, stop := startNVML(t, f, NVMLOptions{})
		pass(5 * time.Second)
		check(t, ignoreCanceled(stop()))
		got := r.news()
		if want := nvmlFound + ", which gives no permission to see: GPU 2, processes, ECC errors"; got[0] != want {
			t.Errorf("says %q", got[0])
		}
		if len(got) != 1+6*2 || slices.ContainsFunc(got[1:], func(s string) bool { return s != "GPU" }) {
			t.Errorf("says %q", got)
		}
		g := newestGPU(t, r)
		if g.ECC.State != parse.NoPermission || g.ProcessesState != parse.NoPermission || g.Power != parse.Have(250) {
			t.Errorf("published %+v", g)
		}
		if f.called("ecc") != 2 {
			t.Errorf("asked %d times", f.called("ecc"))
		}
	})
}

func TestNVMLUnknownErrorsOfAMetricBackOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		f.codes["temperature"] = nvmlUnknown
		r, stop := startNVML(t, f, NVMLOptions{})
		pass(30 * time.Second) // in the passes 0, 2, 6, 14, 30
		if n := f.called("temperature"); n != 5 {
			t.Errorf("asked %d times", n)
		}
		if g := newestGPU(t, r); g.Temperature.State != parse.Unavailable || g.Power != parse.Have(250) {
			t.Errorf("published %+v", g)
		}
		f.set(func(f *fakeNVML) { delete(f.codes, "temperature") })
		pass(32 * time.Second)
		if g := newestGPU(t, r); g.Temperature != parse.Have(71) {
			t.Errorf("published %+v when the device answers again", g)
		}
		check(t, ignoreCanceled(stop()))
	})
}

func TestNVMLDeviceIsLost(t *testing.T) {
	t.Parallel()
	for _, code := range []nvmlCode{nvmlGPULost, nvmlResetRequired} {
		for function := range nvmlLacks {
			if function == "memoryOld" || function == "sent" || function == "received" || function == "divided" {
				continue // not asked in each pass
			}
			synctest.Test(t, func(t *testing.T) {
				f := newFakeNVML(2)
				r, stop := startNVML(t, f, NVMLOptions{})
				pass(3 * time.Second)
				r.news()
				f.set(func(f *fakeNVML) { f.codes["1 "+function] = code })
				pass(time.Second)
				if got := r.news(); !slices.Equal(got, []string{"GPU", "GPUFault"}) {
					t.Errorf("%s: says %q", function, got)
				}
				all := r.all()
				if fault := all[len(all)-1].Record.(*parse.GPUFault); fault.Index != 1 || fault.Xid != 0 || fault.Text != faultText(code) {
					t.Errorf("%s: published %+v", function, fault)
				}
				n := f.called("1 power")
				pass(3 * time.Second)
				if got := r.news(); !slices.Equal(got, []string{"GPU", "GPU", "GPU"}) || f.called("1 power") != n {
					t.Errorf("%s: goes on with %q", function, got)
				}
				f.set(func(f *fakeNVML) { f.codes["power"] = code })
				pass(time.Second)
				if got := r.news(); !slices.Equal(got, []string{"GPUFault", "failed: the driver has lost all devices: see dmesg, and reboot"}) {
					t.Errorf("%s: says %q", function, got)
				}
				if err := stop(); !errors.Is(err, errNVMLAllLost) {
					t.Errorf("ended with %v", err)
				}
			})
		}
	}
}

func TestNVMLDeviceIsLostFromTheBeginning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(3)
		f.codes["0 device"], f.codes["1 device"] = nvmlGPULost, nvmlUnknown
		r, stop := startNVML(t, f, NVMLOptions{})
		check(t, ignoreCanceled(stop()))
		if got := r.news(); !slices.Equal(got, []string{nvmlFound, "GPU", "GPUFault", "GPUFault"}) {
			t.Errorf("says %q", got)
		}
		if g := newestGPU(t, r); g.Index != 2 {
			t.Errorf("published %+v", g)
		}
	})
}

func TestNVMLXids(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		r, stop := startNVML(t, f, NVMLOptions{})
		f.set(func(f *fakeNVML) { f.xidList = []nvmlXid{{0, 79}, {-1, 777}} })
		pass(2 * time.Second)
		f.set(func(f *fakeNVML) { f.codes["xids"] = nvmlUnknown })
		pass(time.Second)
		check(t, ignoreCanceled(stop()))
		if got := r.news(); !slices.Equal(got, []string{nvmlFound, "GPU", "GPU", "GPUFault", "GPUFault", "GPU", "GPU"}) {
			t.Errorf("says %q", got)
		}
		want := []parse.Record{
			&parse.GPUFault{Index: 0, Xid: 79, Text: "the device has fallen off the bus: check power, heat and seating, then reboot"},
			&parse.GPUFault{Index: -1, Xid: 777, Text: "error of the device"},
		}
		for i, e := range r.all()[3:5] {
			if !reflect.DeepEqual(e.Record, want[i]) || e.Arrival.IsZero() {
				t.Errorf("published %+v at %v", e.Record, e.Arrival)
			}
		}
	})
}

func TestNVMLProcessListThatGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		r, stop := startNVML(t, f, NVMLOptions{})
		f.set(func(f *fakeNVML) { f.codes["computing"] = nvmlInsufficientSize })
		pass(time.Second)
		if g := newestGPU(t, r); g.ProcessesState != parse.Unavailable || len(g.Processes) != 0 {
			t.Errorf("published %+v", g)
		}
		f.set(func(f *fakeNVML) {
			delete(f.codes, "computing")
			f.list = []nvmlProcess{{4242, 8 << 30}, {17, nvmlNotAvailable}, {4242, 9 << 30}, {18, 0}}
		})
		pass(time.Second)
		check(t, ignoreCanceled(stop()))
		want := []parse.GPUProcess{
			{PID: 4242, Name: "program 4242", User: "user 4242", Used: parse.Have(9 << 30)},
			{PID: 17, Name: "program 17", User: "user 17", Used: parse.Number{State: parse.NotSupported}},
			{PID: 18, Name: "program 18", User: "user 18", Used: parse.Have(0)},
		}
		if g := newestGPU(t, r); g.ProcessesState != parse.Present || !reflect.DeepEqual(g.Processes, want) {
			t.Errorf("published %+v", g)
		}
	})
}

func TestNVMLUtilizationIsTheMeanSinceTheLastSample(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		for i := range 20 { // of 4 s before the first pass
			f.record = append(f.record, nvmlSample{at: 1_000_000 + 200_000*uint64(i), value: []float64{0, 80}[i/15]})
		}
		r, stop := startNVML(t, f, NVMLOptions{})
		busy := []float64{newestGPU(t, r).Busy.Value}
		for _, c := range []struct {
			values []float64
			err    error
		}{
			{values: []float64{10, 20, 60}},
			{values: nil}, // the driver's newest value, 50
			{err: nvmlNotFound},
			{values: []float64{1e9, 40, -1}},
			{err: nvmlNotSupported},
		} {
			f.set(func(f *fakeNVML) {
				for _, v := range c.values {
					f.record = append(f.record, nvmlSample{at: f.record[len(f.record)-1].at + 200_000, value: v})
				}
				delete(f.codes, "busySince")
				if c.err != nil {
					f.codes["busySince"] = c.err
				}
			})
			pass(time.Second)
			busy = append(busy, newestGPU(t, r).Busy.Value)
		}
		check(t, ignoreCanceled(stop()))
		if want := []float64{0.8, 0.3, 0.5, 0.5, 0.4, 0.5}; fmt.Sprint(busy) != fmt.Sprint(want) {
			t.Errorf("busy %v, want %v", busy, want)
		}
	})
}

func TestNVMLDividedDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(2)
		f.parts = []string{"MIG-a", "MIG-b"}
		f.codes["0 rates"], f.codes["MIG-a fan"] = nvmlNotSupported, nvmlInvalidArgument
		r, stop := startNVML(t, f, NVMLOptions{})
		first := gpus(r.all())
		if len(first) != 4 || first[0].UUID != "GPU-0" || first[1].UUID != "MIG-a" || first[2].UUID != "MIG-b" || first[3].UUID != "GPU-1" {
			t.Fatalf("published %+v", first)
		}
		if g := first[1]; g.Name != "NVIDIA Fake MIG 1g.5gb" || g.Index != 0 || g.Fan.State != parse.NotSupported || g.Used != parse.Have(1<<30) {
			t.Errorf("published %+v", g)
		}
		f.set(func(f *fakeNVML) { f.codes["MIG-b power"] = nvmlGPULost }) // taken away while it is asked
		pass(time.Second)
		if got := gpus(r.all())[4:]; len(got) != 3 || got[1].UUID != "MIG-a" || got[2].UUID != "GPU-1" {
			t.Errorf("published %+v", got)
		}
		f.set(func(f *fakeNVML) { f.parts = []string{"MIG-c", "MIG-a"} })
		pass(9 * time.Second)
		all := gpus(r.all())
		if got := all[len(all)-4:]; got[1].UUID != "MIG-c" || got[2].UUID != "MIG-a" {
			t.Errorf("published %+v after a change", got)
		}
		if n := f.called("MIG-a fan"); n != 1 {
			t.Errorf("an instance was asked %d times for what it does not have", n)
		}
		f.set(func(f *fakeNVML) { f.parts = nil })
		pass(10 * time.Second)
		all = gpus(r.all())
		if got := all[len(all)-2:]; got[0].UUID != "GPU-0" || got[1].UUID != "GPU-1" {
			t.Errorf("published %+v when it is not divided any more", got)
		}
		check(t, ignoreCanceled(stop()))
	})
}
