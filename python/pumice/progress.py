"""Shows on the terminal which stage a long compilation has reached (support/CompileProgress.h).

Only where Python's own standard error is the terminal: not in a notebook, not where output is captured, and not in
processes that compile for others, as PyTorch's workers do. PUMICE_PROGRESS=0 turns it off.
"""
from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from . import _native


@contextlib.contextmanager
def compiling(kernel: str, stage: str) -> Iterator[None]:
    """Names a stage of the kernel's compilation on this thread. Within another one, only the stage changes."""
    _native.show_progress(_is_terminal() and not _is_worker())
    _native.begin_compilation(kernel or "kernel", stage)
    try:
        yield
    finally:
        _native.end_compilation()


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except Exception:  # noqa: BLE001 - there is none, it is closed, or it is an object of somebody's
        return False


def _is_worker() -> bool:
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    processes = sys.modules.get("multiprocessing.process")  # which a worker has loaded
    return (processes is not None and processes.parent_process() is not None) or \
        (main is not None and main.name.startswith("torch._inductor.compile_worker"))
