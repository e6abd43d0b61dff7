package main

import (
	"regexp"
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
)

// redacted is a text as it may leave this machine.
func redacted(s string) string {
	s = bearer.ReplaceAllString(s, "$1***")
	s = namedSecret.ReplaceAllString(s, "$1***")
	s = flagSecret.ReplaceAllString(s, "$1***")
	s = knownTokens.ReplaceAllString(s, "***")
	s = longHex.ReplaceAllString(s, "***")
	s = places.ReplaceAllStringFunc(s, func(place string) string { return scheme.FindString(place) + "…/" })
	s = mail.ReplaceAllString(s, "***")
	return address.ReplaceAllString(s, "***")
}
