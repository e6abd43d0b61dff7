package sources

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/parse"
)

// A short training as Ultralytics 8.3 prints it into a file.
const (
	banner = "Ultralytics 8.3.40 🚀 Python-3.11.2 torch-2.5.1+cu124 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n"
	start  = "Starting training for 3 epochs...\n\n"
	header = "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
)

// bar is one frame of the training bar. tqdm prints the '\r' before the frame.
func bar(epoch, iter int) string {
	return fmt.Sprintf("\r        %d/3      1.85G      1.234      2.345      1.456         12        640: %3d%%|█████     | %d/4 [00:%02d<00:02,  1.00it/s]",
		epoch, 25*iter, iter, iter)
}

func training() string {
	var b strings.Builder
	b.WriteString(banner + start)
	for epoch := 1; epoch <= 3; epoch++ {
		b.WriteString(header)
		for iter := range 5 {
			b.WriteString(bar(epoch, iter))
		}
		b.WriteString("\n                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|██████████| 1/1 [00:00<00:00,  5.00it/s]\n")
		b.WriteString("                   all          4         17      0.612      0.487      0.531      0.329\n\n")
	}
	b.WriteString("3 epochs completed in 0.010 hours.\nZusammenfassung: größer als zuvor\n")
	return b.String()
}

// recorder is a publisher that remembers.
type recorder struct {
	mu     sync.Mutex
	events []parse.Event
	seen   int
}

func (r *recorder) Publish(ctx context.Context, events []parse.Event) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, events...)
	return nil
}

func (r *recorder) all() []parse.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events
}

// news is what came since the last call.
func (r *recorder) news() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := r.events[r.seen:]
	r.seen = len(r.events)
	return story(fresh)
}

// story is what events say, in few words.
func story(events []parse.Event) []string {
	out := []string{}
	for _, e := range events {
		var s string
		switch r := e.Record.(type) {
		case *parse.SourceState:
			s = [...]string{"waiting", "reading", "ended", "failed", "replaced"}[r.Status]
			if r.Why != "" {
				s += ": " + r.Why
			}
		case *parse.Progress:
			s = fmt.Sprintf("row %d/%d %d/%d", r.Epoch, r.Epochs, r.Iter, r.Iters)
		case *parse.Text:
			s = "text: " + r.Text
		case *parse.Config:
			s = "config: " + r.Model
		default:
			s = fmt.Sprintf("%T", r)[len("*parse."):]
		}
		if e.Provisional {
			s += " so far"
		}
		out = append(out, s)
	}
	return out
}

// facts are events in full, for comparison.
func facts(events []parse.Event) []string {
	var out []string
	for _, e := range events {
		_, isState := e.Record.(*parse.SourceState)
		if isState || e.Provisional {
			continue
		}
		out = append(out, fmt.Sprintf("%d:%d@%d %v/%v %T %s", e.Input, e.Line, e.Offset, e.Run, e.HasRun, e.Record, spell(e.Record)))
	}
	return out
}

// spell writes a record without addresses.
func spell(r parse.Record) string {
	var columns *parse.Columns
	switch v := r.(type) {
	case *parse.Progress:
		q := *v
		columns, q.Columns = q.Columns, nil
		r = &q
	case *parse.Notice:
		q := *v
		columns, q.Columns = q.Columns, nil
		r = &q
	}
	return fmt.Sprintf("%+v %+v", r, columns)
}

// parsed is what the parser makes of text without any source.
func parsed(text string) []parse.Event {
	var out []parse.Event
	add := func(e parse.Event) { out = append(out, e) }
	s := parse.NewStream(0)
	s.Write([]byte(text), time.Time{}, add)
	s.Close(time.Time{}, add)
	return out
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("event %d is missing: %q\ngot %q", i, want[i], got)
		case i >= len(want):
			t.Fatalf("event %d is too much: %q", i, got[i])
		case got[i] != want[i]:
			t.Fatalf("event %d:\n got %q\nwant %q", i, got[i], want[i])
		}
	}
}

// running is a source that runs in a synctest bubble.
type running struct {
	*recorder
	t    *testing.T
	path string
	stop context.CancelFunc
	done chan error
}

// startFile runs a file source until the test ends. Without a watch of the test's
// own it polls.
func startFile(t *testing.T, o FileOptions) *running {
	if o.system.watch == nil {
		o.Poll = true
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{recorder: &recorder{}, t: t, path: o.Path, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- NewFile(o).Run(ctx, r) }()
	t.Cleanup(cancel)
	synctest.Wait()
	return r
}

// after moves the clock of the bubble and returns what came meanwhile.
func (r *running) after(d time.Duration) []string {
	<-time.After(d)
	synctest.Wait()
	return r.news()
}

func (r *running) ended() error {
	synctest.Wait()
	select {
	case err := <-r.done:
		return err
	default:
		r.t.Fatal("the source still runs")
		return nil
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func logPath(t *testing.T) string { return filepath.Join(t.TempDir(), "train.log") }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refuse is an opener that gives an error.
func refuse(err error) func(string) (handle, error) {
	return func(path string) (handle, error) { return nil, &fs.PathError{Op: "open", Path: path, Err: err} }
}
