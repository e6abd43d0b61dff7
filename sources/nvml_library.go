//go:build linux

package sources

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

const (
	nvmlLibrary = "libnvidia-ml.so.1"
	// nvmlStubMax is more than the toolkit's stub has and less than a driver's library.
	nvmlStubMax = 512 << 10
)

// nvmlLibraries is where a library is looked for: where the system looks, and where
// drivers put it without telling the system (in WSL, on NixOS).
func nvmlLibraries(asked string) []string {
	if asked != "" {
		return []string{asked}
	}
	return []string{nvmlLibrary, "/usr/lib/wsl/lib/" + nvmlLibrary, "/run/opengl-driver/lib/" + nvmlLibrary}
}

// nvmlLoaded is the path of the library that was loaded under a name, from the list of
// what this process has mapped; the name itself if it is not there.
func nvmlLoaded(name, maps string) string {
	base, _, _ := strings.Cut(filepath.Base(name), ".so") // the file may have a longer version
	for line := range strings.Lines(maps) {
		i := strings.IndexByte(line, '/')
		if i < 0 {
			continue
		}
		path := strings.TrimRight(line[i:], "\n")
		if strings.HasPrefix(filepath.Base(path), base+".so") {
			return path
		}
	}
	return name
}

// nvmlPath is the path of the driver's library that this process has loaded; empty if it
// has none.
func nvmlPath() string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	if path := nvmlLoaded(nvmlLibrary, string(maps)); path != nvmlLibrary {
		return path
	}
	return ""
}

// nvmlIsStub reports whether a library is the one for linking that comes with the CUDA
// toolkit. It must not be called: it answers nothing and writes on the terminal.
func nvmlIsStub(path string) bool {
	if strings.Contains(path, "/stubs/") {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > nvmlStubMax {
		return false
	}
	b, err := os.ReadFile(path)
	return err == nil && bytes.Contains(b, []byte("is a stub library"))
}
