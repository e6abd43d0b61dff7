package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"yolotop/diagnose"
)

// Exit statuses of run, beside those of the command, as of a shell.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignal        = 128 // and the number of the signal
)

// runOptions say how run starts a training.
type runOptions struct {
	hook    bool   // count in the training itself
	log     string // file for what it prints; empty for a name of its own
	command []string
	lang    diagnose.Lang
	flags   []string // of the viewer
}

// logName is what a log is called that nobody gave a name to.
func logName(now time.Time) string { return now.Format("yolotop-20060102-150405.log") }

func runCommand(env environment, global *globalFlags) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [--log FILE] [--hook] -- COMMAND...",
		Short: "start a training in a terminal of its own and watch it",
		Long: `Starts the command in a terminal of its own, keeps all that it prints in a log, and
shows it. The training outlives the screen: a hangup leaves it alone, and Ctrl-C asks
whether to stop it or to leave it alone. The exit status is the command's. Without a
terminal (cron, Slurm, nohup) plain lines are printed, and signals go to the command. --hook loads a small file into each
Python that the command starts (by PYTHONPATH); yolotop hook prints it.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := global.settings(env, cmd, false)
			if err != nil {
				return err
			}
			if s.plain {
				env.screen = nil
			}
			if len(args) == 0 {
				return errors.New("run needs a command: yolotop run -- yolo train data=coco8.yaml")
			}
			if env.runTraining == nil {
				return errors.New("run is not available on this system; use a pipe: yolo train ... 2>&1 | yolotop -")
			}
			o.lang, o.command = s.lang, args
			o.flags = viewerFlags(cmd)
			if o.log == "" {
				o.log = logName(env.now())
			}
			switch _, err := exec.LookPath(args[0]); {
			case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
				fmt.Fprintf(env.stderr, "yolotop: %s: command not found\n", args[0])
				return statusError(exitNotFound)
			case err != nil && !errors.Is(err, exec.ErrDot):
				fmt.Fprintf(env.stderr, "yolotop: %s: cannot be executed\n", args[0])
				return statusError(exitNotExecutable)
			}
			return env.runTraining(env, o)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().BoolVar(&o.hook, "hook", false, "count what tensors hold, the allocator's retries and the wait for data, in the training itself")
	cmd.Flags().StringVar(&o.log, "log", "", "file for all that the command prints (default: yolotop-DATE-TIME.log)")
	return cmd
}

// viewerFlags are the flags of a command that a viewer takes, too.
func viewerFlags(cmd *cobra.Command) (out []string) {
	for _, name := range append([]string{"lang", "format", "color", "ascii", "plain", "inline"}, alertFlags...) {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			out = append(out, "--"+name+"="+f.Value.String())
		}
	}
	return out
}

// holdCommand is the process that holds a training which run has started.
func holdCommand(env environment) *cobra.Command {
	hook := ""
	cmd := &cobra.Command{
		Use:    "hold -- COMMAND...",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if env.hold == nil {
				return errors.New("hold is for yolotop itself")
			}
			return env.hold(env, hook, args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&hook, "hook-folder", "", "where the hook was laid, to be removed at the end")
	return cmd
}
