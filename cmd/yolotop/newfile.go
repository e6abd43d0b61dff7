package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// logNames is how many names are tried for a log.
const logNames = 10000

// newLog makes a log that only its owner may read. One that exists is never touched: the next
// free name is taken, "train-2.log".
func newLog(path string) (f *os.File, name string, err error) {
	ext := filepath.Ext(path)
	for n := 1; n < logNames; n++ {
		name = path
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
		}
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
		if !errors.Is(err, os.ErrExist) {
			break
		}
	}
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, "", fmt.Errorf("write %s: %w", name, err)
	}
	return f, name, nil
}
