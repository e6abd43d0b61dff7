package tui

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
)

// textOf reads the text of an SVG and fails where it is no XML.
func textOf(t *testing.T, svg []byte) string {
	t.Helper()
	var out strings.Builder
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatalf("%v in %.200s", err, svg)
		}
		if c, ok := tok.(xml.CharData); ok {
			out.Write(c)
		}
	}
}

// TestSVG promises a picture that is XML, holds each character of the screen, loads nothing, and is
// drawn for the background of the terminal.
func TestSVG(t *testing.T) {
	t.Parallel()
	all := hostileRuns()
	for name, snap := range all {
		for _, lang := range []diagnose.Lang{diagnose.English, diagnose.Chinese} {
			content := screenOf(snap, Options{Lang: lang}, 100, 30).View().Content
			svg := SVG(content, false)
			squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
			if got, want := squeeze(textOf(t, svg)), squeeze(plainText(t, content)); got != want {
				t.Errorf("%s: the picture says %.200q, the screen %.200q", name, got, want)
			}
			if s := strings.ReplaceAll(string(svg), "http://www.w3.org/2000/svg", ""); strings.Contains(s, "http") || strings.Contains(s, "href") {
				t.Errorf("%s: the picture loads something", name)
			}
		}
	}
	content := screenOf(all["oom"], Options{}, 100, 30).View().Content
	if string(SVG(content, true)) == string(SVG(content, false)) {
		t.Error("the background makes no difference")
	}
}

// TestSave promises that s and S hand the screen over as a picture and as text, and that the footer
// says what became of it until the next key.
func TestSave(t *testing.T) {
	t.Parallel()
	for key, c := range map[string]struct {
		ext, has string
		fail     error
		note     string
	}{
		"s":       {".svg", "<svg ", nil, "saved as shot.svg"},
		"S":       {".txt", " \u2713 no trouble", nil, "saved as shot.txt"},
		"s again": {".svg", "<svg ", errors.New("no room"), "not saved: no room"},
	} {
		var ext, data string
		save := func(e string, d []byte) (string, error) {
			ext, data = e, string(d)
			return "shot" + e, c.fail
		}
		m := screenOf(hostileRuns()["healthy"], Options{Save: save}, 100, 30)
		after, cmd := m.Update(press(key[:1]))
		if cmd == nil {
			t.Fatalf("%s does nothing", key)
		}
		after, _ = after.Update(cmd())
		if ext != c.ext || !strings.Contains(data, c.has) {
			t.Errorf("%s saved %q: %.80q", key, ext, data)
		}
		if got := plainText(t, after.View().Content); !strings.Contains(got, c.note) {
			t.Errorf("%s: no %q on\n%s", key, c.note, got)
		}
		after, _ = after.Update(press("tab"))
		if got := plainText(t, after.View().Content); strings.Contains(got, c.note) {
			t.Errorf("%s: the note stays", key)
		}
	}
}

// TestInline promises that an inline screen takes as many lines as it was given, and no alternate
// screen.
func TestInline(t *testing.T) {
	t.Parallel()
	v := screenOf(hostileRuns()["healthy"], Options{Inline: 12}, 100, 40).View()
	if n := strings.Count(v.Content, "\n") + 1; n != 12 || v.AltScreen {
		t.Errorf("%d lines, alternate screen %v", n, v.AltScreen)
	}
	var m tea.Model = screenOf(hostileRuns()["healthy"], Options{Inline: 12}, 100, 40)
	m, _ = m.Update(tea.WindowSizeMsg{Width: 100, Height: 5})
	if n := strings.Count(m.View().Content, "\n") + 1; n != 5 {
		t.Errorf("%d lines in a terminal of 5", n)
	}
}
