package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"yolotop/diagnose"
)

//go:embed page.html
var pageHTML string

// html is the page as one document that needs nothing else. What came from inputs is escaped
// by the template; the charts have escaped their words themselves.
func (p page) html() ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"say": func(key string, args ...any) string { return p.say(diagnose.Key(key), args...) },
	}).Parse(pageHTML)
	if err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	return b.Bytes(), nil
}
