"""Vectors that are built from elements, split, masked, and reinterpreted as other types."""
import numpy as np

from corpus.case import Buffer, Launch, case

FILE = "pieces.mlir"


@case(FILE, quick=True)
def pieces(c):
    # Multiples of 1/8 give the same result whether or not the device fuses.
    v, w = (c.integers(2, 3, low=-40, high=40) / np.float32(8) for _ in range(2))
    v, w = v.astype(np.float32), w.astype(np.float32)
    masked, put = w.copy(), w.copy()
    masked[0, :2] = v[0, :2]
    put[1, 1:] = v[0, :2]
    rows = [v * w + v, masked, put, v.T, v[1].min() + w, -v]
    expect = np.stack([row.ravel() for row in rows]).astype(np.float32)
    return Launch([Buffer(v.ravel()), Buffer(w.ravel()), Buffer(np.zeros_like(expect), expect)])


@case(FILE, quick=True)
def sums(c):
    v, w = ((c.integers(2, 3, low=-40, high=40) / 8).astype(np.float32) for _ in range(2))
    total = w[0] + w[1] + v[0]
    # A scan's first element is the vector's own, without what the exclusive one begins with.
    rows = [np.outer(w[1, [0, 2]], v[0]), v[:, 1:] @ w + v, np.stack([total, total]),
            np.stack([w[0], w[0] + w[1]]), np.stack([v[0], v[0] + w[0]])]
    expect = np.stack([row.ravel() for row in rows]).astype(np.float32)
    return Launch([Buffer(v.ravel()), Buffer(w.ravel()), Buffer(np.zeros_like(expect), expect)])


@case(FILE, quick=True)
def gather_fixed(c):
    source, target = c.integers(12), c.integers(12)
    values = np.where([True, False, True, True, True], source[1:][[9, 0, 4, 4, 7]], -7)
    expect = target.copy()
    expect[[5, 3, 10, 7]] = values[[0, 1, 2, 4]]
    return Launch([Buffer(source), Buffer(target, expect)])


@case(FILE, quick=True)
def recast(c):
    x = c.integers(8)
    turned = x.view(np.uint8).reshape(8, 4)[:, [1, 0, 3, 2]]
    return Launch([Buffer(x), Buffer(np.zeros_like(x), np.ascontiguousarray(turned).view(np.int32)
                                     .ravel())])


@case(FILE, quick=True)
def steps(c):
    at = c.integers(8, low=0, high=8)
    expect = np.stack([at, 28 - at + 50]).astype(np.int64)
    return Launch([Buffer(at), Buffer(np.zeros((2, 8), np.int64), expect)])


@case(FILE, quick=True)
def masks(c):
    source = (c.integers(12, low=-20, high=20) / 4).astype(np.float16)  # sums are exact
    target = c.floats(12, dtype=np.float16)
    expect = target.copy()
    expect[1:6] = source[1:6]
    total = np.array([source[1:6].sum(), 2], np.float16)
    return Launch([Buffer(source), Buffer(target, expect), Buffer(np.zeros(2, np.float16), total),
                   5])


@case(FILE, quick=True)
def whole_vector(c):
    source = c.integers(2, 4, dtype=np.int8)
    return Launch([Buffer(source, source + source)])
