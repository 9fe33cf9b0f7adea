"""Reads 32-bit numbers from a stream of bytes, at a misaligned address."""
import torch
import triton
import triton.language as tl


@triton.jit
def words(stream, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    numbers = (stream + 3).to(tl.pointer_type(tl.int32))
    tl.store(out + i, tl.load(numbers + i))


words[(1,)](torch.zeros(100, dtype=torch.uint8), torch.zeros(16, dtype=torch.int32), BLOCK=16)
