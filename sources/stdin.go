package sources

import (
	"context"
	"io"

	"yolotop/parse"
)

// Stdin is a pipe from a training to us: "yolo train ... 2>&1 | yolotop -".
//
// It reads to the end of the pipe whatever happens, since a training whose output
// nobody reads first blocks and then dies. While the bus is full the reading waits;
// when the context has ended or the bus is closed, it goes on and throws away what
// it reads, or copies it to the writer of [Stdin.PassTo].
type Stdin struct {
	*pump
	reader  io.Reader
	input   int
	grammar parse.Grammar
}

// NewStdin makes a source of r, which is os.Stdin outside tests; input is its index among
// the inputs, grammar what it may be in.
func NewStdin(r io.Reader, input int, grammar parse.Grammar) *Stdin {
	return &Stdin{pump: newPump(), reader: r, input: input, grammar: grammar}
}

// Name implements [Source].
func (s *Stdin) Name() string { return "standard input" }

// Input is the index among the inputs.
func (s *Stdin) Input() int { return s.input }

// Run implements [Source]. Even with a context that has ended it starts to drain.
func (s *Stdin) Run(ctx context.Context, p Publisher) error {
	f := newFeedIn(s.grammar, s.Name(), s.input, p)
	return s.run(ctx, endless{s.reader}, f, "nothing has come through the pipe yet")
}

// endless hides Close: standard input is not ours to close.
type endless struct{ io.Reader }
