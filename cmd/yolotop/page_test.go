package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"yolotop/diagnose"
)

// A log of a run that dies in its third epoch, with what must not leave the machine in it.
const (
	secretArgs = "engine/trainer: amp=True, api_key=hunter2hunter2, batch=16, data=/home/anabel/sets/parts.yaml, epochs=10, imgsz=640, mode=train, " +
		"model=/home/anabel/models/yolo11s.pt, name=anabel_run, project=/home/anabel, task=detect, tracker=https://anabel:pw@track.example.org/x, " +
		"wandb=0123456789abcdef0123456789abcdef01234567, workers=8\n"
	deadEnd = "\nTraceback (most recent call last):\n  File \"/home/anabel/code/train.py\", line 3, in <module>\n" +
		"RuntimeError: no file /home/anabel/code/x.json, user anabel, hf_abcdefghijklmnop\n"
)

var deadLog = strings.Replace(liveLog, liveHead[strings.Index(liveHead, "\n")+1:strings.Index(liveHead, "Starting")], secretArgs, 1) + deadEnd

// written runs report on a log and gives what it wrote.
func written(t *testing.T, log, ext string, flags ...string) string {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "train.log"), filepath.Join(t.TempDir(), "report."+ext)
	if err := os.WriteFile(in, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	got := command(t, append([]string{"report", in, "-o", out}, flags...)...)
	if got.status != exitOK || got.stdout != "" || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var (
	inlineSVG = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	reference = regexp.MustCompile(`(?i)\s(?:src|href|xlink:href|action|srcset|poster|data)\s*=\s*["']?([^"'\s>]*)`)
)

// checkHTML fails the test where a page is broken or needs anything from outside.
func checkHTML(t *testing.T, page string) {
	t.Helper()
	for _, never := range []string{"<script", "<link", "<img", "<iframe", "@import", "url(", "ZgotmplZ", "NaN"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q in it", never)
		}
	}
	for _, m := range reference.FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "#") {
			t.Errorf("the page refers to %q", m[1])
		}
	}
	wellFormed(t, page, false)
	for _, s := range inlineSVG.FindAllString(page, -1) {
		wellFormed(t, s, true)
		if !strings.Contains(s, "<title>") || !strings.Contains(s, `aria-label="`) {
			t.Errorf("a chart says nothing to those who cannot see it: %.200s", s)
		}
	}
}

func wellFormed(t *testing.T, s string, strict bool) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = strict
	if !strict {
		d.AutoClose, d.Entity = xml.HTMLAutoClose, xml.HTMLEntity
	}
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in %.300s", err, s)
		}
	}
}

// TestPageTellsAll promises what a colleague needs to know, in a page that needs nothing else.
func TestPageTellsAll(t *testing.T) {
	t.Parallel()
	page := written(t, deadLog, "html")
	checkHTML(t, page)
	for _, want := range []string{
		`<html lang="en">`, "train.log", "ultralytics 8.4.82", "2.8.0&#43;cu128", "yolo11s.pt", "parts.yaml", "RTX 3090", "limit 23.7 GiB", "f: failed",
		"box_loss", "mAP50-95", "best", "prefers-color-scheme: dark", "@media print", `<th scope="row">imgsz</th><td>640</td>`, "1.222", version(),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := len(inlineSVG.FindAllString(page, -1)); n != 9 {
		t.Errorf("%d charts, want memory twice, 3 losses and 4 metrics", n)
	}
	level := byte('1')
	for _, m := range regexp.MustCompile(`<h([1-6])>`).FindAllStringSubmatch(page, -1) {
		if m[1][0] > level+1 {
			t.Errorf("a heading of level %s follows one of level %c", m[1], level)
		}
		level = m[1][0]
	}
}

// TestPageSpeaksChinese promises that no English sentence of the catalogue is left.
func TestPageSpeaksChinese(t *testing.T) {
	t.Parallel()
	page := written(t, deadLog, "html", "--lang", "zh")
	checkHTML(t, page)
	for _, want := range []string{`<html lang="zh-CN">`, "结论", "显存", "配置", "f: 失败", "由 yolotop"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "Configuration") || strings.Contains(page, "Made by") {
		t.Error("there is English in it")
	}
	if s := written(t, deadLog, "svg", "--lang", "zh"); strings.Contains(s, "?") && strings.Contains(s, "??") {
		t.Error("a picture has letters that its font lacks")
	}
}

// TestPageWordsExist promises that each sentence that the page asks for is in the catalogue.
func TestPageWordsExist(t *testing.T) {
	t.Parallel()
	keys := regexp.MustCompile(`say "([^"]+)"`).FindAllStringSubmatch(pageHTML, -1)
	if len(keys) < 10 {
		t.Fatalf("only %d", len(keys))
	}
	for _, k := range keys {
		if diagnose.Say(diagnose.Key(k[1])).In(diagnose.English) == k[1] {
			t.Errorf("%q has no text", k[1])
		}
	}
}

// TestPageIsRedacted promises that no format tells folders, users or what opens doors, and that
// --no-redact does.
func TestPageIsRedacted(t *testing.T) {
	t.Parallel()
	secrets := []string{"anabel", "hunter2", "track.example.org", "0123456789abcdef", "hf_abc", "/home", "sets/"}
	for _, format := range []string{"html", "md", "svg"} {
		page := strings.ReplaceAll(written(t, deadLog, format), "</", "<")
		for _, s := range secrets {
			if strings.Contains(page, s) {
				t.Errorf("%s: %q is in it", format, s)
			}
		}
	}
	page := written(t, deadLog, "html", "--no-redact")
	for _, s := range secrets {
		if !strings.Contains(page, s) {
			t.Errorf("--no-redact: %q is not in it", s)
		}
	}
	checkHTML(t, page)
}

// TestDiscretion promises what is hidden beside what every alert hides, and what is not.
func TestDiscretion(t *testing.T) {
	t.Parallel()
	home := func(name string) string { return map[string]string{"HOME": "/home/bo.li"}[name] }
	d := newDiscretion(diagnose.NewSession(diagnose.Input{Name: "/Users/carla/train.log"}), home, false)
	for text, want := range map[string]string{
		"/home/ana":           "…/…",
		`C:\Users\ana`:        "…/…",
		"~ana/x.pt":           "~…/x.pt",
		"bo.li_run2 of carla": "***_run2 of ***",
		"carlaville scarla":   "carlaville scarla",
		"GPU-5a3b1c2d-1111-2222-3333-0123456789ab":  "GPU-***",
		"Zm9vYmFy9QxT3kLm8PzW1aVb7Yc2Dd4E":          "***",
		"yolo11s_batch16_imgsz640_cosine_schedule_": "yolo11s_batch16_imgsz640_cosine_schedule_",
		"line\nbreak \x1b[31mred":                   "linebreak red",
	} {
		if got := d.text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for key, hidden := range map[string]bool{"api_key": true, "hf-token": true, "password": true, "keypoints": false, "monkey": false, "patience": false} {
		if got := d.setting(key, "7"); (got == "***") != hidden {
			t.Errorf("%s is %q", key, got)
		}
	}
	if got := (discretion{off: true}).setting("api_key", "/home/ana"); got != "/home/ana" {
		t.Errorf("%q", got)
	}
}

// TestPageFormats promises each format, the same bytes each time, and only for its owner.
func TestPageFormats(t *testing.T) {
	t.Parallel()
	for format, check := range map[string]func(*testing.T, string){
		"html": checkHTML,
		"svg": func(t *testing.T, s string) {
			wellFormed(t, s, true)
			if !strings.HasPrefix(s, "<?xml") || strings.Contains(s, "<image") {
				t.Errorf("%.200s", s)
			}
		},
		"png": func(t *testing.T, s string) {
			img, err := png.Decode(strings.NewReader(s))
			if err != nil || img.Bounds().Dx() < 1000 || img.Bounds().Dy() < 1000 {
				t.Errorf("%v", err)
			}
		},
		"md": func(t *testing.T, s string) {
			if !strings.HasPrefix(s, "# yolotop: train.log\n") || !strings.Contains(s, "```text\nMemory") {
				t.Errorf("%.300s", s)
			}
		},
	} {
		one := written(t, deadLog, format)
		check(t, one)
		if two := written(t, deadLog, format, "--as", strings.ToUpper(format)); one != two {
			t.Errorf("%s: other bytes the second time", format)
		}
	}
}

// TestPageMarkdown keeps the whole text of a page.
func TestPageMarkdown(t *testing.T) {
	t.Parallel()
	text := written(t, deadLog, "md")
	golden.RequireEqual(t, strings.ReplaceAll(text, "yolotop "+version(), "yolotop VERSION"))
}

// TestPageOfAnything promises a whole page for whatever a log has in it.
func TestPageOfAnything(t *testing.T) {
	t.Parallel()
	hostile := `<script>alert(1)</script>"'&amp;|` + "`x`" + ` ](javascript:x) 训练🔥 @octocat #1 ` + strings.Repeat("W", 3000)
	row := "       1/10      15.1G      1.333      0.944      1.222        120        640: 100% ━━━━━━━━━━━━ 100/100 8.0it/s 12.5s\n"
	for name, log := range map[string]string{
		"hostile names":   strings.ReplaceAll(deadLog, "name=anabel_run", "name="+hostile) + "\nRuntimeError: " + hostile + "\n",
		"hostile columns": strings.ReplaceAll(strings.ReplaceAll(deadLog, "box_loss", "<b>&loss"), "cls_loss", "损失"),
		"nan":             liveHead + liveHeader + strings.ReplaceAll(row, "1.333", "nan") + liveVal + liveHeader + strings.NewReplacer("1/10", "2/10", "1.333", "inf").Replace(row),
		"no epoch":        liveHead,
		"no memory":       liveHead + liveHeader + strings.ReplaceAll(row, "15.1G", "0G"),
		"only samples":    "timestamp, index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n2024/01/01 10:00:00.000, 0, NVIDIA A100, 1000 MiB, 40960 MiB, 90 %\n2024/01/01 10:00:05.000, 0, NVIDIA A100, 1200 MiB, 40960 MiB, 90 %\n",
		"steps only":      "step 100 loss 0.5\nstep 200 loss 0.4\nstep 300 loss 0.3\nstep 400 loss 0.2\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkHTML(t, strings.ReplaceAll(written(t, log, "html"), "NaN", "nan"))
			wellFormed(t, written(t, log, "svg"), true)
			if _, err := png.Decode(strings.NewReader(written(t, log, "png"))); err != nil {
				t.Error(err)
			}
			text := written(t, log, "md")
			for _, never := range []string{"<script", "x ](java", "@octocat", "#1 "} {
				if strings.Contains(text, never) {
					t.Errorf("Markdown has %q in it", never)
				}
			}
		})
	}
}

// TestSeveralRunsAreCompared promises a section for each run and one picture of all.
func TestSeveralRunsAreCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var names []string
	for _, n := range []string{"one.log", "two.log"} {
		names = append(names, filepath.Join(dir, n))
		log := strings.ReplaceAll(liveLog, "15.1G", map[string]string{"one.log": "15.1G", "two.log": "9.5G"}[n])
		if err := os.WriteFile(names[len(names)-1], []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, format := range []string{"html", "svg", "png", "md"} {
		got := command(t, append([]string{"report", "-o", "-", "--as", format}, names...)...)
		if got.status != exitOK || got.stderr != "" || got.stdout == "" {
			t.Fatalf("%s: %d %s", format, got.status, got.stderr)
		}
		if format == "html" {
			checkHTML(t, got.stdout)
			if !strings.Contains(got.stdout, `id="run-2"`) || !strings.Contains(got.stdout, "run 2: two.log") || !strings.Contains(got.stdout, "Memory of the runs, compared") {
				t.Error("the runs are not compared")
			}
		}
	}
}

// TestPageRefuses promises one line of reason, and that nothing is overwritten.
func TestPageRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"train.log": liveLog, "old.md": "mine", "text.log": "nothing here\n"} {
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		"use -o report.html":         {in("train.log")},
		"html, svg, png or md":       {in("train.log"), "-o", in("x.pdf")},
		"--as pdf":                   {in("train.log"), "-o", in("x.html"), "--as", "pdf"},
		"-o - needs --as":            {in("train.log"), "-o", "-"},
		"it exists (--force":         {in("train.log"), "-o", in("old.md")},
		"it is a folder":             {in("train.log"), "-o", dir, "--as", "md"},
		"there is no folder":         {in("train.log"), "-o", in("no/x.md")},
		"no such file":               {in("gone.log"), "-o", in("x.md")},
		"no training in it":          {in("text.log"), "-o", in("x.md")},
		"it is an input":             {in("train.log"), "-o", in("train.log"), "--as", "md", "--force"},
		"requires at least 1 arg(s)": {"-o", in("x.md")},
	} {
		got := command(t, append([]string{"report"}, args...)...)
		if got.status != exitUsage || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
	if data, _ := os.ReadFile(in("old.md")); string(data) != "mine" {
		t.Errorf("overwritten: %.50s", data)
	}
	if got := command(t, "report", in("train.log"), "-o", in("old.md"), "--force"); got.status != exitOK {
		t.Errorf("%+v", got)
	}
	data, _ := os.ReadFile(in("old.md"))
	info, err := os.Stat(in("old.md"))
	if err != nil || !bytes.HasPrefix(data, []byte("# yolotop")) || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v %.50s", err, info.Mode(), data)
	}
	if left, _ := filepath.Glob(in(".yolotop-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestSpikesAreDrawn promises that one sample among a million is in its column.
func TestSpikesAreDrawn(t *testing.T) {
	t.Parallel()
	var s diagnose.Series
	const n = 1_000_000
	for i := range n {
		v := 1.0
		if i == 123_456 {
			v = 99
		}
		s.Add(float64(i), 0, v)
	}
	points := columnsOf(&s, 0, n, 1)
	most := 0.0
	for _, p := range points {
		most = max(most, p.Max)
	}
	if most != 99 || len(points) > chartColumns || len(points) < chartColumns/4 {
		t.Errorf("%g in %d columns", most, len(points))
	}
	c := chart{curves: []curve{{points: points}}}
	if c.fit(true); c.low != 0 || c.high < 99 {
		t.Errorf("drawn from %g to %g", c.low, c.high)
	}
}

// TestThinned promises few rows with the first, the last and the best epoch among them.
func TestThinned(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]int{{1, 30, 7}, {1, 31, 17}, {5, 1_000_000, 123_456}, {1, 1, 1}, {3, 2, 0}, {1, 300, 300}, {1, 300, 0}} {
		epochs, less := thinned(c[0], c[1], c[2])
		if len(epochs) > epochRows || less != (c[1]-c[0] >= epochRows) {
			t.Errorf("%v: %d rows, %v", c, len(epochs), less)
		}
		seen := map[int]bool{}
		for i, e := range epochs {
			if seen[e] = true; i > 0 && epochs[i-1] >= e {
				t.Errorf("%v: %v", c, epochs)
			}
		}
		if c[1] >= c[0] && (!seen[c[0]] || !seen[c[1]] || c[2] > 0 && !seen[c[2]]) {
			t.Errorf("%v: %v", c, epochs)
		}
	}
}
