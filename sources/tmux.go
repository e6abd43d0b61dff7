package sources

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"yolotop/parse"
)

const (
	tmuxEvery = time.Second
	// tmuxPatience is how long a server of tmux may take to answer. It answers from
	// memory; one that does not is stuck.
	tmuxPatience = 3 * time.Second
	// tmuxNewest is how many lines above the visible ones are asked for where all
	// before them are known.
	tmuxNewest = 200
	// tmuxLimit is how much of a pane's text is taken: tmux's own history can be set to
	// any length.
	tmuxLimit = 64 << 20
)

// tmuxPane is a pane of a server of tmux.
type tmuxPane struct{ socket, id string }

// String is what a person calls the pane: "tmux %3", as "tmux list-panes" shows it.
func (p tmuxPane) String() string { return "tmux " + p.id }

// tmuxFolder is where the servers of a user have their sockets, in the folder of
// TMUX_TMPDIR or /tmp.
func tmuxFolder(dir string, uid int) string {
	if dir == "" {
		dir = "/tmp"
	}
	return filepath.Join(dir, "tmux-"+strconv.Itoa(uid))
}

// tmux runs a command of tmux that only reads.
func tmux(ctx context.Context, socket string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tmuxPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", socket}, args...)...)
	cmd.WaitDelay = tmuxPatience
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = errors.New(printable(string(exit.Stderr)))
	}
	return string(out[:min(len(out), tmuxLimit)]), err
}

// listTmuxPanes are the panes of a server by their terminals; none if it does not answer
// or tmux is not there. A pane in which a program fills the screen shows that program and
// no log.
func listTmuxPanes(socket string) map[string]string {
	out, err := tmux(context.Background(), socket, "list-panes", "-a", "-F", "#{alternate_on} #{pane_tty} #{pane_id}")
	if err != nil {
		return nil
	}
	panes := map[string]string{}
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "0" {
			panes[f[1]] = f[2]
		}
	}
	return panes
}

// picture is what stands in a pane.
type picture struct {
	lines     []string // without blanks at their ends, and without the blank lines below
	alternate bool     // a program fills the screen
	history   int      // lines above the visible ones
}

// capture is a picture of a pane from that many lines above the visible ones on; from the
// beginning of its history if above is negative.
type capture func(ctx context.Context, above int) (picture, error)

// capture reads a pane of a server. Lines that the terminal has broken are whole.
func (p tmuxPane) capture(ctx context.Context, above int) (picture, error) {
	from := "-"
	if above >= 0 {
		from = "-" + strconv.Itoa(above)
	}
	out, err := tmux(ctx, p.socket,
		"display-message", "-p", "-t", p.id, "#{alternate_on} #{history_size}", ";",
		"capture-pane", "-p", "-J", "-S", from, "-t", p.id)
	if err != nil {
		return picture{}, err
	}
	head, text, _ := strings.Cut(out, "\n")
	alternate, history, _ := strings.Cut(head, " ")
	pic := picture{alternate: alternate != "0"}
	pic.history, _ = strconv.Atoi(history) // 0 if it is not told
	pic.lines = strings.Split(strings.TrimRight(text, " \n"), "\n")
	for i, l := range pic.lines {
		pic.lines[i] = strings.TrimRight(l, " ")
	}
	return pic, nil
}

// sniffTmuxPane reports whether the text of a pane says something about a training.
func sniffTmuxPane(p tmuxPane) bool {
	pic, err := p.capture(context.Background(), -1)
	if err != nil || pic.alternate {
		return false
	}
	stream := parse.NewStream(0)
	stream.Write([]byte(strings.Join(pic.lines, "\n")+"\n"), time.Time{}, func(parse.Event) {})
	return stream.Recognized()
}

// paneGone reports whether an error of tmux is that there is no such pane any more, and not
// that the server is slow.
func paneGone(err error) bool {
	if errors.Is(err, exec.ErrNotFound) {
		return true
	}
	for _, said := range []string{"can't find", "no server running", "error connecting", "server exited", "lost server", "no sessions"} {
		if strings.Contains(err.Error(), said) {
			return true
		}
	}
	return false
}

// tmuxSource follows the text of a pane, in which a training runs. What is drawn over
// between two looks is not seen: of a bar, the states that were looked at.
type tmuxSource struct {
	pane    tmuxPane
	input   int
	grammar parse.Grammar
	ended   <-chan struct{} // closed when the training has ended
	capture capture
}

func newTmuxSource(p tmuxPane, input int, grammar parse.Grammar, ended <-chan struct{}) *tmuxSource {
	return &tmuxSource{pane: p, input: input, grammar: grammar, ended: ended, capture: p.capture}
}

// Name implements [Source].
func (t *tmuxSource) Name() string { return t.pane.String() }

// Input is the index among the inputs.
func (t *tmuxSource) Input() int { return t.input }

// Run implements [Source]. It ends when the training or the pane has.
func (t *tmuxSource) Run(ctx context.Context, p Publisher) error {
	out := newFeedIn(t.grammar, t.Name(), t.input, &wholeRows{to: p})
	if err := out.state(ctx, parse.SourceReading, ""); err != nil {
		return err
	}
	ticker := time.NewTicker(tmuxEvery)
	defer ticker.Stop()
	var text paneText
	at := time.Time{} // what stood there before has no time
	for last := false; ; {
		pic, err := t.look(ctx, &text)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		gone := err != nil && paneGone(err)
		if err == nil && !pic.alternate {
			if b := text.news(pic, last); len(b) > 0 {
				if err := out.arrived(ctx, b, at, true); err != nil {
					return err
				}
			}
		}
		if last || gone {
			out.stream.Close(at, out.add)
			if err := out.flush(ctx); err != nil {
				return err
			}
			why := ""
			if gone {
				why = "the pane is gone"
			}
			return out.state(ctx, parse.SourceEnded, why)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.ended:
			last = true
		case <-ticker.C:
		}
		at = time.Now()
	}
}

// look reads the newest lines, or all of them where the newest ones do not hold what was
// seen last.
func (t *tmuxSource) look(ctx context.Context, text *paneText) (picture, error) {
	if text.seen {
		pic, err := t.capture(ctx, tmuxNewest)
		if err != nil || pic.alternate {
			return pic, err
		}
		if _, _, ok := text.find(pic.lines); ok {
			return pic, nil
		}
	}
	return t.capture(ctx, -1)
}

// wholeRows leaves out rows of progress that lack their counter where others have it: in a
// pane that is narrower than a bar, what is left of one that was drawn over.
type wholeRows struct {
	to    Publisher
	whole bool // one had a counter
	rows  int
}

// rowsWithout is how many rows without a counter make it normal for a trainer.
const rowsWithout = 20

// Publish implements [Publisher].
func (w *wholeRows) Publish(ctx context.Context, events []parse.Event) error {
	events = slices.DeleteFunc(events, func(e parse.Event) bool {
		p, ok := e.Record.(*parse.Progress)
		if !ok {
			return false
		}
		if p.Iter >= 0 {
			w.whole = true
			return false
		}
		w.rows++
		return w.whole || w.rows <= rowsWithout
	})
	if len(events) == 0 {
		return ctx.Err()
	}
	return w.to.Publish(ctx, events)
}

// paneText makes a stream of bytes from pictures of a pane, as the training may have
// written it: each line once, and a line that is drawn over with a carriage return.
type paneText struct {
	seen    bool
	done    []string // the newest of the lines that are complete
	open    string   // the line that is being written
	history int
}

const (
	// tmuxContext is how many lines must agree to find again what was seen before.
	tmuxContext = 40
	// tmuxContextLeast is how many are enough where the history begins later.
	tmuxContextLeast = 3
	// tmuxRedrawn is how many lines above the last one a program may draw over.
	tmuxRedrawn = 8
)

// find returns where in a picture the lines begin that were not complete before, and which
// of those may stand there in an older state.
func (p *paneText) find(lines []string) (at int, old []string, ok bool) {
	done := p.done
	for len(done) > 0 && done[len(done)-1] == "" {
		done = done[:len(done)-1] // a picture ends before its blank lines
	}
	blanks := len(p.done) - len(done)
	if len(done) == 0 {
		return skipBlank(lines, 0, blanks), nil, true
	}
	for drop := 0; drop <= tmuxRedrawn && drop < len(done); drop++ {
		tail := done[:len(done)-drop]
		tail = tail[max(0, len(tail)-tmuxContext):]
		if drop > 0 && len(tail) < tmuxContextLeast {
			break
		}
		for end := len(lines); end > 0; end-- {
			n := min(len(tail), end)
			if n < len(tail) && n < tmuxContextLeast {
				break
			}
			if !slices.Equal(lines[end-n:end], tail[len(tail)-n:]) {
				continue
			}
			if drop == 0 {
				return skipBlank(lines, end, blanks), nil, true
			}
			return end, done[len(done)-drop:], true
		}
	}
	return 0, nil, false
}

// skipBlank passes over n blank lines at most.
func skipBlank(lines []string, at, n int) int {
	for ; n > 0 && at < len(lines) && lines[at] == ""; n-- {
		at++
	}
	return at
}

// news is what has been written since the last picture. The last line is not complete
// before another one follows or the training has ended.
func (p *paneText) news(pic picture, ended bool) []byte {
	at, old, ok := p.find(pic.lines)
	switch {
	case ok:
	case pic.history < p.history || !p.seen: // the pane was cleared, and all is new
		p.done, at = nil, 0
	default: // what happened here cannot be told: go on from the end
		at = max(0, len(pic.lines)-1)
		p.done = slices.Clone(pic.lines[max(0, at-tmuxContext):at])
	}
	p.history, p.seen = pic.history, true
	if old != nil {
		p.done = p.done[:len(p.done)-len(old)-p.blanks()]
	}
	var b []byte
	fresh := pic.lines[at:]
	for i, line := range fresh {
		if i == len(fresh)-1 && !ended {
			if line != p.open {
				b = p.redraw(b, line)
			}
			break
		}
		if i >= len(old) || line != old[i] {
			if line != p.open {
				b = p.redraw(b, line)
			}
			b = append(b, '\n')
			p.open = ""
		}
		p.done = append(p.done, line)
	}
	p.done = slices.Clone(p.done[max(0, len(p.done)-tmuxContext-tmuxRedrawn):])
	return b
}

// blanks is how many blank lines the complete ones end with.
func (p *paneText) blanks() int {
	n := 0
	for n < len(p.done) && p.done[len(p.done)-1-n] == "" {
		n++
	}
	return n
}

// redraw writes a line over the one that is open.
func (p *paneText) redraw(b []byte, line string) []byte {
	if p.open != "" {
		b = append(b, '\r')
	}
	p.open = line
	return append(b, line...)
}
