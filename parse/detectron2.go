package parse

import "regexp"

// detectron2 is Detectron2, which counts iterations only, from 0: "[03/14 09:12:09
// d2.utils.events]:  eta: 0:04:13  iter: 19  total_loss: 2.918  loss_cls: 1.74  ...  time:
// 0.2146  last_time: 0.2038  data_time: 0.0067  last_data_time: 0.0042   lr: 0.00016667
// max_mem: 4845M". Up to 0.6 there are no times of the last step; time is then the mean since
// the beginning, and data_time that of the last 20. Memory is the greatest that was allocated.
func detectron2() dialect {
	return (&fieldFormat{
		name: "detectron2", mark: "utils.events",
		head:     regexp.MustCompile(`\b(?:d2|detectron2)\.utils\.events(?:\]:| INFO:).*?\b()()iter: (\d+)()\b`),
		iterBase: 0,
		step:     []string{"time", "last_time"}, data: []string{"data_time", "last_data_time"},
		memory: "max_mem", measure: AllocatedMax,
		validates: regexp.MustCompile(`Inference done (\d+)/(\d+)\. `),
		total:     regexp.MustCompile(`^\s*MAX_ITER: (\d+)\s*$`),
		says: []announcement{
			{"Overall training speed: ", nil, notice(Completed)},
		},
	}).dialect()
}
