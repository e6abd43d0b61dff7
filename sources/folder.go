package sources

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"yolotop/parse"
)

// A Target is an input that a person meant with a path.
type Target struct {
	Path string
	// Group is the run folder for inputs that came from one, so that they can be
	// joined; empty for a file that was named itself.
	Group string
	// Args is the path of the run's args.yaml or opt.yaml; empty if there is none.
	Args    string
	Grammar parse.Grammar // what it may be in
	// Expected marks the results.csv of a run that has begun and not finished an
	// epoch: it does not exist yet and is to be waited for.
	Expected bool
}

// Limits of the search, so that a folder of a data set costs no more than a look.
const (
	searchDepth   = 3    // runs/detect/train, seen from above runs
	searchFolders = 4096 // folders that are listed
	sniffLogs     = 32   // newest logs of a folder that are looked into
	manyTexts     = 500  // a folder with more .txt files holds labels, not logs
)

// Expand says which inputs a path means. A file is itself. A run folder is its
// results.csv and the training logs beside it. A folder above run folders is the
// newest run in it, by the time of its files.
func Expand(path string) ([]Target, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &readError{path, err}
	}
	if !info.IsDir() {
		return append([]Target{{Path: path, Args: argsBeside(path)}}, besideLog(path)...), nil
	}
	targets, err := searchRun(path, folder.targets)
	if err != nil {
		return nil, &readError{path, err}
	}
	if targets == nil {
		return nil, fmt.Errorf("no run in %s: looked for results.csv, args.yaml and logs", path)
	}
	return targets, nil
}

// searchRun finds the newest run in a folder or below it, among those of which take makes
// inputs. It returns nil if there is none.
func searchRun(path string, take func(folder) []Target) ([]Target, error) {
	top, err := list(path)
	if err != nil {
		return nil, err
	}
	if targets := take(top); targets != nil {
		return targets, nil
	}
	level, seen := top.folders, 0
	for range searchDepth {
		var found []folder
		var below []string
		for _, path := range level {
			if seen++; seen > searchFolders {
				break
			}
			f, err := list(path)
			if err != nil {
				continue // somebody else's folder is no reason to give up
			}
			below = append(below, f.folders...)
			if f.isCandidate() {
				found = append(found, f)
			}
		}
		slices.SortStableFunc(found, func(a, b folder) int { return b.newest.Compare(a.newest) })
		for _, f := range found {
			if targets := take(f); targets != nil {
				return targets, nil
			}
		}
		level = below
	}
	return nil, nil
}

// folder is what matters of a folder's contents.
type folder struct {
	path    string
	results bool
	args    string    // path of args.yaml or opt.yaml
	logs    []logFile // files that may be logs, newest first
	folders []string  // paths of the folders in it
	newest  time.Time // of the run's files
	began   time.Time // when the arguments were written, which is when a run begins; zero without
}

type logFile struct {
	path    string
	changed time.Time
}

// list reads what a folder holds.
func list(path string) (folder, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return folder{}, err
	}
	f := folder{path: path}
	var names []string
	for _, e := range entries {
		name := e.Name()
		full := filepath.Join(path, name)
		isDir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 { // runs is often a link to a bigger disk
			info, err := os.Stat(full)
			isDir = err == nil && info.IsDir()
		}
		if isDir {
			if !strings.HasPrefix(name, ".") {
				f.folders = append(f.folders, full)
			}
			continue
		}
		switch {
		case name == "results.csv", name == "args.yaml", name == "opt.yaml", isLogName(name):
			names = append(names, name)
		}
	}
	isText := func(name string) bool { return strings.HasSuffix(name, ".txt") }
	if len(names) > manyTexts {
		names = slices.DeleteFunc(names, isText)
	}
	for _, name := range names {
		f.add(name)
	}
	slices.SortStableFunc(f.logs, func(a, b logFile) int { return b.changed.Compare(a.changed) })
	return f, nil
}

// add takes a file by its name if it is one.
func (f *folder) add(name string) {
	full := filepath.Join(f.path, name)
	info, err := os.Stat(full)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	switch name {
	case "results.csv":
		f.results = true
	case "args.yaml", "opt.yaml":
		f.args = cmp.Or(f.args, full) // the list is in order of names
		f.began = info.ModTime()
	default:
		f.logs = append(f.logs, logFile{full, info.ModTime()})
	}
	if info.ModTime().After(f.newest) {
		f.newest = info.ModTime()
	}
}

func (f folder) isCandidate() bool { return f.results || f.args != "" || len(f.logs) > 0 }

// targets are the inputs of a run folder, nil if it is none. A folder that holds
// nothing but logs is where somebody keeps them: its newest one is the run.
func (f folder) targets() []Target {
	var out []Target
	for _, l := range f.logs[:min(len(f.logs), sniffLogs)] {
		if isTrainingLog(l.path) {
			out = append(out, Target{Path: l.path, Group: f.path})
			if !f.results && f.args == "" {
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b Target) int { return strings.Compare(a.Path, b.Path) })
	if f.results || f.args != "" && out == nil {
		results := Target{Path: filepath.Join(f.path, "results.csv"), Group: f.path, Expected: !f.results}
		out = append([]Target{results}, out...)
	}
	if out != nil {
		out[0].Args = f.args
	}
	return out
}

// isLogName reports whether people give logs such names.
func isLogName(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return slices.Contains([]string{".log", ".txt", ".out"}, filepath.Ext(name))
}
