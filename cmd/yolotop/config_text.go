package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"yolotop/diagnose"
	"yolotop/tui"
)

// configTemplate is a file with every setting as it is by default. Prose begins with "# ", a line
// that can be used with "#".
func configTemplate() string {
	var b strings.Builder
	b.WriteString(`# The configuration of yolotop. Every line is as it is without this file: take the
# first # away from one that begins with #name to change it. Flags and variables of
# the environment go before it; "yolotop config print" says what is in force, and
# "yolotop config validate" what is wrong.

# When yolotop warns cannot be set: the thresholds were fitted together, against
# recordings of healthy and of dying runs. The README lists them.
`)
	table := ""
	for _, one := range settingsTable() {
		head, name, ok := strings.Cut(one.name, ".")
		if !ok {
			head, name = "", one.name
		}
		if head != table {
			if table == "" {
				b.WriteString(formatsTemplate)
			}
			fmt.Fprintf(&b, "\n# Alerts: when a finding becomes critical, a run falls silent, ends or dies.\n[%s]\n", head)
			table = head
		}
		fmt.Fprintf(&b, "\n%s#%s = %s\n", comment(one.about), name, one.fallback)
		var ways []string
		if one.flag != "" {
			ways = append(ways, "--"+one.flag)
		}
		if one.variable != "" {
			ways = append(ways, one.variable)
		}
		if len(ways) > 0 {
			fmt.Fprintf(&b, "# (also %s)\n", strings.Join(ways, ", "))
		}
	}
	b.WriteString("\n# Keys: a key or a list of keys for what it does. Ctrl-C always quits, or asks.\n[keys]\n")
	for _, a := range tui.Actions() {
		fmt.Fprintf(&b, "\n# %s\n#%s = %s\n", a.About(diagnose.English), a.Name, tomlList(a.Keys))
	}
	return b.String()
}

// formatsTemplate shows a format of one's own.
const formatsTemplate = `
# Formats of your own: expressions whose named groups say what a row means. The README
# explains them; each can be a table [[format]] at the end of this file, too.
#format = [{ name = "own", row = '^epoch (?P<epoch>\d+)/(?P<epochs>\d+) loss (?P<loss>\S+)' }]
`

// print is the settings in force as a file, each with where it comes from.
func (s settings) print() (string, error) {
	var b strings.Builder
	table := ""
	for _, one := range settingsTable() {
		head, name, ok := strings.Cut(one.name, ".")
		if !ok {
			head, name = "", one.name
		}
		if head != table {
			fmt.Fprintf(&b, "\n[%s]\n", head)
			table = head
		}
		value, by := s.inForce(one)
		if one.name == "alerts.webhook" {
			value = tomlText(redacted(s.alerts.Webhook))
		}
		fmt.Fprintf(&b, "%s = %s # %s\n", name, value, tui.Clean(by))
	}
	b.WriteString("\n[keys]\n")
	for _, a := range tui.Actions() {
		keys, by := a.Keys, "default"
		if own, ok := s.keys[a.Name]; ok {
			keys, by = own, s.file.at("keys."+a.Name)
		}
		fmt.Fprintf(&b, "%s = %s # %s\n", a.Name, tomlList(keys), tui.Clean(by))
	}
	if len(s.file.Format) > 0 {
		text, err := toml.Marshal(struct {
			Format []formatConfig `toml:"format"`
		}{s.file.Format})
		if err != nil {
			return "", fmt.Errorf("formats: %w", err)
		}
		fmt.Fprintf(&b, "\n# %s\n%s", tui.Clean(s.file.path), text)
	}
	return b.String(), nil
}

// inForce is the value of a setting as TOML writes it, and where it comes from.
func (s settings) inForce(one preference) (value, by string) {
	v, said := s.given[one.name]
	switch {
	case one.name == "lang":
		value, by = `"en"`, "default, by the locale"
		if s.lang == diagnose.Chinese {
			value = `"zh"`
		}
	case one.name == "ascii":
		value, by = fmt.Sprint(s.ascii), "default, by the locale"
	case !said:
		return one.fallback, "default"
	case one.fallback == "true", one.fallback == "false":
		value = fmt.Sprint(slices.Contains([]string{"true", "1", "t"}, strings.ToLower(v.value)))
	default:
		value = tomlText(v.value)
	}
	if said {
		by = v.by
	}
	return value, by
}

// comment is a text as a comment.
func comment(text string) string {
	return "# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n"
}

// tomlText is a text as TOML writes it, on one line.
func tomlText(s string) string {
	if plain := strconv.Quote(s); plain == `"`+s+`"` {
		return plain // as people write it
	}
	text, err := toml.Marshal(map[string]string{"x": s})
	if err != nil { // a text always can be written
		return `""`
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), "x = "), "\n")
}

func tomlList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = tomlText(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
