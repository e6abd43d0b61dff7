package parse

import (
	"regexp"
	"strings"
)

// torchReader finds the errors that any PyTorch program may print, in whatever
// place a trainer or a launcher puts them.
type torchReader struct {
	traceback bool // inside a Python traceback: indented lines are quoted source
	validates bool // one of its functions validates
	rank      int  // of the current line; -1 where none is printed
}

// size is a memory size in torch's texts.
const size = `([\d.]+ (?:bytes|[KMGT]i?B))`

// The parts of an out-of-memory text. Since torch 2.1 it is made of sentences, of
// which any may be missing; before, of a list in parentheses. "capacty" is how
// 2.1 spelled it.
var (
	oomTried       = regexp.MustCompile(`Tried to allocate ` + size)
	oomDevice      = regexp.MustCompile(`GPU (\d+)(?: has|;)`)
	oomTotal       = regexp.MustCompile(size + ` total capacity|total capaci?ty of ` + size + `|max allowed: ` + size)
	oomFree        = regexp.MustCompile(size + ` (?:is )?free`)
	oomProcess     = regexp.MustCompile(`this process has ` + size + ` memory in use`)
	oomOther       = regexp.MustCompile(`Process (\d+) has ` + size + ` memory in use`)
	oomAllocated   = regexp.MustCompile(size + ` already allocated|allocated memory ` + size + ` is allocated|MPS allocated: ` + size)
	oomUnallocated = regexp.MustCompile(size + ` is reserved by PyTorch but unallocated`)
	oomReserved    = regexp.MustCompile(size + ` reserved in total`)
	hostTried      = regexp.MustCompile(`tried to allocate (\d+ bytes)|Unable to allocate ` + size + `|Failed to allocate (\d+ bytes)`)
	exceptionLine  = regexp.MustCompile(`^(?:[A-Za-z_]\w*\.)*(?:[A-Za-z_]\w*)?(?:Error|Exception|Exit|Interrupt|Warning)(?::|$)`)
	// otherException is the end of a traceback whose class has no such name: "cv2.error:".
	otherException = regexp.MustCompile(`^(?:(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|StopIteration)(?::|$)`)
)

// read makes a failure of a line, nil if it holds none.
func (t *torchReader) read(line string) Record {
	rank := t.rank
	t.rank = -1
	if strings.HasPrefix(line, "Traceback (most recent call last)") {
		t.traceback, t.validates = true, false
		return nil
	}
	if t.quoted(line) {
		t.validates = t.validates || validatingFrame.MatchString(line)
		return nil
	}
	f := t.failure(line)
	if f == nil {
		return nil
	}
	f.Text, f.Rank, f.Validating = line, rank, t.validates
	t.validates = false
	return f
}

// validatingFrame finds a frame of a traceback in a function that validates.
var validatingFrame = regexp.MustCompile(`^  File ".*", line \d+, in \w*(?:evaluat|validat|run_eval|val_step|test_step|val_loop)\w*`)

// quoted reports whether line is source that a traceback quotes.
func (t *torchReader) quoted(line string) bool {
	return t.traceback && (strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "<"))
}

// failure tells what a line says of why a run dies.
func (t *torchReader) failure(line string) *Failure {
	if f := t.memoryFailure(line); f != nil {
		return f
	}
	if kind, ok := plainFailure(line); ok {
		return t.end(&Failure{Kind: kind})
	}
	switch {
	case strings.Contains(line, "killed by signal"):
		return t.end(workerKilled(line))
	case strings.Contains(line, "illed") && shellKilled.MatchString(line) && !bystander.MatchString(line):
		pid := shellKilled.FindStringSubmatch(line)[1]
		return &Failure{Kind: Killed, PID: int(number(strings.TrimSpace(pid)))}
	case strings.Contains(line, "SIGKILL"), strings.Contains(line, "exitcode: -9"), strings.Contains(line, "exitcode  : -9"):
		return &Failure{Kind: Killed, PID: max(pidAfter(line, "by PID "), pidAfter(line, "(pid: "))}
	case strings.Contains(line, "137") && exit137.MatchString(line):
		return &Failure{Kind: Killed}
	case t.traceback && (exceptionLine.MatchString(line) || otherException.MatchString(line)):
		if strings.HasPrefix(line, "KeyboardInterrupt") {
			return t.end(&Failure{Kind: Interrupted})
		}
		return t.end(&Failure{Kind: Exception})
	case strings.HasPrefix(line, "KeyboardInterrupt"), line == "Terminated":
		return &Failure{Kind: Interrupted}
	case crashed(line):
		return &Failure{Kind: Exception}
	}
	return nil
}

// memoryFailure tells what a line says of memory that ran out, the device's or the
// machine's.
func (t *torchReader) memoryFailure(line string) *Failure {
	switch {
	case strings.Contains(line, "Out of memory: Killed process"), strings.Contains(line, "oom_kill event"), strings.Contains(line, "OOM Killed"):
		return &Failure{Kind: Killed, PID: pidAfter(line, "Killed process ")}
	case strings.Contains(line, "Insufficient memory"), strings.Contains(line, "DefaultCPUAllocator"), strings.Contains(line, "out of CPU RAM"):
		return t.hostMemory(line)
	case strings.Contains(line, "Out of memory error on GPU"):
		return t.paddleMemory(line)
	case containsFold(line, "out of memory"), strings.Contains(line, "OutOfMemoryError"):
		return t.outOfMemory(line)
	case strings.Contains(line, "unable to mmap") && strings.Contains(line, "torch_"),
		strings.Contains(line, "No space left on device") && strings.Contains(line, "/dev/shm"):
		return t.end(&Failure{Kind: SharedMemory})
	case strings.Contains(line, "Cannot allocate memory"), strings.Contains(line, "Unable to allocate") && strings.Contains(line, "array"),
		strings.HasPrefix(line, "MemoryError"), strings.Contains(line, "not enough memory: you tried to allocate"):
		return t.hostMemory(line)
	}
	return nil
}

// hostMemory reads an allocation of main memory that failed.
func (t *torchReader) hostMemory(line string) *Failure {
	f := t.end(&Failure{Kind: HostMemory})
	for i, s := range hostTried.FindStringSubmatch(line) {
		if i > 0 && s != "" {
			f.OOM = &OOM{Device: -1, CPU: true, Tried: parseSize(s)}
		}
	}
	return f
}

// end marks the last line of a traceback.
func (t *torchReader) end(f *Failure) *Failure {
	t.traceback = false
	return f
}

// outOfMemory reads the allocator's texts of all versions. A line that merely
// speaks of memory, such as one that explains a setting, is none.
func (t *torchReader) outOfMemory(line string) *Failure {
	amount := func(re *regexp.Regexp) Bytes {
		m := re.FindStringSubmatch(line)
		for i := 1; i < len(m); i++ {
			if m[i] != "" {
				return parseSize(m[i])
			}
		}
		return 0
	}
	o := &OOM{Device: -1, Backend: "CUDA"}
	o.Tried = amount(oomTried)
	bare := containsFold(line, "cuda error: out of memory") || containsFold(line, "cuda runtime error")
	if o.Tried == 0 && !bare && !exceptionLine.MatchString(line) {
		return nil
	}
	if m := oomDevice.FindStringSubmatch(line); m != nil {
		o.Device = int(number(m[1]))
	}
	switch {
	case strings.Contains(line, "HIP out of memory"):
		o.Backend = "HIP"
	case strings.Contains(line, "MPS backend"):
		o.Backend = "MPS"
	}
	o.Total, o.Free, o.Process = amount(oomTotal), amount(oomFree), amount(oomProcess)
	o.HasFree = oomFree.MatchString(line)
	o.Allocated, o.Unallocated, o.Reserved = amount(oomAllocated), amount(oomUnallocated), amount(oomReserved)
	if o.Reserved == 0 && o.Allocated > 0 && oomUnallocated.MatchString(line) {
		o.Reserved = o.Allocated + o.Unallocated
	}
	for _, m := range oomOther.FindAllStringSubmatch(line, 64) {
		if b := parseSize(m[2]); b > 0 {
			o.Others = append(o.Others, ProcessMemory{PID: int(number(m[1])), Bytes: b})
		}
	}
	f := t.end(&Failure{Kind: OutOfMemory, OOM: o})
	if o.Tried == 0 {
		f.OOM = nil
	}
	return f
}

// The numbers of Paddle's text, in binary units: "Out of memory error on GPU 0. Cannot allocate
// 400.000244MB memory on GPU 0, 7.288696GB memory has been allocated and available memory is
// only 155.187500MB."
var (
	paddleTried     = regexp.MustCompile(`Cannot allocate ([\d.]+)([KMGT]?B) memory on GPU (\d+)`)
	paddleAllocated = regexp.MustCompile(`([\d.]+)([KMGT]?B) memory has been allocated`)
	paddleFree      = regexp.MustCompile(`available memory is only ([\d.]+)([KMGT]?B)`)
)

// paddleMemory reads Paddle's refusal.
func (t *torchReader) paddleMemory(line string) *Failure {
	amount := func(re *regexp.Regexp) (b Bytes, ok bool) {
		m := re.FindStringSubmatch(line)
		if m == nil {
			return 0, false
		}
		v, ok := parseFloat(m[1])
		if !ok {
			return 0, false
		}
		b, _, ok = amountOf(v, m[2])
		return b, ok
	}
	f := t.end(&Failure{Kind: OutOfMemory})
	o := &OOM{Device: -1, Backend: "CUDA"}
	if m := paddleTried.FindStringSubmatch(line); m != nil {
		o.Device = int(number(m[3]))
	}
	if o.Tried, _ = amount(paddleTried); o.Tried == 0 {
		return f
	}
	o.Allocated, _ = amount(paddleAllocated)
	o.Free, o.HasFree = amount(paddleFree)
	f.OOM = o
	return f
}

// parseSize reads "400.38 MiB"; torch's units are binary under either name. It is
// 0 for sizes that no device has, which WSL prints.
func parseSize(s string) Bytes {
	text, unit, _ := strings.Cut(s, " ")
	v, ok := parseFloat(text)
	if !ok {
		return 0
	}
	scale := 1.0
	switch unit[0] {
	case 'K':
		scale = float64(KiB)
	case 'M':
		scale = float64(MiB)
	case 'G':
		scale = float64(GiB)
	case 'T':
		scale = float64(GiB) * 1024
	}
	if v *= scale; v > 1<<50 {
		return 0
	}
	return Bytes(v + 0.5)
}

func pidAfter(line, marker string) int {
	_, after, ok := strings.Cut(line, marker)
	if !ok {
		return 0
	}
	n, _ := scanInt([]byte(after))
	return n
}

// containsFold is strings.Contains for an ASCII text in lower case, without case.
func containsFold(s, lower string) bool {
	for i := 0; i+len(lower) <= len(s); i++ {
		if s[i]|0x20 == lower[0] && strings.EqualFold(s[i:i+len(lower)], lower) {
			return true
		}
	}
	return false
}
