"""Functions of OpenCL.std: every function, type and width of vectors. References are computed by mpmath."""
import math

import mpmath
import numpy as np

from case import (FLOATS, INTEGERS, NUMPY, WIDTHS, elementwise, integers, of_width, random_of, reals, rows,
                  signed)
from module import parts

mpmath.mp.prec = 160
pi = mpmath.pi

# name: (function, error in units of the last place, lowest and highest values of the operands)
ONE = {
    "acos": (mpmath.acos, 4, (-1, 1)), "acosh": (mpmath.acosh, 4, (1, 9)), "asin": (mpmath.asin, 4, (-1, 1)),
    "acospi": (lambda x: mpmath.acos(x) / pi, 5, (-1, 1)), "asinpi": (lambda x: mpmath.asin(x) / pi, 5, (-1, 1)),
    "asinh": (mpmath.asinh, 4, None), "atan": (mpmath.atan, 5, None), "atanh": (mpmath.atanh, 5, (-0.9, 0.9)),
    "atanpi": (lambda x: mpmath.atan(x) / pi, 5, None), "ceil": (math.ceil, 0, None),
    "cbrt": (lambda x: math.copysign(1, x) * mpmath.cbrt(abs(x)), 2, None), "cos": (mpmath.cos, 4, None),
    "cosh": (mpmath.cosh, 4, None), "cospi": (mpmath.cospi, 4, None), "erf": (mpmath.erf, 16, (-3, 3)),
    "erfc": (mpmath.erfc, 16, (-2, 2)), "exp": (mpmath.exp, 3, None), "exp2": (lambda x: mpmath.mpf(2)**x, 3, None),
    "exp10": (lambda x: mpmath.mpf(10)**x, 3, (-3, 3)), "expm1": (mpmath.expm1, 3, None), "fabs": (abs, 0, None),
    "floor": (math.floor, 0, None), "log": (mpmath.log, 3, (0.1, 9)), "log2": (lambda x: mpmath.log(x, 2), 3, (0.1, 9)),
    "log10": (mpmath.log10, 3, (0.1, 9)), "log1p": (mpmath.log1p, 2, (-0.9, 9)),
    "logb": (lambda x: math.frexp(x)[1] - 1, 0, None), "rint": (round, 0, None),
    "round": (lambda x: math.copysign(math.floor(abs(x) + 0.5), x), 0, None),
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x), 2, (0.1, 9)), "sin": (mpmath.sin, 4, None), "sinh": (mpmath.sinh, 4, None),
    "sinpi": (mpmath.sinpi, 4, None), "sqrt": (mpmath.sqrt, 3, (0, 9)), "tan": (mpmath.tan, 5, None),
    "tanh": (mpmath.tanh, 5, None), "tanpi": (lambda x: mpmath.sinpi(x) / mpmath.cospi(x), 6, None),
    "tgamma": (mpmath.gamma, 16, (0.5, 7)), "lgamma": (mpmath.loggamma, 64, (2.5, 9)), "trunc": (math.trunc, 0, None),
    "degrees": (lambda x: x * 180 / pi, 2, None), "radians": (lambda x: x * pi / 180, 2, None),
    "sign": (lambda x: (x > 0) - (x < 0), 0, None),
}
ROUGH = {"cos": mpmath.cos, "exp": mpmath.exp, "exp2": lambda x: mpmath.mpf(2)**x,
         "exp10": lambda x: mpmath.mpf(10)**x, "log": mpmath.log, "log2": lambda x: mpmath.log(x, 2),
         "log10": mpmath.log10, "recip": lambda x: 1 / x, "rsqrt": lambda x: 1 / mpmath.sqrt(x), "sin": mpmath.sin,
         "sqrt": mpmath.sqrt, "tan": mpmath.tan}
TWO = {
    "atan2": (mpmath.atan2, 6, None), "atan2pi": (lambda x, y: mpmath.atan2(x, y) / pi, 6, None),
    "copysign": (math.copysign, 0, None), "fdim": (lambda x, y: max(x - y, 0), 0, None), "fmax": (max, 0, None),
    "fmin": (min, 0, None), "fmod": (math.fmod, 0, None), "hypot": (mpmath.hypot, 4, None),
    "maxmag": (lambda x, y: max(x, y, key=abs), 0, None), "minmag": (lambda x, y: min(x, y, key=abs), 0, None),
    "pow": (lambda x, y: mpmath.power(x, y), 16, (0.1, 4)), "powr": (lambda x, y: mpmath.power(x, y), 16, (0.1, 4)),
    "remainder": (math.remainder, 0, None), "fmax_common": (max, 0, None), "fmin_common": (min, 0, None),
    "step": (lambda x, y: 0 if y < x else 1, 0, None),
}
THREE = {
    "fma": (lambda x, y, z: mpmath.mpf(x) * y + z, 0, None), "mad": (lambda x, y, z: mpmath.mpf(x) * y + z, 1e9, (1, 8)),
    "fclamp": (lambda x, y, z: min(max(x, y), z), 0, None),
    "mix": (lambda x, y, z: x + (mpmath.mpf(y) - x) * z, 16, (0, 1)),
    "smoothstep": (lambda x, y, z: (lambda t: t * t * (3 - 2 * t))(min(max((mpmath.mpf(z) - x) / (y - x), 0), 1)), 32, None),
}


def clamp(value, low, high):
    return min(max(value, low), high)


def top(n):
    return (1 << n - 1) - 1


# Functions of the bits, which are unsigned, and of their number.
INTEGER_ONE = {
    "s_abs": lambda a, n: abs(signed(a, n)), "u_abs": lambda a, n: a, "clz": lambda a, n: n - a.bit_length(),
    "ctz": lambda a, n: (a & -a).bit_length() - 1 if a else n, "popcount": lambda a, n: bin(a).count("1"),
}
INTEGER_TWO = {
    "s_abs_diff": lambda a, b, n: abs(signed(a, n) - signed(b, n)), "u_abs_diff": lambda a, b, n: abs(a - b),
    "s_add_sat": lambda a, b, n: clamp(signed(a, n) + signed(b, n), -top(n) - 1, top(n)),
    "u_add_sat": lambda a, b, n: min(a + b, (1 << n) - 1), "u_sub_sat": lambda a, b, n: max(a - b, 0),
    "s_sub_sat": lambda a, b, n: clamp(signed(a, n) - signed(b, n), -top(n) - 1, top(n)),
    "s_hadd": lambda a, b, n: signed(a, n) + signed(b, n) >> 1, "u_hadd": lambda a, b, n: a + b >> 1,
    "s_rhadd": lambda a, b, n: signed(a, n) + signed(b, n) + 1 >> 1, "u_rhadd": lambda a, b, n: a + b + 1 >> 1,
    "s_max": lambda a, b, n: max(signed(a, n), signed(b, n)), "u_max": lambda a, b, n: max(a, b),
    "s_min": lambda a, b, n: min(signed(a, n), signed(b, n)), "u_min": lambda a, b, n: min(a, b),
    "s_mul_hi": lambda a, b, n: signed(a, n) * signed(b, n) >> n, "u_mul_hi": lambda a, b, n: a * b >> n,
    "rotate": lambda a, b, n: a << b % n | a >> (n - b % n),
}
INTEGER_THREE = {
    "s_mad_hi": lambda a, b, c, n: (signed(a, n) * signed(b, n) >> n) + signed(c, n),
    "u_mad_hi": lambda a, b, c, n: (a * b >> n) + c,
    "s_mad_sat": lambda a, b, c, n: clamp(signed(a, n) * signed(b, n) + signed(c, n), -top(n) - 1, top(n)),
    "u_mad_sat": lambda a, b, c, n: min(a * b + c, (1 << n) - 1), "bitselect": lambda a, b, c, n: a & ~c | b & c,
}


def case_of(function, result, operands, values, expect, **options):
    return elementwise(f"{function}/{'-'.join(operands)}", lambda m, *x: m.std(function, result, *x), [result], operands,
                       values, [expect], **options)


def of_floats(rng):
    for element in FLOATS:
        for width in WIDTHS:
            t, n = of_width(element, width), rows(width)
            for table in (ONE, TWO, THREE):
                for name, (function, ulps, span) in table.items():
                    x = [random_of(rng, t, n, *(span or ())) for _ in range((ONE, TWO, THREE).index(table) + 1)]
                    if name == "smoothstep":
                        x[1] = np.maximum(x[1], x[0] + NUMPY[element](1)).astype(x[0].dtype)
                    if name == "fclamp":
                        x[1:] = np.minimum(*x[1:]), np.maximum(*x[1:])
                    yield case_of(name, t, (t,) * len(x), x, reals(function, t, *x), tolerance=loose(name, ulps, element))
            if element == "f32":
                yield from rough(rng, t, n)
            yield from with_integers(rng, element, width)


def loose(name, ulps, element):
    """Returns the tolerance. Sums that cancel have an absolute one."""
    if name in ("mad", "mix", "smoothstep"):
        return {"ulps": 4, "absolute": {"f16": 4e-2, "f32": 1e-5, "f64": 1e-13}[element]}
    if name in ("lgamma", "log", "log2", "log10"):
        return {"ulps": 16, "absolute": {"f16": 2e-3, "f32": 3e-7, "f64": 1e-15}[element]}
    return {"ulps": ulps}


def rough(rng, t, n):
    for prefix in ("half", "native"):
        for name, function in ROUGH.items():
            x = random_of(rng, t, n, 0.1, 1.4)
            yield case_of(f"{prefix}_{name}", t, (t,), (x,), reals(function, t, x),
                          tolerance={"relative": 1e-3, "absolute": 1e-3})
        x, y = random_of(rng, t, n, 0.5, 4), random_of(rng, t, n, 0.5, 4)
        for name, expect in (("divide", x / y), ("powr", x**y)):
            yield case_of(f"{prefix}_{name}", t, (t, t), (x, y), expect, tolerance={"relative": 2e-3})


def with_integers(rng, element, width):
    t, i, n = of_width(element, width), of_width("i32", width), rows(width)
    x, k = random_of(rng, t, n), random_of(rng, i, n, -4, 5)
    number = lambda v: signed(v, 32)  # noqa: E731
    yield case_of("ldexp", t, (t, i), (x, k), reals(lambda a, b: math.ldexp(a, number(b)), t, x, k))
    yield case_of("pown", t, (t, i), (x, k), reals(lambda a, b: mpmath.power(a, number(b)), t, x, k),
                  tolerance={"ulps": 16})
    x, k = random_of(rng, t, n, 0.1, 8), random_of(rng, i, n, 1, 6)
    yield case_of("rootn", t, (t, i), (x, k), reals(lambda a, b: mpmath.power(a, mpmath.mpf(1) / b), t, x, k),
                  tolerance={"ulps": 16})
    yield case_of("ilogb", i, (t,), (x,), integers(lambda a: math.frexp(a)[1] - 1, i, x))
    x, y = random_of(rng, t, n), random_of(rng, t, n)
    yield case_of("nextafter", t, (t, t), (x, y), np.nextafter(x, y))
    bits = of_width(f"i{element[1:]}", width)
    c = random_of(rng, bits, n)
    chosen = np.where(c >> c.dtype.type(int(element[1:]) - 1) if width > 1 else c, y, x) if width > 1 else np.where(c != 0, y, x)
    yield case_of("select", t, (t, t, bits), (x, y, c), chosen)
    unsigned = NUMPY[parts(bits)[0]]
    mask = (x.view(unsigned) & ~y.view(unsigned) | y.view(unsigned) & y.view(unsigned)).view(x.dtype)
    yield case_of("bitselect", t, (t, t, t), (x, y, y), mask)
    z = random_of(rng, bits, n)
    yield elementwise(f"nan/{bits}", lambda m, v: m.op("OpIsNan", of_width("bool", width), m.std("nan", t, v)),
                      [of_width("bool", width)], [bits], [z], [np.ones((n, width), np.uint8)])


def through_pointers(rng):
    """Functions with a second result, which they store in each kind of memory."""
    functions = {
        "fract": (lambda x: (x - math.floor(x), math.floor(x)), None), "modf": (math.modf, None),
        "frexp": (lambda x: math.frexp(x), "i32"), "sincos": (lambda x: (mpmath.sin(x), mpmath.cos(x)), None),
        "lgamma_r": (lambda x: (mpmath.loggamma(x), 1), "i32"),
    }
    for element in FLOATS:
        for width in WIDTHS:
            t, n = of_width(element, width), rows(width)
            for name, (function, second) in functions.items():
                for storage in ("own", "generic"):
                    u = of_width(second or element, width)
                    x = random_of(rng, t, n, *((2.5, 8) if name == "lgamma_r" else ()))
                    first = reals(lambda v, f=function: f(v)[0], t, x)
                    other = reals(lambda v, f=function: f(v)[1], t, x) if u == t else integers(
                        lambda v, f=function: f(v)[1], u, x)
                    yield elementwise(f"{name}/{t}-{storage}", storing(name, t, u, storage), [t, u], [t], [x],
                                      [first, other], loose("log", 0, element) if name in ("lgamma_r", "sincos") else {"ulps": 1})
            x, y = random_of(rng, t, n), random_of(rng, t, n, 1, 8)
            quotient = integers(lambda a, b: (lambda q: int(math.copysign(abs(q) % 128, q)))(
                round((a - math.remainder(a, b)) / b)), "i32", x, y)
            yield elementwise(f"remquo/{t}", storing("remquo", t, of_width("i32", width), "own"),
                              [t, of_width("i32", width)], [t, t], [x, y], [reals(math.remainder, t, x, y), quotient])


def storing(name, t, u, storage):
    def emit(m, *x):
        place = m.variable("own", u)
        if storage == "generic":
            passed = m.op("OpPtrCastToGeneric", m.pointer("generic", u), place)
        else:
            passed = place
        made = m.std(name, t, *x, passed)
        return made, m.op("OpLoad", u, place)
    return emit


def geometric(rng):
    for element in FLOATS:
        rest = {"relative": {"f16": 2e-2, "f32": 1e-5, "f64": 1e-14}[element],
                "absolute": {"f16": 5e-2, "f32": 1e-5, "f64": 1e-13}[element]}
        for width in (1, 2, 3, 4):
            t, n = of_width(element, width), rows(width)
            x, y = random_of(rng, t, n, 1, 4), random_of(rng, t, n, -4, -1)
            wide, other = x.astype(np.float64), y.astype(np.float64)
            length = np.sqrt((wide * wide).sum(1))
            distance = np.sqrt(((wide - other)**2).sum(1))
            for prefix in ("", "fast_") if element == "f32" else ("",):
                less = {"relative": 2e-3, "absolute": 2e-3} if prefix else rest
                yield case_of(f"{prefix}length", element, (t,), (x,), length.astype(x.dtype), tolerance=less)
                yield case_of(f"{prefix}distance", element, (t, t), (x, y), distance.astype(x.dtype), tolerance=less)
                yield case_of(f"{prefix}normalize", t, (t,), (x,), (wide / length[:, None]).astype(x.dtype), tolerance=less)
            if width >= 3:
                cross = np.cross(wide[:, :3], other[:, :3])
                cross = np.concatenate([cross, np.zeros((n, width - 3))], axis=1)
                yield case_of("cross", t, (t, t), (x, y), cross.astype(x.dtype), tolerance=rest)


def of_integers(rng):
    for element in INTEGERS:
        bits = int(element[1:])
        for width in WIDTHS:
            t, n = of_width(element, width), rows(width)
            for count, table in enumerate((INTEGER_ONE, INTEGER_TWO, INTEGER_THREE), 1):
                for name, function in table.items():
                    x = [random_of(rng, t, n) for _ in range(count)]
                    yield case_of(name, t, (t,) * count, x, integers(lambda *v, f=function: f(*v, bits), t, *x))
            yield from more_integers(rng, element, width, bits)


def more_integers(rng, element, width, bits):
    t, n = of_width(element, width), rows(width)
    x, low, high = random_of(rng, t, n), random_of(rng, t, n), random_of(rng, t, n)
    low, high = np.minimum(low, high), np.maximum(low, high)
    yield case_of("u_clamp", t, (t,) * 3, (x, low, high), np.clip(x, low, high))
    kind = np.dtype(f"int{bits}")
    a, b = np.minimum(low.view(kind), high.view(kind)), np.maximum(low.view(kind), high.view(kind))
    yield case_of("s_clamp", t, (t,) * 3, (x, a.view(x.dtype), b.view(x.dtype)),
                  np.clip(x.view(kind), a, b).view(x.dtype))
    chosen = np.where(x >> x.dtype.type(bits - 1) != 0, high, low) if width > 1 else np.where(x != 0, high, low)
    yield case_of("select", t, (t,) * 3, (low, high, x), chosen)
    if bits < 64:
        wide = of_width(f"i{2 * bits}", width)
        yield case_of("u_upsample", wide, (t, t), (x, low), integers(lambda h, v: h << bits | v, wide, x, low))
        yield case_of("s_upsample", wide, (t, t), (x, low), integers(lambda h, v: h << bits | v, wide, x, low))
    if bits == 32:
        s, u, c = random_of(rng, t, n, -(1 << 23), 1 << 23), random_of(rng, t, n, 0, 1 << 24), random_of(rng, t, n)
        yield case_of("s_mul24", t, (t, t), (s, s), s * s)
        yield case_of("u_mul24", t, (t, t), (u, u), u * u)
        yield case_of("s_mad24", t, (t, t, t), (s, s, c), s * s + c)
        yield case_of("u_mad24", t, (t, t, t), (u, u, c), u * u + c)


def shuffles(rng):
    for element in (*INTEGERS, *FLOATS):
        for width in (2, 4, 8, 16):
            for count in (2, 4, 8, 16):
                if (width + count) % 3 and element not in ("i32", "f32"):
                    continue
                n, of, to = 4, of_width(element, width), of_width(element, count)
                mask = of_width(f"i{element[1:]}", count)
                x, y, at = random_of(rng, of, n), random_of(rng, of, n), random_of(rng, mask, n)
                index = at.astype(np.uint64)
                yield case_of("shuffle", to, (of, mask), (x, at),
                              np.take_along_axis(x, (index % np.uint64(width)).astype(np.int64), 1))
                both = np.concatenate([x, y], axis=1)
                yield case_of("shuffle2", to, (of, of, mask), (x, y, at),
                              np.take_along_axis(both, (index % np.uint64(2 * width)).astype(np.int64), 1))


def cases(rng):
    yield from of_floats(rng)
    yield from through_pointers(rng)
    yield from geometric(rng)
    yield from of_integers(rng)
    yield from shuffles(rng)
