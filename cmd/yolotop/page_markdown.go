package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// markdown is the page as GitHub's Markdown, to be pasted into an issue.
func (p page) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# yolotop: %s\n", md(p.Title))
	for _, r := range p.Runs {
		p.runMarkdown(&b, r, len(p.Runs) > 1)
	}
	fmt.Fprintf(&b, "\n---\n%s", md(p.say("report.by", p.Version)))
	if p.Redacted {
		fmt.Fprintf(&b, " %s", md(p.say("report.redacted")))
	}
	b.WriteString("\n")
	return b.Bytes()
}

func (p page) runMarkdown(b *bytes.Buffer, r pageRun, several bool) {
	if several {
		fmt.Fprintf(b, "\n## %s\n", md(r.Name))
	}
	fmt.Fprintf(b, "\n**%s**\n\n", md(r.Verdict))
	if r.Story != "" {
		fmt.Fprintf(b, "%s\n\n", md(r.Story))
	}
	p.factsMarkdown(b, r.Facts)
	if r.TextChart != "" {
		fence := "```" // as long as no line of the chart ends it
		for strings.Contains(r.TextChart, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n%stext\n%s\n%s\n", fence, r.TextChart, fence)
	} else {
		fmt.Fprintf(b, "\n%s\n", md(r.NoMemory))
	}
	fmt.Fprintf(b, "\n### %s\n", md(p.say("pane.findings")))
	if len(r.Findings) == 0 {
		fmt.Fprintf(b, "\n%s\n", md(p.say("report.none")))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(b, "\n#### %s %s · %s: %s\n\n", md(f.Sign), md(f.Level), md(f.Kind), md(f.Title))
		if f.Because != "" {
			fmt.Fprintf(b, "%s: %s\n\n", md(p.say("check.why")), md(f.Because))
		}
		for i, a := range f.Advice {
			fmt.Fprintf(b, "%d. %s\n", i+1, md(a))
		}
		if len(f.Advice) > 0 {
			b.WriteString("\n")
		}
		for _, l := range f.Limits {
			fmt.Fprintf(b, "%s: %s\n\n", md(p.say("check.limits")), md(l))
		}
		fmt.Fprintf(b, "%s\n", md(f.When))
	}
	if len(r.Withdrawn) > 0 {
		fmt.Fprintf(b, "\n### %s\n\n", md(p.say("report.withdrawn")))
		for _, f := range r.Withdrawn {
			fmt.Fprintf(b, "- %s: %s (%s)\n", md(f.Kind), md(f.Title), md(f.When))
		}
	}
	p.epochsMarkdown(b, r.Epochs)
	if len(r.Settings) > 0 {
		fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", md(p.say("report.settings")))
		p.factsMarkdown(b, r.Settings)
		b.WriteString("\n</details>\n")
	}
}

func (p page) factsMarkdown(b *bytes.Buffer, facts []pageFact) {
	fmt.Fprintf(b, "| %s | %s |\n|---|---|\n", md(p.say("report.what")), md(p.say("report.value")))
	for _, f := range facts {
		fmt.Fprintf(b, "| %s | %s |\n", md(f.Name), md(f.Value))
	}
}

func (p page) epochsMarkdown(b *bytes.Buffer, t epochTable) {
	if len(t.Rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", md(p.say("report.epochs")))
	if t.Thinned {
		fmt.Fprintf(b, "%s\n\n", md(p.say("report.thinned")))
	}
	rowMarkdown(b, t.Head)
	b.WriteString(strings.Repeat("|--:", len(t.Head)) + "|\n")
	for _, row := range t.Rows {
		rowMarkdown(b, row)
	}
}

func rowMarkdown(b *bytes.Buffer, cells []string) {
	for _, c := range cells {
		fmt.Fprintf(b, "| %s ", md(c))
	}
	b.WriteString("|\n")
}

// What GitHub makes links of: people, issues, addresses. An invisible space keeps it from that.
var (
	mdLinks  = regexp.MustCompile(`[@#]\w|\bGH-\d|://|www\.`)
	mdNumber = regexp.MustCompile(`^(\d+)([.)]\s)`) // would begin a list
)

// md is a text that Markdown takes as it stands.
func md(s string) string {
	s = mdLinks.ReplaceAllStringFunc(s, func(m string) string { return m[:1] + "\u200b" + m[1:] })
	var b strings.Builder
	dot := -1 // of a number at the beginning
	if m := mdNumber.FindStringSubmatchIndex(s); m != nil {
		dot = m[4]
	}
	runes := []rune(s)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, r := range runes {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '_' && word(i-1) && word(i+1): // as in box_loss: it is itself
			b.WriteRune(r)
		case strings.ContainsRune("\\`*[]|~$_", r), i == dot, i == 0 && len(runes) > 1 && runes[1] == ' ' && strings.ContainsRune("#+-=", r):
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
