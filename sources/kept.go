package sources

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"yolotop/parse"
)

// What a keeper tells a viewer about a spool, a line each.
const (
	keptMore   = "more"   // there is more in the file
	keptEnded  = "ended"  // there will be no more
	keptFailed = "failed" // there will be no more in the file; the reason follows
)

// What a viewer tells a keeper, a line each.
const keptAt = "at" // how far it has shown what is kept, in bytes, when it ends

// SayShown tells a keeper how far a viewer has shown what is kept; what lies behind it passes
// through when the viewer has ended.
func SayShown(w io.Writer, at int64) error {
	_, err := fmt.Fprintf(w, "%s %d\n", keptAt, at)
	return err
}

// HearKept hears what a viewer says, until it has ended: how far it has shown what is kept, where ok is false if
// it did not say that, and what it wants, a word each.
func HearKept(r io.Reader, wants func(word string)) (at int64, ok bool) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if number, is := strings.CutPrefix(lines.Text(), keptAt+" "); is {
			n, err := strconv.ParseInt(number, 10, 64)
			at, ok = n, err == nil && n >= 0
			continue
		}
		wants(lines.Text())
	}
	return at, ok
}

// TellKept tells a viewer on w how a spool is, until the viewer or the spool has ended, or over says
// that what matters has: it gives the exit status of the training. nil never does.
func TellKept(w io.Writer, s *Spool, over <-chan string) error {
	status := ""
	for {
		state := s.State()
		line := keptMore
		switch {
		case state.Err != nil:
			line = keptFailed + " " + reason(state.Err)
		case status != "":
			line = keptEnded + " " + status
		case state.Ended && over == nil:
			line = strings.TrimSpace(keptEnded + " " + state.Status)
		}
		if _, err := io.WriteString(w, line+"\n"); err != nil || line != keptMore {
			return err
		}
		if state.Ended {
			status = <-over
			continue
		}
		select {
		case <-state.Changed:
		case status = <-over:
		}
	}
}

// KeptOptions say what a keeper holds for a viewer.
type KeptOptions struct {
	Name    string    // for people
	File    *os.File  // what the training has printed so far
	Control io.Reader // what the keeper says of it; see [TellKept]
	Input   int       // index among the inputs
	Grammar parse.Grammar
	// Seen is that the training began while yolotop watched: all that it has printed has just arrived.
	Seen bool
	now  func() time.Time
}

// Kept is the output of a training that another process holds: a keeper, which reads from the
// training and outlives a viewer. Nothing happens to the training when Kept ends.
//
// The bytes that are in the file at first have no arrival time.
type Kept struct{ options KeptOptions }

// NewKept makes a source of what a keeper holds.
func NewKept(o KeptOptions) *Kept {
	if o.now == nil {
		o.now = time.Now
	}
	return &Kept{o}
}

// Name implements [Source].
func (k *Kept) Name() string { return k.options.Name }

// Input is the index among the inputs.
func (k *Kept) Input() int { return k.options.Input }

// keptError is why a keeper gives no more.
type keptError string

func (e keptError) Error() string { return string(e) }

// errKeeper is what a viewer says whose keeper has died.
const errKeeper = keptError("the process that holds the training's output has gone")

// Run implements [Source].
func (k *Kept) Run(ctx context.Context, p Publisher) error {
	told := make(chan string, 1)
	go k.listen(ctx, told)
	f := newFeedIn(k.options.Grammar, k.Name(), k.Input(), p)
	if err := f.state(ctx, parse.SourceWaiting, "nothing has come through the pipe yet"); err != nil {
		return err
	}
	pos, buf := int64(0), make([]byte, chunkSize)
	fresh, reading := k.options.Seen, false
	for {
		at := time.Time{}
		if fresh {
			at = k.options.now()
		}
		n, err := k.options.File.ReadAt(buf, pos)
		if n > 0 {
			if !reading {
				reading = true
				if err := f.state(ctx, parse.SourceReading, ""); err != nil {
					return err
				}
			}
			pos += int64(n)
			if err := f.arrived(ctx, buf[:n], at, n < len(buf)); err != nil {
				return err
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return f.end(ctx, k.options.now(), err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line := <-told:
			fresh, at = true, k.options.now()
			switch word, why, _ := strings.Cut(line, " "); word {
			case keptMore:
			case keptEnded:
				f.ended = endOf(why)
				return f.finish(ctx, k.options.File, pos, at, io.EOF)
			case keptFailed:
				return f.finish(ctx, k.options.File, pos, at, keptError("no longer kept: "+why))
			default:
				return f.finish(ctx, k.options.File, pos, at, errKeeper)
			}
		}
	}
}

// endOf is what the exit status of a training says about it; nil if it ended well, or nothing is
// known. A shell counts 128 and the number for a signal.
func endOf(status string) *parse.Failure {
	n, err := strconv.Atoi(status)
	if err != nil || n == 0 {
		return nil
	}
	f := &parse.Failure{Kind: parse.Exception, Rank: -1, Text: "the training ended with status " + status}
	switch n {
	case 128 + int(syscall.SIGKILL):
		f.Kind, f.Text = parse.Killed, "the training was killed (SIGKILL)"
	case 128 + int(syscall.SIGINT), 128 + int(syscall.SIGTERM):
		f.Kind = parse.Interrupted
	}
	return f
}

// finish reads the rest of a file and ends.
func (f *feed) finish(ctx context.Context, file io.ReaderAt, pos int64, at time.Time, why error) error {
	buf := make([]byte, chunkSize)
	for {
		n, err := file.ReadAt(buf, pos)
		pos += int64(n)
		if n > 0 {
			if err := f.arrived(ctx, buf[:n], at, false); err != nil {
				return err
			}
		}
		if err != nil || n == 0 {
			if f.ended != nil {
				f.stream.Close(at, f.add)
				f.add(parse.Event{Origin: parse.Origin{Input: f.input, Arrival: at}, Record: f.ended})
			}
			return f.end(ctx, at, why)
		}
	}
}

// listen hands on what the keeper says; what only says that there is more is not waited with.
func (k *Kept) listen(ctx context.Context, told chan<- string) {
	lines := bufio.NewScanner(k.options.Control)
	for lines.Scan() {
		line := lines.Text()
		if line == keptMore {
			select {
			case told <- line:
			default: // the same was said already, or something graver
			}
			continue
		}
		select {
		case told <- line:
		case <-ctx.Done():
			return
		}
	}
	select {
	case told <- "":
	case <-ctx.Done():
	}
}
