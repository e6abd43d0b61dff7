//go:build !linux

package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// ReadProcess reads one process. The error is [fs.ErrNotExist] if there is none with
// this number. What is not told is empty in the result and no error.
func ReadProcess(pid int) (Process, error) {
	if pid <= 0 || pid > 1<<31-1 {
		return Process{}, fmt.Errorf("read process %d: %w", pid, fs.ErrNotExist)
	}
	p, err := process.NewProcess(int32(pid))
	if errors.Is(err, process.ErrorProcessNotRunning) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return describeProcess(p), nil
}

// Processes reads all processes that this user may see, in no particular order.
// Those that end meanwhile are left out, or have little in them.
func Processes() ([]Process, error) {
	all, err := process.Processes()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	out := make([]Process, 0, len(all))
	for _, p := range all {
		out = append(out, describeProcess(p))
	}
	return out, nil
}

// describeProcess leaves empty what the system does not tell.
func describeProcess(p *process.Process) Process {
	out := Process{PID: int(p.Pid), UID: -1}
	if ppid, err := p.Ppid(); err == nil {
		out.PPID = int(ppid)
	}
	if ids, err := p.Uids(); err == nil && len(ids) > 0 {
		out.UID = int(ids[0])
	}
	out.User, _ = p.Username()
	out.Name, _ = p.Name()
	out.Args, _ = p.CmdlineSlice()
	out.Cwd, _ = p.Cwd()
	if vars, err := p.Environ(); err == nil {
		out.Environ = make(map[string]string, len(vars))
		for _, v := range vars {
			if key, value, ok := strings.Cut(v, "="); ok {
				out.Environ[key] = value
			}
		}
	}
	if ms, err := p.CreateTime(); err == nil && ms > 0 {
		out.Started = time.UnixMilli(ms)
	}
	return out
}
