"""Loads, stores, atomics, and all kinds of pointers."""
import numpy as np

from case import Case, rng
from values import *  # noqa: F403 - types are used by their names

EVERY = [I1] + INTEGERS + FLOATS + EIGHTS[:4]


def loads():
    for t in EVERY:
        n = f"accesses/masked/{t.name}"
        x = sample(rng(n), t, (64,))
        for word, text, other in (("", "mask=i < 50", 0), ("-other", "mask=i < 50, other=1", 1)):
            if t in EIGHTS and other:
                continue
            expected = np.where(np.arange(64) < 50, x, t.encode(np.full(64, float(other))))
            yield Case(n + word, f"i = tl.arange(0, 64)\nx = tl.load(X + i, {text})\ntl.store(R + i, x)",
                       {"X": (t, x), "R": (t, np.zeros(64, t.storage))}, {"R": expected.astype(t.storage)})
        yield Case(f"accesses/masked_store/{t.name}",
                   "i = tl.arange(0, 64)\ntl.store(R + i, tl.load(X + i), mask=i % 3 == 0)",
                   {"X": (t, x), "R": (t, np.zeros(64, t.storage))},
                   {"R": np.where(np.arange(64) % 3 == 0, x, 0).astype(t.storage)})
        yield Case(f"accesses/scalar/{t.name}", "tl.store(R + 3, tl.load(X + 5))",
                   {"X": (t, x), "R": (t, np.zeros(8, t.storage))},
                   {"R": np.array([0, 0, 0, x[5], 0, 0, 0, 0], t.storage)})
        yield Case(f"accesses/scattered/{t.name}",
                   "i = tl.arange(0, 64)\nj = tl.load(J + i)\ntl.store(R + j, tl.load(X + i))",
                   {"X": (t, x), "J": (I32, rng(n).permutation(64).astype(np.int32)),
                    "R": (t, np.zeros(64, t.storage))}, {"R": _scatter(x, rng(n).permutation(64))})
    f = rng("hints").standard_normal(64).astype(np.float32)
    for text in ("cache_modifier='.ca'", "cache_modifier='.cg'", "cache_modifier='.cv'",
                 "eviction_policy='evict_first'", "eviction_policy='evict_last'", "volatile=True"):
        word = text.split("'")[1].strip(".") if "'" in text else "volatile"
        yield Case(f"accesses/hint_{word}/fp32", f"i = tl.arange(0, 64)\ntl.store(R + i, tl.load(X + i, {text}))",
                   {"X": (F32, f), "R": (F32, np.zeros(64, np.float32))}, {"R": f})
    for word in (".wb", ".cg", ".cs", ".wt"):
        yield Case(f"accesses/store_hint_{word[1:]}/fp32",
                   f"i = tl.arange(0, 64)\ntl.store(R + i, tl.load(X + i), cache_modifier='{word}')",
                   {"X": (F32, f), "R": (F32, np.zeros(64, np.float32))}, {"R": f})
    m = f.reshape(4, 16)
    yield Case("accesses/transposed/fp32", "i = tl.arange(0, 4)\nj = tl.arange(0, 16)\n"
               "tl.store(R + j[None, :] * 4 + i[:, None], tl.load(X + i[:, None] * 16 + j[None, :]))",
               {"X": (F32, m.copy()), "R": (F32, np.zeros((16, 4), np.float32))}, {"R": m.T})
    yield Case("accesses/strides/fp32", "i = tl.arange(0, 4)\nj = tl.arange(0, 16)\n"
               "tl.store(R + i[:, None] * 16 + j[None, :], tl.load(X + i[:, None] * s + j[None, :] * t))",
               {"X": (F32, m.copy()), "R": (F32, np.zeros((4, 16), np.float32)), "s": (I32, 1), "t": (I32, 4)},
               {"R": m.reshape(16, 4).T})
    yield Case("accesses/long_strides/fp32", "i = tl.arange(0, 4).to(tl.int64)\nj = tl.arange(0, 16)\n"
               "tl.store(R + i[:, None] * 16 + j[None, :], tl.load(X + i[:, None] * s + j[None, :] * t))",
               {"X": (F32, m.copy()), "R": (F32, np.zeros((4, 16), np.float32)), "s": (I64, 1), "t": (I64, 4)},
               {"R": m.reshape(16, 4).T})
    for word, place in (("product", "(i * 3) * -1431655765"), ("shifts", "i * 65536 * 65536 + i")):  # equals i modulo 2**32
        yield Case(f"accesses/wrapped_{word}/fp32", f"i = tl.arange(0, 64)\ntl.store(R + i, tl.load(X + ({place})))",
                   {"X": (F32, f), "R": (F32, np.zeros(64, np.float32))}, {"R": f}, reports="overflow")
    yield Case("accesses/backwards/fp32", "i = tl.arange(0, 64)\ntl.store(R + i, tl.load(X + 63 - i))",
               {"X": (F32, f), "R": (F32, np.zeros(64, np.float32))}, {"R": f[::-1]})


def before():
    """Negative offsets from pointers into the middle of memory."""
    for t in (I8, F16, F32, I64):
        x = sample(rng(f"before/{t.name}"), t, (80,))
        lanes = np.arange(64)
        places = -(lanes * 7 % 64)
        p = 68 if t.bits < 32 else 67  # a multiple of whole words, as some devices require
        for word, body, at, left in (
                ("loads", f"i = tl.arange(0, 64)\ntl.store(R - {p} + i, tl.load(X - i, mask=i < n))",
                 lanes, np.where(lanes < 60, x[p - lanes], 0)),
                ("stores", f"i = tl.arange(0, 64)\ntl.store(R - (i - 7), tl.load(X - {p} + i), mask=i < n)",
                 p + 7 - lanes[:60], x[:60]),
                ("one", "tl.store(R - 1, tl.load(X - n))", p - 1, x[p - 60]),
                ("loop", "for i in range(n):\n    tl.store(R - i, tl.load(X - i))", p - lanes[:60], x[p - lanes[:60]]),
                ("wide", f"i = tl.arange(0, 64).to(tl.int64)\ntl.store(R - i, tl.load(X - {p} + i))", p - lanes, x[:64]),
                ("rows", "i = tl.arange(0, 8)[:, None]\nj = tl.arange(0, 8)[None, :]\n"
                 f"tl.store(R - {p} + i * 8 + j, tl.load(X - i * 8 + j - 7))",
                 lanes, x[p - 63:p + 1].reshape(8, 8)[::-1].ravel()),
                ("places", "i = tl.arange(0, 64)\nj = tl.load(J + i)\ntl.store(R + j, tl.load(X + j))",
                 p + places, x[p + places]),
                ("atomics", f"i = tl.arange(0, 64)\ntl.atomic_add(R - i, tl.load(X - {p} + i))", p - lanes, x[:64])):
            if t is not F32 and word not in ("loads", "stores") and (t, word) != (F16, "atomics"):
                continue
            expected = np.zeros(80, t.storage)
            expected[at] = left
            yield Case(f"accesses/before_{word}/{t.name}", body,
                       {"X": (t, x), "R": (t, np.zeros(80, t.storage)), "n": (I32, 60),
                        "J": (I32, places.astype(np.int32))}, {"R": expected}, places={"X": p, "R": p})


def long_masks():
    """64-bit offsets compared with a 32-bit bound, and offsets that 32 bits cannot represent."""
    places, x = np.arange(4), rng("long_masks").integers(1, 99, 4).astype(np.int8)
    for word, text, holds in (
            ("lt", "i < n", places < 2), ("le", "i <= n", places <= 2), ("gt", "i > n", places > 2),
            ("ge", "i >= n", places >= 2), ("eq", "i == n", places == 2), ("ne", "i != n", places != 2),
            ("unsigned", "i.to(tl.uint64) < n.to(tl.uint64)", places < 2),
            ("beyond", "(i - 2) * 4294967296 + n < 3", places <= 2),
            ("bounds", "(i < n.to(tl.int64) + 2147483648) & (i >= n - 1)", places >= 1)):
        yield Case(f"accesses/long_mask_{word}/i8",
                   f"i = tl.arange(0, 4).to(tl.int64)\ntl.store(R + i, tl.load(X + i, mask={text}, other=0))",
                   {"X": (I8, x), "R": (I8, x.copy()), "n": (I32, 2)}, {"R": np.where(holds, x, 0).astype(np.int8)})


def _scatter(x, places):
    r = np.zeros_like(x)
    r[places] = x
    return r


def blocks():
    x = rng("blocks").standard_normal((20, 24)).astype(np.float32)
    zero = lambda *s: np.zeros(s, np.float32)
    for boundary in ("", ", boundary_check=(0,)", ", boundary_check=(0, 1)"):
        for padding in ("", ", padding_option='zero'", ", padding_option='nan'"):
            at = (8, 8) if not boundary else (16, 8) if "1)" not in boundary else (16, 16)
            whole = np.full((40, 40), np.nan if "nan" in padding else 0.0, np.float32)
            whole[:20, :24] = x
            if padding and not boundary:
                continue
            yield Case(f"pointers/block{at[0]}-{at[1]}{padding[-4:-1].strip(chr(39))}/fp32",
                       "p = tl.make_block_ptr(X, (20, 24), (24, 1), (0, 0), (8, 8), (1, 0))\n"
                       f"p = tl.advance(p, ({at[0]}, {at[1]}))\n"
                       "i = tl.arange(0, 8)\n"
                       f"tl.store(R + i[:, None] * 8 + i[None, :], tl.load(p{boundary}{padding}))",
                       {"X": (F32, x), "R": (F32, zero(8, 8))},
                       {"R": whole[at[0]:at[0] + 8, at[1]:at[1] + 8]}, before=(3, 9))
    yield Case("pointers/block_store/fp32",
               "p = tl.make_block_ptr(R, (20, 24), (24, 1), (16, 16), (8, 16), (1, 0))\n"
               "tl.store(p, tl.full((8, 16), 3.0, tl.float32), boundary_check=(0, 1))",
               {"R": (F32, zero(20, 24))}, {"R": np.pad(np.full((4, 8), 3, np.float32), ((16, 0), (16, 0)))}, before=(3, 9))
    for t in (I8, F16, F32):
        for size, bound in ((4, 2), (8, 5), (16, 9)):  # fewer elements than lanes, or than one lane holds
            row = sample(rng("bounds"), t, (size,))
            yield Case(f"pointers/block_bound{size}/{t.name}",
                       f"p = tl.make_block_ptr(X, (n,), (1,), (0,), ({size},), (0,))\n"
                       f"x = tl.load(p, boundary_check=(0,), padding_option='zero')\n"
                       f"tl.store(R + tl.arange(0, {size}), x)",
                       {"X": (t, row), "R": (t, row.copy()), "n": (I32, bound)},
                       {"R": np.where(np.arange(size) < bound, row, 0).astype(t.storage)}, before=(3, 9))
        tile = sample(rng("bounds"), t, (5, 13))
        whole = np.zeros((16, 16), t.storage)
        whole[:5, :13] = tile
        yield Case(f"pointers/block_advanced/{t.name}",
                   "p = tl.make_block_ptr(X, (m, n), (n, 1), (0, 0), (16, 8), (1, 0))\n"
                   "q = tl.make_block_ptr(R, (16, 16), (16, 1), (0, 0), (16, 8), (1, 0))\n"
                   "for b in range(2):\n"
                   "    tl.store(q, tl.load(p, boundary_check=(0, 1), padding_option='zero'))\n"
                   "    p = tl.advance(p, (0, 8))\n    q = tl.advance(q, (0, 8))",
                   {"X": (t, tile), "R": (t, np.ones((16, 16), t.storage)), "m": (I32, 5), "n": (I32, 13)},
                   {"R": whole}, before=(3, 9))
    for t in (F32, F16, BF16, I8, I32, F64, E5):
        stored = sample(rng("descriptor"), t, (20, 32))
        make = "tl.make_tensor_descriptor({}, shape=[20, 32], strides=[32, 1], block_shape=[8, 16])"
        whole = np.zeros((32, 48), t.storage)
        whole[:20, :32] = stored
        yield Case(f"descriptors/load/{t.name}",
                   f"d = {make.format('X')}\ni = tl.arange(0, 8)\nj = tl.arange(0, 16)\n"
                   "tl.store(R + i[:, None] * 16 + j[None, :], d.load([16, 16]))",
                   {"X": (t, stored), "R": (t, np.zeros((8, 16), t.storage))}, {"R": whole[16:24, 16:32]})
        back = np.zeros((20, 32), t.storage)
        back[16:20, 16:] = stored[:4, :16]
        yield Case(f"descriptors/store/{t.name}",
                   f"d = {make.format('R')}\ni = tl.arange(0, 8)\nj = tl.arange(0, 16)\n"
                   "d.store([16, 16], tl.load(X + i[:, None] * 32 + j[None, :]))",
                   {"X": (t, stored), "R": (t, np.zeros((20, 32), t.storage))}, {"R": back})
    rows = np.array([3, 0, 17, 5, 5, 1, 9, 19], np.int32)
    yield Case("descriptors/gather/fp32",
               "d = tl.make_tensor_descriptor(X, shape=[20, 24], strides=[24, 1], block_shape=[1, 16])\n"
               "i = tl.arange(0, 8)\nj = tl.arange(0, 16)\n"
               "tl.store(R + i[:, None] * 16 + j[None, :], d.gather(tl.load(J + i), 4))",
               {"X": (F32, x), "J": (I32, rows), "R": (F32, zero(8, 16))}, {"R": x[rows][:, 4:20]})
    copied = np.zeros((20, 24), np.float32)
    copied[8:16, 16:] = x[8:16, 16:24]
    yield Case("descriptors/functions/fp32",
               "d = tl.make_tensor_descriptor(X, shape=[20, 24], strides=[24, 1], block_shape=[8, 16])\n"
               "e = tl.make_tensor_descriptor(R, shape=[20, 24], strides=[24, 1], block_shape=[8, 16])\n"
               "tl.store_tensor_descriptor(e, [8, 16], tl.load_tensor_descriptor(d, [8, 16]))",
               {"X": (F32, x), "R": (F32, zero(20, 24))}, {"R": copied})
    for kind, ref in (("add", np.add), ("max", np.maximum), ("min", np.minimum)):
        a, b = (rng(kind).integers(-50, 50, (8, 16)).astype(np.int32) for _ in range(2))
        yield Case(f"descriptors/atomic_{kind}/i32",
                   "d = tl.make_tensor_descriptor(R, shape=[8, 16], strides=[16, 1], block_shape=[8, 16])\n"
                   "i = tl.arange(0, 8)\nj = tl.arange(0, 16)\n"
                   f"d.atomic_{kind}([0, 0], tl.load(X + i[:, None] * 16 + j[None, :]))",
                   {"X": (I32, a), "R": (I32, b.copy())}, {"R": ref(a, a * 0 + b)})


def addresses():
    f = rng("addresses").standard_normal(64).astype(np.float32)
    yield Case("pointers/table/fp32",
               "t = R.to(tl.int64)\nq = (t + 4 * 8).to(tl.pointer_type(tl.float32))\n"
               "i = tl.arange(0, 8)\ntl.store(q + i, tl.load(X + i))",
               {"X": (F32, f), "R": (F32, np.zeros(64, np.float32))},
               {"R": np.concatenate([np.zeros(8), f[:8], np.zeros(48)]).astype(np.float32)})
    yield Case("pointers/tensor_of_addresses/fp32",
               "i = tl.arange(0, 64)\np = (X + i).to(tl.int64)\n"
               "q = (p ^ 4).to(tl.pointer_type(tl.float32))\ntl.store(R + i, tl.load(q))",
               {"X": (F32, f), "R": (F32, np.zeros(64, np.float32))}, {"R": f.reshape(-1, 2)[:, ::-1].reshape(-1)})
    yield Case("pointers/stored/fp32",
               "i = tl.arange(0, 64)\ntl.store(P + i, (X + (63 - i)).to(tl.int64))\n"
               "tl.debug_barrier()\nq = tl.load(P + i).to(tl.pointer_type(tl.float32))\n"
               "tl.store(R + i, tl.load(q, mask=i < 60, other=7.0))",
               {"X": (F32, f), "P": (I64, np.zeros(64, np.int64)), "R": (F32, np.zeros(64, np.float32))},
               {"R": np.where(np.arange(64) < 60, f[::-1], 7).astype(np.float32)})
    yield Case("pointers/store_by_address/i32",
               "i = tl.arange(0, 64)\nq = (R.to(tl.int64) + (63 - i).to(tl.int64) * 4).to(tl.pointer_type(tl.int32))\n"
               "tl.store(q, i, mask=i % 2 == 0)\n",
               {"R": (I32, np.zeros(64, np.int32))},
               {"R": np.where(np.arange(64)[::-1] % 2 == 0, np.arange(64)[::-1], 0).astype(np.int32)})
    yield Case("pointers/atomic_by_address/i32",
               "i = tl.arange(0, 64)\nq = (R.to(tl.int64) + (i % 8).to(tl.int64) * 4).to(tl.pointer_type(tl.int32))\n"
               "tl.atomic_add(q, i)", {"R": (I32, np.zeros(8, np.int32))},
               {"R": np.arange(64).reshape(8, 8).sum(0).astype(np.int32)})
    yield Case("pointers/chosen/fp32",
               "i = tl.arange(0, 64)\nif n > 3:\n    p = X\nelse:\n    p = Y\ntl.store(R + i, tl.load(p + i))",
               {"X": (F32, f), "Y": (F32, f + 1), "R": (F32, np.zeros(64, np.float32)), "n": (I32, 2)}, {"R": f + 1})
    yield Case("pointers/where/fp32",
               "i = tl.arange(0, 64)\np = tl.where(i < 32, X + i, Y + i)\ntl.store(R + i, tl.load(p))",
               {"X": (F32, f), "Y": (F32, f + 1), "R": (F32, np.zeros(64, np.float32))},
               {"R": np.where(np.arange(64) < 32, f, f + 1)})
    yield Case("pointers/bitcast/fp32",
               "i = tl.arange(0, 64)\np = X.to(tl.pointer_type(tl.int32), bitcast=True)\ntl.store(R + i, tl.load(p + i))",
               {"X": (F32, f), "R": (I32, np.zeros(64, np.int32))}, {"R": f.view(np.int32)})
    yield Case("pointers/bitcast_narrow/fp32",
               "i = tl.arange(0, 256)\np = X.to(tl.pointer_type(tl.uint8), bitcast=True)\ntl.store(R + i, tl.load(p + i))",
               {"X": (F32, f), "R": (U8, np.zeros(256, np.uint8))}, {"R": f.view(np.uint8)})
    yield Case("pointers/bitcast_wide/fp32",
               "i = tl.arange(0, 32)\np = X.to(tl.pointer_type(tl.int64), bitcast=True)\ntl.store(R + i, tl.load(p + i))",
               {"X": (F32, f), "R": (I64, np.zeros(32, np.int64))}, {"R": f.view(np.int64)})
    yield Case("pointers/element_before/fp32",
               "i = tl.arange(0, 64)\ntl.store(R + i, tl.load(X + i - 1, mask=i > 0, other=7.0))",
               {"X": (F32, f), "R": (F32, np.zeros(64, np.float32))}, {"R": np.concatenate([[7], f[:-1]])})
    yield Case("pointers/row_before/fp32",
               "i = (tl.program_id(0) + tl.arange(0, 8))[:, None]\nj = tl.arange(0, 8)[None, :]\n"
               "p = X + (i - 1) * 8 + j - 1\n"
               "tl.store(R + i * 8 + j, tl.load(p, mask=(i > 0) & (j > 0), other=0.0))",
               {"X": (F32, f), "R": (F32, np.zeros(64, np.float32))},
               {"R": np.pad(f.reshape(8, 8)[:-1, :-1], ((1, 0), (1, 0))).reshape(-1)})
    yield Case("pointers/scalar_before/fp32",
               "p = X + n\ntl.store(R, tl.load(p - 3))\ni = tl.arange(8, 16)\ntl.store(R + i - 7, i.to(tl.float32))",
               {"X": (F32, f), "R": (F32, np.zeros(9, np.float32)), "n": (I32, 5)},
               {"R": np.concatenate([f[2:3], np.arange(8, 16)]).astype(np.float32)})
    yield Case("pointers/advanced_in_loop/fp32",
               "i = tl.arange(0, 8)\np = X + i\ns = tl.zeros((8,), tl.float32)\nfor k in range(0, 8):\n"
               "    s += tl.load(p)\n    p += 8\ntl.store(R + i, s)",
               {"X": (F32, f), "R": (F32, np.zeros(8, np.float32))}, {"R": f.reshape(8, 8).sum(0)}, 1e-5,
               absolute=1e-5)


def atomics_of_bits():
    """Integer atomics on the bits of computed floats, which drivers may keep as floats."""
    for t, of in ((I32, F32), (I64, F64)):
        for kind, ref in {"add": np.add, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
                          "max": np.maximum, "min": np.minimum, "xchg": lambda a, b: b}.items():
            n = f"atomics/{kind}_of_bits/{t.name}"
            draw = rng(n)
            x, r = sample(draw, of, (64,)), sample(draw, t, (64,))
            bits = of.encode(of.decode(x) * 2).view(t.storage)
            with np.errstate(all="ignore"):
                after = ref(r, bits)
            yield Case(n, f"i = tl.arange(0, 64)\nv = (tl.load(X + i) * 2).to(R.dtype.element_ty, bitcast=True)\n"
                       f"tl.atomic_{kind}(R + i, v)", {"X": (of, x), "R": (t, r)}, {"R": after})


def atomics():
    for t in (I32, U32, I64, U64, F32, F64, F16, BF16):
        names = {"add": np.add, "max": np.maximum, "min": np.minimum}
        if t in (F16, BF16):
            names = {"add": np.add}
        if t.kind != "f":
            names |= {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
        if t not in (F16, BF16):
            names["xchg"] = lambda a, b: b
        for kind, ref in names.items():
            n = f"atomics/{kind}/{t.name}"
            draw = rng(n)
            x, r = sample(draw, t, (64,)), sample(draw, t, (64,))
            with np.errstate(all="ignore"):
                after = t.encode(ref(t.decode(r), t.decode(x)))
            tol = dict(tolerance=0.0)
            yield Case(n, f"i = tl.arange(0, 64)\nold = tl.atomic_{kind}(R + i, tl.load(X + i), mask=i < 60)\n"
                       "tl.store(O + i, old, mask=i < 60)",
                       {"X": (t, x), "R": (t, r), "O": (t, np.zeros(64, t.storage))},
                       {"R": np.where(np.arange(64) < 60, after, r).astype(t.storage),
                        "O": np.where(np.arange(64) < 60, r, 0).astype(t.storage)}, **tol)
            yield Case(n + "-scalar", f"old = tl.atomic_{kind}(R + 1, tl.load(X))\ntl.store(O, old)",
                       {"X": (t, x[:1]), "R": (t, r[:2]), "O": (t, np.zeros(1, t.storage))},
                       {"R": np.array([r[0], t.encode(ref(t.decode(r[1:2]), t.decode(x[:1])))[0]], t.storage),
                        "O": r[1:2]})
            if t.kind == "f":
                doubled = t.encode(t.decode(x) * 2)
                with np.errstate(all="ignore"):
                    after = t.encode(ref(t.decode(r), t.decode(doubled)))
                yield Case(f"atomics/{kind}_computed/{t.name}",
                           f"i = tl.arange(0, 64)\ntl.atomic_{kind}(R + i, tl.load(X + i) * 2)",
                           {"X": (t, x), "R": (t, r)}, {"R": after}, **tol)
        if t in (BF16, F16):
            continue
        n = f"atomics/cas/{t.name}"
        x, r = sample(rng(n), t, (64,), 0, 3), sample(rng(n + "r"), t, (64,), 0, 3)
        if t.kind == "f":
            x = np.where(np.arange(64) % 2 == 0, r, x)
        c = np.where(np.arange(64) % 3 == 0, x, r).astype(t.storage)
        yield Case(n, "i = tl.arange(0, 64)\nold = tl.atomic_cas(R + i, tl.load(C + i), tl.load(X + i))\n"
                   "tl.store(O + i, old)",
                   {"X": (t, x), "C": (t, c), "R": (t, r), "O": (t, np.zeros(64, t.storage))},
                   {"R": np.where(r == c, x, r), "O": r})
        yield Case(n + "-scalar", "old = tl.atomic_cas(R, tl.load(C), tl.load(X))\ntl.store(O, old)",
                   {"X": (t, x[:1]), "C": (t, r[:1]), "R": (t, r[:1]), "O": (t, np.zeros(1, t.storage))},
                   {"R": x[:1], "O": r[:1]})
        if t.kind == "f":
            yield Case(f"atomics/cas_of_sums/{t.name}",
                       "i = tl.arange(0, 64)\ntl.atomic_add(R + i, tl.load(X + i))\n"
                       "old = tl.atomic_cas(R + i, tl.load(C + i), tl.load(X + i))\ntl.store(O + i, old)",
                       {"X": (t, np.ones(64, t.storage)), "C": (t, np.arange(64).astype(t.storage) % 4),
                        "R": (t, np.ones(64, t.storage)), "O": (t, np.zeros(64, t.storage))},
                       {"R": np.where(np.arange(64) % 4 == 2, 1, 2).astype(t.storage),
                        "O": np.full(64, 2, t.storage)})
    for sem in ("relaxed", "acquire", "release", "acq_rel"):
        for scope in ("gpu", "cta", "sys"):
            yield Case(f"atomics/order_{sem}_{scope}/i32",
                       f"tl.atomic_add(R, tl.program_id(0), sem='{sem}', scope='{scope}')",
                       {"R": (I32, np.zeros(1, np.int32))}, {"R": np.array([28], np.int32)}, grid=(8,))
    yield Case("atomics/same_place/i32", "i = tl.arange(0, 64)\ntl.atomic_add(R + i * 0, i)",
               {"R": (I32, np.zeros(1, np.int32))}, {"R": np.array([2016], np.int32)})
    yield Case("atomics/broadcast/i32", "i = tl.arange(0, 8)\ntl.atomic_add(R + i[:, None] + tl.zeros((8, 4), tl.int32), 1)",
               {"R": (I32, np.zeros(8, np.int32))}, {"R": np.full(8, 4, np.int32)})
    yield Case("atomics/add_matrix/fp32", "i = tl.arange(0, 8)\nj = tl.arange(0, 4)\n"
               "tl.atomic_add(R + i[:, None] * 4 + j[None, :], tl.load(X + i[:, None] * 4 + j[None, :]), mask=i[:, None] < n)",
               {"X": (F32, np.ones((8, 4), np.float32)), "R": (F32, np.ones((8, 4), np.float32)), "n": (I32, 5)},
               {"R": 1 + (np.arange(8)[:, None] < 5) * np.ones((8, 4), np.float32)})
    yield Case("atomics/lock/i32",
               "while tl.atomic_cas(L, 0, 1) == 1:\n    pass\ntl.store(R, tl.load(R, volatile=True) + 1)\n"
               "tl.atomic_xchg(L, 0)",
               {"L": (I32, np.zeros(1, np.int32)), "R": (I32, np.zeros(1, np.int32))},
               {"R": np.array([16], np.int32), "L": np.zeros(1, np.int32)}, grid=(16,))
    yield Case("atomics/last_one/i32",
               "n = tl.atomic_add(L, 1)\nif n == 15:\n    tl.store(R, 5)",
               {"L": (I32, np.zeros(1, np.int32)), "R": (I32, np.zeros(1, np.int32))},
               {"R": np.array([5], np.int32)}, grid=(16,))


def contended_atomics():
    """Atomics that contend for one place. Some become compare-and-exchange loops."""
    for t in (F16, BF16, F32, F64):  # sums that are the same in every order
        yield Case(f"atomics/same_place/{t.name}", "i = tl.arange(0, 128)\nold = tl.atomic_add(R + i * 0, tl.load(X + i))\n"
                   "tl.store(O, tl.max(old))", {"R": (t, t.encode(np.zeros(1))), "X": (t, t.encode(np.ones(128))),
                                               "O": (t, t.encode(np.zeros(1)))},
                   {"R": t.encode(np.array([128.0])), "O": t.encode(np.array([127.0]))})
    yield Case("atomics/after_sum/i32", "tl.atomic_add(R, tl.sum(tl.load(X + tl.arange(0, 128))))",
               {"R": (I32, np.zeros(1, np.int32)), "X": (I32, np.arange(128, dtype=np.int32))},
               {"R": np.array([8128], np.int32)})
    places = rng("neighbours").permutation(128).astype(np.int32)
    for t in (I16, F16):  # two elements share a word
        numbers = np.arange(128)
        moved = np.zeros(128)
        moved[places] = numbers + 200
        yield Case(f"atomics/cas_neighbours/{t.name}",
                   "i = tl.arange(0, 128)\nq = R + tl.load(P + i)\n"
                   "old = tl.atomic_cas(q, tl.load(C + i), tl.load(X + i))\ntl.store(O + i, old)",
                   {"R": (t, t.encode(numbers)), "P": (I32, places), "C": (t, t.encode(places)),
                    "X": (t, t.encode(numbers + 200)), "O": (t, t.encode(np.zeros(128)))},
                   {"R": t.encode(moved), "O": t.encode(places)})


def cases():
    for family in (loads, before, long_masks, blocks, addresses, atomics, atomics_of_bits, contended_atomics):
        yield from family()
