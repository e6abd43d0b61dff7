package diagnose

import (
	"strings"
	"testing"

	"yolotop/parse"
)

// TestMeasuresAreNotMixed promises one measure a series, whatever a program prints.
func TestMeasuresAreNotMixed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text       string
		measure    parse.Measure
		last, peak parse.Bytes
		values     int
	}{
		"the first measure stays": {
			"Epoch 1 loss: 1 reserved: 4 GB\nEpoch 2 loss: 1 allocated: 1 GB\nEpoch 3 loss: 1 reserved: 5 GB\n",
			parse.Reserved, 5 * parse.GiB, 5 * parse.GiB, 2,
		},
		"one that tells more takes over": {
			"Epoch 1 loss: 1 allocated: 9 GB\nEpoch 2 loss: 1 reserved: 4 GB\nEpoch 3 loss: 1 reserved: 5 GB\n",
			parse.Reserved, 5 * parse.GiB, 5 * parse.GiB, 2,
		},
		"but not for one line": {
			"Epoch 1 loss: 1 allocated: 1 GB\nEpoch 2 loss: 1 allocated: 2 GB\nEpoch 3 loss: 1 reserved: 8 GB\nEpoch 4 loss: 1 allocated: 3 GB\n",
			parse.Allocated, 3 * parse.GiB, 3 * parse.GiB, 3,
		},
		"rows count, not prints beside them": {
			banner + start + header + row("1", "10", "15.0G") + "allocated: 3.00 GB, reserved: 20.00 GB\n" + header + row("2", "10", "15.0G"),
			parse.Reserved, 15 * parse.GiB, 15 * parse.GiB, 2,
		},
		"prints before the rows are forgotten": {
			"max GPU memory reserved: 20.00 GB\nEpoch 1 loss: 1 allocated: 1 GB\n",
			parse.Allocated, parse.GiB, parse.GiB, 1,
		},
		"prints alone are a series": {
			"GPU reserved: 1.00 GB\nGPU reserved: 2.00 GB\nGPU reserved: 1.50 GB\n",
			parse.Reserved, 1536 * parse.MiB, 2 * parse.GiB, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := only(t, read(t, c.text))
			m := r.Memory
			if m.Measure != c.measure || m.Last != c.last || m.Peak != c.peak || r.MemorySeries.Len() != c.values {
				t.Errorf("%+v, %d values", m, r.MemorySeries.Len())
			}
		})
	}
}

// TestHeadingsCountEpochs promises that a heading alone moves a run on, and that memory
// below it is that epoch's.
func TestHeadingsCountEpochs(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, "Epoch 0/4\nGPU reserved: 1.00 GB\nEpoch 1/4\nGPU reserved: 2.00 GB\n"))
	if r.Epoch != 2 || r.Epochs != 5 || r.EpochsSeen != 2 || len(r.Epochal) != 2 || r.Epochal[0].Peak != parse.GiB || r.Epochal[1].Peak != 2*parse.GiB {
		t.Errorf("%+v", r.Epochal)
	}
	if s := read(t, "Epoch 1/4\nEpoch 2/4\nEpoch 1/4\n"); len(s.Runs()) != 2 {
		t.Errorf("%d runs", len(s.Runs()))
	}
}

// TestOnlyHeldMemoryIsComparedWithTheCard promises that what was allocated is not taken for
// what the card must hold.
func TestOnlyHeldMemoryIsComparedWithTheCard(t *testing.T) {
	t.Parallel()
	r := only(t, read(t, "Epoch 1 loss: 1 GPU mem 5.0/24.0 GB\n"))
	if _, ok := r.Free(); ok || r.Memory.Total != 24*parse.GiB || r.Memory.Held() {
		t.Errorf("%+v", r.Memory)
	}
	r = only(t, read(t, banner+start+header+row("1", "10", "15.0G")))
	if _, ok := r.Free(); !ok || !r.Memory.Held() {
		t.Errorf("%+v", r.Memory)
	}
}

// TestEnds promises a finding, with a remedy, for each way in which a run ends that is known.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   string
		kind   Kind
		status Status
		says   string
	}{
		{"[E ProcessGroupNCCL.cpp:821] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)", Stalled, Failed, "first error of any rank"},
		{"torch.distributed.DistBackendError: NCCL error in: x.cpp:1970, unhandled system error", Stalled, Failed, "NCCL_DEBUG"},
		{"RuntimeError: DataLoader timed out after 120 seconds", Stalled, Failed, "workers=0"},
		{"OSError: [Errno 24] Too many open files", HostRAM, Failed, "ulimit"},
		{"RuntimeError: unable to open shared memory object </torch_7> in read-write mode: Too many open files (24)", HostRAM, Failed, "sharing_strategy"},
		{"ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).", HostRAM, Failed, "--shm-size"},
		{"OSError: [WinError 1455] The paging file is too small for this operation to complete", HostRAM, Failed, "paging file"},
		{"FloatingPointError: Loss became infinite or NaN at iteration=300!", NaN, Failed, "learning rate"},
		{"Loss is nan, stopping training", NaN, Failed, "learning rate"},
		{"Out of memory error on GPU 0. Cannot allocate 400.0MB memory on GPU 0, 7.5GB memory has been allocated and available memory is only 155.0MB.", OOM, Failed, "batch"},
		{"container exited with code 137", HostRAM, Killed, "dmesg"},
	} {
		r := only(t, read(t, "Epoch 1, step 10, loss: 1.5\n"+c.line+"\n"))
		f := found(t, r, c.kind)
		if f.Level != Critical || !f.Active || r.Status != c.status || !strings.Contains(advice(f), c.says) {
			t.Errorf("%q: %+v, %s, advice %q", c.line, f, r.Status, advice(f))
		}
		if r := only(t, read(t, "Epoch 1, step 10, loss: 1.5\n"+c.line+"\nEpoch 1, step 20, loss: 1.4\n")); r.Gravest() != nil && r.Gravest().Level == Critical && c.kind != NaN || r.Status == Failed {
			t.Errorf("%q: %s although it went on: %+v", c.line, r.Status, r.Gravest())
		}
	}
}

// TestTheEchoOfAnotherRankIsNoCause promises that GPUs which gave up waiting do not hide why
// one of them was gone.
func TestTheEchoOfAnotherRankIsNoCause(t *testing.T) {
	t.Parallel()
	const (
		nccl = "[rank0]:[E314 09:12:05.408271257 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=808)\n"
		full = "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 1 has a total capacity of 23.70 GiB of which 0.20 GiB is free.\n"
	)
	for _, text := range []string{nccl + full, full + nccl} {
		r := only(t, read(t, "Epoch 1, step 10, loss: 1.5\n"+text))
		if r.Verdict() != OOM {
			t.Errorf("verdict %s of %q", r.Verdict(), text)
		}
	}
}

// TestDeathInAValidation promises the phase that a traceback names, where no bar does.
func TestDeathInAValidation(t *testing.T) {
	t.Parallel()
	const frames = "Traceback (most recent call last):\n  File \"train.py\", line 90, in main\n    train_one_epoch(model)\n"
	const end = "RuntimeError: CUDA out of memory. Tried to allocate 31.95 MiB (GPU 0; 10.76 GiB total capacity; 9.02 GiB already allocated; 13.00 MiB free; 9.61 GiB reserved in total by PyTorch)\n"
	r := only(t, read(t, "Epoch 1, step 10, loss: 1.5\n"+frames+"  File \"engine.py\", line 12, in evaluate\n    out = model(x)\n"+end))
	mention(t, found(t, r, OOM).Title, "in validation")
	r = only(t, read(t, "Epoch 1, step 10, loss: 1.5\n"+frames+end))
	mention(t, found(t, r, OOM).Title, "in training")
}

// TestHarmlessEnds promises that what is printed behind a good end, or beside a training, does
// not turn it into a bad one.
func TestHarmlessEnds(t *testing.T) {
	t.Parallel()
	const loop = "Epoch 1/2, loss: 0.80\nEpoch 2/2, loss: 0.60\nTraining complete\n"
	for _, line := range []string{
		"terminate called after throwing an instance of 'c10::DistBackendError'", "run.sh: line 12: 12345 Killed                  nvidia-smi --query-gpu=memory.used -l 1",
		"RuntimeError: DataLoader worker (pid(s) 1, 2) exited unexpectedly",
	} {
		if r := only(t, read(t, loop+line+"\n")); r.Status != Finished || r.Gravest() != nil && r.Gravest().Level > Info {
			t.Errorf("%q: %s %+v", line, r.Status, r.Gravest())
		}
	}
	for _, line := range []string{
		"tail: inotify cannot be used, reverting to polling: Too many open files", "wandb: WARNING inotify instance limit reached: Too many open files; file watching is off",
		"[W104 10:00:00 ProcessGroupNCCL.cpp:1250] Using TORCH_NCCL_ASYNC_ERROR_HANDLING=1: NCCL errors will abort the process", "Class code 137: 24 images",
	} {
		if r := only(t, read(t, "Epoch 1/2, loss: 0.80\n"+line+"\n")); r.Death != nil {
			t.Errorf("%q ends it: %+v", line, r.Death)
		}
	}
	full := "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.20 GiB is free.\n"
	if r := only(t, read(t, "Epoch 1/3, loss: 0.80\n"+full+"Best loss: 0.41\n")); r.Status != Failed || r.active(OOM) == nil {
		t.Errorf("%s %+v", r.Status, r.Findings)
	}
}

// TestHangEndedByHand promises that who ends a run that hung is not taken for the cause.
func TestHangEndedByHand(t *testing.T) {
	t.Parallel()
	const nccl = "[E ProcessGroupNCCL.cpp:821] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)\n"
	for _, line := range []string{
		"slurmstepd: error: *** JOB 812 ON n1 CANCELLED AT 2026-03-14T09:12:05 DUE TO TIME LIMIT ***", "Killed", "  exitcode  : -9 (pid: 21341)",
	} {
		r := only(t, read(t, "Epoch 1, step 10, loss: 1.5\n"+nccl+line+"\n"))
		if r.Verdict() != Stalled || r.active(HostRAM) != nil {
			t.Errorf("%q: verdict %s, %+v", line, r.Verdict(), r.active(HostRAM))
		}
	}
}
