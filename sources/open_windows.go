package sources

import (
	"io/fs"
	"os"
	"syscall"
)

// openFile opens a path for reading. Unlike os.Open it lets the training rename
// and delete the file meanwhile, and it can open a folder (to say that it is one).
func openFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	share := uint32(syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE)
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ, share, nil,
		syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// hungUp reports whether a pipe has lost its writers. Here a read says so itself.
func hungUp(*os.File) bool { return true }
