//go:build !linux

package sources

// nvmlPath is empty: only Linux is asked for the library.
func nvmlPath() string { return "" }
