package sources

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

const nvmlFound = "reading: driver 580.65.06"

func TestNVMLSamplesAllDevicesEachInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, want time.Duration }{
		{0, time.Second},
		{time.Millisecond, 250 * time.Millisecond},
		{3 * time.Second, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			f := newFakeNVML(8)
			r, stop := startNVML(t, f, NVMLOptions{Interval: c.asked})
			pass(0)
			if got := r.news()[0]; got != nvmlFound {
				t.Errorf("says %q", got)
			}
			pass(12 * c.want)
			if err := stop(); !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
			if n := f.called("close"); n != 1 {
				t.Errorf("the driver was closed %d times", n)
			}
			events := r.all()[1:]
			if len(events) != 13*8 {
				t.Fatalf("%d samples of 8 devices in 12 intervals", len(events))
			}
			for i, e := range events {
				number, device := i/8, i%8
				if want := (parse.Origin{Input: -1, Arrival: begin.Add(time.Duration(number) * c.want)}); e.Origin != want {
					t.Fatalf("sample %d has the origin %+v, want %+v", i, e.Origin, want)
				}
				want := fakeSample(device)
				if number > 0 && number%10 == (device+1)%10 {
					want.PCIeRx, want.PCIeTx = parse.Have(3<<10), parse.Have(2<<10)
				}
				if !reflect.DeepEqual(e.Record, parse.Record(want)) {
					t.Fatalf("sample %d of device %d:\n got %+v\nwant %+v", number, device, e.Record, want)
				}
			}
		})
	}
}

func TestNVMLWithoutADriver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		function string
		err      error
		want     string
	}{
		{"open", &nvmlLibraryError{}, "no NVIDIA driver library (libnvidia-ml.so.1) here"},
		{"open", &nvmlLibraryError{path: "/x/libnvidia-ml.so.1", why: "wrong ELF class"}, "cannot load /x/libnvidia-ml.so.1: wrong ELF class"},
		{"open", &nvmlLibraryError{path: "/cuda/stubs/libnvidia-ml.so", stub: true}, "/cuda/stubs/libnvidia-ml.so is the CUDA toolkit's stub, not a driver: take /cuda/stubs out of LD_LIBRARY_PATH"},
		{"open", errNVMLNotBuilt, "built without NVML: nvidia-smi can be read instead"},
		{"open", nvmlDriverNotLoaded, "the NVIDIA driver is not loaded: run nvidia-smi, or sudo modprobe nvidia, or reboot"},
		{"open", nvmlVersionMismatch, "the driver was upgraded and not reloaded: reboot, or reload the nvidia modules"},
		{"open", nvmlNoPermission, "no permission to use the NVIDIA driver: see who may read and write /dev/nvidia*"},
		{"open", nvmlLibraryNotFound, "the NVIDIA driver misses a library of its own: install the driver again"},
		{"open", nvmlFunctionNotFound, "the NVIDIA driver library is too old or not NVIDIA's"},
		{"open", nvmlCode(20), "the NVIDIA driver does not answer (error 20): see what nvidia-smi says"},
		{"count", nvmlGPULost, "the driver has lost a device: see dmesg, and reboot"},
		{"device", nvmlNoPermission, "no permission to use the NVIDIA driver: see who may read and write /dev/nvidia*"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeNVML(1)
			f.codes[c.function] = c.err
			r, stop := startNVML(t, f, NVMLOptions{})
			if err := stop(); !errors.Is(err, c.err) || !strings.HasPrefix(err.Error(), "read nvml: ") {
				t.Errorf("%s with %v: ended with %v", c.function, c.err, err)
			}
			if got, want := r.news(), []string{"failed: " + c.want}; !slices.Equal(got, want) {
				t.Errorf("%s with %v:\n says %q\n want %q", c.function, c.err, got, want)
			}
		})
	}
}

func TestNVMLWithoutADevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, stop := startNVML(t, newFakeNVML(0), NVMLOptions{})
		if err := stop(); !errors.Is(err, errNVMLNoDevice) {
			t.Errorf("ended with %v", err)
		}
		want := "failed: the NVIDIA driver knows no device here: a container must be started with its GPUs (docker run --gpus all)"
		if got := r.news(); !slices.Equal(got, []string{want}) {
			t.Errorf("says %q", got)
		}
	})
}

func TestNVMLTriesAgainAfterAnUnknownError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		f.codes["open"] = nvmlUnknown
		r, stop := startNVML(t, f, NVMLOptions{})
		pass(61 * time.Second) // tries after 1, 2, 4, 8, 10, 10, ... s
		if n := f.called("open"); n != 9 {
			t.Errorf("%d tries in 61 s", n)
		}
		f.set(func(f *fakeNVML) { delete(f.codes, "open") })
		pass(10 * time.Second)
		check(t, ignoreCanceled(stop()))
		want := "waiting: the driver answers with an unknown error, trying again: see what nvidia-smi says"
		if got := r.news(); len(got) < 3 || !slices.Equal(got[:3], []string{want, nvmlFound, "GPU"}) {
			t.Errorf("says %q", got)
		}
	})
}

func TestNVMLWhileTheDriverHangs(t *testing.T) {
	t.Parallel()
	for _, function := range []string{"open", "count", "power", "xids"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeNVML(2)
			hang := make(chan struct{})
			f.hangs[function] = hang
			r, stop := startNVML(t, f, NVMLOptions{})
			pass(13 * time.Second)
			want := []string{"waiting: driver silent for 2 s", "waiting: driver silent for 7 s", "waiting: driver silent for 12 s"}
			if got := r.news(); !slices.Equal(got, want) {
				t.Errorf("%s: says %q", function, got)
			}
			f.set(func(f *fakeNVML) { delete(f.hangs, function) })
			close(hang)
			pass(time.Second)
			// What was asked before and after the silence is no sample.
			if got := r.news(); len(got) < 3 || !slices.Equal(got[:3], []string{nvmlFound, "GPU", "GPU"}) {
				t.Errorf("%s: says %q after it", function, got)
			}
			for _, e := range r.all() {
				if _, ok := e.Record.(*parse.GPU); ok && time.Since(e.Arrival) > 2*time.Second {
					t.Errorf("%s: published a sample of before the silence", function)
				}
			}
			check(t, ignoreCanceled(stop()))
		})
	}
}

func TestNVMLIsAlwaysSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		f.slow["power"] = 3 * time.Second
		r, stop := startNVML(t, f, NVMLOptions{})
		pass(time.Minute)
		if n := len(gpus(r.all())); n < 3 || n > 10 {
			t.Errorf("%d samples in a minute", n)
		}
		check(t, ignoreCanceled(stop()))
		pass(3 * time.Second) // the driver answers
	})
}

func TestNVMLEndsThoughTheDriverHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		hang := make(chan struct{})
		f.hangs["power"] = hang
		_, stop := startNVML(t, f, NVMLOptions{})
		pass(5 * time.Second)
		began := time.Now()
		if err := stop(); !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
		if d := time.Since(began); d > nvmlGone {
			t.Errorf("it took %v", d)
		}
		close(hang)
		synctest.Wait()
		if f.called("close") != 1 {
			t.Error("the driver was not closed when it answered at last")
		}
	})
}

func TestNVMLAsksASlowDriverLess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		f.slow["power"] = 700 * time.Millisecond
		r, stop := startNVML(t, f, NVMLOptions{})
		pass(time.Minute)
		if n := len(gpus(r.all())); n != 30 {
			t.Errorf("%d samples in a minute, want one each 2 s", n)
		}
		f.set(func(f *fakeNVML) { f.slow["power"] = 0 })
		pass(4 * time.Second)
		r.news()
		pass(10 * time.Second)
		if got := r.news(); len(got) != 10 {
			t.Errorf("%d samples in 10 s from a driver that is fast again", len(got))
		}
		f.set(func(f *fakeNVML) { f.slow["power"] = 8 * time.Second })
		pass(2 * time.Minute)
		n := f.called("power")
		pass(time.Minute)
		if n = f.called("power") - n; n != 6 {
			t.Errorf("%d passes in a minute, want one each 10 s", n)
		}
		check(t, ignoreCanceled(stop()))
		pass(10 * time.Second) // the driver answers
	})
}

func TestNVMLPanicIsAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNVML(1)
		f.panics = "temperature"
		o := NVMLOptions{open: f.open, place: func() nvmlPlace { return nvmlAnyPlace }}
		bus := NewBus(4)
		if err := Run(t.Context(), bus, NewNVML(o)); err == nil {
			t.Error("no error")
		}
		var events []parse.Event
		for batch := range bus.Events() {
			events = append(events, batch...)
		}
		if got := story(events); !slices.Equal(got, []string{"failed: internal error: a bad driver"}) {
			t.Errorf("says %q", got)
		}
		if f.called("close") != 1 {
			t.Error("the driver was not closed")
		}
	})
}

func TestNVMLEndsWhenNobodyReceives(t *testing.T) {
	t.Parallel()
	bus := NewBus(0)
	bus.Close()
	if err := NewNVML(NVMLOptions{open: newFakeNVML(1).open}).Run(t.Context(), bus); !errors.Is(err, errClosed) {
		t.Errorf("ended with %v", err)
	}
}
