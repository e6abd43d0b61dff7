package sources

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// nvidia runs a source on a fake driver and a fake program in a synctest bubble.
func nvidia(t *testing.T, driver *fakeNVML, program *fakeSMI) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r := &running{recorder: &recorder{}, t: t, stop: cancel, done: make(chan error, 1)}
	n := NewNVIDIA(NVIDIAOptions{
		NVML: NVMLOptions{
			open: driver.open, program: func(int) (name, user string) { return "python", "" },
			place: func() nvmlPlace { return nvmlAnyPlace },
		},
		NvidiaSMI: NvidiaSMIOptions{start: program.start},
	})
	go func() { r.done <- n.Run(ctx, r) }()
	synctest.Wait()
	return r
}

func TestNVIDIAPrefersTheLibrary(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		program := &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{ticks}}
		r := nvidia(t, newFakeNVML(2), program)
		equal(t, r.news(), []string{"reading: driver 580.65.06", "GPU", "GPU"})
		equal(t, r.after(time.Second), []string{"GPU", "GPU"})
		r.stop()
		if err := <-r.done; !errors.Is(err, context.Canceled) {
			t.Errorf("a source that was stopped ended with %v", err)
		}
		if len(program.starts) != 0 {
			t.Errorf("nvidia-smi was started %d times", len(program.starts))
		}
	})
}

func TestNVIDIAFallsBack(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{
		"no library": &nvmlLibraryError{},
		"mismatch":   nvmlVersionMismatch,
		"not built":  errNVMLNotBuilt,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				driver := newFakeNVML(2)
				driver.codes["open"] = refusal
				r := nvidia(t, driver, &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{ticks}})
				equal(t, r.news(), []string{"failed: " + explainNVML(refusal, nvmlAnyPlace), "reading", "GPU", "GPU"})
				r.stop()
				if err := <-r.done; !errors.Is(err, context.Canceled) {
					t.Errorf("a source that was stopped ended with %v", err)
				}
			})
		})
	}
}

func TestNVIDIAWithNeither(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		driver := newFakeNVML(1)
		driver.codes["open"] = &nvmlLibraryError{}
		r := nvidia(t, driver, &fakeSMI{})
		if err := <-r.done; err == nil {
			t.Error("a machine without driver and nvidia-smi gives no error")
		}
		equal(t, r.news(), []string{
			"failed: no NVIDIA driver library (libnvidia-ml.so.1) here",
			"failed: nvidia-smi is not installed",
		})
	})
}

// A lost device does not come back through nvidia-smi, which can hang over it.
func TestNVIDIALostDevices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		driver, program := newFakeNVML(1), &fakeSMI{lives: []func(io.Writer, <-chan struct{}) error{ticks}}
		r := nvidia(t, driver, program)
		driver.set(func(f *fakeNVML) { f.codes["memory"] = nvmlGPULost })
		<-time.After(time.Second)
		if err := <-r.done; !errors.Is(err, errNVMLAllLost) {
			t.Errorf("ended with %v, want %v", err, errNVMLAllLost)
		}
		if len(program.starts) != 0 {
			t.Error("nvidia-smi was started for lost devices")
		}
	})
}
