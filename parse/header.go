package parse

import "strings"

// header reads the names above an epoch's rows. It also takes the form of
// tutorials, with blanks inside the names ("GPU Mem", "Box Loss").
func (t *table) header(line string) *Columns {
	if !beginsEpoch(line) {
		return nil
	}
	fields := gridFields(line)
	if len(fields) < 3 || !strings.EqualFold(fields[0], "epoch") {
		return nil
	}
	if second := strings.ToLower(fields[1]); second != "gpu_mem" && !strings.HasPrefix(second, "gpu_mem") {
		if second != "gpu" || !strings.EqualFold(fields[2], "mem") {
			return nil
		}
		fields = splitWide(line)
		if len(fields) < 3 {
			return nil
		}
		for i, f := range fields {
			fields[i] = strings.ToLower(strings.ReplaceAll(f, " ", "_"))
		}
	}
	fields = unglue(fields)
	names := fields[2:]
	c := &Columns{}
	if n := len(names); n > 0 && isSizeName(names[n-1]) {
		c.Size, names = true, names[:n-1]
	}
	if n := len(names); n > 0 && isInstancesName(names[n-1]) {
		c.Instances, names = true, names[:n-1]
	}
	for _, name := range names {
		c.Losses = append(c.Losses, cleanText([]byte(name)))
	}
	if len(c.Losses) == 0 || len(c.Losses) > maxColumns-2 {
		return nil
	}
	return c
}

func isSizeName(s string) bool {
	switch strings.ToLower(s) {
	case "size", "img_size", "imgsz":
		return true
	}
	return false
}

func isInstancesName(s string) bool {
	switch strings.ToLower(s) {
	case "instances", "labels", "targets":
		return true
	}
	return false
}

// splitWide splits at runs of two blanks or more.
func splitWide(line string) []string {
	var out []string
	for f := range strings.SplitSeq(line, "  ") {
		if f = strings.TrimSpace(f); f != "" {
			out = append(out, f)
		}
	}
	return out
}

// beginsEpoch is the cheap part of recognizing a header.
func beginsEpoch[T string | []byte](line T) bool {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	return len(line)-i >= 5 && strings.EqualFold(string(line[i:i+5]), "epoch")
}

// gridFields splits a header at its blanks and, where the names stand right-aligned
// in columns of 11, at the end of a column whose neighbour fills its own: no blank
// is between those.
func gridFields(line string) []string {
	fields := strings.Fields(line)
	if strings.Index(line, fields[0])+len(fields[0]) != headerWidth {
		return fields
	}
	var out []string
	at, edge := 0, 0 // where in line we are, and where the column before ended
	for _, f := range fields {
		start := strings.Index(line[at:], f) + at
		at = start + len(f)
		for {
			for edge <= start {
				edge += headerWidth
			}
			if at-edge < headerWidth {
				break
			}
			out = append(out, line[start:edge])
			start = edge
		}
		edge = max(edge, at)
		out = append(out, line[start:at])
	}
	return out
}

// unglue separates names that touch each other outside of such columns.
func unglue(fields []string) []string {
	var out []string
	for _, f := range fields {
		for strings.Count(f, "_loss") > 1 {
			k := strings.Index(f, "_loss") + len("_loss")
			out = append(out, f[:k])
			f = f[k:]
		}
		out = append(out, f)
	}
	return out
}

// sameColumns reports whether two headers name the same.
func sameColumns(a, b *Columns) bool {
	if a == nil || b == nil || len(a.Losses) != len(b.Losses) || a.Instances != b.Instances || a.Size != b.Size {
		return a == b
	}
	for i := range a.Losses {
		if a.Losses[i] != b.Losses[i] {
			return false
		}
	}
	return true
}
