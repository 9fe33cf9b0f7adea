"""Cumulative sums of rows, with one program per row."""
import triton
import triton.language as tl

from example import Problem, empty, main, random, wide


@triton.jit
def cumsum(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    i = tl.arange(0, BLOCK)
    mask = i < columns
    tl.store(out + row + i, tl.cumsum(tl.load(x + row + i, mask=mask, other=0.0), 0), mask=mask)


def problem(memory, rows=1000, columns=1000):
    tensors = random(rows, columns), empty(rows, columns)
    x, out = map(memory.put, tensors)
    block = triton.next_power_of_2(columns)
    return Problem(f"running sums of {rows} x {columns}", tensors,
                   lambda: cumsum[(rows,)](x, out, columns, BLOCK=block),
                   lambda: (memory.get(out),), lambda: (wide(tensors[0]).cumsum(1),),
                   lambda x, _: (x.cumsum(1),))


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
