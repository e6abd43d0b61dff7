package sources

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"yolotop/parse"
)

// argsLimit is more than any arguments file has; who names another file so must
// not fill the memory.
const argsLimit = 1 << 20

// argsBeside is the arguments file that belongs to a results.csv: args.yaml or
// opt.yaml beside it, X.args.yaml beside X.results.csv. Empty if there is none.
func argsBeside(path string) string {
	dir, name := filepath.Split(path)
	prefix, ok := strings.CutSuffix(strings.TrimSuffix(name, ".gz"), "results.csv")
	if !ok {
		return ""
	}
	for _, name := range []string{"args.yaml", "opt.yaml"} {
		if fi, err := os.Stat(dir + prefix + name); err == nil && fi.Mode().IsRegular() {
			return dir + prefix + name
		}
	}
	return ""
}

// readArgs is the arguments file as a record: a Config, or a Text that says why not.
func readArgs(path string) parse.Record {
	config, err := func() (*parse.Config, error) {
		f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, argsLimit))
		if err != nil {
			return nil, err
		}
		return parse.ArgsFile(data)
	}()
	if err != nil {
		return &parse.Text{Text: printable(filepath.Base(path)) + " could not be read: " + reason(err)}
	}
	return config
}
