"""Switches the hook on in each Python that a training starts, as of "yolotop run --hook"."""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _hook():
    try:
        import yolotop_hook

        yolotop_hook.watch()
    except Exception:  # the training comes first
        pass


def _other():
    """Runs the sitecustomize that this one stands before, if there is one."""
    rest = [p for p in sys.path if os.path.abspath(p or os.curdir) != _here]
    try:
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec

        spec = PathFinder.find_spec("sitecustomize", rest)
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            sys.modules["sitecustomize"] = module
            spec.loader.exec_module(module)
    except Exception as problem:
        sys.stderr.write("sitecustomize: %s\n" % problem)


_hook()
_other()
