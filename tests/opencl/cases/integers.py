"""Integer functions against Python's integers."""
import numpy as np

from .case import elementwise

COUNT = 64


def numbers(kind, seed):
    """Returns small integers, both ends of the range, and random bits."""
    random, limits = np.random.default_rng(seed), np.iinfo(kind)
    ends = [0, 1, 2, 7, limits.max, limits.max - 1, limits.min, limits.min + 1]
    some = random.integers(limits.min, limits.max, COUNT - 2 * len(ends), kind, endpoint=True)
    values = np.concatenate([np.array(ends, kind), some, np.array(ends, kind)[::-1]])
    return values if seed == 0 else random.permutation(values)


def exact(function, kind, *inputs):
    """Applies a function of Python's integers to each element."""
    rows = zip(*([int(x) for x in values] for values in inputs))
    width = np.iinfo(kind).bits
    wrapped = [function(*row) & (1 << width) - 1 for row in rows]
    return np.array(wrapped, f"uint{width}").view(kind)


def saturate(kind):
    limits = np.iinfo(kind)
    return lambda x: min(max(x, limits.min), limits.max)


def rotate(width):
    return lambda x, y: (x << y % width) | ((x & (1 << width) - 1) >> (width - y % width) % width) \
        if y % width else x


def quotient(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def cases():
    i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
    u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64

    def case(kernel, kind, function, out=None, inputs=2, adjust=lambda values: values):
        values = adjust([numbers(kind, seed) for seed in range(inputs)])
        return elementwise("integers", kernel, exact(function, out or kind, *values), *values)

    def nonzero(values):
        x, y = values
        y = np.where(y == 0, 3, y)
        return [x, np.where((y == -1) & (x == np.iinfo(x.dtype).min), 5, y).astype(x.dtype)]

    def shift(x, y):
        wrapped = (x << (y & 31)) & 0xffffffff
        return wrapped ^ (x >> (y & 31))

    yield case("add_sat_char", i8, lambda x, y: saturate(i8)(x + y))
    yield case("add_sat_uint", u32, lambda x, y: saturate(u32)(x + y))
    yield case("sub_sat_int", i32, lambda x, y: saturate(i32)(x - y))
    yield case("sub_sat_ulong", u64, lambda x, y: saturate(u64)(x - y))
    yield case("hadd_int", i32, lambda x, y: (x + y) >> 1)
    yield case("rhadd_uint", u32, lambda x, y: (x + y + 1) >> 1)
    yield case("mul_hi_int", i32, lambda x, y: (x * y) >> 32)
    yield case("mul_hi_ulong", u64, lambda x, y: (x * y) >> 64)
    yield case("abs_diff_int", i32, lambda x, y: abs(x - y), u32)
    yield case("rotate_uint", u32, rotate(32))
    yield case("rotate_uchar", u8, rotate(8))
    yield case("upsample_short", i16, lambda x, y: (x << 16) | (y & 0xffff), i32)
    yield case("divide_int", i32, quotient, adjust=nonzero)
    yield case("modulo_long", i64, lambda x, y: x - y * quotient(x, y), adjust=nonzero)
    yield case("shift_int", i32, shift)
    yield case("mad_hi_int", i32, lambda x, y, z: ((x * y) >> 32) + z, inputs=3)
    yield case("mad_sat_short", i16, lambda x, y, z: saturate(i16)(x * y + z), inputs=3)
    yield case("mad_sat_long", i64, lambda x, y, z: saturate(i64)(x * y + z), inputs=3)
    yield case("mad_sat_ulong", u64, lambda x, y, z: saturate(u64)(x * y + z), inputs=3)
    yield case("clamp_short", i16, lambda x, y, z: min(max(x, min(y, z)), max(y, z)), inputs=3)
    yield case("bitselect_uint", u32, lambda x, y, z: x & ~z | y & z, inputs=3)
    yield case("abs_int", i32, abs, u32, inputs=1)
    yield case("clz_uint", u32, lambda x: 32 - x.bit_length(), inputs=1)
    yield case("clz_char", i8, lambda x: 8 - (x & 255).bit_length(), u8, inputs=1)
    yield case("ctz_uint", u32, lambda x: (x & -x).bit_length() - 1 if x else 32, inputs=1)
    yield case("popcount_ulong", u64, lambda x: x.bit_count() if hasattr(x, "bit_count")
               else bin(x).count("1"), inputs=1)
    yield case("mad24_int", i32, lambda x, y: 2 * (x >> 8) * (y >> 20) + 77)

    def vectors():
        a, b = numbers(i32, 0), numbers(i32, 1)
        by = np.tile(np.array([1, 2, 3, 4], i32), COUNT // 4)
        sums = exact(lambda x, y: saturate(i32)(x + y), i32, a, b)
        turned = exact(lambda x, y: (x << y) | ((x & 0xffffffff) >> (32 - y)), i32, a, by)
        most = np.maximum(a, b).reshape(-1, 4)[:, ::-1].ravel()
        return elementwise("integers", "integer_vectors", sums ^ turned ^ most, a, b,
                           count=COUNT // 4)
    yield vectors()
