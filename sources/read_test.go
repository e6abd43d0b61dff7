package sources

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"yolotop/parse"
)

func TestReadGivesEveryEvent(t *testing.T) {
	t.Parallel()
	log := training()
	packed := zipped(t, log)
	damage := "failed: cannot read %: compressed data "
	cases := []struct{ name, content, want, says string }{
		{"log", log, log, ""},
		{"empty", "", "", ""},
		{"one byte", "x", "x", ""},
		{"two bytes", "xy", "xy", ""},
		{"gzip", packed, log, ""},
		{"gzip cut", packed[:len(packed)-9], log, damage + "ends too early"},
		{"gzip header cut", packed[:3], "", damage + "ends too early"},
		{"not gzip after all", "\x1f\x8bxxxxxxxxxxxx", "", damage + "is damaged"},
		{"something else", "\x00\x01\x02 hello\n", "\x00\x01\x02 hello\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := logPath(t)
			put(t, path, c.content)
			var events []parse.Event
			check(t, Read(Target{Path: path}, 0, func(e parse.Event) { events = append(events, e) }))
			equal(t, facts(events), facts(parsed(c.want)))
			said := ""
			if n := len(events); n > 0 {
				if _, ok := events[n-1].Record.(*parse.SourceState); ok {
					said = story(events[n-1:])[0]
				}
			}
			if want := strings.ReplaceAll(c.says, "%", path); said != want {
				t.Errorf("said %q, want %q", said, want)
			}
		})
	}
}

func TestReadOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	missing := filepath.Join(folder, "train.log")
	none := func(e parse.Event) { t.Errorf("unexpected %v", e) }
	if err := Read(Target{Path: missing}, 0, none); !errors.Is(err, fs.ErrNotExist) || err.Error() != "read "+missing+": no such file" {
		t.Errorf("missing: %v", err)
	}
	if err := Read(Target{Path: folder}, 0, none); !errors.Is(err, errDirectory) {
		t.Errorf("directory: %v", err)
	}
	check(t, Read(Target{Path: missing, Expected: true}, 0, none))
	broken := io.MultiReader(strings.NewReader("half a line"), iotest.ErrReader(fs.ErrPermission))
	var events []parse.Event
	err := ReadFrom(broken, "standard input", parse.Grammar{}, 0, func(e parse.Event) { events = append(events, e) })
	if !errors.Is(err, fs.ErrPermission) || err.Error() != "read standard input: no permission" {
		t.Errorf("broken: %v", err)
	}
	equal(t, story(events), []string{"text: half a line"})
}

func TestReadBeginsWithTheArguments(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	args := filepath.Join(folder, "args.yaml")
	put(t, args, "model: yolo11n.pt\n")
	var events []parse.Event
	target := Target{Path: filepath.Join(folder, "results.csv"), Args: args, Expected: true}
	check(t, Read(target, 2, func(e parse.Event) { events = append(events, e) }))
	equal(t, story(events), []string{"config: yolo11n.pt"})
	if events[0].Input != 2 {
		t.Errorf("input %d", events[0].Input)
	}
}

// A line of a gigabyte must not cost a gigabyte: what is allocated is the buffer,
// the parser's pieces and the events.
func TestReadFromAllocatesNothingForBytes(t *testing.T) {
	line := bytes.Repeat([]byte{'x'}, 1<<20)
	read := func(times int) float64 {
		return testing.AllocsPerRun(3, func() {
			readers := make([]io.Reader, 0, times)
			for range times {
				readers = append(readers, bytes.NewReader(line))
			}
			check(t, ReadFrom(io.MultiReader(readers...), "x", parse.Grammar{}, 0, func(parse.Event) {}))
		})
	}
	few, many := read(2), read(18)
	// Each piece of 64 KiB is a Text event; the parser makes a few objects of it.
	if pieces := float64(16 * 16); many-few > 8*pieces {
		t.Errorf("%v allocations for 2 MiB and %v for 18 MiB", few, many)
	}
}

func BenchmarkReadFrom(b *testing.B) {
	log := []byte(strings.Repeat(training(), 2000))
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := ReadFrom(bytes.NewReader(log), "log", parse.Grammar{}, 0, func(parse.Event) { n++ }); err != nil {
			b.Fatal(err)
		}
	}
}
