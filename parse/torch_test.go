package parse

import (
	"fmt"
	"strings"
	"testing"
)

// mib and gib are sizes as torch prints them.
func mib(n float64) Bytes { return Bytes(n*float64(MiB) + 0.5) }
func gib(n float64) Bytes { return gibibytes(n) }

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	const advice = " If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
	const advice2 = " If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
	for _, c := range []struct {
		name, line string
		want       *OOM
	}{
		{"0.4", "RuntimeError: cuda runtime error (2) : out of memory at /opt/conda/conda-bld/pytorch/aten/src/THC/generic/THCStorage.cu:58", nil},
		{"no numbers", "RuntimeError: CUDA error: out of memory", nil},
		{"no numbers, 2.10", "torch.AcceleratorError: CUDA error: out of memory", nil},
		{"darknet", "CUDA Error: out of memory: Success", nil},
		{
			"1.0 - 1.3", "RuntimeError: CUDA out of memory. Tried to allocate 46.00 MiB (GPU 0; 10.76 GiB total capacity; 9.44 GiB already allocated; 24.56 MiB free; 212.33 MiB cached)",
			&OOM{Device: 0, Tried: mib(46), Total: gib(10.76), Free: mib(24.56), HasFree: true, Allocated: gib(9.44), Backend: "CUDA"},
		},
		{
			"1.4 - 1.9", "RuntimeError: CUDA out of memory. Tried to allocate 2.60 GiB (GPU 0; 3.81 GiB total capacity; 129.38 MiB already allocated; 2.12 GiB free; 410.00 MiB reserved in total by PyTorch)",
			&OOM{Device: 0, Tried: gib(2.6), Total: gib(3.81), Free: gib(2.12), HasFree: true, Allocated: mib(129.38), Reserved: mib(410), Backend: "CUDA"},
		},
		{
			"1.10 - 2.0", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1024.00 KiB (GPU 3; 39.58 GiB total capacity; 38.00 GiB already allocated; 0 bytes free; 39.58 GiB allowed; 38.50 GiB reserved in total by PyTorch)" + advice,
			&OOM{Device: 3, Tried: MiB, Total: gib(39.58), HasFree: true, Allocated: gib(38), Reserved: gib(38.5), Backend: "CUDA"},
		},
		{
			"2.1", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.06 GiB. GPU 0 has a total capacty of 39.56 GiB of which 512.81 MiB is free. Process 21337 has 39.04 GiB memory in use. Of the allocated memory 36.12 GiB is allocated by PyTorch, and 2.31 GiB is reserved by PyTorch but unallocated." + advice2,
			&OOM{Device: 0, Tried: gib(1.06), Total: gib(39.56), Free: mib(512.81), HasFree: true, Allocated: gib(36.12), Unallocated: gib(2.31), Reserved: gib(36.12) + gib(2.31), Others: []ProcessMemory{{21337, gib(39.04)}}, Backend: "CUDA"},
		},
		{
			"2.2, of several processes", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU 1 has a total capacity of 8.00 GiB of which 0 bytes is free. Process 7 has 1.00 GiB memory in use. Process 8 has 2.00 GiB memory in use. Including non-PyTorch memory, this process has 4.50 GiB memory in use. 7.50 GiB allowed; Of the allocated memory 4.00 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated." + advice2,
			&OOM{Device: 1, Tried: mib(64), Total: gib(8), HasFree: true, Process: gib(4.5), Allocated: gib(4), Reserved: gib(4), Others: []ProcessMemory{{7, gib(1)}, {8, gib(2)}}, Backend: "CUDA"},
		},
		{
			"without the device's number", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU  has a total capacity of 8.00 GiB of which 1.00 GiB is free.",
			&OOM{Device: -1, Tried: mib(64), Total: gib(8), Free: gib(1), HasFree: true, Backend: "CUDA"},
		},
		{
			"2.4 with private pools", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 23.56 GiB of which 12.00 MiB is free. Including non-PyTorch memory, this process has 23.50 GiB memory in use. Of the allocated memory 22.00 GiB is allocated by PyTorch, with 55.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.00 GiB is reserved by PyTorch but unallocated." + advice2,
			&OOM{Device: 0, Tried: mib(20), Total: gib(23.56), Free: mib(12), HasFree: true, Process: gib(23.5), Allocated: gib(22), Unallocated: gib(1), Reserved: gib(23), Backend: "CUDA"},
		},
		{
			"WSL's nonsense", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 17179869184.00 GiB memory in use. Of the allocated memory 9.00 GiB is allocated by PyTorch, and 10.00 MiB is reserved by PyTorch but unallocated.",
			&OOM{Device: 0, Tried: mib(20), Total: gib(8), Free: gib(1), HasFree: true, Allocated: gib(9), Unallocated: mib(10), Reserved: gib(9) + mib(10), Backend: "CUDA"},
		},
		{
			"ROCm", "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 15.98 GiB of which 8.00 MiB is free.",
			&OOM{Device: 0, Tried: mib(20), Total: gib(15.98), Free: mib(8), HasFree: true, Backend: "HIP"},
		},
		{
			"MPS", "RuntimeError: MPS backend out of memory (MPS allocated: 17.22 GB, other allocations: 880.66 MB, max allowed: 18.13 GB). Tried to allocate 256.00 MB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit",
			&OOM{Device: -1, Tried: mib(256), Total: gib(18.13), Allocated: gib(17.22), Backend: "MPS"},
		},
		{
			"inside of other text", "2026-03-14 train failed: OutOfMemoryError('CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity; 5.00 GiB already allocated; 9.00 MiB free; 6.00 GiB reserved in total by PyTorch)')",
			&OOM{Device: 0, Tried: mib(20), Total: gib(7.79), Free: mib(9), HasFree: true, Allocated: gib(5), Reserved: gib(6), Backend: "CUDA"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for before, rank := range map[string]int{"": -1, banner84: -1, "[rank1]: ": 1, "[default3]:": 3, "Traceback (most recent call last):\n": -1} {
				f := one[*Failure](t, before+c.line+"\n")
				if f.Kind != OutOfMemory || f.Rank != rank || !same(f.OOM, c.want) {
					t.Errorf("behind %q: %+v\n%+v, want\n%+v", before, f, f.OOM, c.want)
				}
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	host := func(n Bytes) *OOM { return &OOM{Device: -1, CPU: true, Tried: n} }
	for _, c := range []struct {
		line string
		want Failure
	}{
		{"RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", Failure{Kind: OutOfMemoryLikely}},
		{"RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`", Failure{Kind: OutOfMemoryLikely}},
		{"RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED", Failure{Kind: OutOfMemoryLikely}},
		{"RuntimeError: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR", Failure{Kind: OutOfMemoryLikely}},
		{"RuntimeError: Unable to find a valid cuDNN algorithm to run convolution", Failure{Kind: OutOfMemoryLikely}},
		{"RuntimeError: GET was unable to find an engine to execute this computation", Failure{Kind: OutOfMemoryLikely}},

		{"RuntimeError: DataLoader worker (pid 20978) is killed by signal: Killed. ", Failure{Kind: WorkerKilled, PID: 20978}},
		{"RuntimeError: DataLoader worker (pid 5) is killed by signal: Segmentation fault. ", Failure{Kind: Exception, PID: 5}},
		{"RuntimeError: DataLoader worker (pid(s) 1, 2) exited unexpectedly", Failure{Kind: WorkerLost}},
		{"ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).", Failure{Kind: SharedMemory}},
		{"RuntimeError: DataLoader worker (pid 11) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.", Failure{Kind: SharedMemory, PID: 11}},
		{"RuntimeError: unable to mmap 128 bytes from file </torch_7_1>: Cannot allocate memory (12)", Failure{Kind: SharedMemory}},
		{"RuntimeError: unable to open shared memory object </torch_7> in read-write mode: Too many open files (24)", Failure{Kind: FileHandles}},
		{"OSError: [Errno 28] No space left on device: '/dev/shm/x'", Failure{Kind: SharedMemory}},

		{"Killed", Failure{Kind: Killed}},
		{"Killed: 9", Failure{Kind: Killed}},
		{"train.sh: line 3: 12345 Killed                  python train.py", Failure{Kind: Killed, PID: 12345}},
		{"[1]+  Killed                  python train.py", Failure{Kind: Killed}},
		{"[1]    12345 killed     python train.py", Failure{Kind: Killed, PID: 12345}},
		{"zsh: killed     python train.py", Failure{Kind: Killed}},
		{"[12345.678] Out of memory: Killed process 4242 (python) total-vm:1kB", Failure{Kind: Killed, PID: 4242}},
		{"slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch. Some of the step tasks have been OOM Killed.", Failure{Kind: Killed}},
		{"  exitcode  : -9 (pid: 21341)", Failure{Kind: Killed, PID: 21341}},
		{"traceback : Signal 9 (SIGKILL) received by PID 21341", Failure{Kind: Killed, PID: 21341}},

		{"RuntimeError: [enforce fail at alloc_cpu.cpp:75] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 2097152 bytes. Error code 12 (Cannot allocate memory)", Failure{Kind: HostMemory, OOM: host(2 * MiB)}},
		{"RuntimeError: [enforce fail at alloc_cpu.cpp:80] data. DefaultCPUAllocator: not enough memory: you tried to allocate 1048576 bytes.", Failure{Kind: HostMemory, OOM: host(MiB)}},
		{"numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1.17 MiB for an array with shape (640, 640, 3) and data type uint8", Failure{Kind: HostMemory, OOM: host(mib(1.17))}},
		{"cv2.error: OpenCV(4.8.0) alloc.cpp:73: error: (-4:Insufficient memory) Failed to allocate 1048576 bytes in function 'OutOfMemoryError'", Failure{Kind: HostMemory, OOM: host(MiB)}},
		{"MemoryError", Failure{Kind: HostMemory}},
		{"OSError: [Errno 12] Cannot allocate memory", Failure{Kind: HostMemory}},
		{`OSError: [WinError 1455] The paging file is too small for this operation to complete. Error loading "C:\torch\lib\shm.dll"`, Failure{Kind: PagingFile}},
		{"KeyboardInterrupt", Failure{Kind: Interrupted}},
		{"Malloc error - possibly out of CPU RAM ", Failure{Kind: HostMemory}},

		{"RuntimeError: DataLoader timed out after 120 seconds", Failure{Kind: WorkerTimeout}},
		{"OSError: [Errno 24] Too many open files: '/data/images/1.jpg'", Failure{Kind: FileHandles}},
		{"[E ProcessGroupNCCL.cpp:821] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4231, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800652 milliseconds before timing out.", Failure{Kind: Communication}},
		{"torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, unhandled cuda error", Failure{Kind: Communication}},
		{"FloatingPointError: Loss became infinite or NaN at iteration=300!", Failure{Kind: NaNPersisted}},
		{"Loss is nan, stopping training", Failure{Kind: NaNPersisted}},
		{"Error: cuDNN isn't found FWD algo for convolution.", Failure{Kind: OutOfMemoryLikely}},
		{"slurmstepd: error: *** JOB 812 ON n1 CANCELLED AT 2026-03-14T09:12:05 DUE TO TIME LIMIT ***", Failure{Kind: Cancelled}},
		{"main exited with code 137", Failure{Kind: Killed}},
		{"Segmentation fault (core dumped)", Failure{Kind: Exception}},
		{"train.sh: line 3: 12345 Bus error               (core dumped) python train.py", Failure{Kind: Exception}},
		{"Terminated", Failure{Kind: Interrupted}},
		{
			"Out of memory error on GPU 0. Cannot allocate 400.000000MB memory on GPU 0, 7.500000GB memory has been allocated and available memory is only 155.000000MB.",
			Failure{Kind: OutOfMemory, OOM: &OOM{Device: 0, Tried: 400 * MiB, Allocated: gib(7.5), Free: 155 * MiB, HasFree: true, Backend: "CUDA"}},
		},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			for _, before := range []string{"", banner84, "Traceback (most recent call last):\n  File \"a.py\", line 1, in b\n    CUDA out of memory. Tried to allocate 1.00 GiB\n"} {
				if before != "" && before != banner84 && strings.HasPrefix(c.line, "  ") {
					continue // quoted source
				}
				f := one[*Failure](t, before+c.line+"\n")
				f.Text = ""
				c.want.Rank = -1
				if !same(*f, c.want) {
					t.Errorf("behind %q: %+v %+v, want %+v", before, *f, f.OOM, c.want)
				}
			}
		})
	}
}

func TestExceptions(t *testing.T) {
	t.Parallel()
	for _, last := range []string{
		"ValueError: no", "RuntimeError: Sizes of tensors must match", "AssertionError", "yaml.scanner.ScannerError: x", "cv2.error: OpenCV(4.8.0)",
		"queue.Empty", "StopIteration", "SystemExit: 1", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
	} {
		in := lines("Traceback (most recent call last):", `  File "a.py", line 1, in <module>`, `    raise RuntimeError("CUDA error: out of memory")`, last, "later")
		for _, in := range []string{in, banner84 + in, strings.ReplaceAll(in, "\n", "\r\n")} {
			if f := one[*Failure](t, in); f.Kind != Exception || f.Text != strings.TrimSpace(last) {
				t.Errorf("%q: %+v", last, f)
			}
		}
		if f := recordsOf[*Failure](last + "\n"); len(f) != 0 {
			t.Errorf("%q without a traceback: %+v", last, f[0])
		}
	}
}

func TestNoFailure(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Results saved to /data/cuda out of memory/exp",
		"engine/trainer: task=detect, mode=train, name=CUDA out of memory",
		"if you run out of memory at this size, lower batch",
		"the model went out of memory at /data",
		"AutoBatch: Computing optimal batch size for imgsz=640 at 60.0% CUDA memory utilization.",
		"tip: see how to avoid CUDA out of memory errors",
		"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
		"Killed the old worker",
		"killed by a feature",
		"I have killed     two",
		"3 tasks were Killed by users",
		"nms: 0 boxes overkilled",
		"12 Killed processes",
		"a KeyboardInterrupt is caught here",
		"UserWarning: The given buffer is not writable",
		"/usr/lib/python3/site.py:9: UserWarning: This DataLoader is slow",
		"DataLoader timed out",
		"No space left on device",
		"shared memory is fine",
		"Error: see above",
	} {
		for _, before := range []string{"", banner84} {
			if f := recordsOf[*Failure](before + line + "\n"); len(f) != 0 {
				t.Errorf("%q: %+v", line, f[0])
			}
		}
	}
}

func TestRankIsOfItsLine(t *testing.T) {
	t.Parallel()
	got := ""
	for _, f := range recordsOf[*Failure]("\rKilled\n[rank2]: Killed\nKilled\n7: Killed\n[rank1]: text\nKilled\n") {
		got += fmt.Sprint(f.Rank, " ")
	}
	if got != "-1 2 -1 7 -1 " {
		t.Errorf("ranks %s", got)
	}
}
