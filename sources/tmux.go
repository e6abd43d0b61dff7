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
	// tmuxContext is how many lines must agree to find again what was seen before.
	tmuxContext = 40
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
// or tmux is not there.
func listTmuxPanes(socket string) map[string]string {
	out, err := tmux(context.Background(), socket, "list-panes", "-a", "-F", "#{pane_tty} #{pane_id}")
	if err != nil {
		return nil
	}
	panes := map[string]string{}
	for line := range strings.Lines(out) {
		if tty, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			panes[tty] = id
		}
	}
	return panes
}

// capture is the text of a pane, without the blank lines below it, from that many lines
// above the visible ones on; from the beginning of its history if above is negative.
type capture func(ctx context.Context, above int) ([]string, error)

// of reads a pane of a server. Lines that the terminal has broken are whole.
func (p tmuxPane) capture(ctx context.Context, above int) ([]string, error) {
	from := "-"
	if above >= 0 {
		from = "-" + strconv.Itoa(above)
	}
	out, err := tmux(ctx, p.socket, "capture-pane", "-p", "-J", "-S", from, "-t", p.id)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(out, " \n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines, nil
}

// tmuxSource follows the text of a pane, in which a training runs. What is drawn over
// between two looks is not seen: of a bar, the states that were looked at.
type tmuxSource struct {
	pane    tmuxPane
	input   int
	ended   <-chan struct{} // closed when the training has ended
	capture capture
}

func newTmuxSource(p tmuxPane, input int, ended <-chan struct{}) *tmuxSource {
	return &tmuxSource{pane: p, input: input, ended: ended, capture: p.capture}
}

// Name implements [Source].
func (t *tmuxSource) Name() string { return t.pane.String() }

// Input is the index among the inputs.
func (t *tmuxSource) Input() int { return t.input }

// Run implements [Source]. It ends when the training or the pane has.
func (t *tmuxSource) Run(ctx context.Context, p Publisher) error {
	out := newFeed(t.Name(), t.input, p)
	if err := out.state(ctx, parse.SourceReading, ""); err != nil {
		return err
	}
	ticker := time.NewTicker(tmuxEvery)
	defer ticker.Stop()
	var text paneText
	at := time.Time{} // what stood there before has no time
	for last := false; ; {
		lines, err := t.look(ctx, &text)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			out.stream.Close(at, out.add)
			if err := out.flush(ctx); err != nil {
				return err
			}
			return out.state(ctx, parse.SourceEnded, "the pane is gone: "+printable(err.Error()))
		}
		if b := text.news(lines, last); len(b) > 0 {
			if err := out.arrived(ctx, b, at, true); err != nil {
				return err
			}
		}
		if last {
			out.stream.Close(at, out.add)
			if err := out.flush(ctx); err != nil {
				return err
			}
			return out.state(ctx, parse.SourceEnded, "")
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
func (t *tmuxSource) look(ctx context.Context, text *paneText) ([]string, error) {
	if text.seen {
		lines, err := t.capture(ctx, tmuxNewest)
		if err != nil {
			return nil, err
		}
		if _, ok := text.find(lines); ok {
			return lines, nil
		}
	}
	return t.capture(ctx, -1)
}

// paneText makes a stream of bytes from pictures of a pane, as the training may have
// written it: each line once, and a line that is drawn over with a carriage return.
type paneText struct {
	seen bool
	done []string // the newest of the lines that are complete
	open string   // the line that is being written
}

// find returns where in a picture the lines begin that were not complete before.
func (p *paneText) find(lines []string) (at int, ok bool) {
	n := len(p.done)
	if n == 0 {
		return 0, true
	}
	for end := len(lines); end >= n; end-- {
		if slices.Equal(lines[end-n:end], p.done) {
			return end, true
		}
	}
	return 0, false
}

// news is what has been written since the last picture. The last line is not complete
// before another one follows or the training has ended.
func (p *paneText) news(lines []string, ended bool) []byte {
	at, ok := p.find(lines)
	if !ok { // the pane was cleared, and all is new
		p.done = nil
	}
	fresh := lines[at:]
	var b []byte
	for i, line := range fresh {
		if i == len(fresh)-1 && !ended {
			if line != p.open {
				b = p.redraw(b, line)
			}
			break
		}
		if line != p.open {
			b = p.redraw(b, line)
		}
		b = append(b, '\n')
		p.open = ""
		p.done = append(p.done, line)
	}
	p.done = slices.Clone(p.done[max(0, len(p.done)-tmuxContext):])
	p.seen = true
	return b
}

// redraw writes a line over the one that is open.
func (p *paneText) redraw(b []byte, line string) []byte {
	if p.open != "" {
		b = append(b, '\r')
	}
	p.open = line
	return append(b, line...)
}
