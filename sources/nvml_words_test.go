package sources

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNVMLThrottled(t *testing.T) {
	t.Parallel()
	for reasons, want := range map[uint64][]string{
		0:                  nil,
		0x1:                nil, // idle
		0x2:                nil, // clocks set by a person
		0x100:              nil, // clocks set for a display
		0x4:                {"power"},
		0x80:               {"power"},
		0x8:                {"hardware"},
		0x8 | 0x80:         {"power"},
		0x8 | 0x40:         {"heat"},
		0x20:               {"heat"},
		0x10:               {"sync"},
		0x200:              {"hardware"},
		0x400:              {"hardware"},
		0x1 | 0x4 | 0x20:   {"power", "heat"},
		0x8 | 0x40 | 0x200: {"heat", "hardware"},
		0x7ff:              {"power", "heat", "hardware", "sync"},
		1 << 40:            nil, // of a later driver
	} {
		if got := throttled(reasons); !slices.Equal(got, want) {
			t.Errorf("%#x: %q, want %q", reasons, got, want)
		}
	}
}

func TestNVMLPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release, model string
		want           nvmlPlace
	}{
		{"6.8.0-60-generic\n", "", nvmlAnyPlace},
		{"5.15.153.1-microsoft-standard-WSL2\n", "", nvmlWSL},
		{"4.4.0-19041-Microsoft\n", "", nvmlWSL},
		{"5.15.136-tegra\n", "NVIDIA Jetson AGX Orin Developer Kit\x00", nvmlJetson},
		{"5.10.104-tegra\n", "", nvmlJetson},
		{"6.6.31+rpt-rpi-2712\n", "Raspberry Pi 5\x00", nvmlAnyPlace},
	} {
		if got := nvmlPlaceOf(c.release, c.model); got != c.want {
			t.Errorf("%q on %q is place %d, want %d", c.release, c.model, got, c.want)
		}
	}
}

func TestNVMLExplainsByPlace(t *testing.T) {
	t.Parallel()
	const missing = "no NVIDIA driver library (libnvidia-ml.so.1) here"
	for _, c := range []struct {
		err   error
		place nvmlPlace
		want  string
	}{
		{&nvmlLibraryError{}, nvmlWSL, missing + ": WSL has it in /usr/lib/wsl/lib if Windows has an NVIDIA driver"},
		{&nvmlLibraryError{}, nvmlJetson, missing + ": on a Jetson it comes with JetPack 6, and tegrastats works on any"},
		{nvmlDriverNotLoaded, nvmlWSL, "the NVIDIA driver is not loaded: install or update it in Windows"},
		{errNVMLNoDevice, nvmlWSL, "the NVIDIA driver knows no device here"},
		{os.ErrInvalid, nvmlAnyPlace, "cannot ask the NVIDIA driver: invalid argument"},
	} {
		if got := explainNVML(c.err, c.place); got != c.want {
			t.Errorf("%v in place %d:\n says %q\n want %q", c.err, c.place, got, c.want)
		}
	}
}

func TestNVMLXidTextsAreForPeople(t *testing.T) {
	t.Parallel()
	for xid := range 200 {
		if s := xidText(xid); s == "" || s != printable(s) || s[0] < 'a' || s[0] > 'z' {
			t.Errorf("xid %d: %q", xid, s)
		}
	}
}

func TestNVMLMetricsHaveNames(t *testing.T) {
	t.Parallel()
	for m := range nvmlMetrics {
		if m.String() == "" {
			t.Errorf("metric %d has no name", m)
		}
	}
}

func TestNVMLProgramName(t *testing.T) {
	t.Parallel()
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Skip("no /proc here")
	}
	if got, _ := programOf(os.Getpid()); got != strings.TrimSpace(string(comm)) {
		t.Errorf("we are %q, want %q", got, comm)
	}
	if got, user := programOf(-1); got != "" || user != "" {
		t.Errorf("a process that cannot be is %q", got)
	}
}

// writeNVMLFile makes a file in a folder of the test.
func writeNVMLFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}
