"""Exact functions of libdevice: arithmetic and conversions that round in any direction."""
from fractions import Fraction

import numpy as np

import rounding
from case import elementwise, rng
from values import *  # noqa: F403 - types are used by their names

COUNT = 256
# Comparing bits distinguishes the zeros. All NaNs become equal.
BITS = """@triton.jit
def bits(x, type: tl.constexpr):
    return tl.where(x == x, x.to(type, bitcast=True), -1)
"""
INTEGER = {F32: I32, F64: I64}


def _bits(result, type):
    return np.where(np.isnan(result), -1, result.view(INTEGER[type].storage))


def _by_bits(name, call, inputs, data, result, type):
    """Returns a case that compares bits. `result` holds the floats of the reference."""
    to = INTEGER[type]
    return elementwise(name, f"bits({call}, tl.{to.lang})", inputs, to, lambda *_: _bits(result, type),
                       shape=(COUNT,), data=data, prelude=BITS)


def arithmetic():
    for operation in rounding.OPERATIONS:
        for t in (F32, F64):
            for way in ("rz", "rd", "ru"):
                name = f"libdevice/{operation}_directed/{t.name}-{way}"
                data = rounding.operands(rng(name), operation, t, COUNT)
                call = f"libdevice.{operation}_{way}({', '.join('xyz'[:len(data)])})"
                yield _by_bits(name, call, [t] * len(data), data, rounding.apply(operation, way, t, data), t)


def to_floats():
    for way in rounding.WAYS:
        name = f"libdevice/double2float/{way}"
        draw = rng(name)
        wide, near = rounding.floats(draw, F64, COUNT), rounding.floats(draw, F32, COUNT).astype(np.float64)
        x = np.where(draw.integers(0, 2, COUNT) == 0, wide, near * (1 + 2.0**-30 * draw.integers(-1, 2, COUNT)))
        with np.errstate(all="ignore"):
            result = np.array([rounding.rounded(Fraction(v), way, F32, v) if np.isfinite(v) else v for v in x])
            result = result.astype(np.float32)
        yield _by_bits(name, f"libdevice.double2float_{way}(x)", [F64], [x], result, F32)
        for integer, source in (("int", I32), ("uint", U32), ("ll", I64), ("ull", U64)):
            for real, t in (("float", F32), ("double", F64)):
                if source.bits == 32 and t is F64 and way != "rn":
                    continue  # always exact, so only one rounding mode exists
                name = f"libdevice/{integer}2{real}/{way}"
                x = rounding.integers(rng(name), source, COUNT)
                result = np.array([rounding.rounded(Fraction(int(v)), way, t) for v in x]).astype(t.storage)
                yield _by_bits(name, f"libdevice.{integer}2{real}_{way}(x)", [source], [x], result, t)


def _whole(x, way, source, to):
    """Converts as the instruction cvt does: clamps, and turns NaN into the highest bit (0 from f32 to 32 bits)."""
    info = np.iinfo(to.storage)
    if np.isnan(x):
        highest = info.min if to.kind == "i" else 1 << (to.bits - 1)
        return highest if source is F64 or to.bits == 64 else 0
    if np.isinf(x):
        return info.max if x > 0 else info.min
    return min(max(way(Fraction(float(x))), info.min), info.max)


def _away(x):
    whole = int(abs(x) + Fraction(1, 2))
    return whole if x > 0 else -whole


def to_integers():
    ends = [2.0**n for n in (31, 32, 63, 64)]
    ends = [s * v for v in ends for s in (1, -1)] + [np.nextafter(v, 0) for v in ends]
    fixed = ends + [0.0, -0.0, .5, -.5, 1.5, -1.5, 2.5, -2.5, .49999997, -.99, 1e-40, 2147483647.0, 2147483646.5,
                    -2147483648.5, -2147483649.0, 4294967295.0, 4294967294.5, 1e10, -1e10, 1e20, -1e20, 1e30,
                    np.inf, -np.inf, np.nan]
    functions = [(f"{real}2{integer}", way, f"{real}2{integer}_{way}", t, to, rounding.WAYS[way])
                 for real, t in (("float", F32), ("double", F64))
                 for integer, to in (("int", I32), ("uint", U32), ("ll", I64), ("ull", U64))
                 for way in rounding.WAYS]
    for t in (F32, F64):
        functions += [("llrint", t.name, "llrint", t, I64, round), ("llround", t.name, "llround", t, I64, _away)]
    for operation, kind, function, t, to, way in functions:
        name = f"libdevice/{operation}/{kind}"
        draw = rng(name)
        x = draw.standard_normal(COUNT) * 2.0**draw.integers(-2, 70, COUNT)
        x[:len(fixed)] = fixed
        x[len(fixed):2 * len(fixed)] = np.floor(x[len(fixed):2 * len(fixed)] / 4) + .5
        x = x.astype(t.storage)
        yield elementwise(name, f"libdevice.{function}(x)", [t], to, lambda v, t=t, to=to, way=way: np.array(
            [_whole(each, way, t, to) for each in v], to.storage), shape=(COUNT,), data=[x])


def cases():
    for family in (arithmetic, to_floats, to_integers):
        yield from family()
