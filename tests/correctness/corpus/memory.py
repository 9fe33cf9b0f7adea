"""Buffers, views and private memory."""
import numpy as np

from corpus.case import NATIVE, Buffer, Launch, case

FILE = "memory.mlir"


@case(FILE, quick=True, refused=NATIVE)
def saxpy(c):
    x, y, a = c.floats(1000), c.floats(1000), np.float32(2.625)
    return Launch([a, Buffer(x), Buffer(y, a * x + y)], groups=[17], workgroup=[64])


@case(FILE, quick=True, refused=NATIVE)
def transpose(c):
    rows, columns = 13, 21
    source, target = c.floats(3 + rows * 40), c.floats(5 + columns * 64)
    matrix = np.lib.stride_tricks.as_strided(source[3:], (rows, columns), (160, 4))
    expect = target.copy()
    np.lib.stride_tricks.as_strided(expect[5:], (columns, rows), (256, 12))[:] = matrix.T
    return Launch([Buffer(source, shape=[rows, columns], strides=[40, 1], offset=3),
                   Buffer(target, expect, shape=[columns, rows], strides=[64, 3], offset=5)],
                  groups=[3, 2], workgroup=[8, 8])


@case(FILE, quick=True)
def strided_bytes(c):
    source, target = c.integers(40, dtype=np.int8), c.integers(40, dtype=np.int8)
    expect = target.copy()
    for r in range(4):
        for k in range(5):
            expect[2 + k + 6 * r] = source[3 + 7 * r + k]
    return Launch([Buffer(source, shape=[4, 5]), Buffer(target, expect, shape=[5, 4])])


def reverse(c, dtype):
    source, target = c.integers(101, dtype=dtype), c.integers(103, dtype=dtype)
    expect = np.concatenate([source[::-1], target[101:]])
    return Launch([Buffer(source), Buffer(target, expect)], groups=[2])


case(FILE, "reverse_i8", quick=True)(lambda c: reverse(c, np.int8))
case(FILE, "reverse_i16", quick=True)(lambda c: reverse(c, np.int16))


@case(FILE, quick=True)
def booleans(c):
    source = c.integers(78, dtype=np.uint8, high=3)
    expect = ((source[:-1] != 0) & (source[1:] != 0)).astype(np.uint8)
    return Launch([Buffer(source), Buffer(np.full(77, 7, np.uint8), expect)], groups=[3])


@case(FILE, quick=True)
def narrow_only(c):
    a, b = c.integers(2, 32, dtype=np.int8)
    return Launch([Buffer(a), Buffer(b),
                   Buffer(np.zeros_like(a), np.where(a < b, a & b, a | b)),
                   Buffer(np.full(32, 9, np.uint8), (a < b).astype(np.uint8)),
                   Buffer(np.zeros(32, np.int16), a.astype(np.int16))])


@case(FILE, quick=True)
def nibbles(c):
    source = c.integers(16, dtype=np.uint8, high=16)
    total = (source + 3) % 16
    return Launch([Buffer(source), Buffer(np.zeros(16, np.uint8), total),
                   Buffer(np.zeros(16, np.int32), (total ^ 8).astype(np.int32) - 8)])


@case(FILE, quick=True)
def indices(c):
    at = c.integers(16, dtype=np.int64, low=0, high=50)
    values = c.floats(50, dtype=np.float16)
    return Launch([Buffer(at), Buffer(values), Buffer(np.zeros(16, np.float16), values[at]),
                   Buffer(np.zeros(16, np.int64), at - 5)])


@case(FILE, quick=True)
def doubles(c):
    x, y = c.floats(16, dtype=np.float64, low=1), c.floats(16, dtype=np.float64)
    product = x * y
    result = product / x - y + product
    return Launch([Buffer(x), Buffer(y, result),
                   Buffer(np.zeros(16, np.float32), result.astype(np.float32))])


@case(FILE, quick=True)
def subviews(c):
    source = c.floats(9, 11)
    part = source[3:7, 1:9:2]
    return Launch([Buffer(source), Buffer(np.zeros((4, 4), np.float32),
                                          part + part[:, [2, 3, 2, 3]]), 3])


@case(FILE, quick=True)
def reshapes(c):
    source = c.integers(6, 8, low=-1000, high=1000)
    swapped = source.reshape(6, 2, 4)[:, ::-1].reshape(48)
    diagonal = source.reshape(48)[1 + 9 * np.arange(5)]
    expect = (source.reshape(48) - swapped) ^ diagonal[np.arange(48) % 5]
    return Launch([Buffer(source), Buffer(np.zeros(48, np.int32), expect),
                   Buffer(np.zeros(48, np.int32), np.full(48, 6, np.int32))])


@case(FILE, quick=True)
def byte_views(c):
    floats, shorts = c.floats(14), c.integers(4, dtype=np.int16)
    data = np.frombuffer(shorts.tobytes() + floats.tobytes(), np.int8)
    return Launch([Buffer(data), Buffer(np.zeros(14, np.float32), floats),
                   Buffer(np.zeros(4, np.int16), shorts)])


@case(FILE, quick=True)
def copies(c):
    source, target = c.floats(8, 8), c.floats(8, 8)
    expect = target.copy()
    expect[1:7:2, 0:8:2] = source[2:5, 1:5]
    return Launch([Buffer(source), Buffer(target, expect)])


@case(FILE, quick=True)
def vector3_elements(c):
    source, target = c.floats(8, 4), c.floats(8, 4)
    expect = np.concatenate([source[:, :3] * np.float32(1.5), target[:, 3:]], axis=1)
    return Launch([Buffer(source, shape=[8]), Buffer(target, expect, shape=[8]), 1.5])


@case(FILE, quick=True)
def vector4_elements(c):
    source = c.integers(8, 4, dtype=np.int16)
    return Launch([Buffer(source, shape=[8]), Buffer(np.zeros_like(source), source * 2, shape=[8])])


@case(FILE, quick=True)
def private_table(c):
    i = np.arange(16, dtype=np.int32)
    return Launch([Buffer(np.zeros(16, np.int32), i * (i % 8))])


@case(FILE, quick=True)
def private_in_loop(c):
    source = c.integers(12, low=-1000, high=1000)
    total = sum(source[k:k + 8] for k in range(4)).astype(np.int32)
    return Launch([Buffer(source), Buffer(np.zeros(8, np.int32), total)])


@case(FILE, quick=True)
def private_bytes(c):
    source, i = c.integers(7, dtype=np.int8), np.arange(16)
    return Launch([Buffer(source), Buffer(np.zeros(16, np.int8), source[(i % 7 - i) % 7])])


@case(FILE, quick=True)
def constant_table(c):
    return Launch([Buffer(np.zeros(16, np.int32),
                          np.array([2, 3, 5, 7, 11], np.int32)[np.arange(16) % 5])])


@case(FILE, quick=True)
def chosen_view(c):
    source, i = c.floats(100), np.arange(16)
    return Launch([Buffer(source),
                   Buffer(np.zeros(16, np.float32), source[np.where(i < 8, 9 * i, 8 + i)])])


@case(FILE, quick=True)
def moving_view(c):
    source = c.integers(48, low=-1000, high=1000)
    starts = [3 * k % 16 if k else 0 for k in range(16)]
    total = sum(source[start:start + 3] for start in starts).astype(np.int32)
    return Launch([Buffer(source), Buffer(np.zeros(3, np.int32), total)])
