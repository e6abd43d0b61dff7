package tui

import (
	"slices"

	"yolotop/diagnose"
)

// markLetter is the letter of a mark under the chart; letters, since shapes that
// every font has are few.
func markLetter(k diagnose.MarkKind) rune {
	switch k {
	case diagnose.MarkMosaicClosed:
		return 'm'
	case diagnose.MarkResumed:
		return 'r'
	case diagnose.MarkBatchReduced:
		return 'b'
	case diagnose.MarkNaN:
		return 'n'
	case diagnose.MarkOOM:
		return 'x'
	case diagnose.MarkFailure:
		return 'f'
	case diagnose.MarkNeighbour:
		return 'p'
	case diagnose.MarkOnset:
		return 'o'
	}
	return '?'
}

// markName is what the letter stands for.
func markName(k diagnose.MarkKind) diagnose.Key {
	switch k {
	case diagnose.MarkMosaicClosed:
		return "legend.mosaic"
	case diagnose.MarkResumed:
		return "legend.resumed"
	case diagnose.MarkBatchReduced:
		return "legend.batch"
	case diagnose.MarkNaN:
		return "legend.nan"
	case diagnose.MarkOOM:
		return "legend.oom"
	case diagnose.MarkFailure:
		return "legend.failed"
	case diagnose.MarkNeighbour:
		return "legend.neighbour"
	}
	return "legend.onset"
}

// markMood is how grave a mark is.
func markMood(k diagnose.MarkKind) mood {
	switch k {
	case diagnose.MarkOOM, diagnose.MarkFailure:
		return moodCritical
	case diagnose.MarkNaN, diagnose.MarkBatchReduced, diagnose.MarkNeighbour, diagnose.MarkOnset:
		return moodWarning
	}
	return moodInfo
}

// marks draws the marks of the run on an axis and says what their letters mean. A
// graver mark hides another one in the same column. The words stand in the line where
// there is room beside the marks, else in legend. Both are empty if there is nothing to
// mark.
func (s scene) marks(a axis) (line, legend string) {
	cells := make([]diagnose.MarkKind, a.cells)
	used := make([]bool, a.cells)
	seen := map[diagnose.MarkKind]bool{}
	var kinds []diagnose.MarkKind
	all := slices.Clone(s.run.Marks)
	for e := s.earlier(s.run); e != nil; e = s.earlier(e) {
		all = append(all, e.Marks...)
	}
	for _, m := range all {
		c := a.cell(m.X)
		if m.X == float64(int(m.X)) && m.X > a.from && !s.run.Stepwise {
			c = a.end(int(m.X)) // between two epochs: where the first one ends
		}
		if c < 0 || c >= a.cells || used[c] && markMood(cells[c]) > markMood(m.Kind) {
			continue
		}
		cells[c], used[c] = m.Kind, true
		if !seen[m.Kind] {
			seen[m.Kind] = true
			kinds = append(kinds, m.Kind)
		}
	}
	if len(kinds) == 0 {
		return "", ""
	}
	for _, k := range kinds {
		if legend != "" {
			legend += " · "
		}
		legend += string(markLetter(k)) + " = " + s.say(markName(k))
	}
	first, last := slices.Index(used, true), len(used)-1
	for !used[last] {
		last--
	}
	before := 0 // cells of the words before the marks
	words := width(legend)
	switch {
	case words+4 <= a.cells-1-last:
	case words+4 <= first:
		before = words + 2
		line = s.theme.dim.Styled(legend) + "  "
		legend = ""
	default:
		words = 0
	}
	for i, k := range cells[before : last+1] {
		if used[before+i] {
			line += s.theme.moods[markMood(k)].Styled(string(markLetter(k)))
		} else {
			line += " "
		}
	}
	if words > 0 && before == 0 {
		line, legend = line+"   "+s.theme.dim.Styled(legend), ""
	}
	return fit(line, a.cells), legend
}

// MarkSign is the letter of a mark and the text that says what it stands for.
func MarkSign(k diagnose.MarkKind) (letter rune, name diagnose.Key) {
	return markLetter(k), markName(k)
}
