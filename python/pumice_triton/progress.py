"""Shows the line on the terminal while a kernel is compiled. It loads pumice/progress.py when it is needed."""
import contextlib


def compiling(kernel: str, stage: str) -> contextlib.AbstractContextManager[None]:
    """Shows a stage of the kernel's compilation on this thread."""
    from pumice import progress
    return progress.compiling(kernel, stage)
