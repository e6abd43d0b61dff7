package sources

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"yolotop/parse"
)

// Bounds of what is read of other runs.
const (
	besideMost    = 12  // logs, the newest ones
	besideFolders = 256 // run folders that are listed
)

// Beside finds the logs of other runs that lie beside an input: in its folder, or, where that
// is the folder of one run, in the folders beside it. The newest ones come first; there are at
// most twelve. What cannot be read is left out.
func Beside(t Target) []Target {
	here := t.Group
	if here == "" {
		here = filepath.Dir(t.Path)
	}
	f, err := list(here)
	if err != nil {
		return nil
	}
	if !f.results && f.args == "" {
		return otherLogs(f.logs, t.Path, nil)
	}
	parent, err := list(filepath.Join(here, ".."))
	if err != nil {
		return nil
	}
	var logs []logFile
	args := map[string]string{}
	for _, path := range parent.folders[max(0, len(parent.folders)-besideFolders):] {
		if filepath.Base(path) == filepath.Base(absolute(here)) {
			continue
		}
		if beside, err := list(path); err == nil {
			for _, l := range beside.logs {
				logs = append(logs, l)
				args[l.path] = beside.args
			}
		}
	}
	slices.SortStableFunc(logs, func(a, b logFile) int { return b.changed.Compare(a.changed) })
	return otherLogs(logs, t.Path, args)
}

// absolute is a path from the root on, or as it is where we are nowhere.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// otherLogs are those of logs that are of a training, apart from the one at path.
func otherLogs(logs []logFile, path string, args map[string]string) []Target {
	self, _ := os.Stat(path)
	var out []Target
	for _, l := range logs[:min(len(logs), sniffLogs)] {
		if len(out) == besideMost {
			break
		}
		info, err := os.Stat(l.path)
		if err != nil || self != nil && os.SameFile(self, info) || !isTrainingLog(l.path) {
			continue
		}
		out = append(out, Target{Path: l.path, Args: args[l.path]})
	}
	return out
}

// ReadSome is Read, but of a regular file only, of at most so many bytes (of what a compressed one
// holds), and until emit returns false.
func ReadSome(target Target, most int64, emit func(parse.Event) bool) error {
	f, err := openFile(target.Path)
	if err != nil {
		return &readError{target.Path, err}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return &readError{target.Path, errNotFile}
	}
	var r io.Reader = f
	if isGzip(f) {
		if r, err = unzip(f); err != nil {
			return &readError{target.Path, err}
		}
	}
	more := true
	tell := func(e parse.Event) { more = more && emit(e) }
	if target.Args != "" {
		tell(parse.Event{Record: readArgs(target.Args)})
	}
	return ReadFrom(io.LimitReader(reading(func(p []byte) (int, error) {
		if !more {
			return 0, io.EOF
		}
		return r.Read(p)
	}), most), target.Path, target.Grammar, 0, tell)
}

// reading is a function that reads.
type reading func(p []byte) (int, error)

func (r reading) Read(p []byte) (int, error) { return r(p) }
