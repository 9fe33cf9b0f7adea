"""Atomic operations of every kind, order, scope and type."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def of_integers(x, o, n):
    i = tl.arange(0, 8)
    v = tl.load(o + i)
    r = tl.atomic_add(x + i, v)
    r += tl.atomic_max(x + i, v, mask=i < n)
    r += tl.atomic_min(x + i, v)
    r += tl.atomic_and(x + i, v)
    r += tl.atomic_or(x + i, v, mask=i < n)
    r += tl.atomic_xor(x + i, v)
    r += tl.atomic_xchg(x + i, v)
    r += tl.atomic_cas(x + i, v, r)
    tl.store(o + i, r)


@triton.jit
def of_floats(x, o, n):
    i = tl.arange(0, 8)
    v = tl.load(o + i)
    r = tl.atomic_add(x + i, v, mask=i < n)
    r += tl.atomic_xchg(x + i, v)
    r += tl.atomic_cas(x + i, v, r)
    tl.store(o + i, r)


@triton.jit
def sums_of_narrow_floats(x, o, n):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.atomic_add(x + i, tl.load(o + i), mask=i < n))


@triton.jit
def extremes_of_floats(x, o, n):
    i = tl.arange(0, 8)
    v = tl.load(o + i)
    r = tl.atomic_max(x + i, v, mask=i < n)
    r += tl.atomic_min(x + i, v)
    tl.store(o + i, r)


@triton.jit
def orders(x, n, SEM: tl.constexpr, SCOPE: tl.constexpr):
    tl.atomic_add(x, n, sem=SEM, scope=SCOPE)
    tl.atomic_add(x + 1, n, mask=n > 3, sem=SEM, scope=SCOPE)
    i = tl.arange(0, 4)
    tl.atomic_max(x + i, n, sem=SEM, scope=SCOPE)
    tl.store(x, tl.atomic_cas(x, n, 1, sem=SEM, scope=SCOPE))


@triton.jit
def lock(locks, total, v):
    while tl.atomic_cas(locks, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + v)
    tl.debug_barrier()
    tl.atomic_xchg(locks, 0)


CASES = [
    *[case(of_integers, f"*{t}; *{t}; i32") for t in ("i32", "u32", "i64", "u64")],
    *[case(of_floats, f"*{t}; *{t}; i32") for t in ("fp32", "fp64")],
    *[case(sums_of_narrow_floats, f"*{t}; *{t}; i32") for t in ("fp16", "bf16")],
    *[case(extremes_of_floats, f"*{t}; *{t}; i32") for t in ("fp32", "fp64")],
    *[case(orders, "*i32; i32", SEM=sem, SCOPE=scope)
      for sem in ("relaxed", "acquire", "release", "acq_rel") for scope in ("cta", "gpu", "sys")],
    case(lock, "*i32; *fp32; fp32"),
]
