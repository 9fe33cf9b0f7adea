"""Computes rows and columns of elements in a matrix without columns: a division by zero."""
import torch
import triton
import triton.language as tl


@triton.jit
def transpose(x, out, rows, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row, column = i // columns, i % columns
    tl.store(out + column * rows + row, tl.load(x + i, mask=i < rows * columns), mask=i < rows * columns)


transpose[(1,)](torch.rand(64), torch.zeros(64), 8, 0, BLOCK=64)
