package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/tui"
)

// preference is something that a person may set: by a flag, else by a variable of the environment,
// else in the configuration file.
type preference struct {
	name     string // in the file, with its table
	flag     string // empty if there is none
	variable string // of the environment; empty if there is none
	fallback string // as TOML writes it; what it is if nobody says anything
	about    string // what it is and why it is as it is, a line or more
	allowed  string // values, for people; empty for any
	ok       func(string) bool
	inFile   func(config) string
}

// settingsTable is all settings but keys and formats, in the order of the file: what stands in a
// table comes last.
func settingsTable() []preference {
	const truth = "true and false"
	isBool := func(s string) bool { _, err := strconv.ParseBool(s); return err == nil }
	anything := func(string) bool { return true }
	return []preference{
		{
			name: "lang", flag: "lang", variable: "YOLOTOP_LANG", fallback: `"en"`, allowed: "en and zh",
			about:  "Language of the texts: \"en\" or \"zh\". Unset, it is that of the locale\n(LC_ALL, LC_MESSAGES, LANG).",
			ok:     func(s string) bool { _, ok := diagnose.ParseLang(s); return ok },
			inFile: func(c config) string { return c.Lang },
		},
		{
			name: "color", flag: "color", variable: "YOLOTOP_COLOR", fallback: `"auto"`, allowed: "auto, always and never",
			about:  "\"auto\", \"always\" or \"never\". auto is: on a terminal, unless NO_COLOR is set,\nand anywhere if CLICOLOR_FORCE is. Nothing is said by colour alone.",
			ok:     func(s string) bool { return slices.Contains([]string{"auto", "always", "never"}, s) },
			inFile: func(c config) string { return c.Color },
		},
		{
			name: "ascii", flag: "ascii", variable: "YOLOTOP_ASCII", fallback: "false", allowed: truth,
			about: "Draw with ASCII characters only. Unset, it is true where the locale's letters are\nnot in UTF-8, and where the terminal draws lines two cells wide.",
			ok:    isBool, inFile: func(c config) string { return strconv.FormatBool(c.ASCII) },
		},
		{
			name: "plain", flag: "plain", variable: "YOLOTOP_PLAIN", fallback: "false", allowed: truth,
			about: "Print lines instead of drawing a screen, on a terminal, too: for screen readers.",
			ok:    isBool, inFile: func(c config) string { return strconv.FormatBool(c.Plain) },
		},
		{
			name: "mouse", fallback: "false", allowed: truth,
			about: "The mouse is on from the start. Off, the terminal selects text as usual.",
			ok:    isBool, inFile: func(c config) string { return strconv.FormatBool(c.Mouse) },
		},
		{
			name: "poll", flag: "poll", variable: "YOLOTOP_POLL", fallback: "false", allowed: truth,
			about: "Look at files by the clock only: the kernel's notices do not tell what another\nmachine writes to a network file system. It costs a look a second.",
			ok:    isBool, inFile: func(c config) string { return strconv.FormatBool(c.Poll) },
		},
		{
			name: "alerts.bell", flag: "bell", fallback: "false", allowed: truth,
			about: "Ring the terminal's bell. All ways are off until you want one.",
			ok:    isBool, inFile: func(c config) string { return strconv.FormatBool(c.Alerts.Bell) },
		},
		{
			name: "alerts.desktop", flag: "notify", fallback: "false", allowed: truth,
			about: "Show it on the desktop, by the terminal. Inside tmux this needs\n\"set -g allow-passthrough on\".",
			ok:    isBool, inFile: func(c config) string { return strconv.FormatBool(c.Alerts.Desktop) },
		},
		{
			name: "alerts.webhook", flag: "webhook", variable: webhookVariable, fallback: `""`,
			about: "Send it to this address: Slack, Discord, ntfy, or anything that takes JSON.\nWhoever knows it can write there: keep this file to yourself.",
			ok:    anything, inFile: func(c config) string { return c.Alerts.Webhook },
		},
		{
			name: "alerts.shape", fallback: `""`, allowed: "json, slack, discord and ntfy",
			about:  "What the webhook gets: \"json\", \"slack\", \"discord\" or \"ntfy\". Empty, its address\ntells.",
			ok:     func(s string) bool { return slices.Contains([]string{"", "json", "slack", "discord", "ntfy"}, s) },
			inFile: func(c config) string { return c.Alerts.Shape },
		},
		{
			name: "alerts.command", flag: "alert-command", fallback: `""`,
			about: "Run this; it gets YOLOTOP_TITLE and others, and JSON as its input.",
			ok:    anything, inFile: func(c config) string { return c.Alerts.Command },
		},
	}
}

// settings are what is in force for a command.
type settings struct {
	lang         diagnose.Lang
	color        string // auto, always, never
	ascii        bool
	plain, mouse bool
	poll         bool
	alerts       alertConfig
	keys         map[string][]string // by action
	grammar      parse.Grammar
	file         config
	given        map[string]given // what somebody said, by name
}

// given is a value and who said it: a flag, a variable, a line of a file.
type given struct{ value, by string }

// looks are how lines are printed with these settings.
func (s settings) looks(env environment) lineLooks {
	return lineLooks{color: colored(s.color, env), ascii: s.ascii}
}

// settings finds out what is in force for a command. lenient is for a command into whose pipe a
// training writes, which must not end for a mistake in a file: what is wrong is said and left out.
func (g globalFlags) settings(env environment, cmd *cobra.Command, lenient bool) (settings, error) {
	tolerate := func(err error, without string) error {
		if err == nil || !lenient {
			return err
		}
		if env.kept == nil { // else whoever keeps the pipe has said it
			fmt.Fprintf(env.stderr, "yolotop: %v; going on without %s\n", err, without)
		}
		return nil
	}
	s := settings{color: "auto", ascii: asciiLocale(env.getenv) && (env.screen == nil || !noLocale(env.getenv)), given: map[string]given{}}
	var err error
	if s.file, err = configuration(env.getenv); err != nil {
		if err := tolerate(err, "it"); err != nil {
			return s, err
		}
		s.file = config{}
	}
	for _, one := range settingsTable() {
		v, ok := one.said(env, cmd, s.file)
		if !ok {
			continue
		}
		if !one.ok(v.value) {
			err := fmt.Errorf("%s: not known; %s are", one.wrong(v), one.allowed)
			if strings.HasPrefix(v.by, "--") {
				return s, err
			}
			if err := tolerate(err, "it"); err != nil {
				return s, err
			}
			continue
		}
		s.given[one.name] = v
	}
	s.take(env.getenv)
	if s.keys, err = s.file.keys(); tolerate(err, "it") != nil {
		return s, err
	}
	if s.grammar, err = s.file.grammar(); tolerate(err, "it") != nil {
		return s, err
	}
	if g.format != "" {
		only, ok := s.grammar.Only(g.format)
		if !ok {
			return s, fmt.Errorf("--format %s: not known; yolotop formats lists them", g.format)
		}
		s.grammar = only
	}
	if _, err := s.alerts.ways(env.getenv, nil); err != nil {
		if tolerate(err, "alerts") != nil {
			return s, err
		}
		s.alerts = alertConfig{}
	}
	return s, nil
}

// said is what somebody said of a setting.
func (one preference) said(env environment, cmd *cobra.Command, file config) (given, bool) {
	if f := cmd.Flags().Lookup(one.flag); one.flag != "" && f != nil && f.Changed {
		return given{f.Value.String(), "--" + one.flag}, true
	}
	if one.variable != "" {
		if v := env.getenv(one.variable); v != "" {
			return given{v, one.variable}, true
		}
	}
	if file.lines[one.name] > 0 {
		return given{one.inFile(file), file.at(one.name)}, true
	}
	return given{}, false
}

// wrong is a value that cannot be, as it was said.
func (one preference) wrong(v given) string {
	switch {
	case strings.HasPrefix(v.by, "--"):
		return v.by + " " + v.value
	case v.by == one.variable:
		return v.by + "=" + v.value
	}
	return fmt.Sprintf("%s: %s = %q", v.by, one.name, v.value)
}

// take takes what was said.
func (s *settings) take(getenv func(string) string) {
	text := func(name string, to *string) {
		if v, ok := s.given[name]; ok {
			*to = v.value
		}
	}
	truth := func(name string, to *bool) {
		if v, ok := s.given[name]; ok {
			*to, _ = strconv.ParseBool(v.value)
		}
	}
	lang := ""
	for _, name := range []string{"LANG", "LC_MESSAGES", "LC_ALL"} { // the last one that is set counts
		if v := getenv(name); v != "" {
			lang = v
		}
	}
	text("lang", &lang)
	s.lang, _ = diagnose.ParseLang(lang)
	text("color", &s.color)
	truth("ascii", &s.ascii)
	truth("plain", &s.plain)
	truth("mouse", &s.mouse)
	truth("poll", &s.poll)
	truth("alerts.bell", &s.alerts.Bell)
	truth("alerts.desktop", &s.alerts.Desktop)
	text("alerts.webhook", &s.alerts.Webhook)
	text("alerts.shape", &s.alerts.Shape)
	text("alerts.command", &s.alerts.Command)
}

// keys are the keys that the file binds, by action.
func (c config) keys() (map[string][]string, error) {
	out := map[string][]string{}
	for action, value := range c.Keys {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		out[action] = []string{}
		for _, one := range list {
			key, ok := one.(string)
			if !ok {
				return nil, fmt.Errorf("%s: keys.%s: a key is a text, such as \"q\", or a list of them", c.at("keys."+action), action)
			}
			out[action] = append(out[action], key)
		}
	}
	err := tui.CheckKeys(out)
	var wrong *tui.KeyError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s: keys.%w", c.at("keys."+wrong.Action), wrong)
	}
	return out, err
}
