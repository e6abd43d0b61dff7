package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

// checkOptions are the flags of check.
type checkOptions struct {
	json    bool
	redact  bool // leave folders, users' names and tokens out
	lang    diagnose.Lang
	grammar parse.Grammar // what the inputs may be in
	looks   lineLooks
}

// check reads every input to its end and reports. The exit status says how grave
// the gravest active finding is.
func check(env environment, paths []string, o checkOptions) (int, error) {
	if o.redact && o.json {
		return exitUsage, errors.New("--redact is for text, not for --json")
	}
	session, err := readAll(env, paths, o.grammar, o.lang)
	if err != nil {
		return exitUsage, err
	}
	if o.json {
		r := reportOf(session, o.lang)
		enc := json.NewEncoder(env.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		err = enc.Encode(r)
	} else {
		hide := newDiscretion(session, env.getenv, !o.redact)
		err = writeReport(env.stdout, session, o.lang, o.looks, hide.line)
	}
	return gravest(session), err
}

// readAll reads every input to its end. It is an error if there is no training in any.
func readAll(env environment, paths []string, grammar parse.Grammar, lang diagnose.Lang) (*diagnose.Session, error) {
	targets, err := expandAll(env, paths)
	if err != nil {
		return nil, err
	}
	inGrammar(targets, grammar)
	session := diagnose.NewSession(sessionInputs(targets)...)
	session.Compare(besides(targets)...)
	events := 0
	count := func(e parse.Event) {
		switch e.Record.(type) {
		case *parse.Text, *parse.Dated: // any log has those
		default:
			events++
		}
		session.Observe(e)
	}
	var silent []string
	for i, t := range targets {
		before := events
		if err := readTarget(env, t, i, count); err != nil {
			return nil, err
		}
		session.Observe(parse.Event{Origin: parse.Origin{Input: i}, Record: &parse.SourceState{Name: t.Path, Status: parse.SourceEnded}})
		if events == before {
			silent = append(silent, t.Path)
		}
	}
	if events == 0 {
		tried := strings.Join(grammar.Names(), ", ")
		return nil, fmt.Errorf("%s: no training in it: %s", strings.Join(silent, ", "), diagnose.Say("check.unknown", tried).In(lang))
	}
	for _, name := range silent {
		fmt.Fprintf(env.stderr, "yolotop: %s: no training in it\n", name)
	}
	return session, nil
}

// gravest is the exit status for the gravest active finding of all runs.
func gravest(s *diagnose.Session) int {
	status := exitOK
	for _, run := range s.Runs() {
		if f := run.Gravest(); f != nil {
			status = max(status, int(f.Level))
		}
	}
	return status
}

// standardInput is the path that means standard input.
const standardInput = "-"

// expandAll turns arguments into inputs: a folder into the files of its run.
func expandAll(env environment, paths []string) ([]sources.Target, error) {
	var all []sources.Target
	seen := map[string]bool{}
	for _, p := range paths {
		if p == standardInput {
			switch {
			case seen[p]:
				return nil, fmt.Errorf("standard input was given twice")
			case env.typed:
				return nil, fmt.Errorf("nothing is piped in; write: yolo train ... 2>&1 | yolotop -")
			}
			seen[p] = true
			all = append(all, sources.Target{Path: p})
			continue
		}
		targets, err := sources.Expand(p)
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			if !seen[t.Path] {
				seen[t.Path] = true
				all = append(all, t)
			}
		}
	}
	return all, nil
}

func sessionInputs(targets []sources.Target) []diagnose.Input {
	inputs := make([]diagnose.Input, len(targets))
	for i, t := range targets {
		inputs[i] = diagnose.Input{Name: t.Path, Group: t.Group}
		if t.Path == standardInput {
			inputs[i].Name = diagnose.StandardInput
		}
	}
	return inputs
}

func readTarget(env environment, t sources.Target, input int, emit func(parse.Event)) error {
	if t.Path == standardInput {
		return sources.ReadFrom(env.stdin, "standard input", t.Grammar, input, emit)
	}
	return sources.Read(t, input, emit)
}

// writeReport writes what check found for people: a verdict a run, then each
// finding with its reason and its remedies.
func writeReport(w io.Writer, s *diagnose.Session, lang diagnose.Lang, l lineLooks, hide func(string) string) error {
	var b strings.Builder
	for _, run := range s.Runs() {
		if run.Known {
			writeRun(&b, run, s.Inputs(), lang)
		}
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, l.dress(hide(line))); err != nil {
			return err
		}
	}
	return nil
}
