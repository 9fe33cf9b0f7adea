"""Features of Triton from 3.7 or 3.9 on."""
import numpy as np

from case import Case, rng
from values import BF16, E5, F16, F32, F64, I1, I8, I16, I32, I64, sample

SEVENTH, NINTH = (3, 7), (3, 9)


def atomics():
    i = "i = tl.arange(0, 64)\n"
    for t in (I8, I16, I32, I64, F16, BF16, F32, F64, E5):
        x = sample(rng(f"load {t.name}"), t, (64,))
        some = np.where(np.arange(64) < 40, x, 0).astype(t.storage)
        arrays = {"X": (t, x), "R": (t, np.zeros(64, t.storage))}
        yield Case(f"atomics/load/{t.name}", i + "tl.store(R + i, tl.atomic_load(X + i))", arrays, {"R": x, "X": x},
                   since=NINTH)
        yield Case(f"atomics/load_masked/{t.name}", i + "m = i < 40\n"
                   "tl.store(R + i, tl.atomic_load(X + i, mask=m, sem='relaxed', scope='sys'), mask=m)",
                   arrays, {"R": some}, since=NINTH)
        yield Case(f"atomics/store/{t.name}", i + "tl.atomic_store(R + i, tl.load(X + i))", arrays, {"R": x},
                   since=NINTH)
        yield Case(f"atomics/store_masked/{t.name}", i + "tl.atomic_store(R + i, tl.load(X + i), mask=i < 40, "
                   "sem='relaxed', scope='cta')", arrays, {"R": some}, since=NINTH)
    for t in (I16, I32, I64):
        x = (np.arange(64) % 5).astype(t.storage)
        for name, time in (("poll", 1000), ("poll_once", 0)):
            yield Case(f"atomics/{name}/{t.name}", i + f"tl.store(R + i, tl.atomic_poll(X + i, 3, timeout_ns={time}))",
                       {"X": (t, x), "R": (I8, np.ones(64, np.int8))}, {"R": (x == 3).astype(np.int8)}, since=NINTH)
        yield Case(f"atomics/poll_stored/{t.name}", "tl.atomic_store(X, 7)\ntl.store(R, tl.atomic_poll(X, 7))",
                   {"X": (t, x), "R": (I8, np.zeros(1, np.int8))}, {"R": np.ones(1, np.int8)}, since=NINTH)
    yield Case("atomics/load_of_sums/fp32", "i = tl.arange(0, 64)\ntl.atomic_add(R, 1.0)\ntl.debug_barrier()\n"
               "tl.store(X + i, tl.atomic_load(R + i * 0))",
               {"X": (F32, np.zeros(64, np.float32)), "R": (F32, np.full(1, 2, np.float32))},
               {"X": np.full(64, 3, np.float32)}, since=NINTH)


def language():
    i = "i = tl.arange(0, 64)\n"
    x, y = (sample(rng(name), F32, (64,), 0.5, 4) for name in ("dividend", "divisor"))
    yield Case("language/approximate_quotient/fp32", i + "tl.store(R + i, tl.fdiv(tl.load(X + i), tl.load(Y + i), approx=True))",
               {"X": (F32, x), "Y": (F32, y), "R": (F32, np.zeros(64, np.float32))}, {"R": x / y}, tolerance=1e-6,
               since=NINTH)
    yield Case("language/expect_zero/fp32", i + "tl.store(R + i, tl.expect_zero(tl.load(X + i), i < 0))",
               {"X": (F32, x), "R": (F32, np.zeros(64, np.float32))}, {"R": x}, since=NINTH)
    yield Case("language/squeeze/fp32", i + "x = tl.unsqueeze(tl.load(X + i), 1)\n"
               "tl.store(R + i, tl.squeeze(x, 1) + tl.to_tensor(1.0))",
               {"X": (F32, x), "R": (F32, np.zeros(64, np.float32))}, {"R": x + np.float32(1)}, since=SEVENTH)
    truths = (np.arange(64) % 3 == 0).astype(I1.storage)
    yield Case("accesses/constant/fp32", i + "tl.store(R + i, tl.load(X + i, cache_modifier='.cg', "
               "eviction_policy='evict_last'), cache_modifier='.wt')",
               {"X": (F32, x), "R": (F32, np.zeros(64, np.float32))}, {"R": x})
    yield Case("accesses/truths/i1", i + "tl.store(R + i, (tl.load(X + i) | (i < 9)).to(tl.int1))",
               {"X": (I1, truths), "R": (I1, np.zeros(64, I1.storage))},
               {"R": (truths.astype(bool) | (np.arange(64) < 9)).astype(I1.storage)})


def cases():
    yield from atomics()
    yield from language()
