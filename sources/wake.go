package sources

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
	"github.com/nxadm/tail/watch"
)

// watchFile asks the kernel to tell when the file at path changes. The channel
// holds at most one wake-up, which may be spurious, late or missing (network file
// systems), so whoever waits for it also looks by the clock. It is nil where there
// are no notifications. stop must be called.
//
// Only the tracker of package watch is used. Its higher calls end the whole
// process when a stat fails, which a screen in raw mode must not happen to.
func watchFile(path string) (woken <-chan struct{}, stop func()) {
	path = filepath.Clean(path)
	if !trackerRuns() || watch.Watch(path) != nil {
		return nil, func() {}
	}
	stop = func() { _ = watch.RemoveWatch(path) } // fails if the file is gone, which is fine
	events := watch.Events(path)
	if events == nil { // the same path was unwatched by another source just now
		return nil, stop
	}
	c := make(chan struct{}, 1)
	go func() { // ends when stop closes events; the tracker needs a reader at all times
		for range events {
			select {
			case c <- struct{}{}:
			default: // one is waiting already
			}
		}
	}()
	return c, stop
}

// trackerRuns starts the process-wide tracker of package watch, once, and reports
// whether it runs. The tracker ends the process if it cannot have an inotify
// instance, so two are tried first and given back: then there is one to spare even
// if another process takes one in between. Once started it fails no more.
var trackerRuns = sync.OnceValue(func() bool {
	first, err := fsnotify.NewWatcher()
	if err != nil {
		return false
	}
	second, err := fsnotify.NewWatcher()
	_ = first.Close()
	if err != nil {
		return false
	}
	_ = second.Close()
	// This path cannot exist. The answer that it does not comes from the tracker,
	// so after it the tracker runs.
	_ = watch.Watch(filepath.Join(os.DevNull, "none"))
	return true
})
