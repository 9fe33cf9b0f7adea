"""The mask has one element too many, which PUMICE_CHECK=1 reports."""
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i <= n)
    tl.store(out + i, value * 2, mask=i < n)


x = torch.rand(1000)
scale[(triton.cdiv(1000, 256),)](x, torch.zeros_like(x), 1000, BLOCK=256)
