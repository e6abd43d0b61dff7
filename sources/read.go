package sources

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"yolotop/parse"
)

// readSize is how much is read at once where nobody waits for the first event.
const readSize = 256 << 10

// Read reads an input to its end and calls emit for each event, in order, on the
// caller's goroutine. It fails if the path cannot be read: missing, a directory, no
// permission, an error of the disk; errors.Is tells which. What the bytes are is not
// its business: a file of something else gives Text events or none. Compressed data
// that is damaged or ends too early gives what could be read and then a SourceState
// that says so.
//
// A target that has not begun yet (see [Target]) gives its arguments only.
func Read(target Target, input int, emit func(parse.Event)) error {
	if target.Args != "" {
		emit(parse.Event{Origin: parse.Origin{Input: input}, Record: readArgs(target.Args)})
	}
	f, err := openBlocking(target.Path)
	if errors.Is(err, fs.ErrNotExist) && target.Expected {
		return nil
	}
	if err != nil {
		return &readError{target.Path, err}
	}
	defer f.Close()
	return readStream(f, target.Path, withTimes(target.Grammar.NewStream(input), target.Path), input, emit)
}

// ReadFrom is Read for bytes that are not in a file, such as standard input; name
// is what a person calls them, grammar what they may be in.
func ReadFrom(r io.Reader, name string, grammar parse.Grammar, input int, emit func(parse.Event)) error {
	return readStream(r, name, grammar.NewStream(input), input, emit)
}

// readStream is ReadFrom into a stream.
func readStream(r io.Reader, name string, stream *parse.Stream, input int, emit func(parse.Event)) error {
	var head [len(gzipMagic)]byte
	n, err := io.ReadFull(r, head[:])
	packed := string(head[:n]) == gzipMagic
	if err == nil {
		r = io.MultiReader(bytes.NewReader(head[:n]), r)
		if packed {
			r, err = unzip(r)
		}
	} else {
		stream.Write(head[:n], time.Time{}, emit)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF // a file of one byte
		}
	}
	buf := make([]byte, readSize)
	for err == nil {
		n, err = r.Read(buf)
		stream.Write(buf[:n], time.Time{}, emit)
	}
	stream.Close(time.Time{}, emit)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case packed:
		emit(parse.Event{
			Origin: parse.Origin{Input: input},
			Record: &parse.SourceState{Name: name, Status: parse.SourceFailed, Why: describe(name, err)},
		})
		return nil
	}
	return &readError{name, err}
}

// openBlocking opens a path and, if it is a FIFO, waits for its writer.
func openBlocking(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errDirectory
	case info.Mode()&fs.ModeSocket != 0:
		return nil, errSocket
	case info.Mode().IsRegular():
		return openFile(path)
	}
	return os.Open(path)
}
