package diagnose

import (
	"strings"
	"testing"

	"yolotop/parse"
)

// configured is the log of a run with another batch, of so many epochs.
func configured(batch string, memory ...float64) string {
	text := strings.Replace(epochsOf(100, memory...), "batch=16", "batch="+batch, 1)
	return strings.ReplaceAll(text, pad("1.1"), pad("1.1"+batch)) // losses of its own
}

// told is a session that has read a log beside others.
func told(t *testing.T, log string, others ...string) *Session {
	t.Helper()
	s := NewSession(Input{Name: "today.log"})
	for i, text := range others {
		name := []string{"a.log", "b.log"}[i]
		beside := NewSession(Input{Name: name})
		feed(beside, 0, text)
		beside.Observe(ended)
		s.Compare(beside.AsOthers()...)
	}
	feed(s, 0, log)
	s.Observe(ended)
	return s
}

// ended is that all was read.
var ended = parse.Event{Record: &parse.SourceState{Status: parse.SourceEnded}}

func comparison(r *Run) string {
	var parts []string
	for _, m := range r.Comparison() {
		parts = append(parts, m.In(English))
	}
	return strings.Join(parts, "\n")
}

// TestOtherBatchTellsLeakFromSize promises that the same configuration with another batch tells
// whether growth is a leak, and whether an out-of-memory is a matter of size.
func TestOtherBatchTellsLeakFromSize(t *testing.T) {
	t.Parallel()
	leaking := configured("16", line(20, 6, .25)...)
	const full = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacity of 23.70 GiB of which 512.81 MiB is free. Including non-PyTorch memory, this process has 22.61 GiB memory in use. Of the allocated memory 21.42 GiB is allocated by PyTorch, and 331.00 MiB is reserved by PyTorch but unallocated.\n"
	dead := configured("16", 21, 21.3, 21.3) + header + strings.Replace(rowWith("4", "100", "22G", "1", "100"), "100/100", "40/100", 1) + full
	for _, c := range []struct{ name, log, other, want string }{
		{"both leak alike", leaking, configured("8", line(20, 4, .25)...), "a.log, with batch 8 and imgsz 640, grew alike, by 0.25 GiB an epoch: a leak, whatever the size"},
		{"growth follows the batch", leaking, configured("8", line(20, 4, .125)...), "growth follows the size of the batch"},
		{"the other one is flat", leaking, configured("8", line(20, 4, 0)...), "stayed flat for 20 epochs"},
		{"the same settings were flat", leaking, strings.ReplaceAll(configured("16", line(20, 6, 0)...), "1.116", "1.2"), "with the same settings, stayed flat for 20 epochs, at 6.00 GiB at most: look for what has changed"},
		{"a smaller batch lived", dead, configured("8", line(20, 12, 0)...), "needed 12.0 GiB at most in 20 epochs: that size fits"},
		{"a larger batch died", configured("8", line(6, 12, 0)...), dead, "a.log, with batch 16 and imgsz 640, ran out of memory in epoch 4"},
		{"nothing is wrong", configured("8", line(6, 12, 0)...), configured("16", line(6, 18, 0)...), "needed 18.0 GiB at most in 6 epochs"},
		{"so slow that it would not show", configured("16", line(40, 6, .01)...), configured("8", line(6, 4, 0)...), "needed 4.00 GiB at most in 6 epochs"},
		{"not far enough to tell", leaking, configured("12", line(20, 5, .25)...), "needed 9.75 GiB at most"},
		{"the same log", leaking, leaking, ""},
		{"the same seed", leaking, strings.ReplaceAll(leaking, "runs/detect/train", "runs/detect/train2"), "with the same settings, grew too"},
		{"another data set of the same name", leaking, strings.Replace(configured("8", line(20, 4, 0)...), "data=x.yaml", "data=/other/x.yaml", 1), ""},
		{"what a checkpoint is of", strings.Replace(leaking, "yolo11s.pt", "a/best.pt", 1), strings.Replace(configured("8", line(20, 4, 0)...), "yolo11s.pt", "a/best.pt", 1), ""},
		{"another model", leaking, strings.Replace(configured("8", line(20, 4, 0)...), "yolo11s.pt", "yolo11m.pt", 1), ""},
		{"without AMP", leaking, strings.Replace(configured("8", line(20, 4, 0)...), "amp=True", "amp=False", 1), ""},
		{"too short", leaking, configured("8", 4, 4), ""},
		{"another process was in the way", leaking, configured("8", 4) + strings.Replace(full, "22.61 GiB", "2.61 GiB. Process 77 has 19.00 GiB", 1), ""},
	} {
		r := only(t, told(t, c.log, c.other))
		if got := comparison(r); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestYesterdayTellsWhetherTodayFits promises a warning after the first epoch where a run with
// the same settings came to need nearly the whole card, and that it goes once this run has come
// further.
func TestYesterdayTellsWhetherTodayFits(t *testing.T) {
	t.Parallel()
	yesterday := append(line(5, 12, 0), append(line(5, 18, 0), line(5, 22.4, 0)...)...)
	other := strings.ReplaceAll(configured("16", yesterday...), "1.116", "1.2")
	f := found(t, only(t, told(t, configured("16", 12), other)), Tight)
	if !f.Active || !f.Provisional || f.Level != Warning || f.First.Epoch != 1 && f.First.Epoch != 2 {
		t.Errorf("%+v", f)
	}
	mention(t, f.Title, "a.log, with the same settings, has needed 95% of such a card")
	mention(t, f.Because, "22.4 GiB at its peak in 15 epochs; this card has 23.7 GiB")
	if a := advice(f); !strings.Contains(a, "batch=12") {
		t.Errorf("advice: %s", a)
	}
	for name, log := range map[string]string{
		"it has come further":        configured("16", line(17, 12, 0)...),
		"it needs less at the start": configured("16", 9, 9),
		"another size":               configured("12", 12, 12),
		"it has ended":               configured("16", 12) + "1 epochs completed in 0.1 hours.\n",
		"a smaller card":             strings.Replace(configured("16", 12, 12), "24268MiB", "20000MiB", 1),
		"it ends before":             strings.ReplaceAll(configured("16", 12, 12), "100", "9"),
	} {
		if f := only(t, told(t, log, other)).active(Tight); f != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f := found(t, only(t, told(t, configured("16", 12, 12, 22.5), other)), Tight); f.Provisional || f.First.Epoch > 2 {
		t.Errorf("its own rows say it: %+v", f)
	}
}

// TestRunsOfOneSession promises that runs which were given together are compared, whichever
// comes first, and that each is named.
func TestRunsOfOneSession(t *testing.T) {
	t.Parallel()
	s := readAll(t, configured("8", line(6, 12, 0)...), configured("16", line(6, 18, 0)...)+configured("24", line(6, 20, 0)...))
	s.compareAll()
	var got []string
	for _, r := range s.Runs() {
		got = append(got, comparison(r))
	}
	if len(got) != 3 || !strings.Contains(got[0], "batch 24 and imgsz 640, needed 20") || !strings.Contains(got[2], "train.log (1), with batch 16") {
		t.Errorf("%q", got)
	}
}

// TestCompareLate promises the same warning where other runs are told of after the rows were read,
// as on a screen, and that a copy of the log itself, which is being written, never warns.
func TestCompareLate(t *testing.T) {
	t.Parallel()
	yesterday := NewSession(Input{Name: "a.log"})
	feed(yesterday, 0, strings.ReplaceAll(configured("16", append(line(5, 12, 0), line(5, 22.4, 0)...)...), "1.116", "1.2"))
	yesterday.Observe(ended)
	s := NewSession(Input{Name: "today.log"})
	feed(s, 0, configured("16", 12, 12))
	s.Compare(yesterday.AsOthers()...)
	if f := only(t, s).active(Tight); f == nil || !f.Provisional {
		t.Errorf("%+v", f)
	}
	whole := configured("16", append(line(5, 12, 0), line(5, 22.4, 0)...)...)
	if f := only(t, told(t, whole[:len(whole)/4], whole)).finding(Tight); f != nil {
		t.Errorf("its own copy warns: %+v", f)
	}
}

// TestRetriedBatchIsNotTheOther promises that the peak of another run is that of the batch which
// fitted.
func TestRetriedBatchIsNotTheOther(t *testing.T) {
	t.Parallel()
	retried := configured("32", 22.9)
	retried += "WARNING ⚠️ CUDA out of memory with batch=32. Reducing to batch=16 and retrying (1/3).\n" + strings.ReplaceAll(epochsOf(100, line(6, 11, 0)...), banner, "")
	s := NewSession(Input{Name: "a.log"})
	feed(s, 0, retried)
	s.Observe(ended)
	others := s.AsOthers()
	if len(others) != 1 || others[0].Batch != 16 || others[0].Peak > 12*parse.GiB {
		t.Errorf("%+v", others)
	}
}

// TestManyOthersAreBounded promises that hundreds of other runs cost no more than some dozens.
func TestManyOthersAreBounded(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "today.log"})
	feed(s, 0, configured("16", line(6, 6, 0)...))
	for n := range 500 {
		s.Compare(OtherRun{Name: strings.Repeat("x", n+1), Batch: 8, ImgSize: []int{640}})
	}
	if len(s.others) != othersWeighed {
		t.Errorf("%d others", len(s.others))
	}
}
