//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSuspend promises that a screen over a file gives the terminal back when it is stopped, by key
// and by signal, and is there again when it goes on.
func TestSuspend(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const untilTold = `until read -r l; case $l in *go) true;; *) false;; esac; do :; done; `
	w := open(t, 80, 24, `set -m; "$YOLOTOP" "$LOG"; echo stopped >"$FIRST"; `+untilTold+`fg; echo stopped >"$SECOND"; `+untilTold+`fg`,
		"LOG="+logFile(t), "FIRST="+filepath.Join(folder, "first"), "SECOND="+filepath.Join(folder, "second"))
	for _, by := range []string{"first", "second"} {
		w.shows("3/10")
		if by == "first" {
			w.press("\x1a")
		} else {
			group, err := unix.IoctlGetInt(int(w.master.Fd()), unix.TIOCGPGRP)
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(-group, syscall.SIGTSTP); err != nil {
				t.Fatal(err)
			}
		}
		wait(t, "the shell again", func() bool {
			_, err := os.Stat(filepath.Join(folder, by))
			return err == nil
		})
		if modes := w.termios(); modes.Lflag != w.before.Lflag || modes.Iflag != w.before.Iflag {
			t.Errorf("%s: terminal modes before %+v, while stopped %+v", by, w.before, modes)
		}
		w.until("the alternate screen left", func(string) bool {
			out := w.output()
			return strings.LastIndex(out, "\x1b[?1049l") > strings.LastIndex(out, "\x1b[?1049h")
		})
		w.press("go\n")
		w.until("the alternate screen again", func(string) bool {
			out := w.output()
			return strings.LastIndex(out, "\x1b[?1049h") > strings.LastIndex(out, "\x1b[?1049l")
		})
	}
	w.shows("3/10")
	w.press("q")
	w.restored(exitOK)
}

// TestLibrariesDoNotDrawOnTheScreen promises that what is printed to the error stream while a screen
// is up, as a driver's library may, is shown behind it, and that a crash is not silent.
func TestLibrariesDoNotDrawOnTheScreen(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"quit": 0, "crash": syscall.SIGABRT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, 80, 24, `exec "$YOLOTOP" "$LOG"`, "LOG="+logFile(t), "GODEBUG=gctrace=1", "GOGC=1")
			w.shows("3/10")
			if _, screen, _ := strings.Cut(w.output(), "\x1b[?1049h"); strings.Contains(screen, "MB goal") {
				t.Error("the runtime drew on the screen")
			}
			if signal != 0 {
				if err := w.cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				w.gone()
				w.until("why it crashed", func(string) bool { return strings.Contains(w.output(), "SIGABRT") })
				return
			}
			w.press("q")
			w.restored(exitOK)
			w.until("what was printed", func(string) bool {
				_, after, _ := strings.Cut(w.output(), "\x1b[?1049l")
				return strings.Contains(after, "MB goal")
			})
		})
	}
}
