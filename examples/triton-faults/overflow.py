"""Row 4 begins at element 4 * 2^30, which wraps to 0 in 32 bits: the kernel reads the first row."""
import torch
import triton
import triton.language as tl


@triton.jit
def first_of_row(x, out, row, stride):
    tl.store(out, tl.load(x + row * stride))


first_of_row[(1,)](torch.rand(100), torch.zeros(1), 4, 1 << 30)
