package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
)

// TestWhatHappenedMeanwhile promises that who comes back after a while is told what has happened,
// until the next key, and that nobody else is.
func TestWhatHappenedMeanwhile(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 23, 10, 0, 0, time.UTC)
	snap := func(now time.Time, findings ...*diagnose.Finding) *diagnose.Snapshot {
		s := snapshotOf(false, newLog(30).scanned().rows(1, 5, 1, 100).String())
		s.Now, s.Began = now, at
		s.Runs[len(s.Runs)-1].Findings = findings
		return s
	}
	leak := &diagnose.Finding{Kind: diagnose.Leak, Level: diagnose.Warning, Active: true, GPU: 0, Title: diagnose.Say("creep.nothing"), First: diagnose.Moment{Epoch: 12, Iter: -1}, Since: at.Add(time.Hour)}
	gone := &diagnose.Finding{Kind: diagnose.Starved, First: diagnose.Moment{Epoch: 13, Iter: -1}, Since: at.Add(2 * time.Hour)}
	old := &diagnose.Finding{Kind: diagnose.Tight, Level: diagnose.Warning, Active: true, Title: diagnose.Say("creep.nothing"), First: diagnose.Moment{Epoch: 1, Iter: -1}}
	model := func(m tea.Model, msgs ...tea.Msg) tea.Model {
		for _, msg := range msgs {
			m, _ = m.Update(msg)
		}
		return m
	}
	screen := func(m tea.Model) string { return m.(Model).content }
	key := tea.KeyPressMsg{Code: 'z', Text: "z"} // does nothing else
	m := model(New(Options{}), tea.WindowSizeMsg{Width: 120, Height: 40}, FrameMsg{snap(at)}, key, FrameMsg{snap(at.Add(8*time.Hour), old, leak, gone)})
	if s := screen(m); strings.Contains(s, "since 23:10") {
		t.Errorf("before a key:\n%s", s)
	}
	m = model(m, key)
	if s := screen(m); !strings.Contains(s, "since 2026-01-02 23:10: leak (epoch 12), starved came and went (epoch 13)") {
		t.Errorf("after it:\n%s", s)
	}
	if s := screen(model(m, key)); strings.Contains(s, "since 2026") {
		t.Errorf("after the next:\n%s", s)
	}
	soon := model(New(Options{}), tea.WindowSizeMsg{Width: 120, Height: 40}, FrameMsg{snap(at)}, key, FrameMsg{snap(at.Add(2*time.Minute), leak)}, key)
	if s := screen(soon); strings.Contains(s, "since 23:10") {
		t.Errorf("after two minutes:\n%s", s)
	}
}
