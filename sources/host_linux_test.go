package sources

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

// fakeRoot unpacks a machine of testdata/host into a folder of its own.
func fakeRoot(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "host", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	_, rest, _ := strings.Cut(string(b), "\n-- ")
	for part := range strings.SplitSeq(rest, "\n-- ") {
		path, text, _ := strings.Cut(part, " --\n")
		lay(t, root, path, text+"\n")
	}
	return root
}

// lay writes a file below root and the folders that it needs.
func lay(t testing.TB, root, path, text string) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fakeMachine(t testing.TB, name string) *linuxProbe {
	p := newLinuxProbe(fakeRoot(t, name))
	p.statfs = func(path string) (used, total float64, err error) {
		if path != p.files.root+"/dev/shm" {
			t.Errorf("asked about %s", path)
		}
		return 1 << 20, 64 << 20, nil
	}
	return p
}

func (p *linuxProbe) sample() *parse.Host {
	h := &parse.Host{Workers: -1}
	p.machine(h, 0, time.Time{})
	return h
}

// refusing makes the files whose path ends like that fail.
func refusing(suffix string, with error) func(string) (int, error) {
	return func(path string) (int, error) {
		if strings.HasSuffix(path, suffix) {
			return -1, with
		}
		return openRaw(path)
	}
}

func TestHostMachines(t *testing.T) {
	t.Parallel()
	const gb, kib = 1e9, 1024
	var (
		none   = missing(parse.NotSupported)
		failed = missing(parse.Unavailable)
	)
	usual := parse.Host{
		CPU: failed, IOWait: failed, CPULimit: none, Workers: -1,
		CPUPressure: parse.Have(0.125), IOPressure: parse.Have(0.0325), MemoryPressure: parse.Have(0),
		RAMUsed: parse.Have((65536000 - 49152000) * kib), RAMTotal: parse.Have(65536000 * kib),
		SwapUsed: parse.Have((2097152 - 1572864) * kib), SwapTotal: parse.Have(2097152 * kib),
		ShmUsed: parse.Have(1 << 20), ShmTotal: parse.Have(64 << 20),
		GroupUsed: none, GroupLimit: none,
	}
	cases := []struct {
		name string
		want func(h *parse.Host)
	}{
		{"bare", func(h *parse.Host) { h.GroupUsed = parse.Have(4 * gb) }},
		{"docker-v2", func(h *parse.Host) {
			h.GroupUsed, h.GroupLimit, h.CPULimit = parse.Have(2.5*gb), parse.Have(8<<30), parse.Have(2.5)
		}},
		{"docker-v1", func(h *parse.Host) {
			h.CPUPressure, h.IOPressure, h.MemoryPressure = none, none, none
			h.GroupUsed, h.GroupLimit, h.CPULimit = parse.Have(2.5*gb), parse.Have(4<<30), parse.Have(1.5)
		}},
		{"nested", func(h *parse.Host) {
			h.GroupUsed, h.GroupLimit, h.CPULimit = parse.Have(5*gb), parse.Have(6*gb), parse.Have(1)
		}},
		{"no-psi", func(h *parse.Host) {
			h.CPUPressure, h.IOPressure, h.MemoryPressure = none, none, none
			h.SwapUsed, h.SwapTotal = parse.Have(0), parse.Have(0)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := usual
			c.want(&want)
			if got := fakeMachine(t, c.name).sample(); !reflect.DeepEqual(*got, want) {
				t.Errorf("\n got %+v\nwant %+v", *got, want)
			}
		})
	}
}

func TestHostProcessorTime(t *testing.T) {
	t.Parallel()
	const first = "cpu 4000 100 900 30000 1000 0 0 0 500 0\ncpu0 2000 50 450 15000 500 0 0 0\ncpu1 2000 50 450 15000 500 0 0 0\nintr 1\n"
	cases := []struct {
		name, then  string
		cpu, iowait parse.Number
		cores       []float64
	}{
		{
			"a second", "cpu 4090 100 960 30040 1010 0 0 0\ncpu0 2080 50 450 15015 505 0 0 0\ncpu1 2010 50 510 15025 505 0 0 0\nintr 1\n",
			parse.Have(0.75), parse.Have(0.05),
			[]float64{0.8, 0.7},
		},
		{"nothing passed", first, missing(parse.Unavailable), missing(parse.Unavailable), nil},
		{
			"idle time that steps back", "cpu 4050 100 900 30050 900 0 0 0\ncpu0 2100 50 450 14000 500 0 0 0\ncpu1 2000 50 450 15100 400 0 0 0\n",
			parse.Have(0.5), parse.Have(0),
			[]float64{1, 0},
		},
		{"a core went", "cpu 4050 100 900 30050 1000 0 0 0\ncpu1 2100 50 450 15100 500 0 0 0\n", parse.Have(0.5), parse.Have(0), nil},
		{"an old kernel", "cpu 4050 100 900 30050\ncpu0 2100 50 450 15100\ncpu1 2000 50 450 15100\n", parse.Have(0.5), parse.Have(0), []float64{0.5, 0}},
		{"no line for all", "cpu0 1 1 1 1\n", missing(parse.Unavailable), missing(parse.Unavailable), nil},
		{"stolen by another guest", "cpu 4000 100 900 30000 1000 0 0 100\n", parse.Have(1), parse.Have(0), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := fakeMachine(t, "bare")
			lay(t, p.files.root, "proc/stat", first)
			p.sample()
			lay(t, p.files.root, "proc/stat", c.then)
			h := p.sample()
			if h.CPU != c.cpu || h.IOWait != c.iowait || !reflect.DeepEqual(h.Cores, c.cores) {
				t.Errorf("CPU %+v, IOWait %+v, cores %v", h.CPU, h.IOWait, h.Cores)
			}
		})
	}
}

func TestHostNeedsTwoSamplesAfterAGap(t *testing.T) {
	t.Parallel()
	p := fakeMachine(t, "bare")
	p.sample()
	p.files.open = refusing("/proc/stat", unix.EACCES)
	if h := p.sample(); h.CPU != missing(parse.NoPermission) {
		t.Errorf("CPU is %+v", h.CPU)
	}
	p.files.open = nil
	if h := p.sample(); h.CPU != missing(parse.Unavailable) {
		t.Errorf("CPU is %+v", h.CPU)
	}
}

func TestHostSaysWhyANumberIsMissing(t *testing.T) {
	t.Parallel()
	cases := []struct {
		path string
		err  error
		get  func(h *parse.Host) parse.Number
		want parse.Presence
	}{
		{"/proc/pressure/io", unix.EOPNOTSUPP, func(h *parse.Host) parse.Number { return h.IOPressure }, parse.NotSupported},
		{"/proc/pressure/cpu", unix.EACCES, func(h *parse.Host) parse.Number { return h.CPUPressure }, parse.NoPermission},
		{"/proc/meminfo", unix.EIO, func(h *parse.Host) parse.Number { return h.RAMUsed }, parse.Unavailable},
		{"/proc/meminfo", unix.EPERM, func(h *parse.Host) parse.Number { return h.SwapTotal }, parse.NoPermission},
		{"/memory.max", unix.EACCES, func(h *parse.Host) parse.Number { return h.GroupLimit }, parse.NoPermission},
		{"/memory.stat", unix.EACCES, func(h *parse.Host) parse.Number { return h.GroupUsed }, parse.NoPermission},
		{"/memory.current", unix.EIO, func(h *parse.Host) parse.Number { return h.GroupUsed }, parse.Unavailable},
	}
	for _, c := range cases {
		t.Run(c.path+" "+c.err.Error(), func(t *testing.T) {
			t.Parallel()
			p := fakeMachine(t, "docker-v2")
			p.files.open = refusing(c.path, c.err)
			if got := c.get(p.sample()); got != missing(c.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestHostSharedMemory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		used, total float64
		err         error
		want        parse.Number
	}{
		{5, 10, nil, parse.Have(10)},
		{0, 0, nil, missing(parse.NotSupported)},
		{0, 0, unix.ENOENT, missing(parse.NotSupported)},
		{0, 0, errors.New("odd"), missing(parse.Unavailable)},
	} {
		p := fakeMachine(t, "bare")
		p.statfs = func(string) (float64, float64, error) { return c.used, c.total, c.err }
		if h := p.sample(); h.ShmTotal != c.want {
			t.Errorf("%+v: got %+v", c, h.ShmTotal)
		}
	}
}
