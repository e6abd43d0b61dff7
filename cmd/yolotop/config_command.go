package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func configCommand(env environment, global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "show, check and begin the configuration file",
		Long: `Shows, checks and begins the configuration file. It is YOLOTOP_CONFIG, else
$XDG_CONFIG_HOME/yolotop/config.toml, ~/.config/yolotop/config.toml as a rule. Flags
go before the environment, the environment before the file, the file before what
is so as a rule.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("config what? path, print, validate or init")
		},
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "path", Short: "print where the file is, or would be", Args: cobra.NoArgs,
			Long: "Prints where the configuration file is, whether it exists or not.",
			RunE: func(*cobra.Command, []string) error {
				path, err := configFile(env)
				if err == nil {
					_, err = fmt.Fprintln(env.stdout, path)
				}
				return err
			},
		},
		&cobra.Command{
			Use: "print", Short: "print the settings in force, and where each comes from", Args: cobra.NoArgs,
			Long: `Prints the settings in force as a configuration file, each with where it comes from: a
flag, a variable of the environment, a line of the file, or default. The address of
a webhook is not shown.`,
			RunE: func(cmd *cobra.Command, _ []string) error {
				s, err := global.settings(env, cmd, false)
				if err != nil {
					return err
				}
				text, err := s.print()
				if err == nil {
					_, err = fmt.Fprint(env.stdout, text)
				}
				return err
			},
		},
		&cobra.Command{
			Use: "validate [FILE]", Short: "check a file", Args: cobra.MaximumNArgs(1),
			Long: `Checks a configuration file, the one that is in force if none is named. The exit
status is 0 if it can be used, and 3 with a line that says where and what if not.`,
			RunE: func(_ *cobra.Command, args []string) error { return validateConfig(env, args) },
		},
		&cobra.Command{
			Use: "init", Short: "write a file with every setting, commented out", Args: cobra.NoArgs,
			Long: `Writes a configuration file with every setting as it is by default, commented out,
and why it is so. One that exists is never touched.`,
			RunE: func(*cobra.Command, []string) error { return initConfig(env) },
		},
	)
	return cmd
}

// configFile is where the configuration file is, or would be.
func configFile(env environment) (string, error) {
	path := configPath(env.getenv)
	if path == "" {
		return "", errors.New("the environment does not tell where a configuration would be: set YOLOTOP_CONFIG")
	}
	return path, nil
}

// validateConfig checks a file for itself, without flags and environment.
func validateConfig(env environment, args []string) error {
	path := ""
	if len(args) > 0 {
		path = args[0]
	} else {
		var err error
		if path, err = configFile(env); err != nil {
			return err
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && env.getenv(configVariable) == "" {
			fmt.Fprintf(env.stdout, "%s: there is none, all is as a rule\n", path)
			return nil
		}
	}
	alone := env
	alone.getenv = func(name string) string {
		if name == configVariable {
			return path
		}
		return ""
	}
	if _, err := (globalFlags{}).settings(alone, &cobra.Command{}, false); err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "%s: can be used\n", path)
	return nil
}

// initConfig writes the file that configTemplate makes.
func initConfig(env environment) error {
	path, err := configFile(env)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("a folder for the configuration: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: exists already, and is not touched", path)
	}
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	_, err = f.WriteString(configTemplate())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	fmt.Fprintln(env.stdout, path)
	return nil
}
