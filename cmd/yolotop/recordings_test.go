package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recordings is a folder of logs of real and made-up trainings, with what is true of
// each in cases.json.
const recordings = "testdata/recordings"

// recording is what must be reported for one set of inputs.
type recording struct {
	ID       string
	Name     string
	Input    []string
	CutLine  int   `json:"cut_line"` // only the first lines of the first input
	Runs     []int // least and most
	Judge    string
	KindsOK  []string         `json:"kinds_ok"`
	MustFind []expectation    `json:"must_find"`
	MustNot  []expectation    `json:"must_not"`
	Values   map[string]any   `json:"values"`
	ByRun    []map[string]any `json:"values_by_run"`
	Variants []recording
}

// expectation picks findings.
type expectation struct {
	Kinds       []string
	ByLine      int    `json:"by_line"`
	BeforeLine  int    `json:"before_line"`
	MinLevel    string `json:"min_level"`
	MaxLevel    string `json:"max_level"`
	LeastLevel  string `json:"level_at_least"`
	Says        string
	Advice      string
	FirstAdvice string `json:"first_advice"`
	Forecast    bool
	Active      *bool // at the end
}

// result is check's output as a reader sees it.
type result struct {
	Version int
	Runs    []map[string]any
}

type resultFinding struct {
	Kind, Level, Title, Because string
	Active                      bool
	Advice                      []string
	First, Last                 struct{ Line int }
	OOM                         *struct{ Epoch float64 }
}

// TestRecordings promises that every recording is read as it is: its values, its
// runs, its verdict, what must be said by which line and what must never be said.
func TestRecordings(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(recordings, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []recording
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			c.verify(t)
			for _, v := range c.Variants {
				t.Run(v.Name, v.verify)
			}
		})
	}
}

func (c recording) verify(t *testing.T) {
	args := []string{"check", "--json"}
	for i, name := range c.Input {
		path := filepath.Join(recordings, name)
		if i == 0 && c.CutLine > 0 {
			path = cutAt(t, path, c.CutLine)
		}
		args = append(args, path)
	}
	out := command(t, args...)
	var got result
	if err := json.Unmarshal([]byte(out.stdout), &got); err != nil {
		t.Fatalf("status %d, %v: %s", out.status, err, out.stderr)
	}
	if len(c.Runs) == 2 && (len(got.Runs) < c.Runs[0] || len(got.Runs) > c.Runs[1]) {
		t.Fatalf("%d runs, want %v", len(got.Runs), c.Runs)
	}
	judged := got.Runs[len(got.Runs)-1:]
	switch c.Judge {
	case "all":
		judged = got.Runs
	case "any":
		judged = got.Runs[:1]
	}
	for _, run := range judged {
		c.verdict(t, run)
		values(t, run, c.Values)
	}
	for i, want := range c.ByRun {
		if i < len(got.Runs) {
			values(t, got.Runs[i], want)
		}
	}
	var all []resultFinding
	worst := 0
	for _, run := range got.Runs {
		fs := findingsOf(t, run)
		all = append(all, fs...)
		for _, f := range fs {
			if f.Active {
				worst = max(worst, slices.Index(levels, f.Level))
			}
		}
	}
	if out.status != worst {
		t.Errorf("exit status %d, the gravest active finding is %s", out.status, levels[worst])
	}
	c.advisedKeys(t, all)
	for _, want := range c.MustFind {
		if !slices.ContainsFunc(all, want.matches) {
			t.Errorf("not found: %+v in %+v", want, all)
		}
	}
	for _, no := range c.MustNot {
		if i := slices.IndexFunc(all, no.matches); i >= 0 {
			t.Errorf("must not say %+v: %+v", no, all[i])
		}
	}
}

// setting is "key=value" in an advice; flags and environment variables are not.
var setting = regexp.MustCompile(`(?:^|[\s(])([a-z_0-9]+)=[\w.]+`)

// advisedKeys promises that every setting that is advised is one that this trainer
// printed itself: advice that stops a run at its start is worse than none.
func (c recording) advisedKeys(t *testing.T, findings []resultFinding) {
	t.Helper()
	var printed strings.Builder
	for _, name := range c.Input {
		for _, suffix := range []string{"", "args.yaml", "opt.yaml"} {
			path := filepath.Join(recordings, name)
			if suffix != "" {
				path = strings.TrimSuffix(path, "results.csv") + suffix
			}
			data, err := os.ReadFile(path)
			if err != nil && suffix == "" {
				t.Fatal(err)
			}
			printed.Write(data)
		}
	}
	for _, f := range findings {
		for _, advice := range f.Advice {
			for _, m := range setting.FindAllStringSubmatch(advice, -1) {
				if key := m[1]; !strings.Contains(printed.String(), key+"=") && !strings.Contains(printed.String(), key+": ") {
					t.Errorf("%s= is advised to a run that has no such setting: %s", key, advice)
				}
			}
		}
	}
}

var levels = []string{"info", "warning", "critical"}

func (e expectation) matches(f resultFinding) bool {
	level := slices.Index(levels, f.Level)
	text := strings.Join(append([]string{f.Title, f.Because}, f.Advice...), "\n")
	switch {
	case !slices.Contains(e.Kinds, "*") && !slices.Contains(e.Kinds, f.Kind),
		e.ByLine > 0 && (f.First.Line == 0 || f.First.Line > e.ByLine),
		e.BeforeLine > 0 && f.First.Line >= e.BeforeLine,
		e.MinLevel != "" && level < slices.Index(levels, e.MinLevel),
		e.MaxLevel != "" && level > slices.Index(levels, e.MaxLevel),
		e.LeastLevel != "" && level < slices.Index(levels, e.LeastLevel),
		e.Forecast && f.OOM == nil,
		e.Active != nil && f.Active != *e.Active,
		e.Says != "" && !regexp.MustCompile(e.Says).MatchString(text),
		e.Advice != "" && !slices.ContainsFunc(f.Advice, regexp.MustCompile(e.Advice).MatchString),
		e.FirstAdvice != "" && (len(f.Advice) == 0 || !regexp.MustCompile(e.FirstAdvice).MatchString(f.Advice[0])):
		return false
	}
	return true
}

func findingsOf(t *testing.T, run map[string]any) []resultFinding {
	t.Helper()
	raw, err := json.Marshal(run["findings"])
	if err != nil {
		t.Fatal(err)
	}
	var fs []resultFinding
	if err := json.Unmarshal(raw, &fs); err != nil {
		t.Fatal(err)
	}
	for _, f := range fs {
		if f.Title == "" || f.Level != "info" && (f.Because == "" || len(f.Advice) == 0) {
			t.Errorf("a finding without title, reason or advice: %+v", f)
		}
		if f.First.Line > f.Last.Line {
			t.Errorf("first true after last true: %+v", f)
		}
	}
	return fs
}

// verdict passes if the verdict is one of those that are right; where stable is,
// a mere remark is as good.
func (c recording) verdict(t *testing.T, run map[string]any) {
	t.Helper()
	if len(c.KindsOK) == 0 || slices.Contains(c.KindsOK, fmt.Sprint(run["verdict"])) {
		return
	}
	top := -1
	fs := findingsOf(t, run)
	for _, f := range fs {
		if f.Active {
			top = max(top, slices.Index(levels, f.Level))
		}
	}
	for _, f := range fs { // a tie
		if f.Active && slices.Index(levels, f.Level) == top && slices.Contains(c.KindsOK, f.Kind) {
			return
		}
	}
	if top == 0 && slices.Contains(c.KindsOK, "stable") {
		return
	}
	t.Errorf("verdict %v, want one of %v", run["verdict"], c.KindsOK)
}

// values compares a run with what is true of it; names of columns are compared
// without "_loss".
func values(t *testing.T, run map[string]any, want map[string]any) {
	t.Helper()
	for path, w := range want {
		got, ok := lookUp(run, path)
		if why := differs(got, ok, w); why != "" {
			t.Errorf("%s: %s", path, why)
		}
	}
}

func canonical(name string) string {
	name = strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(name), "train/"), "_loss")
	if name == "loss" {
		return "loss"
	}
	return name
}

func lookUp(run map[string]any, path string) (any, bool) {
	head, tail, nested := strings.Cut(path, ".")
	v := run[head]
	if !nested {
		return v, v != nil
	}
	m, _ := v.(map[string]any)
	for k, x := range m {
		if canonical(k) == canonical(tail) {
			return x, x != nil
		}
	}
	return nil, false
}

func differs(got any, ok bool, want any) string {
	w, isMap := want.(map[string]any)
	if !isMap {
		if list, isList := want.([]any); isList {
			w = map[string]any{"one_of": list}
		} else {
			w = map[string]any{"equals": want}
		}
	}
	number, isNumber := got.(float64)
	switch {
	case w["absent"] != nil:
		if ok {
			return fmt.Sprintf("is %v, must be absent", got)
		}
		return ""
	case w["not_number"] != nil:
		if ok {
			return fmt.Sprintf("is %v, was no number", got)
		}
		return ""
	case !ok:
		if w["optional"] != nil {
			return ""
		}
		return "is missing"
	}
	near := func(x any) bool {
		return isNumber && math.Abs(number-x.(float64)) <= w["tol"].(float64)*1.0001
	}
	switch {
	case w["equals"] != nil && !reflect.DeepEqual(got, w["equals"]):
	case w["one_of"] != nil && !slices.ContainsFunc(w["one_of"].([]any), func(x any) bool { return reflect.DeepEqual(x, got) }):
	case w["approx"] != nil && !near(w["approx"]):
	case w["approx_any"] != nil && !slices.ContainsFunc(w["approx_any"].([]any), near):
	case w["between"] != nil && !(isNumber && number >= w["between"].([]any)[0].(float64) && number <= w["between"].([]any)[1].(float64)):
	case w["matches"] != nil && !regexp.MustCompile(w["matches"].(string)).MatchString(fmt.Sprint(got)):
	case w["contains"] != nil && !strings.Contains(strings.ToLower(fmt.Sprint(got)), strings.ToLower(w["contains"].(string))):
	case w["columns"] != nil && !sameNames(got, w["columns"]):
	default:
		return ""
	}
	return fmt.Sprintf("is %v, want %v", got, w)
}

func sameNames(got, want any) bool {
	g, _ := got.([]any)
	var have, need []string
	for _, x := range want.([]any) {
		need = append(need, canonical(x.(string)))
	}
	for _, x := range g { // a sum may stand beside its parts
		if name := canonical(x.(string)); name != "total" && name != "loss" || slices.Contains(need, name) {
			have = append(have, name)
		}
	}
	return slices.Equal(have, need)
}

// cutAt copies the first lines of a file.
func cutAt(t *testing.T, path string, lines int) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := bytes.SplitAfterN(data, []byte("\n"), lines+1)
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(out, bytes.Join(all[:min(lines, len(all))], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}
