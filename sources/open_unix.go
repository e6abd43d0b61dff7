//go:build unix

package sources

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFile opens a path for reading and never waits: without O_NONBLOCK the open
// of a FIFO hangs until somebody writes.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// hungUp reports whether every program that wrote into a FIFO has closed it. A
// read says "end of file" both then and before the first writer came; only Linux
// is known to tell the two apart (pipe_poll compares a count of writers).
func hungUp(f *os.File) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	hup := false
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		hup = err == nil && n > 0 && fds[0].Revents&unix.POLLHUP != 0
	})
	return err == nil && hup
}
