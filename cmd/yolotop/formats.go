package main

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

func formatsCommand(env environment, global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "list the trainers whose output is read, with what each shows",
		Long: `Lists what can be read. A stream tells by itself which it is; --format NAME says it
where it does not.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			lang, err := global.language(env)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(env.stdout, formats(lang))
			return err
		},
	}
}

// formats is the list of formats in a language.
func formats(lang diagnose.Lang) string {
	wide := 0
	for _, name := range parse.Formats() {
		wide = max(wide, ansi.StringWidth(name))
	}
	var b strings.Builder
	for _, name := range parse.Formats() {
		about := diagnose.Say(diagnose.Key("format." + name)).In(lang)
		fmt.Fprintf(&b, "%s%s  %s\n", name, strings.Repeat(" ", wide-ansi.StringWidth(name)), about)
	}
	return b.String()
}

// inFormat says of all inputs that they are in a format; empty leaves it to them.
func inFormat(targets []sources.Target, format string) {
	for i := range targets {
		targets[i].Format = format
	}
}
