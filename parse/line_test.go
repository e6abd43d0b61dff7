package parse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// cutting is the segments of an input that arrives in chunks: "line@offset:text",
// with "+" before the text of a continued piece.
func cutting(chunks ...string) []string {
	var s splitter
	var out []string
	keep := func(g *segment) {
		mark := ""
		if g.continued {
			mark = "+"
		}
		out = append(out, fmt.Sprintf("%d@%d:%s%s", g.line, g.offset, mark, g.text))
	}
	for _, c := range chunks {
		s.write([]byte(c), keep)
	}
	s.close(keep)
	return out
}

// bytewise is every byte of s as a chunk of its own.
func bytewise(s string) []string {
	var out []string
	for i := range len(s) {
		out = append(out, s[i:i+1])
	}
	return out
}

// wide is s in UTF-16 with a byte order mark.
func wide(s string, bigEndian bool) string {
	var b []byte
	for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(s))...) {
		lo, hi := byte(u), byte(u>>8)
		if bigEndian {
			lo, hi = hi, lo
		}
		b = append(b, lo, hi)
	}
	return string(b)
}

func TestSplitter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"a line", "a\n", []string{"1@0:a"}},
		{"a line without an end", "a", []string{"1@0:a"}},
		{"only \\n counts lines", "a\rb\rc\nd\n", []string{"1@0:a", "1@2:b", "1@4:c", "2@6:d"}},
		{"a terminal's line ends", "a\r\nb\r\n", []string{"1@0:a", "2@3:b"}},
		{"empty segments are none", "\n\n\r\r\n\na\n", []string{"5@6:a"}},
		{"a bar begins with its terminator", "\ra\rb", []string{"1@1:a", "1@3:b"}},
		{"the newer bar", "\r\x1b[Ka\r\x1b[Kb\n", []string{"1@1:a", "1@6:b"}},
		{"the newer bar in a notebook", "\r[Ka\r[Kb\n", []string{"1@1:a", "1@5:b"}},
		{"a line that begins with [K", "[KNN] a\n", []string{"1@0:[KNN] a"}},
		{"colours", "\x1b[34m\x1b[1mtrain: \x1b[0mx\n", []string{"1@0:train: x"}},
		{"long colours", "\x1b[38;2;255;0;1mx\x1b[m\n", []string{"1@0:x"}},
		{"private and intermediate", "\x1b[?25lx\x1b[0 qy\n", []string{"1@0:xy"}},
		{"a title", "\x1b]0;title\ax\n", []string{"1@0:x"}},
		{"a link", "\x1b]8;;http://a\x1b\\x\x1b]8;;\x1b\\\n", []string{"1@0:x"}},
		{"a string without an end stays", "\x1b]0;x\n", []string{"1@0:0;x"}},
		{"a device control string", "\x1bPq#0\x1b\\x\n", []string{"1@0:x"}},
		{"two and three characters", "\x1b7a\x1b(Bb\x1b=c\n", []string{"1@0:abc"}},
		{"cut by the line's end", "a\x1b\nb\x1b[\nc\x1b[3\n", []string{"1@0:a", "2@3:b", "3@7:c"}},
		{"malformed keeps the odd byte", "a\x1b[3\x01b\n", []string{"1@0:a\x01b"}},
		{"a cut one does not eat the row behind it", "\x1b[      1/3      2.4G\n", []string{"1@0:1/3      2.4G"}},
		{"nothing but escapes", "\x1b[0m\x1b[K\nx\n", []string{"2@8:x"}},
		{"UTF-8 byte order mark", "\xef\xbb\xbfa\nb\n", []string{"1@3:a", "2@5:b"}},
		{"half a UTF-8 mark is text", "\xef\xbb", []string{"1@0:\xef\xbb"}},
		{"half a UTF-16 mark is text", "\xff", []string{"1@0:\xff"}},
		{"invalid UTF-8 passes", "a\xff\xfeb\xe2\x94\n", []string{"1@0:a\xff\xfeb\xe2\x94"}},
		{"PowerShell", wide("Größe\r\n━ 🚀\n", false), []string{"1@2:Größe", "2@16:━ 🚀"}},
		{"big endian", wide("a━\rb", true), []string{"1@2:a━", "1@8:b"}},
		{"lone surrogates", "\xff\xfea\x00\x3d\xd8b\x00\x00\xdcc\x00\n\x00", []string{"1@2:a\ufffdb\ufffdc"}},
		{"odd number of bytes", wide("ab", false) + "x", []string{"1@2:ab"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := cutting(c.in); !slices.Equal(got, c.want) {
				t.Errorf("whole: %q, want %q", got, c.want)
			}
			if got := cutting(bytewise(c.in)...); !slices.Equal(got, c.want) {
				t.Errorf("byte by byte: %q, want %q", got, c.want)
			}
			for i := range len(c.in) {
				if got := cutting(c.in[:i], c.in[i:]); !slices.Equal(got, c.want) {
					t.Errorf("cut at %d: %q, want %q", i, got, c.want)
				}
			}
		})
	}
}

func TestLineWithoutEnd(t *testing.T) {
	t.Parallel()
	in := "x" + strings.Repeat("━", 100_000) // 300 KB
	for name, chunks := range map[string][]string{
		"whole":     {in + "\nend\n"},
		"bytes":     append(bytewise(in), "\n", "end\n"),
		"no end":    {in[:150_000], in[150_000:] + "\nend"},
		"by 65_537": {in[:65_537], in[65_537:131_074], in[131_074:] + "\n", "end\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s splitter
			var whole strings.Builder
			pieces, offset := 0, int64(0)
			keep := func(g *segment) {
				if string(g.text) == "end" {
					if g.line != 2 || g.continued || !g.first || g.offset != int64(len(in)+1) {
						t.Errorf("after it: %+v", g)
					}
					return
				}
				if len(g.text) > segmentLimit || !utf8.Valid(g.text) || g.line != 1 {
					t.Errorf("piece %d: %d bytes, valid %v, line %d", pieces, len(g.text), utf8.Valid(g.text), g.line)
				}
				if g.continued != (pieces > 0) || g.first != (pieces == 0) || g.offset != offset {
					t.Errorf("piece %d: continued %v, first %v, offset %d", pieces, g.continued, g.first, g.offset)
				}
				pieces++
				offset += int64(len(g.text))
				whole.Write(g.text)
			}
			for _, c := range chunks {
				s.write([]byte(c), keep)
				if cap(s.tail) > 2*segmentLimit {
					t.Fatalf("%d bytes kept", cap(s.tail))
				}
			}
			s.close(keep)
			if whole.String() != in || pieces != 5 {
				t.Errorf("%d bytes in %d pieces, want %d in 5", whole.Len(), pieces, len(in))
			}
		})
	}
}

func TestOnlyTheFirstPieceIsARow(t *testing.T) {
	t.Parallel()
	row := "      1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── 1/4 1.9it/s 0.2s<1.6s"
	in := banner84 + detectHead + row + strings.Repeat(" ", segmentLimit-len(row)) + row + "\n"
	if n := len(recordsOf[*Progress](in)); n != 1 {
		t.Errorf("%d rows, want the one at the line's start", n)
	}
}

func TestPendingIsTheOpenSegment(t *testing.T) {
	t.Parallel()
	var s splitter
	ignore := func(*segment) {}
	if s.pending() != nil {
		t.Error("pending before anything came")
	}
	s.write([]byte("\xef"), ignore)
	if s.pending() != nil {
		t.Error("pending before the encoding is known")
	}
	s.write([]byte("\xbb\xbfa\r\x1b[Kb\x1b[0"), ignore)
	for range 2 {
		if p := s.pending(); p == nil || string(p.text) != "b" || p.line != 1 || p.offset != 5 || p.first {
			t.Errorf("pending is %+v", p)
		}
	}
	s.write([]byte("m!"), ignore)
	if p := s.pending(); p == nil || string(p.text) != "b!" || p.reset != 1 {
		t.Errorf("pending is %+v", p)
	}
	s.write([]byte("\n"), ignore)
	if s.pending() != nil {
		t.Error("pending after the line's end")
	}
	s.write([]byte(strings.Repeat("x", segmentLimit+1)), ignore)
	if s.pending() != nil {
		t.Error("the rest of a cut line is pending")
	}
}

func TestCutMark(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{
		"abc":                     -1,
		"ab\x1b[0m: 5%":           2,
		"ab\x1b[m: 5%":            2,
		"\x1b[1mab\x1b[0mc\x1b[m": 2,
		"ab\x1b[01mc":             -1,
		"\x1b[Kab\x1b[31mc":       -1,
	} {
		if _, got, _ := stripEscapes([]byte(in), nil); got != want {
			t.Errorf("%q: reset at %d, want %d", in, got, want)
		}
	}
}

func TestCleanText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                 "plain",
		"a\tb":                  "a b",
		"a\x00\x07\x08b\x7f":    "ab",
		"c1 \u009b31m":          "c1 31m",
		"\u202eevil\u2066":      "evil",
		"half \xe2\x94":         "half \ufffd",
		"Größe 🚀 ━ 显存":          "Größe 🚀 ━ 显存",
		"\xc0\xaf\xed\xa0\x80x": "\ufffdx",
	} {
		if got := cleanText([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Sequences that never end cost one look at the rest of the line, not one each.
func TestManyStringsWithoutEnd(t *testing.T) {
	t.Parallel()
	in := strings.Repeat("\x1b]", segmentLimit/2)
	if got, _, _ := stripEscapes([]byte(in), nil); len(got) != 0 {
		t.Errorf("%d bytes are left", len(got))
	}
	if got, _, _ := stripEscapes([]byte("\x1b]a\x1b]b\x1b[1mc\x1b7d"), nil); string(got) != "abcd" {
		t.Errorf("%q is left", got)
	}
}
