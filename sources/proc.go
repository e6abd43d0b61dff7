package sources

import "time"

// A Process is a running program, as far as the system tells this user about it. On
// Linux, Environ and Cwd are told to the process's own user and to root only, while
// the rest is for everybody, unless /proc is mounted with hidepid, where other
// users' processes do not exist.
type Process struct {
	PID  int
	PPID int    // of the parent; 0 if there is none or it cannot be seen
	UID  int    // of the user who runs it; -1 if not known
	User string // name of that user, by the machine's own list; empty if it is not there
	Name string // as the kernel has it, on Linux 15 bytes at most
	// Args is the command line. It is empty for a kernel's thread and a process that
	// has ended but was not waited for. Programs can write what they like there.
	Args []string
	// Cwd is the working folder; empty if not told. A folder that was deleted has the
	// kernel's " (deleted)" behind its name.
	Cwd string
	// Environ is the environment that the process was started with, nil if not told. It
	// may hold secrets.
	Environ map[string]string
	Started time.Time // to about a second; zero if not known
}
