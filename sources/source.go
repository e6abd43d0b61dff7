// Package sources says where facts about a training come from and carries them
// to the one place that uses them.
//
// A [Source] reads something (a file that grows, a pipe, a recorded log), turns
// it into events with package parse and publishes them on a [Bus]; [Run] starts
// the sources and ends the bus when all of them have ended. Whatever happens to
// one source, a file that is not there, a disk that fails, even a panic, is said
// in an event of that source, and the others go on.
//
// [Expand] turns what a person typed, often a run folder, into inputs; [Read]
// reads one input to its end without goroutines, for commands that only report.
//
// Two rules shape the package. Nothing is lost: the bus drops nothing, a file is
// drained before it is let go, and a publisher waits when the bus is full. And
// the training comes first: who reads a pipe goes on reading it until its end,
// even when nobody wants the events any more (see [Drainer]), and files are
// opened in a way that never hinders the program that writes them.
package sources

import (
	"context"
	"io"
)

// A Source publishes what it reads, and its own condition as
// [parse.SourceState] records.
type Source interface {
	// Name is what a person calls the source: a path, "standard input".
	Name() string
	// Run publishes until the source has ended, and may be called once. It
	// returns nil at the source's own end, the context's error when it was told
	// to stop, and any other error when it cannot go on; that one was published
	// as SourceFailed already, with the reason in words for people.
	Run(ctx context.Context, p Publisher) error
}

// A Drainer is a source into which a program writes that would be hurt, or
// killed by a broken pipe, if nobody read. It reads on after Run has returned
// because of its context, as long as the process lives.
type Drainer interface {
	Source
	// PassTo copies everything that is read from now on to w, as cat would; nil
	// stops that. A writer that fails is dropped and the reading goes on. (The
	// process must not die of SIGPIPE then: ignore that signal.)
	PassTo(w io.Writer)
	// Drained is closed when there is nothing left to read, which is when the
	// process may end. It stays open if Run is never called.
	Drained() <-chan struct{}
}
