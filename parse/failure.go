package parse

import (
	"regexp"
	"strings"
)

// plainFailures are texts that say by themselves why a run dies: all parts of one must be in
// the line. The first that fits counts.
var plainFailures = []struct {
	kind  FailureKind
	parts []string
}{
	{WorkerLost, []string{"DataLoader worker", "exited unexpectedly"}},
	{WorkerTimeout, []string{"DataLoader timed out after"}},
	{FileHandles, []string{"OSError: [Errno 24] Too many open files"}},
	{FileHandles, []string{"unable to open shared memory object", "Too many open files"}},
	{FileHandles, []string{"received 0 items of ancdata"}},
	{SharedMemory, []string{"insufficient shared memory"}},
	{SharedMemory, []string{"unable to open shared memory object"}},
	{PagingFile, []string{"WinError 1455"}},
	{PagingFile, []string{"paging file is too small"}},

	{Communication, []string{"Watchdog caught collective operation timeout"}},
	{Communication, []string{"DistBackendError"}},
	{Communication, []string{"NCCL error in"}},
	{Communication, []string{"NCCL error: "}},
	{Communication, []string{"ncclSystemError"}},
	{Communication, []string{"ncclInternalError"}},
	{Communication, []string{"ncclUnhandledCudaError"}},
	{Communication, []string{"Timed out waiting", "for", "operation to complete"}}, // gloo

	{NaNPersisted, []string{"Loss is nan, stopping"}},
	{NaNPersisted, []string{"Loss is inf, stopping"}},
	{NaNPersisted, []string{"Loss became infinite or NaN at iteration"}},

	// Texts of libraries that a full card often causes. As often some are something else;
	// what was seen of memory decides.
	{OutOfMemoryLikely, []string{"CUBLAS_STATUS_ALLOC_FAILED"}},
	{OutOfMemoryLikely, []string{"CUBLAS_STATUS_NOT_INITIALIZED"}},
	{OutOfMemoryLikely, []string{"CUBLAS_STATUS_EXECUTION_FAILED"}},
	{OutOfMemoryLikely, []string{"CUDNN_STATUS_ALLOC_FAILED"}},
	{OutOfMemoryLikely, []string{"CUDNN_STATUS_NOT_INITIALIZED"}},
	{OutOfMemoryLikely, []string{"CUDNN_STATUS_INTERNAL_ERROR"}},
	{OutOfMemoryLikely, []string{"CUDNN_STATUS_EXECUTION_FAILED"}},
	{OutOfMemoryLikely, []string{"Unable to find a valid cuDNN algorithm"}},
	{OutOfMemoryLikely, []string{"unable to find an engine to execute this computation"}},
	{OutOfMemoryLikely, []string{"cuDNN isn't found", "algo for convolution"}},

	{Cancelled, []string{"slurmstepd: error:", "CANCELLED AT"}},
	{Cancelled, []string{"slurmstepd: error:", "DUE TO TIME LIMIT"}},
}

// plainFailure is the kind of failure that a line names; ok is false if it names none.
func plainFailure(line string) (kind FailureKind, ok bool) {
next:
	for i := range plainFailures {
		for _, part := range plainFailures[i].parts {
			if !strings.Contains(line, part) {
				continue next
			}
		}
		return plainFailures[i].kind, true
	}
	return 0, false
}

// What shells and containers say of a process that has ended.
var (
	// shellKilled is what bash, sh and zsh say, alone or before the command.
	shellKilled = regexp.MustCompile(`^(?:\S+: line \d+: +|\[\d+\]\s*[+-]?\s*|zsh: )?(\d+ )?[Kk]illed(?:: 9|\s\s|\s*$)`)
	// bystander is a command beside the training, which somebody may well kill.
	bystander  = regexp.MustCompile(`[Kk]illed\s+(?:\S*/)?(?:nvidia-smi|tail|tee|sleep|watch|h?top|nvtop|nvitop|gpustat|tensorboard|yolotop|dmesg|rsync)\b`)
	shellCrash = regexp.MustCompile(`^(?:\S+: line \d+: +\d+ |zsh: )?(?:Segmentation fault|segmentation fault|Bus error|bus error|Aborted|Illegal instruction)(?: \(core dumped\)|\s*$|\s\s)`)
	exit137    = regexp.MustCompile(`(?i)\b(?:(?:exit|exited|returned|failed)(?: with)?(?: exit)?(?: code| status)?:? \(?137\b|exitcode: 137\b|exit_code=137\b)`)
	workerPID  = regexp.MustCompile(`\(pid (\d+)\) is killed by signal: (\w+(?: \w+)?)`)
)

// crashed reports whether a shell says that a process has crashed.
func crashed(line string) bool {
	for _, word := range []string{" fault", "us error", "Aborted", "Illegal instruction"} {
		if strings.Contains(line, word) {
			return shellCrash.MatchString(line)
		}
	}
	return false
}

// workerKilled reads what torch says of a data loader process that a signal has ended.
func workerKilled(line string) *Failure {
	f := &Failure{Kind: WorkerKilled}
	m := workerPID.FindStringSubmatch(line)
	if m == nil {
		return f
	}
	f.PID = int(number(m[1]))
	switch m[2] {
	case "Killed":
	case "Bus error":
		f.Kind = SharedMemory
	default:
		f.Kind = Exception // a fault or a signal from outside, not the lack of memory
	}
	return f
}
