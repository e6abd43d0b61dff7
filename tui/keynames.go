package tui

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyWords are the names of keys that write nothing, and how else people call them.
func keyWords() map[string]string {
	words := map[string]string{
		"return": "enter", "escape": "esc", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown",
		"del": "delete", "ins": "insert", "backtab": "shift+tab", " ": "space",
	}
	for _, name := range []string{"enter", "space", "tab", "esc", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown"} {
		words[name] = name
	}
	return words
}

var (
	functionKey = regexp.MustCompile(`^f([1-9]|1[0-9]|20)$`)
	// modifiers are at the beginning of the name of a key, "ctrl+" or "ctrl-".
	modifiers = regexp.MustCompile(`(?i)^(?:(?:ctrl|alt|shift)[+-])+`)
)

// keyNamed is the key that a person names, as bubbletea calls it; ok is false if there is no such
// key.
func keyNamed(name string) (key string, ok bool) {
	with := modifiers.FindString(name)
	bare := name[len(with):]
	if bare == "" { // "-" or "+" is no modifier by itself
		return "", false
	}
	var order strings.Builder
	said := strings.ToLower(with)
	for _, m := range []string{"ctrl", "alt", "shift"} {
		if strings.Contains(said, m) {
			order.WriteString(m + "+")
		}
	}
	lower := strings.ToLower(bare)
	r, size := utf8.DecodeRuneInString(bare)
	switch word, known := keyWords()[lower]; {
	case known:
		bare = word
	case functionKey.MatchString(lower):
		bare = lower
	case size != len(bare) || !unicode.IsPrint(r) || r == utf8.RuneError:
		return "", false
	case order.Len() > 0 && strings.Contains(said, "shift"): // a terminal sends the character that it gives
		return "", false
	case order.Len() > 0:
		bare = lower
	}
	return order.String() + bare, true
}

// labels are keys as people know them, and in ASCII.
func labels(keys []string) (shown, ascii string) {
	var fine, plain []string
	for _, key := range keys {
		name := strings.Replace(strings.ReplaceAll(key, "+", "-"), "pgdown", "pgdn", 1)
		if key == "+" {
			name = key
		}
		plain = append(plain, name)
		if sign, ok := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "⏎"}[name]; ok {
			name = sign
		}
		fine = append(fine, name)
	}
	return strings.Join(fine, " "), strings.Join(plain, " ")
}
