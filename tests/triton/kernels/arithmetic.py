"""Arithmetic: every operator and function, the wheel's library of device functions, random numbers."""
import triton
import triton.language as tl
from triton.language.extra import libdevice
from cases import case


@triton.jit
def of_integers(x, y, o):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(o + i, (a + b) * (a - b) // b % (a | 3))
    tl.store(o + i, (a & b) ^ (a << 2) | (~a >> b))
    tl.store(o + i, tl.minimum(a, b) + tl.maximum(a, -b) + tl.abs(a) + tl.cdiv(a, b))
    tl.store(o + i, tl.where(a < b, a, b) + tl.where((a == b) | (a >= 0) & (b != 1), 1, 2))


@triton.jit
def high_halves(x, y, o):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.umulhi(tl.load(x + i), tl.load(y + i)))
    tl.store(o, tl.umulhi(tl.load(x), tl.load(y)))


@triton.jit
def of_floats(x, y, o):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(o + i, (a + b) * (a - b) / b % a)
    tl.store(o + i, tl.minimum(a, b) + tl.maximum(a, -b))
    tl.store(o + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)
             + tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(o + i, tl.clamp(a, b, b + 1)
             + tl.clamp(a, 0.0, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(o + i, tl.where((a < b) | (a != b) & (a >= 0), a, b))


@triton.jit
def functions(x, o):
    i = tl.arange(0, 8)
    a = tl.load(x + i)
    a = tl.exp(a) + tl.exp2(a) + tl.log(a) + tl.log2(a) + tl.sin(a) + tl.cos(a)
    a = tl.sqrt(a) + tl.rsqrt(a) + tl.erf(a) + tl.floor(a) + tl.ceil(a) + tl.abs(a)
    a = tl.fma(a, a, a) + tl.sigmoid(a) + tl.softmax(a)
    tl.store(o + i, a)


@triton.jit
def precise(x, y, o):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(o + i, tl.sqrt_rn(a) + tl.div_rn(a, b) + tl.fdiv(a, b))
    tl.store(o, tl.sqrt_rn(tl.load(x)) + tl.div_rn(tl.load(x), tl.load(y)))


@triton.jit
def of_the_library(x, o):
    i = tl.arange(0, 8)
    a = tl.load(x + i)
    a = libdevice.tanh(a) + libdevice.pow(a, a) + libdevice.j0(a) + libdevice.cyl_bessel_i0(a)
    a = tl.where(libdevice.isnan(a), libdevice.fma_rn(a, a, a), libdevice.erfinv(a))
    tl.store(o + i, a + libdevice.ldexp(a, i))
    tl.store(o, libdevice.tanh(tl.load(x)))


@triton.jit
def random_numbers(o, seed):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.rand(seed, i) + tl.randn(seed, i))
    tl.store(o + i, tl.randint(seed, i).to(tl.float32))


@triton.jit
def of_scalars(x, o, a, b, n, m):
    tl.store(o, tl.exp(a) + tl.fma(a, b, a) + tl.clamp(a, b, 2.0))
    tl.store(o + 1, (n // m + n % m + (n >> 2)).to(tl.float32) + tl.maximum(a, b))
    tl.store(o + 2, tl.where(n > m, a, b))


CASES = [
    *[case(of_integers, f"*{t}; *{t}; *{t}") for t in ("i32", "u32", "i8")],
    *[case(high_halves, f"*{t}; *{t}; *{t}") for t in ("u32", "i64")],
    *[case(of_floats, f"*{t}; *{t}; *{t}") for t in ("fp32", "fp16", "fp64")],
    *[case(functions, f"*{t}; *{t}") for t in ("fp32", "fp64")],
    case(precise, "*fp32; *fp32; *fp32"),
    *[case(of_the_library, f"*{t}; *{t}") for t in ("fp32", "fp64")],
    case(random_numbers, "*fp32; i32"),
    case(random_numbers, "*fp32; i64"),
    case(of_scalars, "*fp32; *fp32; fp32; fp32; i32; i32/16"),
]
