"""Functions of floats against Python's doubles."""
import math

import numpy as np

from .case import Buffer, Case, elementwise, result

F32, F64, I32 = np.float32, np.float64, np.int32
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, math.inf, -math.inf, math.nan, 1e-40, -1e-45,
           3.4e38, 1e-38, 16777216.0, 8388609.5]


def floats(kind, seed, low=-20.0, high=20.0, special=True):
    random = np.random.default_rng(seed)
    values = random.uniform(low, high, 64 - len(SPECIAL) if special else 64)
    values = np.concatenate([SPECIAL, values]) if special else values
    values = values if seed == 0 else random.permutation(values)
    return values.astype(kind)


def apply(function, kind, *inputs):
    """Computes in Python's doubles. Undefined results are NaN."""
    def one(*row):
        try:
            return function(*row)
        except ValueError:
            return math.nan
        except (OverflowError, ZeroDivisionError):
            return math.inf
    with np.errstate(all="ignore"):
        return np.array([one(*row) for row in zip(*(x.tolist() for x in inputs))], F64).astype(kind)


def sin_pi(x):
    if not math.isfinite(x):
        return math.nan
    r = math.fmod(x, 2)
    if r == math.floor(r):
        return math.copysign(0.0, x)
    return math.sin(math.pi * (r if abs(r) <= 0.5 else math.copysign(1, r) - r if abs(r) <= 1.5
                               else r - math.copysign(2, r)))


def cos_pi(x):
    if not math.isfinite(x):
        return math.nan
    r = abs(math.fmod(x, 2))
    r = 2 - r if r > 1 else r
    if abs(r - 0.5) <= 0.25:
        return math.sin(math.pi * (0.5 - r)) if r != 0.5 else 0.0
    return math.cos(math.pi * r)


def tan_pi(x):
    c = cos_pi(x)
    return math.copysign(math.inf, sin_pi(x)) if c == 0 else sin_pi(x) / c


def gamma(x):
    if x == 0:
        return math.copysign(math.inf, x)
    if math.isinf(x):
        return math.inf if x > 0 else math.nan
    if abs(x) < 1e-300:
        return math.copysign(math.inf, x) if abs(x) < 5.6e-309 else 1 / x
    if x > -180 or x == math.floor(x):
        return math.gamma(x)
    return -0.0 if math.floor(x) % 2 else 0.0


def log_gamma(x):
    if math.isinf(x) or x <= 0 and x == math.floor(x):
        return math.inf
    return math.lgamma(x)


def root(x, n):
    if n == 0 or x < 0 and n % 2 == 0:
        return math.nan
    if x == 0:
        return math.copysign(0.0 if n > 0 else math.inf, x if n % 2 else 1)
    if math.isinf(x):
        return math.copysign(math.inf if n > 0 else 0.0, x)
    exact = np.power(np.longdouble(abs(x)), 1 / np.longdouble(n))  # in doubles, 1 / n would be inexact
    return math.copysign(float(exact), x)


def exponent(x):
    if math.isnan(x) or math.isinf(x):
        return 2**31 - 1
    return -2**31 if x == 0 else math.frexp(x)[1] - 1


def even(x):
    """Rounds to the nearest integer, halves to even."""
    return x if not math.isfinite(x) else math.copysign(round(x), x)


def away(x):
    if not math.isfinite(x):
        return x
    rest, whole = math.modf(abs(x))
    return math.copysign(whole + (rest >= 0.5), x)


def remainder(x, y):
    return math.nan if math.isinf(x) or y == 0 else math.remainder(x, y)


def by_magnitude(larger):
    def choose(x, y):
        if math.isnan(x) or math.isnan(y):
            return y if math.isnan(x) else x
        if abs(x) == abs(y):
            return max(x, y) if larger else min(x, y)
        return x if (abs(x) > abs(y)) == larger else y
    return choose


def number(x, y, choose):
    return y if math.isnan(x) else x if math.isnan(y) else choose(x, y)


def power(x, y):
    try:
        return math.pow(x, y)
    except OverflowError:
        return math.copysign(math.inf, x if y % 2 == 1 else 1)
    except ValueError:
        return math.copysign(math.inf, x if y % 2 == 1 else 1) if x == 0 else math.nan


def log_or(function):
    return lambda x: -math.inf if x == 0 else function(x)


def unary():
    infinite_at_one = lambda x: -math.inf if x == -1 else math.log1p(x)
    rows = [
        ("acospi", lambda x: math.acos(x) / math.pi, 5, (-1, 1)), ("asinh", math.asinh, 4, None),
        ("atanpi", lambda x: math.atan(x) / math.pi, 5, None),
        ("cbrt", lambda x: math.copysign(abs(x)**(1 / 3), x), 2, None), ("cospi", cos_pi, 4, None),
        ("erf", math.erf, 16, (-4, 4)), ("erfc", math.erfc, 16, (-4, 9)),
        ("exp", math.exp, 3, (-90, 90)), ("exp10", lambda x: math.pow(10, x), 3, (-40, 40)),
        ("expm1", math.expm1, 3, (-5, 5)), ("log", log_or(math.log), 3, (0, 100)),
        ("log10", log_or(math.log10), 3, (0, 1e6)), ("log1p", infinite_at_one, 2, (-1, 4)),
        ("logb", lambda x: abs(x) if not math.isfinite(x) else -math.inf if x == 0
         else float(exponent(x)), 0, None),
        ("rint", even, 0, None), ("round", away, 0, None),
        ("rsqrt", lambda x: math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x), 2, (0, 9)),
        ("sin", math.sin, 4, (-100, 100)), ("sinpi", sin_pi, 4, None), ("tan", math.tan, 5, None),
        ("tanh", math.tanh, 5, (-5, 5)), ("tanpi", tan_pi, 6, None),
        ("tgamma", gamma, 16, (-10, 34)),
        ("trunc", lambda x: x if not math.isfinite(x) else math.copysign(math.trunc(x), x), 0, None),
    ]
    for name, function, ulps, span in rows:
        x = floats(F32, 0, *(span or (-20, 20)))
        yield elementwise("floats", f"f_{name}", apply(function, F32, x), x, ulps=ulps)
    x = floats(F32, 0)
    yield elementwise("floats", "f_ilogb", np.array([exponent(v) for v in x.tolist()], I32), x)
    yield elementwise("floats", "f_lgamma", apply(log_gamma, F32, x), x, ulps=16, absolute=1e-6)
    x = floats(F32, 0, -4, 4, special=False)
    yield elementwise("floats", "f_native",
                      apply(lambda v: math.sin(v) + math.exp(v) * math.cos(v), F32, x), x,
                      relative=2e-3, absolute=2e-3)  # other runtimes' native functions may be this inexact


def binary():
    rows = [
        ("atan2", math.atan2, 6), ("atan2pi", lambda x, y: math.atan2(x, y) / math.pi, 6),
        ("copysign", math.copysign, 0), ("fmod", math.fmod, 0), ("hypot", math.hypot, 4),
        ("fdim", lambda x, y: math.nan if x != x or y != y else x - y if x > y else 0.0, 0),
        ("fmin", lambda x, y: number(x, y, min) + number(x, y, max), 0),
        ("maxmag", by_magnitude(True), 0), ("minmag", by_magnitude(False), 0),
        ("pow", power, 16), ("remainder", remainder, 0),
    ]
    for name, function, ulps in rows:
        x, y = floats(F32, 0), floats(F32, 1)
        yield elementwise("floats", f"f_{name}", apply(function, F32, x, y), x, y, ulps=ulps)
    x, y = (floats(F32, seed, special=False) for seed in range(2))
    yield elementwise("floats", "f_step", ((y >= x) + np.sign(x)).astype(F32), x, y)
    x, y = floats(F32, 0), floats(F32, 2)
    yield elementwise("floats", "f_nextafter", np.nextafter(x, y), x, y)
    x, y, z = (floats(F32, seed, -1e3, 1e3, special=False) for seed in range(3))
    exact = (x.astype(np.longdouble) * y + z).astype(F32)
    buffers = [result(exact)] + [Buffer(v) for v in (x, y, z)]
    yield Case("floats", "f_fma", buffers, (64,))
    n = np.random.default_rng(3).integers(-6, 7, 64).astype(I32)
    x = floats(F32, 0)
    yield elementwise("floats", "f_pown", apply(power, F32, x, n), x, n, ulps=16)
    yield elementwise("floats", "f_rootn", apply(root, F32, x, n), x, n, ulps=16)
    yield elementwise("floats", "f_ldexp", np.ldexp(x, n), x, n)


def several():
    x = floats(F32, 0, special=False)
    m, e = np.frexp(x)
    rest, whole = np.modf(x)
    yield Case("floats", "f_parts", [result((m + rest).astype(F32)), result(e.astype(I32)),
                                     result(whole), Buffer(x)], (64,))
    fraction = np.minimum(x - np.floor(x), np.nextafter(F32(1), F32(0)))
    yield Case("floats", "f_fract", [result(fraction), result(np.floor(x)), Buffer(x)], (64,))
    y = floats(F32, 1, special=False)
    r = apply(math.remainder, F32, x, y)
    q = np.rint((x.astype(F64) - r) / y)
    low = (np.sign(q) * (np.abs(q) % 128)).astype(I32)
    yield Case("floats", "f_remquo", [result(r), result(low), Buffer(x), Buffer(y)], (64,))
    yield Case("floats", "f_sincos", [result(np.sin(x.astype(F64)).astype(F32), ulps=4),
                                      result(np.cos(x.astype(F64)).astype(F32), ulps=4),
                                      Buffer(x)], (64,))
    signs = np.where((x < 0) & (np.floor(x) % 2 == 1), -1, 1).astype(I32)
    yield Case("floats", "f_lgamma_r", [result(apply(math.lgamma, F32, x), ulps=16, absolute=1e-5),
                                        result(signs), Buffer(x)], (64,))
    wide = x.astype(F64)
    t = np.clip((wide + 2) / 4, 0, 1)
    common = (np.clip(wide, -1, 2) + wide + (3 - wide) * 0.25 + t * t * (3 - 2 * t)
              + np.degrees(wide) + np.radians(wide))
    yield elementwise("floats", "f_common", common.astype(F32), x, relative=1e-5, absolute=1e-4)
    a, b = x.reshape(16, 4).astype(F64), y.reshape(16, 4).astype(F64)
    c = np.cross(a[:, :3], b[:, :3])
    length = np.linalg.norm(a, axis=1)
    columns = [(a * b).sum(1), length, np.linalg.norm(a - b, axis=1), (c * c).sum(1)]
    expect = np.stack(columns, 1) + a / length[:, None]
    yield Case("floats", "f_geometric", [result(expect.astype(F32), relative=1e-5, absolute=1e-3),
                                         Buffer(x), Buffer(y)], (16,))
    x, y = floats(F32, 0), floats(F32, 1)
    with np.errstate(all="ignore"):
        normal = np.isfinite(x) & (np.abs(x) >= np.finfo(F32).tiny)
        tests = [np.isnan(x), np.isinf(x), np.isfinite(x), normal, np.signbit(x), x < y, x >= y,
                 np.isnan(x) | np.isnan(y), ~(np.isnan(x) | np.isnan(y)), x != y, (x < y) | (x > y)]
    bits = sum(test.astype(I32) << i for i, test in enumerate(tests))
    yield elementwise("floats", "f_relational", bits, x, y)


def doubles():
    def wide(seed, low=-20.0, high=20.0):
        return floats(F64, seed, low, high)
    x, y = wide(0), wide(1)
    ceiling = [math.sqrt(v) + math.ceil(v) if v >= 0 and math.isfinite(v) else
               math.inf if v == math.inf else -0.0 if v == 0 else math.nan for v in x.tolist()]
    yield elementwise("floats", "d_exp", apply(math.exp, F64, x), x, ulps=3)
    yield elementwise("floats", "d_sinpi", apply(sin_pi, F64, x), x, ulps=6, absolute=1e-16)
    yield elementwise("floats", "d_sqrt", np.array(ceiling), x)
    yield elementwise("floats", "d_fmod", apply(math.fmod, F64, x, y), x, y)
    yield elementwise("floats", "d_remainder", apply(remainder, F64, x, y), x, y)
    yield elementwise("floats", "d_hypot", apply(math.hypot, F64, x, y), x, y, ulps=4)
    yield elementwise("floats", "d_pow", apply(lambda a, b: power(abs(a), b), F64, x, y), x, y,
                      ulps=16)
    n = np.random.default_rng(3).integers(1, 7, 64).astype(I32)
    yield elementwise("floats", "d_rootn", apply(root, F64, x, n), x, n, ulps=16)


def cases():
    for group in (unary, binary, several, doubles):
        yield from group()
