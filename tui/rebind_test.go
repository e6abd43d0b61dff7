package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
)

// TestActions promises that every action has a name of its own, keys, and a sentence in every
// language, and that binding it to its own keys changes nothing.
func TestActions(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	own := map[string][]string{}
	for _, a := range Actions() {
		if seen[a.Name] || len(a.Keys) == 0 {
			t.Errorf("%q: twice, or without keys", a.Name)
		}
		seen[a.Name] = true
		own[a.Name] = a.Keys
		for _, lang := range []diagnose.Lang{diagnose.English, diagnose.Chinese} {
			if text := a.About(lang); text == "" || text == string(a.help) {
				t.Errorf("%s has no text", a.Name)
			}
		}
	}
	for _, name := range []string{"quit", "help", "explain", "run-next", "time-far", "time-later", "chart-previous", "window-wider", "previous"} {
		if !seen[name] {
			t.Errorf("no action %s", name)
		}
	}
	if err := CheckKeys(own); err != nil {
		t.Error(err)
	}
	for i, b := range rebound(own) {
		if want := bindings()[i]; !slices.Equal(b.keys, want.keys) {
			t.Errorf("bound to its own keys, %v became %v", want.keys, b.keys)
		}
	}
}

// TestKeyMistakes promises one line that names the action and what is wrong with its keys.
func TestKeyMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys map[string][]string
		want string // empty for none
	}{
		{map[string][]string{"quit": {"x", "ctrl-q"}, "help": {"F1"}}, ""},
		{map[string][]string{"run-next": {"N"}, "run-previous": {"P"}}, ""},
		{map[string][]string{"next": {"p"}, "previous": {"P"}}, ""},
		{map[string][]string{"quit": {"enter"}, "explain": {"e"}, "show": {"space"}}, ""},
		{map[string][]string{"quit": {"enter"}, "explain": {"e"}}, "quit: enter is a key of show, too"},
		{map[string][]string{"fly": {"x"}}, "fly: no such action; back, help, explain"},
		{map[string][]string{"quit": {}}, "quit: it has no key left"},
		{map[string][]string{"quit": {"foo"}}, `quit: "foo" is no key`},
		{map[string][]string{"quit": {""}}, `quit: "" is no key`},
		{map[string][]string{"quit": {"ctrl+"}}, `quit: "ctrl+" is no key`},
		{map[string][]string{"card": {"ctrl-c"}}, "card: ctrl+c always quits"},
		{map[string][]string{"help": {"g"}}, "help: g is a key of card, too"},
		{map[string][]string{"mouse": {"q"}}, "mouse: q is a key of quit, too"},
		{map[string][]string{"suspend": {"d"}}, "suspend: d answers the question"},
		{map[string][]string{"help": {"x"}, "quit": {"x"}}, "quit: x is a key of help, too"},
		{map[string][]string{"time-later": {"v"}, "zoom": {"v"}}, "time-later: v is a key of zoom, too"},
	} {
		err := CheckKeys(c.keys)
		var wrong *KeyError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v: %v", c.keys, err)
		case c.want != "" && (!errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%v: %v, want %q", c.keys, err, c.want)
		}
	}
}

// TestKeyNames promises that keys are known by the names that people give them.
func TestKeyNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"q": "q", "G": "G", "?": "?", "-": "-", "+": "+", "ü": "ü", " ": "space", "Return": "enter", "PgDn": "pgdown", "F12": "f12",
		"Ctrl-X": "ctrl+x", "alt+ctrl+x": "ctrl+alt+x", "shift+tab": "shift+tab", "ctrl+-": "ctrl+-",
		"": "", "qq": "", "f99": "", "shift+x": "", "\x1b": "", "\xff": "", "ctrl+": "", "meta+x": "",
	} {
		if got, ok := keyNamed(name); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", name, got, ok, want)
		}
	}
}

// TestReboundKeys promises that keys, footer, help and hints go by what somebody bound.
func TestReboundKeys(t *testing.T) {
	t.Parallel()
	s := situations()["oom"]
	o := Options{Keys: map[string][]string{"explain": {"e"}, "quit": {"X"}, "time": {"b"}, "time-later": {"v"}, "live": {"L"}, "help": {"f1"}, "search": {"ctrl+f"}, "runs": {"R"}}}
	if err := CheckKeys(o.Keys); err != nil {
		t.Fatal(err)
	}
	snap := snapshotOf(s.ended, s.log)
	after := func(keys ...string) string {
		return plainText(t, screenOf(snap, o, 120, 40, keys...).View().Content)
	}
	for _, c := range []struct {
		keys      string
		want, not string
	}{
		{"", "e what to do", "⏎"},
		{"", "f1 help  e explain  tab curve  b v time", "?"},
		{"enter", "Losses", "What to do, the"},
		{"e", "What to do", "Losses"},
		{"e e", "Losses", "What to do, the"},
		{"b", "the past: L for now", "G for"},
		{"b v", "out of memory in epoch 12", "at the end of"},
		{"b L", "out of memory in epoch 12", "at the end of"},
		{"left", "out of memory in epoch 12", "at the end of"},
		{"f1 pgdown pgdown", "  X          quit", "  q  "},
		{"l", "ctrl-f search", "/ search"},
		{"l e", "> Log", "What to do"},
		{"R enter", "Losses", "> Runs"},
		{"f1 f1", "Losses", "Keys"},
		{"?", "Losses", "Keys"},
	} {
		frame := after(strings.Fields(c.keys)...)
		if !strings.Contains(frame, c.want) || strings.Contains(frame, c.not) {
			t.Errorf("after %q there is no %q, or %q:\n%s", c.keys, c.want, c.not, frame)
		}
	}
	for key, quits := range map[string]bool{"X": true, "ctrl+c": true, "q": false} {
		_, cmd := screenOf(snap, o, 80, 24).Update(press(key))
		quit := false
		if cmd != nil {
			_, quit = cmd().(tea.QuitMsg)
		}
		if quit != quits {
			t.Errorf("%s quits: %v", key, quit)
		}
	}
	if !strings.Contains(toASCII(after()), "e explain") {
		t.Error("no label in ASCII")
	}
}

// TestMouseFromTheStart promises the mouse at once to who wants it.
func TestMouseFromTheStart(t *testing.T) {
	t.Parallel()
	s := situations()["healthy"]
	if m := screenOf(snapshotOf(s.ended, s.log), Options{Mouse: true}, 80, 24); m.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("the mouse is off")
	}
}
