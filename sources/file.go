package sources

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"yolotop/parse"
)

// FileOptions says which file to read and how.
type FileOptions struct {
	Path    string
	Input   int           // index among the inputs
	Grammar parse.Grammar // what it may be in
	Args    string        // path of the run's args.yaml, published first; empty if there is none
	// Follow goes on when the end is reached and reads what is added; else the
	// source ends there.
	Follow bool
	// Wait waits for a file that does not exist; else it is an error.
	Wait bool
	// Poll looks at the file by the clock only, for file systems whose changes the
	// kernel does not see.
	Poll bool

	system system
}

// system is what a file source needs of the operating system, so that tests can
// break it.
type system struct {
	open  func(path string) (handle, error)
	stat  func(path string) (fs.FileInfo, error)
	watch func(path string) (woken <-chan struct{}, stop func())
	now   func() time.Time
}

// handle is an open file.
type handle interface {
	io.ReadCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// orReal fills in the real thing where a test has put nothing.
func (s system) orReal() system {
	if s.open == nil {
		s.open = func(path string) (handle, error) {
			f, err := openFile(path)
			if err != nil {
				return nil, err // not a nil *os.File in an interface
			}
			return f, nil
		}
	}
	if s.stat == nil {
		s.stat = os.Stat
	}
	if s.watch == nil {
		s.watch = watchFile
	}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// File reads a file by its name: to the end, or on and on while it grows, is
// truncated, renamed, replaced or deleted (follow.go). A file that begins like
// gzip is decompressed and not followed. A FIFO, "<(command)" or device is read as
// a pipe: to the end of its last writer, and on after the context has ended.
//
// The bytes that a followed file holds when it is opened have no arrival time.
type File struct {
	*pump
	options FileOptions
}

// NewFile makes a source of a file. Nothing is opened before Run.
func NewFile(o FileOptions) *File {
	o.system = o.system.orReal()
	d := newPump()
	d.now = o.system.now
	return &File{pump: d, options: o}
}

// Name implements [Source]: the path as it was given.
func (f *File) Name() string { return f.options.Path }

// Input is the index among the inputs.
func (f *File) Input() int { return f.options.Input }

// Run implements [Source]. Its errors satisfy errors.Is for fs.ErrNotExist and
// fs.ErrPermission.
func (f *File) Run(ctx context.Context, p Publisher) error {
	piped := false
	defer func() {
		if !piped {
			close(f.drained) // a file loses nothing when nobody reads it
		}
	}()
	out := newFeedIn(f.options.Grammar, f.Name(), f.Input(), p)
	withTimes(out.stream, f.Name())
	if f.options.Args != "" {
		if err := out.say(ctx, readArgs(f.options.Args)); err != nil {
			return err
		}
	}
	h, waited, err := f.await(ctx, out)
	if err != nil {
		return f.fail(ctx, out, err)
	}
	if args := argsBeside(f.Name()); f.options.Args == "" && args != "" {
		if err := out.say(ctx, readArgs(args)); err != nil {
			_ = h.Close()
			return err
		}
	}
	info, err := h.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errDirectory
	case !info.Mode().IsRegular():
		piped = true
		return f.runPipe(ctx, out, h, info)
	default:
		return f.runRegular(ctx, out, h, info, waited)
	}
	_ = h.Close()
	return f.fail(ctx, out, err)
}

// await opens the file, and waits for it first if it may be missing.
func (f *File) await(ctx context.Context, out *feed) (h handle, waited bool, err error) {
	for {
		h, err = f.options.system.open(f.Name())
		if err == nil || !f.options.Wait || !errors.Is(err, fs.ErrNotExist) {
			return h, waited, socketError(err, f)
		}
		if !waited {
			waited = true
			if err := out.state(ctx, parse.SourceWaiting, "waiting for "+f.Name()+" to appear"); err != nil {
				return nil, true, err
			}
		}
		if err := pause(ctx, tick); err != nil {
			return nil, true, err
		}
	}
}

// socketError replaces the odd error that opening a socket gives.
func socketError(err error, f *File) error {
	if err == nil {
		return nil
	}
	if fi, statErr := f.options.system.stat(f.Name()); statErr == nil && fi.Mode()&fs.ModeSocket != 0 {
		return errSocket
	}
	return err
}

// largeFile is from how many bytes on it is said how much there is to read, and when that was read.
const largeFile = 8 << 20

// fail says that the file cannot be read, unless we were told to stop.
func (f *File) fail(ctx context.Context, out *feed, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := out.state(ctx, parse.SourceFailed, describe(f.Name(), err)); err != nil {
		return err
	}
	return &readError{f.Name(), err}
}

func (f *File) runPipe(ctx context.Context, out *feed, h handle, info fs.FileInfo) error {
	var r io.Reader = h
	if file, ok := h.(*os.File); ok && info.Mode()&fs.ModeNamedPipe != 0 {
		r = &fifo{File: file, ctx: ctx}
	}
	return f.run(ctx, r, out, "waiting for a program to write into "+f.Name())
}

func (f *File) runRegular(ctx context.Context, out *feed, h handle, info fs.FileInfo, waited bool) error {
	packed := isGzip(h)
	opened := &parse.SourceState{Name: out.name, Status: parse.SourceReading}
	if !packed && info.Size() >= largeFile {
		opened.Size = info.Size()
	}
	if err := out.say(ctx, opened); err != nil {
		_ = h.Close()
		return err
	}
	if f.options.Follow && !packed {
		w := &follower{file: f, out: out}
		w.attach(h, info)
		if waited {
			w.history = 0 // it has just come
		}
		return w.run(ctx)
	}
	defer h.Close()
	var r io.Reader = h
	if packed {
		var err error
		if r, err = unzip(h); err != nil {
			return f.fail(ctx, out, err)
		}
	}
	buf := make([]byte, chunkSize)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if err := out.arrived(ctx, buf[:n], time.Time{}, false); err != nil {
				return err
			}
		}
		if err != nil {
			return out.end(ctx, time.Time{}, err)
		}
	}
}
