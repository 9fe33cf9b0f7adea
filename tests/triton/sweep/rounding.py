"""Exact arithmetic with fractions, rounded in a given direction."""
import math
from fractions import Fraction

import numpy as np

WAYS = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}


def rounded(x, way, type, zero=0.0):
    """Rounds a fraction to a float. `zero` is the result for 0, with the right sign."""
    if not x:
        return zero
    info = np.finfo(type.storage)
    exponent = abs(x).numerator.bit_length() - x.denominator.bit_length()
    exponent -= Fraction(2)**exponent > abs(x)
    unit = Fraction(2)**(max(exponent, int(info.minexp)) - info.nmant)
    near = WAYS[way](x / unit) * unit
    if abs(near) > Fraction(float(info.max)):
        goes_on = way == "rn" or way == ("ru" if x > 0 else "rd")
        near = math.inf if goes_on else float(info.max)
    return math.copysign(float(near), 1 if x > 0 else -1)


def _is_negative(x):
    return math.copysign(1, x) < 0


def _add(way, type, x, y):
    if not (math.isfinite(x) and math.isfinite(y)):
        return x + y
    both = _is_negative(x), _is_negative(y)
    zero = -0.0 if all(both) or (way == "rd" and any(both)) else 0.0
    return rounded(Fraction(x) + Fraction(y), way, type, zero)


def _mul(way, type, x, y):
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y
    return rounded(Fraction(x) * Fraction(y), way, type, math.copysign(0.0, math.copysign(1, x) * math.copysign(1, y)))


def _div(way, type, x, y):
    if not (math.isfinite(x) and math.isfinite(y) and y):
        return float(np.float64(x) / np.float64(y))
    return rounded(Fraction(x) / Fraction(y), way, type, math.copysign(0.0, math.copysign(1, x) * math.copysign(1, y)))


def _sqrt(way, type, x):
    if not (x > 0 and math.isfinite(x)):
        return float(np.sqrt(np.float64(x)))
    square = Fraction(x) * 4**1200
    root = math.isqrt(square.numerator // square.denominator)  # the next line adds a small fraction if this is inexact
    return rounded(Fraction(root) / 2**1200 + (root * root != square) * Fraction(1, 2**1210), way, type)


def _fma(way, type, x, y, z):
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    both = _is_negative(x) != _is_negative(y), _is_negative(z)
    zero = -0.0 if all(both) or (way == "rd" and any(both)) else 0.0
    return rounded(Fraction(x) * Fraction(y) + Fraction(z), way, type, zero)


OPERATIONS = {
    "add": _add, "sub": lambda way, t, x, y: _add(way, t, x, -y), "mul": _mul, "div": _div,
    "rcp": lambda way, t, x: _div(way, t, 1.0, x), "sqrt": _sqrt, "fma": _fma,
}
COUNTS = {"rcp": 1, "sqrt": 1, "fma": 3}


def apply(operation, way, type, operands):
    """Applies the operation to the elements of arrays. The result's type is `type`."""
    with np.errstate(all="ignore"):
        found = [OPERATIONS[operation](way, type, *map(float, each)) for each in zip(*operands)]
        return np.array(found, np.float64).astype(type.storage)


def floats(draw, type, count):
    """Returns floats of all sizes: special, subnormal, and with few significant bits."""
    info, bits = np.finfo(type.storage), type.bits
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, info.max, -info.max, info.tiny, 3, 1.5, 0.1,
                        info.smallest_subnormal, -info.smallest_subnormal], type.storage)
    any_bits = draw.integers(0, 2**bits, count, dtype=f"u{bits // 8}", endpoint=False) if bits == 32 else (
        draw.integers(0, 2**64 - 1, count, dtype=np.uint64, endpoint=True))
    usual = draw.standard_normal(count) * 2.0**draw.integers(-30, 30, count)
    few = draw.integers(-2**info.nmant, 2**info.nmant, count) * 2.0**draw.integers(-info.nmant, 5, count)
    small = draw.integers(0, 2**(info.nmant + 1), count).astype(f"u{bits // 8}").view(type.storage)
    kinds = [any_bits.view(type.storage), usual, few, draw.choice(special, count), small]
    with np.errstate(all="ignore"):
        return np.choose(draw.integers(0, len(kinds), count), kinds).astype(type.storage)


def operands(draw, operation, type, count):
    """Returns operands. Some sums, and some remainders of products, cancel or nearly cancel."""
    x, y, z = (floats(draw, type, count) for _ in range(3))
    cancels = draw.integers(0, 3, count) == 0
    with np.errstate(all="ignore"):
        if operation == "fma":
            z = np.where(cancels, -(x * y), z).astype(type.storage)
        if operation in ("add", "sub"):
            y = np.where(cancels, x * (1 + 2.0**-20 * draw.integers(-1, 2, count)), y).astype(type.storage)
            y = y if operation == "sub" else np.where(cancels, -y, y)
    return [x, y, z][:COUNTS.get(operation, 2)]


def integers(draw, type, count):
    """Returns integers of all lengths. Many end in zeros, in ones, or near a tie."""
    signed = type.kind == "i"
    length = draw.integers(1, type.bits + 1 - signed, count)
    tail = np.minimum(draw.integers(0, type.bits, count), length - 1)
    found = []
    for bits, low, kind in zip(length, tail, draw.integers(0, 6, count)):
        x = 2**(int(bits) - 1) | int.from_bytes(draw.bytes(8), "little") % 2**int(bits)
        low = int(low)
        x = [x, x >> low << low, x | (2**low - 1), (x >> low << low) | 2**low >> 1, (x >> low << low) | 1, x][kind]
        found.append(-x if signed and draw.integers(0, 2) else x)
    info = np.iinfo(type.storage)
    found[:5] = [0, info.max, info.min, 1, info.max - 1]
    return np.array(found, type.storage)
