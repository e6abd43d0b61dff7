package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"yolotop/tui"
)

// settingsIn runs a command with a configuration file and an environment. The file's folder is
// the result's second value.
func settingsIn(t *testing.T, file string, vars map[string]string, stdin string, args ...string) (outcome, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{configVariable: path}
	for name, v := range vars {
		all[name] = v
	}
	return commandIn(t, all, strings.NewReader(stdin), args...), path
}

// TestSettingsOrder promises that flags go before the environment, the environment before the
// file, and the file before what is so as a rule, and that config print says which it was.
func TestSettingsOrder(t *testing.T) {
	t.Parallel()
	const file = "\ncolor = \"never\"\npoll = true\nalerts.bell = true\n[keys]\nquit = [\"X\", \"ctrl-q\"]\n"
	for _, c := range []struct {
		vars map[string]string
		args string
		want []string
	}{
		{nil, "", []string{`color = "never" # @:2`, "poll = true # @:3", "bell = true # @:4", `quit = ["X", "ctrl-q"] # @:6`, `lang = "en" # default, by the locale`, `help = ["?", "h", "f1"] # default`, "plain = false # default"}},
		{map[string]string{"YOLOTOP_COLOR": "always", "YOLOTOP_POLL": "0"}, "", []string{`color = "always" # YOLOTOP_COLOR`, "poll = false # YOLOTOP_POLL"}},
		{map[string]string{"YOLOTOP_COLOR": "always", "YOLOTOP_LANG": "zh"}, "--color auto --bell=false", []string{`color = "auto" # --color`, "bell = false # --bell", `lang = "zh" # YOLOTOP_LANG`}},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, "", []string{`lang = "zh" # default, by the locale`, "ascii = false # default, by the locale"}},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C", "YOLOTOP_PLAIN": "1"}, "", []string{`lang = "en" # default, by the locale`, "plain = true # YOLOTOP_PLAIN"}},
		{map[string]string{webhookVariable: "https://ntfy.sh/secret"}, "", []string{"webhook = \"https://…/\" # YOLOTOP_WEBHOOK"}},
	} {
		got, path := settingsIn(t, file, c.vars, "", append([]string{"config", "print"}, strings.Fields(c.args)...)...)
		for _, want := range c.want {
			if want = strings.ReplaceAll(want, "@", path); !strings.Contains("\n"+got.stdout, "\n"+want+"\n") {
				t.Errorf("%v %s: no %q:\n%s%s", c.vars, c.args, want, got.stdout, got.stderr)
			}
		}
		if strings.Contains(got.stdout, "secret") {
			t.Error("the address of a webhook is shown")
		}
		if again, _ := settingsIn(t, got.stdout, nil, "", "config", "validate"); again.status != exitOK {
			t.Errorf("what config print prints cannot be used: %s\n%s", again.stderr, got.stdout)
		}
	}
}

// TestSettingsMistakes promises one line that says where a setting is wrong and what is allowed,
// and that a training which writes into our pipe goes on.
func TestSettingsMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		vars map[string]string
		want string
	}{
		{"\nlang = \"fr\"\n", nil, `@:2: lang = "fr": not known; en and zh are`},
		{"color = \"blue\"\n", nil, `@:1: color = "blue": not known; auto, always and never are`},
		{"ascii = 3\n", nil, "@:1:9: "},
		{"colour = \"auto\"\n", nil, "@:1: no such key: colour"},
		{"[alerts]\nshape = \"fax\"\n", nil, `@:2: alerts.shape = "fax": not known; json, slack, discord and ntfy are`},
		{"[alerts]\nwebhook = \"nowhere\"\n", nil, "webhook: not an address"},
		{"[keys]\n\nfly = \"x\"\n", nil, "@:3: keys.fly: no such action"},
		{"[keys]\nquit = []\n", nil, "@:2: keys.quit: it has no key left"},
		{"[keys]\nquit = 7\n", nil, "@:2: keys.quit: a key is a text"},
		{"keys = { quit = \"foo\" }\n", nil, `@:1: keys.quit: "foo" is no key`},
		{"", map[string]string{"YOLOTOP_POLL": "often"}, "YOLOTOP_POLL=often: not known; true and false are"},
		{"", map[string]string{"YOLOTOP_LANG": "fr"}, "YOLOTOP_LANG=fr: not known; en and zh are"},
		{"", map[string]string{configVariable: "/nowhere/x.toml"}, "YOLOTOP_CONFIG=/nowhere/x.toml: no such file"},
	} {
		got, path := settingsIn(t, c.file, c.vars, "", "check", "x.log")
		want := "yolotop: " + strings.ReplaceAll(c.want, "@", path)
		if got.status != exitUsage || !strings.Contains(got.stderr, strings.TrimPrefix(want, "yolotop: ")) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q %v: status %d, %q, want %q", c.file, c.vars, got.status, got.stderr, want)
		}
		got, _ = settingsIn(t, c.file, c.vars, liveLog, "-")
		if !strings.Contains(got.stderr, "going on without") || !strings.Contains(got.stdout, "2/10") {
			t.Errorf("%q %v ends a training: status %d, %q, %q", c.file, c.vars, got.status, got.stderr, got.stdout)
		}
	}
	if got := command(t, "--color", "blue", "x.log"); got.status != exitUsage || got.stderr != "yolotop: --color blue: not known; auto, always and never are\n" {
		t.Errorf("%+v", got)
	}
	if got := command(t, "check", "--lang", "fr", "x.log"); got.status != exitUsage || got.stderr != "yolotop: --lang fr: not known; en and zh are\n" {
		t.Errorf("%+v", got)
	}
}

// TestConfigInit promises a file that can be used as it is and with each of its lines, that only
// its owner may read, and that nothing is overwritten.
func TestConfigInit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := map[string]string{"XDG_CONFIG_HOME": dir}
	in := func(args ...string) outcome { return commandIn(t, vars, strings.NewReader(""), args...) }
	path := filepath.Join(dir, "yolotop", "config.toml")
	if got := in("config", "path"); got.stdout != path+"\n" {
		t.Errorf("%+v", got)
	}
	if got := in("config", "validate"); got.status != exitOK || !strings.Contains(got.stdout, "there is none") {
		t.Errorf("%+v", got)
	}
	if got := in("config", "init"); got.status != exitOK || got.stdout != path+"\n" {
		t.Fatalf("%+v", got)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if got := in("config", "init"); got.status != exitUsage || !strings.Contains(got.stderr, "is not touched") {
		t.Errorf("%+v", got)
	}
	if got := in("config", "validate"); got.status != exitOK || got.stdout != path+": can be used\n" {
		t.Errorf("%+v", got)
	}
	text := configTemplate()
	line := regexp.MustCompile(`(?m)^#(\S.* = .*)$`)
	lines := line.FindAllString(text, -1)
	if len(lines) < 30 {
		t.Fatalf("%d lines with a setting", len(lines))
	}
	for _, one := range lines {
		name := strings.TrimPrefix(one, "#")
		got, _ := settingsIn(t, strings.Replace(text, "\n"+one+"\n", "\n"+name+"\n", 1), nil, "", "config", "validate")
		if got.status != exitOK {
			t.Errorf("with %s: %s", name, got.stderr)
		}
	}
	got, whole := settingsIn(t, line.ReplaceAllString(text, "$1"), nil, "", "config", "print")
	if got.status != exitOK || strings.Count(got.stdout, whole) != len(lines) {
		t.Errorf("not every line of the file counts:\n%s%s", got.stdout, got.stderr)
	}
	defaults, _ := settingsIn(t, "", nil, "", "config", "print")
	values := regexp.MustCompile(`(?m) # .*$`)
	if a, b := values.ReplaceAllString(strings.Split(got.stdout, "\n[[format]]")[0], ""), values.ReplaceAllString(defaults.stdout, ""); strings.TrimSpace(strings.Split(a, "\n# ")[0]) != strings.TrimSpace(b) {
		t.Errorf("the file says something else than the defaults:\n%s\n%s", a, b)
	}
}

// TestConfigValidate promises one line and an exit status.
func TestConfigValidate(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.toml")
	if err := os.WriteFile(bad, []byte("lang = \"en\"\n\n[keys]\nquit = \"g\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := command(t, "config", "validate", bad); got.status != exitUsage || got.stderr != "yolotop: "+bad+":4: keys.quit: g is a key of card, too\n" {
		t.Errorf("%+v", got)
	}
	if got := command(t, "config", "validate", "/nowhere/x.toml"); got.status != exitUsage || !strings.Contains(got.stderr, "no such file") {
		t.Errorf("%+v", got)
	}
	if got := command(t, "config"); got.status != exitUsage || !strings.Contains(got.stderr, "path, print, validate or init") {
		t.Errorf("%+v", got)
	}
}

// TestSettingsReachTheScreen promises that what is set is what the screen is told.
func TestSettingsReachTheScreen(t *testing.T) {
	t.Parallel()
	var o watchOptions
	s := settings{mouse: true, ascii: true, poll: true, keys: map[string][]string{"quit": {"x"}}}
	env := environment{getenv: func(string) string { return "" }}
	o.take(env, s)
	screen := (&watcher{env: env, options: o}).screenOptions()
	if !screen.Mouse || !screen.ASCII || !o.poll || len(screen.Keys["quit"]) != 1 {
		t.Errorf("%+v", screen)
	}
	s.ascii, s.given = false, map[string]given{"ascii": {"false", "--ascii"}}
	if o.take(env, s); !o.fine {
		t.Error("the terminal is asked about lines though somebody wants them")
	}
}

// TestReadmeSettings promises that the README names every setting, variable and action, and
// shows a file and keys that can be used.
func TestReadmeSettings(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	for _, one := range settingsTable() {
		_, name, _ := strings.Cut("."+one.name, ".")
		for _, want := range []string{name[strings.LastIndex(name, ".")+1:], one.variable, one.flag} {
			if !strings.Contains(readme, want) {
				t.Errorf("%s: no %s", one.name, want)
			}
		}
	}
	for _, a := range tui.Actions() {
		if !strings.Contains(readme, "`"+a.Name+"`") {
			t.Errorf("no action %s", a.Name)
		}
	}
	for _, begin := range []string{"    lang  = \"zh\"", "    [keys]\n"} {
		_, block, ok := strings.Cut(readme, begin)
		if !ok {
			t.Fatalf("no %q", begin)
		}
		block, _, _ = strings.Cut(begin+block, "\n\n")
		if got, _ := settingsIn(t, block, nil, "", "config", "validate"); got.status != exitOK {
			t.Errorf("%s: %s", block, got.stderr)
		}
	}
}
