package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
	"yolotop/tui"
)

// TestARowIsShownWithinOneRedraw promises that what is written to a followed file,
// even the newest frame that nothing has terminated yet, is in the snapshot that the
// screen gets at the next redraw, and that nothing is sent when nothing changed.
func TestARowIsShownWithinOneRedraw(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w := &watcher{
			env:     environment{now: time.Now},
			session: diagnose.NewSession(diagnose.Input{Name: "train.log"}),
			sources: []sources.Source{nil}, // one that has not ended
		}
		batches := make(chan []parse.Event, 1)
		frames := make(chan *diagnose.Snapshot, 1)
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.consume(ctx, batches, frames, func() {})
		}()
		stream := parse.NewStream(0)
		write := func(text string) []parse.Event {
			var batch []parse.Event
			stream.Write([]byte(text), time.Now(), func(e parse.Event) { batch = append(batch, e) })
			if e, ok := stream.Pending(time.Now()); ok {
				batch = append(batch, e)
			}
			return batch
		}
		shown := func(within time.Duration) *diagnose.Run {
			<-time.After(within + time.Millisecond)
			synctest.Wait()
			select {
			case s := <-frames:
				return s.Runs[len(s.Runs)-1]
			default:
				return nil
			}
		}
		batches <- write(liveHead + liveHeader + "       1/10      15.1G      1.333      0.944      1.222        120        640: 100% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n")
		if r := shown(frameSoon); r == nil || r.Epoch != 1 || r.Iter != 100 {
			t.Fatalf("a whole row is not shown: %+v", r)
		}
		batches <- write("\r\x1b[K       2/10      15.1G      1.111      0.744      1.022        120        640: 25% ━━━───────── 25/100 8.0it/s 3.1s<9.4s")
		r := shown(2 * frameSoon)
		if r == nil || r.Epoch != 2 || r.Iter != 25 {
			t.Fatalf("a frame without an end is not shown: %+v", r)
		}
		if got := tui.Summary(r, w.session.Inputs(), diagnose.English); got == "" {
			t.Error("no summary")
		}
		if r := shown(2 * frameSoon); r != nil {
			t.Error("a frame is sent although nothing changed")
		}
		cancel()
		<-done
	})
}
