"""Kernels that sort rows: short runs, and merges of pairs of runs."""
from __future__ import annotations

import triton
import triton.language as tl

# The length of the first runs, and the elements of a program. Constants among the parameters would make inductor compile
# a kernel for each launch.
RUN = tl.constexpr(32)
BLOCK = tl.constexpr(256)


@triton.jit
def sort_runs(keys, out_keys, out_places, length, count):
    """Sorts runs of each row: each element counts those that come before it."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    place = at % length
    own = place % RUN
    first = place - own
    key = tl.load(keys + at, mask=inside, other=0)
    rank = tl.full([BLOCK], 0, tl.int32)
    for other in range(RUN):
        is_there = inside & (first + other < length)
        found = tl.load(keys + at - own + other, mask=is_there, other=0)
        rank += (is_there & ((found < key) | ((found == key) & (other < own)))).to(tl.int32)
    to = at - own + rank
    tl.store(out_keys + to, key, mask=inside)
    tl.store(out_places + to, place.to(tl.int32), mask=inside)


@triton.jit
def merge_runs(keys, places, out_keys, out_places, length, count, run, keep, out_length, steps):
    """Merges pairs of sorted runs, and keeps the first elements of each pair.

    `steps` is the number of steps of a search in a run.
    """
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    place = at % length
    row = at // length
    pair = place // (2 * run)
    first = pair * 2 * run
    is_right = place - first >= run
    own = tl.where(is_right, place - first - run, place - first)
    begin = tl.where(is_right, first, tl.minimum(first + run, length))
    low = begin
    high = tl.minimum(begin + run, length)
    key = tl.load(keys + at, mask=inside, other=0)
    for _ in range(steps):
        middle = (low + high) // 2
        is_open = inside & (low < high)
        found = tl.load(keys + row * length + middle, mask=is_open, other=0)
        is_before = (found < key) | ((found == key) & is_right)
        low = tl.where(is_open & is_before, middle + 1, low)
        high = tl.where(is_open & (is_before == 0), middle, high)
    rank = own + low - begin
    to = row * out_length + pair * keep + rank
    kept = inside & (rank < keep)
    tl.store(out_keys + to, key, mask=kept)
    tl.store(out_places + to, tl.load(places + at, mask=inside, other=0), mask=kept)
