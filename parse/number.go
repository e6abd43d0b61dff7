package parse

import (
	"math"
	"strconv"
	"time"
)

// pow10 holds the powers of ten that a float64 represents exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// scanFloat reads a number at the start of b as Python prints it: digits with a
// point and an exponent, nan, inf, -inf. n is its length, 0 if there is none.
func scanFloat(b []byte) (value float64, n int) {
	i := 0
	negative := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	if i < len(b) && (b[i]|0x20 == 'n' || b[i]|0x20 == 'i') {
		return scanSpecial(b, i, negative)
	}
	var mantissa uint64
	digits, exponent, start := 0, 0, i
	for ; i < len(b) && isDigit(b[i]); i++ {
		mantissa = mantissa*10 + uint64(b[i]-'0')
		digits++
	}
	if i < len(b) && b[i] == '.' {
		i++
		for ; i < len(b) && isDigit(b[i]); i++ {
			mantissa = mantissa*10 + uint64(b[i]-'0')
			digits++
			exponent--
		}
	}
	if digits == 0 {
		return 0, 0
	}
	if j := i; j < len(b) && b[j]|0x20 == 'e' {
		j++
		sign := 1
		if j < len(b) && (b[j] == '-' || b[j] == '+') {
			if b[j] == '-' {
				sign = -1
			}
			j++
		}
		e, k := 0, j
		for ; j < len(b) && isDigit(b[j]) && e < 10000; j++ {
			e = e*10 + int(b[j]-'0')
		}
		if j > k {
			exponent += sign * e
			i = j
		}
	}
	if digits <= 15 && exponent >= -22 && exponent <= 22 { // both parts exact: one rounding
		value = float64(mantissa)
		if exponent < 0 {
			value /= pow10[-exponent]
		} else {
			value *= pow10[exponent]
		}
	} else {
		value, _ = strconv.ParseFloat(string(b[start:i]), 64) // out of range is infinite, as wanted
	}
	if negative {
		value = -value
	}
	return value, i
}

func scanSpecial(b []byte, i int, negative bool) (float64, int) {
	if len(b)-i < 3 {
		return 0, 0
	}
	if i+3 < len(b) && b[i+3] >= 'a' && b[i+3] <= 'z' {
		return 0, 0 // "info" is no number
	}
	word := [3]byte{b[i] | 0x20, b[i+1] | 0x20, b[i+2] | 0x20}
	switch word {
	case [3]byte{'n', 'a', 'n'}:
		return math.NaN(), i + 3
	case [3]byte{'i', 'n', 'f'}:
		if negative {
			return math.Inf(-1), i + 3
		}
		return math.Inf(1), i + 3
	}
	return 0, 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// maxCount bounds the epochs, iterations and counts that are believed.
const maxCount = 1<<31 - 1

// scanInt reads digits at the start of b; n is 0 if there are none or if the
// number is absurd.
func scanInt(b []byte) (value, n int) {
	for n < len(b) && isDigit(b[n]) {
		digit := int(b[n] - '0')
		if value > (maxCount-digit)/10 {
			return 0, 0
		}
		value = value*10 + digit
		n++
	}
	return value, n
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

// parseFloat reads the whole of s as a number.
func parseFloat(s string) (float64, bool) {
	v, n := scanFloat([]byte(s))
	return v, n > 0 && n == len(s)
}

// scanClock reads a duration as bars print it: "0.3s", "05:30", "1:02:03",
// "1 day, 2:03:04" is not among them. n is 0 if there is none.
func scanClock(b []byte) (d time.Duration, n int) {
	v, i := scanFloat(b)
	if i == 0 || v < 0 || v > 1e9 || !isDigit(b[0]) {
		return 0, 0
	}
	if i < len(b) && b[i] == 's' {
		return time.Duration(v * float64(time.Second)), i + 1
	}
	total, parts, at := 0, 0, 0
	for {
		x, k := scanInt(b[at:])
		if k == 0 || x > 1e5 || parts > 0 && k != 2 {
			return 0, 0 // "00:0" is half a clock
		}
		total = total*60 + x
		at += k
		parts++
		if parts == 4 || at >= len(b) || b[at] != ':' || at+1 >= len(b) || !isDigit(b[at+1]) {
			break
		}
		at++
	}
	if parts < 2 || total > 1e9 {
		return 0, 0
	}
	return time.Duration(total) * time.Second, at
}
