package parse

import "regexp"

// loguruRow is how a row of YOLOX and of DAMO-YOLO begins.
var loguruRow = regexp.MustCompile(`\bepoch: (\d+)/(\d+), iter: (\d+)/(\d+),`)

// yolox is YOLOX (Megvii): "epoch: 1/300, iter: 10/925, gpu mem: 5634Mb, mem: 11.2Gb,
// iter_time: 0.295s, data_time: 0.006s, total_loss: 12.9, ...". Until 0.3.0 the memory of the
// device was "mem"; later that is the machine's.
func yolox() dialect {
	return (&fieldFormat{
		name: "yolox", mark: "data_time: ",
		head:      loguruRow,
		epochBase: 1, iterBase: 1,
		step: []string{"iter_time"}, data: []string{"data_time"},
		memory: "gpu mem", memoryOld: "mem", measure: AllocatedMax, size: "size",
		args: regexp.MustCompile(`yolox\.core.*\bargs: Namespace\((.*\bbatch_size=.*)\)\s*$`),
		says: []announcement{
			{"Training of experiment is done", nil, notice(Completed)},
			{"No mosaic aug now", nil, notice(MosaicClosed)},
		},
	}).dialect()
}

// damoYOLO is DAMO-YOLO, of the same family: "epoch: 1/3, iter: 50/200, mem: 9413Mb, iter_time:
// 0.687s, model_time: 0.330s, total_loss: 2.8, ...". What is not the model's time is waiting.
func damoYOLO() dialect {
	return (&fieldFormat{
		name: "damo-yolo", mark: "model_time: ",
		head:      loguruRow,
		epochBase: 1, iterBase: 1,
		step: []string{"iter_time"}, work: "model_time",
		memory: "gpu mem", memoryOld: "mem", measure: AllocatedMax,
	}).dialect()
}
