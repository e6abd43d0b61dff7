package sources

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

// gzipMagic begins every gzip file (RFC 1952, section 2.3.1).
const gzipMagic = "\x1f\x8b"

// isGzip looks at the first bytes, since names lie.
func isGzip(r io.ReaderAt) bool {
	var head [len(gzipMagic)]byte
	n, _ := r.ReadAt(head[:], 0)
	return string(head[:n]) == gzipMagic
}

// unzip decompresses r, which may hold several compressed files in a row, as logs
// that were packed at each rotation do. A file that ends too early gives
// io.ErrUnexpectedEOF after all that could be read.
func unzip(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(r, chunkSize))
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return z, err
}
