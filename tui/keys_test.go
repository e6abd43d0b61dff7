package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
)

// TestSameFrameSameView promises that a frame without news changes nothing.
func TestSameFrameSameView(t *testing.T) {
	t.Parallel()
	s := situations()["healthy"]
	session := sessionOf(s.ended, s.log)
	m := screenOf(session.Snapshot(noon()), Options{}, 120, 40)
	again, _ := m.Update(FrameMsg{session.Snapshot(noon())})
	if a, b := m.View(), again.View(); a.Content != b.Content || a.WindowTitle != b.WindowTitle {
		t.Error("the same snapshot gave another view")
	}
}

// TestSnapshotIsOnlyRead promises that drawing changes nothing in a snapshot.
func TestSnapshotIsOnlyRead(t *testing.T) {
	t.Parallel()
	s := situations()["oom"]
	snap := snapshotOf(s.ended, s.log)
	one := screenOf(snap, Options{}, 120, 40).View().Content
	screenOf(snap, Options{Lang: diagnose.Chinese}, 80, 24, "left", "left", "enter")
	if two := screenOf(snap, Options{}, 120, 40).View().Content; one != two {
		t.Error("drawing changed the snapshot")
	}
}

// TestKeyTable promises that no key means two things on a page, that Ctrl-Z is
// free, and that footer and help describe every line that does something new.
func TestKeyTable(t *testing.T) {
	t.Parallel()
	for _, on := range []page{pageMain, pageDetail, pageHelp, pageLeave, pageLog, pageRuns, pageHistory} {
		seen := map[string]bool{}
		for _, b := range bindings() {
			if b.on&on.bit() == 0 {
				continue
			}
			for _, k := range b.keys {
				if seen[k] {
					t.Errorf("%q is bound twice on page %d", k, on)
				}
				seen[k] = true
			}
			for _, key := range []diagnose.Key{b.footer, b.help} {
				if key == "" {
					continue
				}
				for _, lang := range []diagnose.Lang{diagnose.English, diagnose.Chinese} {
					if text := (diagnose.Message{Key: key}).In(lang); text == string(key) || text == "" {
						t.Errorf("%s has no text", key)
					}
				}
			}
		}
	}
}

// TestKeys is what keys do, seen on the screen.
func TestKeys(t *testing.T) {
	t.Parallel()
	all := situations()
	for _, c := range []struct {
		name, situation, keys string
		want, not             string
	}{
		{"explain", "oom", "enter", "What to do", "Losses"},
		{"explain the third", "oom", "down down enter", "no margin", ""},
		{"back from a page", "oom", "enter esc", "Losses", "What to do, the"},
		{"nothing to explain", "healthy", "enter", "Losses", ""},
		{"past", "oom", "left", "at the end of epoch 11 (now 12)", "out of memory in epoch"},
		{"past without its findings", "oom", "home", "at the end of epoch 1 ", "no margin"},
		{"before the first epoch", "oom", "home left left", "at the end of epoch 1 ", ""},
		{"live again", "oom", "left left right right", "out of memory in epoch 12", "at the end of"},
		{"G", "oom", "home G", "out of memory in epoch 12", "at the end of"},
		{"no past while it starts", "starting", "left", "starting", "at the end"},
		{"scroll losses", "finished", "w w down down", "> Losses", ""},
		{"unknown keys", "healthy", "x y", "no trouble", ""},
		{"next curve", "healthy", "tab", "─ box_loss ", "limit 23.7"},
		{"all curves", "healthy", "tab tab tab tab tab tab tab tab tab", "─ Memory ", ""},
		{"a shorter part", "healthy", "[", "epochs 18 to 37", ""},
		{"the whole again", "healthy", "[ [ ] ]", "no trouble", "epochs 18 to"},
		{"from zero", "healthy", "z z", "from zero", ""},
		{"the data alone", "healthy", "z", "axis of the data alone", "limit 23.7"},
		{"fitted again", "healthy", "z z z", "axis fitted", "from zero"},
		{"nothing to compare", "healthy", "c", "no other run to compare", ""},
		{"log", "finished", "l", "> Log", "Losses"},
		{"search", "finished", "/ m o s a i c enter", "/mosaic: 1 found", ""},
		{"the line found", "finished", "/ M o s a i x backspace c enter", "/Mosaic: 0 found", ""},
		{"a search that is no expression", "finished", "/ ( enter", "> Log", ""},
		{"give a search up", "finished", "/ m esc", "> Log", "/m:"},
		{"filter", "finished", "& C l o s i n g enter", "only Closing", "Starting training"},
		{"no filter", "finished", "& C l o s i n g enter & enter", "Starting training", "only Closing"},
		{"no line passes", "finished", "& # enter", "no line matches", "nothing but rows"},
		{"the row of a finding", "oom", "enter l", "line 33 is a row", "> Traceback"},
		{"the line of a finding", "oom", "down enter l", "> torch.OutOfMemoryError", "is a row"},
		{"back to the finding", "oom", "enter l esc", "What to do", "> Log"},
		{"back from a search", "oom", "/ T enter esc", "Losses", "> Log"},
		{"nothing to explain", "healthy", "enter", "nothing was found", ""},
		{"the mouse", "healthy", "m", "the mouse is on", ""},
		{"the mouse again", "healthy", "m m", "the mouse is off", ""},
		{"escape and a key at once", "oom", "enter alt+l", "> Log", ""},
		{"escape and a letter in a search", "oom", "/ m alt+q", "> Log", "search /"},
		{"a word of a search taken back", "oom", "/ a b c space d alt+backspace", "search /abc ", "abc d"},
		{"escape and a capital at once", "oom", "enter alt+H", "All findings", ""},
		{"history", "oom", "H", "All findings", "Losses"},
		{"runs", "oom", "r", "> Runs", "Losses"},
		{"back from runs", "oom", "r enter", "Losses", "> Runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := all[c.situation]
			frame := plainText(t, screenOf(snapshotOf(s.ended, s.log), Options{}, 120, 40, strings.Fields(c.keys)...).View().Content)
			if !strings.Contains(frame, c.want) {
				t.Errorf("no %q after %s:\n%s", c.want, c.keys, frame)
			}
			if c.not != "" && strings.Contains(frame, c.not) {
				t.Errorf("%q after %s:\n%s", c.not, c.keys, frame)
			}
		})
	}
}

// TestQuit promises that q and Ctrl-C quit on every page.
func TestQuit(t *testing.T) {
	t.Parallel()
	s := situations()["oom"]
	snap := snapshotOf(s.ended, s.log)
	for _, before := range []string{"tab", "?", "enter", "l", "r", "H"} {
		for _, key := range []string{"q", "ctrl+c", "alt+q"} {
			_, cmd := screenOf(snap, Options{}, 80, 24, before).Update(press(key))
			if cmd == nil {
				t.Fatalf("%s after %s does nothing", key, before)
			}
			if _, ok := cmd().(tea.QuitMsg); !ok {
				t.Errorf("%s after %s does not quit", key, before)
			}
		}
	}
}

// TestMouse promises that the mouse is off until it is asked for, and that the
// wheel then moves through time.
func TestMouse(t *testing.T) {
	t.Parallel()
	s := situations()["healthy"]
	m := screenOf(snapshotOf(s.ended, s.log), Options{}, 80, 24)
	if m.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is on from the start")
	}
	on, _ := m.Update(press("m"))
	if on.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("m does not turn the mouse on")
	}
	back, _ := on.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if !strings.Contains(back.View().Content, "at the end of epoch 36") {
		t.Error("the wheel does not move through time")
	}
}

// TestClicks promises that what a person sees can be pointed at: keys of the footer, findings, the
// chart, the runs.
func TestClicks(t *testing.T) {
	t.Parallel()
	all := situations()
	two := newLog(3).scanned().whole(1, 3, flat).String() + newLog(9).scanned().whole(1, 5, flat).String()
	for _, c := range []struct {
		name  string
		log   string
		ended bool
		keys  string
		on    string // text that is clicked
		want  string
	}{
		{"help", all["healthy"].log, false, "", "? help", "this help"},
		{"back", all["healthy"].log, false, "?", "esc back", "no trouble"},
		{"curve", all["healthy"].log, false, "", "tab curve", "─ box_loss "},
		{"first line", all["oom"].log, true, "", "out of memory in epoch 12", "What to do"},
		{"second finding", all["oom"].log, true, "", "tight", "no margin"},
		{"log", all["oom"].log, true, "", "torch.OutOf", "> Log"},
		{"runs", two, false, "", "r runs", "> Runs"},
		{"first run", two, false, "r", "train.log #1", "3/3"},
		{"the past", all["healthy"].log, false, "", "15.0┤          ", "at the end of epoch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := screenOf(snapshotOf(c.ended, c.log), Options{}, 120, 40, strings.Fields(c.keys)...)
			x, y := -1, -1
			for i, line := range strings.Split(plainText(t, m.View().Content), "\n") {
				if at := strings.Index(line, c.on); at >= 0 && x < 0 {
					x, y = width(line[:at])+width(c.on)-1, i
				}
			}
			if x < 0 {
				t.Fatalf("no %q on\n%s", c.on, plainText(t, m.View().Content))
			}
			after, _ := m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			if frame := plainText(t, after.View().Content); !strings.Contains(frame, c.want) {
				t.Errorf("no %q after a click on %q at %d,%d:\n%s", c.want, c.on, x, y, frame)
			}
		})
	}
}

// TestRuns goes through the runs of one log.
func TestRuns(t *testing.T) {
	t.Parallel()
	two := newLog(3).scanned().whole(1, 3, flat).String() + newLog(9).scanned().whole(1, 5, flat).String()
	snap := snapshotOf(false, two)
	for keys, want := range map[string]string{"": "5/9", "p": "3/3", "p p": "3/3", "p n": "5/9", "r up enter": "3/3", "r up down enter": "5/9", "c": "1 train.log #1"} {
		frame := plainText(t, screenOf(snap, Options{}, 120, 40, strings.Fields(keys)...).View().Content)
		if !strings.Contains(frame, want) || !strings.Contains(frame, "of 2") {
			t.Errorf("no %q after %q:\n%s", want, keys, frame)
		}
	}
}
