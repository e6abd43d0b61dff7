package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/sources"
)

// driverPatience is how long doctor waits for the driver, each way.
const driverPatience = 5 * time.Second

// facts are what doctor has found out about a machine.
type facts struct {
	system    string // "linux/amd64"
	driver    sources.DriverReport
	host      *parse.Host
	processes int // that this user may see; -1 if they cannot be listed
	own       int
	trainings []parse.Training
	tmux      sources.Facility
	inTmux    bool
	notices   sources.Facility
	term      string // TERM
	terminal  bool   // there is one to draw on
	w, h      int    // of the terminal; 0 if not known
	colors    string
	locale    string
	utf8      bool
	wide      bool // box lines may be two cells wide
}

// judgement is how good a fact is.
type judgement uint8

const (
	fine judgement = iota
	lacking
	failing
)

// status is one line of what doctor says.
type status struct {
	judgement judgement
	name      diagnose.Key
	text      string
	remedy    string // empty if there is nothing to do
}

func doctorCommand(env environment, global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "say what of this machine can be watched, and what is in the way",
		Long: `Says what there is of the NVIDIA driver, of this machine's own counters, of tmux
and of the terminal, and what to do about what is missing. The exit status is 0 if
all of it works, 1 if something is not there, 2 if something is there and broken.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := global.settings(env, cmd, true) // a broken configuration is no reason to say nothing
			if err != nil {
				return err
			}
			d := doctor{lang: s.lang}
			list := d.judge(examine(cmd.Context(), env))
			_, _ = fmt.Fprint(env.stdout, s.looks(env).dress(d.report(list)))
			worst := fine
			for _, s := range list {
				worst = max(worst, s.judgement)
			}
			if worst != fine {
				return statusError(worst)
			}
			return nil
		},
	}
}

// examine finds the facts.
func examine(ctx context.Context, env environment) facts {
	f := facts{
		system: runtime.GOOS + "/" + runtime.GOARCH,
		driver: sources.InspectDriver(ctx, driverPatience, sources.NVIDIAOptions{}),
		host:   sources.InspectHost(), trainings: sources.InspectTrainings(),
		tmux: sources.InspectTmux(ctx), inTmux: env.getenv("TMUX") != "", notices: sources.InspectNotices(),
		term: env.getenv("TERM"), terminal: env.screen != nil,
		colors: colorprofile.Env(environ(env.getenv)).String(),
	}
	var err error
	if f.processes, f.own, err = sources.InspectProcesses(os.Geteuid()); err != nil {
		f.processes = -1
	}
	if env.screen != nil {
		f.colors = colorprofile.Detect(env.screen.out, environ(env.getenv)).String()
		f.wide = probes(env.getenv) && drawsWide()
		if w, h, err := term.GetSize(env.screen.out.Fd()); err == nil {
			f.w, f.h = w, h
		}
	}
	f.locale, f.utf8 = localeOf(env.getenv)
	return f
}

// environ is what colorprofile reads of an environment.
func environ(getenv func(string) string) []string {
	var out []string
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM_PROGRAM", "TMUX", "STY", "WT_SESSION", "GOOGLE_CLOUD_SHELL"} {
		if v := getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// localeOf is the locale of texts, and whether its letters are in UTF-8.
func localeOf(getenv func(string) string) (name string, utf8 bool) {
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(key); v != "" {
			upper := strings.ToUpper(v)
			return v, strings.Contains(upper, "UTF-8") || strings.Contains(upper, "UTF8")
		}
	}
	return "", false
}

// doctor says in a language what facts mean.
type doctor struct{ lang diagnose.Lang }

func (d doctor) say(key diagnose.Key, args ...any) string {
	return diagnose.Say(key, args...).In(d.lang)
}

// judge says of every fact how good it is.
func (d doctor) judge(f facts) []status {
	list := []status{{name: "doctor.version", text: version() + ", " + f.system}}
	list = append(list, d.driver(f.driver)...)
	list = append(list, d.machine(f)...)
	return append(list, d.terminal(f)...)
}

// driver judges the NVIDIA driver: the library is enough, nvidia-smi will do.
func (d doctor) driver(r sources.DriverReport) []status {
	var list []status
	level := func(f sources.Facility) judgement {
		switch {
		case f.There:
			return fine
		case f.Broken:
			return failing
		}
		return lacking
	}
	library := status{level(r.Library), "doctor.nvml", r.Library.Why, ""}
	if r.Path != "" {
		library.text += ", " + r.Path
	}
	list = append(list, library)
	if !r.Library.There {
		program := status{level(r.Program), "doctor.smi", r.Program.Why, ""}
		if r.Program.There {
			program.text = d.say("doctor.works")
			list[0].judgement = min(list[0].judgement, lacking)
		}
		list = append(list, program)
	}
	for _, g := range r.GPUs {
		list = append(list, status{fine, "doctor.gpu", d.gpu(g), ""})
	}
	for _, fault := range r.Faults {
		list = append(list, status{failing, "doctor.gpu", fmt.Sprintf("GPU %d: %s", fault.Index, fault.Text), ""})
	}
	return list
}

func (d doctor) gpu(g *parse.GPU) string {
	parts := []string{fmt.Sprintf("GPU %d", g.Index), g.Name}
	used, okUsed := g.Used.Bytes()
	total, okTotal := g.Total.Bytes()
	if okUsed && okTotal {
		parts = append(parts, d.say("doctor.gpu.memory", used, total))
	}
	if g.ProcessesState != parse.Present {
		parts = append(parts, d.say("doctor.gpu.processes"))
	}
	return strings.Join(parts, ", ")
}

// machine judges what the system tells about itself and its processes.
func (d doctor) machine(f facts) []status {
	var list []status
	switch {
	case f.processes < 0:
		list = append(list, status{lacking, "doctor.processes", d.say("doctor.processes.none"), ""})
	case f.processes == f.own && f.own < 50 && strings.HasPrefix(f.system, "linux"):
		list = append(list, status{fine, "doctor.processes", d.say("doctor.processes.own", f.own), ""})
	default:
		list = append(list, status{fine, "doctor.processes", d.say("doctor.processes.all", f.processes, f.own), ""})
	}
	trainings := status{fine, "doctor.trainings", d.say("doctor.trainings.none"), ""}
	if n := len(f.trainings); n > 0 {
		t := f.trainings[0]
		trainings.text = d.say("doctor.trainings.some", n, strconv.Itoa(t.PID), t.Command)
	}
	list = append(list, trainings)
	if used, total, ok := diagnose.HostMemory(f.host); ok {
		list = append(list, status{fine, "doctor.memory", d.say("doctor.gpu.memory", used, total), ""})
	} else {
		list = append(list, status{lacking, "doctor.memory", d.say("doctor.unknown"), ""})
	}
	if cores, ok := f.host.CPULimit.Get(); ok {
		list = append(list, status{fine, "doctor.cores", d.say("doctor.cores.limit", cores), ""})
	}
	if total, ok := f.host.ShmTotal.Bytes(); ok && total > 0 {
		s := status{fine, "doctor.shm", diagnose.FormatGiB(total), ""}
		if total < parse.GiB {
			s.judgement, s.remedy = lacking, d.say("doctor.shm.small")
		}
		list = append(list, s)
	}
	if _, ok := f.host.IOPressure.Get(); !ok && strings.HasPrefix(f.system, "linux") {
		list = append(list, status{lacking, "doctor.pressure", d.say("doctor.pressure.none"), ""})
	}
	notices := status{fine, "doctor.notices", d.say("doctor.works"), ""}
	if !f.notices.There {
		notices.judgement, notices.text = lacking, f.notices.Why
	}
	return append(list, notices)
}

// terminal judges where a screen would be drawn.
func (d doctor) terminal(f facts) []status {
	tmux := status{fine, "doctor.tmux", f.tmux.Why, ""}
	switch {
	case f.tmux.Broken:
		tmux.judgement = failing
	case !f.tmux.There:
		tmux.judgement, tmux.text, tmux.remedy = lacking, d.say("doctor.tmux.none"), d.say("doctor.tmux.remedy")
	case f.inTmux:
		tmux.text += ", " + d.say("doctor.tmux.inside")
	}
	list := []status{tmux}
	screen := status{fine, "doctor.terminal", f.term, ""}
	if f.w > 0 {
		screen.text += fmt.Sprintf(", %dx%d", f.w, f.h)
	}
	if !f.terminal {
		screen.text = d.say("doctor.terminal.none")
	}
	list = append(list, screen, status{fine, "doctor.colors", f.colors, ""})
	locale := status{fine, "doctor.locale", f.locale, ""}
	switch {
	case !f.utf8:
		if locale.text == "" {
			locale.text = d.say("doctor.locale.none")
		}
		locale.judgement, locale.remedy = lacking, d.say("doctor.locale.remedy")
	case f.wide:
		locale.text += ", " + d.say("doctor.locale.wide")
	}
	return append(list, locale)
}

// report is the list for people.
func (d doctor) report(list []status) string {
	var b strings.Builder
	for _, s := range list {
		text := s.text
		if text == "" {
			text = d.say("doctor.unknown")
		}
		name := d.say(s.name)
		fmt.Fprintf(&b, "%s %s%s  %s\n", [...]string{"✓", "!", "×"}[s.judgement], name, strings.Repeat(" ", max(0, 14-ansi.StringWidth(name))), text)
		if s.remedy != "" {
			fmt.Fprintf(&b, "%18s%s\n", "", s.remedy)
		}
	}
	return b.String()
}
