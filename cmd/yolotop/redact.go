package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"yolotop/diagnose"
	"yolotop/tui"
)

// What does not leave this machine: where things are, who is meant, and what opens doors.
var (
	namedSecret = regexp.MustCompile(`(?i)([\w-]*(?:key|token|secret|passw(?:or)?d|pwd|credential)\w*["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;"']+)`)
	flagSecret  = regexp.MustCompile(`(?i)(--?[\w-]*(?:key|token|secret|passw(?:or)?d|pwd|credential)\w*\s+)([^\s,;"']+)`)
	bearer      = regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[\w.+/=-]{6,}`)
	knownTokens = regexp.MustCompile(`\b(?:hf_|ghp_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|AIza|eyJ)[\w.-]{8,}`)
	longHex     = regexp.MustCompile(`\b[0-9a-fA-F]{32,}\b`)
	mail        = regexp.MustCompile(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
	address     = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b`)
	// An address with its scheme, or the folders of a path, whose names may hold single spaces.
	places = regexp.MustCompile(`\w+://\S+|(?:~|[A-Za-z]:)?(?:[/\\][^/\\\s:;,'"=()]+(?: [^/\\\s:;,'"=()]+)?)*[/\\][^/\\\s:;,'"=()]+(?: [^/\\\s:;,'"=()]+)?[/\\]`)
	scheme = regexp.MustCompile(`^\w+://`)
	// A home folder names its owner, even where nothing follows it.
	home      = regexp.MustCompile(`(?i)([/\\](?:home|users)[/\\]+|~)([\pL_][^/\\\s:;,'"=()]*)`)
	longToken = regexp.MustCompile(`[A-Za-z0-9+_-]{32,}={0,2}`)
	uuid      = regexp.MustCompile(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`)
	// secretName is the name of a setting that opens doors.
	secretName = regexp.MustCompile(`(?i)(?:^|[_.-])(?:api[_-]?key|key|token|secret|passw(?:or)?d|pwd|credentials?|auth)s?$`)
)

// redacted is a text as it may leave this machine.
func redacted(s string) string {
	s = bearer.ReplaceAllString(s, "$1***")
	s = namedSecret.ReplaceAllString(s, "$1***")
	s = flagSecret.ReplaceAllString(s, "$1***")
	s = knownTokens.ReplaceAllString(s, "***")
	s = uuid.ReplaceAllString(s, "***")
	s = longHex.ReplaceAllString(s, "***")
	s = longToken.ReplaceAllStringFunc(s, hiddenToken)
	s = home.ReplaceAllString(s, "$1…")
	s = places.ReplaceAllStringFunc(s, func(place string) string { return scheme.FindString(place) + "…/" })
	s = mail.ReplaceAllString(s, "***")
	return address.ReplaceAllString(s, "***")
}

// hiddenToken hides a long word of random letters: capitals, small ones and digits in turn. The
// name of a run has words in it.
func hiddenToken(s string) string {
	changes, last := 0, 0
	for _, r := range s {
		class := 0
		switch {
		case unicode.IsUpper(r):
			class = 1
		case unicode.IsLower(r):
			class = 2
		case unicode.IsDigit(r):
			class = 3
		}
		if class != last && class != 0 {
			changes++
			last = class
		}
	}
	if changes*3 < len(s) {
		return s
	}
	return "***"
}

// discretion is what a text goes through before it is in a file that is sent to others.
type discretion struct {
	off   bool           // it is kept as it is
	names *regexp.Regexp // of users, which stand in more than paths; nil if none is known
}

// commonNames are users' names that tell nothing, or words of the trade.
const commonNames = " user users root admin ubuntu runner docker public shared data default work train val test yolo model batch epoch "

// newDiscretion learns from home folders and processes who must not be named.
func newDiscretion(s *diagnose.Session, getenv func(string) string, off bool) discretion {
	if off {
		return discretion{off: true}
	}
	var names []string
	learn := func(name string) {
		name = strings.ToLower(name)
		if len(name) > 2 && !strings.Contains(commonNames, " "+name+" ") && !slices.Contains(names, name) && len(names) < 64 {
			names = append(names, name)
		}
	}
	see := func(text string) {
		for _, m := range home.FindAllStringSubmatch(text, 64) {
			if strings.Trim(m[1], `/\~`) != "" {
				learn(m[2])
			}
		}
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		see(getenv(name) + "/")
	}
	for _, in := range s.Inputs() {
		see(in.Name)
	}
	for _, r := range s.Runs() {
		see(r.SaveDir)
		for _, v := range r.Args {
			see(v)
		}
		for _, l := range r.Log {
			see(l.Text)
		}
		for _, g := range r.GPUs {
			for _, p := range g.Sample.Processes {
				learn(p.User)
			}
		}
	}
	if len(names) == 0 {
		return discretion{}
	}
	slices.Sort(names)
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	return discretion{names: regexp.MustCompile(`(?i)(^|[^a-z0-9])(?:` + strings.Join(names, "|") + `)($|[^a-z0-9])`)}
}

// text is one line as it may leave.
func (d discretion) text(s string) string {
	s = tui.Clean(s)
	if d.off || s == "" {
		return s
	}
	return d.unnamed(redacted(s))
}

// line is a line with its end as it may leave.
func (d discretion) line(s string) string {
	if d.off {
		return s
	}
	return d.unnamed(redacted(s))
}

// unnamed hides the names of users. Twice, since neighbours share what stands between them.
func (d discretion) unnamed(s string) string {
	if d.names == nil {
		return s
	}
	return d.names.ReplaceAllString(d.names.ReplaceAllString(s, "$1***$2"), "$1***$2")
}

// lines is a drawing of several lines as it may leave.
func (d discretion) lines(s string) string {
	if d.off {
		return s
	}
	return d.unnamed(s)
}

// setting is the value of a setting as it may leave.
func (d discretion) setting(key, value string) string {
	value = d.text(value)
	if !d.off && value != "" && secretName.MatchString(key) {
		return "***"
	}
	return value
}
