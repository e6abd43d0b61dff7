package sources

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"yolotop/parse"
)

// spool makes a spool of an empty file.
func spool(t *testing.T) *Spool {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "spool"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	check(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return NewSpool(f)
}

// TestSpoolKeepsEverything promises each byte in the file, in order, whatever the pieces are.
func TestSpoolKeepsEverything(t *testing.T) {
	t.Parallel()
	s := spool(t)
	text := strings.Repeat(training(), 200)
	check(t, s.Drain(&pieces{text: text, size: 777}))
	got, err := os.ReadFile(s.File().Name())
	check(t, err)
	if string(got) != text {
		t.Errorf("%d bytes of %d", len(got), len(text))
	}
	if state := s.State(); !state.Ended || state.Err != nil || s.Size() != int64(len(text)) {
		t.Errorf("%+v", state)
	}
}

// pieces reads a text in pieces of a size.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.text)
	p.text = p.text[n:]
	return n, nil
}

// TestSpoolGivesUpAndReadsOn promises that a file which takes nothing ends the spooling and not
// the reading, and that the text still passes.
func TestSpoolGivesUpAndReadsOn(t *testing.T) {
	t.Parallel()
	f, err := os.Open(os.DevNull) // open for reading only
	check(t, err)
	defer f.Close()
	s := NewSpool(f)
	r, w := io.Pipe()
	drained := make(chan error, 1)
	go func() { drained <- s.Drain(r) }()
	_, err = io.WriteString(w, "lost\n")
	check(t, err)
	for state := s.State(); state.Err == nil; state = s.State() {
		<-state.Changed
	}
	var out syncBuffer
	passed := make(chan error, 1)
	go func() { passed <- s.Pass(t.Context(), &out, 0) }()
	for range 100 {
		_, err := io.WriteString(w, strings.Repeat("x", 1000)+"\n")
		check(t, err)
	}
	_, err = io.WriteString(w, "the end\n")
	check(t, err)
	check(t, w.Close())
	check(t, <-drained)
	check(t, <-passed)
	if !strings.HasSuffix(out.String(), "the end\n") {
		t.Errorf("passed: %q", out.String())
	}
	var told bytes.Buffer
	check(t, TellKept(&told, s, nil))
	if !strings.HasPrefix(told.String(), "failed ") {
		t.Errorf("told %q", told.String())
	}
}

// TestSpoolDoesNotWaitForADisk promises that a disk which never answers is given up before what
// waits for it fills the memory.
func TestSpoolDoesNotWaitForADisk(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe() // takes 64 KiB, and then nothing
	check(t, err)
	defer r.Close()
	s := NewSpool(w)
	drained := make(chan error, 1)
	go func() { drained <- s.Drain(io.LimitReader(endlessText{}, 4*spoolWaiting)) }()
	for state := s.State(); state.Err == nil; state = s.State() {
		<-state.Changed
	}
	if !errors.Is(s.State().Err, ErrSlowDisk) {
		t.Error(s.State().Err)
	}
	check(t, r.Close()) // the disk fails at last
	check(t, <-drained)
}

type endlessText struct{}

func (endlessText) Read(b []byte) (int, error) { return len(b), nil }

// TestPassBeginsWhereTheViewerEnded promises the text from an offset on, with what comes later.
func TestPassBeginsWhereTheViewerEnded(t *testing.T) {
	t.Parallel()
	s := spool(t)
	r, w := io.Pipe()
	drained := make(chan error, 1)
	go func() { drained <- s.Drain(r) }()
	_, err := io.WriteString(w, "seen\nunseen\n")
	check(t, err)
	var out syncBuffer
	passed := make(chan error, 1)
	go func() { passed <- s.Pass(t.Context(), &out, int64(len("seen\n"))) }()
	_, err = io.WriteString(w, "later\n")
	check(t, err)
	check(t, w.Close())
	check(t, <-drained)
	check(t, <-passed)
	if got := out.String(); got != "unseen\nlater\n" {
		t.Errorf("%q", got)
	}
	if err := s.Pass(t.Context(), failingWriter{}, 0); err == nil {
		t.Error("a writer that fails was not noticed")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("gone") }

// TestKept promises the events of what a keeper holds, how far a viewer has read, and a clear word
// where the keeper is gone or has given up.
func TestKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, control string
		status        parse.SourceStatus
		why           string
	}{
		{"ended", "more\nmore\nended\n", parse.SourceEnded, ""},
		{"given up", "more\nfailed no space left on device\n", parse.SourceFailed, "no longer kept: no space left on device"},
		{"the keeper died", "more\n", parse.SourceFailed, "the process that holds the training's output has gone"},
	} {
		s := spool(t)
		text := training()
		check(t, s.Drain(strings.NewReader(text)))
		k := NewKept(KeptOptions{Name: "standard input", File: s.File(), Control: strings.NewReader(c.control)})
		rec := &recorder{}
		err := k.Run(t.Context(), rec)
		if (err != nil) != (c.status == parse.SourceFailed) {
			t.Errorf("%s: %v", c.name, err)
		}
		rows := 0
		var last *parse.SourceState
		for _, e := range rec.events {
			switch r := e.Record.(type) {
			case *parse.Progress:
				if !e.Provisional {
					rows++
				}
			case *parse.SourceState:
				last = r
			}
		}
		if rows != 15 || last.Status != c.status || last.Why != c.why {
			t.Errorf("%s: %d rows, %+v", c.name, rows, last)
		}
	}
	var back bytes.Buffer
	check(t, SayShown(&back, 4711))
	back.WriteString("stop\n")
	var wants []string
	if at, ok := HearKept(&back, func(word string) { wants = append(wants, word) }); !ok || at != 4711 || len(wants) != 1 || wants[0] != "stop" {
		t.Errorf("shown up to %d, %v, wants %q", at, ok, wants)
	}
}

// TestKeptEndsWhenItIsTold promises that a viewer ends at once though the keeper says nothing.
func TestKeptEndsWhenItIsTold(t *testing.T) {
	t.Parallel()
	s := spool(t)
	ctx, stop := context.WithCancel(t.Context())
	silent, never := io.Pipe()
	defer never.Close()
	k := NewKept(KeptOptions{Name: "standard input", File: s.File(), Control: silent})
	done := make(chan error, 1)
	go func() { done <- k.Run(ctx, &recorder{}) }()
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// syncBuffer is a buffer that two goroutines may use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
