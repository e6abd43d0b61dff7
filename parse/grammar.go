package parse

import "slices"

// Grammar is what a stream may be in: any trainer that is known, the formats that a user
// has written down, or one of them alone. The zero value is every trainer that is known.
type Grammar struct {
	own  []dialect // the user's, which are asked first
	only string    // empty if it is not told
}

// dialects are those that a stream chooses from.
func (g Grammar) dialects() []dialect {
	return append(slices.Clone(g.own), dialects()...)
}

// Names are the names of all that it knows, which [Grammar.Only] takes.
func (g Grammar) Names() []string {
	var out []string
	for _, d := range g.dialects() {
		out = append(out, d.name)
	}
	return out
}

// Only is the grammar of streams that are in the format of a name, whatever they look like;
// ok is false if it does not know the name.
func (g Grammar) Only(name string) (only Grammar, ok bool) {
	g.only = name
	return g, slices.Contains(g.Names(), name)
}

// NewStream makes a stream for the input with the given index. It finds out by itself which
// of the formats it is in, unless there is only one.
func (g Grammar) NewStream(input int) *Stream {
	all := g.dialects()
	if i := slices.IndexFunc(all, func(d dialect) bool { return d.name == g.only }); i >= 0 {
		s := newStream(input, all[i:i+1])
		s.adopt(0)
		return s
	}
	return newStream(input, all)
}

// NewStream is [Grammar.NewStream] of every trainer that is known.
func NewStream(input int) *Stream { return Grammar{}.NewStream(input) }
