package tui

import (
	"cmp"
	"slices"
	"strconv"

	"yolotop/diagnose"
	"yolotop/parse"
)

// processesMost is how many processes are listed where there is room.
const processesMost = 6

// listed are the devices of this machine whose processes are listed: the run's, or all
// where none is known to be.
func (s scene) listed() []*diagnose.GPU {
	if !s.beside() {
		return nil
	}
	gpus := s.devices()
	own := slices.DeleteFunc(slices.Clone(gpus), func(g *diagnose.GPU) bool { return !s.owns(g) })
	if len(own) > 0 {
		return own
	}
	return gpus
}

// process is a process on a device.
type process struct {
	parse.GPUProcess
	on  *diagnose.GPU
	own bool
}

// processes are those on the listed devices, the run's first and then the largest.
func (s scene) processes() []process {
	var out []process
	for _, g := range s.listed() {
		for _, p := range g.Sample.Processes {
			out = append(out, process{p, g, s.run != nil && s.run.OwnProcess(p.PID)})
		}
	}
	slices.SortStableFunc(out, func(a, b process) int {
		if a.own != b.own {
			if a.own {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Used.Value, a.Used.Value), cmp.Compare(a.PID, b.PID))
	})
	return out
}

// processesPane lists who has memory on the devices.
func (s scene) processesPane(w, h int) (caption, []string) {
	gpus := s.listed()
	title := s.say("pane.machine")
	if len(gpus) == 1 {
		title = GPUName(gpus[0])
	}
	all := s.processes()
	c := caption{title: s.say("pane.processes", title)}
	if len(all) > h {
		c.right = s.say("findings.more", 1, h, len(all))
	}
	names, users := 0, 0
	for _, p := range all[:min(len(all), h)] {
		names, users = max(names, width(clean(p.Name))), max(users, width(clean(p.User)))
	}
	names, users = min(names, 24), min(users, 12)
	var out []string
	for _, p := range all[:min(len(all), h)] {
		used := s.say("processes.unknown")
		if b, ok := p.Used.Bytes(); ok {
			used = diagnose.FormatGiB(b)
		}
		line := fitRight(strconv.Itoa(p.PID), 8) + "  " + fit(cut(clean(p.Name), names), names) + "  "
		if users > 0 {
			line += fit(cut(clean(p.User), users), users) + "  "
		}
		line += fitRight(used, 9)
		if len(gpus) > 1 {
			line += "  " + GPUName(p.on)
		}
		if p.own {
			line += "  " + s.theme.accent.Styled(s.say("processes.own"))
		}
		out = append(out, cut(line, w))
	}
	return c, out
}
