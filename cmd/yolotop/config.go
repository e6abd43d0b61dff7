package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"yolotop/parse"
)

// config is the configuration file. It is strict: a key that is not known is an error.
type config struct {
	Lang   string         `toml:"lang"`
	Color  string         `toml:"color"`
	ASCII  bool           `toml:"ascii"`
	Plain  bool           `toml:"plain"`
	Mouse  bool           `toml:"mouse"`
	Poll   bool           `toml:"poll"`
	Format []formatConfig `toml:"format"`
	Alerts alertConfig    `toml:"alerts"`
	Keys   map[string]any `toml:"keys"` // a key or a list of keys, by action

	path  string         // of the file
	lines map[string]int // of each key that is in it, "alerts.bell"
}

// formatConfig is a format of the user's own; see [parse.Format].
type formatConfig struct {
	Name       string            `toml:"name"`
	Row        string            `toml:"row"`
	Result     string            `toml:"result,omitempty"`
	Done       string            `toml:"done,omitempty"`
	FirstEpoch *int              `toml:"first_epoch,omitempty"` // 1 if it is not there
	FirstIter  *int              `toml:"first_iter,omitempty"`  // 1 if it is not there
	Memory     string            `toml:"memory,omitempty"`
	Units      map[string]string `toml:"units,omitempty"`
}

// configLimit is the most bytes of a configuration file that are read.
const configLimit = 1 << 20

// configVariable names another configuration file.
const configVariable = "YOLOTOP_CONFIG"

// configPath is where the configuration file lies, whether it exists or not; empty if the
// environment does not tell.
func configPath(getenv func(string) string) string {
	if path := getenv(configVariable); path != "" {
		return path
	}
	for _, base := range []string{getenv("XDG_CONFIG_HOME"), getenv("APPDATA")} {
		if filepath.IsAbs(base) { // the XDG specification has others ignored
			return filepath.Join(base, "yolotop", "config.toml")
		}
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "yolotop", "config.toml")
	}
	return ""
}

// configuration reads the configuration file of an environment. There need not be one, unless
// it is named.
func configuration(getenv func(string) string) (config, error) {
	path := configPath(getenv)
	if path == "" {
		return config{}, nil
	}
	c, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) {
		if getenv(configVariable) != "" {
			return config{}, fmt.Errorf("%s=%s: no such file", configVariable, path)
		}
		return config{path: path}, nil
	}
	return c, err
}

// readConfig reads a configuration file. An error is one line that says where.
func readConfig(path string) (config, error) {
	c := config{path: path}
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		return c, fmt.Errorf("read the configuration: %w", err)
	case len(data) > configLimit:
		return c, fmt.Errorf("%s: larger than 1 MiB: this is no configuration", path)
	}
	d := toml.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return config{}, fmt.Errorf("%s:%w", path, configError(err))
	}
	c.lines = keyLines(data)
	return c, nil
}

// at is where in its file a key is, for people.
func (c config) at(key string) string {
	if line := c.lines[key]; line > 0 {
		return fmt.Sprintf("%s:%d", c.path, line)
	}
	return c.path
}

// keyLines are the lines of the keys of a document that can be read.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	table := ""
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		line := 0
		for keys := e.Key(); keys.Next(); {
			names = append(names, string(keys.Node().Data))
			if line == 0 {
				line = p.Shape(keys.Node().Raw).Start.Line
			}
		}
		name := strings.Join(names, ".")
		switch {
		case e.Kind != unstable.KeyValue:
			table = name + "."
		default:
			name = table + name
			for inside := e.Value().Children(); e.Value().Kind == unstable.InlineTable && inside.Next(); {
				if keys := inside.Node().Key(); keys.Next() {
					lines[name+"."+string(keys.Node().Data)] = line
				}
			}
		}
		lines[name] = line
	}
	return lines
}

// configError is an error of the decoder in one line, beginning with where it is.
func configError(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		first := strict.Errors[0]
		row, _ := first.Position()
		return fmt.Errorf("%d: no such key: %s", row, strings.Join(first.Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, column := decode.Position()
		text := strings.TrimPrefix(decode.Error(), "toml: ")
		return fmt.Errorf("%d:%d: %s", row, column, structField.ReplaceAllString(text, "$1"))
	}
	return fmt.Errorf(" %w", err)
}

// structField finds what the decoder says of the program and not of the file.
var structField = regexp.MustCompile(`struct field main\.\w+\.(\w+) of type \S+`)

// grammar is everything that is known and the formats of the configuration.
func (c config) grammar() (parse.Grammar, error) {
	var formats []parse.Format
	for _, f := range c.Format {
		formats = append(formats, parse.Format{
			Name: f.Name, Row: f.Row, Result: f.Result, Done: f.Done,
			FirstEpoch: orOne(f.FirstEpoch), FirstIter: orOne(f.FirstIter),
			Memory: f.Memory, Units: f.Units,
		})
	}
	g, err := parse.NewGrammar(formats...)
	if err != nil {
		return parse.Grammar{}, fmt.Errorf("%s: %w", c.path, err)
	}
	return g, nil
}

func orOne(n *int) int {
	if n == nil {
		return 1
	}
	return *n
}
