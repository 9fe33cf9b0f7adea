"""Views without copies, promises, scopes, and loops that each invocation runs in full."""
import numpy as np

from corpus.case import Buffer, Launch, case

FILE = "views.mlir"


@case(FILE, quick=True)
def promises(c):
    source = c.floats(8)
    return Launch([Buffer(source), Buffer(np.zeros(8, np.float32), source)])


@case(FILE, quick=True)
def metadata(c):
    source = c.floats(3 + 4 * 20)
    numbers = np.array([3, 4, 6, 20, 2, 2], np.int64)
    return Launch([Buffer(source, shape=[4, 6], strides=[20, 2], offset=3),
                   Buffer(np.zeros(6, np.int64), numbers),
                   Buffer(np.zeros(6, np.float32), source[3:15:2])])


@case(FILE, quick=True)
def transposed_view(c):
    source = c.floats(5, 7)
    return Launch([Buffer(source),
                   Buffer(np.zeros((7, 5), np.float32), np.ascontiguousarray(source.T))])


@case(FILE, quick=True)
def scopes(c):
    x = c.integers(16, low=-1000, high=1000)
    expect = np.stack([2 * x, np.where(x < 0, -x, x ^ (2 * x))]).astype(np.int32)
    return Launch([Buffer(x), Buffer(np.zeros((2, 16), np.int32), expect)])


@case(FILE, quick=True)
def parallel_loops(c):
    x = c.integers(6, low=-1000, high=1000)
    products = np.full((6, 6), 7, np.int32)
    products[:, 1::2] = np.outer(x, x)[:, 1::2]
    total = np.array([100 + x.sum()], np.int32)
    table = (x[:, None] - np.arange(4)).astype(np.int32)
    return Launch([6, Buffer(x), Buffer(np.full((6, 6), 7, np.int32), products),
                   Buffer(np.zeros(1, np.int32), total), Buffer(np.zeros((6, 4), np.int32), table)])


@case(FILE, quick=True)
def poison(c):
    x = c.integers(16)
    before = np.full((2, 16), 9, np.int32)
    expect = np.stack([np.where(x > 0, x, 9), np.zeros(16)]).astype(np.int32)
    return Launch([Buffer(x), Buffer(before, expect)])
