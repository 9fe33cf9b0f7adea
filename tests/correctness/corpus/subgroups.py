"""Subgroups of four lanes, the size on SwiftShader."""
import numpy as np

from corpus.case import Buffer, Launch, case
from corpus.groups import votes

FILE = "subgroups.mlir"


@case(FILE, quick=True, lanes=4)
def shuffles_of_four(c):
    source, lane = c.integers(8, 4), np.arange(4)
    expect = [source[:, lane ^ 3], np.where(lane >= 1, source[:, lane - 1], -1),
              np.where(lane < 3, source[:, (lane + 1) % 4], -1), source[:, 3 - lane],
              source[:, (lane + 3) % 4]]
    return Launch([Buffer(source.ravel()),
                   Buffer(np.zeros((5, 32), np.int32), np.stack(expect).reshape(5, 32))],
                  groups=[2])


@case(FILE, quick=True, lanes=4)
def reductions_of_four(c):
    source = c.integers(8, 4)
    total = source.sum(axis=1, dtype=np.int32)[:, None].repeat(4, axis=1)
    twos = source.reshape(8, 2, 2).max(axis=2).repeat(2, axis=1)
    apart = np.tile(np.bitwise_xor.reduce(source.reshape(8, 2, 2), axis=1), (1, 2))
    numbers = ((4 * 100 + np.arange(8) % 4) * 100 + 4)[:, None].repeat(4, axis=1)
    expect = np.stack([total, twos, apart, numbers]).astype(np.int32).reshape(4, 32)
    return Launch([Buffer(source.ravel()), Buffer(np.zeros((4, 32), np.int32), expect)], groups=[2])


@case(FILE, quick=True, lanes=4)
def broadcasts_of_four(c):
    source = c.floats(8, 4)
    expect = np.stack([source[:, [0] * 4], source[:, [3] * 4]]).reshape(2, 32)
    return Launch([Buffer(source.ravel()), Buffer(np.zeros((2, 32), np.float32), expect)],
                  groups=[2])


@case(FILE, quick=True, lanes=4)
def votes_of_four(c):
    return votes(c, 4)
