package sources

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// trainWord is a word of a command line that says that a program trains. A folder such
// as runs/train does not.
var trainWord = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:train|training|trainer|finetune|fine_tune|pretrain|fit)(?:[^a-z]|$)`)

// commandLimit is how much of a command line is kept.
const commandLimit = 400

// saysTraining reports whether the command line of a process says that it trains: by the
// name of the script or module, by a word such as "train" or "mode=train", or in a
// program given with -c.
func saysTraining(p Process) bool {
	args := p.Args
	if len(args) == 0 {
		return false
	}
	if program := filepath.Base(args[0]); !strings.HasPrefix(program, "python") {
		if trainWord.MatchString(program) {
			return true
		}
	}
	script := false
	for i, a := range args[1:] {
		switch {
		case a == "-c" && i+2 < len(args):
			return trainWord.MatchString(args[i+2])
		case a == "train", a == "mode=train", a == "fit":
			return true
		case strings.HasSuffix(a, ".py") && trainWord.MatchString(filepath.Base(a)):
			return true // behind torchrun, accelerate and the like, too
		case !script && (!strings.HasPrefix(a, "-") || args[i] == "-m"):
			if name := filepath.Base(a); trainWord.MatchString(name) {
				return true
			}
			// "yolo" is run as "python /usr/bin/yolo": what follows are its arguments.
			script = true
		}
	}
	return false
}

// commandLine is how a person would write the command of a process.
func commandLine(p Process) string {
	line := printable(strings.Join(p.Args, " "))
	if line == "" {
		line = printable(p.Name)
	}
	if len(line) > commandLimit {
		line = strings.ToValidUTF8(line[:commandLimit], "") + "..."
	}
	return line
}

// lastRun is the newest run in a folder or below it, or else in the folder in which
// Ultralytics is set to keep runs; nil if there is none.
func lastRun(folder string) []Target {
	for _, dir := range []string{folder, ultralyticsRuns()} {
		if dir == "" {
			continue
		}
		if targets, err := searchRun(dir, time.Time{}); err == nil && targets != nil {
			return targets
		}
	}
	return nil
}

// settingsLimit is more than any settings file has.
const settingsLimit = 1 << 20

// ultralyticsRuns is the folder of runs from the settings that Ultralytics keeps for
// this user; empty if it has none. (Its SettingsManager writes runs_dir.)
func ultralyticsRuns() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	info, err := os.Stat(filepath.Join(dir, "Ultralytics", "settings.json"))
	if err != nil || !info.Mode().IsRegular() || info.Size() > settingsLimit {
		return ""
	}
	b, err := os.ReadFile(filepath.Join(dir, "Ultralytics", "settings.json"))
	var settings struct {
		Runs string `json:"runs_dir"`
	}
	if err != nil || json.Unmarshal(b, &settings) != nil {
		return ""
	}
	return settings.Runs
}

// written is when an input was written last; zero if that is not known.
func written(t Target) time.Time {
	info, err := os.Stat(t.Path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// byAge sorts trainings: those of this user first, and the newest of those.
func byAge(list []trainingRun) {
	slices.SortFunc(list, func(a, b trainingRun) int {
		if a.own != b.own {
			if a.own {
				return -1
			}
			return 1
		}
		return cmp.Or(b.process.Started.Compare(a.process.Started), cmp.Compare(b.process.PID, a.process.PID))
	})
}

// NoTrainingError is that there is nothing to watch on this machine.
type NoTrainingError struct {
	Folder string // whose runs were looked at
	PID    int    // of a training of this user whose output is not in a file; 0 if there is none
}

func (e *NoTrainingError) Error() string {
	if e.PID != 0 {
		return fmt.Sprintf("a training runs (pid %d), but what it prints is in no file, and there is no run in %s or below", e.PID, e.Folder)
	}
	return fmt.Sprintf("nothing to watch: no training runs here, and there is no run in %s or below (try: yolotop PATH, yolotop demo, yolotop --help)", e.Folder)
}

// FindInputs are the paths that a [Discover] would follow now: the outputs of this user's
// trainings that are files, or else the last run that ended. A pane of tmux has no path.
// It fails with a [NoTrainingError] if there are none.
func FindInputs(folder string) ([]string, error) { return findInputs(runningTrainings(), folder) }

func findInputs(running []trainingRun, folder string) ([]string, error) {
	var paths []string
	none := &NoTrainingError{Folder: folder}
	for _, t := range running {
		if !t.own {
			continue
		}
		none.PID = cmp.Or(none.PID, t.process.PID)
		for _, target := range t.targets {
			if !slices.Contains(paths, target.Path) {
				paths = append(paths, target.Path)
			}
		}
	}
	if len(paths) == 0 {
		for _, target := range lastRun(folder) {
			paths = append(paths, target.Path)
		}
	}
	if len(paths) == 0 {
		return nil, none
	}
	return paths, nil
}
