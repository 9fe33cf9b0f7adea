"""Kernels with functions that Triton has from 3.9 on. Only tests for 3.9 import them."""
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def atomic_load(x, o, n, SEM: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(o + i, tl.atomic_load(x + i, sem=SEM))
    tl.store(o + 16, tl.atomic_load(x + 3))
    tl.store(o + 17 + i, tl.atomic_load(x + i, mask=i < n, sem="relaxed", scope="sys"), mask=i < n)


@triton.jit
def atomic_store(x, o, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.atomic_store(o + i, v)
    tl.atomic_store(o + 16 + i, v, mask=i < n, sem="relaxed", scope="cta")
    tl.atomic_store(o + 32, tl.load(x + 3))


@triton.jit
def poll(x, o, n, t):
    i = tl.arange(0, 16)
    tl.store(o + i, tl.atomic_poll(x + i, n, sem="relaxed", timeout_ns=1000))
    tl.store(o + 16, tl.atomic_poll(x + 2, n, timeout_ns=t))
    m = tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :]
    tl.store(o + 17 + m, tl.atomic_poll(x + m, n, timeout_ns=0))


@triton.jit
def hand_over(flags, values, o):
    """Makes each program wait for the one before it, and add its number to that program's result."""
    me = tl.program_id(0)
    if me > 0:
        tl.atomic_poll(flags + me - 1, 1)
        before = tl.load(values + me - 1)
    else:
        before = 0
    tl.store(values + me, before + me)
    tl.atomic_store(flags + me, 1)
    tl.store(o + me, before + me)


@triton.jit
def approximate_quotient(x, y, o):
    i = tl.arange(0, 16)
    gdc_wait()
    tl.store(o + i, tl.fdiv(tl.load(x + i), tl.load(y + i), approx=True))
    gdc_launch_dependents()


@triton.jit
def hints_and_constants(x: tl.const, o, h):
    i = tl.arange(0, 16)
    v = tl.load(tl.where(i < 4, x + i, x + 2 * i), cache_modifier=".cg", eviction_policy="evict_last")
    tl.store(o + i, v, cache_modifier=".wt")
    tl.store(h + i, v.to(tl.float16).to(tl.bfloat16).to(tl.float32))
    tl.debug_barrier()


@triton.jit
def expected_zero(x, o):
    i = tl.arange(0, 16)
    tl.store(o + i, tl.expect_zero(tl.load(x + i), i < 0))
