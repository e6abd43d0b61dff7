package parse

import (
	"slices"
	"strings"
)

// shapeRows is how many rows without a header are looked at before their columns
// are guessed.
const shapeRows = 8

// csvGuess is what was found out about the columns of rows without a header.
type csvGuess struct {
	columns  []gpuColumn
	used     bool // memory or utilization was found
	index    int  // the column that counts devices, -1 if there is none
	devices  int  // that it counted
	busyHere bool // if it stops to count devices, it is the utilization
}

// recheck looks whether a row still fits. What seemed to count devices and goes above
// their number did not: an idle device's utilization is 0, 0, 0, ... too.
func (g *csvGuess) recheck(cells []string) {
	if g == nil || g.index < 0 || !g.busyHere {
		return
	}
	if n := metric(cells[g.index], ""); n.State == Present && n.Value >= float64(g.devices) {
		g.columns[g.index] = gpuColumn{fieldBusy, "%"}
		g.index = -1
	}
}

// endsInUnit reports whether a cell ends in a unit, so that it is whole.
func endsInUnit(cell string) bool {
	cell = strings.TrimSpace(cell)
	for _, unit := range []string{"MiB", "%", " W", "MHz", "]"} {
		if strings.HasSuffix(cell, unit) {
			return true
		}
	}
	return false
}

// cellShape is what a cell of a row without a header looks like.
type cellShape uint8

const (
	shapeOther cellShape = iota
	shapeNumber
	shapeMissing
	shapeStamp
	shapeMiB
	shapePercent
	shapeWatt
	shapeMHz
)

func shapeOf(cell string) cellShape {
	cell = strings.Trim(cell, " \"")
	if strings.Contains(cell, "/") && !smiStamp(cell).IsZero() {
		return shapeStamp
	}
	n, ok := readMetric(cell, "")
	switch {
	case !ok:
		return shapeOther
	case n.State != Present:
		return shapeMissing
	case strings.HasSuffix(cell, "MiB"):
		return shapeMiB
	case strings.HasSuffix(cell, "%"):
		return shapePercent
	case strings.HasSuffix(cell, "W"):
		return shapeWatt
	case strings.HasSuffix(cell, "MHz"):
		return shapeMHz
	}
	return shapeNumber
}

// rowShape reports whether cells can only be a row of nvidia-smi without a header:
// with its stamp or with two of its units, one of which is of memory, and without
// text, of which only the name of a device and the like are allowed.
func rowShape(cells []string) bool {
	if len(cells) < 2 || len(cells) > 128 {
		return false
	}
	count := [shapeMHz + 1]int{}
	for _, cell := range cells {
		s := shapeOf(cell)
		if s == shapeOther && !isLabel(strings.TrimSpace(cell)) {
			return false
		}
		count[s]++
	}
	units := count[shapeMiB] + count[shapePercent] + count[shapeWatt] + count[shapeMHz]
	values := units + count[shapeNumber]
	return shapeOf(cells[0]) == shapeStamp && values >= 2 || count[shapeMiB] >= 1 && units >= 2
}

// isLabel reports whether a cell may be a word that nvidia-smi prints: a name, an
// identity, a state.
func isLabel(cell string) bool {
	for _, word := range []string{"NVIDIA", "GeForce", "RTX", "GTX", "Tesla", "Quadro", "TITAN", "GPU-", "MIG-", "Enabled", "Disabled", "Active", "Not Active"} {
		if strings.HasPrefix(cell, word) {
			return true
		}
	}
	if len(cell) >= 2 && len(cell) <= 3 && cell[0] == 'P' && isDigit(cell[1]) {
		return true // the performance state
	}
	return cell != "" && strings.Trim(cell, "0123456789abcdefABCDEFx:.") == "" // bus id, version
}

// guessColumns finds out what rows hold: the total is the greatest column and
// constant, the used memory the one below it, utilization lies within 0 and 100, an
// index counts up. What is not plain stays unknown.
func guessColumns(rows [][]string) *csvGuess {
	width := len(rows[0])
	g := &csvGuess{columns: make([]gpuColumn, width), index: -1}
	values, shapes := make([][]float64, width), make([]cellShape, width)
	for j := range width {
		for _, row := range rows {
			s := shapeOf(row[j])
			if s != shapeMissing {
				shapes[j] = s
			}
			switch cell := strings.Trim(row[j], " \""); {
			case s == shapeStamp:
				g.columns[j].field = fieldStamp
			case s == shapeOther && (strings.HasPrefix(cell, "GPU-") || strings.HasPrefix(cell, "MIG-")):
				g.columns[j].field = fieldUUID
			case s == shapeOther && strings.ContainsAny(cell, " -") && isLabel(cell):
				g.columns[j].field = fieldName
			case s == shapePercent:
				values[j] = append(values[j], 100*metric(cell, "").Value)
			case s != shapeOther && s != shapeMissing:
				values[j] = append(values[j], metric(cell, "").Value/memoryUnit(s))
			}
		}
	}
	g.power(shapes)
	g.memory(values, shapes)
	g.findIndex(values, shapes)
	g.busy(values, shapes)
	return g
}

// memoryUnit is what MiB are divided by to count them.
func memoryUnit(s cellShape) float64 {
	if s == shapeMiB {
		return float64(MiB)
	}
	return 1
}

func (g *csvGuess) power(shapes []cellShape) {
	fields := map[cellShape][]gpuField{shapeWatt: {fieldPower, fieldPowerLimit}, shapeMHz: {fieldClock}}
	for j, s := range shapes {
		if f := fields[s]; len(f) > 0 {
			g.columns[j].field, fields[s] = f[0], f[1:]
		}
	}
}

// memory finds the total and the used memory. Where the free one stands beside it,
// the used one is farther from the total: "total, free, used", "used, free, total".
func (g *csvGuess) memory(values [][]float64, shapes []cellShape) {
	units := slices.Contains(shapes, shapeMiB)
	var all []int
	total := -1
	for j, v := range values {
		if len(v) == 0 || g.columns[j].field != fieldOther || units != (shapes[j] == shapeMiB) || !units && slices.Max(v) <= 100 {
			continue
		}
		all = append(all, j)
		if slices.Max(v) > 1000 && slices.Min(v) == slices.Max(v) && (total < 0 || v[0] > values[total][0]) {
			total = j
		}
	}
	if total >= 0 && (len(all) > 1 || units && len(values) > 1 && len(values[total]) > 1) {
		all = slices.DeleteFunc(all, func(j int) bool { return j == total || slices.Max(values[j]) > values[total][0] })
		if len(all) == 0 {
			all, total = []int{total}, -1 // one number alone is what is used
		}
	}
	used := -1
	for _, j := range all {
		switch {
		case j == total:
		case used < 0:
			used = j
		case total >= 0 && complement(values[used], values[j], values[total]):
			if distance(j, total) > distance(used, total) {
				used = j
			}
		case slices.Max(values[j]) > slices.Max(values[used]):
			used = j
		}
	}
	if used < 0 {
		return
	}
	g.used = true
	g.columns[used] = gpuColumn{fieldUsed, "mib"}
	if total >= 0 {
		g.columns[total] = gpuColumn{fieldTotal, "mib"}
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// complement reports whether two columns add up to the total, but for what the
// driver keeps.
func complement(a, b, total []float64) bool {
	for i := range min(len(a), len(b), len(total)) {
		if sum := a[i] + b[i]; sum < 0.9*total[i] || sum > 1.01*total[i] {
			return false
		}
	}
	return true
}

// findIndex finds the column that counts devices, again and again: 0, 1, 0, 1, ...
func (g *csvGuess) findIndex(values [][]float64, shapes []cellShape) {
	for j, v := range values {
		if len(v) == 0 || g.columns[j].field != fieldOther || shapes[j] != shapeNumber {
			continue
		}
		top := int(slices.Max(v))
		if top > 15 || !slices.Equal(v, counting(len(v), top+1)) {
			continue
		}
		g.index, g.devices = j, top+1
		g.columns[j].field = fieldIndex
		return
	}
}

// counting is n numbers that count from 0 to below top, again and again.
func counting(n, top int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i % top)
	}
	return out
}

// busy finds the utilization among the columns from 0 to 100. A temperature never
// is below 20 and changes slowly; a width of a link never changes.
func (g *csvGuess) busy(values [][]float64, shapes []cellShape) {
	units := slices.Contains(shapes, shapePercent)
	var candidates, plain []int
	for j, v := range values {
		if len(v) == 0 || g.columns[j].field != fieldOther || slices.Max(v) > 100 || units != (shapes[j] == shapePercent) {
			continue
		}
		candidates = append(candidates, j)
		if units || !g.steady(v) {
			plain = append(plain, j)
		}
	}
	if len(plain) == 0 && len(candidates) == 1 {
		plain = candidates
	}
	if len(plain) > 0 {
		g.used = true
		g.columns[plain[0]] = gpuColumn{fieldBusy, "%"}
	}
	g.busyHere = len(plain) == 0 && g.devices == 1
}

// steady reports whether a column may be a temperature or a constant of the device.
func (g *csvGuess) steady(v []float64) bool {
	devices := max(1, g.devices)
	constant, slow := v[0] > 0 && v[0] < 100, slices.Min(v) >= 20 && slices.Max(v) <= 95
	for i := devices; i < len(v); i++ {
		step := v[i] - v[i-devices]
		constant = constant && step == 0
		slow = slow && step >= -5 && step <= 5
	}
	return constant || slow
}
