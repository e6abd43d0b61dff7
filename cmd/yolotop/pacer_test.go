package main

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestPacer promises that the first change after quiet is drawn soon, that changes
// which keep coming are drawn at an even pace, and that nothing is drawn in quiet.
func TestPacer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(time.Second, time.Now)
		defer p.stop()
		start := time.Now()
		var drawn []time.Duration
		for range 400 { // ten seconds of a change every 25 ms
			p.changed()
			select {
			case <-p.due():
				drawn = append(drawn, time.Since(start))
				p.shown()
			case <-time.After(25 * time.Millisecond):
			}
		}
		if drawn[0] > frameSoon {
			t.Errorf("the first frame came after %v", drawn[0])
		}
		last := drawn[len(drawn)-1]
		if n := len(drawn); last < 8*time.Second || n < 10 || n > 16 {
			t.Errorf("%d frames until %v, want about one a second: %v", n, last, drawn)
		}
		if p.armed { // the last change
			<-p.due()
			p.shown()
		}
		select {
		case <-p.due():
			t.Error("a frame is due although nothing changed")
		case <-time.After(time.Minute):
		}
		quiet := time.Now()
		p.changed()
		<-p.due()
		if wait := time.Since(quiet); wait != frameSoon {
			t.Errorf("after quiet a change is drawn after %v, want %v", wait, frameSoon)
		}
		p.shown()
		p.changed()
		pressed := time.Now()
		p.urgent()
		<-p.due()
		if wait := time.Since(pressed); wait != 0 {
			t.Errorf("a key is answered after %v", wait)
		}
	})
}
