//go:build unix

package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"yolotop/parse"
)

func makeFIFO(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	check(t, syscall.Mkfifo(path, 0o600))
	return path
}

// openToWrite opens a FIFO whose reader may not have come yet.
func openToWrite(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	check(t, err)
	return f
}

func TestFIFOWithoutAWriterCanBeCancelled(t *testing.T) {
	t.Parallel()
	path := makeFIFO(t)
	bus := NewBus(0)
	ctx, cancel := context.WithCancel(t.Context())
	f := NewFile(FileOptions{Path: path, Follow: true})
	result := make(chan error, 1)
	go func() { result <- Run(ctx, bus, f) }()
	equal(t, story(<-bus.Events()), []string{"waiting: waiting for a program to write into " + path})
	cancel()
	check(t, <-result)
	<-f.Drained()
}

func TestFIFOIsReadToTheEndOfItsLastWriter(t *testing.T) {
	t.Parallel()
	path := makeFIFO(t)
	var r recorder
	f := NewFile(FileOptions{Path: path, Follow: true})
	result := make(chan error, 1)
	go func() { result <- f.Run(t.Context(), &r) }()
	w := openToWrite(t, path)
	w2 := openToWrite(t, path)
	_, err := io.WriteString(w, training())
	check(t, err)
	w.Close()
	_, err = io.WriteString(w2, "second writer")
	check(t, err)
	w2.Close()
	check(t, <-result)
	<-f.Drained()
	equal(t, story(r.all())[:2], []string{"waiting: waiting for a program to write into " + path, "reading"})
	var got []string
	for _, e := range r.all() {
		if !e.Provisional && e.Line > 0 {
			got = append(got, spell(e.Record))
		}
	}
	var want []string
	for _, e := range parsed(training() + "second writer") {
		want = append(want, spell(e.Record))
	}
	equal(t, got, want)
	if s := r.news(); s[len(s)-1] != "ended" {
		t.Errorf("ended with %q", s[len(s)-1])
	}
}

func TestFIFOIsDrainedAfterWeWereToldToStop(t *testing.T) {
	t.Parallel()
	path := makeFIFO(t)
	bus := NewBus(0)
	ctx, cancel := context.WithCancel(t.Context())
	f := NewFile(FileOptions{Path: path})
	result := make(chan error, 1)
	go func() { result <- Run(ctx, bus, f) }()
	<-bus.Events()
	w := openToWrite(t, path)
	_, err := io.WriteString(w, "one\n")
	check(t, err)
	equal(t, story(<-bus.Events()), []string{"reading"})
	equal(t, story(<-bus.Events()), []string{"text: one"})
	var out terminal
	f.PassTo(&out)
	cancel()
	check(t, <-result)
	for i := range 10000 { // more than the pipe holds
		_, err := fmt.Fprintf(w, "line %d of a training that goes on\n", i)
		check(t, err)
	}
	w.Close()
	<-f.Drained()
	if n := len(out.String()); n != 10000*len("line  of a training that goes on\n")+38890 {
		t.Errorf("%d bytes were passed through", n)
	}
}

func TestWriterThatSaysNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells that a writer has come and gone")
	}
	path := makeFIFO(t)
	var r recorder
	result := make(chan error, 1)
	go func() { result <- NewFile(FileOptions{Path: path}).Run(t.Context(), &r) }()
	openToWrite(t, path).Close()
	check(t, <-result)
	if s := r.news(); s[len(s)-1] != "ended" {
		t.Errorf("said %q", s)
	}
}

// "<(command)" is a path such as /dev/fd/63.
func TestProcessSubstitution(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/fd/0"); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(string, *recorder) error{
		"source": func(path string, r *recorder) error {
			return NewFile(FileOptions{Path: path, Follow: true}).Run(t.Context(), r)
		},
		"read": func(path string, r *recorder) error {
			return Read(Target{Path: path}, 0, func(e parse.Event) { r.events = append(r.events, e) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pr, pw, err := os.Pipe()
			check(t, err)
			defer pr.Close()
			go func() {
				_, _ = io.WriteString(pw, "one\ntwo")
				_ = pw.Close()
			}()
			var r recorder
			check(t, read(fmt.Sprintf("/dev/fd/%d", pr.Fd()), &r))
			var lines []string
			for _, e := range r.all() {
				if text, ok := e.Record.(*parse.Text); ok {
					lines = append(lines, text.Text)
				}
			}
			equal(t, lines, []string{"one", "two"})
		})
	}
}

func TestDevicesAndSockets(t *testing.T) {
	t.Parallel()
	var r recorder
	check(t, NewFile(FileOptions{Path: os.DevNull, Follow: true}).Run(t.Context(), &r))
	folder, err := os.MkdirTemp("", "s") //nolint:usetesting // the path of a socket must be short
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	path := filepath.Join(folder, "s")
	l, err := net.Listen("unix", path)
	check(t, err)
	defer l.Close()
	if err := NewFile(FileOptions{Path: path}).Run(t.Context(), &r); !errors.Is(err, errSocket) {
		t.Errorf("Run on a socket returned %v", err)
	}
	if err := Read(Target{Path: path}, 0, nil); !errors.Is(err, errSocket) {
		t.Errorf("Read of a socket returned %v", err)
	}
}
