package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
)

// night is a run that is watched, at a time that the test decides.
type night struct {
	session *diagnose.Session
	stream  *parse.Stream
	now     time.Time
	alerter *alerter
	sent    []alert
}

func newNight() *night {
	n := &night{session: diagnose.NewSession(diagnose.Input{Name: "/home/ana/secret/train.log"}), now: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}
	n.stream = parse.NewStream(0)
	n.alerter = newAlerter(diagnose.English, "gpu1", func() time.Time { return n.now }, func(a alert) { n.sent = append(n.sent, a) })
	return n
}

// old shows what was in the log before; comes shows what comes now.
func (n *night) old(text string) { n.stream.Write([]byte(text), time.Time{}, n.session.Observe) }

func (n *night) comes(text string) {
	n.stream.Write([]byte(text), n.now, n.session.Observe)
	n.session.Tick(n.now)
	n.alerter.look(n.session)
}

func (n *night) wait(d time.Duration) {
	for end := n.now.Add(d); n.now.Before(end); {
		n.now = n.now.Add(time.Second)
		n.session.Tick(n.now)
		n.alerter.look(n.session)
	}
}

// take is what was sent since it was last taken.
func (n *night) take() (events string) {
	var out []string
	for _, a := range n.sent {
		out = append(out, string(a.Event)+" "+a.Kind)
	}
	n.sent = nil
	return strings.Join(out, ", ")
}

const outOfMemory = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 512.81 MiB is free. Including non-PyTorch memory, this process has 22.61 GiB memory in use. Of the allocated memory 21.42 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated.\n"

func nanRow(epoch string) string {
	return liveHeader + "       " + epoch + "/10      15.1G        nan        nan        nan        120        640: 100% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n" + liveVal
}

// TestAlertsTellWhatHappensOnce promises an alert for what becomes critical, stalls, or ends while
// somebody watches, once each, and none for what was so before.
func TestAlertsTellWhatHappensOnce(t *testing.T) {
	t.Parallel()
	n := newNight()
	n.old(liveLog)
	n.comes("\n")
	n.wait(5 * time.Second)
	if got := n.take(); got != "" {
		t.Errorf("at first: %s", got)
	}
	n.comes(nanRow("4"))
	n.wait(30 * time.Second)
	if got := n.take(); got != "critical nan" {
		t.Errorf("nan: %s", got)
	}
	n.wait(40 * time.Minute) // and silence
	if got := n.take(); got != "stalled stalled" {
		t.Errorf("silence: %s", got)
	}
	n.comes(outOfMemory)
	n.wait(time.Minute)
	if got := n.take(); !strings.HasPrefix(got, "died ") || strings.Contains(got, ",") {
		t.Errorf("death: %s", got)
	}

	n = newNight()
	n.old(liveLog + nanRow("4") + outOfMemory)
	n.wait(time.Minute)
	if got := n.take(); got != "" {
		t.Errorf("an old log: %s", got)
	}

	n = newNight()
	n.old(liveLog)
	n.comes("\n10 epochs completed in 0.1 hours.\n")
	n.wait(time.Minute)
	if got := n.take(); got != "finished " {
		t.Errorf("end: %s", got)
	}
}

// TestAlertsAreRedacted promises that neither folders nor what opens doors leaves the machine.
func TestAlertsAreRedacted(t *testing.T) {
	t.Parallel()
	n := newNight()
	n.old(strings.ReplaceAll(liveHead, "Starting", "Logging results to /home/ana/secret/runs/detect/train\nStarting") + strings.TrimPrefix(liveLog, liveHead))
	n.comes(outOfMemory)
	if len(n.sent) != 1 {
		t.Fatalf("%+v", n.sent)
	}
	data, err := json.Marshal(n.sent[0])
	if err != nil || strings.Contains(string(data), "ana") || strings.Contains(string(data), "secret") || n.sent[0].Run != "train.log" || n.sent[0].Host != "gpu1" {
		t.Errorf("%s, %v", data, err)
	}
	for text, want := range map[string]string{
		"model=/home/ana/runs/detect/train/weights/last.pt":      "model=…/last.pt",
		`D:\Users\ana\runs\last.pt is old`:                       "…/last.pt is old",
		"https://ana:pass@host/hook":                             "https://…/",
		"hf_abcdefghijklmnop and api_key=12345, TOKEN: xyz":      "*** and api_key=***, TOKEN: ***",
		"WANDB_API_KEY=local-abc123 HF_TOKEN=xyz":                "WANDB_API_KEY=*** HF_TOKEN=***",
		"Authorization: Bearer abc.def-123456":                   "Authorization: Bearer ***",
		`{'token': 'abc 123'} "password":"hunter2" --token abc`:  `{'token': ***} "password":*** --token ***`,
		"write to ana@corp.com, tcp://10.0.0.1:29500, 10.0.0.2":  "write to ***, tcp://…/ ***",
		"/home/ana maria/secret/x.pt":                            "…/x.pt",
		"key 0123456789abcdef0123456789abcdef0123":               "key ***",
		"8.0it/s, 12 of 24 GiB, 3/10 epochs and ~14 (9-20) more": "8.0it/s, 12 of 24 GiB, 3/10 epochs and ~14 (9-20) more",
		"out of memory in epoch 57: 1.06 GiB were asked for":     "out of memory in epoch 57: 1.06 GiB were asked for",
	} {
		if got := redacted(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func noVariables(string) string { return "" }

var sample = alert{Event: alertCritical, Run: "train.log", Host: "gpu1", Title: "the loss became nan", Text: "why", Advice: "stop", Kind: "nan", Epoch: 3, Epochs: 10}

// TestWebhookShapes promises what each service takes, and that the address tells which it is.
func TestWebhookShapes(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies, titles []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies, titles = append(bodies, string(data)), append(titles, r.Header.Get("Title"))
	}))
	defer server.Close()
	for _, c := range []struct{ shape, want string }{
		{"json", `"event":"critical","run":"train.log"`},
		{"slack", `{"text":"train.log (gpu1): the loss became nan\nwhy\nstop"}`},
		{"discord", `"content":"train.log (gpu1): the loss became nan\nwhy\nstop"`},
		{"ntfy", "train.log (gpu1): the loss became nan\nwhy\nstop"},
	} {
		ways, err := alertConfig{Webhook: server.URL, Shape: c.shape}.ways(noVariables, nil)
		if err != nil || len(ways) != 1 {
			t.Fatal(ways, err)
		}
		if err := ways[0].send(t.Context(), sample); err != nil {
			t.Error(err)
		}
		if got := bodies[len(bodies)-1]; !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.shape, got)
		}
	}
	if titles[3] != "yolotop: train.log" {
		t.Errorf("titles %q", titles)
	}
	for address, want := range map[string]string{
		"https://hooks.slack.com/services/x": "slack", "https://discord.com/api/webhooks/1/x": "discord", "https://ntfy.sh/runs": "ntfy", "https://example.org/x": "json",
	} {
		req, err := http.NewRequest(http.MethodPost, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := webhookShape("", req.URL); got != want || err != nil {
			t.Errorf("%s: %s, %v", address, got, err)
		}
	}
	for _, wrong := range []alertConfig{{Webhook: "ntfy.sh/x"}, {Webhook: "file:///x"}, {Webhook: "https://x", Shape: "fax"}} {
		if _, err := wrong.ways(noVariables, nil); err == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
}

// TestWebhookTriesAgain promises further attempts where the other side has trouble and none where it
// refuses, and that no error names the address.
func TestWebhookTriesAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answers []int
		calls   int
		fails   bool
	}{
		{[]int{500, 429, 200}, 3, false}, {[]int{500, 500, 500}, 3, true}, {[]int{404}, 1, true}, {[]int{302}, 1, true}, {[]int{204}, 1, false},
	} {
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.answers[min(calls, len(c.answers)-1)])
			calls++
		}))
		h := webhook{url: server.URL + "/secret-token", shape: "json", client: webhookClient(), wait: func(context.Context, time.Duration) error { return nil }}
		err := h.send(t.Context(), sample)
		server.Close()
		if calls != c.calls || (err != nil) != c.fails || err != nil && strings.Contains(err.Error(), "secret-token") {
			t.Errorf("%v: %d calls, %v", c.answers, calls, err)
		}
	}
	h := webhook{url: "http://127.0.0.1:1/secret-token", shape: "json", client: webhookClient(), wait: func(context.Context, time.Duration) error { return errors.New("enough") }}
	if err := h.send(t.Context(), sample); err == nil || strings.Contains(err.Error(), "secret-token") {
		t.Errorf("%v", err)
	}
}

// TestCourierNeverBlocks promises that a way which hangs or panics hinders neither the sender nor
// another way.
func TestCourierNeverBlocks(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	arrived := make(chan alert, 1000)
	c := newCourier([]way{
		{"hanging", func(context.Context, alert) error { <-hang; return nil }},
		{"broken", func(context.Context, alert) error { panic("no") }},
		{"fine", func(_ context.Context, a alert) error { arrived <- a; return nil }},
	})
	c.send(sample)
	if got := <-arrived; got.Title != sample.Title {
		t.Errorf("%+v", got)
	}
	for range 10 * alertsWaiting {
		c.send(sample)
	}
	close(hang)
	if err := c.close(time.Hour); err == nil || !strings.Contains(err.Error(), "alert by broken") {
		t.Errorf("%v", err)
	}
}

// TestAlertCommand promises that a command gets the alert by its environment and its input, and that
// the test command says what came of each way.
func TestAlertCommand(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	got := command(t, "alert", "--alert-command", `{ echo "$YOLOTOP_EVENT $YOLOTOP_RUN"; cat; } > `+out)
	data, err := os.ReadFile(out)
	if got.status != exitOK || !strings.Contains(got.stdout, "command: sent") || err != nil || !strings.HasPrefix(string(data), "test train.log\n{") {
		t.Errorf("%+v, %q, %v", got, data, err)
	}
	if got := command(t, "alert", "--alert-command", "exit 3"); got.status != exitWarning || !strings.Contains(got.stdout, "command: exit status 3") {
		t.Errorf("%+v", got)
	}
	if got := command(t, "alert"); got.status != exitUsage || !strings.Contains(got.stderr, "no way to send") {
		t.Errorf("%+v", got)
	}
	if got := configured(t, "[alerts]\nwebhook = \"nonsense\"\n", "alert"); got.status != exitUsage || !strings.Contains(got.stderr, "not an address") {
		t.Errorf("%+v", got)
	}
	if got := configured(t, "[alerts]\nwebhok = \"x\"\n", "alert"); got.status != exitUsage || !strings.Contains(got.stderr, "no such key") {
		t.Errorf("%+v", got)
	}
}

// TestPlainAlerts promises that a run which is watched without a screen tells its end.
func TestPlainAlerts(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	got := commandWith(t, strings.NewReader(liveLog+"\n10 epochs completed in 0.1 hours.\n"), "--alert-command", `echo "$YOLOTOP_EVENT" >> `+out, "-")
	data, err := os.ReadFile(out)
	if got.status != exitOK || err != nil || string(data) != "finished\n" {
		t.Errorf("%+v, %q, %v", got, data, err)
	}
}

// TestNotification promises what terminals show, with nothing in it that they would obey.
func TestNotification(t *testing.T) {
	t.Parallel()
	long := sample
	long.Title = strings.Repeat("long; ", 100)
	for _, a := range []alert{sample, long} {
		got := notification(a, noVariables)
		if !strings.HasPrefix(got, "\x1b]9;train.log: ") || strings.Count(got, "\x1b") != 2 || len(got) > 3*notificationLength {
			t.Errorf("%q", got)
		}
	}
	if got := notification(sample, func(name string) string { return name }); !strings.HasPrefix(got, "\x1bPtmux;") {
		t.Errorf("%q", got)
	}
}
