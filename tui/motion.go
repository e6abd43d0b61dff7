package tui

import (
	"math"
	"slices"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"yolotop/diagnose"
)

// view is the state of the screen that keys change.
type view struct {
	page       page
	pageScroll int
	focus      pane
	cursor     int           // epoch of the past that is shown, or iteration where there are none; 0 for live
	run        int           // ID of the run that was chosen; 0 for the newest
	finding    int           // index of the selected one
	detail     diagnose.Kind // of the finding that is explained
	scroll     [panes]int
	chart      string // the curve that is shown, as in chart.name
	window     int    // epochs, or iterations, that the chart shows; 0 for all
	zoom       zoom   // what its vertical axis reaches over
	compare    bool   // the other runs are drawn, too
	log        logSearch
	listed     int // which of the runs is selected in their list
	mouse      bool
	lastKey    time.Time // when a key was last pressed; zero before the first
	since      time.Time // when somebody went who has just come back; else zero
	note       string    // until the next key: what became of a wish
	stops      int       // how often the training was asked to stop
}

// press does what a key means.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	m.key()
	do := dispatch(rebound(m.options.Keys), msg.String(), m.view.page)
	if m.view.log.prompt != promptNone && m.view.page == pageLog {
		if msg.Mod.Contains(tea.ModAlt) && msg.Code != tea.KeyBackspace {
			msg = tea.KeyPressMsg{Code: tea.KeyEscape} // what came with it is of no use here
		}
		m.typing(msg)
		return nil
	}
	if msg.Mod.Contains(tea.ModAlt) && do == nil { // Escape and a key that came in one piece, as over a slow line
		return tea.Sequence(m.press(tea.KeyPressMsg{Code: tea.KeyEscape}), m.press(withoutAlt(msg)))
	}
	if do == nil {
		return nil
	}
	return do(m)
}

// withoutAlt is the key that was pressed behind Escape. Of a capital, Alt leaves the small letter.
func withoutAlt(msg tea.KeyPressMsg) tea.KeyPressMsg {
	msg.Mod &^= tea.ModAlt
	if msg.Mod == tea.ModShift && unicode.IsLetter(msg.Code) {
		msg.Mod, msg.Text = 0, string(unicode.ToUpper(msg.Code))
		msg.Code = unicode.ToUpper(msg.Code)
	}
	return msg
}

func (m *Model) back() tea.Cmd {
	to := pageMain
	if m.view.page == pageLog {
		to = m.view.log.from
	}
	m.view.page, m.view.pageScroll = to, 0
	return nil
}

func (m *Model) openHelp() tea.Cmd {
	m.view.page, m.view.pageScroll = pageHelp, 0
	return nil
}

// toEnd goes to the first or the last line of a page.
func (m *Model) toEnd(by int) tea.Cmd { return m.move(by << 20) }

// explain opens the page of the selected finding.
func (m *Model) explain() tea.Cmd {
	if f := m.scene().selected(); f != nil {
		m.view.page, m.view.pageScroll, m.view.detail = pageDetail, 0, f.Kind
		return nil
	}
	m.view.note = m.scene().say("note.no.findings")
	return nil
}

// move goes through the findings, or scrolls what has the focus.
func (m *Model) move(by int) tea.Cmd {
	s := m.scene()
	switch m.view.page {
	case pageMain:
	case pageLog:
		m.view.scroll[paneLog] = within(m.view.scroll[paneLog]-by, len(s.shownLog())-s.pageRoom(m.height))
		return nil
	case pageRuns:
		m.view.listed = within(m.view.listed+by, len(s.runs)-1)
		return nil
	default:
		_, lines := s.pageLines(m.width)
		m.view.pageScroll = within(m.view.pageScroll+by, len(lines)-s.pageRoom(m.height))
		return nil
	}
	switch m.view.focus {
	case paneLog:
		m.view.scroll[paneLog] = within(m.view.scroll[paneLog]-by, len(s.logLines())-m.inside(paneLog))
	case paneLosses:
		if s.run != nil {
			rows, _ := s.tableEpochs()
			m.view.scroll[paneLosses] = within(m.view.scroll[paneLosses]+by, len(rows)-m.inside(paneLosses)+2)
		}
	default:
		m.view.finding = within(m.view.finding+by, len(s.findings())-1)
	}
	return nil
}

// within keeps a position between 0 and most.
func within(v, most int) int { return min(max(v, 0), max(most, 0)) }

// inside is how many lines a pane has for its content.
func (m *Model) inside(p pane) int {
	for _, r := range m.scene().plan(m.width, m.height) {
		if slices.Contains(r.panes, p) {
			return r.h - r.frame.outer()
		}
	}
	return 0
}

// turn gives the focus to the next pane that can be moved in.
func (m *Model) turn(by int) tea.Cmd {
	order := []pane{paneNone}
	for _, r := range m.scene().plan(m.width, m.height) {
		for _, p := range r.panes {
			if p == paneFindings || p == paneLosses && shapeOf(m.width, m.height) != side || p == paneLog {
				order = append(order, p)
			}
		}
	}
	at := max(0, slices.Index(order, m.view.focus))
	m.view.focus = order[(at+by+len(order))%len(order)]
	return nil
}

// travel moves the cursor in time by epochs, or hundredths of the iterations where there are no
// epochs. Past the newest one it is live again.
func (m *Model) travel(by int) tea.Cmd {
	s := m.scene()
	if s.run == nil || !s.run.HasRows() || s.starting() {
		return nil
	}
	first, now, newest := max(1, s.run.FirstEpoch), s.epoch(), s.run.Epoch
	if s.run.Stepwise {
		return m.travelRows(by)
	}
	if by > 0 && now+by >= newest || newest <= first {
		return m.live()
	}
	m.view.cursor = min(max(now+by, first), newest)
	m.settleView()
	return nil
}

// rowsOf are the iterations at which something was recorded of a run that counts no epochs.
func rowsOf(r *diagnose.Run) (at []int) {
	best := &r.MemorySeries
	for _, s := range r.LossSeries {
		if s.Len() > best.Len() {
			best = s
		}
	}
	for _, p := range best.Points() {
		at = append(at, int(p.X))
	}
	return at
}

// travelRows moves the cursor by rows, or by hundredths of them where there are many.
func (m *Model) travelRows(by int) tea.Cmd {
	s := m.scene()
	rows := rowsOf(s.run)
	now, found := slices.BinarySearch(rows, int(s.position()))
	if !found && by > 0 {
		now-- // the row before the one that would be next
	}
	to := now + max(-len(rows), min(by, len(rows)))*max(1, len(rows)/100)
	if len(rows) == 0 || by > 0 && to >= len(rows)-1 {
		return m.live()
	}
	m.view.cursor = max(1, rows[within(to, len(rows)-1)])
	m.settleView()
	return nil
}

// travelTo moves the cursor to a place on the axis.
func (m *Model) travelTo(x float64) {
	s := m.scene()
	if s.run == nil || !s.run.HasRows() {
		return
	}
	if !s.run.Stepwise {
		m.travel(int(x) + 1 - s.epoch())
		return
	}
	rows := rowsOf(s.run)
	if i, _ := slices.BinarySearch(rows, int(x)+1); i < len(rows)-1 {
		m.view.cursor = max(1, rows[max(0, i-1)])
		m.settleView()
		return
	}
	m.live()
}

// turnChart shows the next curve.
func (m *Model) turnChart(by int) tea.Cmd {
	s := m.scene()
	all := s.charts()
	shown := s.chart().name
	at := slices.IndexFunc(all, func(c chart) bool { return c.name == shown })
	m.view.chart = all[(at+by+len(all))%len(all)].name
	return nil
}

// narrow halves what the chart shows of the run, or doubles it.
func (m *Model) narrow(in bool) tea.Cmd {
	s := m.scene()
	if s.run == nil || !s.run.HasRows() {
		return nil
	}
	all := s
	all.view.window = 0
	a := all.newAxis(1)
	whole := int(math.Ceil(a.to - a.from))
	n := m.view.window
	if n == 0 {
		n = whole
	}
	if in {
		n = max(n/2, windowLeast)
	} else {
		n *= 2
	}
	if n >= whole {
		n = 0
	}
	m.view.window = n
	return nil
}

// zoom is what the vertical axis of a chart reaches over.
type zoom uint8

const (
	zoomLimit zoom = iota // the data, and the limit where that is near
	zoomData              // the data alone
	zoomZero              // from zero on, to the limit
	zooms
)

func (m *Model) turnZoom() tea.Cmd {
	m.view.zoom = (m.view.zoom + 1) % zooms
	return nil
}

func (m *Model) toggleCompare() tea.Cmd {
	if s := m.scene(); len(s.runs) < 2 {
		m.view.compare, m.view.note = false, s.say("chart.compare.none")
		return nil
	}
	m.view.compare = !m.view.compare
	return nil
}

// live goes back to the newest state.
func (m *Model) live() tea.Cmd {
	m.view.cursor = 0
	m.view.scroll = [panes]int{}
	m.settleView()
	return nil
}

// otherRun shows the next or the previous run.
func (m *Model) otherRun(by int) tea.Cmd {
	s := m.scene()
	to := s.index + by
	if to < 0 || to >= len(s.runs) {
		return nil
	}
	m.view.run = s.runs[to].ID
	if to == len(s.runs)-1 {
		m.view.run = 0 // follow what comes
	}
	m.view.cursor, m.view.finding, m.view.page, m.view.window = 0, 0, pageMain, 0
	m.view.scroll = [panes]int{}
	return nil
}

// chooseCard ties the next device of this machine to the run by hand: each, then none,
// then what the evidence says.
func (m *Model) chooseCard() tea.Cmd {
	s := m.scene()
	if m.options.Choose == nil || s.run == nil || !s.beside() || len(s.snap.Machine.GPUs) == 0 {
		return nil
	}
	next := 0
	switch s.run.CardBy {
	case diagnose.CardByHand:
		next = slices.IndexFunc(s.snap.Machine.GPUs, s.run.Owns) + 1
		if next == len(s.snap.Machine.GPUs) {
			next = diagnose.ChooseNone
		}
	case diagnose.CardNoneByHand:
		next = diagnose.ChooseEvidence
	}
	m.options.Choose(s.run.ID, next)
	return nil
}

// suspend asks the shell to stop the program where that stops no training.
func (m *Model) suspend() tea.Cmd {
	if m.options.Suspend != nil {
		m.options.Suspend()
	}
	return nil
}

func (m *Model) toggleMouse() tea.Cmd {
	m.view.mouse = !m.view.mouse
	m.view.note = m.scene().say(map[bool]diagnose.Key{true: "note.mouse.on", false: "note.mouse.off"}[m.view.mouse])
	return nil
}

// wheel scrolls what has the focus, else it moves through time.
func (m *Model) wheel(msg tea.MouseWheelMsg) {
	by := 0
	switch msg.Button {
	case tea.MouseWheelUp:
		by = -1
	case tea.MouseWheelDown:
		by = 1
	default:
		return
	}
	if m.view.page != pageMain || m.view.focus != paneNone {
		m.move(by)
		return
	}
	m.travel(by)
}

// settleView keeps the selection within what there is.
func (m *Model) settleView() {
	m.view.finding = within(m.view.finding, len(m.scene().findings())-1)
}
