#!/usr/bin/env python3
"""Triton kernels on memory of more than 4 GiB, on the CPU device: part of `make test-triton`.

usage: large.py

Tests offsets beyond 2^31 and 2^32, in 32 and 64 bits, and writes and reads a whole array. Needs a Python with `triton`
and `numpy`, and the package `pumice`. If 6 GiB are not free, it says so and succeeds.
"""
import pathlib
import re
import sys

import numpy as np
import pumice
import triton
import triton.language as tl

BYTES = (1 << 32) + (1 << 20)
NEEDED = 6 << 30
# Blocks around the limits of signed and unsigned 32-bit offsets: one crosses each
# limit, and one is beyond it.
PLACES = ((1 << 31) - 32, (1 << 31) + 64, (1 << 32) - 32, (1 << 32) + 64)


@triton.jit
def write(out, first, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + first + i, (i % 100 + 1).to(tl.int8))


@triton.jit
def read(x, out, first, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + first + i))


@triton.jit
def write_apart(out, stride, BLOCK: tl.constexpr):
    """Stores to offsets that fit in 32 bits as elements, but not as bytes."""
    i = tl.arange(0, BLOCK)
    tl.store(out + i * stride, (i + 1).to(tl.int64))


@triton.jit
def write_all(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, (i % 100 + 1).to(tl.int8), mask=i < n)


def single_blocks(x, host):
    """Yields (what, whether it is right) for a block at each place. `host(a, b)` returns elements a to b."""
    expected = (np.arange(64) % 100 + 1).astype(np.int8)
    for first in PLACES:
        write[(1,)](x, first, BLOCK=64)
        found = np.zeros(64, np.int8)
        read[(1,)](x, found, first, BLOCK=64)
        around = host(first - 4096, first), host(first + 64, min(first + 4160, BYTES))
        yield f"written at {first}", (host(first, first + 64) == expected).all()
        yield f"read at {first}", (found == expected).all()
        yield f"nothing else around {first}", not any(each.any() for each in around)
        write_zeros(x, first)
    yield "nothing at the beginning", not host(0, 4096).any()


def write_zeros(x, first):
    x[first:first + 64] = 0


def all_checks():
    x = np.zeros(BYTES, np.int8)
    yield from single_blocks(x, lambda begin, end: x[begin:end])
    write_all[(triton.cdiv(BYTES, 1 << 16),)](x, BYTES, BLOCK=1 << 16)
    piece = 100 << 20
    pattern = np.arange(piece) % 100 + 1
    yield "all of it written", all((x[at:at + piece] == pattern[:len(x[at:at + piece])]).all()
                                   for at in range(0, BYTES, piece))
    del x
    x = pumice.zeros((BYTES,), "int8")
    yield from ((f"an array of the device, {what}", right) for what, right in
                single_blocks(x, lambda begin, end: x[begin:end].numpy()))
    del x
    apart = np.zeros((1 << 29) + 2048, np.int64)  # pages are allocated only when they are written
    write_apart[(1,)](apart, 1 << 24, BLOCK=32)
    yield "8-byte elements, far apart", (apart[::1 << 24][:32] == np.arange(1, 33)).all()


def main():
    free = int(re.search(r"MemAvailable: *(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) << 10
    if free < NEEDED:
        print(f"skipped: {free >> 30} GiB of memory are free; memory of more than 4 GiB needs {NEEDED >> 30}")
        return 0
    pumice.use("cpu")
    checks = list(all_checks())
    for what, right in checks:
        if not right:
            print(f"WRONG: {what}")
    good = sum(bool(right) for _, right in checks)
    print(f"{good} of {len(checks)} checks of memory of {BYTES >> 20} MiB are right on cpu:0")
    return good != len(checks)


if __name__ == "__main__":
    sys.exit(main())
