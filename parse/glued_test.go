package parse

import (
	"strings"
	"testing"
)

func TestGluedTexts(t *testing.T) {
	t.Parallel()
	row := "        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── 1/4 1.2s/it 0.8s<3.7s"
	for _, c := range []struct {
		name, rest string
		want       any
	}{
		{"a warning", "WARNING ⚠️ CUDA out of memory with batch=4. Reducing to batch=2 and retrying (1/3).", BatchReduced},
		{"a library", "Corrupt JPEG data: 305 extraneous bytes before marker 0xd9", ImageDamaged},
		{"another", " libpng warning: iCCP: known incorrect sRGB profile", ImageDamaged},
		{"Ctrl-C", "^C", nil},
		{"Ctrl-C twice", "^C^CKeyboardInterrupt", Interrupted},
		{"the system", "Killed", Killed},
		{"DDP", "Reducer buckets have been rebuilt in this iteration.", "Reducer buckets have been rebuilt in this iteration."},
		{"an error", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB.", OutOfMemory},
		{"a bare frame and a worker", "  0%|          | 0/4 [00:00<?, ?it/s]RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed.", WorkerKilled},
	} {
		for where, cut := range map[string]string{"behind the bar": "", "behind the columns": ": ", "in the percentage's place": ": 25% ━━━─"} {
			t.Run(c.name+" "+where, func(t *testing.T) {
				t.Parallel()
				open := row
				if cut != "" {
					open, _, _ = strings.Cut(row, ": ")
					if cut != ": " {
						open += cut
					}
				}
				if strings.HasPrefix(c.rest, "  0%") && cut != "" {
					return
				}
				in := banner84 + detectHead + open + c.rest + "\n"
				p := one[*Progress](t, in)
				if p.Size != 64 || p.Instances != 10 || len(p.Values) != 3 {
					t.Errorf("the row is %+v", p)
				}
				all := eventsOf(in)
				switch last := all[len(all)-1].Record.(type) {
				case *Notice:
					if last.Kind != c.want {
						t.Errorf("%+v", last)
					}
				case *Failure:
					if last.Kind != c.want {
						t.Errorf("%+v", last)
					}
				case *Text:
					if last.Text != c.want {
						t.Errorf("%+v", last)
					}
				case *Progress:
					if c.want != nil {
						t.Errorf("%q is lost", c.rest)
					}
				}
			})
		}
	}
}

func TestAnotherRanksTraceback(t *testing.T) {
	t.Parallel()
	row := "        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── 1/4 1.2s/it 0.8s<3.7s"
	f := one[*Failure](t, banner84+detectHead+row+lines(
		"[rank1]: Traceback (most recent call last):",
		`[rank1]:   File "/a.py", line 1, in <module>`,
		`[rank1]:     raise RuntimeError("CUDA error: out of memory")`,
		"[rank1]: ValueError: no"))
	if f.Kind != Exception || f.Rank != 1 || f.Text != "ValueError: no" {
		t.Errorf("%+v", f)
	}
}

func TestManyRowsOnOneLine(t *testing.T) {
	t.Parallel()
	row := "        1/3      2.41G      4.635      4.044     0.1412         10         64: 25% ━━━───────── 1/4 1.2s/it 0.8s<3.7s"
	in := banner84 + detectHead + strings.Repeat(row, 500) + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB.\n"
	rows := recordsOf[*Progress](in)
	if len(rows) < 20 {
		t.Errorf("%d rows", len(rows))
	}
}
