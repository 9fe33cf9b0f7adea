"""Functions that expressions in shader headers may use, in addition to NumPy (np)."""
import zlib
from fractions import Fraction

import numpy as np

SCALARS = {
    "int8_t": np.int8, "uint8_t": np.uint8, "int16_t": np.int16, "uint16_t": np.uint16,
    "int": np.int32, "uint": np.uint32, "int64_t": np.int64, "uint64_t": np.uint64,
    "float16_t": np.float16, "float": np.float32, "double": np.float64,
}
VECTORS = {"vec": "float", "ivec": "int", "uvec": "uint", "dvec": "double", "f16vec": "float16_t",
           "i8vec": "int8_t", "u8vec": "uint8_t", "i16vec": "int16_t", "u16vec": "uint16_t",
           "i64vec": "int64_t", "u64vec": "uint64_t"}
NAMES = {np.int8: "i8", np.uint8: "u8", np.int16: "i16", np.uint16: "u16", np.int32: "i32",
         np.uint32: "u32", np.int64: "i64", np.uint64: "u64", np.float16: "f16",
         np.float32: "f32", np.float64: "f64"}


def parse_type(name):
    """Returns (NumPy's scalar type, number of components) of a GLSL type, or None."""
    if name in SCALARS:
        return SCALARS[name], 1
    if name[:-1] in VECTORS and name[-1] in "234":
        return SCALARS[VECTORS[name[:-1]]], int(name[-1])
    return None


def rand(dtype, *shape, low=None, high=None, seed=0):
    """Returns random numbers that are the same in every run.

    By default, floats are in [-4, 4), and integers are of the whole range."""
    rng = np.random.default_rng([seed, zlib.crc32(repr((np.dtype(dtype).name, shape)).encode())])
    if np.issubdtype(dtype, np.floating):
        return rng.uniform(-4 if low is None else low, 4 if high is None else high,
                           shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min if low is None else low,
                        limits.max if high is None else high, shape, dtype=dtype, endpoint=True)


def edges(dtype, count=64, seed=0):
    """Values at the edges of a type, then random ones."""
    if np.issubdtype(dtype, np.floating):
        limits = np.finfo(dtype)
        first = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, limits.max,
                 limits.min, limits.tiny, -limits.tiny]
    else:
        limits = np.iinfo(dtype)
        top = limits.max
        first = [0, 1, 2, 3, top, top - 1, top // 2, top // 2 + 1]
        if limits.min < 0:
            first += [-1, -2, -3, limits.min, limits.min + 1, limits.min // 2]
    with np.errstate(all="ignore"):
        return np.concatenate([np.array(first, dtype), rand(dtype, count, seed=seed)])[:count]


def pairs(dtype, count=64, seed=0):
    """Returns two arrays that pair each edge value with many others."""
    a, b = edges(dtype, count, seed), edges(dtype, count, seed + 1)
    head = min(14, count)
    return a, np.concatenate([np.roll(b[:head], 5), b[head:]])


def nonzero(a):
    return np.where(a == 0, a.dtype.type(3), a)


def bits(a):
    """Reinterprets floats as unsigned integers, or the other way round."""
    a = np.ascontiguousarray(a)
    to = {np.float16: np.uint16, np.float32: np.uint32, np.float64: np.uint64,
          np.uint16: np.float16, np.uint32: np.float32, np.uint64: np.float64}
    return a.view(to[a.dtype.type])


def flush(a):
    """Replaces denormals by zeros of the same sign."""
    return np.where(np.abs(a) < np.finfo(a.dtype).tiny, np.copysign(a.dtype.type(0), a), a)


def cut(exact, dtype):
    """Rounds a Fraction towards zero to a float."""
    dtype = np.dtype(dtype).type
    limit = dtype(np.copysign(np.finfo(dtype).max, float(exact > 0) - 0.5))
    if abs(exact) >= abs(Fraction(limit.item())):
        return limit
    with np.errstate(all="ignore"):
        found = dtype(float(exact))
    zero, away = dtype(0), dtype(np.copysign(np.inf, float(exact > 0) - 0.5))
    while abs(Fraction(found.item())) > abs(exact):
        found = np.nextafter(found, zero)
    while abs(Fraction(np.nextafter(found, away).item())) <= abs(exact):
        found = np.nextafter(found, away)
    return np.copysign(found, away)


def toward_zero(compute, *arrays, dtype=None):
    """Returns `compute` on exact numbers, rounded towards zero.

    Returns NumPy's own result for 0, or if an operand is not finite."""
    dtype = dtype or arrays[0].dtype.type
    with np.errstate(all="ignore"):
        plain = compute(*arrays).astype(dtype)
    results = plain.copy()
    for at in np.ndindex(plain.shape):
        operands = [array[at] for array in arrays]
        if not all(np.isfinite(operands)):
            continue
        exact = compute(*[Fraction(operand.item()) for operand in operands])
        if exact != 0:
            results[at] = cut(exact, dtype)
    return results


def div(a, b):
    """Divides and truncates towards zero, as GLSL and C do. The remainder is a - b * div(a, b)."""
    wide = [int(x) for x in a.ravel()], [int(x) for x in b.ravel()]
    quotients = [abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1) for x, y in zip(*wide)]
    return wrap(quotients, a.dtype).reshape(a.shape)


def wrap(integers, dtype):
    """Converts Python integers of any size to the type, modulo its range."""
    width = np.dtype(dtype).itemsize * 8
    unsigned = np.array([int(x) % (1 << width) for x in np.ravel(np.array(integers, object))],
                        f"uint{width}")
    return unsigned.view(np.dtype(dtype)).reshape(np.shape(integers))


def namespace():
    """Returns a new dictionary for each variant, since headers add their own names."""
    return {"np": np, "rand": rand, "edges": edges, "pairs": pairs, "nonzero": nonzero,
            "bits": bits, "div": div, "wrap": wrap, "flush": flush,
            "toward_zero": toward_zero}
