"""The sum, mean or maximum of each segment of rows. Start indices or sorted names define the segments."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, integers, main, random, tensor, torch, wide


@triton.jit
def reduce_segment(x, starts, out, columns, REDUCTION: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr):
    """Reduces each segment. The result of an empty segment is zero."""
    segment = tl.program_id(0)
    i = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    first = tl.load(starts + segment)
    end = tl.load(starts + segment + 1)
    nothing: tl.constexpr = -float("inf") if REDUCTION == "max" else 0.0
    held = tl.full((BLOCK_M, BLOCK_N), nothing, tl.float32)
    for start in range(first, end, BLOCK_M):
        row = start + tl.arange(0, BLOCK_M)[:, None]
        value = tl.load(x + row.to(tl.int64) * columns + i[None, :],
                        mask=(row < end) & (i[None, :] < columns), other=nothing).to(tl.float32)
        held = tl.maximum(held, value) if REDUCTION == "max" else held + value
    result = tl.max(held, 0) if REDUCTION == "max" else tl.sum(held, 0)
    if REDUCTION == "mean":
        result /= end - first
    result = tl.where(first < end, result, 0.0)
    tl.store(out + segment.to(tl.int64) * columns + i, result.to(out.dtype.element_ty), mask=i < columns)


@triton.jit
def add_in_segment(sum, name, next_sum, next_name):
    """Combines two runs of rows: adds if they belong to the same segment, and otherwise restarts with the second."""
    return tl.where(name == next_name, sum, 0.0) + next_sum, next_name


@triton.jit
def sum_of_names(x, names, out, rows, columns, BLOCK: tl.constexpr):
    """In each block, the last row of a segment adds the segment's sum. Blocks may share a segment."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    name = tl.load(names + row, mask=row < rows, other=-1)
    after = tl.load(names + row + 1, mask=row + 1 < rows, other=-1)
    last = (row < rows) & ((name != after) | (row % BLOCK == BLOCK - 1))
    for column in range(columns):
        value = tl.load(x + row.to(tl.int64) * columns + column, mask=row < rows, other=0.0).to(tl.float32)
        sum, _ = tl.associative_scan((value, name), 0, add_in_segment)
        tl.atomic_add(out + name.to(tl.int64) * columns + column, sum, mask=last, sem="relaxed")


def problem(memory, rows=2000, columns=50, segments=100, reduction="mean", dtype="float32"):
    of_rows = np.sort(np.asarray(integers(0, segments, rows)))
    starts = np.searchsorted(of_rows, np.arange(segments + 1))
    x = random(rows, columns, dtype=dtype)
    tensors = (x, tensor(of_rows, "int32"), tensor(starts, "int32"),
               empty(segments, columns, dtype=dtype), empty(segments, columns))
    given = [memory.put(each) for each in tensors]

    def launch():
        x, names, starts, out, sums = given
        reduce_segment[(segments, triton.cdiv(columns, 64))](x, starts, out, columns, REDUCTION=reduction,
                                                             BLOCK_M=16, BLOCK_N=64)
        memory.clear(sums)
        sum_of_names[(triton.cdiv(rows, 256),)](x, names, sums, rows, columns, BLOCK=256)

    def expected():
        made = {"sum": np.sum, "mean": np.mean, "max": np.max}[reduction]
        parts = np.split(wide(x), starts[1:-1])
        nothing = np.zeros(columns)
        return (np.stack([made(part, 0) if len(part) else nothing for part in parts]),
                np.stack([part.sum(0) for part in parts]))

    def by_torch(x, names, *_):
        nothing = torch.zeros(segments, columns, dtype=x.dtype)
        made = nothing.scatter_reduce(0, names[:, None].expand_as(x), x, "amax" if reduction == "max" else reduction,
                                      include_self=False)
        return made, nothing.index_add(0, names, x)

    return Problem(f"{reduction} and sum of {segments} segments of {rows} x {columns} {dtype}", tensors,
                   launch, lambda: tuple(map(memory.get, given[3:])), expected, by_torch,
                   tolerance=1e-6 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
