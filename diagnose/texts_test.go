package diagnose

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"yolotop/parse"
)

var placeholder = regexp.MustCompile(`%(\[\d+\])?[a-z]`)

// TestEveryTextIsInEveryLanguage promises that no sentence is missing, and that
// translations take the same arguments.
func TestEveryTextIsInEveryLanguage(t *testing.T) {
	t.Parallel()
	seen := map[Key]bool{}
	for _, texts := range []map[Key]text{catalogue, screenTexts, commandTexts, storyTexts, reportTexts, settingsTexts} {
		for key, languages := range texts {
			if seen[key] {
				t.Errorf("%s is defined twice", key)
			}
			seen[key] = true
			var want []string
			for lang, s := range languages {
				if s == "" {
					t.Errorf("%s has no text in language %d", key, lang)
				}
				args := placeholder.FindAllString(s, -1)
				slices.Sort(args)
				args = slices.Compact(args)
				if lang == 0 {
					want = args
				} else if !slices.Equal(args, want) {
					t.Errorf("%s: arguments %v in one language, %v in another", key, want, args)
				}
			}
		}
	}
}

// TestEveryKeyHasAText promises that no key in the source lacks its sentence.
func TestEveryKeyHasAText(t *testing.T) {
	t.Parallel()
	used := regexp.MustCompile(`Say\("([a-z0-9._-]+)"`)
	for _, pattern := range []string{"*.go", "../tui/*.go", "../cmd/yolotop/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range used.FindAllStringSubmatch(string(source), -1) {
				if _, ok := lookUp(Key(m[1])); !ok {
					t.Errorf("%s says %q, which has no text", name, m[1])
				}
			}
		}
	}
}

func TestArgumentsAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"18.7 GiB":   FormatGiB(18700 * parse.MiB * 1024 / 1000),
		"0.39 GiB":   FormatGiB(400 * parse.MiB),
		"113 GiB":    FormatGiB(113 * parse.GiB),
		"<1 s":       FormatDuration(300*time.Millisecond, English),
		"0 s":        FormatDuration(0, English),
		"1 h 25 min": FormatDuration(85*time.Minute+10*time.Second, English),
		"2 分 5 秒":    FormatDuration(125*time.Second, Chinese),
		"3 d 4 h":    FormatDuration(76*time.Hour, English),
		"nan":        FormatNumber(nanValue()),
		"1.022":      FormatNumber(1.022),
		"640":        FormatNumber(640),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	mention(t, Say("tight.title", Percent(0.947), 3), "95%", "epoch 3")
}

func nanValue() float64 {
	zero := 0.0
	return zero / zero
}

func TestParseLang(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]Lang{"zh": Chinese, "zh_CN.UTF-8": Chinese, "en_US.UTF-8": English, "C.UTF-8": English, "POSIX": English} {
		if got, ok := ParseLang(tag); !ok || got != want {
			t.Errorf("%s: %v, %v", tag, got, ok)
		}
	}
	if _, ok := ParseLang("fr_FR"); ok {
		t.Error("there is no French catalogue")
	}
}
