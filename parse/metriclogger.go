package parse

import "regexp"

// metricLogger is the logger of torchvision's references, which DETR, RT-DETR, D-FINE, DEIM
// and many others have taken over: "Epoch: [0]  [ 20/150]  eta: 0:00:48  lr: 0.000001  loss:
// 2.0459 (2.0459)  ...  time: 0.3206  data: 0.0061  max mem: 4629". Epochs and iterations
// count from 0; memory is the greatest that was allocated so far.
func metricLogger() dialect {
	return (&fieldFormat{
		name: "metriclogger", mark: "  time: ",
		head:      regexp.MustCompile(`^\s*Epoch: \[(\d+)(?:/(\d+))?\]\s+\[\s*(\d+)/(\d+)\]\s`),
		epochBase: 0, iterBase: 0,
		step: []string{"time"}, data: []string{"data"},
		memory: "max mem", measure: AllocatedMax,
		validates: regexp.MustCompile(`^\s*Test:\s+\[\s*(\d+)/(\d+)\]\s`),
		says: []announcement{
			{"Training time ", regexp.MustCompile(`^\s*Training time (?:\d+ days?, )?\d+:\d\d:\d\d`), notice(Completed)},
		},
	}).dialect()
}

// paddle is PaddleDetection: "Epoch: [0] [ 40/200] learning_rate: 0.000205 loss: 3.684781 ...
// batch_cost: 0.3405 data_cost: 0.0067 ips: ... images/s, max_mem_reserved: 8447 MB,
// max_mem_allocated: 7542 MB". Epochs and iterations count from 0.
func paddle() dialect {
	return (&fieldFormat{
		name: "paddledetection", mark: "batch_cost: ",
		head:      regexp.MustCompile(`ppdet\S* INFO: Epoch: \[(\d+)\]() \[\s*(\d+)/(\d+)\] `),
		epochBase: 0, iterBase: 0,
		step: []string{"batch_cost"}, data: []string{"data_cost"},
		memory: "max_mem_allocated", measure: AllocatedMax,
		validates: regexp.MustCompile(`ppdet\S* INFO: Eval iter: (\d+)()`),
	}).dialect()
}
