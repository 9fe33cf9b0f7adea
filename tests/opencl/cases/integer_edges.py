"""Integer functions on all pairs of bytes and all 16-bit numbers, compared with wider integers."""
import numpy as np

from .case import Buffer, Case, result


def wrapped(numbers, kind):
    return np.asarray(numbers).astype(np.int64).astype(kind)


def pairs(kind):
    limits, bits = np.iinfo(kind), np.iinfo(kind).bits
    every = np.arange(limits.min, limits.max + 1)
    x, y = (v.ravel() for v in np.meshgrid(every, every))
    third = wrapped(wrapped(x, kind) ^ wrapped(y << 1, kind), kind).astype(np.int64)
    low = x & (2**bits - 1)
    by = y % bits
    mask = wrapped(x + y, kind).astype(np.int64)
    rows = [np.clip(x + y, limits.min, limits.max), np.clip(x - y, limits.min, limits.max),
            (x + y) >> 1, (x + y + 1) >> 1, (x * y) >> bits, low << by | low >> (bits - by),
            np.maximum(x, y), np.minimum(x, y), np.clip(x * y + third, limits.min, limits.max),
            ((x * y) >> bits) + third, (x & ~mask) | (y & mask)]
    unsigned = np.dtype(f"uint{bits}").type
    return Case("integer_edges", ("c" if limits.min else "uc") + "_pairs",
                [result(np.concatenate([wrapped(row, kind) for row in rows])),
                 result(wrapped(np.abs(x - y), unsigned)), Buffer(wrapped(x, kind)),
                 Buffer(wrapped(y, kind))], (x.size,))


def each(prefix, kind):
    bits = np.iinfo(kind).bits
    every = np.arange(2**bits)
    texts = [f"{v:0{bits}b}" for v in every]
    rows = [[len(t) - len(t.lstrip("0")) for t in texts], [len(t) - len(t.rstrip("0")) for t in texts],
            [t.count("1") for t in texts]]
    x = wrapped(every, kind)
    return Case("integer_edges", f"{prefix}_each",
                [result(np.concatenate([wrapped(row, kind) for row in rows])),
                 result(wrapped(np.abs(x.astype(np.int64)), np.dtype(f"uint{bits}").type)), Buffer(x)],
                (x.size,))


def cases():
    yield pairs(np.int8)
    yield pairs(np.uint8)
    yield each("s", np.int16)
    yield each("us", np.uint16)
    yield each("c", np.int8)
    x, y = (v.ravel() for v in np.meshgrid(np.arange(-128, 128), np.arange(256)))
    yield Case("integer_edges", "upsampled",
               [result((x * 256 + y).astype(np.int16)), Buffer(x.astype(np.int8)),
                Buffer(y.astype(np.uint8))], (x.size,))
