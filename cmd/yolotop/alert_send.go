package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// alertConfig says by which ways alerts go; none by default.
type alertConfig struct {
	Bell    bool   `toml:"bell"`
	Desktop bool   `toml:"desktop"` // a notification by the terminal
	Webhook string `toml:"webhook"`
	Shape   string `toml:"shape"` // of what a webhook gets: json, slack, discord, ntfy; empty: by its address
	Command string `toml:"command"`
}

// Times of sending.
const (
	alertPatience = 10 * time.Second // of one attempt
	alertCommand  = 30 * time.Second // that a command may take
	alertFarewell = 5 * time.Second  // that a person waits for at the end of a screen
	alertLast     = 40 * time.Second // and where nobody waits
)

// alertRetries are the waits before further attempts of a webhook.
var alertRetries = []time.Duration{time.Second, 5 * time.Second}

// alertsWaiting is how many alerts may wait for one way.
const alertsWaiting = 32

// way is one way by which alerts go.
type way struct {
	name string
	send func(context.Context, alert) error
}

// courier sends alerts by each way, in the background: nobody waits for it.
type courier struct {
	queues  []chan alert
	pending sync.WaitGroup

	mu      sync.Mutex
	failure error // the last one
}

// newCourier starts a courier.
func newCourier(ways []way) *courier {
	c := &courier{}
	for _, w := range ways {
		queue := make(chan alert, alertsWaiting)
		c.queues = append(c.queues, queue)
		c.pending.Go(func() {
			for a := range queue {
				ctx, cancel := context.WithTimeout(context.Background(), alertCommand)
				err := guardedError(func() error { return w.send(ctx, a) })
				cancel()
				if err != nil {
					c.mu.Lock()
					c.failure = fmt.Errorf("alert by %s: %w", w.name, err)
					c.mu.Unlock()
				}
			}
		})
	}
	return c
}

// guardedError is guarded for what fails.
func guardedError(f func() error) error {
	var err error
	if crash := guarded(func() { err = f() }); crash != nil {
		return crash
	}
	return err
}

// send hands an alert over. One that finds a queue full is dropped.
func (c *courier) send(a alert) {
	for _, q := range c.queues {
		select {
		case q <- a:
		default:
		}
	}
}

// close waits a while for what is on its way and gives the last failure.
func (c *courier) close(patience time.Duration) error {
	for _, q := range c.queues {
		close(q)
	}
	done := make(chan struct{})
	go func() {
		c.pending.Wait()
		close(done)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		return errors.New("an alert could not be sent in time")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// ways are those of a configuration. ring writes to the terminal; nil if there is none.
func (c alertConfig) ways(getenv func(string) string, ring func(string)) ([]way, error) {
	var out []way
	if c.Bell && ring != nil {
		out = append(out, way{"bell", func(context.Context, alert) error { ring("\a"); return nil }})
	}
	if c.Desktop && ring != nil {
		out = append(out, way{"desktop", func(_ context.Context, a alert) error { ring(notification(a, getenv)); return nil }})
	}
	if c.Webhook != "" {
		u, err := url.Parse(c.Webhook)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return nil, errors.New("webhook: not an address such as https://ntfy.sh/my-runs")
		}
		shape, err := webhookShape(c.Shape, u)
		if err != nil {
			return nil, err
		}
		out = append(out, way{"webhook", webhook{url: c.Webhook, shape: shape, client: webhookClient(), wait: pauseFor}.send})
	}
	if c.Command != "" {
		out = append(out, way{"command", func(ctx context.Context, a alert) error { return runAlert(ctx, c.Command, a) }})
	}
	return out, nil
}

// webhookClient follows no redirections, which would turn what is sent into a request.
func webhookClient() *http.Client {
	return &http.Client{
		Timeout:       alertPatience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// notificationLength is how long the text of a notification may be.
const notificationLength = 200

// notification is a text as terminals show it on the desktop: OSC 9 (iTerm2, WezTerm, kitty, Ghostty,
// Windows Terminal), and OSC 777 (rxvt, foot, VTE). tmux lets it through if it is told to.
func notification(a alert, getenv func(string) string) string {
	text := ansi.Truncate(a.Run+": "+a.Title, notificationLength, "…")
	out := ansi.Notify(text) + "\x1b]777;notify;yolotop;" + strings.ReplaceAll(text, ";", ",") + "\a"
	if getenv("TMUX") != "" {
		return ansi.TmuxPassthrough(out)
	}
	return out
}

// webhookShape is the shape that is asked for, or that the address tells.
func webhookShape(shape string, u *url.URL) (string, error) {
	switch shape {
	case "json", "slack", "discord", "ntfy":
		return shape, nil
	case "":
	default:
		return "", fmt.Errorf("shape %q: not known; json, slack, discord and ntfy are", shape)
	}
	switch host := u.Hostname(); {
	case host == "hooks.slack.com":
		return "slack", nil
	case strings.HasSuffix(host, "discord.com") || strings.HasSuffix(host, "discordapp.com"):
		return "discord", nil
	case host == "ntfy.sh" || strings.HasPrefix(host, "ntfy."):
		return "ntfy", nil
	}
	return "json", nil
}

// webhook sends alerts to an address.
type webhook struct {
	url, shape string
	client     *http.Client
	wait       func(context.Context, time.Duration) error
}

// send sends an alert, again if the other side has trouble. Its errors do not name the address,
// which may open a door.
func (h webhook) send(ctx context.Context, a alert) error {
	var err error
	for try := 0; ; try++ {
		var again bool
		if again, err = h.post(ctx, a); err == nil || !again || try == len(alertRetries) {
			return err
		}
		if h.wait(ctx, alertRetries[try]) != nil {
			return err
		}
	}
}

func (h webhook) post(ctx context.Context, a alert) (again bool, err error) {
	body, kind, err := h.body(a)
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("not an address")
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "yolotop")
	if h.shape == "ntfy" {
		req.Header.Set("Title", "yolotop: "+asciiOnly(a.Run))
		if a.Event != alertFinished && a.Event != alertTest {
			req.Header.Set("Priority", "high")
		}
	}
	resp, err := h.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return true, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode >= 300 {
		return resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests, fmt.Errorf("the other side says %s", resp.Status)
	}
	return false, nil
}

// body is an alert in the shape that the address takes.
func (h webhook) body(a alert) (body []byte, kind string, err error) {
	var v any = a
	switch h.shape {
	case "slack":
		v = map[string]string{"text": a.words()}
	case "discord":
		v = map[string]any{"content": ansi.Truncate(a.words(), 1900, "…"), "allowed_mentions": map[string][]string{"parse": {}}}
	case "ntfy":
		return []byte(a.words()), "text/plain; charset=utf-8", nil
	}
	body, err = json.Marshal(v)
	return body, "application/json", err
}

// words are an alert in lines.
func (a alert) words() string {
	lines := []string{a.Run + " (" + a.Host + "): " + a.Title}
	for _, l := range []string{a.Text, a.Advice} {
		if l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// asciiOnly is a text as a header of HTTP takes it.
func asciiOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// runAlert runs a person's command, which gets the alert as JSON and in its environment.
func runAlert(ctx context.Context, command string, a alert) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, shell[0], append(shell[1:], command)...)
	cmd.Stdin = bytes.NewReader(append(data, '\n'))
	cmd.Env = append(cmd.Environ(), "YOLOTOP_EVENT="+string(a.Event), "YOLOTOP_RUN="+a.Run, "YOLOTOP_TITLE="+a.Title, "YOLOTOP_TEXT="+a.Text, "YOLOTOP_ADVICE="+a.Advice)
	ownGroup(cmd)
	cmd.WaitDelay = time.Second // something that it left behind may hold its output
	return cmd.Run()
}

// pauseFor waits for d or the end of ctx.
func pauseFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
