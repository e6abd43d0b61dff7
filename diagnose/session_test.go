package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"yolotop/parse"
)

func TestARepeatedBannerIsNoNewRun(t *testing.T) {
	t.Parallel()
	text := banner + banner + start + header + row("1", "2", "5.1G") + validation + header + row("2", "2", "5.1G") + validation +
		"\n2 epochs completed in 0.010 hours.\nValidating runs/detect/train/weights/best.pt...\n" +
		"Ultralytics 8.4.82 🚀 Python-3.11.9 torch-2.8.0+cu128 CPU (AMD EPYC)\n" + validation
	r := only(t, read(t, text))
	if d, _ := r.Device(); d.Kind != "cuda" {
		t.Errorf("the banner of the last validation replaced the device: %+v", d)
	}
	if r.Status != Finished || r.EpochsSeen != 2 || r.MetricsEpoch != 2 {
		t.Errorf("status %s, %d epochs, metrics of epoch %d", r.Status, r.EpochsSeen, r.MetricsEpoch)
	}
}

func TestANewTrainingInTheSameStreamIsARunOfItsOwn(t *testing.T) {
	t.Parallel()
	first := banner + start + header + row("1", "10", "5.1G") + row("2", "10", "5.1G")
	other := strings.ReplaceAll(banner, "yolo11s.pt", "yolo11m.pt")
	for name, second := range map[string]string{
		"banner and arguments": other + start + header + row("1", "10", "9.0G"),
		"only a start":         start + header + row("1", "10", "9.0G"),
		"only a fallen epoch":  header + row("1", "10", "9.0G"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := read(t, first+second).Runs()
			if len(runs) != 2 {
				t.Fatalf("%d runs, want 2", len(runs))
			}
			if runs[0].Epoch != 2 || runs[0].Status != StatusUnknown || runs[1].Epoch != 1 {
				t.Errorf("first: epoch %d %s, second: epoch %d", runs[0].Epoch, runs[0].Status, runs[1].Epoch)
			}
			if name == "banner and arguments" && (runs[1].Model != "yolo11m.pt" || runs[1].Memory.Total == 0 || runs[0].Model != "yolo11s.pt") {
				t.Errorf("models %q and %q, total %d", runs[0].Model, runs[1].Model, runs[1].Memory.Total)
			}
		})
	}
}

func TestTheDevicesOfASecondRunAreItsOwn(t *testing.T) {
	t.Parallel()
	two := strings.Replace(banner, "\nengine", "\n                                                                       CUDA:1 (NVIDIA GeForce RTX 3080, 10240MiB)\nengine", 1)
	text := banner + start + header + row("1", "10", "5.1G") + two + start + header + row("1", "10", "5.1G")
	runs := read(t, text).Runs()
	if len(runs) != 2 || len(runs[0].Devices) != 1 || len(runs[1].Devices) != 2 || runs[1].Version != "8.4.82" {
		t.Errorf("%d runs, devices %+v", len(runs), runs[len(runs)-1].Devices)
	}
}

func TestTheTimeOfASecondRunIsItsOwn(t *testing.T) {
	t.Parallel()
	one := banner + start + header + row("1", "10", "5.1G") + validation
	runs := read(t, one+one).Runs()
	if len(runs) != 2 || runs[0].Elapsed != runs[1].Elapsed || runs[1].Elapsed == 0 {
		t.Errorf("%v and %v", runs[0].Elapsed, runs[len(runs)-1].Elapsed)
	}
}

func TestARetryIsTheSameRun(t *testing.T) {
	t.Parallel()
	text := banner + start + header + rowWith("1", "10", "22.9G", "1.4", "300") +
		"WARNING ⚠️ CUDA out of memory with batch=16. Reducing to batch=8 and retrying (1/3).\n" +
		rowWith("1", "10", "22.9G", "1.4", "300") + // the bar that was given up
		header + row("1", "10", "12.0G") + header + row("2", "10", "12.0G")
	r := only(t, read(t, text))
	if r.Batch != 8 || r.EpochsSeen != 2 {
		t.Errorf("batch %v, %d epochs", r.Batch, r.EpochsSeen)
	}
	f := found(t, r, OOM)
	if f.Active || f.Level != Warning {
		t.Errorf("the retry lasted: %+v", f)
	}
}

func TestARecoveryFromNaNIsTheSameRun(t *testing.T) {
	t.Parallel()
	text := banner + start + header + row("1", "10", "5.1G") + header + rowWith("2", "10", "5.1G", "nan", "80") +
		"WARNING ⚠️ Loss NaN/Inf detected (attempt 1/3), recovering from last.pt...\n" +
		header + row("2", "10", "5.1G") + header + row("3", "10", "5.1G")
	r := only(t, read(t, text))
	if r.EpochsSeen != 3 || r.Epoch != 3 {
		t.Errorf("%d epochs seen, now %d", r.EpochsSeen, r.Epoch)
	}
	if f := found(t, r, NaN); f.Active {
		t.Errorf("a whole epoch of numbers followed: %+v", f)
	}
}

func TestAResumedRunBeginsLate(t *testing.T) {
	t.Parallel()
	text := banner + "Resuming training runs/detect/train/weights/last.pt from epoch 57 to 100 total epochs\n" + start +
		header + row("57", "100", "5.1G")
	r := only(t, read(t, text))
	if r.FirstEpoch != 57 || r.Epochs != 100 || r.EpochsSeen != 1 {
		t.Errorf("first %d of %d, %d seen", r.FirstEpoch, r.Epochs, r.EpochsSeen)
	}
}

func TestTheTotalMayChange(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, banner+start+header+row("1", "3", "5G")+header+row("2", "6", "5G")+header+row("3", "7", "5G")))
	if r.Epochs != 7 {
		t.Errorf("%d epochs, want the newest total", r.Epochs)
	}
}

// results is a results.csv of two epochs whose losses agree with the rows of this file's logs.
func results() string {
	var b strings.Builder
	b.WriteString("epoch,time,train/box_loss,train/cls_loss,train/dfl_loss,metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss\n")
	for e := 1; e <= 2; e++ {
		fmt.Fprintf(&b, "%d,%d.5,1.1,0.9,1.2,0.5,0.3,1.5\n", e, e*13)
	}
	return b.String()
}

func TestResultsThatAgreeJoinTheirLog(t *testing.T) {
	t.Parallel()
	log := banner + start + header + row("1", "10", "5.1G") + validation + header + row("2", "10", "5.1G") + validation
	for name, texts := range map[string][]string{
		"log first":     {log, results()},
		"results first": {results(), log},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := only(t, readAll(t, texts...))
			if len(r.Inputs) != 2 || r.EpochsSeen != 2 || r.Memory.Peak == 0 {
				t.Errorf("inputs %v, %d epochs, peak %d", r.Inputs, r.EpochsSeen, r.Memory.Peak)
			}
			if f := r.active(NotMeasured); f != nil {
				t.Errorf("memory is in the log: %+v", f)
			}
		})
	}
}

func TestResultsThatDifferStayByThemselves(t *testing.T) {
	t.Parallel()
	log := banner + start + header + rowWith("1", "10", "5.1G", "3.3", "80") + validation
	if s := readAll(t, log, results()); len(s.Runs()) != 2 {
		t.Errorf("%d runs, want 2", len(s.Runs()))
	}
}

func TestAReplacedFileIsANewRun(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "train.log"})
	feed(s, 0, banner+start+header+row("1", "10", "5.1G"))
	s.Observe(parse.Event{Record: &parse.SourceState{Status: parse.SourceReplaced}})
	feed(s, 0, banner+start+header+row("1", "10", "6.1G"))
	if len(s.Runs()) != 2 || s.Runs()[0].Status == Running {
		t.Errorf("%d runs, want 2, the first of which is over", len(s.Runs()))
	}
}

func TestAProvisionalRowMovesTheScreenOnly(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "train.log"})
	feed(s, 0, banner+start+header+row("1", "10", "5.1G"))
	r := only(t, s)
	rows := r.Current().Rows
	nan := &parse.Progress{Epoch: 2, Epochs: 10, Iter: 3, Iters: 100, Values: []float64{1}, Memory: parse.MemoryReading{Bytes: 23 * parse.GiB, Measure: parse.Reserved}}
	s.Observe(parse.Event{Origin: parse.Origin{Provisional: true, Arrival: time.Unix(5, 0)}, Record: nan})
	if r.Epoch != 2 || r.Iter != 3 || r.Memory.Last != 23*parse.GiB {
		t.Errorf("epoch %d iter %d memory %d", r.Epoch, r.Iter, r.Memory.Last)
	}
	if shown := s.Snapshot(time.Unix(6, 0)).Runs[0]; shown.Current().Epoch != 2 || shown.EpochsSeen != 2 {
		t.Errorf("the screen does not show the newest row: %+v", shown.Current())
	}
	if r.Current().Rows != rows || r.EpochsSeen != 1 || len(r.Findings) > 0 || r.Memory.Peak > 6*parse.GiB {
		t.Errorf("a provisional row left traces: %+v", r.Findings)
	}
}

func TestAMillionEpochsCostWhatAFewDo(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "train.log"})
	columns := &parse.Columns{Losses: []string{"box_loss"}, Instances: true, Size: true}
	for e := 1; e <= 1_000_000; e++ {
		s.Observe(parse.Event{Origin: parse.Origin{Line: e, Run: time.Duration(e) * time.Second, HasRun: true}, Record: &parse.Progress{
			Epoch: e, Epochs: 1_000_000, Iter: 4, Iters: 4, Columns: columns, Values: []float64{1}, Instances: 8, Size: 640,
			Memory: parse.MemoryReading{Bytes: 5*parse.GiB + parse.Bytes(e*2654435761%(1<<28)), Measure: parse.Reserved, Step: 10 * parse.MiB},
		}})
	}
	r := only(t, s)
	if len(r.Epochal) > epochsKept || len(r.MemorySeries.Points()) > 2*recentPoints+pastBuckets || len(r.Marks) > 200 {
		t.Errorf("%d epochs and %d points are kept", len(r.Epochal), len(r.MemorySeries.Points()))
	}
	for _, d := range r.detectors {
		if l, ok := d.(*leak); ok {
			g := &l.log
			if len(g.levels) > levelsKept || len(g.blocks) > blocksKept || len(g.rises) > risesKept || len(g.ranks[0].sorted) > ranksKept || g.epochs() < 999_999 {
				t.Errorf("%d levels, %d blocks, %d rises of %d epochs are kept", len(g.levels), len(g.blocks), len(g.rises), g.epochs())
			}
		}
	}
	if r.EpochsSeen != 1_000_000 || r.Epoch != 1_000_000 {
		t.Errorf("%d epochs seen", r.EpochsSeen)
	}
}

func TestThePastIsShownAsItWas(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, banner+start+header+rowWith("1", "10", "5.1G", "2.0", "9")+validation+header+rowWith("2", "10", "9.3G", "1.0", "9")+validation))
	p := r.At(1)
	if p.Memory.GiB() < 5 || p.Memory.GiB() > 5.2 || p.Losses["box_loss"] != 2 || p.Metrics["mAP50"] != 0.61 {
		t.Errorf("%+v", p)
	}
}

func TestASnapshotDoesNotChange(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "train.log"})
	stream := parse.NewStream(0)
	stream.Write([]byte(banner+start+header+row("1", "10", "5.1G")), time.Time{}, s.Observe)
	snap := s.Snapshot(time.Unix(1, 0))
	stream.Write([]byte(header+rowWith("2", "10", "23.5G", "nan", "9")), time.Time{}, s.Observe)
	r := snap.Runs[0]
	if r.Epochal[0].Losses[0] != 1.1 {
		t.Error("the table of the snapshot moved")
	}
	if r.Epoch != 1 || r.Losses[0] != 1.1 || len(r.Findings) != 0 || r.MemorySeries.Len() != 1 || len(r.Epochal) != 1 {
		t.Errorf("the snapshot moved: %+v", r)
	}
}

// TestRunsStandInTheOrderOfTheInputs promises that finished files stand in the order in which they
// were given, whichever is read first, and that what begins later is the newest.
func TestRunsStandInTheOrderOfTheInputs(t *testing.T) {
	t.Parallel()
	s := NewSession(Input{Name: "a"}, Input{Name: "b"}, Input{Name: "c"})
	write := func(input int, arrival time.Time) {
		parse.NewStream(input).Write([]byte(epochsOf(10, 8, 8)), arrival, s.Observe)
	}
	for _, input := range []int{2, 0, 1} {
		write(input, time.Time{})
	}
	write(0, time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC)) // the first one begins anew
	var got []int
	for _, r := range s.Runs() {
		got = append(got, r.Inputs[0])
	}
	if want := []int{0, 1, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("runs of the inputs %v, want %v", got, want)
	}
}
