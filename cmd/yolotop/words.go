package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// wordsMost is how much of what a viewer printed to its error stream is shown at most.
const wordsMost = 2048

// showWords prints the end of what a viewer said to its error stream.
func showWords(w io.Writer, words *os.File) {
	info, err := words.Stat()
	if err != nil || info.Size() == 0 {
		return
	}
	buf := make([]byte, min(info.Size(), wordsMost))
	n, _ := words.ReadAt(buf, info.Size()-int64(len(buf)))
	fmt.Fprintln(w, strings.TrimRight(cleanLines(string(buf[:n])), "\n"))
}
