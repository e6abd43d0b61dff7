package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

func formatsCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "list the trainers whose output is read, with what each shows",
		Long: `Lists what can be read. A stream tells by itself which it is; --format NAME says it
where it does not. Formats of your own come from the configuration file,
$XDG_CONFIG_HOME/yolotop/config.toml, ~/.config/yolotop/config.toml as a rule.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := globalFlags{}.settings(env, cmd, false)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(env.stdout, s.looks(env).dress(formats(s.lang, s.grammar)))
			return err
		},
	}
}

// formats is the list of formats in a language.
func formats(lang diagnose.Lang, grammar parse.Grammar) string {
	wide := 0
	for _, name := range grammar.Names() {
		wide = max(wide, ansi.StringWidth(name))
	}
	var b strings.Builder
	for _, name := range grammar.Names() {
		about := diagnose.Say("format.own").In(lang)
		if !slices.Contains(grammar.Own(), name) {
			about = diagnose.Say(diagnose.Key("format." + name)).In(lang)
		}
		fmt.Fprintf(&b, "%s%s  %s\n", name, strings.Repeat(" ", wide-ansi.StringWidth(name)), about)
	}
	return b.String()
}

// inGrammar says of all inputs what they may be in.
func inGrammar(targets []sources.Target, grammar parse.Grammar) {
	for i := range targets {
		targets[i].Grammar = grammar
	}
}
