"""Softmax of rows, with one program per row."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, main, random, warps_for, wide


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * columns + i, value / tl.sum(value, 0), mask=i < columns)


def problem(memory, rows=1000, columns=1000):
    tensors = random(rows, columns), empty(rows, columns)
    x, out = map(memory.put, tensors)
    block = triton.next_power_of_2(columns)

    def expected():
        e = np.exp(wide(tensors[0]) - wide(tensors[0]).max(1, keepdims=True))
        return (e / e.sum(1, keepdims=True),)

    return Problem(f"softmax of {rows} x {columns}", tensors,
                   lambda: softmax[(rows,)](out, x, columns, BLOCK=block,
                                            num_warps=warps_for(block)),
                   lambda: (memory.get(out),), expected,
                   lambda x, _: (functional.softmax(x, 1),), tolerance=1e-6)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
