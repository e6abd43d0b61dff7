package main

import (
	"runtime"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"yolotop/tui"
)

// lineLooks are how lines for people are printed where there is no screen.
type lineLooks struct{ color, ascii bool }

// colored reports whether lines have colours: as somebody says, and if nobody does, on a terminal.
func colored(when string, env environment) bool {
	force := env.getenv("CLICOLOR_FORCE")
	switch {
	case when == "always", when == "never":
		return when == "always"
	case env.getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return env.screen != nil
}

// asciiLocale reports whether the locale says that letters are not in UTF-8. One that is not set
// is POSIX's, which is ASCII; Windows has none.
func asciiLocale(getenv func(string) string) bool {
	_, utf8 := localeOf(getenv)
	return !utf8 && runtime.GOOS != "windows"
}

// noLocale reports whether nothing says what letters are in. POSIX takes that for ASCII, but it is
// how most containers are, on terminals that know better: where there is one it is asked.
func noLocale(getenv func(string) string) bool {
	name, _ := localeOf(getenv)
	return name == ""
}

// dress makes lines look so. A line that begins with a sign has the sign's colour.
func (l lineLooks) dress(text string) string {
	if !l.color && !l.ascii {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		sign, rest, ok := strings.Cut(line, " ")
		color, signed := map[string]ansi.Color{"·": ansi.Cyan, "✓": ansi.Green, "!": ansi.Yellow, "×": ansi.Red}[sign]
		if l.ascii && ok && sign == "✓" {
			line = "ok " + rest
		}
		if l.ascii {
			line = tui.ASCII(line)
		}
		if l.color && ok && signed {
			line = ansi.Style{}.Bold().ForegroundColor(color).Styled(line)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
