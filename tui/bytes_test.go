package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"yolotop/diagnose"
	"yolotop/parse"
)

// TestBytes promises that a live run with a GPU costs a slow line under 500 bytes a second at 80 by
// 24, on average and in nearly every second, and that a screen on which nothing changed sends none.
func TestBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &wire{}
		p := tea.NewProgram(New(Options{}), tea.WithInput(nil), tea.WithOutput(out), tea.WithoutSignalHandler(),
			tea.WithWindowSize(80, 24), tea.WithColorProfile(colorprofile.ANSI256), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		done := make(chan error, 1)
		go func() {
			_, err := p.Run()
			done <- err
		}()
		s := diagnose.NewSession(diagnose.Input{Name: "train.log"})
		stream := parse.NewStream(0)
		now := noon()
		say := func(text string) { stream.Write([]byte(text), now, s.Observe) }
		say(newLog(100).scanned().whole(1, 5, flat).String())
		epoch, batch := 6, 0
		second := func() int {
			before := len(out.bytes())
			now = now.Add(time.Second)
			for range 7 { // rows a second
				batch++
				say(newLogOf(100).rows(epoch, 14.6+float64(batch%5)/50, batch).String())
				if batch == 80 {
					say(newLogOf(100).validated(epoch).String())
					epoch, batch = epoch+1, 0
				}
			}
			s.Observe(parse.Event{Origin: parse.Origin{Input: diagnose.MachineInput, Arrival: now}, Record: &parse.GPU{
				Name: "NVIDIA GeForce RTX 3090", Busy: parse.Have(0.5 + float64(now.Second()%10)/25), Used: parse.Have((15 + float64(now.Second()%3)/10) * float64(parse.GiB)), Total: parse.Have(24 * float64(parse.GiB)),
				Temperature: parse.Have(60 + float64(now.Second()%4)), Power: parse.Have(200 + float64(now.Second()%50)), Clock: parse.Have(1695),
			}})
			s.Tick(now)
			p.Send(FrameMsg{s.Snapshot(now)})
			<-time.After(time.Second) // fake: the ticker of the renderer
			return len(out.bytes()) - before
		}
		for range 5 {
			second()
		}
		all, over := 0, 0
		const seconds = 120
		for range seconds {
			n := second()
			all += n
			if n >= 500 {
				over++
			}
		}
		t.Logf("%d bytes a second, %d of %d seconds above 500", all/seconds, over, seconds)
		if all/seconds >= 500 || over > seconds/10 { // an epoch's end moves the table
			t.Errorf("%d bytes a second, %d of %d seconds above 500", all/seconds, over, seconds)
		}
		before := len(out.bytes())
		for range 5 {
			p.Send(FrameMsg{s.Snapshot(now)})
			<-time.After(time.Second)
		}
		if n := len(out.bytes()) - before; n != 0 {
			t.Errorf("an unchanged screen sent %d bytes", n)
		}
		p.Send(press("q"))
		if err := <-done; err != nil {
			t.Error(err)
		}
		<-time.After(time.Minute) // fake: past the last tick
	})
}

// newLogOf is the log of a run whose beginning was read before.
func newLogOf(epochs int) *trainerLog { return &trainerLog{epochs: epochs} }
