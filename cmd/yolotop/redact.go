package main

import (
	"regexp"
)

// What does not leave this machine: the folders of paths, and what opens doors.
var (
	// An address, or the folders of a path.
	places      = regexp.MustCompile(`(\w+://)(?:[^/\s@]+@)?([^/\s]+)\S*|(?:~|[A-Za-z]:)?(?:[/\\][^/\\\s:;,'"=()]+)+[/\\]`)
	knownTokens = regexp.MustCompile(`\b(?:hf_|ghp_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|AIza)[A-Za-z0-9_\-]{8,}`)
	namedSecret = regexp.MustCompile(`(?i)\b((?:api[_-]?key|token|secret|password|passwd|pwd)\w*\s*[=:]\s*)\S+`)
	longHex     = regexp.MustCompile(`\b[0-9a-fA-F]{32,}\b`)
)

// redacted is a text as it may leave this machine.
func redacted(s string) string {
	s = namedSecret.ReplaceAllString(s, "$1***")
	s = knownTokens.ReplaceAllString(s, "***")
	s = longHex.ReplaceAllString(s, "***")
	return places.ReplaceAllStringFunc(s, func(place string) string {
		if m := places.FindStringSubmatch(place); m[1] != "" { // its path may hold a token
			return m[1] + m[2] + "/…"
		}
		return "…/"
	})
}
