package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

// garbled is a text in many wrong forms.
func garbled(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	digits := func(with string) string {
		return strings.NewReplacer("1", with, "2", with, "3", with, "4", with, "5", with, "9", with).Replace(text)
	}
	return []string{
		"", "\n", " ", "\x00\x00\x00", "\xff\xfe:(\n", "max", "-1\n", "nan nan\n", "some avg10=NaN\nsome avg10=1e9\n",
		text[:len(text)/2], text[:len(text)/3], strings.TrimSpace(text),
		strings.Join(lines[len(lines)/2:], ""), strings.Join(lines[1:], ""),
		digits("99999999999999999999"), digits("-7"), digits("0"), digits("18446744073709551615"), digits("é"),
		strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(text, "\n", " "), strings.ReplaceAll(text, ":", ""),
		text + text, strings.Repeat(")", 70_000), strings.Repeat("1 ", 40_000), strings.Repeat("/..", 9000) + "\n",
		"0::" + strings.Repeat("/a", 4000) + "\n", "1 1 1 / / - cgroup2 x x\n", "cpu 1 2\ncpu0\ncpu9999999999999999 1 1 1 1\n",
	}
}

// Whatever is in any of the files, the numbers are possible or missing.
func TestGarbageInFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"trainer", "docker-v1", "docker-v2", "nested"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := fakeRoot(t, name)
			if name == "trainer" {
				root = trainerFolder(t)
			}
			err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				good, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				for _, bad := range garbled(string(good)) {
					p := newLinuxProbe(root)
					samples(t, p, 0)
					if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
						return err
					}
					samples(t, p, 1)
					if _, err := newProcfs(root).all(); err != nil {
						return err
					}
					if err := os.WriteFile(path, good, 0o600); err != nil {
						return err
					}
					samples(t, p, 2)
					if t.Failed() {
						t.Errorf("with %s being %.200q", path, bad)
						return errors.New("enough")
					}
				}
				return nil
			})
			check(t, err)
		})
	}
}

// samples takes a sample of a machine and its trainer and looks at it.
func samples(t *testing.T, p *linuxProbe, n int) {
	t.Helper()
	h := &parse.Host{}
	now := time.Unix(1760005000+5*int64(n), 0)
	p.machine(h, 100, now)
	tr := p.trainer(100, now)
	h.TrainerCPU, h.TrainerPSS, h.Workers = tr.cpu, tr.pss, tr.workers
	healthyHost(t, h)
	if most := p.online.Load(); most > 0 && h.TrainerCPU.Value > float64(most) || h.Workers < -1 {
		t.Errorf("the trainer keeps %+v of %d cores busy, with %d workers", h.TrainerCPU, most, h.Workers)
	}
}

func FuzzHostFiles(f *testing.F) {
	for _, name := range []string{"bare", "docker-v1", "docker-v2", "nested", "trainer"} {
		b, err := os.ReadFile(filepath.Join("testdata", "host", name+".txt"))
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(b), "\n-- ") {
			_, text, _ := strings.Cut(part, " --\n")
			f.Add([]byte(text + "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p := newLinuxProbe("")
		all, _ := p.times(b)
		h := &parse.Host{}
		p.meter.put(h, all, p.cores)
		p.cores = p.cores[:0]
		_, _ = p.times(b)
		p.meter.put(h, cpuTimes{}, p.cores)
		for _, key := range []string{"MemTotal:", "Pss:"} {
			if v, ok := kilobytes(b, key); ok && !(v >= 0) {
				t.Errorf("%s %v", key, v)
			}
		}
		h.RAMUsed, h.RAMTotal = usedOf(b, "MemTotal:", "MemAvailable:")
		healthyHost(t, h)
		for _, m := range groupMounts(b) {
			if inside, ok := below("/a/b", m.root); ok && len(upwards(m.point+inside, m.point)) > maxDepth {
				t.Error("too deep")
			}
		}
		_, _, _ = member(b, "memory")
		if n := coreCount(b); n < 0 {
			t.Errorf("%d cores", n)
		}
		if v, ok := statValue(b, "inactive_file"); ok && !(v >= 0) {
			t.Errorf("inactive_file %v", v)
		}
		_, _ = parseStat(b)
		_, _ = statName(b), statusUID(b)
		_, _ = passwd(b), environ(zeroEnded(b))
	})
}

// The cost of a sample of this machine, and of looking at one process.
func BenchmarkHostMachine(b *testing.B) {
	p, h := newHostProbe(), &parse.Host{}
	b.ReportAllocs()
	for b.Loop() {
		p.machine(h, os.Getpid(), time.Time{})
	}
}

func BenchmarkHostTrainer(b *testing.B) {
	p, now := newHostProbe(), time.Now()
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(treeEvery)
		p.trainer(os.Getpid(), now)
	}
}

func BenchmarkProcesses(b *testing.B) {
	for b.Loop() {
		if _, err := Processes(); err != nil {
			b.Fatal(err)
		}
	}
}
