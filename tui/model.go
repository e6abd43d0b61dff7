// Package tui is the screen: a Bubble Tea model that draws snapshots of a
// [diagnose.Session].
//
// The model holds the newest snapshot and the state of the view (the cursor in
// time, the focus, the page that is open) and nothing else. From the two it makes
// a scene, and every pane is a pure function of the scene and a size to exactly
// that rectangle. Which panes there are at which size is decided in layout.go; the
// first line is the verdict at every size. All keys are in one table in keys.go.
//
// The screen is built when a message changes it and handed out unchanged until
// then, and nothing is animated: a screen on which nothing changed sends no bytes.
package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
)

// Options is what a screen is told once.
type Options struct {
	Lang    diagnose.Lang
	ASCII   bool     // nothing whose width terminals disagree about
	Version string   // of the program, for the help
	Formats []string // that inputs were looked through for, by name
	Label   string   // stands in the footer: "demo"; empty for none
	Mouse   bool     // it is on from the start
	// Keys are keys for actions, instead of those in the table; see [Actions]. [CheckKeys] must
	// have found nothing.
	Keys map[string][]string
	// Choose is told which device of this machine a person ties to a run, as for
	// [diagnose.Session.Choose]. It must not block; nil if there is no such choice.
	Choose func(run, gpu int)
	// Leave is told what becomes of the training when a person leaves, where yolotop started it;
	// nil where it did not, so that there is nothing to ask. It must not block.
	Leave func(Leave)
	// Save keeps a screen in a new file of that extension and gives its path; nil if nothing can
	// be saved. It is called in a goroutine of its own.
	Save func(ext string, data []byte) (path string, err error)
	// Inline is how many lines of the terminal the screen takes, which stay when it ends; 0 for
	// all of them, on the alternate screen.
	Inline int
	// Suspend asks the shell to stop the program, which a [SuspendMsg] then does; nil where
	// Ctrl-Z does nothing, as it would stop a training, too. It must not block.
	Suspend func()
}

// Leave is what becomes of a training that yolotop has started.
type Leave uint8

// What a person may want.
const (
	LeaveStop   Leave = iota // it is asked to stop, harder each time
	LeaveDetach              // it goes on without a screen
)

// FrameMsg brings a new snapshot. It is sent at most 10 times a second, and only
// if something changed; while a run is followed, each second for the ages.
type FrameMsg struct{ Snapshot *diagnose.Snapshot }

// SuspendMsg ends the screen because the program is to be stopped; see [Model.Suspended].
type SuspendMsg struct{}

// Model is the Bubble Tea model of the screen.
type Model struct {
	options       Options
	background    background
	snap          *diagnose.Snapshot
	view          view
	width, height int
	content       string
	title         string
	suspended     bool
}

// New makes a model without a snapshot.
func New(o Options) Model { return Model{options: o, view: view{mouse: o.Mouse}} }

// Suspended reports whether the screen ended because the program is to be stopped, and not to quit.
func (m Model) Suspended() bool { return m.suspended }

// Resume is the model for a new screen, after the program was stopped.
func (m Model) Resume() Model {
	m.suspended = false
	return m
}

// Init asks the terminal for its background; nothing waits for the answer.
func (m Model) Init() tea.Cmd { return tea.RequestBackgroundColor }

// Update takes a message and redraws if it changed anything.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case FrameMsg:
		m.frame(msg.Snapshot)
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		if m.options.Inline > 0 {
			m.height = min(m.height, m.options.Inline)
		}
	case tea.BackgroundColorMsg:
		m.background = backgroundLight
		if msg.IsDark() {
			m.background = backgroundDark
		}
	case tea.KeyPressMsg:
		cmd = m.press(msg)
	case savedMsg:
		m.view.note = msg.note
	case SuspendMsg:
		m.suspended = true
		return m, tea.Quit
	case tea.MouseClickMsg:
		m.key()
		cmd = m.click(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	default:
		return m, nil
	}
	m.draw()
	return m, cmd
}

// View is the screen as it was last drawn.
func (m Model) View() tea.View {
	v := tea.NewView(m.content)
	v.AltScreen = m.options.Inline == 0
	v.WindowTitle = m.title
	if m.view.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// frame takes a new snapshot; a log that was scrolled back stays where it is.
func (m *Model) frame(snap *diagnose.Snapshot) {
	if snap == nil {
		return
	}
	before := m.scene().run
	m.snap = snap
	after := m.scene().run
	if m.view.scroll[paneLog] > 0 && before != nil && after != nil && before.ID == after.ID && len(before.Log) > 0 {
		last, added := before.Log[len(before.Log)-1], 0
		for i := len(after.Log) - 1; i >= 0 && after.Log[i] != last; i-- {
			added++
		}
		m.view.scroll[paneLog] += added
	}
	if m.view.page == pageLeave && m.scene().trainingEnded() { // there is nothing to ask any more
		m.view.page = pageMain
	}
	m.settleView()
}

// scene is what there is to see.
func (m *Model) scene() scene {
	return newScene(m.snap, m.view, newTheme(m.background, m.options.ASCII), m.options)
}

// draw builds the screen.
func (m *Model) draw() {
	s := m.scene()
	m.content = strings.Join(s.screen(m.width, m.height), "\n")
	m.title = s.windowTitle()
	if m.options.ASCII {
		m.content = toASCII(m.content)
	}
}

// windowTitle says how it is in a tab of the terminal. It is ASCII: a byte of some
// characters (0x9c, as in a check mark) ends a title for terminals that know the
// old 8-bit controls, and the rest would be printed over the screen.
func (s scene) windowTitle() string {
	if s.run == nil || !s.run.HasRows() {
		return "yolotop"
	}
	sign := strings.TrimSpace(theme{ascii: true}.glyph(s.verdict().mood))
	title := sign + " " + strings.TrimSpace(s.epochOf()) + " " + s.identity()[2] + " - yolotop"
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, title)
}
