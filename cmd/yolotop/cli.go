package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// statusError carries an exit status that is no failure to be explained.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// execute runs the command line and gives the exit status. A failure is one line
// on standard error.
func execute(ctx context.Context, env environment) int {
	root := rootCommand(env)
	root.SetArgs(env.args)
	root.SetIn(env.stdin)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	err := root.ExecuteContext(ctx)
	var status statusError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintf(env.stderr, "yolotop: %s\n", explain(err, root))
	return exitUsage
}

// explain is an error in one line, with what to do where that is plain.
func explain(err error, root *cobra.Command) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	var path *fs.PathError
	_ = errors.As(err, &path)
	if !errors.Is(err, fs.ErrNotExist) {
		return text
	}
	name := strings.TrimSuffix(strings.TrimPrefix(text, "read "), ": no such file")
	if strings.ContainsAny(name, `./\`) {
		return text + " (--wait waits for it)"
	}
	text = fmt.Sprintf("no such file or command: %s", name)
	if near := root.SuggestionsFor(name); len(near) > 0 {
		text += fmt.Sprintf(" (did you mean %s?)", near[0])
	}
	return text
}

// globalFlags are the flags that every command takes.
type globalFlags struct {
	format string
}

func rootCommand(env environment) *cobra.Command {
	var (
		global globalFlags
		watch  watchOptions
	)
	root := &cobra.Command{
		Use:           "yolotop [PATH|-]...",
		Short:         "top for a YOLO training run",
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, paths []string) error {
			s, err := global.settings(env, cmd, slices.Contains(paths, standardInput))
			if err != nil {
				return err
			}
			watch.take(env, s)
			if s.plain && env.screen != nil {
				env.screen, watch.untilEnd = nil, true
			}
			if len(paths) == 0 {
				return watchHere(cmd.Context(), env, watch)
			}
			return watchPaths(cmd.Context(), env, paths, watch)
		},
	}
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return watch.check() }
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Hidden: true})
	root.SetVersionTemplate("yolotop {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fmt.Errorf("%w (yolotop --help lists the flags)", err)
	})
	root.PersistentFlags().String("lang", "", "language of the texts: en or zh (default: the locale's)")
	root.PersistentFlags().StringVar(&global.format, "format", "", "what the inputs are, whatever they look like (yolotop formats lists them)")
	watch.register(root)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if cmd == root {
			_, _ = fmt.Fprint(env.stdout, help)
			return
		}
		_, _ = fmt.Fprintf(env.stdout, "%s\n\n%s", cmd.Long, cmd.UsageString())
	})
	root.AddCommand(checkCommand(env, &global), statusCommand(env, &global), runCommand(env, &global), holdCommand(env), sampleCommand(env), hookCommand(env), alertCommandLine(env, &global), demoCommand(env, &global, &watch), configCommand(env, &global), doctorCommand(env, &global), formatsCommand(env), pageCommand(env, &global))
	return root
}

func checkCommand(env environment, global *globalFlags) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [--json] PATH...",
		Short: "read finished or running logs to their end and report",
		Long: `Reads every input to its end and reports what is known of each run in it and
what is wrong. The exit status is 0 if nothing is, 1 for a warning, 2 for a
critical finding and 3 if there is no training in any input.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			s, err := global.settings(env, cmd, false)
			if err != nil {
				return err
			}
			o.lang, o.grammar, o.looks = s.lang, s.grammar, s.looks(env)
			return interruptible(cmd.Context(), func() error {
				status, err := check(env, paths, o)
				if err != nil {
					return err
				}
				if status != exitOK {
					return statusError(status)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&o.redact, "redact", false, "leave out folders, users' names and tokens, to paste it elsewhere")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object instead of text")
	return cmd
}

// interruptible runs f, and does not wait for it when the context ends: it may be reading from
// something that gives nothing.
func interruptible(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("internal error")
		defer func() { done <- err }()
		if crash := guarded(func() { err = f() }); crash != nil {
			err = crash
		}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return statusError(exitInterrupted)
	}
}

// help is what --help prints, within 80 columns.
const help = `yolotop is top for a YOLO training run: GPU memory, losses and metrics on one
timeline, and a warning with reason and remedy before the run dies.

Usage:
  yolotop                   find the training that runs here, or the last one
  yolotop [PATH|-]...       watch logs, run folders, or standard input (-)
  yolotop run -- COMMAND    start a training, keep its log, and watch it
  yolotop check PATH...     read to the end, report, and exit
  yolotop report PATH... -o report.html
                            write one page to send to somebody
  yolotop status [PATH...]  one line for tmux's status bar and prompts
  yolotop hook              print a hook for a training of your own
  yolotop demo              show a sample run; needs no GPU and no network
  yolotop config            show, check and begin the settings; rebind keys
  yolotop formats           list the trainers whose output is read
  yolotop alert             send a test alert
  yolotop doctor            say what of this machine can be watched

Examples:
  yolo train data=coco8.yaml model=yolo11n.pt 2>&1 | yolotop -
  yolotop train.log             a log that is being written, or an old one
  yolotop runs/detect/train     a run folder: results.csv and a log beside it
  set -o pipefail; yolo train ... 2>&1 | yolotop --tee train.log -
                                keeps the log and the trainer's exit status

  2>&1 matters: older trainers write their progress to the error stream.

Watching:
  --wait           wait for a file that does not exist yet
  --format NAME    what the inputs are, whatever they look like
  --poll           look at files by the clock only (network file systems)
  --follow         without a terminal: go on at the end of a file
  --tee FILE       keep what comes through the pipe (an existing file stays)

Alerts, off by default; when a finding becomes critical, a run stalls or ends:
  --bell           ring the terminal's bell
  --notify         show it on the desktop, by the terminal
  --webhook URL    send it there (Slack, Discord, ntfy, or JSON);
                   YOLOTOP_WEBHOOK hides the address from other users
  --alert-command COMMAND
                   run this; it gets YOLOTOP_TITLE and others, and JSON as input

Looks:
  --lang en|zh     language of the texts (default: the locale's)
  --color WHEN     auto, always or never (default auto; NO_COLOR and
                   CLICOLOR_FORCE are respected)
  --ascii          draw with ASCII characters only (default: where the locale
                   is not UTF-8)
  --plain          print lines on a terminal, too, as for a screen reader
  --inline[=LINES] draw where the cursor is, not on the whole terminal

run:
  --log FILE       where all that it prints is kept (an existing file stays;
                   default: yolotop-DATE-TIME.log)
  --hook           count tensors, retries and waits inside of the training

check:
  --json           print one JSON object instead of text
  --redact         leave out folders, users' names and tokens

report:
  -o FILE          what to write: .html, .svg, .png or .md (- with --as FORMAT)
  --force          overwrite an existing file
  --no-redact      keep folders, users' names and tokens

status:
  --width N        cells of the line at most (default 60)
  --tmux           with colours as tmux writes them

config: path, print (what is in force, and from where), validate, init

  Settings also come from ~/.config/yolotop/config.toml (YOLOTOP_CONFIG names
  another file) and from YOLOTOP_LANG, _COLOR, _ASCII, _PLAIN and _POLL.

Other:
  --version        print the version
  --help           print this text

Without a terminal (a pipe, a file, TERM=dumb) yolotop prints plain lines.

Exit status:
  0    fine; for check: nothing graver than a remark
  1    check, status: a warning; doctor: something is not there
  2    check, status: a critical finding; doctor: something is broken
  3    wrong usage, or no training in any input
  130  interrupted
  run gives that of the command (127: not found, 128 and more: a signal)
`
