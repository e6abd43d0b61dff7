package tui

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"yolotop/diagnose"
)

// prompt is what is being typed on the page of the log; its value is the key that began it.
type prompt byte

const (
	promptNone   prompt = 0
	promptSearch prompt = '/'
	promptFilter prompt = '&'
)

// logSearch is what is looked for on the page of the log.
type logSearch struct {
	prompt prompt
	typed  string // so far
	search *regexp.Regexp
	sought string // the search as it was typed
	filter *regexp.Regexp
	hit    diagnose.LogLine // the line that was jumped to; the zero value is none
	row    int              // line of a finding that is a row, which is not kept; 0 if it is none
	from   page             // that the log was opened from
}

// pattern is what a person typed as a regular expression; what is none is taken as it stands. Small
// letters find great ones, too.
func pattern(typed string) *regexp.Regexp {
	if typed == "" {
		return nil
	}
	flags := "(?i)"
	if strings.ContainsFunc(typed, unicode.IsUpper) {
		flags = ""
	}
	if re, err := regexp.Compile(flags + typed); err == nil {
		return re
	}
	return regexp.MustCompile(flags + regexp.QuoteMeta(typed))
}

// shownLog are the lines of the log that pass the filter.
func (s scene) shownLog() []diagnose.LogLine {
	lines := s.logLines()
	if s.view.log.filter == nil {
		return lines
	}
	var out []diagnose.LogLine
	for _, l := range lines {
		if s.view.log.filter.MatchString(clean(l.Text)) {
			out = append(out, l)
		}
	}
	return out
}

// logWindow is which of n lines a page of h lines shows.
func (s scene) logWindow(n, h int) (from, to int) {
	below := min(max(0, s.view.scroll[paneLog]), max(0, n-h))
	return max(0, n-below-h), n - below
}

// logPage is the log on the whole screen.
func (s scene) logPage(w, h int) (caption, []string) {
	lines := s.shownLog()
	from, to := s.logWindow(len(lines), h)
	c := caption{title: s.say("pane.log"), focused: true, right: s.say("page.lines", min(from+1, to), to, len(lines))}
	if f := s.view.log.filter; f != nil {
		c.title += " · " + s.say("log.filter", clean(strings.TrimPrefix(f.String(), "(?i)")))
	}
	if row := s.view.log.row; row > 0 {
		c.title += " · " + s.say("log.row", row)
	}
	if s.view.log.search != nil {
		n := 0
		for _, l := range lines {
			if s.view.log.search.MatchString(clean(l.Text)) {
				n++
			}
		}
		c.title += " · " + s.say("log.found", clean(s.view.log.sought), n)
	}
	if len(lines) == 0 {
		none := diagnose.Key("log.none")
		if s.view.log.filter != nil && len(s.logLines()) > 0 {
			none = "log.no.match"
		}
		return c, []string{s.theme.dim.Styled(s.say(none))}
	}
	digits := lineDigits(lines[from:to])
	var out []string
	for _, l := range lines[from:to] {
		out = append(out, s.logLine(l, digits, w))
	}
	return c, out
}

// logLine is a line of the page: its number, a sign where it is grave, and what was looked for in
// reverse.
func (s scene) logLine(l diagnose.LogLine, digits, w int) string {
	mark := s.lineNumber(l, digits) + " "
	switch {
	case l == s.view.log.hit && l != (diagnose.LogLine{}):
		mark += s.theme.accent.Bold().Styled("> ")
	case l.Grave:
		mark += s.theme.moods[moodWarning].Styled("! ")
	default:
		mark += "  "
	}
	text := cut(clean(l.Text), w-width(mark))
	if re := s.view.log.search; re != nil {
		text = re.ReplaceAllStringFunc(text, func(hit string) string {
			if hit == "" {
				return hit
			}
			return ansi.Style{}.Reverse(true).Styled(hit)
		})
	} else if l.Grave {
		text = s.theme.moods[moodWarning].Styled(text)
	}
	return mark + text
}

// openLog shows the log; from the page of a finding, the line in which it began.
func (m *Model) openLog() tea.Cmd {
	s := m.scene()
	var at *diagnose.Moment
	if f := s.explained(); m.view.page == pageDetail && f != nil {
		at = &f.First
	}
	m.view.log.from, m.view.log.row = m.view.page, 0
	m.view.page, m.view.pageScroll = pageLog, 0
	if at == nil || at.Line == 0 {
		return nil
	}
	lines := m.scene().shownLog()
	nearest := -1
	for i, l := range lines {
		if l.Input == at.Input && l.Line > 0 && (nearest < 0 || abs(l.Line-at.Line) < abs(lines[nearest].Line-at.Line)) {
			nearest = i
		}
	}
	m.showLine(lines, nearest)
	if nearest >= 0 && lines[nearest].Line != at.Line {
		m.view.log.row = at.Line
	}
	return nil
}

func abs(n int) int { return max(n, -n) }

// showLine puts a line into the middle of the page.
func (m *Model) showLine(lines []diagnose.LogLine, i int) {
	if i < 0 || i >= len(lines) {
		return
	}
	room := m.scene().pageRoom(m.height)
	m.view.log.hit, m.view.log.row = lines[i], 0
	m.view.scroll[paneLog] = within(len(lines)-1-i-room/2, len(lines)-room)
}

// ask begins to take what is typed.
func (m *Model) ask(p prompt) tea.Cmd {
	if m.view.page != pageLog {
		m.view.log.from = m.view.page
	}
	m.view.page = pageLog
	m.view.log.prompt, m.view.log.typed, m.view.log.row = p, "", 0
	return nil
}

// promptLimit is how many bytes of a search are taken.
const promptLimit = 200

// typing takes a key of what is typed.
func (m *Model) typing(msg tea.KeyPressMsg) {
	l := &m.view.log
	switch msg.String() {
	case "enter":
		re := pattern(l.typed)
		if l.prompt == promptFilter {
			l.filter, m.view.scroll[paneLog] = re, 0
		} else {
			l.search, l.sought = re, l.typed
			m.findLine(-1)
		}
		l.prompt = promptNone
	case "esc", "ctrl+c":
		l.prompt = promptNone
	case "backspace":
		if r := []rune(l.typed); len(r) > 0 {
			l.typed = string(r[:len(r)-1])
		} else {
			l.prompt = promptNone
		}
	case "ctrl+w", "alt+backspace":
		l.typed = strings.TrimRight(l.typed, " ")
		l.typed = l.typed[:strings.LastIndexByte(l.typed, ' ')+1]
	case "ctrl+u":
		l.typed = ""
	default:
		if text := clean(msg.Text); text != "" && len(l.typed)+len(text) <= promptLimit {
			l.typed += text
		}
	}
}

// findLine goes to the next line that is looked for, downwards or upwards, and round the ends.
func (m *Model) findLine(by int) tea.Cmd {
	re := m.view.log.search
	lines := m.scene().shownLog()
	if re == nil || len(lines) == 0 {
		return nil
	}
	at := slices.Index(lines, m.view.log.hit)
	if at < 0 {
		_, at = m.scene().logWindow(len(lines), m.scene().pageRoom(m.height))
		if by > 0 {
			at--
		}
	}
	for i := 1; i <= len(lines); i++ {
		k := ((at+by*i)%len(lines) + len(lines)) % len(lines)
		if re.MatchString(clean(lines[k].Text)) {
			m.showLine(lines, k)
			return nil
		}
	}
	return nil
}

// promptLine is what is typed, in the last line of the screen.
func (s scene) promptLine(w int) string {
	key := diagnose.Key("log.search.ask")
	if s.view.log.prompt == promptFilter {
		key = "log.filter.ask"
	}
	head := " " + s.say(key) + " " + string(s.view.log.prompt)
	text := s.view.log.typed
	for width(text) > max(0, w-width(head)-2) && text != "" {
		_, text, _ = strings.Cut(text, string([]rune(text)[:1]))
	}
	return fit(s.theme.strong.Styled(head)+text+ansi.Style{}.Reverse(true).Styled(" "), w)
}
