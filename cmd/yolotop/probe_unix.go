//go:build !windows

package main

import (
	"bytes"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
)

// probePatience is how long a terminal may take to answer; one that does not is
// taken to draw box lines one cell wide, as nearly all do.
const probePatience = 500 * time.Millisecond

// drawsWide asks the terminal how wide it draws a box line, which is one cell or
// two in East Asian terminals: it prints one and asks for the cursor's column.
func drawsWide() bool {
	tty, err := os.OpenFile(controllingTerminal, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	before, err := term.MakeRaw(tty.Fd())
	if err != nil {
		return false
	}
	defer func() { _ = term.Restore(tty.Fd(), before) }()
	if tty.SetReadDeadline(time.Now().Add(probePatience)) != nil {
		return false // this system cannot wait for a terminal with a deadline
	}
	if _, err := tty.WriteString("\r─\x1b[6n"); err != nil {
		return false
	}
	defer func() { _, _ = tty.WriteString("\r\x1b[K") }()
	var answer []byte
	for buf := make([]byte, 64); !bytes.ContainsRune(answer, 'R'); {
		n, err := tty.Read(buf)
		if err != nil {
			return false
		}
		answer = append(answer, buf[:n]...)
	}
	return cursorColumn(answer) > 2
}

// cursorColumn reads the column, from 1, of "ESC [ row ; column R"; 0 if answer is
// no such report.
func cursorColumn(answer []byte) int {
	_, report, ok := bytes.Cut(answer, []byte("\x1b["))
	if !ok {
		return 0
	}
	_, column, ok := bytes.Cut(report, []byte(";"))
	if !ok {
		return 0
	}
	n := 0
	for _, c := range column {
		if c < '0' || c > '9' || n > 1000 {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}
