package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// terminalSize is "columns x rows" of the terminal that is printed to.
func terminalSize() string {
	size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%dx%d", size.Col, size.Row)
}
