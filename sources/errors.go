package sources

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode"
)

// Conditions of a path that the system has no error for.
var (
	errDirectory = errors.New("is a directory")
	errSocket    = errors.New("is a socket")
	errNotFile   = errors.New("is no file any more")
)

// readError is an input that cannot be read: "read train.log: no such file".
type readError struct {
	path string
	err  error
}

func (e *readError) Error() string { return "read " + e.path + ": " + reason(e.err) }
func (e *readError) Unwrap() error { return e.err }

// reason says why in few words, without the path and the system call that the
// errors of package os repeat.
func reason(err error) string {
	var path *fs.PathError
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "no permission"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "compressed data ends too early"
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return "compressed data is damaged"
	case errors.As(err, &path):
		err = path.Err
	}
	return printable(err.Error())
}

// describe is the sentence that a person reads about the path.
func describe(path string, err error) string {
	var kept keptError
	switch {
	case errors.As(err, &kept):
		return kept.Error()
	case errors.Is(err, fs.ErrNotExist):
		return path + " does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to read " + path
	case errors.Is(err, errDirectory), errors.Is(err, errSocket), errors.Is(err, errNotFile):
		return path + " " + err.Error()
	}
	return "cannot read " + path + ": " + reason(err)
}

// printable keeps a text on one line and free of control characters, since errors
// quote what is in files.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
