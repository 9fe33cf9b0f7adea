"""Sorts rows in ascending order, with one program per row."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, main, random, wide


@triton.jit
def sort(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    i = tl.arange(0, BLOCK)
    mask = i < columns
    value = tl.load(x + row + i, mask=mask, other=float("inf"))
    tl.store(out + row + i, tl.sort(value), mask=mask)


def problem(memory, rows=100, columns=200):
    tensors = random(rows, columns), empty(rows, columns)
    x, out = map(memory.put, tensors)
    block = triton.next_power_of_2(columns)
    return Problem(f"sort of {rows} x {columns}", tensors,
                   lambda: sort[(rows,)](x, out, columns, BLOCK=block),
                   lambda: (memory.get(out),), lambda: (np.sort(wide(tensors[0]), 1),),
                   lambda x, _: (x.sort(1).values,), tolerance=0)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
