"""Pieces of inline assembly, and the results that NumPy computes for them."""
from dataclasses import dataclass
from collections.abc import Callable

import numpy as np

U8, U16, U32, U64 = np.uint8, np.uint16, np.uint32, np.uint64
S8, S16, S32, S64 = np.int8, np.int16, np.int32, np.int64
F16, F32, F64 = np.float16, np.float32, np.float64


@dataclass
class Case:
    assembly: str
    constraints: str
    inputs: Callable  # turns a random number generator into arrays
    result: type
    model: Callable
    pack: int = 1
    tolerance: float = 0.0
    absolute: float = 0.0
    unfused: float = 0.0  # for devices that round a product before they add to it, such as lavapipe

    @property
    def name(self):
        return self.assembly


CASES = []


def case(assembly, constraints, inputs, result, model, **more):
    def quiet(*v):
        with np.errstate(all="ignore"):
            return model(*v)
    CASES.append(Case(assembly, constraints, inputs, result, quiet, **more))


# ------------------------------------------------------------------------------------------------
# Inputs
# ------------------------------------------------------------------------------------------------

COUNT = 4096
EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 31, 32, 33,
         63, 64, 255, 256]


def words(rng, dtype):
    """Returns random numbers of any size, and the ends of ranges."""
    dtype = np.dtype(dtype)
    bits = rng.integers(0, 2**63, COUNT, dtype=np.uint64) * 2 + rng.integers(0, 2, COUNT, dtype=np.uint64)
    bits >>= rng.integers(0, 64, COUNT, dtype=np.uint64) * rng.integers(0, 2, COUNT, dtype=np.uint64)
    x = bits.astype(f"u{dtype.itemsize}")
    x[:len(EDGES)] = np.array(EDGES, np.uint64).astype(x.dtype)
    x[len(EDGES):2 * len(EDGES)] = -x[:len(EDGES)]
    return rng.permutation(x).view(dtype)


def ints(*dtypes):
    return lambda rng: [words(rng, dtype) for dtype in dtypes]


def floats(*dtypes, scale=10.0, low=None):
    """Returns numbers of common sizes, with zeros, infinities and NaN."""
    def make(rng):
        result = []
        for dtype in dtypes:
            x = (scale * rng.standard_normal(COUNT)).astype(dtype)
            x[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]
            x = rng.permutation(x)
            result.append(x if low is None else np.abs(x) + dtype(low))
        return result
    return make


def finite(*dtypes, scale=10.0):
    return lambda rng: [(scale * rng.standard_normal(COUNT)).astype(dtype) for dtype in dtypes]


def all16(dtype=U16):
    return lambda rng: [np.arange(1 << 16).astype(U16).view(dtype)]


def all16_and(dtype):
    return lambda rng: [np.arange(1 << 16).astype(U16).view(dtype), np.resize(words(rng, U16), 1 << 16).view(dtype)]


def all8(dtype=U8):
    return lambda rng: [np.arange(256).astype(U8).view(dtype)]


def pairs8(dtype=U8):
    return lambda rng: [np.repeat(np.arange(256), 256).astype(U8).view(dtype),
                        np.tile(np.arange(256), 256).astype(U8).view(dtype)]


def no_nan(bits, infinity):
    """Replaces NaN with infinity, since the bits of a converted NaN are unspecified."""
    sign = 1 << (15 if infinity > 0xff else 7)
    return np.where(bits & (sign - 1) > infinity, infinity, bits)


PAIRS_E5M2 = (no_nan(np.arange(1 << 16) & 0xff, 0x7c) | no_nan(np.arange(1 << 16) >> 8, 0x7c) << 8).astype(U16)


def i64(x):
    return x.astype(S64)


def to_bf16(x):
    bits = x.astype(F32).view(U32)
    rounded = ((bits + U32(0x7fff) + ((bits >> 16) & 1)) >> 16).astype(U16)
    return np.where(np.isnan(x), U16(0x7fc0), rounded)


def from_bf16(x):
    return (x.astype(U32) << 16).view(F32)


# ------------------------------------------------------------------------------------------------
# Integers
# ------------------------------------------------------------------------------------------------

II, III = ints(S32, S32), ints(S32, S32, S32)
UU = ints(U32, U32)
case("add.s32 $0, $1, $2;", "=r,r,r", II, S32, lambda x, y: x + y)
case("sub.u32 $0, $1, $2;", "=r,r,r", UU, U32, lambda x, y: x - y)
case("add.u64 $0, $1, $2;", "=l,l,l", ints(U64, U64), U64, lambda x, y: x + y)
case("add.sat.s32 $0, $1, $2;", "=r,r,r", II, S32, lambda x, y: np.clip(i64(x) + y, -2**31, 2**31 - 1))
case("sub.sat.s32 $0, $1, $2;", "=r,r,r", II, S32, lambda x, y: np.clip(i64(x) - y, -2**31, 2**31 - 1))
case("add.s16 $0, $1, $2;", "=h,h,h", all16_and(S16), S16, lambda x, y: x + y)
case("mul.lo.s32 $0, $1, $2;", "=r,r,r", II, S32, lambda x, y: x * y)
case("mul.hi.u32 $0, $1, $2;", "=r,r,r", UU, U32, lambda x, y: (x.astype(U64) * y) >> U64(32))
case("mul.hi.s32 $0, $1, $2;", "=r,r,r", II, S32, lambda x, y: (i64(x) * y) >> 32)
case("mul.wide.s32 $0, $1, $2;", "=l,r,r", II, S64, lambda x, y: i64(x) * y)
case("mul.wide.u16 $0, $1, $2;", "=r,h,h", all16_and(U16), U32, lambda x, y: x.astype(U32) * y)
case("mul.hi.u64 $0, $1, $2;", "=l,l,l", ints(U64, U64), U64,
     lambda x, y: np.array([(int(a) * int(b)) >> 64 for a, b in zip(x, y)], U64))
case("mad.lo.s32 $0, $1, $2, $3;", "=r,r,r,r", III, S32, lambda x, y, z: x * y + z)
case("mad.hi.s32 $0, $1, $2, $3;", "=r,r,r,r", III, S32, lambda x, y, z: ((i64(x) * y) >> 32) + z)
case("mad.wide.u32 $0, $1, $2, $3;", "=l,r,r,l", ints(U32, U32, U64), U64, lambda x, y, z: x.astype(U64) * y + z)
case("mul24.lo.u32 $0, $1, $2;", "=r,r,r", UU, U32,
     lambda x, y: (x & 0xffffff).astype(U64) * (y & 0xffffff) & U64(0xffffffff))
case("mul24.hi.s32 $0, $1, $2;", "=r,r,r", II, S32, lambda x, y: (i64(x << 8 >> 8) * (y << 8 >> 8)) >> 16)
case("div.u32 $0, $1, $2;", "=r,r,r", UU, U32, lambda x, y: np.where(y == 0, U32(2**32 - 1), x // np.maximum(y, 1)))
case("div.s32 $0, $1, $2;", "=r,r,r", II, S32, lambda x, y: np.where(
    y == 0, -1, np.trunc(x.astype(F64) / np.where(y == 0, 1, y)).astype(S64)).astype(S64))
case("rem.s32 $0, $1, $2;", "=r,r,r", II, S32, lambda x, y: np.where(y == 0, x, np.fmod(i64(x), np.where(y == 0, 1, i64(y)))))
case("min.s32 $0, $1, $2;", "=r,r,r", II, S32, np.minimum)
case("max.u32 $0, $1, $2;", "=r,r,r", UU, U32, np.maximum)
case("max.s16x2 $0, $1, $2;", "=r,r,r", lambda rng: [words(rng, S16), words(rng, S16)], S16, np.maximum, pack=2)
case("abs.s32 $0, $1;", "=r,r", ints(S32), S32, np.abs)
case("neg.s64 $0, $1;", "=l,l", ints(S64), S64, np.negative)
case("sad.u32 $0, $1, $2, $3;", "=r,r,r,r", ints(U32, U32, U32), U32, lambda x, y, z: np.maximum(x, y) - np.minimum(x, y) + z)
case("{ .reg .b32 z; mov.b32 z, 0; dp4a.s32.s32 $0, $1, $2, z; }", "=r,r,r", II, S32,
     lambda x, y: (x.view(S8).astype(S32) * y.view(S8)).reshape(-1, 4).sum(1))
case("dp4a.u32.s32 $0, $1, $2, $3;", "=r,r,r,r", III, S32,
     lambda x, y, z: (x.view(U8).astype(S32) * y.view(S8)).reshape(-1, 4).sum(1).astype(S32) + z)
case("dp2a.hi.s32.u32 $0, $1, $2, $3;", "=r,r,r,r", III, S32,
     lambda x, y, z: (x.view(S16).reshape(-1, 2).astype(S32) * y.view(U8).reshape(-1, 4)[:, 2:]).sum(1).astype(S32) + z)

# ------------------------------------------------------------------------------------------------
# Bits
# ------------------------------------------------------------------------------------------------


def lop3(table):
    def model(x, y, z):
        result = np.zeros_like(x)
        for i in range(8):
            if table >> i & 1:
                result |= (x if i & 4 else ~x) & (y if i & 2 else ~y) & (z if i & 1 else ~z)
        return result
    return model


def shl(x, n):
    n = n.astype(U32)
    return np.where(n < 32, x.astype(U32) << np.minimum(n, 31), 0).astype(U32)


def shr(x, n):
    n = n.astype(U32)
    return np.where(n < 32, x.view(U32) >> np.minimum(n, 31), 0).astype(U32)


def prmt(selector):
    def model(x, y, s=None):
        source = np.concatenate([x.view(U8).reshape(-1, 4), y.view(U8).reshape(-1, 4)], 1)
        chosen = np.full(len(x), selector, U32) if s is None else s.view(U32)
        parts = []
        for i in range(4):
            nibble = chosen >> U32(4 * i) & 15
            byte = source[np.arange(len(x)), nibble & 7]
            parts.append(np.where(nibble & 8, np.where(byte & 0x80, 0xff, 0), byte).astype(U8))
        return np.ascontiguousarray(np.stack(parts, 1)).view(U32)[:, 0]
    return model


def bfe(x, place, length, signed):
    result = []
    for a, p, n in zip(x.view(U32).tolist(), (place & 0xff).tolist(), (length & 0xff).tolist()):
        sign = 0 if not signed or n == 0 else a >> min(p + n - 1, 31) & 1
        result.append(sum((a >> (p + i) & 1 if i < n and p + i <= 31 else sign) << i for i in range(32)))
    return np.array(result, U32).view(x.dtype)


def bfi(x, y, place, length):
    result = []
    for a, b, p, n in zip(x.tolist(), y.tolist(), (place & 0xff).tolist(), (length & 0xff).tolist()):
        mask = (((1 << n) - 1) << p) & 0xffffffff
        result.append(b & ~mask | (a << p) & mask)
    return np.array(result, U32)


case("and.b32 $0, $1, $2;", "=r,r,r", UU, U32, np.bitwise_and)
case("or.b64 $0, $1, $2;", "=l,l,l", ints(U64, U64), U64, np.bitwise_or)
case("xor.b16 $0, $1, $2;", "=h,h,h", all16_and(U16), U16, np.bitwise_xor)
case("not.b32 $0, $1;", "=r,r", ints(U32), U32, np.invert)
case("cnot.b32 $0, $1;", "=r,r", ints(U32), U32, lambda x: x == 0)
case("shl.b32 $0, $1, $2;", "=r,r,r", UU, U32, shl)
case("shr.u32 $0, $1, $2;", "=r,r,r", UU, U32, shr)
case("shr.s32 $0, $1, $2;", "=r,r,r", ints(S32, U32), S32, lambda x, n: x >> np.minimum(n, 31).astype(S32))
case("shl.b64 $0, $1, 37;", "=l,l", ints(U64), U64, lambda x: x << U64(37))
case("shr.u32 $0, $1, 4;", "=r,r", ints(U32), U32, lambda x: x >> U32(4))
for _table in (0xea, 0xf8, 0x96, 0xe8, 0xca, 0x80, 0xfe, 0x01, 0x3c, 0xd8, 0x6a, 0x00, 0xff, 0x1b, 0x2d, 0x4b):
    case(f"lop3.b32 $0, $1, $2, $3, {_table:#x};", "=r,r,r,r", ints(U32, U32, U32), U32, lop3(_table))
case("lop3.b32 $0, $1, $2, $3, (0xf0 & 0xcc) | 0xaa;", "=r,r,r,r", ints(U32, U32, U32), U32, lop3(0xea))
case("lop3.b32 $0, $1, $2, $3, 0xF0 ^ ~0xCC & 0xff;", "=r,r,r,r", ints(U32, U32, U32), U32, lop3(0xc3))
case("and.b32 $0, $1, ~(1 << 4);", "=r,r", ints(U32), U32, lambda x: x & ~U32(16))
case("add.u32 $0, $1, -1;", "=r,r", ints(U32), U32, lambda x: x - U32(1))
case("add.s32 $0, $1, 0xffffffff;", "=r,r", ints(S32), S32, lambda x: x - S32(1))
case("add.u16 $0, $1, -(WARP_SZ - 1);", "=h,h", all16(U16), U16, lambda x: x - U16(31))
case("fma.rn.f32 $0, $1, 1.0 / 4.0, -(3.0 - 1.0);", "=f,f", floats(F32), F32, lambda x: x / 4 - 2)
for _selector in (0x5410, 0x7632, 0x0123, 0x5746, 0x7531, 0x4040, 0xba98, 0x3210, 0x8888, 0x6420):
    case(f"prmt.b32 $0, $1, $2, {_selector:#x};", "=r,r,r", UU, U32, prmt(_selector))
case("prmt.b32 $0, $1, $2, $3;", "=r,r,r,r", ints(U32, U32, U32), U32, prmt(None))
for _mode, _selectors in {"f4e": (0x3210, 0x4321, 0x5432, 0x6543), "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
                          "rc8": (0x0000, 0x1111, 0x2222, 0x3333), "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
                          "ecr": (0x0000, 0x1110, 0x2210, 0x3210), "rc16": (0x1010, 0x3232, 0x1010, 0x3232)}.items():
    case(f"prmt.b32.{_mode} $0, $1, $2, $3;", "=r,r,r,r", ints(U32, U32, U32), U32,
         lambda x, y, z, s=_selectors: np.choose(z & 3, [prmt(one)(x, y) for one in s]))
    case(f"prmt.b32.{_mode} $0, $1, $2, 2;", "=r,r,r", UU, U32, prmt(_selectors[2]))
case("bfe.u32 $0, $1, $2, $3;", "=r,r,r,r", ints(U32, U32, U32), U32, lambda x, p, n: bfe(x, p, n, False))
case("bfe.s32 $0, $1, $2, $3;", "=r,r,r,r", ints(S32, U32, U32), S32, lambda x, p, n: bfe(x, p, n, True))
case("bfe.s32 $0, $1, 8, 5;", "=r,r", ints(S32), S32, lambda x: bfe(x, np.full_like(x, 8), np.full_like(x, 5), True))
case("bfi.b32 $0, $1, $2, $3, 7;", "=r,r,r,r", ints(U32, U32, U32), U32, lambda x, y, p: bfi(x, y, p, np.full_like(x, 7)))
case("bfi.b32 $0, $1, $2, 4, $3;", "=r,r,r,r", ints(U32, U32, U32), U32, lambda x, y, n: bfi(x, y, np.full_like(x, 4), n))
case("popc.b32 $0, $1;", "=r,r", ints(U32), U32, lambda x: np.array([bin(v).count("1") for v in x.tolist()]))
case("popc.b64 $0, $1;", "=r,l", ints(U64), U32, lambda x: np.array([bin(v).count("1") for v in x.tolist()]))
case("clz.b32 $0, $1;", "=r,r", ints(U32), U32, lambda x: np.array([32 - v.bit_length() for v in x.tolist()]))
case("brev.b32 $0, $1;", "=r,r", ints(U32), U32, lambda x: np.array([int(f"{v:032b}"[::-1], 2) for v in x.tolist()]))
case("bfind.u32 $0, $1;", "=r,r", ints(U32), S32, lambda x: np.array([v.bit_length() - 1 for v in x.tolist()]))
case("bfind.shiftamt.u32 $0, $1;", "=r,r", ints(U32), S32,
     lambda x: np.array([32 - v.bit_length() if v else -1 for v in x.tolist()]))
case("bfind.s32 $0, $1;", "=r,r", ints(S32), S32,
     lambda x: np.array([(~v if v < 0 else v).bit_length() - 1 for v in x.tolist()]))
case("shf.l.wrap.b32 $0, $1, $2, $3;", "=r,r,r,r", ints(U32, U32, U32), U32,
     lambda x, y, n: (((y.astype(U64) << U64(32) | x) << (n & 31).astype(U64)) >> U64(32)))
case("shf.r.clamp.b32 $0, $1, $2, $3;", "=r,r,r,r", ints(U32, U32, U32), U32,
     lambda x, y, n: ((y.astype(U64) << U64(32) | x) >> np.minimum(n, 32).astype(U64)) & U64(0xffffffff))
case("shf.l.wrap.b32 $0, $1, $1, 13;", "=r,r", ints(U32), U32, lambda x: x << U32(13) | x >> U32(19))
case("{ .reg .u32 m; bmsk.clamp.b32 m, 3, 9; and.b32 $0, m, $1; }", "=r,r", ints(U32), U32, lambda x: x & U32(0xff8))



def fns(mask, base, offset):
    result = []
    for m, b, n in zip(mask.tolist(), (base & 31).tolist(), offset.tolist()):
        places = [b] if n == 0 else range(b, 32) if n > 0 else range(b, -1, -1)
        found = [p for p in places if m >> p & 1]
        result.append(found[max(abs(n), 1) - 1] if len(found) >= max(abs(n), 1) else 0xffffffff)
    return np.array(result, U32)


case("fns.b32 $0, $1, $2, $3;", "=r,r,r,r", lambda rng: [words(rng, U32), words(rng, U32) & U32(31),
                                                         rng.integers(-12, 13, COUNT).astype(S32)], U32, fns)
case("fns.b32 $0, $1, 0, $2;", "=r,r,r", lambda rng: [words(rng, U32), rng.integers(1, 33, COUNT).astype(S32)], U32,
     lambda m, n: fns(m, np.zeros_like(m), n))

# ------------------------------------------------------------------------------------------------
# Floats
# ------------------------------------------------------------------------------------------------

FF, FFF = floats(F32, F32), floats(F32, F32, F32)
case("add.f32 $0, $1, $2;", "=f,f,f", FF, F32, lambda x, y: x + y)
case("sub.ftz.f32 $0, $1, $2;", "=f,f,f", FF, F32, lambda x, y: x - y)
case("mul.rn.f32 $0, $1, 0f3FB8AA3B;", "=f,f", floats(F32), F32, lambda x: x * F32(1.4426950408889634))
case("mul.f32 $0, $1, 1.5;", "=f,f", floats(F32), F32, lambda x: x * F32(1.5))
case("mul.sat.f32 $0, $1, $2;", "=f,f,f", floats(F32, F32, scale=1.0), F32,
     lambda x, y: np.where(np.isnan(x * y), 0, np.clip(x * y, 0, 1)))
case("add.rz.f32 $0, $1, $2;", "=f,f,f", finite(F32, F32), F32, lambda x, y: toward_zero(x.astype(F64) + y))
case("fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f", finite(F32, F32, F32), F32,
     lambda x, y, z: x.astype(F64) * y + z, tolerance=2e-7, unfused=2e-4)
case("fma.rn.f64 $0, $1, $2, $3;", "=d,d,d,d", finite(F64, F64, F64), F64, lambda x, y, z: x * y + z, tolerance=1e-12)
case("div.full.f32 $0, $1, $2;", "=f,f,f", FF, F32, lambda x, y: x / y, tolerance=3e-7)
case("div.rn.f32 $0, $1, $2;", "=f,f,f", FF, F32, lambda x, y: x / y)
case("rcp.approx.ftz.f32 $0, $1;", "=f,f", floats(F32), F32, lambda x: 1 / x, tolerance=2e-7)
case("rsqrt.approx.f32 $0, $1;", "=f,f", floats(F32, low=0.01), F32, lambda x: 1 / np.sqrt(x), tolerance=4e-7)
case("sqrt.approx.f32 $0, $1;", "=f,f", floats(F32, low=0.01), F32, np.sqrt, tolerance=3e-7)
case("sqrt.rn.f32 $0, $1;", "=f,f", floats(F32, low=0.01), F32, np.sqrt)
case("ex2.approx.f32 $0, $1;", "=f,f", floats(F32), F32, lambda x: np.exp2(x.astype(F64)), tolerance=1e-6)
case("lg2.approx.f32 $0, $1;", "=f,f", floats(F32, low=0.01), F32, lambda x: np.log2(x.astype(F64)), tolerance=1e-6,
     absolute=1e-6)
case("sin.approx.f32 $0, $1;", "=f,f", finite(F32, scale=2.0), F32, lambda x: np.sin(x.astype(F64)), absolute=5e-7)
case("cos.approx.ftz.f32 $0, $1;", "=f,f", finite(F32, scale=2.0), F32, lambda x: np.cos(x.astype(F64)), absolute=5e-7)
case("tanh.approx.f32 $0, $1;", "=f,f", floats(F32), F32, lambda x: np.tanh(x.astype(F64)), tolerance=1e-6)
case("tanh.approx.f16 $0, $1;", "=h,h", all16(F16), F16, lambda x: np.tanh(x.astype(F64)), tolerance=1e-3, absolute=1e-7)
case("tanh.approx.f16x2 $0, $1;", "=r,r", all16(F16), F16, lambda x: np.tanh(x.astype(F64)), tolerance=1e-3,
     absolute=1e-7, pack=2)
case("ex2.approx.f16x2 $0, $1;", "=r,r", all16(F16), F16, lambda x: np.exp2(x.astype(F64)).astype(F16), tolerance=1e-3,
     absolute=1e-7, pack=2)
case("tanh.approx.bf16x2 $0, $1;", "=r,r", lambda rng: [np.resize(no_nan(np.arange(1 << 16), 0x7f80), 1 << 16).astype(U16)], U16,
     lambda x: to_bf16(np.tanh(from_bf16(x).astype(F64)).astype(F32)), pack=2)
case("min.f32 $0, $1, $2;", "=f,f,f", FF, F32, np.fmin)
case("max.NaN.f32 $0, $1, $2;", "=f,f,f", FF, F32, np.maximum)
case("max.f16x2 $0, $1, $2;", "=r,r,r", all16_and(F16), F16, np.fmax, pack=2)
case("abs.f32 $0, $1;", "=f,f", floats(F32), F32, np.abs)
case("neg.f16x2 $0, $1;", "=r,r", all16(F16), F16, np.negative, pack=2)
case("copysign.f32 $0, $1, $2;", "=f,f,f", finite(F32, F32), F32, lambda x, y: np.copysign(y, x))
case("add.f16x2 $0, $1, $2;", "=r,r,r", all16_and(F16), F16, lambda x, y: x + y, pack=2)
case("mul.f16 $0, $1, $2;", "=h,h,h", all16_and(F16), F16, lambda x, y: x * y)
case("fma.rn.f16x2 $0, $1, $2, $3;", "=r,r,r,r", finite(F16, F16, F16), F16,
     lambda x, y, z: (x.astype(F64) * y + z).astype(F16), unfused=0.5, pack=2)
case("fma.rn.f16 $0, $1, $2, $3;", "=h,h,h,h",
     lambda rng: [(10.0**rng.uniform(-4, 1, 1 << 16) * rng.choice([-1, 1], 1 << 16)).astype(F16) for _ in range(3)], F16,
     lambda x, y, z: fused(x, y, z), unfused=0.5)
case("fma.rn.relu.f16x2 $0, $1, $2, $3;", "=r,r,r,r", finite(F16, F16, F16), F16,
     lambda x, y, z: np.maximum((x.astype(F64) * y + z).astype(F16), F16(0)), tolerance=1e-3,
     unfused=0.5, pack=2)
case("add.rn.bf16x2 $0, $1, $2;", "=r,r,r", lambda rng: [to_bf16(x) for x in finite(F32, F32)(rng)], U16,
     lambda x, y: to_bf16(from_bf16(x) + from_bf16(y)), pack=2)
case("fma.rn.bf16x2 $0, $1, $2, $3;", "=r,r,r,r", lambda rng: [to_bf16(x) for x in finite(F32, F32, F32)(rng)], U16,
     lambda x, y, z: to_bf16((from_bf16(x).astype(F64) * from_bf16(y) + from_bf16(z)).astype(F32)), pack=2)
case("{ .reg .b32 m; mov.b32 m, 0x7fff7fff; and.b32 $0, $1, m; }", "=r,r", all16(F16), F16, np.abs, pack=2)
case("add.rn.f32x2 $0, $1, $2;", "=l,l,l", lambda rng: [x.view(U64) for x in finite(F32, F32)(rng)], U64,
     lambda x, y: (x.view(F32) + y.view(F32)).view(U64))


def fused(x, y, z):
    """Computes in f64, where the product is exact. Nudges the sum towards the part that it loses, to round once."""
    wide = x.astype(F64) * y
    total = wide + z
    part = total - wide
    lost = (wide - (total - part)) + (z - part)
    return np.where(lost > 0, np.nextafter(total, np.inf), np.where(lost < 0, np.nextafter(total, -np.inf), total)).astype(F16)


def toward_zero(x):
    near = x.astype(F32)
    return np.where(np.abs(near.astype(F64)) > np.abs(x), np.nextafter(near, F32(0)), near)


# ------------------------------------------------------------------------------------------------
# Comparisons and choices
# ------------------------------------------------------------------------------------------------

for _name, _compare in {"eq": np.equal, "lt": np.less, "ge": np.greater_equal, "ne": lambda x, y: (x < y) | (x > y),
                        "ltu": lambda x, y: ~(x >= y), "neu": np.not_equal, "equ": lambda x, y: ~((x < y) | (x > y)),
                        "nan": lambda x, y: np.isnan(x) | np.isnan(y),
                        "num": lambda x, y: ~(np.isnan(x) | np.isnan(y))}.items():
    case(f"{{ .reg .pred p; setp.{_name}.f32 p, $1, $2; selp.u32 $0, 1, 0, p; }}", "=r,f,f", FF, U32, _compare)
for _name, _compare in {"lo": np.less, "hs": np.greater_equal, "le": np.less_equal, "eq": np.equal}.items():
    case(f"{{ .reg .pred %p; setp.{_name}.u32 %p, $1, $2; selp.b32 $0, $1, $2, %p; }}", "=r,r,r", UU, U32,
         lambda x, y, f=_compare: np.where(f(x, y), x, y))
case("{ .reg .pred p, q; setp.gt.s32 q, $2, 0; setp.lt.and.s32 p|q, $1, $2, q; selp.s32 $0, 1, 2, p; "
     "@q mov.u32 $0, 3; }", "=r,r,r", II, S32,
     lambda x, y: np.where((x >= y) & (y > 0), 3, np.where((x < y) & (y > 0), 1, 2)))
case("{ .reg .pred p; setp.lt.s32 p, $1, 0; mov.b32 $0, $1; @!p bra.uni; }".replace("@!p bra.uni;", "@p neg.s32 $0, $1;"),
     "=r,r", ints(S32), S32, np.abs)
case("{ .reg .pred p; setp.lt.s32 p, $1, 0; mov.b32 $0, 7; @!p add.s32 $0, $0, $1; }", "=r,r", ints(S32), S32,
     lambda x: np.where(x < 0, 7, x + S32(7)))
case("{ .reg .pred p, q; setp.lt.f16x2 p|q, $1, $2; .reg .b16 a, b, c, d; mov.b32 {a, b}, $1; mov.b32 {c, d}, $2;"
     "selp.b16 a, a, c, p; selp.b16 b, b, d, q; mov.b32 $0, {a, b}; }", "=r,r,r", all16_and(F16), F16,
     lambda x, y: np.where(x < y, x, y), pack=2)
case("set.ge.u32.f32 $0, $1, $2;", "=r,f,f", FF, U32, lambda x, y: np.where(x >= y, U32(0xffffffff), U32(0)))
case("set.lt.f32.s32 $0, $1, $2;", "=f,r,r", II, F32, lambda x, y: x < y)
case("slct.f32.s32 $0, $1, $2, $3;", "=f,f,f,r", lambda rng: floats(F32, F32)(rng) + ints(S32)(rng), F32,
     lambda x, y, z: np.where(z >= 0, x, y))
case("slct.b32.f32 $0, $1, $2, $3;", "=r,r,r,f", lambda rng: UU(rng) + floats(F32)(rng), U32,
     lambda x, y, z: np.where(z >= 0, x, y))
case("{ .reg .pred p; testp.subnormal.f32 p, $1; selp.u32 $0, 1, 0, p; }", "=r,f", lambda rng: [words(rng, U32).view(F32)],
     U32, lambda x: (x != 0) & (np.abs(x) < np.finfo(F32).tiny))
case("{ .reg .pred p; testp.notanumber.f32 p, $1; selp.u32 $0, 1, 0, p; }", "=r,f", floats(F32), U32, np.isnan)

# ------------------------------------------------------------------------------------------------
# Conversions and moves
# ------------------------------------------------------------------------------------------------


def clipped(x, dtype, rounding=np.rint):
    info = np.iinfo(dtype)
    whole = rounding(np.where(np.isnan(x), 0, x).astype(F64))
    low, high = float(info.min), float(info.max)
    if info.bits < 64:
        return np.clip(whole, low, high).astype(S64).astype(dtype)
    return np.where(whole >= high, info.max, np.where(whole <= low, info.min, np.clip(whole, low, high / 2).astype(dtype)))


WIDE = floats(F32, scale=1e9)
case("cvt.rni.s32.f32 $0, $1;", "=r,f", WIDE, S32, lambda x: clipped(x, S32))
case("cvt.rzi.u32.f32 $0, $1;", "=r,f", floats(F32, scale=4e9), U32, lambda x: clipped(x, U32, np.trunc))
case("cvt.rmi.s32.f32 $0, $1;", "=r,f", floats(F32), S32, lambda x: clipped(x, S32, np.floor))
case("cvt.rpi.ftz.s32.f32 $0, $1;", "=r,f", floats(F32), S32, lambda x: clipped(x, S32, np.ceil))
case("cvt.rni.sat.s8.f32 $0, $1;", "=r,f", floats(F32, scale=100.0), S8, lambda x: clipped(x, S8))
case("cvt.rzi.u8.f32 $0, $1;", "=r,f", floats(F32, scale=200.0), U8, lambda x: clipped(x, U8, np.trunc))
case("cvt.rni.s16.f16 $0, $1;", "=h,h", all16(F16), S16, lambda x: clipped(x, S16))
case("cvt.rn.f32.s32 $0, $1;", "=f,r", ints(S32), F32, lambda x: x.astype(F32))
case("cvt.rz.f32.u32 $0, $1;", "=f,r", ints(U32), F32, lambda x: toward_zero(x.astype(F64)))
case("cvt.rn.f16.s16 $0, $1;", "=h,h", all16(S16), F16, lambda x: x.astype(F16))
case("cvt.rn.f64.u64 $0, $1;", "=d,l", ints(U64), F64, lambda x: x.astype(F64))
case("cvt.f32.f16 $0, $1;", "=f,h", all16(F16), F32, lambda x: x.astype(F32))
case("cvt.rn.f16.f32 $0, $1;", "=h,f", floats(F32, scale=30000.0), F16, lambda x: x.astype(F16))
case("cvt.rn.bf16.f32 $0, $1;", "=h,f", finite(F32), U16, to_bf16)
case("cvt.f32.bf16 $0, $1;", "=f,h", all16(), F32, from_bf16)
case("cvt.rn.f32.f64 $0, $1;", "=f,d", finite(F64), F32, lambda x: x.astype(F32))
case("cvt.rz.f32.f64 $0, $1;", "=f,d", finite(F64), F32, lambda x: toward_zero(x))
case("cvt.rni.f32.f32 $0, $1;", "=f,f", floats(F32), F32, np.rint)
case("cvt.rmi.f16.f16 $0, $1;", "=h,h", all16(F16), F16, np.floor)
case("cvt.sat.f32.f32 $0, $1;", "=f,f", floats(F32, scale=1.0), F32, lambda x: np.where(np.isnan(x), 0, np.clip(x, 0, 1)))
case("cvt.rna.tf32.f32 $0, $1;", "=r,f", finite(F32), U32, lambda x: (x.view(U32) + U32(0x1000)) & U32(0xffffe000))
case("cvt.s32.s8 $0, $1;", "=r,r", all8(S8), S32, lambda x: x)
case("cvt.u64.u32 $0, $1;", "=l,r", ints(U32), U64, lambda x: x)
case("cvt.s64.s32 $0, $1;", "=l,r", ints(S32), S64, lambda x: x)
case("cvt.sat.s8.s32 $0, $1;", "=r,r", ints(S32), S8, lambda x: np.clip(x, -128, 127))
case("cvt.sat.u8.s32 $0, $1;", "=r,r", ints(S32), U8, lambda x: np.clip(x, 0, 255))
case("cvt.sat.u32.s32 $0, $1;", "=r,r", ints(S32), U32, lambda x: np.maximum(x, 0))
case("cvt.sat.s32.u32 $0, $1;", "=r,r", ints(U32), S32, lambda x: np.minimum(x, 2**31 - 1))
case("cvt.u16.u32 $0, $1;", "=h,r", ints(U32), U16, lambda x: x.astype(U16))
case("cvt.rn.f16x2.f32 $0, $2, $1;", "=r,f,f", finite(F32, F32), U32,
     lambda x, y: x.astype(F16).view(U16) | y.astype(F16).view(U16).astype(U32) << U32(16))
case("cvt.rn.bf16x2.f32 $0, $2, $1;", "=r,f,f", finite(F32, F32), U32,
     lambda x, y: to_bf16(x) | to_bf16(y).astype(U32) << U32(16))
case("cvt.rz.f16x2.f32 $0, $2, $1;", "=r,f,f", finite(F32, F32), U32, lambda x, y: half_down(x) | half_down(y).astype(U32) << U32(16))
case("cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h", lambda rng: [PAIRS_E5M2], U32, lambda x: (x & 0xff).astype(U32) << 8 | (x >> 8).astype(U32) << 24)
case("cvt.rn.satfinite.e5m2x2.f16x2 $0, $1;", "=h,r",
     lambda rng: [(PAIRS_E5M2 & U32(0xff)) << U32(8) | (PAIRS_E5M2 >> 8).astype(U32) << U32(24)], U16,
     lambda x: finite_e5m2(x >> 8 & 0xff) | finite_e5m2(x >> 24) << 8)


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], F32)


def to_e2m1(x):
    """Rounds to the nearest code, and ties to the even code."""
    distance = np.abs(np.abs(x).astype(F64)[:, None] - E2M1) * 16 + np.arange(8) % 2 * 1e-6
    code = np.where(np.abs(x) > 6, 7, np.argmin(np.nan_to_num(distance, nan=0), 1))
    return np.where(np.isnan(x), 7, code | np.signbit(x) * 8).astype(U32)


def to_ue8m0(x):
    with np.errstate(all="ignore"):
        exponent = np.ceil(np.log2(np.where(x > 0, x, 2.0**-127).astype(F64)))
    return np.where(np.isnan(x), 255, np.clip(exponent, -127, 127) + 127).astype(U16)


TIES = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, 6, 7, -0.25, -0.75, -5, -100, 0, -0.0, np.inf, -np.inf, np.nan], F32)


def with_ties(rng):
    x = (3 * rng.standard_normal(COUNT)).astype(F32)
    x[:len(TIES)] = TIES
    return [rng.permutation(x), rng.permutation(x)]


case("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $2, $1; cvt.u32.u8 $0, t; }", "=r,f,f", with_ties, U32,
     lambda x, y: to_e2m1(x) | to_e2m1(y) << 4)
case("{ .reg .b8 t; .reg .f16x2 v; mov.b32 v, $1; cvt.rn.satfinite.e2m1x2.f16x2 t, v; cvt.u32.u8 $0, t; }", "=r,r",
     lambda rng: [words(rng, U32)], U32,
     lambda x: to_e2m1((x & U32(0xffff)).astype(U16).view(F16).astype(F32))
     | to_e2m1((x >> U32(16)).astype(U16).view(F16).astype(F32)) << 4)
case("{ .reg .b8 t; cvt.u8.u32 t, $1; cvt.rn.f16x2.e2m1x2 $0, t; }", "=r,r", lambda rng: [np.arange(256).astype(U32)], U32,
     lambda x: from_e2m1(x & 15) | from_e2m1(x >> 4) << U32(16))
case("cvt.rp.satfinite.ue8m0x2.f32 $0, 0.0, $1;", "=h,r",
     lambda rng: [np.concatenate([np.abs(words(rng, U32).view(F32))[256:], np.exp2(np.arange(-140, 116)).astype(F32)])], U16,
     to_ue8m0)
case("cvt.rn.bf16x2.ue8m0x2 $0, $1;", "=r,h", lambda rng: [np.arange(255).astype(U16).repeat(2)[:256] * U16(257)], U32,
     lambda x: np.where(x & 255 == 0, U32(0x40), (x.astype(U32) & 255) << 7) * U32(0x10001))


def from_e2m1(code):
    value = E2M1[code & 7].astype(F16).view(U16)
    return value.astype(U32) | (code & 8).astype(U32) << 12


def finite_e5m2(x):
    """Maps infinity to the last number."""
    return np.where(x & 0x7f == 0x7c, x - 1, x).astype(U16)


def half_down(x):
    near = x.astype(F16)
    return np.where(np.abs(near.astype(F32)) > np.abs(x), np.nextafter(near, F16(0)), near).view(U16)


case("{ .reg .f16 a, b; mov.b32 {a, b}, $1; mov.b32 $0, {b, a}; }", "=r,r", ints(U32), U32, lambda x: x << U32(16) | x >> U32(16))
case("{ .reg .b32 %r<3>; mov.b64 {%r0, %r1}, $1; xor.b32 %r2, %r0, %r1; mov.b64 $0, {%r2, %r1}; }", "=l,l", ints(U64), U64,
     lambda x: x ^ (x >> U64(32)))
case("{ .reg .b16 low; mov.b32 {low, _}, $1; cvt.u32.u16 $0, low; }", "=r,r", ints(U32), U32, lambda x: x & U32(0xffff))
case("add.u32 $0, $0, $1;", "=r,r,0", UU, U32, lambda x, y: x + y)
case("mov.b32 $0, 0f3F800000; /* one */ add.f32 $0, $0, $1; // and the rest", "=&f,f,~{memory}", floats(F32), F32,
     lambda x: x + F32(1))
case("{\n\t.reg .u32 t;\n\t{ .reg .u32 t; mov.u32 t, 5; add.u32 $0, $1, t; }\n\tmov.u32 t, 0x10;\n\tadd.u32 $0, $0, t;\n}",
     "=r,r", ints(U32), U32, lambda x: x + U32(21))

# ------------------------------------------------------------------------------------------------
# Packed bytes
# ------------------------------------------------------------------------------------------------

case("xor.b32 $0, $1, 0x80808080;", "=r,r", all8(), U8, lambda x: x ^ 0x80, pack=4)
case("{ .reg .b32 t; and.b32 t, $1, 0x0f0f0f0f; shl.b32 t, t, 4; shr.u32 $0, $1, 4; and.b32 $0, $0, 0x0f0f0f0f; "
     "or.b32 $0, $0, t; }", "=r,r", all8(), U8, lambda x: x << 4 | x >> 4, pack=4)
case("{ .reg .b32 a, b; lop3.b32 a, $1, $2, 0x7f7f7f7f, 0x80; and.b32 $0, $1, $2; }", "=r,r,r", pairs8(), U8, np.bitwise_and,
     pack=4)
case("{ .reg .b32 t; prmt.b32 t, $2, 0, 0x4140; shl.b32 $0, t, 8; prmt.b32 t, $2, 0, 0x4342; shl.b32 $1, t, 8; }",
     "=r,=r,r", all8(), F16, lambda x: (x.astype(U16) << 8).view(F16), pack=4)  # converts f8e5m2 to f16
case("{ prmt.b32 $0, $2, $3, 0x6420; }".replace("$2, $3", "$1, $2"), "=r,r,r", lambda rng: [np.arange(1 << 16).astype(U16)], U8,
     lambda x: x.astype(U8), pack=4)  # takes the low bytes of halves
case("{ .reg .b32 t<2>; prmt.b32 t0, $2, 0x43434343, 0x4140; prmt.b32 t1, $2, 0x43434343, 0x4342;"
     " lop3.b32 $0, t0, 0x00ff00ff, 0x43004300, 0xea; lop3.b32 $1, t1, 0x00ff00ff, 0x43004300, 0xea;"
     " .reg .b32 s, m; mov.b32 s, 0x3f803f80; mov.b32 m, 0xc300c300; fma.rn.bf16x2 $0, $0, s, m; fma.rn.bf16x2 $1, $1, s, m; }",
     "=r,=r,r", lambda rng: [np.arange(128).astype(U8)], U16,
     lambda x: to_bf16(x.astype(F32)), pack=4)  # converts numbers below 128 to bf16: 0x4300 is 128

# ------------------------------------------------------------------------------------------------
# Assembly from libraries of kernels
# ------------------------------------------------------------------------------------------------

case("""{
        .reg .pred p;
        setp.gt.f32  p, $1, 20.;
        @p  mov.f32  $0, $1;
        @!p mul.f32            $0, $1, 1.4426950408889634;
        @!p ex2.approx.ftz.f32 $0, $0;
        @!p add.f32            $0, $0, 1.0;
        @!p lg2.approx.ftz.f32 $0, $0;
        @!p mul.f32            $0, $0, 0.6931471805599453;
    }""", "=r,r", lambda rng: [(10 * rng.standard_normal(COUNT)).astype(F32)], F32,
     lambda x: np.where(x > 20, x, np.log1p(np.exp(x.astype(F64)))), tolerance=1e-5, absolute=1e-6)
case("mov.f32 $0, $1;", "=r,r", floats(F32), F32, lambda x: x)
case("""{
        .reg .b8 byte0, byte1, byte2, byte3;
        cvt.rn.satfinite.e2m1x2.f32 byte0, $5, $1;
        cvt.rn.satfinite.e2m1x2.f32 byte1, $6, $2;
        cvt.rn.satfinite.e2m1x2.f32 byte2, $7, $3;
        cvt.rn.satfinite.e2m1x2.f32 byte3, $8, $4;
        mov.b32 $0, {byte0, byte1, byte2, byte3};
    }""", "=r,r,r,r,r,r,r,r,r", with_ties, U8, lambda x, y: to_e2m1(x) | to_e2m1(y) << 4, pack=4)
case("""{
        .reg .f32 f_log, f_ceil, f_clamped; .reg .s32 r_exp;
        lg2.approx.f32 f_log, $1;
        cvt.rpi.f32.f32 f_ceil, f_log;
        cvt.rzi.s32.f32 r_exp, f_ceil;
        max.s32 r_exp, r_exp, -30;
        min.s32 r_exp, r_exp, 127;
        cvt.rn.f32.s32 f_clamped, r_exp;
        ex2.approx.f32 $0, f_clamped;
    }""", "=f,f", lambda rng: [(np.abs(rng.standard_normal(COUNT)) * 1.01 + 1e-3).astype(F32)], F32,
     lambda x: np.exp2(np.maximum(np.ceil(np.log2(x.astype(F64))), -30)), tolerance=1e-6)
