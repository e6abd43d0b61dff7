package tui

import (
	"strings"
	"time"

	"yolotop/diagnose"
)

// awayAfter is how long no key must have been pressed for a person to have been away.
const awayAfter = 10 * time.Minute

// key notes that somebody is there. Who comes back is told what has happened meanwhile, until the
// next key.
func (m *Model) key() {
	m.view.since, m.view.note = time.Time{}, ""
	if m.snap == nil || m.snap.Now.IsZero() {
		return
	}
	last := m.view.lastKey
	if last.IsZero() {
		last = m.snap.Began
	}
	if !last.IsZero() && m.snap.Now.Sub(last) >= awayAfter {
		m.view.since = last
	}
	m.view.lastKey = m.snap.Now
}

// sinceNote is what has happened while nobody looked: "since 23:10: leak (epoch 12), finished";
// empty if nobody was away, or nothing has happened.
func (s scene) sinceNote() string {
	if s.view.since.IsZero() || s.run == nil {
		return ""
	}
	var parts []string
	for _, f := range s.run.Findings {
		if !f.Since.After(s.view.since) {
			continue
		}
		at := s.run.Place(f.First.Epoch, f.First.Iter)
		key := diagnose.Key("since.finding")
		if !f.Active {
			key = "since.gone"
		}
		parts = append(parts, s.say(key, string(f.Kind), at))
	}
	if s.run.EndedAt.After(s.view.since) {
		parts = append(parts, s.say(diagnose.Key("status."+string(s.run.Status))))
	}
	if len(parts) == 0 {
		return ""
	}
	return s.say("since", clock(s.view.since, s.snap.Now), strings.Join(parts, ", "))
}

// clock is a time of day, with its date if that is not today's.
func clock(at, now time.Time) string {
	at = at.In(now.Location())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format(time.DateOnly + " 15:04")
}
