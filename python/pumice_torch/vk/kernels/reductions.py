"""Sums of all elements, and the greatest or least element of each row."""
from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from ..plans.file import Tensor
from ..plans.own import Operand, Writer
from ..plans.values import Unsupported

_KINDS = (torch.float32, torch.float16, torch.bfloat16)
_PARTS = 8192    # parts of a sum, at most
_BLOCK = 2048    # elements that a program of a sum reads at once
_COLUMNS = 512   # elements of rows that a program reads at once


@triton.jit
def add_parts(x, out, count, each, factor, BLOCK: tl.constexpr):
    """Writes the sum of each part of `each` elements, times a factor. `each` is a multiple of BLOCK."""
    first = tl.program_id(0).to(tl.int64) * each
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    here = x + first
    left = tl.minimum(count - first, each).to(tl.int32)
    for at in range(0, left // BLOCK * BLOCK, BLOCK):
        total += tl.load(here + at + lanes).to(tl.float32)
    if left % BLOCK != 0:
        at = left // BLOCK * BLOCK
        total += tl.load(here + at + lanes, mask=at + lanes < left, other=0).to(tl.float32)
    tl.store(out + tl.program_id(0), (tl.sum(total) * factor).to(out.dtype.element_ty))


@triton.jit
def best_of_rows(x, values, places, rows, width, IS_MAX: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Writes the greatest or least element of each row and its place: the first NaN, else the first of equal ones."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    worst: tl.constexpr = float("-inf") if IS_MAX else float("inf")
    best = tl.full((ROWS, BLOCK), worst, tl.float32)
    place = tl.zeros((ROWS, BLOCK), tl.int32) + columns[None, :]
    for first in range(0, width, BLOCK):
        column = first + columns
        mask = (row[:, None] < rows) & (column[None, :] < width)
        value = tl.load(x + row[:, None] * width + column[None, :], mask=mask, other=worst).to(tl.float32)
        is_better = (value > best if IS_MAX else value < best) | ((value != value) & (best == best))
        best = tl.where(is_better, value, best)
        place = tl.where(is_better, column[None, :], place)
    is_nan = best != best
    top = tl.where(is_nan, worst, best)
    top = tl.max(top, 1) if IS_MAX else tl.min(top, 1)
    has_nan = tl.max(is_nan.to(tl.int32), 1) > 0
    is_chosen = tl.where(has_nan[:, None], is_nan, best == top[:, None])
    if values is not None:
        tl.store(values + row, tl.where(has_nan, float("nan"), top).to(values.dtype.element_ty), mask=row < rows)
    tl.store(places + row, tl.min(tl.where(is_chosen, place, 0x7fffffff), 1).to(tl.int64), mask=row < rows)


def _check(x: Operand, *results: Operand) -> None:
    if x.kind not in _KINDS or any(one.layout != "c" for one in (x, *results)) or 0 in x.actual_sizes or not x.rank:
        raise Unsupported("a reduction of a tensor that is not contiguous, or of another type than float32, float16 and "
                          "bfloat16")


def _check_sizes(writer: Writer, result: Operand, sizes: list[tuple[int, int]], kept: int) -> None:
    """Checks that an `out` argument has a result's sizes, with ones at the end for dimensions that are kept.

    Each of `sizes` is a value and the actual size.
    """
    if result.actual_sizes != [actual for _, actual in sizes] + [1] * kept:
        raise Unsupported("an out argument of another size")
    for dim, (value, _) in enumerate(sizes):
        writer.file.require(writer.apply("eq", result.size(dim), value))


def _dims(given: Any, rank: int) -> list[int]:
    dims = [given] if isinstance(given, int) else given or range(rank)
    if not all(type(dim) is int for dim in dims):
        raise Unsupported("a reduction whose dimensions are not in the key")
    return sorted({dim % rank for dim in dims})


def _add_all(writer: Writer, x: Operand, dims: Any, out: Operand, *, keeps: bool, is_mean: bool) -> None:
    _check(x, out)
    if out.kind not in (x.kind, torch.float32) or len(_dims(dims, x.rank)) != x.rank:
        raise Unsupported("a sum of some dimensions, or of another type")
    _check_sizes(writer, out, [], x.rank if keeps else 0)
    file = writer.file
    actual = 1
    for size in x.actual_sizes:
        actual *= size
    count = writer.product(*(x.size(dim) for dim in range(x.rank)))
    one = writer.constant(1.0)
    factor = writer.apply("div", one, writer.real(count)) if is_mean else one
    options = {"num_warps": 4 if writer.is_cpu else 8}

    def launch(of: tuple[Tensor, torch.dtype] | Operand, into: tuple[Tensor, torch.dtype] | Operand, elements: int,
               each: int, parts: int, times: int, aligned: list[str]) -> None:
        writer.launch(add_parts, [parts], {"x": of, "out": into, "count": (elements, "i64"), "each": (each, "i64"),
                                           "factor": (times, "fp32")}, {"BLOCK": _BLOCK}, aligned=aligned, **options)

    def blocks(elements: int) -> int:
        return writer.product(writer.ceil_div(elements, _BLOCK), writer.constant(_BLOCK))

    if writer.is_at_most(count, actual, 8 * _BLOCK):
        launch(x, out, count, blocks(count), writer.constant(1), factor, ["each"])
        return
    each = blocks(writer.ceil_div(count, _PARTS))
    parts = writer.ceil_div_by(count, each)
    sums = file.allocate(torch.float32, [parts], [writer.constant(1)])
    launch(x, (sums, torch.float32), count, each, parts, one, ["each"])
    launch((sums, torch.float32), out, parts, blocks(parts), writer.constant(1), factor, ["each"])
    file.free(sums)


def sum_of_all(writer: Writer, x: Operand, dims: Any, keepdim: Any, kind: Any, out: Operand) -> None:
    """Writes the plan of sum.IntList_out over all dimensions."""
    _add_all(writer, x, dims, out, keeps=keepdim, is_mean=False)


def mean_of_all(writer: Writer, x: Operand, dims: Any, keepdim: Any, kind: Any, out: Operand) -> None:
    """Writes the plan of mean.out over all dimensions."""
    _add_all(writer, x, dims, out, keeps=keepdim, is_mean=True)


def _best(writer: Writer, x: Operand, dim: Any, values: Operand | None, places: Operand, *, keeps: bool, is_max: bool) -> None:
    _check(x, *(one for one in (values, places) if one is not None))
    if _dims(dim, x.rank) != [x.rank - 1] or (dim is None and x.rank > 1):
        raise Unsupported("the greatest elements of another dimension than the last")
    for result in (values, places):
        if result is not None:
            _check_sizes(writer, result, [(x.size(at), x.actual_sizes[at]) for at in range(x.rank - 1)], int(keeps))
    width, actual = x.size(-1), x.actual_sizes[-1]
    rows = writer.product(*(x.size(at) for at in range(x.rank - 1)))
    block = max(16, min(_COLUMNS, triton.next_power_of_2(actual)))
    if block < _COLUMNS:
        writer.is_at_most(width, actual, block)
    writer.is_at_most(width, actual, block // 2 if block > 16 else 0)
    writer.is_at_most(width, actual, (1 << 31) - 1 - block)
    aligned = ["width"] if writer.is_multiple(width, actual, 16) else []
    many = _COLUMNS // block
    given = {"x": x, "values": values, "places": places, "rows": (rows, "i64"), "width": (width, "i32")}
    constants = {"IS_MAX": is_max, "ROWS": many, "BLOCK": block, **({"values": None} if values is None else {})}
    writer.launch(best_of_rows, [writer.ceil_div(rows, many)],
                  {name: one for name, one in given.items() if one is not None}, constants, aligned=aligned, num_warps=4)


def max_of_rows(writer: Writer, x: Operand, dim: Any, keepdim: Any, values: Operand, places: Operand) -> None:
    """Writes the plan of max.dim_max over the last dimension."""
    _best(writer, x, dim, values, places, keeps=keepdim, is_max=True)


def min_of_rows(writer: Writer, x: Operand, dim: Any, keepdim: Any, values: Operand, places: Operand) -> None:
    """Writes the plan of min.dim_min over the last dimension."""
    _best(writer, x, dim, values, places, keeps=keepdim, is_max=False)


def argmax_of_rows(writer: Writer, x: Operand, dim: Any, keepdim: Any, places: Operand) -> None:
    """Writes the plan of argmax.out over the last dimension."""
    _best(writer, x, dim, None, places, keeps=keepdim, is_max=True)


def argmin_of_rows(writer: Writer, x: Operand, dim: Any, keepdim: Any, places: Operand) -> None:
    """Writes the plan of argmin.out over the last dimension."""
    _best(writer, x, dim, None, places, keeps=keepdim, is_max=False)
