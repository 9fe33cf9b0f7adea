"""Functions at the edges of a type's domain: all values of f16, of wider types every class and random
bits. OpenCL C 6.15.2 and 7.5.1 say what comes out, C's Annex F where they do not."""
import math
from fractions import Fraction

import numpy as np

from .case import Buffer, Case, result
from .floats import (apply, away, by_magnitude, cos_pi, exponent, gamma, log_gamma, number, power,
                     remainder, root, sin_pi, tan_pi)

F16, F32, F64, I32 = np.float16, np.float32, np.float64, np.int32
PREFIXES = {"h": F16, "f": F32, "d": F64}
BITS = {F16: np.uint16, F32: np.uint32, F64: np.uint64}


def classes(kind):
    """Returns zeros, subnormals, powers, halves, large values, infinities and NaN, with both signs."""
    limits = np.finfo(kind)
    digits = 2.0**limits.nmant
    some = [0, limits.smallest_subnormal, 3 * limits.smallest_subnormal, limits.tiny / 2, limits.tiny,
            limits.tiny * 1.5, limits.eps / 2, limits.eps, 0.25, 1 / 3, 0.5 - limits.epsneg, 0.5,
            0.5 + limits.eps, 0.75, 1 - limits.epsneg, 1, 1 + limits.eps, 1.5, 2, 2.5, 3, 3.5, 4, 7.25,
            10, 11, 88, 90, 127, 128, 255.5, digits / 2 - 0.5, digits / 2 + 0.5, digits - 1, digits,
            digits + 1, 2 * digits, limits.max / 2, limits.max, math.inf, math.nan]
    with np.errstate(all="ignore"):
        return np.array(some + [-x for x in some], kind)


def random(kind, count, seed):
    bits = np.random.default_rng(seed).integers(0, np.iinfo(BITS[kind]).max, count, BITS[kind],
                                                endpoint=True)
    return bits.view(kind)


def whole_domain(kind):
    if kind == F16:
        return np.arange(1 << 16, dtype=np.uint32).astype(np.uint16).view(F16)
    return np.concatenate([classes(kind), random(kind, 4000, 0)])


def pairs(kind):
    edges = classes(kind)
    a, b = (x.ravel() for x in np.meshgrid(edges, edges))
    near = random(kind, 500, 3)
    with np.errstate(all="ignore"):
        return (np.concatenate([a, random(kind, 1000, 1), near]),
                np.concatenate([b, random(kind, 1000, 2), near * kind(0.37)]))


def by_float(function):
    """Applies a function of Python's floats to arrays of doubles."""
    return lambda *x: apply(function, F64, *x)


def sign(x):
    return np.where(np.isnan(x), 0.0, np.where(x == 0, x, np.sign(x)))


def powr(x, y):
    if math.isnan(x) or math.isnan(y) or x < 0:
        return math.nan
    if y == 0:
        return 1.0 if 0 < x < math.inf else math.nan
    if x == 1:
        return math.nan if math.isinf(y) else 1.0
    return abs(power(abs(x), y))


def difference(x, y):
    return math.nan if x != x or y != y else x - y if x > y else 0.0


def pi_of(function):
    return lambda *x: function(*x) / math.pi


def cube_root(x):
    """NumPy's own of f64 is up to 3 units in the last place wrong, unless the processor has AVX-512."""
    return np.cbrt(x.astype(np.longdouble)).astype(F64)


# The function, and the bounds for f16, f32 and f64 in units in the last place.
UNARY = {
    "acos": (np.arccos, 1, 4, 4), "acosh": (np.arccosh, 1, 4, 4), "acospi": (pi_of(np.arccos), 1, 5, 5),
    "asin": (np.arcsin, 1, 4, 4), "asinh": (np.arcsinh, 1, 4, 4), "asinpi": (pi_of(np.arcsin), 1, 5, 5),
    "atan": (np.arctan, 1, 5, 5), "atanh": (np.arctanh, 1, 5, 5), "atanpi": (pi_of(np.arctan), 1, 5, 5),
    "cbrt": (cube_root, 1, 2, 2), "ceil": (np.ceil, 0, 0, 0), "cos": (np.cos, 1, 4, 4),
    "cosh": (np.cosh, 1, 4, 4), "cospi": (by_float(cos_pi), 1, 4, 4),
    "erf": (by_float(math.erf), 1, 16, 16), "erfc": (by_float(math.erfc), 1, 16, 16),
    "exp": (np.exp, 1, 3, 3), "exp2": (np.exp2, 1, 3, 3), "exp10": (lambda x: np.power(10.0, x), 1, 3, 3),
    "expm1": (np.expm1, 1, 3, 3), "fabs": (np.abs, 0, 0, 0), "floor": (np.floor, 0, 0, 0),
    "lgamma": (by_float(log_gamma), 1, 16, 64),
    "log": (np.log, 1, 3, 3), "log2": (np.log2, 1, 3, 3), "log10": (np.log10, 1, 3, 3),
    "log1p": (np.log1p, 1, 2, 2),
    "logb": (by_float(lambda x: x * x if not math.isfinite(x) else -math.inf if x == 0
                      else float(exponent(x))), 0, 0, 0),
    "rint": (np.rint, 0, 0, 0), "round": (by_float(away), 0, 0, 0),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1, 2, 2), "sign": (sign, 0, 0, 0),
    "sin": (np.sin, 1, 4, 4), "sinh": (np.sinh, 1, 4, 4), "sinpi": (by_float(sin_pi), 1, 4, 4),
    "sqrt": (np.sqrt, 0, 0, 0), "tan": (np.tan, 1, 5, 5), "tanh": (np.tanh, 1, 5, 5),
    "tanpi": (by_float(tan_pi), 1, 6, 6), "tgamma": (by_float(gamma), 1, 16, 16),
    "trunc": (np.trunc, 0, 0, 0), "degrees": (lambda x: x * (180 / math.pi), 1, 2, 2),
    "radians": (lambda x: x * (math.pi / 180), 1, 2, 2),
}
BINARY = {
    "atan2": (np.arctan2, 1, 6, 6), "atan2pi": (pi_of(np.arctan2), 1, 6, 6),
    "copysign": (np.copysign, 0, 0, 0), "fdim": (by_float(difference), 0, 0, 0),
    "fmax": (by_float(lambda x, y: number(x, y, max)), 0, 0, 0),
    "fmin": (by_float(lambda x, y: number(x, y, min)), 0, 0, 0), "fmod": (np.fmod, 0, 0, 0),
    "hypot": (np.hypot, 1, 4, 4), "maxmag": (by_float(by_magnitude(True)), 0, 0, 0),
    "minmag": (by_float(by_magnitude(False)), 0, 0, 0), "pow": (by_float(power), 1, 16, 16),
    "powr": (by_float(powr), 1, 16, 16), "remainder": (by_float(remainder), 0, 0, 0),
    "step": (lambda edge, x: np.where(x < edge, 0.0, 1.0), 0, 0, 0),
}
EITHER_ZERO = {"fmax", "fmin", "maxmag", "minmag"}


def of(kind, function, *inputs):
    with np.errstate(all="ignore"):
        return np.asarray(function(*(x.astype(F64) for x in inputs))).astype(kind)


def signs(*results):
    return sum(np.where(np.isnan(r), 0, np.signbit(r) << i) for i, r in enumerate(results)).astype(I32)


def case(prefix, name, expected, inputs, ulps=0, more=(), absolute=0, count=None):
    """More results follow the signs; numbers among them have one too."""
    numbers = [expected] + [m for m in more if m.dtype != I32]
    buffers = [result(expected, ulps=ulps, absolute=absolute), result(signs(*numbers))]
    buffers += [result(m, ulps=ulps if m.dtype != I32 else 0) for m in more]
    buffers += [Buffer(np.ascontiguousarray(x)) for x in inputs]
    return Case("edges", f"{prefix}_{name}", buffers, (count or expected.size,))


def for_log_gamma(kind):
    """Near its zeros the error is absolute: of f64 all of what is there, and its sign."""
    x = whole_domain(kind)
    near = np.abs(of(F64, by_float(log_gamma), x)) < (1e-13 if kind == F64 else 0)
    return x[~near]


def functions(prefix, kind):
    column = 1 + [F16, F32, F64].index(kind)
    for name, row in UNARY.items():
        x, absolute = whole_domain(kind), 0
        if name == "lgamma":
            x, absolute = for_log_gamma(kind), 1e-14 if kind == F64 else 1e-6
        yield case(prefix, name, of(kind, row[0], x), [x], row[column], absolute=absolute)
    for name, row in BINARY.items():
        a, b = pairs(kind)
        if name in EITHER_ZERO:
            b = np.where((a == 0) & (b == 0), a, b)
        yield case(prefix, name, of(kind, row[0], a, b), [a, b], row[column])
    a, b = pairs(kind)
    with np.errstate(all="ignore"):
        yield case(prefix, "nextafter", np.nextafter(a, b), [a, b])


def with_integers(prefix, kind):
    far = np.array([-2**31, 1 - 2**31, -40000, -2200, -1075, -150, -26, -25, -24, -15, -3, -2, -1, 0, 1,
                    2, 3, 7, 16, 40, 128, 300, 1024, 2100, 40001, 2**31 - 1], I32)
    x, n = (v.ravel() for v in np.meshgrid(classes(kind), far))
    with np.errstate(all="ignore"):
        yield case(prefix, "ldexp", np.ldexp(x, np.clip(n, -9999, 9999)).astype(kind), [x, n])
    yield case(prefix, "pown", of(kind, by_float(power), x, n), [x, n], 1 if kind == F16 else 16)
    yield case(prefix, "rootn", of(kind, by_float(root), x, n), [x, n], 1 if kind == F16 else 16)


def fract(x):
    """A fraction below 1 of x's sign where it is zero; an infinity has none."""
    with np.errstate(all="ignore"):
        rest = np.minimum(x - np.floor(x), np.nextafter(x.dtype.type(1), x.dtype.type(0)))
    return np.where(np.isinf(x) | (x == 0), np.copysign(x.dtype.type(0), x), rest)


def quotient(x, y):
    """The lowest seven bits of x / y, rounded to the nearest integer, with its sign."""
    rest = remainder(x, y)
    if math.isnan(rest) or math.isinf(y):
        return 0
    whole = int((Fraction(x) - Fraction(rest)) / Fraction(y))
    return abs(whole) % 128 * (-1 if whole < 0 else 1)


def two_results(prefix, kind):
    x = whole_domain(kind)
    few = 1 if kind == F16 else 4
    with np.errstate(all="ignore"):
        yield case(prefix, "fract", fract(x), [x], more=[np.floor(x)])
        rest, whole = np.modf(x)
        yield case(prefix, "modf", rest, [x], more=[whole])
        m, e = np.frexp(x)
        yield case(prefix, "frexp", m, [x], more=[np.where(np.isfinite(x), e, 0).astype(I32)])
    yield case(prefix, "sincos", of(kind, np.sin, x), [x], few, more=[of(kind, np.cos, x)])
    yield Case("edges", f"{prefix}_ilogb",
               [result(np.array([exponent(v) for v in x.tolist()], I32)), Buffer(x)], (x.size,))
    a, b = pairs(kind)
    yield case(prefix, "remquo", of(kind, by_float(remainder), a, b), [a, b],
               more=[np.array([quotient(*row) for row in zip(a.tolist(), b.tolist())], I32)])
    x = for_log_gamma(kind)
    x = x[~np.isnan(x) & (x > -np.inf)]
    value = of(kind, by_float(log_gamma), x)
    with np.errstate(all="ignore"):
        below = (x < 0) & (np.fmod(np.floor(x), 2) != 0)
    none = (x <= 0) & (x == np.floor(x))
    yield case(prefix, "lgamma_r", value, [x], 1 if kind == F16 else 16 if kind == F32 else 64,
               more=[np.where(none, 0, np.where(below, -1, 1)).astype(I32)],
               absolute=1e-14 if kind == F64 else 1e-6)


def vectors(prefix, kind):
    """Tests vectors whose squares overflow or underflow, which must not affect the results."""
    limits = np.finfo(kind)
    scales = np.array([limits.smallest_subnormal * 8, limits.tiny, 1, limits.max / 8, limits.max / 2])
    a, b = (np.random.default_rng(seed).uniform(-1, 1, (600, 4)) for seed in range(2))
    a = (a * scales[np.arange(600) % 5][:, None]).astype(kind)
    b = (b * scales[np.arange(600) % 5][:, None]).astype(kind)
    a[500:520] *= kind(0)
    a[520:540, 1] = math.inf
    a[540:560, 2] = -math.inf
    a[530:550, 3] = math.nan
    a[560:580] = [0, limits.smallest_subnormal, 0, 0]
    wide = np.longdouble

    def length(v):
        endless = np.isinf(v).any(1) & ~np.isnan(v).any(1)
        return np.where(endless, math.inf, np.sqrt((v.astype(wide)**2).sum(1)))

    with np.errstate(all="ignore"):
        lengths, distances = length(a), length(a.astype(wide) - b)
        isolated = np.where(np.isinf(a), np.copysign(1, a), np.where(np.isnan(a), a, 0)).astype(wide)
        parts = np.where(np.isinf(a).any(1)[:, None], isolated, a)
        unit = parts / np.where(lengths == 0, 1, length(parts))[:, None]
        unit = np.where(np.isnan(a).any(1)[:, None], math.nan, unit)
        expected = np.concatenate([lengths, distances, unit.ravel()]).astype(kind)
    yield Case("edges", f"{prefix}_vectors",
               [result(expected, ulps=2 if kind == F16 else 5), Buffer(a.ravel()), Buffer(b.ravel())],
               (600,))


def cases():
    for prefix, kind in PREFIXES.items():
        for part in (functions, with_integers, two_results, vectors):
            yield from part(prefix, kind)
