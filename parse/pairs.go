package parse

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pair is a number with its name, as people's own loops print them: "loss: 0.53",
// "lr=1e-4", "Step [100/600]", "Loss 6.9 (7.0)", "allocated: 1.23 GB", "损失：2.71".
type pair struct {
	name     string  // as printed; words are joined by a blank
	value    float64 // NaN and infinite where that is printed
	of       float64 // the second of "100/600"; -1 if there is none
	whole    bool    // value has neither point nor exponent
	decimals int     // digits behind the point
	unit     string  // "GB", "ms", "%"; empty if there is none
	signed   bool    // a colon or an equals sign stands between name and number
}

// sentence is a line of named numbers.
type sentence struct {
	pairs []pair
	loose int  // words that belong to no number
	val   bool // one of the words that belong to no number is about validation
	// lead reports whether the first of the pairs comes before any loose word.
	lead bool
}

// limits of a sentence: a longer line is no row of a loop.
const (
	maxPairs    = 48
	maxSentence = 2 << 10
)

// fullWidth puts the punctuation of Chinese texts into that of Latin ones.
var fullWidth = strings.NewReplacer("：", ":", "，", ",", "（", "(", "）", ")", "【", "[", "】", "]", "；", ";", "。", ".", "｜", "|", "＝", "=", "／", "/", "、", ",", "│", "|")

// sentenceOf reads a line that was cleaned. It reads no meaning into it.
func sentenceOf(line string) sentence {
	if !ascii(line) {
		line = fullWidth.Replace(line)
	}
	r := pairReader{rest: line}
	for r.rest != "" && len(r.out.pairs) < maxPairs {
		r.step()
	}
	r.drop()
	return r.out
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// pairReader reads a sentence from left to right.
type pairReader struct {
	rest  string
	words []string // since the last number or punctuation: the name of a number, perhaps
	named bool     // a colon or an equals sign came behind the words
	out   sentence
}

// maxNameWords is the most words of a name; more are prose.
const maxNameWords = 4

// step takes the next word, number or sign.
func (r *pairReader) step() {
	c := r.rest[0]
	switch {
	case c == ' ' || c == '\t' || c == '\'' || c == '"' || c == '`' || c == '*':
		r.rest = r.rest[1:]
	case isDigit(c) || (c == '-' || c == '+' || c == '.') && len(r.rest) > 1 && isDigit(r.rest[1]) || special(r.rest):
		r.number()
	case c == ':' || c == '=':
		r.rest = r.rest[1:]
		r.named = len(r.words) > 0
	case (c == '[' || c == '(' || c == '#') && len(r.words) > 0:
		r.rest = r.rest[1:] // "Epoch [3/10]", "epoch #3"
	default:
		n := wordLength(r.rest)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(r.rest)
			r.drop()
			r.rest = r.rest[n:]
			return
		}
		if r.named { // "Memory: allocated 1.2 GB": the word before the colon was a heading
			r.named = false
		}
		r.words = append(r.words, r.rest[:n])
		r.rest = r.rest[n:]
	}
}

// special reports whether s begins with nan or inf, and not with a word that does.
func special(s string) bool {
	i := 0
	if s[0] == '-' || s[0] == '+' {
		i++
	}
	_, n := scanFloat([]byte(s[:min(len(s), i+8)]))
	return n > 0 && !isDigit(s[i]) && s[i] != '.' && wordLength(s[i:]) == n-i
}

// number takes a number and what belongs to it.
func (r *pairReader) number() {
	text := []byte(r.rest[:min(len(r.rest), 64)])
	v, n := scanFloat(text)
	if n == 0 {
		r.drop()
		r.rest = r.rest[1:]
		return
	}
	p := pair{value: v, of: -1, whole: true, signed: r.named}
	for i, c := range text[:n] {
		switch {
		case c == '.':
			p.whole, p.decimals = false, 0
			for j := i + 1; j < n && isDigit(text[j]); j++ {
				p.decimals++
			}
		case !isDigit(c) && c != '+' && (c != '-' || i > 0):
			p.whole = false
		}
	}
	r.rest = r.rest[n:]
	last := ""
	if k := len(r.words) - 1; k >= 0 {
		last = strings.ToLower(r.words[k])
	}
	if p.whole && n <= 3 && (epochWords[last] || stepWords[last]) {
		r.thousands(&p)
	}
	rest := strings.TrimLeft(r.rest, " ")
	if second, ok := strings.CutPrefix(rest, "/"); ok {
		second = strings.TrimLeft(second, " ")
		if of, k := scanFloat([]byte(second[:min(len(second), 32)])); k > 0 && isDigit(second[0]) {
			p.of = of
			r.rest = second[k:]
		}
	}
	p.unit, r.rest = unitOf(r.rest, memoryWord(last) || strings.Contains(last, "mem") || strings.HasSuffix(last, "time"))
	if mean := strings.TrimLeft(r.rest, " "); strings.HasPrefix(mean, "(") { // "6.9 (7.0)"
		inside := strings.TrimLeft(mean[1:min(len(mean), 32)], " ")
		if _, k := scanFloat([]byte(inside)); k > 0 {
			if after := strings.TrimLeft(inside[k:], "% "); strings.HasPrefix(after, ")") {
				r.rest = mean[strings.IndexByte(mean, ')')+1:]
			}
		}
	}
	clock := strings.HasPrefix(r.rest, ":") && len(r.rest) > 1 && isDigit(r.rest[1])
	if len(r.words) == 0 && p.of > 0 && !clock { // "Epoch: [0][100/5005]"
		r.out.pairs = append(r.out.pairs, p)
		return
	}
	if k := len(r.words) - 1; k >= 0 && r.words[k] == "第" { // "第 3 轮", "第100步"
		switch next := strings.TrimLeft(r.rest, " ]"); {
		case strings.HasPrefix(next, "步"), strings.HasPrefix(next, "次"), strings.HasPrefix(next, "批"):
			r.words[k] = "第步"
		default:
			r.words[k] = "第轮"
		}
	}
	switch {
	case strings.HasSuffix(last, ".py"): // "train.py:45"
		r.words, r.named = r.words[:0], false
		return
	case clock || len(r.words) == 0 || len(r.words) > maxNameWords || !r.named && !namesNumber(r.words[len(r.words)-1]):
		r.drop()
		return
	}
	p.name = strings.Join(r.words, " ")
	if !slices.ContainsFunc(r.out.pairs, func(p pair) bool { return p.name != "" }) {
		r.out.lead = r.out.loose == 0
	}
	r.out.pairs = append(r.out.pairs, p)
	r.words, r.named = r.words[:0], false
}

// thousands takes the groups of digits behind the first one: "1,000".
func (r *pairReader) thousands(p *pair) {
	for len(r.rest) >= 4 && r.rest[0] == ',' && isDigit(r.rest[1]) && isDigit(r.rest[2]) && isDigit(r.rest[3]) && (len(r.rest) == 4 || !isDigit(r.rest[4])) {
		group, _ := scanFloat([]byte(r.rest[1:4]))
		p.value = p.value*1000 + group
		r.rest = r.rest[4:]
	}
}

// drop counts words that turned out to name nothing.
func (r *pairReader) drop() {
	for _, w := range r.words {
		low := strings.ToLower(w)
		if !fillers[low] {
			r.out.loose++
		}
		r.out.val = r.out.val || valWords[low]
	}
	r.words, r.named = r.words[:0], false
}

// wordLength is the length of the word at the start of s; 0 if there is none. Letters,
// digits and what joins them in names: "mAP@0.5", "val/loss", "Acc@1", "loss_cls".
func wordLength(s string) int {
	n := 0
	var before rune
	for i, c := range s {
		switch {
		case unicode.IsLetter(c) || c == '_':
		case i > 0 && c >= '0' && c <= '9' && before < utf8.RuneSelf: // "第100步" is three words
		case i > 0 && (c == '@' || c == '/' || c == '-' || c == '.') && i+1 < len(s) && (isLetter(s[i+1]) || isDigit(s[i+1]) && c != '/'):
		default:
			return n
		}
		n, before = i+utf8.RuneLen(c), c
	}
	return n
}

// units that may stand behind a number, with a blank or without.
var units = map[string]bool{
	"b": true, "bytes": true, "kb": true, "kib": true, "k": true, "mb": true, "mib": true, "m": true, "gb": true, "gib": true, "g": true, "tb": true, "tib": true,
	"s": true, "sec": true, "secs": true, "seconds": true, "ms": true, "it": true, "min": true, "h": true,
}

// unitOf takes the unit at the start of s, if there is one; apart is that a blank may stand
// before it, which in other names rather begins the next word.
func unitOf(s string, apart bool) (unit, rest string) {
	at := strings.TrimLeft(s, " ")
	if strings.HasPrefix(at, "%") {
		return "%", at[1:]
	}
	n := 0
	for n < len(at) && isLetter(at[n]) {
		n++
	}
	if n == 0 || !units[strings.ToLower(at[:n])] || n < len(at) && (at[n] == '_' || at[n] == '=' || at[n] == ':' || at[n] == '/' || isDigit(at[n])) {
		return "", s
	}
	if at != s && !apart {
		return "", s
	}
	return at[:n], at[n:]
}

// namesNumber reports whether a number may follow a word without a sign between them.
func namesNumber(word string) bool {
	w := strings.ToLower(word)
	switch w {
	case "acc@1", "acc@5", "epoch", "ep", "step", "iter", "iteration", "batch", "lr", "acc", "accuracy", "time", "data", "rank", "第轮", "第步", "轮次", "步", "学习率":
		return true
	}
	return strings.Contains(w, "loss") || strings.Contains(w, "损失") || memoryWord(w)
}

// fillers are words that stand in rows and say nothing.
var fillers = map[string]bool{
	"train": true, "training": true, "val": true, "valid": true, "validation": true, "test": true, "eval": true, "avg": true, "average": true, "mean": true,
	"info": true, "debug": true, "rank": true, "gpu": true, "device": true, "cuda": true, "current": true, "total": true, "time": true, "eta": true, "elapsed": true,
	"epoch": true, "step": true, "iter": true, "iteration": true, "batch": true, "memory": true, "mem": true, "loss": true, "root": true, "main": true, "__main__": true,
	"usage": true, "used": true, "on": true, "after": true, "at": true, "s": true, "it": true, "lr": true, "gb": true, "mb": true, "m": true, "h": true,
	"训练": true, "验证": true, "当前": true, "显存": true, "轮": true, "轮次": true, "步": true, "第": true, "共": true, "平均": true,
}

// count is the pair's value as a counter; ok is false if it is none.
func (p pair) count() (n int, ok bool) {
	if !p.whole || !(p.value >= 0 && p.value <= maxCount) {
		return 0, false
	}
	return int(p.value), true
}

// total is what the pair counts up to; -1 if that is not printed.
func (p pair) total() int {
	if !(p.of > 0 && p.of <= maxCount) || p.of != math.Trunc(p.of) {
		return -1
	}
	return int(p.of)
}
