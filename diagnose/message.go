package diagnose

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"yolotop/parse"
)

// Lang is a language of the catalogue.
type Lang uint8

// The languages that the catalogue has.
const (
	English Lang = iota
	Chinese      // zh-CN
)

// ParseLang reads a language tag as in LANG or --lang: "en", "zh", "zh_CN.UTF-8".
// ok is false if the catalogue has no such language.
func ParseLang(tag string) (lang Lang, ok bool) {
	tag = strings.ToLower(tag)
	switch {
	case strings.HasPrefix(tag, "zh"):
		return Chinese, true
	case strings.HasPrefix(tag, "en"), tag == "c", strings.HasPrefix(tag, "c."), tag == "posix":
		return English, true
	}
	return English, false
}

// Message is a sentence of the catalogue with its arguments. The zero value says
// nothing.
type Message struct {
	Key  Key
	Args []any // parse.Bytes, Percent, time.Duration, int, float64, string or Message
}

// Say makes a message.
func Say(key Key, args ...any) Message { return Message{Key: key, Args: args} }

// IsZero reports whether m says nothing.
func (m Message) IsZero() bool { return m.Key == "" }

// In is the sentence in a language. A key that the catalogue lacks is its own text.
func (m Message) In(lang Lang) string {
	if m.IsZero() {
		return ""
	}
	texts, ok := lookUp(m.Key)
	if !ok {
		return string(m.Key)
	}
	args := make([]any, len(m.Args))
	for i, a := range m.Args {
		args[i] = argument(a, lang)
	}
	return fmt.Sprintf(texts[lang], args...)
}

func lookUp(key Key) (t text, ok bool) {
	for _, texts := range []map[Key]text{catalogue, screenTexts, commandTexts, storyTexts, reportTexts, settingsTexts} {
		if t, ok = texts[key]; ok {
			return t, true
		}
	}
	return t, false
}

// Percent is a share, 1 being all of it.
type Percent float64

func argument(a any, lang Lang) string {
	switch v := a.(type) {
	case parse.Bytes:
		return FormatGiB(v)
	case Percent:
		return fmt.Sprintf("%.0f%%", float64(v)*100)
	case time.Duration:
		return FormatDuration(v, lang)
	case int:
		return strconv.Itoa(v)
	case float64:
		return FormatNumber(v)
	case string:
		return v
	case Message:
		return v.In(lang)
	}
	return fmt.Sprint(a)
}

// FormatGiB writes an amount of memory in GiB with three digits, "18.7 GiB".
func FormatGiB(b parse.Bytes) string {
	g := b.GiB()
	switch {
	case g >= 100:
		return fmt.Sprintf("%.0f GiB", g)
	case g >= 10:
		return fmt.Sprintf("%.1f GiB", g)
	default:
		return fmt.Sprintf("%.2f GiB", g)
	}
}

// FormatNumber writes a number with four digits at most and no exponent where it
// can be helped; nan and inf as trainers print them.
func FormatNumber(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case v == math.Trunc(v) && math.Abs(v) < 1e6:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// threeDigits rounds a number to three digits, as rates are printed.
func threeDigits(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	unit := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
	if math.IsInf(unit, 0) {
		return v
	}
	return math.Round(v*unit) / unit
}

// SentenceGap is what stands between two sentences.
func SentenceGap(lang Lang) string {
	if lang == Chinese {
		return ""
	}
	return " "
}

// FormatDuration writes a duration in its two greatest units: "45 s", "2 min 5 s",
// "1 h 25 min", "3 d 4 h".
func FormatDuration(d time.Duration, lang Lang) string {
	units := [...]string{" d", " h", " min", " s"}
	if lang == Chinese {
		units = [...]string{" 天", " 小时", " 分", " 秒"}
	}
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case d > 0 && d < time.Second:
		return "<1" + units[3]
	case s < 60:
		return fmt.Sprintf("%d%s", s, units[3])
	case s < 3600:
		return two(s/60, s%60, units[2], units[3])
	case s < 86400:
		return two(s/3600, s%3600/60, units[1], units[2])
	}
	return two(s/86400, s%86400/3600, units[0], units[1])
}

func two(a, b int, ua, ub string) string {
	if b == 0 {
		return fmt.Sprintf("%d%s", a, ua)
	}
	return fmt.Sprintf("%d%s %d%s", a, ua, b, ub)
}
