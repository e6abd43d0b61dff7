package parse

// SourceStatus is how a source is.
type SourceStatus uint8

// The states of a source.
const (
	SourceWaiting SourceStatus = iota // for a file to appear, a writer to open a pipe
	SourceReading
	SourceEnded    // no more will come
	SourceFailed   // cannot go on
	SourceReplaced // the file was truncated or replaced; what follows is a new beginning
)

// SourceState is what a source says about itself.
type SourceState struct {
	Name   string
	Status SourceStatus
	Why    string // lower case, for people; empty where nothing is to be explained
	Size   int64  // bytes that stood in a large file when it was opened; 0 once they were read, and of others
}

func (*SourceState) record() {}
