"""Reductions and scans over every axis, with one or more operands and with user-defined regions."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def sums(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + at)
    tl.store(o + tl.arange(0, ROWS), tl.sum(v, axis=1))
    tl.store(o + tl.arange(0, COLUMNS), tl.sum(v, axis=0))
    tl.store(o + at, v + tl.sum(v, axis=1, keep_dims=True))
    tl.store(o, tl.sum(v))


@triton.jit
def extremes(x, o, at, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(o, tl.max(v, axis=0))
    tl.store(o + 1, tl.min(v, axis=0))
    best, where = tl.max(v, axis=0, return_indices=True)
    tl.store(o + 2, best)
    tl.store(at, where)
    tl.store(at + 1, tl.argmin(v, axis=0, tie_break_left=False))
    tl.store(at + 2, tl.argmax(v, axis=0))


@triton.jit
def bits(x, o):
    v = tl.load(x + tl.arange(0, 16))
    tl.store(o, tl.xor_sum(v, axis=0))
    tl.store(o + 1, tl.reduce_or(v, axis=0))


@triton.jit
def welford(mean, variance, weight, other_mean, other_variance, other_weight):
    total = weight + other_weight
    delta = other_mean - mean
    return (mean + delta * other_weight / total,
            variance + other_variance + delta * delta * weight * other_weight / total, total)


@triton.jit
def mean_and_variance(x, o):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    v = tl.load(x + at)
    zeros = tl.zeros_like(v)
    mean, variance, weight = tl.reduce((v, zeros, zeros + 1), 1, welford)
    tl.store(o + tl.arange(0, 4), mean + variance / weight)


@triton.jit
def shorter(a, b):
    if a < b:
        return a
    else:
        return b * 2


@triton.jit
def region_with_control_flow(x, o):
    tl.store(o, tl.reduce(tl.load(x + tl.arange(0, 16)), 0, shorter))


@triton.jit
def scans(x, o, REVERSE: tl.constexpr):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    v = tl.load(x + at)
    tl.store(o + at, tl.cumsum(v, axis=1, reverse=REVERSE))
    tl.store(o + at, tl.cumprod(v, axis=0, reverse=REVERSE))


@triton.jit
def linear(scale, shift, other_scale, other_shift):
    return scale * other_scale, shift * other_scale + other_shift


@triton.jit
def scan_of_pairs(x, y, o, REVERSE: tl.constexpr):
    i = tl.arange(0, 16)
    scale, shift = tl.associative_scan((tl.load(x + i), tl.load(y + i)), 0, linear, reverse=REVERSE)
    tl.store(o + i, scale + shift)


CASES = [
    *[case(sums, f"*{t}; *{t}", ROWS=4, COLUMNS=8) for t in ("fp32", "bf16", "i8", "i1")],
    case(sums, "*fp64; *fp64", ROWS=1, COLUMNS=1),
    case(extremes, "*fp32; *fp32; *i32", N=16),
    case(extremes, "*u32; *u32; *i32", N=1),
    case(bits, "*i32; *i32"),
    case(mean_and_variance, "*fp32; *fp32"),
    case(region_with_control_flow, "*fp32; *fp32"),
    *[case(scans, f"*{t}; *{t}", REVERSE=r) for t, r in (("fp32", False), ("i32", True))],
    *[case(scan_of_pairs, "*fp32; *fp32; *fp32", REVERSE=r) for r in (False, True)],
]
