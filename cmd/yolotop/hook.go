package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// hookFile and siteFile are the hook, and what switches it on in each Python that is started.
var (
	//go:embed hook/yolotop_hook.py
	hookFile []byte
	//go:embed hook/sitecustomize.py
	siteFile []byte
)

func hookCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "hook",
		Short: "print a small Python file that tells yolotop what torch counts",
		Long: `Prints a Python file for a training of your own: what tensors hold without the cache,
the allocator's retries, and the wait for data, in a line every 50 steps. Save it beside
your script and add two lines:

  yolotop hook > yolotop_hook.py

  import yolotop_hook
  yolotop_hook.watch()

"yolotop run --hook -- COMMAND" needs neither, and reaches the processes of DDP, too.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := env.stdout.Write(hookFile)
			return err
		},
	}
}

// hookFiles are the files that are laid, by name.
func hookFiles() map[string][]byte {
	return map[string][]byte{"yolotop_hook.py": hookFile, "sitecustomize.py": siteFile}
}

// removeHook removes what layHook has laid and Python has made of it, and nothing else.
func removeHook(folder string) {
	for name := range hookFiles() {
		_ = os.Remove(filepath.Join(folder, name))
	}
	compiled, _ := filepath.Glob(filepath.Join(folder, "__pycache__", "*.pyc"))
	for _, path := range compiled {
		_ = os.Remove(path)
	}
	_ = os.Remove(filepath.Join(folder, "__pycache__"))
	_ = os.Remove(folder) // fails where something else lies in it
}

// layHook lays the hook into a folder of its own and gives the PYTHONPATH that switches it on.
func layHook(path string) (folder, pythonPath string, err error) {
	folder, err = os.MkdirTemp("", "yolotop-hook-")
	if err != nil {
		return "", "", fmt.Errorf("a folder for the hook: %w", err)
	}
	for name, data := range hookFiles() {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			removeHook(folder)
			return "", "", fmt.Errorf("a folder for the hook: %w", err)
		}
	}
	pythonPath = folder
	if path != "" {
		pythonPath += string(os.PathListSeparator) + path
	}
	return folder, pythonPath, nil
}
