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
	for on := pageMain; on.bit() != 0; on++ {
		owners := map[string]string{}
		for _, b := range table {
			if b.on&on.bit() == 0 || b.shared {
				continue
			}
			name := b.name
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
	case len(b.keys) == 0 || b.on&(onMain|onLog) == 0:
		return "", ""
	}
	switch b.keys[0] {
	case "shift+tab":
		return "chart-previous", "action.chart.previous"
	case "]":
		return "window-wider", "action.window.wider"
	case "N":
		return "previous", "action.previous"
	case "right":
		return "time-later", "action.time.later"
	case "shift+right":
		return "time-far-later", "action.time.far.later"
	}
	return "", ""
}

// opposites are the actions whose line in footer and help shows the keys of another one, too.
func opposites() map[string]string {
	return map[string]string{"window": "window-wider", "next": "previous", "time": "time-later", "time-far": "time-far-later"}
}

// rebound is the table with the keys that somebody wants.
func rebound(keys map[string][]string) []binding {
	table := bindings()
	for i := range table {
		table[i].name, _ = table[i].action()
	}
	if len(keys) == 0 {
		return table
	}
	replaced := map[string][]string{} // what is not as in the table, by action
	for i := range table {
		b := &table[i]
		wanted := keys[b.name]
		if b.name == "" || len(wanted) == 0 {
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
		replaced[b.name] = own
		b.keys = own
		b.shown, b.ascii = labels(b.keys[:min(2, len(b.keys))])
		if b.name == "quit" && !slices.Contains(b.keys, interrupt) {
			b.keys = append(b.keys, interrupt)
		}
	}
	original := rebound(nil)
	follow(table, original, replaced)
	pair(table, original)
	return table
}

// follow gives the keys of an action to lines that have no name. Some do the same or the opposite on
// other pages, with the same first key: ? opens the help and closes it. Others have no keys and only
// show those of an action.
func follow(table, original []binding, replaced map[string][]string) {
	for i := range table {
		b := &table[i]
		if b.name != "" || b.on&onLeave != 0 {
			continue
		}
		owner := slices.IndexFunc(original, func(o binding) bool {
			return o.name != "" && (len(b.keys) > 0 && o.keys[0] == b.keys[0] || len(b.keys) == 0 && o.shown == b.shown)
		})
		others := []string(nil)
		if owner >= 0 {
			others = replaced[original[owner].name]
		}
		if len(b.keys) == 0 {
			if others != nil {
				b.shown, b.ascii = table[owner].shown, table[owner].ascii
			}
			continue
		}
		keys := b.keys
		if others != nil {
			keys = others
		}
		b.shared, b.keys = true, nil
		for _, key := range keys { // what else is bound on this page goes first
			if !slices.ContainsFunc(table, func(o binding) bool {
				return o.name != "" && o.on&b.on != 0 && slices.Contains(o.keys, key)
			}) {
				b.keys = append(b.keys, key)
			}
		}
	}
}

// pair writes the keys of both directions for lines that stand for two.
func pair(table, original []binding) {
	for one, other := range opposites() {
		find := func(action string) int {
			return slices.IndexFunc(table, func(b binding) bool { return b.name == action })
		}
		i, k := find(one), find(other)
		if i >= 0 && k >= 0 && (!slices.Equal(table[i].keys, original[i].keys) || !slices.Equal(table[k].keys, original[k].keys)) {
			table[i].shown, table[i].ascii = labels([]string{table[i].keys[0], table[k].keys[0]})
		}
	}
}

// keyOf is the label of an action's keys.
func (s scene) keyOf(action string) string {
	for _, b := range rebound(s.keys) {
		if b.name == action {
			return b.label(s.theme)
		}
	}
	return ""
}
