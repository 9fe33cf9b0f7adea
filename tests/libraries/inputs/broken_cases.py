"""A fake library whose cases fail in every way that the runner must report."""
import ctypes
import time

import torch
import triton
import triton.language as tl
from harness import Check, Skip, Table

TABLE = Table("broken", "numpy")


@triton.jit
def scale_kernel(x, out, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


class Scale(torch.autograd.Function):
    """Computes 2 x. The gradient is wrong unless `factor` is 2."""

    @staticmethod
    def forward(ctx, x, factor):
        assert x.is_cuda
        ctx.factor, out = factor, torch.empty_like(x)
        scale_kernel[(1,)](x, out, 2.0, x.numel(), BLOCK=64)
        return out

    @staticmethod
    def backward(ctx, grad):
        out = torch.empty_like(grad)
        scale_kernel[(1,)](grad.contiguous(), out, ctx.factor, grad.numel(), BLOCK=64)
        return out, None


def ones():
    return torch.ones(50, device="cuda")


def raises(*_):
    raise ValueError("first line\nkernel.py:1: error: the line that matters\nlast line")


TABLE.check("right", lambda x: Scale.apply(x, 2.0), lambda x: 2 * x, ones)
TABLE.check("wrong gradient", lambda x: Scale.apply(x, 3.0), lambda x: 2 * x, ones)
TABLE.check("wrong output", lambda x: Scale.apply(x, 2.0), lambda x: 3 * x, ones)
TABLE.check("raises", raises, lambda x: x, ones)
TABLE.check("crashes", lambda x: ctypes.string_at(0), lambda x: x, ones)
TABLE.check("hangs", lambda x: time.sleep(1000), lambda x: x, ones)
TABLE.check("behind a crash", lambda x: Scale.apply(x, 2.0), lambda x: x + x, ones, backward=False)
TABLE.check("a fault", raises, lambda x: x, ones, fault="it is the library's own")
TABLE.check("a fault that is gone", lambda x: x, lambda x: x, ones, fault="it was the library's own")


@TABLE.case("left out")
def _():
    raise Skip("it needs another device")
