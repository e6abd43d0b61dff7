package sources

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

// exact is the largest count that is believed: larger ones are no counts, and sums
// of them would not be exact.
const exact = 1 << 53

// files reads the small files of /proc and /sys, each in one go and into a buffer
// that is used again, since a sample needs dozens of them.
type files struct {
	root string // goes before each path; empty for the system's own
	// open is a test's own way to open a path; nil is the system's.
	open func(path string) (fd int, err error)
	buf  []byte
}

// read returns a file's content, its first limit bytes if it has more. It is valid
// until the next call.
func (f *files) read(path string, limit int) ([]byte, error) {
	open := f.open
	if open == nil {
		open = openRaw
	}
	fd, err := open(f.root + path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }() // opened for reading: nothing can be lost
	for n := 0; ; {
		if n == len(f.buf) {
			f.buf = append(f.buf, make([]byte, max(n, 8<<10))...)
		}
		room := min(len(f.buf), limit)
		if n == room {
			return f.buf[:n], nil
		}
		got, err := unix.Read(fd, f.buf[n:room])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, err
		case got <= 0:
			return f.buf[:n], nil
		default:
			n += got
		}
	}
}

// openRaw opens a path without the runtime's poller and never waits for the other
// end of a FIFO.
func openRaw(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

func (f *files) exists(path string) bool {
	var s unix.Stat_t
	return unix.Stat(f.root+path, &s) == nil
}

// numbered returns the entries of a folder whose names are numbers: processes or
// threads.
func (f *files) numbered(path string) ([]int, error) {
	dir, err := os.Open(f.root + path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	var out []int
	for _, name := range names {
		if n, ok := count([]byte(name)); ok && n > 0 && n < 1<<31 {
			out = append(out, int(n))
		}
	}
	if len(out) > 0 {
		return out, nil // a thread that ends makes the rest of the listing fail
	}
	return out, err
}

// why is the reason for a number that an error took away.
func why(err error) parse.Presence {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return parse.NoPermission
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR),
		errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
		return parse.NotSupported
	}
	return parse.Unavailable
}

// gone reports whether an error says that the process has ended.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)
}

func missing(why parse.Presence) parse.Number { return parse.Number{State: why} }

// cutLine takes the first line off. ok is false at the end; what lacks its newline
// was cut off, maybe within a number, and is no line.
func cutLine(b []byte) (line, rest []byte, ok bool) {
	return bytes.Cut(b, []byte{'\n'})
}

// cutField takes the first word off a line; it is empty at the end.
func cutField(line []byte) (field, rest []byte) {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	for i, c := range line {
		if c == ' ' || c == '\t' {
			return line[:i], line[i:]
		}
	}
	return line, nil
}

// count reads a number without a sign. It is not ok if there is anything else, or if
// the number is too large for what is counted here.
func count(b []byte) (n uint64, ok bool) {
	if len(b) == 0 || len(b) > 16 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + uint64(c-'0')
	}
	return n, n <= exact
}

// kilobytes returns the value of "key:  123 kB" in bytes, from a file of such lines.
func kilobytes(b []byte, key string) (bytes float64, ok bool) {
	for line, rest, ok := cutLine(b); ok; line, rest, ok = cutLine(rest) {
		name, line := cutField(line)
		if string(name) != key {
			continue
		}
		value, line := cutField(line)
		unit, _ := cutField(line)
		n, ok := count(value)
		return float64(n) * 1024, ok && string(unit) == "kB"
	}
	return 0, false
}
