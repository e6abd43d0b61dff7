//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience bounds how long a test waits for something that must happen; nothing
// depends on how long it takes.
const patience = 60 * time.Second

// binary builds the program once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "yolotop-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "yolotop")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	// What is caught here is not ignored by the programs that the tests start, as it would be under
	// nohup.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	code := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// window is the real program in a pseudo-terminal.
type window struct {
	t       *testing.T
	master  *os.File
	tty     *os.File
	before  *unix.Termios
	cmd     *exec.Cmd
	exited  chan struct{}
	changed chan struct{}

	mu     sync.Mutex
	screen *vt.Emulator
	raw    bytes.Buffer

	stalled sync.Mutex // held while the terminal takes nothing
}

// stall makes the terminal take nothing any more, until flow.
func (w *window) stall() { w.stalled.Lock() }

func (w *window) flow() { w.stalled.Unlock() }

// wait waits for something that must happen outside the terminal.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-ctx.Done():
			t.Fatalf("never saw %s", what)
		}
	}
}

// open starts a shell command in a terminal; $YOLOTOP in it is the program.
func open(t *testing.T, columns, rows int, script string, env ...string) *window {
	t.Helper()
	return openWith(t, "", columns, rows, script, env...)
}

// openWith is open with a terminal whose only answer is the given one; it answers
// as terminals do if that is empty.
func openWith(t *testing.T, answer string, columns, rows int, script string, env ...string) *window {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	master, tty, err := openTerminal(columns, rows)
	if err != nil {
		t.Fatal(err)
	}
	w := &window{
		t: t, master: master, tty: tty, screen: vt.NewEmulator(columns, rows),
		exited: make(chan struct{}), changed: make(chan struct{}, 1),
	}
	w.before = w.termios()
	w.cmd = exec.Command("sh", "-c", script)
	w.cmd.Env = append(os.Environ(), append([]string{"TERM=xterm-256color", "YOLOTOP=" + path, "LC_ALL=C.UTF-8", "NO_COLOR="}, env...)...)
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = tty, tty, tty
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // what a terminal answers when it is asked
		answers := io.Writer(master)
		if answer != "" {
			_, _ = master.WriteString(answer)
			answers = io.Discard
		}
		_, _ = io.Copy(answers, w.screen)
	}()
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			if n > 0 {
				w.stalled.Lock()
				w.stalled.Unlock() //nolint:staticcheck // to wait is all that is wanted
				w.mu.Lock()
				w.raw.Write(buf[:n])
				_, _ = w.screen.Write(buf[:n])
				w.mu.Unlock()
				select {
				case w.changed <- struct{}{}:
				default:
				}
			}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		_ = w.cmd.Wait()
		close(w.exited)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
		<-w.exited
		_ = w.master.Close()
		_ = w.tty.Close()
		if c, ok := w.screen.InputPipe().(io.Closer); ok {
			_ = c.Close()
		}
	})
	return w
}

// openTerminal makes a pseudo-terminal of a size whose master can be closed while it is read: package
// pty makes reads of it block for good.
func openTerminal(columns, rows int) (master, tty *os.File, err error) {
	blocking, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	if err := pty.Setsize(blocking, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		return nil, nil, err
	}
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), blocking.Name()), tty, nil
}

func (w *window) termios() *unix.Termios {
	w.t.Helper()
	state, err := unix.IoctlGetTermios(int(w.tty.Fd()), ioctlGetTermios)
	if err != nil {
		w.t.Fatal(err)
	}
	return state
}

func (w *window) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.screen.String()
}

func (w *window) output() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.raw.String()
}

// until waits for the screen to be as wanted.
func (w *window) until(what string, ok func(screen string) bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		if ok(w.text()) {
			return
		}
		select {
		case <-w.changed:
		case <-ctx.Done():
			w.t.Fatalf("never saw %s; the screen is:\n%s", what, w.text())
		}
	}
}

func (w *window) shows(text string) {
	w.t.Helper()
	w.until(fmt.Sprintf("%q", text), func(s string) bool { return strings.Contains(s, text) })
}

func (w *window) press(keys string) {
	w.t.Helper()
	if _, err := w.master.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
}

// gone waits for the end.
func (w *window) gone() {
	w.t.Helper()
	select {
	case <-w.exited:
	case <-time.After(patience):
		w.t.Fatalf("did not end; the screen is:\n%s", w.text())
	}
}

// restored waits for the end and checks that the terminal is as it was.
func (w *window) restored(status int) {
	w.t.Helper()
	w.gone()
	if got := w.cmd.ProcessState.ExitCode(); got != status {
		w.t.Errorf("exit status %d, want %d", got, status)
	}
	if after := w.termios(); !reflect.DeepEqual(w.before, after) {
		w.t.Errorf("terminal modes before %+v, after %+v", w.before, after)
	}
	w.until("the alternate screen left", func(string) bool {
		out := w.output()
		return strings.LastIndex(out, "\x1b[?1049l") > strings.LastIndex(out, "\x1b[?1049h")
	})
}

// logFile writes a log whose run is alive in its third epoch.
func logFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "train.log")
	if err := os.WriteFile(path, []byte(liveLog), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScreenFromStartToQuit(t *testing.T) {
	t.Parallel()
	w := open(t, 120, 40, `exec "$YOLOTOP" "$LOG"`, "LOG="+logFile(t))
	w.shows("yolo11s")
	w.shows("3/10") // the newest frame, which has no terminator yet
	w.shows("box_loss")
	const onlyInHelp = "Marks under the curve"
	w.press("?")
	w.shows(onlyInHelp)
	w.press("\x1b") // by itself: with a key right behind it, it would be that key with alt
	w.until("the help closed", func(s string) bool { return !strings.Contains(s, onlyInHelp) })
	w.press("\t\t\x1b[B\x1b[B\x1b[A") // focus and scroll
	w.press("\x1b[D\x1b[D")           // back in time
	w.press("G")
	w.shows("3/10")
	w.press("q")
	w.restored(exitOK)
	w.shows("train.log: ") // the summary, on the ordinary screen
}

func TestARowThatIsWrittenAppears(t *testing.T) {
	t.Parallel()
	path := logFile(t)
	w := open(t, 80, 24, `exec "$YOLOTOP" "$LOG"`, "LOG="+path)
	w.shows("3/10")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("\r\x1b[K       3/10      15.1G     0.7654      0.744      1.022        120        640: 75% ━━━━━━━━━─── 75/100 8.0it/s 9.4s<3.1s"); err != nil {
		t.Fatal(err)
	}
	w.shows("0.765")
	w.press("q")
	w.restored(exitOK)
}

// With nothing named it looks for what there is, which on this machine may be anything,
// and lets itself be ended.
func TestNothingIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := open(t, 80, 24, `cd "$DIR"; exec "$YOLOTOP"`, "DIR="+dir, "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	w.shows("q quit")
	w.press("?")
	w.shows("back to the dashboard")
	w.press("q")
	w.restored(exitOK)
}

// TestTheTrainingOutlivesTheViewer promises that quitting, by either key, hurts
// nobody who writes into the pipe: what it prints goes through, to its end.
func TestTheTrainingOutlivesTheViewer(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"q": "q", "ctrl-c": "\x03"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			gate, done := filepath.Join(dir, "gate"), filepath.Join(dir, "done")
			if err := unix.Mkfifo(gate, 0o600); err != nil {
				t.Fatal(err)
			}
			// The writer prints a log, waits for the gate, prints far more than a
			// pipe holds, and notes that it came to its end.
			w := open(t, 100, 30, `{ cat "$LOG"; read go < "$GATE"; i=0; while [ $i -lt 3000 ]; do echo "line $i ........................................................"; i=$((i+1)); done; echo "the writer's last words"; echo ok > "$DONE"; } 2>&1 | "$YOLOTOP" -`,
				"LOG="+logFile(t), "GATE="+gate, "DONE="+done)
			w.shows("3/10")
			w.press(key)
			w.until("the alternate screen left", func(string) bool { return strings.Contains(w.output(), "\x1b[?1049l") })
			if err := os.WriteFile(gate, []byte("go\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			w.shows("the writer's last words")
			w.restored(exitOK)
			if _, err := os.Stat(done); err != nil {
				t.Errorf("the writer did not finish: %v", err)
			}
		})
	}
}

func TestSignalsRestoreTheTerminal(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"hangup": syscall.SIGHUP, "terminate": syscall.SIGTERM, "interrupt": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, 80, 24, `exec "$YOLOTOP" "$LOG"`, "LOG="+logFile(t))
			w.shows("3/10")
			if err := w.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			w.restored(exitInterrupted)
		})
	}
}

// TestLostTerminal promises that the screen ends with its terminal, though the leader of the
// session keeps the hangup to itself.
func TestLostTerminal(t *testing.T) {
	t.Parallel()
	status := filepath.Join(t.TempDir(), "status")
	w := open(t, 120, 40, `trap : HUP; "$YOLOTOP" demo --speed 20; echo $? >"$STATUS"`, "STATUS="+status)
	w.shows("yolo11s")
	if err := w.master.Close(); err != nil {
		t.Fatal(err)
	}
	w.gone()
	if got, err := os.ReadFile(status); err != nil || string(got) != fmt.Sprintln(exitInterrupted) {
		t.Errorf("status %q, %v", got, err)
	}
}

func TestDemoMoves(t *testing.T) {
	t.Parallel()
	w := open(t, 120, 40, `exec "$YOLOTOP" demo --speed 200`)
	w.shows("yolo11s")
	w.until("a later epoch", func(s string) bool { return strings.Contains(s, "epoch 2") || strings.Contains(s, "2/40") })
	w.shows("out of memory")
	w.press("q")
	w.restored(exitOK)
}

func TestNoColor(t *testing.T) {
	t.Parallel()
	w := open(t, 80, 24, `exec "$YOLOTOP" "$LOG"`, "LOG="+logFile(t), "NO_COLOR=1")
	w.shows("3/10")
	w.press("q")
	w.restored(exitOK)
	for _, m := range sgr.FindAllStringSubmatch(w.output(), -1) {
		for p := range strings.SplitSeq(m[1], ";") {
			if len(p) == 2 && strings.ContainsAny(p[:1], "349") && p != "39" && p != "49" {
				t.Fatalf("a colour is sent: %q", m[0])
			}
		}
	}
}

// sgr is a sequence that sets colours and styles.
var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// TestNothingPipedIn promises that keys are not taken for a log.
func TestNothingPipedIn(t *testing.T) {
	t.Parallel()
	w := open(t, 80, 24, `exec "$YOLOTOP" -`)
	w.shows("nothing is piped in")
	w.gone()
	if got := w.cmd.ProcessState.ExitCode(); got != exitUsage {
		t.Errorf("exit status %d", got)
	}
}

// TestWideBoxLines promises that a terminal that draws box lines two cells wide, as
// it may in an East Asian locale, gets ASCII.
func TestWideBoxLines(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"\x1b[1;2R": false, "\x1b[1;3R": true} {
		t.Run(answer[4:], func(t *testing.T) {
			t.Parallel()
			w := openWith(t, answer, 80, 24, `exec "$YOLOTOP" --lang en "$LOG"`, "LOG="+logFile(t), "LC_ALL=zh_CN.UTF-8")
			w.shows("3/10")
			if ascii := !strings.Contains(w.text(), "─"); ascii != want {
				t.Errorf("ascii %v, want %v:\n%s", ascii, want, w.text())
			}
			w.press("q")
			w.restored(exitOK)
		})
	}
}

func TestADumbTerminalGetsLines(t *testing.T) {
	t.Parallel()
	w := open(t, 80, 24, `exec "$YOLOTOP" "$LOG"`, "LOG="+logFile(t), "TERM=dumb")
	select {
	case <-w.exited:
	case <-time.After(patience):
		t.Fatal("did not end at the end of the file")
	}
	w.shows("2/10")
	if strings.Contains(w.output(), "\x1b[") {
		t.Errorf("escape sequences: %q", w.output())
	}
}
