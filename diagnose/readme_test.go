package diagnose

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestReadmeThresholds promises that the README says from which numbers on something is found.
func TestReadmeThresholds(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(readme), "### When it warns")
	if !ok {
		t.Fatal("there is no such section")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| (.*) \\|$").FindAllStringSubmatch(section, -1) {
		rows[m[1]] = m[2]
	}
	share := func(v float64) string { return fmt.Sprintf("%g%%", math.Round(v*1000)/10) }
	minutes := func(d time.Duration) string { return fmt.Sprintf("%g min", d.Minutes()) }
	seconds := func(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }
	times := func(n int, of string) string { return fmt.Sprintf("%d %s", n, of) }
	for kind, want := range map[Kind][]string{
		Leak: {
			times(evidenceOf, "to 1 for the peaks"), times(blocksOf, "to 1 for parts"), times(ranksOf, "to 1 for their ranks"),
			times(leastRises, "rises"), share(mostAtOnce) + " of the growth", times(horizon, "runs off"),
		},
		Creep: {
			times(ratchetSettled, "epochs to settle"), times(ratchetHighs, "new highs"), share(ratchetGrowth) + " of the level",
			share(ratchetCard) + " of the card", "from " + share(crowdedFrom), times(crowdedMore, "more rises"),
		},
		Step: {share(stepRise) + " of the level", share(stepCard) + " of the card", times(stepCalm, "epochs without")},
		Tight: {
			"holds " + share(tightFrom), "from " + share(tightGone), "below " + share(tightOver), times(calmEpochs, "epochs below"),
			share(tightDriver) + ", or " + share(tightBoth),
		},
		ValPeak:  {share(valPeakOver) + " of the card more", times(valPeakLeast, "validations"), "from " + share(valPeakTight)},
		Headroom: {"than " + share(headroomBelow), "fills " + share(headroomFill)},
		Starved: {
			share(waitShare) + " of " + seconds(waitWindow), share(waitMuch) + " of " + seconds(waitSoon), "of " + minutes(dutyWindow),
			"below " + share(dutyLow), share(dutyIdles) + " of the samples", "above " + share(coldShare),
		},
		UnderUsed: {"of " + minutes(dutyWindow), "below " + share(dutyLow)},
		Slow: {
			"than " + share(slowRate), "holds " + share(slowFull), share(slowRise) + " more", share(slowBusy) + " busy", "of " + seconds(slowWindow),
			fmt.Sprintf("%d of %d lines", retriedTimes, retriedOf),
		},
		Stalled:      {times(stalledFactor, "times the longest"), minutes(stalledLeast) + ";", minutes(stalledStart) + " before"},
		HostRAM:      {share(hostFull) + " full", "by " + share(hostRise), "by " + share(hostGrowth) + " in all", times(hostRises, "epochs in a row"), "of " + minutes(hostBlock), times(hostBlocksOff, "more")},
		OtherProcess: {"holds " + share(neighbourShare), times(neighbourSamples, "samples"), "fill " + share(neighbourTight)},
	} {
		for _, text := range want {
			if !strings.Contains(rows[string(kind)], text) {
				t.Errorf("%s: no %q in %q", kind, text, rows[string(kind)])
			}
		}
		delete(rows, string(kind))
	}
	if len(rows) > 0 {
		t.Errorf("nothing checks %v", rows)
	}
}
