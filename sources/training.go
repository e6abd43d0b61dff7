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

// LogVariable is the variable of the environment in which yolotop tells a training that it has
// started, and who looks for it, the path of the log that it keeps.
const LogVariable = "YOLOTOP_LOG"

// trainWord is a word of a command line that says that a program trains. A folder such
// as runs/train does not.
var trainWord = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:train|training|trainer|finetune|fine_tune|pretrain|fit)(?:[^a-z]|$)`)

// commandLimit is how much of a command line is kept.
const commandLimit = 400

// launchers start the script that stands behind their options.
var launchers = []string{"torchrun", "accelerate", "deepspeed", "torch.distributed.run", "torch.distributed.launch"}

// saysTraining reports whether the command line of a process says that it trains: by the
// name of the script or module, by a program given with -c, or by a word such as "train"
// that stands by itself behind the script.
func saysTraining(p Process) bool {
	if len(p.Args) == 0 {
		return false
	}
	rest := p.Args[1:]
	name := filepath.Base(p.Args[0])
	if strings.HasPrefix(name, "python") {
		var code string
		name, code, rest = script(rest)
		if code != "" {
			return trainWord.MatchString(code)
		}
	}
	if strings.HasPrefix(name, "yolotop") {
		return false
	}
	if slices.Contains(launchers, name) {
		i := slices.IndexFunc(rest, func(a string) bool { return strings.HasSuffix(a, ".py") })
		return i >= 0 && trainWord.MatchString(filepath.Base(rest[i]))
	}
	if trainWord.MatchString(name) {
		return true
	}
	before := ""
	for _, a := range rest {
		value := strings.HasPrefix(before, "-") && before != "--mode" && !strings.Contains(before, "=")
		if a == "mode=train" || a == "--mode=train" || (a == "train" || a == "fit") && !value {
			return true
		}
		before = a
	}
	return false
}

// script finds what the interpreter runs: the name of a script or module, or the program
// text behind -c; rest are the arguments behind it.
func script(args []string) (name, code string, rest []string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-c" && i+1 < len(args):
			return "", args[i+1], nil
		case a == "-m" && i+1 < len(args):
			return args[i+1], "", args[i+2:]
		case a == "-W", a == "-X":
			i++ // their value
		case !strings.HasPrefix(a, "-"):
			return filepath.Base(a), "", args[i+1:]
		}
	}
	return "", "", nil
}

// programOfTraining is the program of a process and its script, without arguments.
func programOfTraining(p Process) string {
	if len(p.Args) == 0 {
		return printable(p.Name)
	}
	name := filepath.Base(p.Args[0])
	if strings.HasPrefix(name, "python") {
		if script, _, _ := script(p.Args[1:]); script != "" {
			name += " " + script
		}
	}
	return printable(name)
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

// lastRunPatience is how long the folders are waited for in which runs may be.
const lastRunPatience = 5 * time.Second

// lastRun is the newest run in a folder or below it, or else in the folder in which
// Ultralytics is set to keep runs; nil if there is none.
func lastRun(here string) []Target {
	for _, dir := range []string{here, ultralyticsRuns()} {
		if dir == "" {
			continue
		}
		targets, ok := bounded(lastRunPatience, func() []Target {
			targets, _ := searchRun(dir, folder.targets) // what cannot be read holds none
			return targets
		})
		if ok && targets != nil {
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
func FindInputs(folder string) ([]string, error) { return findInputs(trainingFinder()(), folder) }

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

// bounded calls a function that may hang, and gives up waiting for it; ok is false then.
func bounded[T any](patience time.Duration, f func() T) (v T, ok bool) {
	answer := make(chan T, 1)
	go func() {
		var v T
		_ = guarded(func() error { // after a panic it has found nothing
			v = f()
			return nil
		})
		answer <- v
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case v = <-answer:
		return v, true
	case <-timer.C:
		return v, false
	}
}
