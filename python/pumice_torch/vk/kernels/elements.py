"""Kernels of functions of elements, which compute a number of steps that the elements decide."""
from __future__ import annotations

import triton
import triton.language as tl
from torch._inductor.runtime.triton_helpers import libdevice


@triton.jit
def recurrence(x_memory, n_memory, out_memory, count, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Computes p(n + 1) from p(n) and p(n - 1) up to the degree of each element.

    Memory of `out` holds p(1), and gets the result. KIND is one of the numbers above.
    """
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_memory + at, mask=inside, other=0)
    degree = tl.load(n_memory + at, mask=inside, other=0)
    made = tl.load(out_memory + at, mask=inside, other=0)
    before = tl.full([BLOCK], 1, x.dtype)
    result = tl.where(degree >= 1, made, before)
    last = tl.max(degree, axis=0)
    n = 1
    while n < last:
        real = tl.full([BLOCK], 0, x.dtype) + n
        if KIND == 0:
            after = 2 * x * made - before
        elif KIND == 1:
            after = ((2 * real + 1) * x * made - real * before) / (real + 1)
        elif KIND == 2:
            after = ((2 * real + 1 - x) * made - real * before) / (real + 1)
        elif KIND == 3:
            after = 2 * x * made - 2 * real * before
        else:
            after = x * made - real * before
        before = made
        made = after
        n += 1
        result = tl.where(degree == n, made, result)
    tl.store(out_memory + at, result, mask=inside)


@triton.jit
def hurwitz(s_memory, q_memory, out_memory, count, BLOCK: tl.constexpr):
    """Adds terms (q + k) ^ -s until q + k is 9 or more, and leaves there the place where they end."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    s = tl.load(s_memory + at, mask=inside, other=2)
    q = tl.load(q_memory + at, mask=inside, other=9)
    made = tl.full([BLOCK], 0, q.dtype)
    while tl.min(q, axis=0) < 9:
        is_small = q < 9
        size = libdevice.pow(tl.abs(q), -s)
        is_odd = (q < 0) & (libdevice.floor(s * 0.5) * 2 != s)  # s is an integer if q is negative
        made += tl.where(is_small, tl.where(is_odd, -size, size), 0)
        q = tl.where(is_small, q + 1, q)
    tl.store(q_memory + at, q, mask=inside)
    tl.store(out_memory + at, made, mask=inside)


@triton.jit
def incomplete(a_memory, x_memory, scale_memory, out, count, limit, most, IS_UPPER: tl.constexpr, BLOCK: tl.constexpr):
    """Computes a regularized incomplete gamma function. The scale is x^a exp(-x) / gamma(a + 1)."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    a = tl.load(a_memory + at, mask=inside, other=1)
    x = tl.load(x_memory + at, mask=inside, other=1)
    scale = tl.load(scale_memory + at, mask=inside, other=0)
    tolerance = tl.load(limit)
    is_far = x > a + 1
    # The series: terms x^n / ((a + 1) ... (a + n)).
    term = tl.where(is_far, x * 0, x * 0 + 1)
    total = x * 0 + 1
    place = a
    n = 0
    while (n < most) & (tl.max(term / total, axis=0) > tolerance):
        place += 1
        term *= x / place
        total += term
        n += 1
    # Lentz's evaluation of the fraction.
    below = tl.where(is_far, x + 1 - a, 1)
    d = 1 / below
    fraction = d
    c = x * 0 + 1e30
    change = tl.where(is_far, x * 0 + 2, x * 0 + 1)
    n = 1
    while (n < most) & (tl.max(tl.abs(change - 1), axis=0) > tolerance):
        factor = (a - n) * n
        below += 2
        d = 1 / (factor * d + below)
        c = below + factor / c
        # Later factors, which only round, would add up.
        change = tl.where(is_far & (tl.abs(change - 1) > tolerance), c * d, 1)
        fraction *= change
        n += 1
    lower = scale * total
    upper = scale * a * fraction
    if IS_UPPER:
        made = tl.where(is_far, upper, 1 - lower)
    else:
        made = tl.where(is_far, 1 - upper, lower)
    tl.store(out + at, made, mask=inside)


@triton.jit
def integer_power(base_memory, exponent_memory, out, count, BLOCK: tl.constexpr):
    """Computes powers of integers by squaring. Those with negative exponents are whole numbers too: 0, 1 or -1."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    base = tl.load(base_memory + at, mask=inside, other=0)
    exponent = tl.load(exponent_memory + at, mask=inside, other=0)
    is_odd = (exponent & 1) == 1
    inverse = tl.where(base == 1, 1, tl.where(base == -1, tl.where(is_odd, -1, 1), 0))
    left = tl.where(exponent < 0, 0, exponent)
    made = tl.full([BLOCK], 1, tl.int64)
    factor = base
    while tl.max(left, axis=0) > 0:
        made = tl.where((left & 1) == 1, made * factor, made)
        factor *= factor
        left = left >> 1
    tl.store(out + at, tl.where(exponent < 0, inverse, made), mask=inside)
