"""Structs, arrays, pointers, address spaces, half."""
import numpy as np

from .case import Buffer, Case, Local, elementwise, result

F16, F32, I32 = np.float16, np.float32, np.int32
COUNT = 20
RECORD = np.dtype({"names": ["tag", "numbers", "pair", "weight", "flag"],
                   "formats": ["i1", ("i4", 4), ("i2", 2), "f8", "u1"],
                   "offsets": [0, 16, 32, 40, 48], "itemsize": 64})
PACKED = np.dtype([("tag", "u1"), ("number", "i4"), ("last", "u2")])


def random():
    return np.random.default_rng(7)


def raw(records):
    return records.view(np.uint8).ravel()


def records():
    r, given = random(), np.zeros(COUNT, RECORD)
    given["tag"], given["flag"] = r.integers(-60, 60, COUNT), r.integers(0, 256, COUNT)
    given["numbers"], given["pair"] = r.integers(-99, 99, (COUNT, 4)), r.integers(-9, 9, (COUNT, 2))
    given["weight"] = r.uniform(-1, 1, COUNT)
    own = [7, 1, -2, 3, -4, 10, 20, 0.5, 0x5a] + [0] * 8  # clang turns padding into members
    made = np.frombuffer(bytearray(given.tobytes()), RECORD)
    made["tag"] += 7
    made["numbers"] = given["numbers"][:, [1, 0, 3, 2]] + np.array([1, -2, 3, -4])
    made["pair"][np.arange(COUNT), np.arange(COUNT) & 1] += 20
    made["weight"] *= 0.5
    made["flag"] ^= 0x5a
    yield Case("memory", "records", [Buffer(raw(given) * 0, raw(made)), Buffer(raw(given)), own],
               (COUNT,))
    packed = np.zeros(COUNT, PACKED)
    packed["tag"], packed["last"] = r.integers(0, 256, COUNT), r.integers(0, 65536, COUNT)
    packed["number"] = r.integers(-10**6, 10**6, COUNT)
    expect = packed["number"] + packed["tag"].astype(I32) * packed["last"].astype(I32)
    yield Case("memory", "packed_records", [result(expect), Buffer(raw(packed))], (COUNT,))


def pointers():
    table, rows = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [[1, 2, 3], [4, 5, 6]]
    given = np.array([2, -3, 5, 7], I32)
    expect = [table[i % 10] + rows[i & 1][i % 3] * given[i & 3] for i in range(COUNT)]
    yield elementwise("memory", "constants", np.array(expect, F32), given)

    def private(i, n=40):
        values, total = [(k * 7 + i) & 15 for k in range(16)], 0
        for k in range(n):
            total = total * 3 + values[values[k & 15]] & 0xffffffff
        return total
    expect = np.array([private(i) for i in range(COUNT)], np.uint32).view(I32)
    yield Case("memory", "private_array", [result(expect), 40], (COUNT,))

    a, n = random().integers(0, 100, COUNT).astype(I32), 12
    expect = [n - i + (1000 if n > i else 0) + a[n - 1] + a[n - 1] for i in range(COUNT)]
    yield Case("memory", "pointers", [result(np.array(expect, I32)), Buffer(a), n], (COUNT,))

    def escaping(i):
        values, other = [1, 2, 3, i], [5, 6, 7, 8]
        p = values if i & 1 else other
        for k in range(3):
            p[k] += k
        return p[2] * 100 + p[3] * 10 + values[1]
    yield Case("memory", "escaping", [result(np.array([escaping(i) for i in range(COUNT)], I32))],
               (COUNT,))
    a = np.arange(48, dtype=I32) * 5
    local = np.arange(48) % 16
    expect = np.where(local % 3 == 0, 2 * local, np.where(local % 3 == 1, a, 7)).astype(I32)
    yield Case("memory", "generic_space", [result(expect), Buffer(a), Local(64)], (48,), (16,))


def halves():
    a, b = (random().uniform(-4, 4, (2, 64))).astype(F16)
    yield elementwise("memory", "halves", (a * b + np.sqrt(np.abs(a))).astype(F16), a, b, absolute=0.01)
    x = a.reshape(16, 4)
    wide = x.astype(F32)
    expect = ((wide * wide[:, ::-1] + 0.5).astype(F16) + np.trunc(x).astype(F16)).astype(F16)
    yield elementwise("memory", "half_vectors", expect, x, count=16, ulps=1)
    yield elementwise("memory", "load_halves", x.astype(F32) + a[:16, None].astype(F32), x, count=16)
    x = random().uniform(-3, 3, 16).astype(F32)
    near = x.astype(F16)
    over, under = near.astype(F32) > x, near.astype(F32) < x
    lower = np.where(over, np.nextafter(near, F16(-np.inf)), near)
    upper = np.where(under, np.nextafter(near, F16(np.inf)), near)
    expect = np.stack([near, np.where(x < 0, upper, lower), upper, lower], 1)
    yield elementwise("memory", "store_halves", expect, x, count=16)
    x = a[:48].reshape(16, 3)
    expect = np.concatenate([x * F16(2), np.zeros((16, 1), F16)], 1)
    yield elementwise("memory", "aligned_halves", expect, x, count=16)


def cases():
    for group in (records, pointers, halves):
        yield from group()
