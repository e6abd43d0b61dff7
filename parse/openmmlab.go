package parse

import "regexp"

// mmdet is MMDetection 2 and whatever else logs with mmcv 1: "Epoch [1][100/400]<TAB>lr:
// 5.000e-03, eta: 0:05:52, time: 0.319, data_time: 0.008, memory: 6442, loss_cls: ...", by
// iteration "Iter [100/80000]<TAB>...". Memory is the greatest that was allocated so far.
func mmdet() dialect {
	return (&fieldFormat{
		name: "mmdet", mark: "\tlr",
		head:      regexp.MustCompile(`- INFO - (?:Epoch \[(\d+)\]()\[|Iter \[)\s*(\d+)/(\d+)\]\t`),
		epochBase: 1, iterBase: 1,
		step: []string{"time"}, data: []string{"data_time"},
		memory: "memory", measure: AllocatedMax,
		validates: regexp.MustCompile(`^\[[> ]*\] (\d+)/(\d+), [0-9.]+ task/s`),
		val:       regexp.MustCompile(`- INFO - (?:Epoch|Iter)\(val\) \[\d+\](?:\[\d+\])?\s`),
	}).dialect()
}

// mmengine is MMDetection 3, MMYOLO and whatever else logs with MMEngine: "Epoch(train)  [1][
// 50/300]  base_lr: ...  time: 0.4510  data_time: 0.3407  memory: 6212  loss: ...". Memory is
// the greatest that was allocated since the row before.
func mmengine() dialect {
	return (&fieldFormat{
		name: "mmengine", mark: "(train)",
		head:      regexp.MustCompile(`(?:Epoch\(train\)\s+\[\s*(\d+)\]()\[|Iter\(train\)\s+\[)\s*(\d+)/(\d+)\]`),
		epochBase: 1, iterBase: 1,
		step: []string{"time"}, data: []string{"data_time"},
		memory: "memory", measure: IntervalMax,
		validates: regexp.MustCompile(`(?:Epoch|Iter)\(val\)\s+\[\s*\d+\]\[\s*(\d+)/(\d+)\]\s+eta: `),
		val:       regexp.MustCompile(`(?:Epoch|Iter)\(val\)\s+\[\s*\d+\](?:\[\s*\d+/\d+\])?`),
	}).dialect()
}
