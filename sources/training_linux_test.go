package sources

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"yolotop/parse"
)

// trainingChild is set in a child that stands for a training, to a folder with two FIFOs:
// it says in "ready" that it has printed, and prints what it reads from "more".
const trainingChild = "YOLOTOP_TEST_TRAINING"

// TestTrainingChild is that child, and nothing in the parent.
func TestTrainingChild(t *testing.T) {
	dir := os.Getenv(trainingChild)
	if dir == "" {
		return
	}
	say := func(w io.Writer, s string) { fmt.Fprint(w, s) }
	if os.Getenv("YOLOTOP_TEST_SPLIT") != "" { // as older trainers do with their progress
		say(os.Stdout, banner+start+header)
		say(os.Stderr, bar(1, 1)+bar(1, 2))
	} else {
		say(os.Stdout, banner+start+header+bar(1, 1)+bar(1, 2))
	}
	if os.Getenv("YOLOTOP_TEST_FOLDER") != "" {
		check(t, os.MkdirAll("runs/detect/train7", 0o700))
		check(t, os.WriteFile("runs/detect/train7/results.csv", []byte("epoch,train/box_loss,val/box_loss\n1,1.5,1.6\n"), 0o600))
		check(t, os.WriteFile("runs/detect/train7/args.yaml", []byte("model: yolo11n.pt\nepochs: 3\n"), 0o600))
	}
	ready, err := os.OpenFile(filepath.Join(dir, "ready"), os.O_WRONLY, 0)
	check(t, err)
	_, err = fmt.Fprintln(ready, "ready")
	check(t, err)
	check(t, ready.Close())
	more, err := os.Open(filepath.Join(dir, "more"))
	check(t, err)
	_, _ = io.Copy(os.Stdout, more)
	os.Exit(0)
}

// fakeTraining is a training that a test has started.
type fakeTraining struct {
	dir    string // its working folder
	more   *os.File
	mark   string // in its environment
	search *trainingSearch
}

// startTraining runs a script in which "train" is a training, and waits until it has
// printed. start runs the shell; nil is in the background. It ends with the test.
func startTraining(t *testing.T, script string, start func(t *testing.T, shell *exec.Cmd), env ...string) *fakeTraining {
	t.Helper()
	f := &fakeTraining{dir: t.TempDir(), mark: fmt.Sprint(t.Name(), os.Getpid()), search: newTrainingSearch()}
	control := t.TempDir()
	for _, name := range []string{"ready", "more"} {
		check(t, unix.Mkfifo(filepath.Join(control, name), 0o600))
	}
	cmd := exec.Command("sh", "-c", `train() { python3 -test.run='^TestTrainingChild$' train.py; }; `+script)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), append([]string{
		trainingChild + "=" + control, "YOLOTOP_TEST_MARK=" + f.mark, "PATH=" + python(t) + ":" + os.Getenv("PATH"), "TMUX=",
	}, env...)...)
	if start == nil {
		check(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Wait() })
	} else {
		start(t, cmd)
	}
	ready, err := os.Open(filepath.Join(control, "ready"))
	check(t, err)
	if line, err := bufio.NewReader(ready).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the training says %q, %v", line, err)
	}
	check(t, ready.Close())
	f.more, err = os.OpenFile(filepath.Join(control, "more"), os.O_WRONLY, 0)
	check(t, err)
	t.Cleanup(func() { _ = f.more.Close() }) // ends it
	return f
}

// found are the trainings of this test.
func (f *fakeTraining) found() []trainingRun {
	all := f.search.find()
	return slices.DeleteFunc(all, func(r trainingRun) bool { return r.process.Environ["YOLOTOP_TEST_MARK"] != f.mark })
}

// only is the one training of this test.
func (f *fakeTraining) only(t *testing.T) trainingRun {
	t.Helper()
	found := f.found()
	if len(found) != 1 {
		t.Fatalf("%d trainings are found, want 1: %+v", len(found), found)
	}
	if !found[0].own || !strings.Contains(commandLine(found[0].process), "train.py") {
		t.Errorf("found %+v", found[0])
	}
	return found[0]
}

func TestDiscoverWhereTheOutputGoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		env    string
		output parse.Output
		path   string // below its folder
	}{
		"file":                  {"train > out.txt 2>&1", "", parse.OutputFile, "out.txt"},
		"appended":              {"train >> out.txt 2>/dev/null", "", parse.OutputFile, "out.txt"},
		"errors to a file":      {"train > out.txt 2> err.txt", "YOLOTOP_TEST_SPLIT=1", parse.OutputFile, "err.txt"},
		"child of a shell":      {"(cd /; (train) > $OLDPWD/out.txt 2>&1; true); true", "", parse.OutputFile, "out.txt"},
		"behind tee":            {"train 2>&1 | tee out.txt > /dev/null", "", parse.OutputFile, "out.txt"},
		"behind two":            {"train 2>&1 | cat | tee out.txt > /dev/null", "", parse.OutputFile, "out.txt"},
		"a pipe to a file":      {"train 2>&1 | cat > out.txt", "", parse.OutputFile, "out.txt"},
		"nowhere":               {"train > /dev/null 2>&1", "", parse.OutputNowhere, ""},
		"a pipe":                {"train 2>&1 | cat > /dev/null", "", parse.OutputPipe, ""},
		"a pipe with a folder":  {"train 2>&1 | cat > /dev/null", "YOLOTOP_TEST_FOLDER=1", parse.OutputFile, "runs/detect/train7/results.csv"},
		"another folder":        {"mkdir there; cd there; train > /dev/null 2>&1", "YOLOTOP_TEST_FOLDER=1", parse.OutputFile, "there/runs/detect/train7/results.csv"},
		"text and errors apart": {"train 2> err.txt | tee out.txt > /dev/null", "", parse.OutputFile, "out.txt"},
		"read by us":            {`ln -s "$(command -v cat)" yolotop; train 2>&1 | ./yolotop > shown.txt`, "", parse.OutputPipe, ""},
		"kept by us":            {`ln -s "$(command -v tee)" yolotop; train 2>&1 | ./yolotop out.txt > /dev/null`, "", parse.OutputFile, "out.txt"},
		"an old log beside":     {"printf '%s' \"$OLD\" > last.log; touch -d 2020-01-01 last.log; echo > notes.txt; train > /dev/null 2>&1", "YOLOTOP_TEST_FOLDER=1", parse.OutputFile, "runs/detect/train7/results.csv"},
		"deleted":               {"exec > gone.txt 2>&1; rm gone.txt; train", "", parse.OutputUnknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startTraining(t, c.script, nil, c.env, "OLD="+banner+start)
			want := ""
			if c.path != "" {
				dir, err := filepath.EvalSymlinks(f.dir)
				check(t, err)
				want = filepath.Join(dir, c.path)
			}
			got := f.only(t)
			// What stands behind a pipe may not have opened its file yet.
			for limit := time.Now().Add(20 * time.Second); got.key() != want && time.Now().Before(limit); {
				got = f.only(t)
			}
			if got.output != c.output || got.key() != want {
				t.Errorf("output %d %q, want %d %q", got.output, got.key(), c.output, want)
			}
		})
	}
}

// The trainer of a run folder is found although it holds nothing there open.
func TestDiscoverTheTrainerOfARunFolder(t *testing.T) {
	t.Parallel()
	f := startTraining(t, "train > out.txt 2>&1", nil, "YOLOTOP_TEST_FOLDER=1")
	path := filepath.Join(f.dir, "runs/detect/train7/results.csv")
	pid := f.only(t).process.PID
	if got, ok := findTrainer(path); !ok || got.PID != pid {
		t.Errorf("%+v, %v, want process %d", got, ok, pid)
	}
	other := filepath.Join(t.TempDir(), "results.csv")
	put(t, other, "epoch,train/box_loss\n1,1.5\n")
	if got, ok := findTrainer(other); ok {
		t.Errorf("another run's trainer is %+v", got)
	}
}

// TestWhoseRunFolderItIs promises that a run folder goes to the nearest and youngest process
// that ran in or above it when the run began, whoever else is there.
func TestWhoseRunFolderItIs(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 3, 14, 12, minute, 0, 0, time.UTC) }
	process := func(pid, minute int, cwd string, says bool) *candidate {
		return &candidate{process: Process{PID: pid, Cwd: cwd, Started: at(minute)}, says: says, gpu: true}
	}
	claims := claimsOf([]*candidate{
		process(1, 0, "/proj", false), process(2, 10, "/proj", true), process(3, 20, "/proj", true), process(4, 15, "/other", true),
		process(6, 22, "/", true),
		{process: Process{PID: 5, Cwd: "/proj", Started: at(25)}}, // it only is in Python
	})
	for _, c := range []struct {
		folder string
		minute int
		want   int
	}{
		{"/proj/runs/train", 1, 1},
		{"/proj/runs/train2", 11, 2},
		{"/proj/runs/train3", 21, 3},
		{"/proj/runs/train4", 26, 3},
		{"/other/runs/train", 21, 4},
		{"/proj", 11, 2},
		{"/project/runs/train", 21, 0},
		{"/project/runs/train", 23, 6},
		{"/proj/runs/before", -5, 0},
	} {
		if got := ownerOf(claims, c.folder, at(c.minute)); got != c.want {
			t.Errorf("%s of minute %d is of process %d, want %d", c.folder, c.minute, got, c.want)
		}
	}
}

// A training that is known stays known while it cannot be looked into, and what it has
// started is a part of it.
func TestDiscoverKeepsWhatItKnows(t *testing.T) {
	t.Parallel()
	f := startTraining(t, "train > out.txt 2>&1", nil)
	pid := f.only(t).process.PID
	f.search.procfs = newProcfs("")
	for range memoryReaders { // nobody can be looked into
		f.search.procfs.readers <- struct{}{}
	}
	if got := f.only(t); got.process.PID != pid || got.key() == "" {
		t.Errorf("it is %+v now", got)
	}
	for _, c := range f.search.known {
		c.name = "before" // it has given itself another name since
	}
	f.search.procfs = newProcfs(t.TempDir()) // nothing can be listed
	if got := f.only(t); got.process.PID != pid || got.key() == "" {
		t.Errorf("where nothing can be listed it is %+v", got)
	}
	f.search.procfs = newProcfs("")
	if got := f.only(t); got.process.PID != pid || got.key() == "" {
		t.Errorf("under another name it is %+v", got)
	}
	check(t, f.more.Close())
	for f.search.find(); len(f.found()) > 0; { // it ends
		runtime.Gosched()
	}
}

// A run folder that was there before the training began is not its.
func TestDiscoverLeavesOldFolders(t *testing.T) {
	t.Parallel()
	script := "mkdir -p runs/detect/train; echo epoch,train/box_loss > runs/detect/train/results.csv; touch -d 2020-01-01 runs/detect/train/results.csv; train > /dev/null 2>&1"
	if got := startTraining(t, script, nil).only(t); got.key() != "" {
		t.Errorf("an old folder is taken: %+v", got)
	}
}

// inTerminal runs a command in a terminal of its own.
func inTerminal(t *testing.T, shell *exec.Cmd) {
	t.Helper()
	master, name := openTerminal(t)
	tty, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
	check(t, err)
	shell.Stdin, shell.Stdout, shell.Stderr = tty, tty, tty
	check(t, shell.Start())
	check(t, tty.Close())
	go func() { _, _ = io.Copy(io.Discard, master) }()
	t.Cleanup(func() { _ = shell.Wait() })
}

// A terminal that is not tmux's cannot be read by anybody else.
func TestDiscoverATerminal(t *testing.T) {
	t.Parallel()
	f := startTraining(t, "train", inTerminal)
	if got := f.only(t); got.output != parse.OutputTerminal || got.key() != "" {
		t.Errorf("output %d %q", got.output, got.key())
	}
}

// One that we have opened for a training has a log.
func TestDiscoverATerminalOfOurOwn(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "kept.log")
	put(t, log, banner)
	f := startTraining(t, "train", inTerminal, LogVariable+"="+log)
	if got := f.only(t); got.output != parse.OutputFile || got.key() != log {
		t.Errorf("output %d %q, want %q", got.output, got.key(), log)
	}
}

// openTerminal makes a pseudo-terminal.
func openTerminal(t *testing.T) (master *os.File, name string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	check(t, err)
	t.Cleanup(func() { _ = master.Close() })
	check(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	check(t, err)
	return master, fmt.Sprintf("/dev/pts/%d", n)
}

// tmuxServer runs a command in the pane of a server of tmux of its own.
func tmuxServer(t *testing.T, columns string) func(t *testing.T, shell *exec.Cmd) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	return func(t *testing.T, shell *exec.Cmd) {
		t.Helper()
		socket := filepath.Join(t.TempDir(), "s")
		args := []string{"-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", "12", "-c", shell.Dir}
		cmd := exec.Command("tmux", append(args, shell.Args...)...)
		cmd.Env = shell.Env // the server's, and so the pane's
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("tmux: %v: %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	}
}

func TestDiscoverAPaneOfTmux(t *testing.T) {
	t.Parallel()
	f := startTraining(t, "train", tmuxServer(t, "200"))
	got := f.only(t)
	if got.output != parse.OutputPane || !strings.HasPrefix(got.name(0), "tmux %") {
		t.Fatalf("output %d %q", got.output, got.key())
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	bus := NewBus(8)
	ended := make(chan struct{})
	done := make(chan error, 1)
	go func() { done <- Run(ctx, bus, newTmuxSource(got.pane, 0, parse.Grammar{}, ended)) }()
	var rows []string
	until := func(want string) {
		t.Helper()
		for batch := range bus.Events() {
			for _, s := range story(batch) {
				if strings.HasPrefix(s, "row ") {
					rows = append(rows, s)
				}
			}
			if slices.Contains(rows, want) {
				return
			}
		}
		t.Fatalf("%q does not come: %q", want, rows)
	}
	until("row 1/3 2/4 so far")
	fmt.Fprint(f.more, bar(1, 4)+"\n"+header+bar(2, 1))
	until("row 1/3 4/4")
	until("row 2/3 1/4 so far")
	check(t, f.more.Close())
	close(ended)
	until("row 2/3 1/4")
	check(t, <-done)
}

// TestDiscoverFollowsWhatRuns promises the whole way: a training that is found is an
// input with its rows and its process, one that comes later is another, and the end of a
// process is told.
func TestDiscoverFollowsWhatRuns(t *testing.T) {
	t.Parallel()
	f := startTraining(t, "train > out.txt 2>&1", nil)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	its := *f // a search has one user
	its.search = newTrainingSearch()
	d := NewDiscover(DiscoverOptions{Folder: f.dir, running: its.found})
	bus := NewBus(8)
	done := make(chan error, 1)
	go func() { done <- Run(ctx, bus, d) }()
	var said []string
	until := func(what string, ok func(parse.Event) bool) {
		t.Helper()
		for batch := range bus.Events() {
			said = append(said, story(batch)...)
			if slices.ContainsFunc(batch, ok) {
				return
			}
		}
		t.Fatalf("%s is not told: %q", what, said)
	}
	until("the input", func(e parse.Event) bool {
		r, ok := e.Record.(*parse.Found)
		return ok && e.Input == 0 && strings.HasSuffix(r.Name, "out.txt") && r.Written.IsZero()
	})
	pid := f.only(t).process.PID
	trainer := false
	until("what runs", func(e parse.Event) bool {
		if r, ok := e.Record.(*parse.Trainer); ok && r.PID == pid && e.Input == 0 {
			trainer = true
		}
		r, ok := e.Record.(*parse.Trainings)
		return ok && len(r.Running) == 1 && r.Running[0].Input == 0 && r.Running[0].PID == pid
	})
	if !trainer {
		t.Errorf("the process is not told: %q", said)
	}
	fmt.Fprint(f.more, bar(1, 4)+"\n")
	until("a row", func(e parse.Event) bool {
		r, ok := e.Record.(*parse.Progress)
		return ok && !e.Provisional && r.Iter == 4
	})
	if d.PID() != pid {
		t.Errorf("PID is %d, want %d", d.PID(), pid)
	}
	check(t, f.more.Close())
	until("the end", func(e parse.Event) bool {
		r, ok := e.Record.(*parse.Trainer)
		return ok && r.PID == 0 && e.Input == 0
	})
	stop()
	for range bus.Events() {
	}
	check(t, <-done)
}

// If nothing runs, the last run that ended is read to its end.
func TestDiscoverTheLastRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(dir, "runs/detect/train2"), 0o700))
	path := filepath.Join(dir, "runs/detect/train2/train.log")
	put(t, path, training())
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	bus := NewBus(8)
	d := NewDiscover(DiscoverOptions{Folder: dir, running: func() []trainingRun { return nil }})
	done := make(chan error, 1)
	go func() { done <- Run(ctx, bus, d) }()
	var found *parse.Found
	ended := false
	for batch := range bus.Events() {
		for _, e := range batch {
			switch r := e.Record.(type) {
			case *parse.Found:
				found = r
			case *parse.SourceState:
				ended = ended || r.Status == parse.SourceEnded
			}
		}
		if ended {
			stop()
		}
	}
	check(t, <-done)
	if found == nil || found.Name != path || found.Written.IsZero() || !ended {
		t.Errorf("found %+v, ended %v", found, ended)
	}
}

func TestFindInputs(t *testing.T) {
	t.Parallel()
	empty, dir := t.TempDir(), t.TempDir()
	log := filepath.Join(dir, "train.log")
	put(t, log, training())
	file := func(own bool, pid int, paths ...string) trainingRun {
		r := trainingRun{process: Process{PID: pid}, own: own, output: parse.OutputFile}
		for _, p := range paths {
			r.targets = append(r.targets, Target{Path: p})
		}
		return r
	}
	for name, c := range map[string]struct {
		running []trainingRun
		folder  string
		want    []string
		fails   string
	}{
		"running":                {[]trainingRun{file(true, 5, "a.log"), file(true, 6, "b.log"), file(true, 7, "a.log")}, dir, []string{"a.log", "b.log"}, ""},
		"somebody else's":        {[]trainingRun{file(false, 5, "a.log")}, dir, []string{log}, ""},
		"ended":                  {nil, dir, []string{log}, ""},
		"nothing":                {nil, empty, nil, "nothing to watch"},
		"running, without a log": {[]trainingRun{file(true, 5)}, empty, nil, "pid 5"},
	} {
		got, err := findInputs(c.running, c.folder)
		if !slices.Equal(got, c.want) || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestSaysTraining(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"python train.py --data coco.yaml":                         true,
		"python3 -u /home/a/yolov5/train.py":                       true,
		"python -m yolox.tools.train -n yolox-s":                   true,
		"/usr/bin/python3 /usr/bin/yolo detect train data=x.yaml":  true,
		"/usr/bin/python3 /usr/bin/yolo mode=train":                true,
		"python -c from-ultralytics;YOLO('x').train(data='y')":     true,
		"python tools/train_net.py":                                true,
		"torchrun --nproc_per_node 2 train.py":                     true,
		"python detect.py --weights runs/train/exp/best.pt":        false,
		"/usr/bin/python3 /usr/bin/yolo predict model=x.pt":        false,
		"python constraints.py":                                    false,
		"python -m http.server":                                    false,
		"python":                                                   false,
		"python val.py --split train":                              false,
		"python detect.py -c configs/train.yaml":                   false,
		"/usr/bin/python3 /usr/bin/pytest tests/test_train.py":     false,
		"yolotop-linux-amd64 runs/detect/train":                    false,
		"python main.py -c cfg.yaml fit":                           true,
		"python -W ignore -u train.py":                             true,
		"/usr/bin/python3 /usr/bin/torchrun --nproc 2 train.py":    true,
		"python -m torch.distributed.run --nproc 2 tools/train.py": true,
		"python -m torch.distributed.run --nproc 2 tools/test.py":  false,
	} {
		if got := saysTraining(Process{Args: strings.Fields(line)}); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// TestPaneText promises that pictures of a pane make the text that was written there:
// every complete line once, whatever was seen of a bar on the way, and nothing again.
func TestPaneText(t *testing.T) {
	t.Parallel()
	long := make([]string, 100)
	for i := range long {
		long[i] = fmt.Sprintf("line %d", i)
	}
	type step struct {
		lines   []string
		history int
		ended   bool
		want    string
	}
	for name, steps := range map[string][]step{
		"a bar": {
			{[]string{"$ train", "head", "10%"}, 0, false, "$ train\nhead\n10%"},
			{[]string{"$ train", "head", "10%"}, 0, false, ""},
			{[]string{"$ train", "head", "20%"}, 0, false, "\r20%"},
			{[]string{"$ train", "head", "90%", "all", "", "head", "5%"}, 0, false, "\r90%\nall\n\nhead\n5%"},
			{[]string{"head", "90%", "all", "", "head", "6%"}, 0, false, "\r6%"}, // the history begins later
			{[]string{"head", "90%", "all", "", "head", "100%", "$"}, 0, true, "\r100%\n$\n"},
		},
		"cleared": {
			{[]string{"$ train", "head", "10%"}, 50, false, "$ train\nhead\n10%"},
			{[]string{"cleared", "6%"}, 0, false, "\rcleared\n6%"},
			{[]string{"cleared", "7%"}, 0, false, "\r7%"},
		},
		"erased after a blank line": {
			{[]string{"a", "b", "c", "", "10%"}, 9, false, "a\nb\nc\n\n10%"},
			{[]string{"a", "b", "c"}, 9, false, ""},
			{[]string{"a", "b", "c", "", "20%"}, 9, false, "\r20%"},
		},
		"two bars, one above the other": {
			{[]string{"a", "b", "c", "epoch 1", "10%"}, 9, false, "a\nb\nc\nepoch 1\n10%"},
			{[]string{"a", "b", "c", "epoch 2", "20%"}, 9, false, "\repoch 2\n20%"},
			{[]string{"a", "b", "c", "epoch 2", "30%"}, 9, false, "\r30%"},
			{[]string{"a", "b", "c", "epoch 2", "90%", "d"}, 9, false, "\r90%\nd"},
		},
		"something else for a while": {
			{[]string{"a", "b", "c", "10%"}, 9, false, "a\nb\nc\n10%"},
			{[]string{"x", "y", "z", "q"}, 9, false, "\rq"},
			{[]string{"x", "y", "z", "q", "r"}, 9, false, "\nr"},
		},
		"much at a time": {
			{long[:50], 9, false, strings.Join(long[:50], "\n")},
			{long[30:], 80, false, "\n" + strings.Join(long[50:], "\n")},
		},
	} {
		var p paneText
		for i, c := range steps {
			if b := p.news(picture{lines: c.lines, history: c.history}, c.ended); !bytes.Equal(b, []byte(c.want)) {
				t.Errorf("%s, %d: %q, want %q", name, i, b, c.want)
			}
		}
	}
}

// A server that answers late, or a program that fills the pane for a while, does not end
// the training in it; its own end does.
func TestPaneThatIsNotSeenForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text := strings.Split(banner+start+header+bar(1, 1)[1:], "\n")
		answers := []func() (picture, error){
			func() (picture, error) { return picture{lines: text}, nil },
			func() (picture, error) { return picture{}, context.DeadlineExceeded },
			func() (picture, error) { return picture{}, errors.New("signal: killed") },
			func() (picture, error) { return picture{lines: []string{"an editor"}, alternate: true}, nil },
			func() (picture, error) {
				return picture{lines: append(slices.Clone(text[:len(text)-1]), bar(1, 2)[1:])}, nil
			},
			func() (picture, error) { return picture{}, errors.New("can't find pane: %3") },
		}
		s := newTmuxSource(tmuxPane{id: "%3"}, 0, parse.Grammar{}, nil)
		s.capture = func(context.Context, int) (picture, error) {
			a := answers[0]
			answers = answers[1:]
			return a()
		}
		var r recorder
		check(t, s.Run(t.Context(), &r))
		got := story(r.all())
		want := []string{"reading", "Banner", "Notice", "Notice", "row 1/3 1/4 so far", "row 1/3 1/4", "row 1/3 2/4 so far", "row 1/3 2/4", "ended: the pane is gone"}
		equal(t, got, want)
	})
}
