package tui

import (
	"math"
	"strconv"
)

// fitNumber writes v in w cells, with as many digits after the point as there is
// room for and three in all, so that a column of them does not dance.
func fitNumber(v float64, w int) string {
	switch {
	case math.IsNaN(v):
		return fitRight("nan", w)
	case math.IsInf(v, 1):
		return fitRight("inf", w)
	case math.IsInf(v, -1):
		return fitRight("-inf", w)
	}
	digits := 2
	if a := math.Abs(v); a >= 99.95 {
		digits = 0
	} else if a >= 9.995 {
		digits = 1
	}
	return fitRight(strconv.FormatFloat(v, 'f', digits, 64), w)
}

// columnFormat is how the numbers of one column are written, all alike.
type columnFormat struct {
	digits int
	sci    bool
}

// formatFor chooses a format that shows four digits of the greatest value.
func formatFor(values []float64) columnFormat {
	most := 0.0
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			most = max(most, math.Abs(v))
		}
	}
	switch {
	case most == 0:
		return columnFormat{digits: 3}
	case most >= 1e5 || most < 1e-3:
		return columnFormat{digits: 1, sci: true}
	}
	return columnFormat{digits: min(5, max(0, 3-int(math.Floor(math.Log10(most)))))}
}

func (f columnFormat) write(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case f.sci:
		return strconv.FormatFloat(v, 'e', f.digits, 64)
	}
	return strconv.FormatFloat(v, 'f', f.digits, 64)
}
