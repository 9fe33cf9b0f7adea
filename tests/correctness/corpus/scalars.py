"""Arguments by value, the parameter block, the numbers of invocations, and printing."""
import numpy as np

from corpus.case import NATIVE, Buffer, Launch, case

FILE = "scalars.mlir"


@case(FILE, quick=True)
def every_type(c):
    index = -7 if c.index.itemsize == 4 else -(2**40) - 7
    ints = np.array([1, -100, 65535, -(2**60) - 1, index, -(2**31)], np.int64)
    floats = np.array([np.float16(0.1), 1.5, 1e-300, np.float32(0.1)], np.float64)
    return Launch([1, -100, -1, "0x2e66", 1.5, -(2**60) - 1, 1e-300, index, -(2**31),
                   np.float32(0.1), Buffer(np.zeros(6, np.int64), ints),
                   Buffer(np.zeros(4, np.float64), floats)])


@case(FILE, quick=True)
def many_arguments(c):
    a, b, cc, d, i, j, k, last = (float(v) for v in c.floats(8, dtype=np.float64))
    e, f, g, h, m = (int(v) for v in c.integers(5, dtype=np.int64, low=-10**5, high=10**5))
    x, y = c.floats(2, 3, 5), c.floats(4, 2, 3)
    total = (((a - b) * cc + d) + i - j) * k + last
    whole = (e - f) * g + h - m + (-5) - 1234
    expect = [total, float(whole), float(x[1, 2, 0] - y[1, 0, 1]), 0.25]
    return Launch([Buffer(np.zeros(4), np.array(expect)), Buffer(x), Buffer(y), a, b, cc, d, e, f,
                   g, h, i, j, k, last, m, -5, 1234, 0.25])


@case(FILE, quick=True, refused=NATIVE)
def numbers(c):
    groups, size = (2, 3, 2), (3, 2, 4)
    z, y, x = np.meshgrid(*(np.arange(groups[d] * size[d]) for d in (2, 1, 0)), indexing="ij")
    value = 0
    for part in (x // 3, y // 2, z // 4, x % 3, y % 2, z % 4):
        value = value * 10 + part
    expect = (value * 10 + 8).astype(np.int32).reshape(-1, 1)
    return Launch([Buffer(np.zeros_like(expect), expect)], groups=groups, workgroup=size)


@case(FILE, quick=True)
def prints(c):
    return Launch([1.5, -3, 0.1, -9, "0x2e66", 1],
                  printed="x = 1.500000, n = -3, 253\nnothing\n0.1 -9 9.997559e-02 1\n")


@case(FILE, quick=True)
def prints_words(c):
    return Launch([-2.5, -3, "0x2e66"], printed="-2.500000 -3 253 0.099976\n")
