package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"yolotop/diagnose"
)

// webhookVariable holds the address of a webhook, which a command line would show to everybody.
const webhookVariable = "YOLOTOP_WEBHOOK"

// registerAlerts makes the flags that go before the configuration file.
func registerAlerts(f *pflag.FlagSet) {
	f.Bool("bell", false, "ring the terminal's bell for an alert")
	f.Bool("notify", false, "show an alert on the desktop, by the terminal")
	f.String("webhook", "", "send alerts to this address (or set YOLOTOP_WEBHOOK)")
	f.String("alert-command", "", "run this command for an alert")
}

// alertFlags are the names of those flags.
var alertFlags = []string{"bell", "notify", "webhook", "alert-command"}

func alertCommandLine(env environment, global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "alert",
		Short: "send a test alert by each way that is configured",
		Long: `Sends a test alert by each way that flags, YOLOTOP_WEBHOOK and the configuration
name, and says what came of it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := global.settings(env, cmd, false)
			if err != nil {
				return err
			}
			var ring func(string)
			if env.screen != nil {
				ring = func(s string) { _, _ = io.WriteString(env.stdout, s) }
			}
			ways, err := s.alerts.ways(env.getenv, ring)
			if err != nil {
				return err
			}
			if len(ways) == 0 {
				return errors.New("no way to send an alert is configured: --bell, --notify, --webhook, --alert-command, or [alerts] in the configuration")
			}
			return testWays(cmd.Context(), env, ways, s.lang)
		},
	}
}

// testWays sends a test alert and says by which way it went.
func testWays(ctx context.Context, env environment, ways []way, lang diagnose.Lang) error {
	status := error(nil)
	test := alert{Event: alertTest, Run: "train.log", Host: hostName(), Title: diagnose.Say("alert.test").In(lang), Time: env.now()}
	for _, w := range ways {
		ctx, cancel := context.WithTimeout(ctx, alertCommand)
		err := guardedError(func() error { return w.send(ctx, test) })
		cancel()
		if err != nil {
			fmt.Fprintf(env.stdout, "%s: %v\n", w.name, err)
			status = statusError(exitWarning)
			continue
		}
		fmt.Fprintf(env.stdout, "%s: %s\n", w.name, diagnose.Say("alert.sent").In(lang))
	}
	return status
}

// hostName is this machine's name; empty if it has none.
func hostName() string {
	name, _ := os.Hostname()
	return name
}
