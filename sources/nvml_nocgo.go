//go:build !linux || !cgo

package sources

// openNVML is the twin for programs that cannot load the driver's library.
func openNVML(string) (nvmlDriver, error) { return nil, errNVMLNotBuilt }
