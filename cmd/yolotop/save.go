package main

import (
	"fmt"
	"os"
	"time"
)

// saveScreen writes a picture or the text of a screen into the working folder, under a name that is
// free, for its owner only.
func saveScreen(now func() time.Time) func(ext string, data []byte) (string, error) {
	return func(ext string, data []byte) (string, error) {
		f, name, err := newLog(now().Format("yolotop-20060102-150405") + ext)
		if err != nil {
			return "", err
		}
		if _, err := f.Write(data); err != nil {
			_, _ = f.Close(), os.Remove(name)
			return "", fmt.Errorf("write %s: %w", name, err)
		}
		return name, f.Close()
	}
}
