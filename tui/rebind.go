package tui

import (
	"fmt"
	"slices"
	"strings"

	"yolotop/diagnose"
)

// Action is something that keys do, under the name by which they are bound to it.
type Action struct {
	Name string
	Keys []string // as long as nobody binds others
	help diagnose.Key
}

// About says in a sentence what the action does.
func (a Action) About(lang diagnose.Lang) string { return diagnose.Say(a.help).In(lang) }

// Actions are all actions that keys can be bound to, in the order of the help.
func Actions() []Action {
	var out []Action
	for _, b := range bindings() {
		if name, help := b.action(); name != "" {
			out = append(out, Action{name, b.keys, help})
		}
	}
	return out
}

// KeyError is a binding that cannot be.
type KeyError struct {
	Action string // whose keys are wrong
	Why    string
}

func (e *KeyError) Error() string { return e.Action + ": " + e.Why }

// interrupt always quits, or asks; nothing else can be bound to it.
const interrupt = "ctrl+c"

// CheckKeys reports what is wrong with keys for actions, as a [KeyError]; nil if they can be
// bound. Actions that are not in keys keep theirs.
func CheckKeys(keys map[string][]string) error {
	var names []string
	for _, a := range Actions() {
		names = append(names, a.Name)
	}
	given := make([]string, 0, len(keys))
	for name := range keys {
		given = append(given, name)
	}
	slices.Sort(given) // the same mistake is named each time
	for _, name := range given {
		switch {
		case !slices.Contains(names, name):
			return &KeyError{name, "no such action; " + strings.Join(names, ", ") + " are"}
		case len(keys[name]) == 0:
			return &KeyError{name, "it has no key left; name one, or leave the line out"}
		}
		for _, key := range keys[name] {
			known, ok := keyNamed(key)
			switch {
			case !ok:
				return &KeyError{name, fmt.Sprintf("%q is no key; a character, enter, tab, esc, up, pgup, home, f5, ctrl+x, alt+x and their like are", key)}
			case known == interrupt && name != "quit":
				return &KeyError{name, "ctrl+c always quits"}
			}
		}
	}
	return checkTwice(rebound(keys), given)
}

// checkTwice looks for a key that does two things on a page.
func checkTwice(table []binding, given []string) error {
	for on := pageMain; on <= pageLeave; on++ {
		owners := map[string]string{}
		for _, b := range table {
			if b.on&on.bit() == 0 || b.shared {
				continue
			}
			name, _ := b.action()
			for _, key := range b.keys {
				other, taken := owners[key]
				switch {
				case !taken:
					owners[key] = name
				case other == name:
				case slices.Contains(given, name) && other != "":
					return &KeyError{name, fmt.Sprintf("%s is a key of %s, too", key, other)}
				case other != "":
					return &KeyError{other, fmt.Sprintf("%s is a key of %s, too", key, name)}
				default: // of the page that asks what becomes of the training
					return &KeyError{name, key + " answers the question what becomes of the training"}
				}
			}
		}
	}
	return nil
}

// action is the name of a line of the table, and the sentence about it; empty if keys cannot be
// bound to it. Most are named after their sentence in the help, and the others, which share
// another's, by their first key.
func (b binding) action() (name string, help diagnose.Key) {
	switch {
	case b.help != "":
		return strings.ReplaceAll(strings.TrimPrefix(string(b.help), "help."), ".", "-"), b.help
	case len(b.keys) == 0 || b.on&onMain == 0:
		return "", ""
	}
	switch b.keys[0] {
	case "shift+tab":
		return "pane-previous", "action.pane.previous"
	case "right":
		return "time-later", "action.time.later"
	case "shift+right":
		return "time-far-later", "action.time.far.later"
	}
	return "", ""
}

// rebound is the table with the keys that somebody wants.
func rebound(keys map[string][]string) []binding {
	table := bindings()
	if len(keys) == 0 {
		return table
	}
	replaced := map[string][]string{} // by the first key of the action, as long as nobody binds others
	for i := range table {
		b := &table[i]
		name, _ := b.action()
		wanted := keys[name]
		if name == "" || len(wanted) == 0 {
			continue
		}
		own := make([]string, 0, len(wanted)+1)
		for _, key := range wanted {
			known, _ := keyNamed(key)
			own = append(own, known)
		}
		if slices.Equal(own, b.keys) {
			continue
		}
		replaced[b.keys[0]] = own
		b.keys = own
		b.shown, b.ascii = labels(b.keys[:min(2, len(b.keys))])
		if name == "quit" && !slices.Contains(b.keys, interrupt) {
			b.keys = append(b.keys, interrupt)
		}
	}
	follow(table, replaced)
	pair(table, replaced)
	return table
}

// follow gives the keys of an action to lines that have no name, which do the opposite of it on
// other pages: ? opens the help and closes it.
func follow(table []binding, replaced map[string][]string) {
	for i := range table {
		b := &table[i]
		if name, _ := b.action(); name != "" || b.on&onLeave != 0 || len(b.keys) == 0 {
			continue
		}
		b.shared = true
		keys := b.keys
		if others, ok := replaced[keys[0]]; ok {
			keys = others
		}
		b.keys = nil
		for _, key := range keys { // what else is bound on this page goes first
			if !slices.ContainsFunc(table, func(o binding) bool {
				name, _ := o.action()
				return name != "" && o.on&b.on != 0 && slices.Contains(o.keys, key)
			}) {
				b.keys = append(b.keys, key)
			}
		}
	}
}

// pair writes the keys of both directions for lines that stand for two: "n p".
func pair(table []binding, replaced map[string][]string) {
	both := func(one, other string) (shown, ascii string, changed bool) {
		keys := make([]string, 2)
		for i, first := range []string{one, other} {
			keys[i] = first
			if others, ok := replaced[first]; ok {
				keys[i], changed = others[0], true
			}
		}
		shown, ascii = labels(keys)
		return shown, ascii, changed
	}
	for i := range table {
		b := &table[i]
		shown, ascii, changed := "", "", false
		switch name, _ := b.action(); {
		case name == "time":
			shown, ascii, changed = both("left", "right")
		case name == "time-far":
			shown, ascii, changed = both("shift+left", "shift+right")
		case b.footer == "key.run":
			shown, ascii, changed = both("n", "p")
		}
		if changed {
			b.shown, b.ascii = shown, ascii
		}
	}
}

// keyOf is the label of an action's keys.
func (s scene) keyOf(action string) string {
	for _, b := range rebound(s.keys) {
		if name, _ := b.action(); name == action {
			return b.label(s.theme)
		}
	}
	return ""
}
