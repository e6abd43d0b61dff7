"""Tells yolotop what torch counts: memory that tensors hold, and the wait for data.

In a training loop of your own:

    import yolotop_hook          # beside your script, or anywhere on PYTHONPATH
    yolotop_hook.watch()         # once, before the loop

That is all: a step is counted whenever an optimizer steps, and the wait for data is
taken where a DataLoader hands over a batch. Ultralytics needs the same two lines before
its train(), or "yolotop run --hook", which reaches the processes of DDP, too.

Every few steps one line is printed, which yolotop reads in any output. It resets no
statistics of torch, raises nothing into the training, and switches itself off if
anything goes wrong.
"""

import os
import sys
import time

__all__ = ["watch", "step", "terminal"]

EVERY_STEPS = 50  # optimizer steps between two lines, at least
EVERY_SECONDS = 2.0  # and so long between them, at least

_clock = time.perf_counter


class _Watch:
    """What was counted since the last line, in this process."""

    def __init__(self, every, out):
        self.every = every
        self.out = out
        self.off = False
        self.steps = 0  # since the last line
        self.total = 0  # so far
        self.began = self.last = _clock()
        self.skipped = 0.0  # seconds since began that are no step's
        self.wait = 0.0  # for data, in the steps since the last line
        self.loaders = {}  # wait by iterator, since the last step
        self.before = set()  # iterators that ran in the step before

    def waited(self, iterator, seconds):
        key = id(iterator)
        self.loaders[key] = self.loaders.get(key, 0.0) + seconds

    def step(self):
        if self.off:
            return
        try:
            now = _clock()
            self.steps += 1
            self.total += 1
            # Where a loader ran that did not in the step before, a validation or the end of an
            # epoch lay between them: that is neither a step's time nor its wait. The same goes
            # for the very first step.
            if self.total == 1 or not self.before.issuperset(self.loaders):
                self.skipped += now - self.last
            else:
                self.wait += sum(self.loaders.values())
            self.before = set(self.loaders) or self.before
            self.loaders.clear()
            self.last = now
            if self.total == 1 or (self.steps >= self.every and now - self.began >= EVERY_SECONDS):
                self.say(now - self.began - self.skipped)
                self.steps, self.wait, self.skipped = 0, 0.0, 0.0
                self.began = self.last = _clock()
        except Exception:  # the training comes first
            self.off = True

    def say(self, took):
        parts = [
            "yolotop-hook",
            "v=1",
            "rank=%s" % _rank(),
            "step=%d" % self.total,
            "steps=%d" % self.steps,
            "time=%.4f" % took,
            "wait=%.4f" % min(self.wait, took),
        ]
        parts += _memory()
        # A bar may stand on the line: the carriage return ends it for who reads it.
        os.write(self.out, ("\r" + " ".join(parts) + "\n").encode("ascii", "replace"))


def _rank():
    for name in ("RANK", "LOCAL_RANK"):
        value = os.environ.get(name, "")
        if value.lstrip("-").isdigit():
            return max(int(value), 0)
    return 0


def _device(torch):
    """The device on which this process holds most; None if it holds nothing on any."""
    held = [(torch.cuda.memory_reserved(i), i) for i in range(torch.cuda.device_count())]
    most, device = max(held) if held else (0, 0)
    return device if most > 0 else None


def _memory():
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    # Asked first, since any other question may open the driver, which forked processes cannot use.
    if torch.cuda.is_initialized():
        capturing = getattr(torch.cuda, "is_current_stream_capturing", None)
        device = _device(torch)
        if device is None or (capturing is not None and capturing()):
            return []
        stats = torch.cuda.memory_stats(device)
        free, total = torch.cuda.mem_get_info(device)
        counts = (
            ("dev", device),
            ("alloc", stats.get("allocated_bytes.all.current", 0)),
            ("alloc_max", stats.get("allocated_bytes.all.peak", 0)),
            ("held", stats.get("reserved_bytes.all.current", 0)),
            ("split", stats.get("inactive_split_bytes.all.current", 0)),
            ("retries", stats.get("num_alloc_retries", 0)),
            ("ooms", stats.get("num_ooms", 0)),
            ("free", free),
            ("total", total),
        )
        return ["%s=%d" % c for c in counts]
    mps = getattr(torch, "mps", None)
    backend = getattr(getattr(torch, "backends", None), "mps", None)
    if mps is not None and backend is not None and backend.is_available():
        return ["alloc=%d" % mps.current_allocated_memory(), "held=%d" % mps.driver_allocated_memory()]
    return []


_watching = None


class _Finder(object):
    """Attaches to the modules of torch right after they are imported."""

    def __init__(self, wanted):
        self.wanted = wanted

    def find_spec(self, name, path=None, target=None):
        attach = self.wanted.get(name)
        if attach is None:
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        plain = spec.loader.exec_module

        def exec_module(module):
            plain(module)
            _safely(attach, module)

        spec.loader.exec_module = exec_module
        return spec


def _safely(attach, module):
    try:
        attach(module)
    except Exception:  # the training comes first
        pass


def _attach_steps(optim):
    def stepped(*_):
        if _watching is not None:
            _watching.step()

    register = getattr(optim, "register_optimizer_step_post_hook", None)
    if register is not None:
        register(stepped)
        return
    # Before torch 2.1: the constructor wraps the step of each class in a profile hook.
    wrap = getattr(optim.Optimizer, "_hook_for_profile", None)
    if wrap is None:
        return

    def wrapping(self, *args, **kwargs):
        wrap(self, *args, **kwargs)
        plain = type(self).step
        if getattr(plain, "_yolotop", False):
            return

        def step(self, *args, **kwargs):
            out = plain(self, *args, **kwargs)
            stepped()
            return out

        for name in ("hooked", "__wrapped__", "__doc__", "__name__"):
            if hasattr(plain, name):
                setattr(step, name, getattr(plain, name))
        step._yolotop = True
        type(self).step = step

    optim.Optimizer._hook_for_profile = wrapping


def _attach_loader(module):
    iterator = module._BaseDataLoaderIter
    plain = iterator.__next__

    def next_batch(self):
        began = _clock()
        try:
            return plain(self)
        finally:
            if _watching is not None:
                _watching.waited(self, _clock() - began)

    iterator.__next__ = next_batch


def watch(every=EVERY_STEPS, out=1):
    """Counts from now on and prints a line to a file descriptor every so many optimizer steps."""
    global _watching
    try:
        if _watching is not None:
            return
        _watching = _Watch(max(1, int(every)), out)
        later = {}
        for name, attach in (("torch.optim.optimizer", _attach_steps), ("torch.utils.data.dataloader", _attach_loader)):
            if name in sys.modules:
                _safely(attach, sys.modules[name])
            else:
                later[name] = attach
        if later:
            sys.meta_path.insert(0, _Finder(later))
    except Exception:  # the training comes first
        pass


def terminal():
    """A descriptor of the terminal that this process prints to; None if it prints elsewhere."""
    for fd in (1, 2):
        try:
            if os.isatty(fd):
                return fd
        except OSError:
            pass
    try:
        return os.open("/dev/tty", os.O_WRONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return None


def step():
    """Counts a step by hand, where no optimizer of torch steps."""
    if _watching is not None:
        _watching.step()
