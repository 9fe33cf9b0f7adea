"""A kernel by which `python -m pumice.doctor` finds out whether Triton and a device work together."""
import numpy as np
import triton
import triton.language as tl


@triton.jit
def multiply_and_add(x, y, out, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # Triton reads annotations
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) * 2 + tl.load(y + i, mask=inside), mask=inside)


def run() -> None:
    """Runs the kernel on the device that is in use.

    Raises:
        ArithmeticError: If the results are wrong.
        Exception: Whatever compiling or launching the kernel raises.
    """
    n = 1000
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    out = np.zeros_like(x)
    multiply_and_add[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    if not np.array_equal(out, x * 2 + y):
        raise ArithmeticError("the kernel's results are wrong")
