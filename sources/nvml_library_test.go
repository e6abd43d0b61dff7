//go:build linux

package sources

import (
	"slices"
	"strings"
	"testing"
)

func TestNVMLKnowsTheToolkitsStub(t *testing.T) {
	t.Parallel()
	warning := "libnvidia-ml.so in GDK package is a stub library that is attached only for\nbuild purposes"
	for _, c := range []struct {
		name, content string
		want          bool
	}{
		{"stubs/libnvidia-ml.so", "", true},
		{"libnvidia-ml.so.535.230.02", "\x7fELF\x00" + warning, true},
		{"libnvidia-ml.so.1", "\x7fELF\x00", false},
		{"libnvidia-ml.so.1", warning + strings.Repeat("\x00", nvmlStubMax), false}, // a driver's library
	} {
		if got := nvmlIsStub(writeNVMLFile(t, c.name, c.content)); got != c.want {
			t.Errorf("%s of %d bytes: %v", c.name, len(c.content), got)
		}
	}
	if nvmlIsStub("/nowhere/libnvidia-ml.so.1") {
		t.Error("a library that is not there is a stub")
	}
}

func TestNVMLFindsWhatWasLoaded(t *testing.T) {
	t.Parallel()
	const maps = "55d0c0000000-55d0c0001000 r--p 00000000 08:01 123    /usr/bin/yolotop\n" +
		"7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n" +
		"7f1000000000-7f1000001000 r-xp 00000000 08:01 456    /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.65.06\n"
	for name, want := range map[string]string{
		"libnvidia-ml.so.1":            "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.65.06",
		"/x/libnvidia-ml.so":           "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.65.06",
		"/opt/other.so":                "/opt/other.so",
		"libnvidia-ml-something.so.1":  "libnvidia-ml-something.so.1",
		"/usr/lib/libnvidia-ml2.so.22": "/usr/lib/libnvidia-ml2.so.22",
	} {
		if got := nvmlLoaded(name, maps); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestNVMLLooksWhereItIsTold(t *testing.T) {
	t.Parallel()
	if got := nvmlLibraries("/x/y.so"); !slices.Equal(got, []string{"/x/y.so"}) {
		t.Errorf("looks for %q", got)
	}
	if got := nvmlLibraries(""); got[0] != "libnvidia-ml.so.1" {
		t.Errorf("looks for %q", got)
	}
}
