package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"yolotop/diagnose"
	"yolotop/parse"
)

// pageOptions are the flags of report.
type pageOptions struct {
	out      string
	as       string
	force    bool
	noRedact bool
	lang     diagnose.Lang
	grammar  parse.Grammar
}

// pageFormats are what a report can be written as.
const pageFormats = "html, svg, png or md"

func pageCommand(env environment, global *globalFlags) *cobra.Command {
	var o pageOptions
	cmd := &cobra.Command{
		Use:   "report PATH... -o FILE",
		Short: "write one page about the runs, to send to somebody",
		Long: `Reads every input to its end, as check does, and writes one page with the verdict,
the curves, the findings and the configuration: report.html, .svg, .png or .md by
the name of the file. The page needs nothing else: no script, no network. Folders,
users' names and tokens are left out. An existing file is not overwritten. The exit
status is 0 if the page was written.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			s, err := global.settings(env, cmd, false)
			if err != nil {
				return err
			}
			o.lang, o.grammar = s.lang, s.grammar
			return interruptible(cmd.Context(), func() error { return writePage(env, paths, o) })
		},
	}
	cmd.Flags().StringVarP(&o.out, "output", "o", "", "the file to write; - is standard output and needs --as")
	cmd.Flags().StringVar(&o.as, "as", "", "what to write, whatever the file is called: "+pageFormats)
	cmd.Flags().BoolVar(&o.force, "force", false, "overwrite an existing file")
	cmd.Flags().BoolVar(&o.noRedact, "no-redact", false, "keep folders, users' names and tokens")
	return cmd
}

// writePage reads the inputs and writes the page about them.
func writePage(env environment, paths []string, o pageOptions) error {
	format, err := o.format()
	if err != nil {
		return err
	}
	if err := o.writable(); err != nil { // before a long log is read
		return err
	}
	session, err := readAll(env, paths, o.grammar, o.lang)
	if err != nil {
		return err
	}
	if err := o.noInput(session.Inputs()); err != nil {
		return err
	}
	m := pageMaker{session: session, lang: o.lang, private: newDiscretion(session, env.getenv, o.noRedact)}
	if format == "svg" || format == "png" {
		m.lang = diagnose.English // the font of pictures has no other letters
	}
	data, err := m.page(version()).in(format)
	if err != nil {
		return err
	}
	if o.out == standardInput {
		_, err = env.stdout.Write(data)
		return err
	}
	return o.write(data)
}

// in is the page in a format.
func (p page) in(format string) ([]byte, error) {
	switch format {
	case "md":
		return p.markdown(), nil
	case "svg", "png":
		return p.picture(format)
	}
	return p.html()
}

// format is what is to be written.
func (o pageOptions) format() (string, error) {
	format, by := o.as, "--as "+o.as
	switch {
	case o.out == "":
		return "", fmt.Errorf("where to write the report? use -o report.html (or .svg, .png, .md)")
	case format == "" && o.out == standardInput:
		return "", fmt.Errorf("-o - needs --as: %s", pageFormats)
	case format == "":
		format, by = strings.TrimPrefix(filepath.Ext(o.out), "."), "-o "+o.out
	}
	switch format = strings.ToLower(format); format {
	case "html", "svg", "png", "md":
		return format, nil
	case "htm":
		return "html", nil
	case "markdown":
		return "md", nil
	}
	return "", fmt.Errorf("%s: a report is written as %s", by, pageFormats)
}

// writable tells early what would fail late.
func (o pageOptions) writable() error {
	if o.out == standardInput {
		return nil
	}
	info, err := os.Stat(o.out)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("write %s: it is a folder", o.out)
	case err == nil && !o.force:
		return o.taken()
	}
	folder, err := os.Stat(filepath.Dir(o.out))
	if err != nil || !folder.IsDir() {
		return fmt.Errorf("write %s: there is no folder %s", o.out, filepath.Dir(o.out))
	}
	return nil
}

func (o pageOptions) taken() error {
	return fmt.Errorf("write %s: it exists (--force overwrites it)", o.out)
}

// noInput refuses to write over what was read.
func (o pageOptions) noInput(inputs []diagnose.Input) error {
	out, err := os.Stat(o.out)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to be written over
	}
	for _, in := range inputs {
		if info, err := os.Stat(in.Name); err == nil && os.SameFile(info, out) {
			return fmt.Errorf("write %s: it is an input", o.out)
		}
	}
	return nil
}

// write writes a file that only its owner may read, or leaves none. With --force the old
// file stays until the new one is whole.
func (o pageOptions) write(data []byte) error {
	create := func() (*os.File, error) {
		return os.OpenFile(o.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if o.force {
		create = func() (*os.File, error) { return os.CreateTemp(filepath.Dir(o.out), ".yolotop-report-*") }
	}
	f, err := create()
	if errors.Is(err, fs.ErrExist) {
		return o.taken()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", o.out, pathless(err))
	}
	name := f.Name()
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil && o.force {
		err = os.Rename(name, o.out)
	}
	if err != nil {
		_ = os.Remove(name)
		return fmt.Errorf("write %s: %w", o.out, pathless(err))
	}
	return nil
}

// pathless is the reason of an error about a file without the file's name.
func pathless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
