package parse

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// argument finds where "key=" begins in a line of arguments; values may hold
// commas and blanks, so only ", key=" separates.
var argument = regexp.MustCompile(`(?:^|, )([A-Za-z_][A-Za-z0-9_]*)=`)

// splitArgs reads "k=v, k=v, ..." as trainers print their arguments.
func splitArgs(line string) map[string]string {
	at := argument.FindAllStringSubmatchIndex(line, -1)
	args := make(map[string]string, len(at))
	for i, m := range at {
		end := len(line)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		args[line[m[2]:m[3]]] = unquote(strings.TrimSpace(line[m[1]:end]))
	}
	return args
}

// unquote takes the quotes away that Python puts around texts in a Namespace.
func unquote(s string) string {
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return s[1 : len(s)-1]
	}
	return s
}

// configOf makes a Config of arguments as Ultralytics and YOLOv5 name them.
func configOf(args map[string]string) *Config {
	c := &Config{
		Task: args["task"], Mode: args["mode"], Model: args["model"], Data: args["data"],
		SaveDir: args["save_dir"], Workers: -1, Args: args,
	}
	if c.Model == "" || c.Model == "None" {
		if c.Model = args["weights"]; c.Model == "" || c.Model == "''" {
			c.Model = args["cfg"]
		}
	}
	c.Epochs = intArg(args["epochs"])
	if v, ok := parseFloat(first(args, "batch", "batch_size")); ok && math.Abs(v) <= maxCount {
		c.Batch = v
	}
	c.ImgSize = intsArg(first(args, "imgsz", "img_size"))
	if w, err := strconv.Atoi(args["workers"]); err == nil && w >= 0 && w <= maxCount {
		c.Workers = w
	}
	if amp, err := strconv.ParseBool(args["amp"]); err == nil {
		c.AMP = &amp
	}
	return c
}

func first(args map[string]string, keys ...string) string {
	for _, k := range keys {
		if v, ok := args[k]; ok {
			return v
		}
	}
	return ""
}

func intArg(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxCount {
		return 0
	}
	return n
}

// intsArg reads "640", "[640, 480]" or "(640, 480)".
func intsArg(s string) []int {
	var out []int
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("[](), ", r) }) {
		n, err := strconv.Atoi(f)
		if err != nil || n <= 0 || n > maxCount || len(out) == 2 {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// ArgsFile reads the args.yaml of an Ultralytics run or the opt.yaml of a YOLOv5
// run: one level of keys, values of any YAML type. It fails if data is no YAML
// mapping.
func ArgsFile(data []byte) (*Config, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		return nil, fmt.Errorf("parse arguments: %w", err)
	}
	if len(node.Content) != 1 || node.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("parse arguments: not a list of keys and values")
	}
	pairs := node.Content[0].Content
	args := make(map[string]string, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		args[cleanText([]byte(pairs[i].Value))] = cleanText([]byte(yamlValue(pairs[i+1])))
	}
	return configOf(args), nil
}

// yamlValue writes a value as Python would print it in an arguments line.
func yamlValue(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		parts := make([]string, len(n.Content))
		for i, c := range n.Content {
			parts[i] = yamlValue(c)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case n.Kind != yaml.ScalarNode:
		return ""
	case n.Tag == "!!null":
		return "None"
	case n.Tag == "!!bool" && strings.EqualFold(n.Value, "true"):
		return "True"
	case n.Tag == "!!bool" && strings.EqualFold(n.Value, "false"):
		return "False"
	}
	return n.Value
}
