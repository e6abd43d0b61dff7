package tui

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"yolotop/parse"
)

// wire is the terminal's end of a program: it keeps what was written.
type wire struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(b)
}

func (w *wire) bytes() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.out.Bytes())
}

// screenAfter is what a terminal shows after it got these bytes.
func screenAfter(t *testing.T, stream []byte, w, h int) string {
	t.Helper()
	if i := bytes.LastIndex(stream, []byte("\x1b[?1049l")); i >= 0 {
		stream = stream[:i] // else the main screen would be seen
	}
	e := vt.NewSafeEmulator(w, h)
	drained := make(chan struct{})
	go func() { // the emulator answers queries, and waits until somebody reads
		_, _ = io.Copy(io.Discard, e)
		close(drained)
	}()
	// Without a terminal driver nothing turns a new line into a return as well.
	if _, err := e.Write(bytes.ReplaceAll(stream, []byte("\n"), []byte("\r\n"))); err != nil {
		t.Fatal(err)
	}
	screen := e.String()
	if err := e.InputPipe().(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	<-drained
	return screen
}

// TestProgram runs the model as a program, with frames and keys, and looks at the
// terminal.
func TestProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const w, h = 120, 40
		out := &wire{}
		p := tea.NewProgram(New(Options{}), tea.WithInput(nil), tea.WithOutput(out), tea.WithoutSignalHandler(),
			tea.WithWindowSize(w, h), tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		done := make(chan error, 1)
		go func() {
			_, err := p.Run()
			done <- err
		}()
		session := sessionOf(false, situations()["healthy"].log)
		after := func(messages ...tea.Msg) string {
			for _, m := range messages {
				p.Send(m)
			}
			<-time.After(time.Second) // fake: the ticker of the renderer
			return screenAfter(t, out.bytes(), w, h)
		}
		has := func(screen string, texts ...string) {
			t.Helper()
			for _, text := range texts {
				if !strings.Contains(screen, text) {
					t.Errorf("no %q on the screen:\n%s", text, screen)
				}
			}
		}

		has(after(FrameMsg{session.Snapshot(noon())}), "no trouble in 37 epochs", "62%", "row 3 s ago", "limit 23.7")

		before := len(out.bytes())
		after(FrameMsg{session.Snapshot(noon())}, FrameMsg{session.Snapshot(noon())})
		if n := len(out.bytes()) - before; n != 0 {
			t.Errorf("two frames without news sent %d bytes: %q", n, out.bytes()[before:])
		}

		has(after(press("?")), "this help", "esc back")
		has(after(press("esc")), "no trouble in 37 epochs")
		has(after(press("left"), press("left")), "at the end of epoch 35 (now 37)", "G now")
		has(after(press("G")), "no trouble in 37 epochs")

		has(after(press("w"), press("w"), press("w"), press("up"), press("up")), "> Log", "newer lines below: 1")

		feed(session, 0, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.88 GiB. GPU 0 has a total capacity of 23.70 GiB of which 520.00 MiB is free.\n", false)
		session.Observe(parse.Event{Record: &parse.SourceState{Name: "train.log", Status: parse.SourceEnded}})
		has(after(FrameMsg{session.Snapshot(noon())}), "out of memory in epoch 37", "newer lines below: 2")
		has(after(press("enter")), "What to do, the cheapest first", "1. ")

		p.Send(press("q"))
		if err := <-done; err != nil {
			t.Errorf("the program ended with %v", err)
		}
		<-time.After(time.Minute) // fake: past the last tick
	})
}
