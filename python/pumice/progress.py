"""Shows on the terminal which stage a long compilation has reached (support/CompileProgress.h).

It shows the line only if Python's own standard error is the terminal. So it shows none in a notebook, in captured
output, or in processes that compile for others, such as PyTorch's workers. PUMICE_PROGRESS=0 turns it off.
"""
from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from . import _native


@contextlib.contextmanager
def compiling(kernel: str, stage: str) -> Iterator[None]:
    """Shows a stage of the kernel's compilation on this thread. In a nested block, only the stage changes.

    Args:
        kernel: The kernel's name; "" if it is not known.
        stage: The name of the stage.
    """
    _native.show_progress(_is_terminal() and not _is_worker())
    _native.begin_compilation(kernel or "kernel", stage)
    try:
        yield
    finally:
        _native.end_compilation()


def _is_terminal() -> bool:
    """Returns whether Python's standard error is a terminal."""
    try:
        return sys.stderr.isatty()
    except Exception:  # noqa: BLE001 - standard error may be missing, closed, or any object
        return False


def _is_worker() -> bool:
    """Returns whether this process compiles for another one."""
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    processes = sys.modules.get("multiprocessing.process")  # a worker has loaded it
    return (processes is not None and processes.parent_process() is not None) or \
        (main is not None and main.name.startswith("torch._inductor.compile_worker"))
