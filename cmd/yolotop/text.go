package main

import (
	"fmt"
	"strings"

	"yolotop/diagnose"
	"yolotop/parse"
	"yolotop/tui"
)

// levelSign is what stands before a finding; colour is never needed to tell.
func levelSign(l diagnose.Level) string {
	return [...]string{"·", "!", "×"}[l]
}

// writeRun describes a run for people.
func writeRun(b *strings.Builder, run *diagnose.Run, inputs []diagnose.Input, lang diagnose.Lang) {
	var names []string
	for _, i := range run.Inputs {
		names = append(names, tui.Clean(inputs[i].Name))
	}
	fmt.Fprintf(b, "%s\n", tui.Summary(run, inputs, lang))
	fmt.Fprintf(b, "  %s\n", strings.Join(append([]string{strings.Join(names, " + ")}, describe(run, lang)...), ", "))
	if line := strings.Join(state(run, lang), ", "); line != "" {
		fmt.Fprintf(b, "  %s\n", line)
	}
	if story := storyText(run, lang); story != "" {
		fmt.Fprintf(b, "  %s\n", story)
	}
	for _, card := range cardTexts(run, lang) {
		fmt.Fprintf(b, "  %s\n", card)
	}
	for _, values := range []string{lossText(run), metricText(run)} {
		if values != "" {
			fmt.Fprintf(b, "  %s\n", values)
		}
	}
	if m, ok := run.Estimate(); ok {
		fmt.Fprintf(b, "  %s: %s\n", diagnose.Say("check.estimate").In(lang), m.Text().In(lang))
	}
	for _, m := range run.Comparison() {
		fmt.Fprintf(b, "  %s: %s\n", diagnose.Say("check.others").In(lang), tui.Clean(m.In(lang)))
	}
	for _, f := range run.ByGravity() {
		writeFinding(b, run, f, lang)
	}
}

// storyText is what became of a run that has ended, in one paragraph; empty while it goes on.
func storyText(run *diagnose.Run, lang diagnose.Lang) string {
	var parts []string
	for _, m := range run.Story() {
		parts = append(parts, tui.Clean(m.In(lang)))
	}
	return strings.Join(parts, diagnose.SentenceGap(lang))
}

// describe is what the run is: trainer, task, model, settings.
func describe(run *diagnose.Run, lang diagnose.Lang) []string {
	var parts []string
	for _, s := range []string{strings.TrimSpace(run.Trainer + " " + run.Version), run.Task, run.Model} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if run.Batch >= 1 {
		parts = append(parts, diagnose.Say("check.batch", run.Batch).In(lang))
	}
	if len(run.ImgSize) == 1 {
		parts = append(parts, fmt.Sprintf("%d px", run.ImgSize[0]))
	}
	if d, ok := run.Device(); ok {
		if d.Name == "" {
			d.Name = strings.ToUpper(d.Kind)
		}
		parts = append(parts, d.Name)
	}
	return parts
}

// state is how far the run is and how it is.
func state(run *diagnose.Run, lang diagnose.Lang) []string {
	parts := []string{diagnose.Say(diagnose.Key("status." + string(run.Status))).In(lang)}
	switch {
	case run.Stepwise && run.Iter >= 0 && run.Iters > 0:
		parts = append(parts, diagnose.Say("check.iteration", run.Iter, run.Iters).In(lang))
	case run.Stepwise && run.Iter >= 0:
		parts = append(parts, run.Here().In(lang))
	case run.Epoch > 0 && run.Epochs > 0:
		parts = append(parts, diagnose.Say("check.epoch", run.Epoch, run.Epochs).In(lang))
	case run.Epoch > 0:
		parts = append(parts, diagnose.Say("check.epoch1", run.Epoch).In(lang))
	}
	if run.Memory.Peak > 0 {
		m := run.Memory
		m.Peak = max(m.Peak, run.HeldAtEnd())
		parts = append(parts, memoryText(m).In(lang))
	}
	if run.Rate > 0 {
		parts = append(parts, diagnose.Say("check.rate", run.Rate).In(lang))
	}
	if run.DamagedImages > 0 {
		parts = append(parts, diagnose.Say("check.images", run.DamagedImages).In(lang))
	}
	return parts
}

// cardTexts are the devices of a recording that is no run's, a line each.
func cardTexts(run *diagnose.Run, lang diagnose.Lang) (out []string) {
	if run.Joined() {
		return nil
	}
	for _, g := range run.GPUs[:min(len(run.GPUs), 16)] {
		parts := []string{strings.TrimSpace(tui.GPUName(g) + " " + tui.Clean(g.Name))}
		switch {
		case g.Measured && g.Total > 0:
			parts = append(parts, diagnose.Say("check.gpu.of", g.Used, g.Total, g.Peak).In(lang))
		case g.Measured:
			parts = append(parts, diagnose.Say("check.gpu", g.Used, g.Peak).In(lang))
		}
		if g.Busy.Len() > 0 {
			parts = append(parts, diagnose.Say("check.gpu.busy", diagnose.Percent(g.Busy.Mean())).In(lang))
		}
		out = append(out, strings.Join(parts, ", "))
	}
	return out
}

// memoryText is the most memory that was seen, and what the number counts.
func memoryText(m diagnose.Memory) diagnose.Message {
	most := m.Measure == parse.AllocatedMax || m.Measure == parse.ReservedMax // a peak by itself
	switch {
	case most && m.Total > 0:
		return diagnose.Say("check.card", m.Word(), m.Peak, m.Total)
	case most:
		return diagnose.Say("check.most", m.Word(), m.Peak)
	case m.Total > 0:
		return diagnose.Say("check.memory", m.Peak, m.Total, m.Word())
	}
	return diagnose.Say("check.memory1", m.Peak, m.Word())
}

func lossText(run *diagnose.Run) string { return valuesText(run.Columns, run.Losses) }

func metricText(run *diagnose.Run) string {
	return valuesText(run.Metrics.Names, run.Metrics.Values)
}

// valuesText is "box_loss 1.022  cls_loss 0.861".
func valuesText(names []string, values []float64) string {
	var parts []string
	for i, v := range values {
		if i < len(names) {
			parts = append(parts, names[i]+" "+diagnose.FormatNumber(v))
		}
	}
	return strings.Join(parts, "  ")
}

func writeFinding(b *strings.Builder, run *diagnose.Run, f *diagnose.Finding, lang diagnose.Lang) {
	title := tui.Clean(f.Title.In(lang))
	if !f.Active {
		fmt.Fprintf(b, "· %s (%s)\n", title, diagnose.Say("check.withdrawn").In(lang))
		return
	}
	fmt.Fprintf(b, "%s %s: %s\n", levelSign(f.Level), f.Kind, title)
	if !f.Because.IsZero() {
		fmt.Fprintf(b, "    %s: %s\n", diagnose.Say("check.why").In(lang), tui.Clean(f.Because.In(lang)))
	}
	for i, m := range run.AdviceFor(f) {
		fmt.Fprintf(b, "    %d. %s\n", i+1, tui.Clean(m.In(lang)))
	}
	for _, m := range f.Limits {
		fmt.Fprintf(b, "    %s: %s\n", diagnose.Say("check.limits").In(lang), m.In(lang))
	}
}
