"""Vector types and conversions."""
import numpy as np

from .case import Buffer, Case, elementwise, result

F32, F64, I32 = np.float32, np.float64, np.int32
COUNT = 20


def some(kind, width, seed=0, low=-100, high=100):
    random = np.random.default_rng(seed)
    if np.issubdtype(kind, np.floating):
        return random.uniform(low, high, (COUNT, width)).astype(kind)
    return random.integers(low, high, (COUNT, width)).astype(kind)


def case(kernel, expect, *inputs, **tolerance):
    return elementwise("vectors", kernel, expect, *inputs, count=COUNT, **tolerance)


def rounded(x, how):
    """Converts to f32. The mode is 0: down, 1: up, 2: towards zero."""
    near = x.astype(F32)
    over, under = near.astype(x.dtype) > x, near.astype(x.dtype) < x
    lower = np.where(over, np.nextafter(near, F32(-np.inf)), near)
    upper = np.where(under, np.nextafter(near, F32(np.inf)), near)
    return (lower, upper, np.where(x < 0, upper, lower))[how]


def cases():
    x = some(F32, 8)
    y = x[:, 1::2] + x[:, [5, 4, 7, 6]]
    y[:, 0], y[:, 2] = x[:, 7], x[:, 0]
    yield case("swizzle", y, x)

    x = some(F32, 4)  # a vector of three elements takes the space of four
    yield case("three", x[:, [2, 0, 1]] * 2 + np.array([1, 2, 3], F32), x)
    x = some(F32, 3)
    yield case("packed_three", x[:, ::-1] + F32(1), x)

    x = some(I32, 16)
    yield case("sixteen", np.concatenate([x[:, 8:], x[:, :8]], 1) * 3 - x[:, ::-1], x)
    x = some(np.uint32, 2, low=0, high=2**32)
    yield case("two", x.astype(np.int64) * np.array([-3, 5]), x)

    x, masks = some(np.uint8, 8, 0, 0, 256), some(np.uint8, 8, 1, 0, 256)
    yield case("chosen", np.take_along_axis(x, masks.astype(int) & 7, 1), x, masks)
    a, b, masks = some(np.uint32, 4, 0, 0), some(np.uint32, 4, 1, 0), some(np.uint32, 4, 2, 0, 64)
    both = np.concatenate([a, b], 1)
    yield case("chosen2", np.take_along_axis(both, masks.astype(int) & 7, 1), a, b, masks)
    a, b = some(F32, 4), some(F32, 4, 1)
    less = a < b
    some_less, all_less = (test.astype(F32)[:, None] for test in (less.any(1), less.all(1)))
    yield case("selected", np.maximum(a, b) + F32(100) * some_less + F32(1000) * all_less, a, b)

    a = np.arange(8, dtype=I32) * 11
    expect = []
    for i in range(COUNT):
        values = a.copy()
        values[i & 7] += 100
        expect.append(values[i * 3 & 7] + values[i & 7])
    yield case("indexed", np.array(expect, I32), a)

    x = np.linspace(-300, 300, COUNT).astype(F32)
    x[:6] = [0.5, 1.5, -2.5, 126.5, 127.5, np.nan]
    expect = np.clip(np.rint(np.nan_to_num(x)), -128, 127).astype(np.int8)
    yield case("saturated", expect, x)
    x = np.concatenate([[0.5, 1.5, -0.5, -1.5, 2.5], np.linspace(-1e6, 1e6, COUNT - 5)]).astype(F32)
    yield case("rounded", np.stack([np.rint(x), np.trunc(x), np.ceil(x), np.floor(x)], 1)
               .astype(I32), x)
    x = some(I32, 4, 0, -300, 600)
    yield case("narrowed", np.clip(x, 0, 255).astype(np.uint8), x)
    x = some(F32, 1).ravel()
    bits = x.view(np.uint32)
    yield case("reinterpreted", bits ^ (bits >> 16), x)
    x = some(np.int64, 1, 0, -2**62, 2**62).ravel()
    yield case("from_long", x.astype(F32) + x.astype(np.uint32).astype(F32), x)
    x = some(F32, 2)
    yield case("doubles", x.astype(F64)**2 + np.array([0.1, 0.2]), x, ulps=1)
    x = some(F64, 1).ravel()
    yield case("floats_of_doubles",
               np.stack([x.astype(F32), rounded(x, 2), rounded(x, 1), rounded(x, 0)], 1), x)
    x = np.concatenate([[2**63 - 1, -2**63, 0, 2**24 + 1, -2**24 - 1],
                        some(np.int64, 1, 5, -2**62, 2**62).ravel()[5:]]).astype(np.int64)
    wide = x.astype(np.longdouble)
    y = (x >> 16).astype(I32).astype(F64)
    yield case("rounded_integers", np.stack([rounded(wide, 2), rounded(wide, 1), rounded(wide, 0),
                                             rounded(y, 2)], 1), x)
