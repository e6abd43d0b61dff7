package sources

import (
	"io"
	"time"

	"yolotop/parse"
)

// How much of a file tells whether it is a training log. The end helps where a
// program printed much before it began to train.
const (
	sniffHead = 256 << 10
	sniffTail = 64 << 10
)

// isTrainingLog reports whether the beginning or the end of a file says something
// about a training.
func isTrainingLog(path string) bool {
	f, err := openFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	stream := parse.NewStream(0)
	sniff := func(r io.Reader) bool {
		buf := make([]byte, chunkSize)
		for {
			n, err := r.Read(buf)
			stream.Write(buf[:n], time.Time{}, func(parse.Event) {})
			if stream.Recognized() {
				return true
			}
			if err != nil {
				stream.Close(time.Time{}, func(parse.Event) {})
				return stream.Recognized()
			}
		}
	}
	if isGzip(f) {
		r, err := unzip(f)
		return err == nil && sniff(io.LimitReader(r, sniffHead))
	}
	if sniff(io.LimitReader(f, sniffHead)) {
		return true
	}
	info, err := f.Stat()
	if err != nil || info.Size() <= sniffHead {
		return false
	}
	_, err = f.Seek(max(sniffHead, info.Size()-sniffTail), io.SeekStart)
	return err == nil && sniff(io.LimitReader(f, sniffTail))
}

// hasRows reports whether the end of a log has rows of progress.
func hasRows(path string) bool {
	f, err := openFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > sniffTail {
		if _, err := f.Seek(-sniffTail, io.SeekEnd); err != nil {
			return false
		}
	}
	found := false
	note := func(e parse.Event) {
		if _, ok := e.Record.(*parse.Progress); ok {
			found = true
		}
	}
	stream := parse.NewStream(0)
	buf := make([]byte, sniffTail)
	n, _ := io.ReadFull(io.LimitReader(f, sniffTail), buf) // fewer are as good
	stream.Write(buf[:n], time.Time{}, note)
	stream.Close(time.Time{}, note)
	return found
}
