"""Every program adds its part to the sum by a load and a store, so most parts get lost."""
import torch
import triton
import triton.language as tl


@triton.jit
def sum_all(x, total, BLOCK: tl.constexpr):
    part = tl.sum(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)))
    tl.store(total, tl.load(total) + part)


sum_all[(64,)](torch.ones(64 * 256), torch.zeros(1), BLOCK=256)
