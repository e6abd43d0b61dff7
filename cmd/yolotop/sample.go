package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"yolotop/sources"
)

// sampleEvery is how often the devices are kept beside a log.
const sampleEvery = 5 * time.Second

// sampleCommand is the process that keeps what the devices do beside a log, until whoever started it
// has ended.
func sampleCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:    "sample",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if env.typed {
				return errors.New("sample is for yolotop itself")
			}
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			go func() {
				_, _ = io.Copy(io.Discard, env.stdin)
				stop()
			}()
			err := sources.RecordSamples(ctx, env.stdout, sources.NewNVIDIA(sources.NVIDIAOptions{}), sampleEvery, env.now)
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		},
	}
}
