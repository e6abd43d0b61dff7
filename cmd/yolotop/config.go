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

	"yolotop/parse"
)

// config is the configuration file. It is strict: a key that is not known is an error.
type config struct {
	Format []formatConfig `toml:"format"`
	Alerts alertConfig    `toml:"alerts"`
}

// formatConfig is a format of the user's own; see [parse.Format].
type formatConfig struct {
	Name       string            `toml:"name"`
	Row        string            `toml:"row"`
	Result     string            `toml:"result"`
	Done       string            `toml:"done"`
	FirstEpoch *int              `toml:"first_epoch"` // 1 if it is not there
	FirstIter  *int              `toml:"first_iter"`  // 1 if it is not there
	Memory     string            `toml:"memory"`
	Units      map[string]string `toml:"units"`
}

// configLimit is the most bytes of a configuration file that are read.
const configLimit = 1 << 20

// configPath is where the configuration file lies, whether it exists or not; empty if the
// environment does not tell.
func configPath(getenv func(string) string) string {
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

// readConfig reads a configuration file; there need not be one. An error is one line that
// says where.
func readConfig(path string) (config, error) {
	var c config
	if path == "" {
		return c, nil
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
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
	return c, nil
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
	return parse.NewGrammar(formats...)
}

func orOne(n *int) int {
	if n == nil {
		return 1
	}
	return *n
}

// configuredGrammar is what streams may be in by the configuration file.
func configuredGrammar(getenv func(string) string) (parse.Grammar, error) {
	path := configPath(getenv)
	c, err := readConfig(path)
	if err != nil {
		return parse.Grammar{}, err
	}
	g, err := c.grammar()
	if err != nil {
		return parse.Grammar{}, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}
