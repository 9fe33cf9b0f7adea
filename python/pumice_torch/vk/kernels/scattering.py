"""Kernels that write or reduce elements at places."""
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def store_at(out, places, values, count, BLOCK: tl.constexpr):
    """Writes values to their places."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    to = tl.load(places + at, mask=inside, other=0)
    tl.store(out + to, tl.load(values + at, mask=inside, other=0), mask=inside)


@triton.jit
def combine(made, value, KIND: tl.constexpr):
    """Returns a sum, product, minimum or maximum. NaN wins."""
    if KIND == 0:
        made += value
    elif KIND == 1:
        made *= value
    elif KIND == 2:
        made = tl.where((value < made) | (value != value), value, made)
    else:
        made = tl.where((value > made) | (value != value), value, made)
    return made


@triton.jit
def reduce_chosen(values, order, begins, ends, out, count, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Adds to each element of `out` the values whose numbers are in its part of `order`."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    begin = tl.load(begins + at, mask=inside, other=0)
    length = tl.load(ends + at, mask=inside, other=0) - begin
    made = tl.load(out + at, mask=inside, other=0)
    longest = tl.max(length, axis=0)
    i = 0
    while i < longest:
        is_there = inside & (i < length)
        value = tl.load(values + tl.load(order + begin + i, mask=is_there, other=0), mask=is_there, other=0)
        made = tl.where(is_there, combine(made, value, KIND), made)
        i += 1
    tl.store(out + at, made, mask=inside)


@triton.jit
def reduce_rows(values, begins, ends, out, inner, count, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Adds to each row of `out`, which has `inner` elements, the rows of values from `begins` to `ends`."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    row = at // inner
    begin = tl.load(begins + row, mask=inside, other=0)
    length = tl.load(ends + row, mask=inside, other=0) - begin
    made = tl.load(out + at, mask=inside, other=0)
    longest = tl.max(length, axis=0)
    i = 0
    while i < longest:
        is_there = inside & (i < length)
        value = tl.load(values + (begin + i) * inner + at % inner, mask=is_there, other=0)
        made = tl.where(is_there, combine(made, value, KIND), made)
        i += 1
    tl.store(out + at, made, mask=inside)
