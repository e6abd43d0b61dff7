package parse

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Format is a format that a user has written down: regular expressions (Go's, RE2) whose
// named groups are what a line says. It is matched with each line, and with each state of a
// bar, behind the time stamp of a transport.
type Format struct {
	Name string // letters, digits, dots, dashes and underscores
	// Row finds the numbers of a row. These groups have a meaning: epoch, epochs, iter, iters,
	// memory, total, rate, elapsed, step_time, data_time, instances, size. Each other group is
	// a loss of its name.
	Row string
	// Result finds the results of a validation, each group one of its name; an underscore
	// between digits stands for a dash: mAP50_95. Empty if there are none.
	Result string
	// Done finds the line that a training ends with; empty if there is none.
	Done string
	// FirstEpoch and FirstIter are the numbers of the first ones as printed: 0 or 1.
	FirstEpoch, FirstIter int
	// Memory is what the group memory measures, as [Measure.String] writes it; empty is
	// reserved.
	Memory string
	// Units are those of the groups memory and total (B, kB, MB, GB of powers of 1000; KiB,
	// MiB, GiB of 1024) and of elapsed, step_time and data_time (ms, s, min, h). Memory must
	// have one; times are in seconds, and elapsed may be a clock.
	Units map[string]string
}

// Groups of a row that are no losses.
var formatGroups = []string{"epoch", "epochs", "iter", "iters", "memory", "total", "rate", "elapsed", "step_time", "data_time", "instances", "size"}

// Units that a format may name, and what numbers are multiplied with.
var (
	formatSizes = map[string]float64{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	formatTimes = map[string]float64{"ms": 1e-3, "s": 1, "min": 60, "h": 3600}
)

// formatMeasures are what the memory of a format may measure.
var formatMeasures = []Measure{Reserved, ReservedMax, Allocated, AllocatedMax, IntervalMax, Unspecified}

// formatName is a name that the command line can take.
var formatName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$`)

// NewGrammar is every trainer that is known and the given formats, which are asked first. It
// fails if a format cannot be read, with the reason for whoever has written it.
func NewGrammar(formats ...Format) (Grammar, error) {
	var g Grammar
	for i, f := range formats {
		d, err := f.dialect()
		if err != nil {
			return Grammar{}, fmt.Errorf("format %d, %q: %w", i+1, f.Name, err)
		}
		if slices.Contains(g.Names(), f.Name) {
			return Grammar{}, fmt.Errorf("format %d, %q: there is one of this name already", i+1, f.Name)
		}
		g.own = append(g.own, d)
	}
	return g, nil
}

// Own are the names of the formats that a user has written down.
func (g Grammar) Own() []string {
	var out []string
	for _, d := range g.own {
		out = append(out, d.name)
	}
	return out
}

// ownFormat is a format that was checked.
type ownFormat struct {
	Format
	row, result, done *regexp.Regexp // result and done are nil if there are none
	measure           Measure
}

// dialect is the format as one of the table.
func (f Format) dialect() (dialect, error) {
	own := &ownFormat{Format: f}
	if !formatName.MatchString(f.Name) {
		return dialect{}, errors.New("the name must be of letters, digits, dots, dashes and underscores, and begin with a letter or digit")
	}
	for _, part := range []struct {
		key, text string
		to        **regexp.Regexp
	}{{"row", f.Row, &own.row}, {"result", f.Result, &own.result}, {"done", f.Done, &own.done}} {
		if part.text == "" {
			continue
		}
		re, err := regexp.Compile(part.text)
		if err != nil {
			return dialect{}, fmt.Errorf("%s: %w", part.key, err)
		}
		if name := twice(re.SubexpNames()); name != "" {
			return dialect{}, fmt.Errorf("%s has two groups (?P<%s>...)", part.key, name)
		}
		if re.MatchString("") {
			return dialect{}, fmt.Errorf("%s matches an empty line", part.key)
		}
		*part.to = re
	}
	if err := own.check(); err != nil {
		return dialect{}, err
	}
	return dialect{
		name:   f.Name,
		own:    true,
		claims: func(line []byte) bool { return own.progress(line) != nil },
		start:  func() reader { return &ownReader{format: own} },
	}, nil
}

// check looks whether the parts of a format fit together.
func (f *ownFormat) check() error {
	if f.row == nil {
		return errors.New("row is missing")
	}
	has := func(group string) bool { return f.row.SubexpIndex(group) >= 0 }
	if !has("epoch") && !has("iter") {
		return errors.New("row has no group (?P<epoch>...) or (?P<iter>...)")
	}
	losses := 0
	for _, name := range f.row.SubexpNames() {
		if name != "" && !slices.Contains(formatGroups, name) {
			losses++
		}
	}
	if losses == 0 && !has("memory") {
		return errors.New("row has no group for a loss, such as (?P<loss>...), nor (?P<memory>...)")
	}
	if losses > maxColumns-2 {
		return fmt.Errorf("row has more than %d groups", maxColumns-2)
	}
	if f.result != nil && !slices.ContainsFunc(f.result.SubexpNames(), func(n string) bool { return n != "" && n != "epoch" }) {
		return errors.New("result has no named group, such as (?P<mAP50>...)")
	}
	for _, base := range []int{f.FirstEpoch, f.FirstIter} {
		if base != 0 && base != 1 {
			return errors.New("first_epoch and first_iter are 0 or 1")
		}
	}
	for _, group := range slices.Sorted(maps.Keys(f.Units)) {
		if err := checkUnit(group, f.Units[group]); err != nil {
			return err
		}
		if !has(group) {
			return fmt.Errorf("units.%s: row has no group of this name", group)
		}
	}
	for _, group := range []string{"memory", "total"} {
		if has(group) && f.Units[group] == "" {
			return fmt.Errorf("units.%s is missing: %s", group, unitList(formatSizes))
		}
	}
	f.measure = Reserved
	if f.Memory != "" {
		i := slices.IndexFunc(formatMeasures, func(m Measure) bool { return m.word() == f.Memory })
		if i < 0 {
			return fmt.Errorf("memory: %q is none of %s", f.Memory, measureList())
		}
		f.measure = formatMeasures[i]
	}
	return nil
}

// twice is a name that is in names twice; empty if none is.
func twice(names []string) string {
	for i, n := range names {
		if n != "" && slices.Contains(names[:i], n) {
			return n
		}
	}
	return ""
}

// word is the name of a measure in a format: two that check prints alike differ here.
func (m Measure) word() string {
	if m == IntervalMax {
		return "interval-max"
	}
	return m.String()
}

func measureList() string {
	var out []string
	for _, m := range formatMeasures {
		out = append(out, m.word())
	}
	return strings.Join(out, ", ")
}

// checkUnit looks whether a group may have a unit.
func checkUnit(group, unit string) error {
	switch group {
	case "memory", "total":
		if formatSizes[unit] == 0 {
			return fmt.Errorf("units.%s: %q is none of %s", group, unit, unitList(formatSizes))
		}
	case "elapsed", "step_time", "data_time":
		if formatTimes[unit] == 0 {
			return fmt.Errorf("units.%s: %q is none of %s", group, unit, unitList(formatTimes))
		}
	default:
		return fmt.Errorf("units.%s: only memory, total, elapsed, step_time and data_time have one", group)
	}
	return nil
}

// unitList are units in rising order.
func unitList(units map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(units), func(a, b string) int { return int(units[a]*1e3 - units[b]*1e3) })
	return strings.Join(names, ", ")
}
