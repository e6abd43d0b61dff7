package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"yolotop/diagnose"
	"yolotop/sources"
)

// demoLog is a training in the form in which Ultralytics prints one. Its run dies of
// a dense batch, which is announced many epochs before.
//
//go:generate sh -c "go run yolotop/cmd/mkdemo > demo.log.gz"
//go:embed demo.log.gz
var demoLog []byte

// demoSpeed plays the log's seven minutes in about half a minute.
const demoSpeed = 15

func demoCommand(env environment, global *globalFlags, watch *watchOptions) *cobra.Command {
	speed := float64(demoSpeed)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "show a sample run; needs no GPU and no network",
		Long: `Plays the log of a sample run on the screen, faster than it was: healthy at first,
then without a margin, then dead of a dense batch, with the reason and the remedy.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := global.settings(env, cmd, false)
			if err != nil {
				return err
			}
			o := *watch
			o.take(env, s)
			if s.plain {
				env.screen = nil
			}
			data, err := unpack(demoLog)
			if err != nil {
				return err
			}
			const name = "demo"
			w := &watcher{
				env: env, options: o, pace: demoEvery, sample: true,
				session: diagnose.NewSession(diagnose.Input{Name: name}),
				sources: []sources.Source{sources.NewReplay(name, data, 0, speed)},
			}
			return w.run(cmd.Context())
		},
	}
	cmd.Flags().Float64Var(&speed, "speed", speed, "how many times faster than the log; 0 is as fast as possible")
	return cmd
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("demo log: %w", err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("demo log: %w", err)
	}
	return data, nil
}
