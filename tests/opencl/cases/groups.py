"""Work-items, workgroups, atomics and group functions."""
import numpy as np

from .case import Buffer, Case, Local, result

F32, I32, U32 = np.float32, np.int32, np.uint32


def numbers(threads, local, offset, dimensions):
    full, size, start = ((tuple(v) + (fill,) * 3)[:3]
                         for v, fill in ((threads, 1), (local, 1), (offset, 0)))
    rows = []
    for z in range(full[2]):
        for y in range(full[1]):
            for x in range(full[0]):
                at = np.array([x, y, z])
                own = at % size
                row = [*(at + start), *own, *(at // size),
                       *(100 * np.array(full) + size), *(100 * (np.array(full) // size) + size),
                       *start, dimensions * 1000 + (own[2] * size[1] + own[1]) * size[0] + own[0],
                       110]
                rows.append(row)
    return Case("groups", "numbers", [result(np.array(rows, U32))], threads, local, offset)


def memory():
    x = np.random.default_rng(1).integers(0, 9, 256).astype(F32)
    yield Case("groups", "tree", [Buffer(x), result(x.reshape(4, 64).sum(1)), Local(256)], (256,),
               (64,))
    m = np.arange(16 * 24, dtype=F32).reshape(24, 16)
    yield Case("groups", "transpose", [Buffer(m), result(m.T), 16, 24], (16, 24), (8, 8))
    l = np.arange(16)
    expect = l[::-1] + 100 + (l + 1) % 16 + 1000 * ((l + 2) % 16)
    yield Case("groups", "two_locals", [result(np.tile(expect, 3).astype(I32)), Local(64),
                                        Local(32)], (48,), (16,))


def atomics():
    x = np.random.default_rng(2).integers(0, 1000, 777).astype(U32)
    yield Case("groups", "local_atomics", [result(np.bincount(x & 15, minlength=16).astype(U32)),
                                           Buffer(x), 777], (128,), (32,))
    i = np.arange(100)
    start = np.array([5, 7, 9, 11, -1, 0, 0, 50], I32)
    swapped = np.bitwise_xor.reduce(i * i)
    expect = np.array([5 + i.sum(), 7 - 200, -20, 99, ~0xffff, -1, swapped, -50], I32)
    yield Case("groups", "global_atomics", [Buffer(start, expect)], (100,))
    start = np.concatenate([np.arange(8), np.zeros(8), np.arange(8) + 500]).astype(I32)
    expect = np.concatenate([100 + np.arange(8), 500 + np.arange(8), 3 * np.arange(8)]).astype(I32)
    yield Case("groups", "exchanges", [Buffer(start, expect), result(np.ones(64, I32))], (64,))
    x = np.arange(64, dtype=F32)
    yield Case("groups", "float_by_exchange", [result(np.array([x[::2].sum(), x[1::2].sum()], F32)),
                                               Buffer(x)], (64,))
    expect = np.array([i.sum(), 99, 2**32 - 1, 42], U32)
    yield Case("groups", "standard_atomics", [result(expect), result(np.array([100 << 33],
                                                                              np.uint64))], (100,))


def together():
    x = np.random.default_rng(3).integers(0, 99, 120).astype(I32)
    x[:30] += 1
    x[3], x[40], x[70:90] = 99, 0, 5
    groups = x.reshape(4, 30)
    expect = ((groups > 0).all(1) + 2 * (groups > 90).any(1))[:, None] + np.zeros((1, 30))
    yield Case("groups", "votes", [result(expect.astype(I32)), Buffer(x)], (120,), (30,))
    expect = np.stack([f(groups, axis=1)[:, None] + 0 * groups for f in (np.sum, np.min, np.max)],
                      2)
    yield Case("groups", "group_reduce", [result(expect.astype(I32)), Buffer(x)], (120,), (30,))
    inclusive, least = np.cumsum(groups, 1), np.minimum.accumulate(groups, 1)
    least = np.concatenate([np.full((4, 1), 2**31 - 1), least[:, :-1]], 1)
    expect = np.stack([inclusive, inclusive - groups, np.maximum.accumulate(groups, 1), least], 2)
    yield Case("groups", "group_scan", [result(expect.astype(I32)), Buffer(x),
                                        result((inclusive * 0.5).astype(F32), relative=1e-6)],
               (120,), (30,))
    x = np.arange(96, dtype=I32) * 3 % 50
    y, column = np.divmod(np.arange(96), 12)
    first = (y // 4 * 4) * 12 + column // 6 * 6
    expect = x[first + 12 + 2] + 1000 * first
    yield Case("groups", "group_broadcast", [result(expect.astype(I32)), Buffer(x)], (12, 8),
               (6, 4))
    x = np.arange(200, dtype=F32)
    yield Case("async", "async_copy", [Buffer(x), result(x.reshape(4, 50)[:, ::-1]), Local(200),
                                        50], (64,), (16,))
    x = np.arange(60, dtype=I32).reshape(30, 2)
    expect = np.zeros((20, 2), I32)
    expect[::2] = x[::3]
    yield Case("async", "async_strided", [Buffer(x), result(expect), Local(80), 10], (8,), (8,))


def cases():
    yield numbers((24,), (8,), (0,), 1)
    yield numbers((8, 6), (4, 3), (5, 1000), 2)
    yield numbers((4, 4, 6), (2, 1, 3), (0, 0, 7), 3)
    yield Case("groups", "required", [result(np.full(16 * 8, 84, U32))], (16, 8))
    for group in (memory, atomics, together):
        yield from group()
