"""Features of Triton from 3.9 on."""
import triton
import triton.language as tl
from cases import case
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def atomic_loads(x, o, n, SEM: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(o + i, tl.atomic_load(x + i, sem=SEM))
    tl.store(o + 16, tl.atomic_load(x))
    tl.store(o + 17 + i, tl.atomic_load(x + i, mask=i < n, sem="relaxed", scope="sys"), mask=i < n)


@triton.jit
def atomic_stores(x, o, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.atomic_store(o + i, v)
    tl.atomic_store(o + 16 + i, v, mask=i < n, sem="relaxed", scope="cta")
    tl.atomic_store(o + 32, tl.load(x + 3))


@triton.jit
def polls(x, o, n, t):
    i = tl.arange(0, 16)
    tl.store(o + i, tl.atomic_poll(x + i, n, sem="relaxed", timeout_ns=100))
    tl.store(o + 16, tl.atomic_poll(x + 2, n, timeout_ns=t))
    tl.atomic_poll(x + 3, 3)
    m = tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :]
    tl.store(o + 17 + m, tl.atomic_poll(x + m, n, timeout_ns=0))


@triton.jit
def quotients(x, y, o):
    i = tl.arange(0, 16)
    tl.store(o + i, tl.fdiv(tl.load(x + i), tl.load(y + i), approx=True))
    tl.store(o + 16, tl.fdiv(tl.load(x), tl.load(y), approx=True))


@triton.jit
def dependents(x):
    gdc_wait()
    tl.store(x, 1.0)
    gdc_launch_dependents()


@triton.jit
def cached_descriptors(x, o, rows, columns):
    a = tl.make_tensor_descriptor(x, (rows, columns), (columns, 1), (4, 16))
    i = tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(o + i, a.load((0, 0)), cache_modifier=".cg")


@triton.jit
def of_constants(x, o):
    i = tl.arange(0, 16)
    p = tl.where(i < 4, x + i, x + i * 2)
    tl.store(o + i, tl.load(p))


TYPES = ("i1", "i8", "i16", "i32", "i64", "fp8e5", "fp16", "bf16", "fp32", "fp64")

CASES = [
    *[case(atomic_loads, f"*{t}; *{t}; i32", SEM="acquire") for t in TYPES],
    *[case(atomic_stores, f"*{t}; *{t}; i32") for t in TYPES],
    *[case(polls, f"*{t}; *i1; {t}; i64") for t in ("i16", "i32", "i64")],
    case(quotients, "*fp32; *fp32; *fp32"),
    case(dependents, "*fp32"),
    case(cached_descriptors, "*fp16; *fp16; i32; i32/16"),
    case(of_constants, "*kfp32; *fp32"),
]
