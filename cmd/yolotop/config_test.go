package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmeConfigs are the configurations that the README shows.
func readmeConfigs(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		out = append(out, m[1])
	}
	if len(out) != 2 {
		t.Fatalf("the README has %d configurations", len(out))
	}
	return out
}

// configured runs a command with a configuration file.
func configured(t *testing.T, text string, args ...string) outcome {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "yolotop"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "yolotop", "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return commandIn(t, map[string]string{"XDG_CONFIG_HOME": dir}, strings.NewReader(liveLog), args...)
}

// TestReadmeFormats promises that the formats of the README are read as it says.
func TestReadmeFormats(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		log  string
		want map[string]any
	}{
		{
			"[ep 2/50] 400/400 box=1.31 cls=0.91 gpu=9.50GB 310ms (data 12ms)\n" +
				"[ep 3/50] 120/400 box=1.21 cls=0.84 gpu=9.61GB 310ms (data 31ms)\n" +
				"[ep 3/50] 240/400 box=1.20 cls=0.83 gpu=9.61GB 310ms (data 31ms)\n" +
				"val: map50=0.61 map=0.42\ntraining finished\n",
			map[string]any{
				"trainer": "parts", "status": "finished", "epoch": 3., "epochs": 50., "iter": 240., "data_share": 0.1,
				"memory.measure": "reserved", "memory.last_bytes": 10318658929., "last.box_loss": 1.2, "metrics.mAP50-95": .42,
			},
		},
		{
			"0 | loss 0.812 | peak 7000M\n1200 | loss 0.531 | peak 7312M\n",
			map[string]any{"trainer": "lab", "iter": 1201., "memory.measure": "allocated-max", "memory.peak_bytes": 7312. * (1 << 20), "last.loss": .531},
		},
	} {
		log := filepath.Join(t.TempDir(), "train.log")
		if err := os.WriteFile(log, []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		got := configured(t, strings.Join(readmeConfigs(t), "\n"), "check", "--json", log)
		var doc struct {
			Runs []map[string]any `json:"runs"`
		}
		if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || len(doc.Runs) != 1 {
			t.Fatalf("format %d: %v, %d runs: %s", i, err, len(doc.Runs), got.stderr)
		}
		for path, want := range c.want {
			var value any = doc.Runs[0]
			for _, key := range strings.SplitN(path, ".", 2) {
				value = value.(map[string]any)[key]
			}
			if value != want {
				t.Errorf("%s is %v, want %v", path, value, want)
			}
		}
		if got := configured(t, "", "check", log); strings.Contains(got.stdout, ", lab") || strings.Contains(got.stdout, ", parts") {
			t.Errorf("read without its format: %s", got.stdout)
		}
	}
	list := configured(t, strings.Join(readmeConfigs(t), "\n"), "formats")
	if !strings.Contains(list.stdout, "parts ") || !strings.Contains(list.stdout, "configuration file") {
		t.Error(list.stdout)
	}
}

// TestConfigMistakes promises one line that says where a configuration is wrong, and why.
func TestConfigMistakes(t *testing.T) {
	t.Parallel()
	const head = "[[format]]\nname = \"x\"\n"
	for text, want := range map[string]string{
		"[[format]]\nnam = \"x\"\n": "config.toml:2: no such key: format.nam",
		"[[format]\n":               "config.toml:1:",
		"format = 3\n":              "config.toml:1:",
		head:                        `"x": row is missing`,
		"[[format]]\nrow = 'e(?P<epoch>.)(?P<loss>.)'\n":                                        `"": the name must be`,
		head + "row = '('\n":                                                                    `"x": row: error parsing regexp: missing closing )`,
		head + "row = '(?=a)'\n":                                                                `row: error parsing regexp: invalid or unsupported Perl syntax`,
		head + "row = '.*'\n":                                                                   "row matches an empty line",
		head + "row = 'l(?P<loss>.)'\n":                                                         "row has no group (?P<epoch>...) or (?P<iter>...)",
		head + "row = 'e(?P<epoch>.)'\n":                                                        "row has no group for a loss",
		head + "row = 'e(?P<epoch>.) (?P<memory>.)'\n":                                          "units.memory is missing: B, kB, KiB, MB, MiB, GB, GiB",
		head + "row = 'e(?P<epoch>.) (?P<loss>.)'\nunits = {loss='s'}\n":                        "units.loss: only memory,",
		head + "row = 'e(?P<epoch>.) (?P<memory>.)'\nunits = {memory='G'}\n":                    `units.memory: "G" is none of`,
		head + "row = 'e(?P<epoch>.) (?P<loss>.)'\nunits = {elapsed='s'}\n":                     "units.elapsed: row has no group of this name",
		head + "row = 'e(?P<epoch>.) (?P<memory>.)'\nmemory = 'vram'\nunits = {memory='GB'}\n":  `memory: "vram" is none of reserved, reserved-max`,
		head + "row = 'e(?P<epoch>.) (?P<loss>.)'\nfirst_epoch = 2\n":                           "first_epoch and first_iter are 0 or 1",
		head + "row = 'e(?P<epoch>.) (?P<loss>.)'\nresult = 'val'\n":                            "result has no named group",
		"[[format]]\nname = \"yolox\"\nrow = 'e(?P<epoch>.) (?P<loss>.)'\n":                     "there is one of this name already",
		"[[format]]\nname = \"a b\"\nrow = 'e(?P<epoch>.) (?P<loss>.)'\n":                       "the name must be of letters",
		strings.Repeat("[[format]]\nname = \"x\"\nrow = 'e(?P<epoch>.) (?P<loss>.)'\n", 2):      "there is one of this name already",
		"# " + strings.Repeat("x", configLimit) + "\n":                                          "larger than 1 MiB",
		"[[format]]\nname = \"x\"\nrow = 'e(?P<epoch>.) (?P<loss>.)'\nfirst_epoch = \"zero\"\n": "config.toml:4:",
	} {
		got := configured(t, text, "formats")
		if got.status != exitUsage || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%.80q: status %d, %q, want %q", text, got.status, got.stderr, want)
		}
	}
}

// TestBrokenConfigEndsNoPipe promises that a training which writes into a pipe is read,
// whatever stands in the configuration.
func TestBrokenConfigEndsNoPipe(t *testing.T) {
	t.Parallel()
	got := configured(t, "[[format]\n", "-")
	if !strings.Contains(got.stderr, "going on without it") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
	if got := configured(t, "[[format]\n", "check", "x.log"); got.status != exitUsage || !strings.Contains(got.stderr, "config.toml:1:") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

// TestConfigPath promises where the file is looked for.
func TestConfigPath(t *testing.T) {
	t.Parallel()
	abs := t.TempDir()
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"XDG_CONFIG_HOME": abs, "HOME": "/home/a"}, filepath.Join(abs, "yolotop", "config.toml")},
		{map[string]string{"XDG_CONFIG_HOME": "relative", "HOME": abs}, filepath.Join(abs, ".config", "yolotop", "config.toml")},
		{map[string]string{"HOME": abs}, filepath.Join(abs, ".config", "yolotop", "config.toml")},
		{nil, ""},
	} {
		if got := configPath(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}
