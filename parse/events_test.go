package parse

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// eventsOf reads chunks as one input to its end.
func eventsOf(chunks ...string) []Event {
	var out []Event
	keep := func(e Event) { out = append(out, e) }
	s := NewStream(0)
	for _, c := range chunks {
		s.Write([]byte(c), time.Time{}, keep)
	}
	s.Close(time.Time{}, keep)
	return out
}

// recordsOf is the records of type R in an input.
func recordsOf[R Record](chunks ...string) []R {
	var out []R
	for _, e := range eventsOf(chunks...) {
		if r, ok := e.Record.(R); ok {
			out = append(out, r)
		}
	}
	return out
}

// one is the only record of its type in an input.
func one[R Record](t *testing.T, chunks ...string) R {
	t.Helper()
	all := recordsOf[R](chunks...)
	if len(all) != 1 {
		t.Fatalf("%d records of %T, want one, in %q", len(all), *new(R), chunks)
	}
	return all[0]
}

// noticesOf is the notices of an input, without the headers.
func noticesOf(chunks ...string) []*Notice {
	var out []*Notice
	for _, n := range recordsOf[*Notice](chunks...) {
		if n.Kind != Header {
			out = append(out, n)
		}
	}
	return out
}

// recording is a file of testdata.
func recording(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// recordings is the files of testdata that end in suffix, by name.
func recordings(t testing.TB, suffix string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*"+suffix))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings *%s: %v", suffix, err)
	}
	out := make(map[string]string, len(files))
	for _, f := range files {
		if filepath.Base(f) == "fuzz" { // what the fuzzer has found is no recording
			continue
		}
		out[filepath.Base(f)] = recording(t, filepath.Base(f))
	}
	return out
}

// same is reflect.DeepEqual for which NaN equals NaN.
func same(a, b any) bool { return sameValue(reflect.ValueOf(a), reflect.ValueOf(b)) }

func sameValue(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	switch a.Kind() {
	case reflect.Float64:
		x, y := a.Float(), b.Float()
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return sameValue(a.Elem(), b.Elem())
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[time.Time](a); ok {
			u, _ := reflect.TypeAssert[time.Time](b)
			return t.Equal(u)
		}
		for i := range a.NumField() {
			if !sameValue(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, k := range a.MapKeys() {
			if !sameValue(a.MapIndex(k), b.MapIndex(k)) {
				return false
			}
		}
		return true
	case reflect.String:
		return a.String() == b.String()
	case reflect.Bool:
		return a.Bool() == b.Bool()
	}
	if a.CanInt() {
		return a.Int() == b.Int()
	}
	return a.Uint() == b.Uint()
}

// firstDifference is the index of the first event in which two inputs differ, -1
// if they are the same.
func firstDifference(a, b []Event) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !same(a[i], b[i]) {
			return i
		}
	}
	return -1
}

// lines joins lines and ends the last one.
func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

// What stands before rows in most tests.
const (
	banner83   = "Ultralytics 8.3.0 🚀 Python-3.11.2 torch-2.4.0+cu121 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n"
	banner84   = "Ultralytics 8.4.82 🚀 Python-3.11.2 torch-2.9.0+cu128 CUDA:0 (NVIDIA GeForce RTX 3090, 24268MiB)\n"
	detectHead = "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
)

// gibibytes is n GiB, rounded as the table rounds.
func gibibytes(n float64) Bytes { return Bytes(n*float64(GiB) + 0.5) }
