"""Switches the hook on in each Python that a training starts, as of "yolotop run --hook"."""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _hook():
    try:
        import yolotop_hook

        # What a program prints into a pipe or a file is somebody's data.
        out = yolotop_hook.terminal()
        if out is not None:
            yolotop_hook.watch(out=out)
    except Exception:  # the training comes first
        pass


def _other():
    """Runs the sitecustomize that this one stands before, if there is one."""
    try:
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec
    except ImportError:  # Python 2
        return
    rest = [p for p in sys.path if os.path.abspath(p or os.curdir) != _here]
    try:
        spec = PathFinder.find_spec("sitecustomize", rest)
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            sys.modules["sitecustomize"] = module
            spec.loader.exec_module(module)
    except Exception as problem:
        sys.stderr.write("sitecustomize: %s\n" % problem)


if sys.version_info >= (3, 5):
    _hook()
    _other()
