package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestColorsOfLines promises that lines have colours where somebody wants them: a flag before
// NO_COLOR before CLICOLOR_FORCE before what is drawn on.
func TestColorsOfLines(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "train.log")
	if err := os.WriteFile(log, []byte(liveLog), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		vars map[string]string
		args string
		want bool
	}{
		{nil, "", false},
		{nil, "--color always", true},
		{map[string]string{"NO_COLOR": "1"}, "--color always", true},
		{map[string]string{"CLICOLOR_FORCE": "1"}, "", true},
		{map[string]string{"CLICOLOR_FORCE": "0"}, "", false},
		{map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, "", false},
		{map[string]string{"CLICOLOR_FORCE": "1"}, "--color never", false},
		{map[string]string{"YOLOTOP_COLOR": "always"}, "", true},
	} {
		for _, command := range []string{"check", ""} {
			args := append(strings.Fields(command+" "+c.args), log)
			got := commandIn(t, c.vars, strings.NewReader(""), args...)
			if colored := strings.Contains(got.stdout, "\x1b["); colored != c.want || got.stdout == "" {
				t.Errorf("%v %v: colours: %v\n%s", c.vars, args, colored, got.stdout)
			}
		}
		if got := commandIn(t, c.vars, strings.NewReader(""), append(strings.Fields("check --json "+c.args), log)...); strings.Contains(got.stdout, "\x1b") {
			t.Error("JSON has colours")
		}
	}
	for _, c := range []struct {
		when string
		env  environment
		want bool
	}{
		{"auto", environment{screen: &terminal{}}, true},
		{"never", environment{screen: &terminal{}}, false},
	} {
		c.env.getenv = func(string) string { return "" }
		if got := colored(c.when, c.env); got != c.want {
			t.Errorf("%s on a terminal: %v", c.when, got)
		}
	}
}

// TestASCIIOfLines promises lines of ASCII where the locale is no UTF-8 one.
func TestASCIIOfLines(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no locales in the environment")
	}
	log := filepath.Join(t.TempDir(), "train.log")
	if err := os.WriteFile(log, []byte(liveLog), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		vars map[string]string
		args string
		want bool
	}{
		{map[string]string{"LANG": "en_US.UTF-8"}, "", false},
		{map[string]string{"LANG": "de_DE.utf8"}, "", false},
		{map[string]string{"LANG": ""}, "", true},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "C"}, "", true},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, "", false},
		{map[string]string{"LANG": "POSIX"}, "", true},
		{map[string]string{"LANG": "en_US.ISO-8859-1"}, "--ascii=false", false},
		{map[string]string{"LANG": "C.UTF-8"}, "--ascii", true},
		{map[string]string{"LANG": "C", "YOLOTOP_ASCII": "false"}, "", false},
	} {
		for _, command := range []string{"check", ""} {
			args := append(strings.Fields(command+" "+c.args), log)
			got := commandIn(t, c.vars, strings.NewReader(""), args...)
			ascii := strings.IndexFunc(got.stdout, func(r rune) bool { return r > '~' }) < 0
			if ascii != c.want || got.stdout == "" {
				t.Errorf("%v %v: ASCII: %v\n%s", c.vars, args, ascii, got.stdout)
			}
		}
	}
}

// TestDress promises signs that can be told apart, with and without colours.
func TestDress(t *testing.T) {
	t.Parallel()
	const text = "✓ fine · 2 GiB\n! tight\n× oom\n· a remark\n  ! no sign\n3/10  1.2\n"
	for want, l := range map[string]lineLooks{
		text: {},
		"ok fine | 2 GiB\n! tight\nx oom\n- a remark\n  ! no sign\n3/10  1.2\n":                                                                {ascii: true},
		"\x1b[1;32m✓ fine · 2 GiB\x1b[m\n\x1b[1;33m! tight\x1b[m\n\x1b[1;31m× oom\x1b[m\n\x1b[1;36m· a remark\x1b[m\n  ! no sign\n3/10  1.2\n": {color: true},
	} {
		if got := l.dress(text); got != want {
			t.Errorf("%+v: %q, want %q", l, got, want)
		}
	}
}

// TestProbes promises that a terminal is asked about its lines in East Asian locales, where no locale
// tells, and where somebody wants it.
func TestProbes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vars map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "en_US.UTF-8"}, false},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, true},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, false},
		{map[string]string{"LC_CTYPE": "ja_JP.UTF-8"}, true},
		{map[string]string{"LANG": "en_US.UTF-8", probeVariable: "1"}, true},
		{map[string]string{"LANG": "C.UTF-8", probeVariable: "0"}, false},
	} {
		if got := probes(func(k string) string { return c.vars[k] }); got != c.want {
			t.Errorf("%v: %v", c.vars, got)
		}
	}
}
