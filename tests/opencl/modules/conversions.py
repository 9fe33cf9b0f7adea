"""Conversions between all types, with saturation and rounding modes, and bitcasts."""
import math

import numpy as np

from case import FLOATS, INTEGERS, NUMPY, WIDTHS, elementwise, of_width, random_of, rows, signed
from module import parts

MODES = ("RTE", "RTZ", "RTP", "RTN")


def to_integer(value, bits, is_signed, saturates, mode="RTZ"):
    """Returns the bits of a float as an integer, or None if the result is undefined."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    if math.isnan(value) or math.isinf(value):
        whole = 0 if math.isnan(value) else math.copysign(1 << 70, value)
    else:
        whole = {"RTE": round, "RTZ": math.trunc, "RTP": math.ceil, "RTN": math.floor}[mode](value)
    if saturates:
        return int(min(max(whole, low), high)) % (1 << bits)
    return int(whole) % (1 << bits) if math.isfinite(value) and low <= whole <= high else None


def to_float(value, name, mode="RTE"):
    """Returns a number, an integer or a float, rounded to a type."""
    kind = NUMPY[name]
    if isinstance(value, float) and not math.isfinite(value):
        return kind(value)
    with np.errstate(all="ignore"):
        # Conversions of Python's integers to f32 or f16 would round twice.
        near = kind(float(value)) if name == "f64" or isinstance(value, float) or abs(value) < 1 << 53 else kind(
            np.longdouble(value))
        exact = int(near) if isinstance(value, int) and math.isfinite(near) else float(near)
        if mode in ("RTP",) or mode == "RTZ" and value < 0:
            return np.nextafter(near, kind(math.inf)) if exact < value else near
        if mode == "RTN" or mode == "RTZ":
            return np.nextafter(near, kind(-math.inf)) if exact > value else near
    return near


def converted(values, function, to, name):
    flat = [function(v) for v in values.reshape(-1).tolist()]
    return np.array([0 if v is None else v for v in flat], NUMPY[parts(name)[0]]).reshape(values.shape)


def emitter(operation, to, decorations=()):
    def emit(m, x):
        made = m.op(f"Op{operation}", to, x)
        for text in decorations:
            m.decorate(made, text)
        return made
    return emit


def case_of(operation, to, of, values, expect, decorations=()):
    name = "-".join([f"{operation}/{of}-{to}", *(text.split()[-1] for text in decorations)])
    return elementwise(name, emitter(operation, to, decorations), [to], [of], [values], [expect])


def between_integers(rng):
    for width in WIDTHS:
        for a in INTEGERS:
            for b in INTEGERS:
                if a == b:
                    continue
                of, to, n, of_bits, bits = of_width(a, width), of_width(b, width), rows(width), int(a[1:]), int(b[1:])
                x = random_of(rng, of, n)
                yield case_of("UConvert", to, of, x, x.astype(NUMPY[b]))
                wide = converted(x, lambda v: signed(v, of_bits) % (1 << bits), b, to)
                yield case_of("SConvert", to, of, x, wide)
                top, low = (1 << bits - 1) - 1, -(1 << bits - 1)
                yield case_of("UConvert", to, of, x, converted(x, lambda v: min(v, (1 << bits) - 1), b, to),
                              ["SaturatedConversion"])
                yield case_of("SConvert", to, of, x,
                              converted(x, lambda v: min(max(signed(v, of_bits), low), top) % (1 << bits), b, to),
                              ["SaturatedConversion"])
                yield case_of("SatConvertSToU", to, of, x, converted(
                    x, lambda v: min(max(signed(v, of_bits), 0), (1 << bits) - 1), b, to))
                yield case_of("SatConvertUToS", to, of, x, converted(x, lambda v: min(v, top), b, to))
        for a in INTEGERS:
            for operation in ("SatConvertSToU", "SatConvertUToS"):  # the same width
                bits, of = int(a[1:]), of_width(a, width)
                x = random_of(rng, of, rows(width))
                top = (1 << bits - 1) - 1
                yield case_of(operation, of, of, x, np.where(x > top, top if operation[-1] == "S" else 0, x))


def with_floats(rng):
    for width in WIDTHS:
        for f in FLOATS:
            for i in INTEGERS:
                of, to, n, bits = of_width(f, width), of_width(i, width), rows(width), int(i[1:])
                for is_signed in (True, False):
                    yield from to_integers(rng, of, to, n, bits, is_signed)
                    operation = "ConvertSToF" if is_signed else "ConvertUToF"
                    x = random_of(rng, to, n)
                    number = (lambda v: signed(v, bits)) if is_signed else (lambda v: v)
                    for mode in (None, *MODES):
                        expect = converted(x, lambda v: to_float(number(v), f, mode or "RTE"), f, of)
                        yield case_of(operation, of, to, x, expect, [f"FPRoundingMode {mode}"] if mode else [])
            for g in FLOATS:
                if f != g:
                    yield from between_floats(rng, of_width(f, width), of_width(g, width), rows(width))


def to_integers(rng, of, to, n, bits, is_signed):
    operation = "ConvertFToS" if is_signed else "ConvertFToU"
    limit = min(2.0 ** (bits - 1) - 1, 30000.0)
    x = random_of(rng, of, n, -limit if is_signed else 0, limit)
    for mode in (None, *MODES):
        expect = converted(x, lambda v: to_integer(v, bits, is_signed, False, mode or "RTZ"), to, to)
        yield case_of(operation, to, of, x, expect, [f"FPRoundingMode {mode}"] if mode else [])
    x = random_of(rng, of, n, -60000, 60000)
    x.reshape(-1)[:4] = [math.nan, math.inf, -math.inf, -1.0]
    for mode in (None, *MODES):
        expect = converted(x, lambda v: to_integer(v, bits, is_signed, True, mode or "RTZ"), to, to)
        yield case_of(operation, to, of, x, expect,
                      ["SaturatedConversion", *([f"FPRoundingMode {mode}"] if mode else [])])


def between_floats(rng, of, to, n):
    x = random_of(rng, of, n, -70000, 70000) if to[:3] == "f16" else random_of(rng, of, n)
    x.reshape(-1)[:4] = [math.nan, math.inf, -0.0, 0.1]
    for mode in (None, *MODES):
        expect = converted(x, lambda v: to_float(v, parts(to)[0], mode or "RTE"), to, to)
        yield case_of("FConvert", to, of, x, expect, [f"FPRoundingMode {mode}"] if mode else [])


def bitcasts(rng):
    names = [of_width(t, w) for t in (*INTEGERS, *FLOATS) for w in (1, 2, 4, 8, 16)]
    sizes = {name: int(parts(name)[0][1:]) * parts(name)[1] for name in names}
    for a in names:
        for b in names:
            if a != b and sizes[a] == sizes[b]:
                n = rows(parts(a)[1])
                x = random_of(rng, a, n)
                if parts(b)[0][0] == "f" and parts(a)[0][0] != "f":  # NaNs may lose their payload
                    x = random_of(rng, b, n).view(NUMPY[parts(a)[0]]).reshape(n, -1)
                yield case_of("Bitcast", b, a, x, x.reshape(n, -1).view(NUMPY[parts(b)[0]]))


def cases(rng):
    yield from between_integers(rng)
    yield from with_floats(rng)
    yield from bitcasts(rng)
