package parse

import (
	"regexp"
	"strconv"
	"strings"
)

// announcement is a line that Ultralytics and YOLOv5 print between rows. The
// line may be glued behind an open row, so it is searched, not anchored.
type announcement struct {
	marker string         // what the line must contain
	detail *regexp.Regexp // finds numbers in it; nil if the marker is all
	make   func(m []string, base int) Record
}

// announcements are tried in order; the first one that fits a line counts.
var announcements = []announcement{
	{"Reducing to batch=", regexp.MustCompile(`with batch=([\d.]+)\. Reducing to batch=([\d.]+)`), func(m []string, _ int) Record {
		return &Notice{Kind: BatchReduced, From: number(m[1]), Batch: number(m[2])}
	}},
	{"recovering from last.pt", nil, notice(NaNRecovery)},
	{"Skipping checkpoint save at epoch", regexp.MustCompile(`at epoch (\d+)`), func(m []string, _ int) Record {
		return &Notice{Kind: CheckpointSkipped, Epoch: int(number(m[1])) + 1} // printed from 0
	}},
	{"NaN persisted", nil, func([]string, int) Record { return &Failure{Kind: NaNPersisted, Rank: -1} }},
	{"Starting training for", regexp.MustCompile(`Starting training for (?:(\d+) epochs|[\d.]+ hours)`), func(m []string, _ int) Record {
		return &Notice{Kind: TrainingStarted, Epochs: int(number(m[1]))}
	}},
	{"dataset with", regexp.MustCompile(`Starting .* training on .* dataset with \d+ classes for (\d+) epochs`), func(m []string, _ int) Record {
		return &Notice{Kind: TrainingStarted, Epochs: int(number(m[1]))}
	}},
	{"Resuming training", regexp.MustCompile(`from epoch (\d+) to (\d+) total epochs`), func(m []string, base int) Record {
		return &Notice{Kind: Resumed, Epoch: int(number(m[1])) + 1 - base, Epochs: int(number(m[2]))}
	}},
	{"Logging results to", regexp.MustCompile(`Logging results to\s+(.+?)\s*$`), func(m []string, _ int) Record {
		return &Notice{Kind: SaveDir, Path: m[1]}
	}},
	{"Closing dataloader mosaic", nil, notice(MosaicClosed)},
	{"raining early as no improvement", nil, notice(StoppedEarly)},
	{"raining stopped early as no improvement", nil, notice(StoppedEarly)},
	{"epochs completed in", regexp.MustCompile(`(\d+) epochs completed in`), func(m []string, _ int) Record {
		return &Notice{Kind: Completed, Epochs: int(number(m[1]))}
	}},
	{"Training complete (", nil, notice(Completed)},
	{"dataloader workers", regexp.MustCompile(`Using (\d+) dataloader workers`), func(m []string, _ int) Record {
		return &Notice{Kind: WorkersSet, Count: int(number(m[1]))}
	}},
	{"max number of worker in current system is", regexp.MustCompile(`current system is (\d+)`), func(m []string, _ int) Record {
		return &Notice{Kind: WorkersTooMany, Count: int(number(m[1]))}
	}},
	{"AMP: ", regexp.MustCompile(`AMP: (running|checks passed|checks failed|checks skipped)`), func(m []string, _ int) Record {
		switch m[1] {
		case "checks passed":
			return &Notice{Kind: AMPPassed}
		case "checks failed":
			return &Notice{Kind: AMPFailed}
		case "checks skipped":
			return &Notice{Kind: AMPSkipped}
		}
		return &Stage{Kind: CheckingAMP, Done: -1, Total: -1, Elapsed: -1}
	}},
	{"AutoBatch: ", regexp.MustCompile(`AutoBatch: (?:(Computing)|Using batch-size (\d+)|.*default batch-size (\d+)|.*)`), func(m []string, _ int) Record {
		switch {
		case m[1] != "":
			return &Stage{Kind: AutoBatch, Done: -1, Total: -1, Elapsed: -1}
		case m[2] != "":
			return &Notice{Kind: BatchChosen, Batch: number(m[2])}
		case m[3] != "":
			return &Notice{Kind: BatchNotChosen, Batch: number(m[3])}
		}
		return nil
	}},
	{"ummary", regexp.MustCompile(`[Ss]ummary: \d+ layers, ([\d,]+) parameters, ([\d,]+) gradients`), func(m []string, _ int) Record {
		if m[2] == "0" {
			return nil // fused for validation
		}
		return &Notice{Kind: ModelSummary, Count: int(number(strings.ReplaceAll(m[1], ",", "")))}
	}},
	{"optimizer: ", regexp.MustCompile(`optimizer: ([A-Za-z]+)\(`), func(m []string, _ int) Record {
		return &Notice{Kind: OptimizerChosen, Name: m[1]}
	}},
	{"Slow image access detected", nil, notice(SlowImages)},
	{"Plotting labels", nil, func([]string, int) Record { return &Stage{Kind: Plotting, Done: -1, Total: -1, Elapsed: -1} }},
	{"Corrupt JPEG data", nil, notice(ImageDamaged)},
	{"Premature end of JPEG", nil, notice(ImageDamaged)},
	{"libpng warning", nil, notice(ImageDamaged)},
	{"libpng error", nil, notice(ImageDamaged)},
	{"ignoring corrupt image", nil, notice(ImageDamaged)},
}

func notice(kind NoticeKind) func([]string, int) Record {
	return func([]string, int) Record { return &Notice{Kind: kind} }
}

// announce makes a record of a line that a YOLO trainer prints between rows, nil
// if the line is none. base is the number that the trainer gives its first epoch.
func announce(line string, base int) Record { return announceOf(announcements, line, base) }

// announceOf is announce for a list of a trainer's own.
func announceOf(list []announcement, line string, base int) Record {
	for i := range list {
		a := &list[i]
		if !strings.Contains(line, a.marker) {
			continue
		}
		var m []string
		if a.detail != nil {
			if m = a.detail.FindStringSubmatch(line); m == nil {
				continue
			}
		}
		switch r := a.make(m, base).(type) {
		case *Notice:
			r.Text = line
			return r
		case *Failure:
			r.Text = line
			return r
		case nil:
			continue
		default:
			return r
		}
	}
	return nil
}

// number reads digits that a regular expression found; 0 if there are none.
func number(s string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "."), 64)
	if err != nil || v > maxCount {
		return 0
	}
	return v
}

// finalValidation finds the folder of "Validating runs/x/weights/best.pt...".
var finalValidation = regexp.MustCompile(`Validating (.+)\.pt\.\.\.`)

// cachedImages finds how much of the main memory images have taken: "(2.3GB RAM)", in older
// versions "(2.3GB ram)" or "(2.3GB True)", of 2^30 bytes. "(2.3GB Disk)" is none.
var cachedImages = regexp.MustCompile(`\(([0-9.]+)GB (?:RAM|ram|True)\)`)

// dataBar finds the bars over the data set: "train: Scanning /data/labels/train...
// 16 images, 0 backgrounds, 0 corrupt: 100% ...".
var dataBar = regexp.MustCompile(`^\s*(train|val|test): (Scanning|Caching images|Caching) ?`)
