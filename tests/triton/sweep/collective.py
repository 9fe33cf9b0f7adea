"""Operations that combine, move and multiply elements of a block."""
from dataclasses import replace

import numpy as np

from case import Case, offsets, rng
from values import *  # noqa: F403 - types are used by their names

SHAPES = [((64,), 0), ((16, 8), 0), ((16, 8), 1), ((4, 8, 4), 1), ((2, 4, 8), 2), ((8, 1), 0), ((1,), 0)]


def block(name, body, inputs, out, reference, shape, out_shape, tolerance=0.0, low=None, high=None,
          prelude="", absolute=0.0, data=None):
    """Returns a case in which `body` computes z, of `out_shape`, from x (and y).

    `shape` is the shape of all inputs, or a list with one for each."""
    draw = rng(name)
    shapes = shape if isinstance(shape, list) else [shape] * len(inputs)
    stored = data or [sample(draw, t, s, low, high) for t, s in zip(inputs, shapes)]
    names = "XYW"[:len(inputs)]
    loads = "\n".join(f"{n.lower()} = tl.load({n} + {offsets(s)})" for n, s in zip(names, shapes))
    to = offsets(out_shape) if out_shape else "0"
    with np.errstate(all="ignore"):
        expected = np.asarray(reference(*[t.decode(s) for t, s in zip(inputs, stored)]))
    arguments = {n: (t, s) for n, t, s in zip(names, inputs, stored)}
    arguments["R"] = (out, np.zeros(out_shape or (1,), out.storage))
    if not tolerance and not absolute:
        expected = out.encode(expected)
    return Case(name, f"{loads}\n{body}\ntl.store(R + {to}, z)", arguments, {"R": expected}, tolerance,
                prelude=prelude, absolute=absolute)


def without(shape, axis):
    return shape[:axis] + shape[axis + 1:]


def reductions():
    for shape, axis in SHAPES:
        rest, s = without(shape, axis), "x".join(map(str, shape)) + f"-{axis}"
        types = NUMBERS if s in ("64-0", "16x8-1") else [I32, F32]
        for t in types:
            tol = dict(tolerance=64 * t.epsilon, absolute=64 * t.epsilon) if t.kind == "f" else {}
            wide = t if t.kind == "f" or t.bits >= 32 else (I32 if t.kind == "i" else U32)
            for name, ref in (("sum", lambda x, w=wide: x.astype(w.storage if w.kind != "f" else float).sum(axis)),
                              ("max", lambda x: x.max(axis)), ("min", lambda x: x.min(axis))):
                out = wide if name == "sum" else t
                yield block(f"reductions/{name}/{t.name}-{s}", f"z = tl.{name}(x, axis={axis})", [t], out, ref,
                            shape, rest, **(tol if name == "sum" else {}))
            few = dict(low=0, high=5) if t.kind != "f" else {}
            for name, ref in (("argmax", np.argmax), ("argmin", np.argmin)):
                yield block(f"reductions/{name}/{t.name}-{s}", f"z = tl.{name}(x, axis={axis})", [t], I32,
                            lambda x, r=ref: r(x, axis), shape, rest, **few)
            if t.kind != "f":
                yield block(f"reductions/xor_sum/{t.name}-{s}", f"z = tl.xor_sum(x, axis={axis})", [t], t,
                            lambda x: np.bitwise_xor.reduce(x, axis), shape, rest)
                yield block(f"reductions/reduce_or/{t.name}-{s}", f"z = tl.reduce_or(x, axis={axis})", [t], t,
                            lambda x: np.bitwise_or.reduce(x, axis), shape, rest)
    product = "@triton.jit\ndef product(a, b):\n    return a * b\n"
    for t in (I32, F32, I64, F64):
        yield block(f"reductions/product/{t.name}", "z = tl.reduce(x, 1, product)", [t], t,
                    lambda x: x.prod(1), (8, 8), (8,), low=1, high=2, prelude=product,
                    tolerance=1e-5 if t.kind == "f" else 0.0)
    pair = ("@triton.jit\ndef welford(m, v, n, m2, v2, n2):\n    d = m2 - m\n    t = n + n2\n"
            "    return m + d * n2 / t, v + v2 + d * d * n * n2 / t, t\n")
    yield block("reductions/welford/fp32",
                "m, v, n = tl.reduce((x, tl.zeros_like(x), tl.full(x.shape, 1.0, tl.float32)), 1, welford)\n"
                "z = m + v / n", [F32], F32, lambda x: x.mean(1) + x.var(1), (4, 32), (4,), 1e-5, prelude=pair,
                absolute=1e-5)
    yield block("reductions/keep_dims/fp32", "z = tl.sum(x, axis=1, keep_dims=True)", [F32], F32,
                lambda x: x.sum(1, keepdims=True), (8, 16), (8, 1), 1e-5, absolute=1e-5)
    yield block("reductions/all_axes/fp32", "z = tl.sum(x)", [F32], F32, lambda x: x.sum(), (8, 16), (), 1e-5,
                absolute=1e-5)
    yield block("reductions/all_axes_max/i32", "z = tl.max(x)", [I32], I32, lambda x: x.max(), (8, 4, 2), ())
    yield block("reductions/sum_dtype/i8", "z = tl.sum(x, axis=0, dtype=tl.int64)", [I8], I64,
                lambda x: x.astype(np.int64).sum(0), (32,), ())
    yield block("reductions/sum_i1/i1", "z = tl.sum(x.to(tl.int1).to(tl.int32), axis=0)", [I1], I32,
                lambda x: x.sum(), (32,), ())
    yield block("reductions/sum_of_i1/i1", "z = tl.sum(x, axis=0)", [I1], I32, lambda x: x.sum(), (32,), ())
    yield block("reductions/with_indices/fp32", "m, i = tl.max(x, 1, return_indices=True)\nz = m + i", [F32], F32,
                lambda x: x.max(1) + x.argmax(1), (8, 16), (8,), 1e-6)
    yield block("reductions/with_indices_any/fp32",
                "m, i = tl.min(x, 1, return_indices=True, return_indices_tie_break_left=False)\nz = m + i", [F32],
                F32, lambda x: x.min(1) + x.argmin(1), (8, 16), (8,), 1e-6)
    yield block("reductions/softmax/fp32", "z = tl.softmax(tl.trans(x))", [F32], F32,
                lambda x: (np.exp(x) / np.exp(x).sum(1, keepdims=True)).T, (4, 32), (32, 4), 1e-5)
    nan = F32.encode(np.where(np.arange(64).reshape(4, 16) % 21 == 5, np.nan, np.arange(64).reshape(4, 16)))
    yield block("reductions/max_nan/fp32", "z = tl.max(x, axis=1)", [F32], F32, lambda x: np.fmax.reduce(x, 1),
                (4, 16), (4,), data=[nan])
    yield block("reductions/repeated/fp32", "z = tl.sum(tl.sum(x, axis=2), axis=0)", [F32], F32,
                lambda x: x.sum((0, 2)), (4, 8, 4), (8,), 1e-5, absolute=1e-5)


def scans():
    for shape, axis in SHAPES:
        s = "x".join(map(str, shape)) + f"-{axis}"
        types = NUMBERS if s in ("64-0", "16x8-1") else [I32, F32]
        for t in types:
            # For f64, the reference rounds as often as the kernel does.
            most = 256 if t is F64 else 64
            tol = dict(tolerance=most * t.epsilon, absolute=most * t.epsilon) if t.kind == "f" else {}
            for reverse in (False, True):
                word = "-reverse" if reverse else ""
                turn = (lambda x: np.flip(x, axis)) if reverse else (lambda x: x)
                wide = {"bf16": F32}.get(t.name, t)
                acc = float if t.kind == "f" else (t.storage if t.bits >= 32 else
                                                   (np.int32 if t.kind == "i" else np.uint32))
                out = t if t.kind == "f" or t.bits >= 32 else (I32 if t.kind == "i" else U32)
                yield block(f"scans/cumsum/{t.name}-{s}{word}", f"z = tl.cumsum(x, axis={axis}, reverse={reverse})",
                            [t], out if out.kind != "f" else wide,
                            lambda x: turn(np.cumsum(turn(x.astype(acc)), axis, dtype=acc)), shape, shape, **tol)
                if t.bits >= 32 and t.kind != "u":
                    yield block(f"scans/cumprod/{t.name}-{s}{word}",
                                f"z = tl.cumprod(x, axis={axis}, reverse={reverse})", [t], t,
                                lambda x: turn(np.cumprod(turn(x), axis, dtype=x.dtype)), shape, shape,
                                low=1 if t.kind == "i" else 0.8, high=2 if t.kind == "i" else 1.2,
                                **({} if t.kind != "f" else dict(tolerance=1e-4)))
    best = "@triton.jit\ndef best(v, i, w, j):\n    less = v < w\n    return tl.where(less, w, v), tl.where(less, j, i)\n"
    yield block("scans/running_argmax/fp32", "v, z = tl.associative_scan((x, tl.arange(0, 16)[None, :] + "
                "tl.zeros((4, 16), tl.int32)), 1, best)", [F32], I32,
                lambda x: np.array([[r[:i + 1].argmax() for i in range(16)] for r in x]), (4, 16), (4, 16),
                prelude=best)
    # More elements than a lane of any device holds at once.
    for shape, axis in (((4096,), 0), ((32, 512), 1), ((256, 64), 0), ((8, 64, 32), 1)):
        for reverse in (False, True):
            turn = (lambda x: np.flip(x, axis)) if reverse else (lambda x: x)
            name = "x".join(map(str, shape)) + f"-{axis}{'-reverse' * reverse}"
            yield block(f"scans/large/{name}", f"z = tl.cumsum(x, axis={axis}, reverse={reverse}) + x", [I32], I32,
                        lambda x, turn=turn, axis=axis: turn(np.cumsum(turn(x), axis, dtype=x.dtype)) + x,
                        shape, shape)
    linear = "@triton.jit\ndef linear(a, b, c, d):\n    return a * c, b * c + d\n"

    def recurrence(x, y):
        out, h = np.zeros_like(x), 0
        for i in range(len(x)):
            h = h * x[i] + y[i]
            out[i] = h
        return out
    for reverse in (False, True):
        yield block(f"scans/linear_recurrence/fp32{'-reverse' * reverse}",
                    f"_, z = tl.associative_scan((x, y), 0, linear, reverse={reverse})", [F32, F32], F32,
                    (lambda x, y: recurrence(x[::-1], y[::-1])[::-1]) if reverse else recurrence, (32,), (32,),
                    1e-4, low=-1, high=1, prelude=linear, absolute=1e-5)


def large_movements():
    """Movements of large blocks, which become loops."""
    for t in (I8, F32, I64):
        n, large = t.name, (16384,)
        yield block(f"movement/join_large/{n}", "z = tl.join(x, y)", [t, t], t, lambda x, y: np.stack([x, y], -1),
                    large, (16384, 2))
        yield block(f"movement/split_large/{n}", "a, b = tl.split(x)\nz = tl.where(a > b, a, b)", [t], t,
                    lambda x: x.max(-1), (16384, 2), large)
        yield block(f"movement/interleave_large/{n}", "z = tl.interleave(x, y)", [t, t], t,
                    lambda x, y: np.stack([x, y], -1).reshape(-1), large, (32768,))
        yield block(f"movement/cat_large/{n}", "z = tl.cat(x, y, can_reorder=True)", [t, t], t,
                    lambda x, y: np.concatenate([x, y]), large, (32768,))
        yield block(f"movement/join_reduced/{n}", "z = tl.max(tl.join(x, y), 1).to(x.dtype)", [t, t], t, np.maximum,
                    large, large)
        yield block(f"movement/swapped_in_loop/{n}",  # each iteration swaps the halves of the previous one
                    "z = tl.join(x, y)\nfor i in range(3):\n    a, b = tl.split(z)\n    z = tl.join(b, tl.maximum(a, i).to(x.dtype))",
                    [t, t], t, lambda x, y: np.stack([np.maximum(y, 1), np.maximum(x, 2)], -1), (4096,), (4096, 2))


def movements():
    for t in (I8, U16, I32, I64, F16, BF16, F32, F64, U32):
        n = t.name
        yield block(f"movement/trans/{n}", "z = tl.trans(x)", [t], t, lambda x: x.T, (4, 16), (16, 4))
        yield block(f"movement/permute/{n}", "z = tl.permute(x, (2, 0, 1))", [t], t,
                    lambda x: x.transpose(2, 0, 1), (2, 4, 8), (8, 2, 4))
        yield block(f"movement/reshape/{n}", "z = tl.reshape(x, (8, 8))", [t], t, lambda x: x.reshape(8, 8),
                    (4, 16), (8, 8))
        yield block(f"movement/ravel/{n}", "z = tl.ravel(x)", [t], t, lambda x: x.reshape(-1), (4, 16), (64,))
        if t in (I8, F32, I64):  # merged dimensions that share lanes and registers
            yield block(f"movement/ravel_of_trans/{n}", "z = tl.ravel(tl.trans(x)) + y", [t, t], t,
                        lambda x, y: x.T.reshape(-1) + y, [(64, 128), (8192,)], (8192,), low=-9, high=9)
            yield block(f"movement/shuffle_space/{n}", "z = tl.ravel(x.reshape(16, 8, 16, 8).permute(2, 0, 3, 1))",
                        [t], t, lambda x: x.reshape(16, 8, 16, 8).transpose(2, 0, 3, 1).reshape(-1), (16384,), (16384,))
            yield block(f"movement/sum_of_trans/{n}", "z = tl.zeros((128,), x.dtype) + tl.sum(tl.trans(x)).to(x.dtype)",
                        [t], t, lambda x: np.full(128, x.sum()), (64, 128), (128,), 1e-5 if t is F32 else None,
                        low=-9, high=9)
        yield block(f"movement/join/{n}", "z = tl.join(x, y)", [t, t], t, lambda x, y: np.stack([x, y], -1),
                    (16,), (16, 2))
        yield block(f"movement/split/{n}", "a, b = tl.split(x)\nz = tl.where(a > b, a, b)", [t], t,
                    lambda x: x.max(-1), (4, 8, 2), (4, 8))
        yield block(f"movement/interleave/{n}", "z = tl.interleave(x, y)", [t, t], t,
                    lambda x, y: np.stack([x, y], -1).reshape(-1), (32,), (64,))
        cat = block(f"movement/cat/{n}", "z = tl.sort(tl.cat(x, y, can_reorder=True))", [t, t], t,
                    lambda x, y: np.sort(np.concatenate([x, y])), (32,), (64,))
        yield cat
        yield block(f"movement/broadcast_to/{n}", "z = tl.broadcast_to(x, (8, 16))", [t], t,
                    lambda x: np.broadcast_to(x, (8, 16)), (1, 16), (8, 16))
        yield block(f"movement/gather/{n}", "z = tl.gather(x, y, 0)", [t, I32], t,
                    lambda x, y: x[y], (32,), (32,), data=[sample(rng(n), t, (32,)),
                                                           rng(n).integers(0, 32, 32).astype(np.int32)])
        yield block(f"movement/gather_columns/{n}", "z = tl.gather(x, y, 1)", [t, I32], t,
                    lambda x, y: np.take_along_axis(x, y, 1), [(4, 16), (4, 8)], (4, 8),
                    data=[sample(rng(n), t, (4, 16)), rng(n).integers(0, 16, (4, 8)).astype(np.int32)])
        yield block(f"movement/gather_rows/{n}", "z = tl.gather(x, y, 0)", [t, I64], t,
                    lambda x, y: np.take_along_axis(x, y, 0), [(16, 4), (8, 4)], (8, 4),
                    data=[sample(rng(n), t, (16, 4)), rng(n).integers(0, 16, (8, 4)).astype(np.int64)])
        yield block(f"movement/gather_many/{n}", "z = tl.gather(x + x, y, 0)", [t, I32], t,
                    lambda x, y: np.take_along_axis(x + x, y, 0), [(64, 32), (128, 32)], (128, 32),
                    data=[sample(rng(n), t, (64, 32)), rng(n).integers(0, 64, (128, 32)).astype(np.int32)])
        yield block(f"movement/flip/{n}", "z = tl.flip(x, 1)", [t], t, lambda x: x[:, ::-1], (4, 16), (4, 16))
        yield block(f"movement/flip_first/{n}", "z = tl.flip(x, 0)", [t], t, lambda x: x[::-1], (4, 16), (4, 16))
        yield block(f"movement/sort/{n}", "z = tl.sort(x)", [t], t, lambda x: np.sort(x, -1), (4, 16), (4, 16))
        yield block(f"movement/sort_down/{n}", "z = tl.sort(x, descending=True)", [t], t,
                    lambda x: np.sort(x, -1)[..., ::-1], (32,), (32,))
        yield block(f"movement/topk/{n}", "z = tl.topk(x, 4)", [t], t, lambda x: np.sort(x, -1)[..., ::-1][..., :4],
                    (4, 16), (4, 4))
        yield block(f"movement/expand_dims/{n}", "z = tl.expand_dims(x, 1)", [t], t, lambda x: x[:, None],
                    (16,), (16, 1))
        yield block(f"movement/view_of_sum/{n}", "z = tl.reshape(x + x, (2, 2, 16))", [t], t,
                    lambda x: (x + x).reshape(2, 2, 16), (4, 16), (2, 2, 16), low=0, high=7)
    yield block("movement/bitonic_merge/i32", "z = tl.bitonic_merge(x)", [I32], I32, np.sort, (16,), (16,),
                data=[np.concatenate([np.arange(0, 16, 2), np.arange(15, 0, -2)]).astype(np.int32)])
    yield block("movement/split_trans/i32", "a, b = tl.split(tl.trans(x))\nz = a - b", [I32], I32,
                lambda x: x[0] - x[1], (2, 32), (32,))
    yield block("movement/join_of_join/fp32", "z = tl.join(tl.join(x, y), tl.join(y, x))", [F32, F32], F32,
                lambda x, y: np.stack([np.stack([x, y], -1), np.stack([y, x], -1)], -1), (8,), (8, 2, 2))
    for t in (I8, F16, F32):  # registers follow one dimension, and memory the other
        x, y = (sample(rng(f"join_stored/{t.name}/{n}"), t, (16, 64)) for n in "xy")
        yield Case(f"movement/join_stored/{t.name}",
                   "i = tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :]\n"
                   "tl.store(R + i[:, :, None] * 2 + tl.arange(0, 2)[None, None, :], tl.join(tl.load(X + i), tl.load(Y + i)))",
                   {"X": (t, x), "Y": (t, y), "R": (t, np.zeros((16, 64, 2), t.storage))},
                   {"R": np.stack([x, y], -1)})
    yield block("movement/swizzle/i32", "a, b = tl.swizzle2d(x, y, 8, 8, 4)\nz = a * 8 + b", [I32, I32], I32,
                _swizzle, (8, 8), (8, 8),
                data=[np.repeat(np.arange(8, dtype=np.int32), 8).reshape(8, 8),
                      np.tile(np.arange(8, dtype=np.int32), 8).reshape(8, 8)])
    for bins, n, t in ((16, 64, I32), (64, 32, I32), (2, 16, I32), (128, 128, I64), (16, 64, U8), (16, 64, I16),
                       (16, 64, U32), (256, 16384, I32), (16, 4096, U8), (2048, 64, I32)):
        counted = block(f"movement/histogram/{bins}-{n}-{t.name}", f"z = tl.histogram(x, {bins})", [t], I32,
                        lambda x, m=bins: np.bincount(x.astype(int), minlength=m), (n,), (bins,), low=0, high=bins - 1)
        yield replace(counted, before=() if t in (I32, U32) else (3, 9))  # 3.9 accepts only 32 bits
    yield block("movement/histogram_mask/i32", "z = tl.histogram(x, 16, mask=x > 3)", [I32], I32,
                lambda x: np.bincount(x[x > 3], minlength=16), (64,), (16,), low=0, high=15)
    yield block("movement/histogram_mask/4096-i32", "h = tl.histogram(x, 512, mask=x % 3 != 1)\n"
                "z = tl.sort(h) + tl.cumsum(tl.histogram(x // 2, 512), 0)", [I32], I32,
                lambda x: np.sort(np.bincount(x[x % 3 != 1], minlength=512))
                + np.cumsum(np.bincount(x // 2, minlength=512)), (4096,), (512,), low=0, high=511)


def _swizzle(i, j, size_i=8, size_j=8, size_g=4):
    ij = i * size_j + j
    group = ij // (size_g * size_j)
    first = group * size_g
    size_g = np.minimum(size_i - first, size_g)
    ij = ij % (4 * size_j)
    return (first + ij % size_g) * 8 + ij // size_g


def products():
    for m, k, n in ((16, 16, 16), (1, 1, 1), (4, 8, 2), (16, 32, 8), (1, 16, 16), (32, 16, 32), (2, 64, 4)):
        s = f"{m}x{k}x{n}"
        for t, out in ((F32, F32), (F16, F32), (BF16, F32), (F64, F64), (I8, I32), (E4NV, F32),
                       (E5, F32), (E4B8, F32), (E5B16, F32), (F16, F16)):
            if t not in (F32, F16) and s not in ("16x16x16", "4x8x2"):
                continue
            dtype = f", out_dtype=tl.{out.lang}" if out.name not in ("fp32", "i32", "fp64") else ""
            yield block(f"products/dot/{t.name}-{out.name}-{s}", f"z = tl.dot(x, y{dtype})", [t, t], out,
                        lambda x, y, o=out: x.astype(float if o.kind == "f" else int)
                        @ y.astype(float if o.kind == "f" else int), [(m, k), (k, n)], (m, n),
                        tolerance=0.0 if out.kind == "i" else (1e-2 if out is F16 else 1e-4),
                        absolute=0.0 if out.kind == "i" else (1e-1 if out is F16 else 1e-4))
    for t in (F32, F16, I8):
        out = I32 if t is I8 else F32
        yield block(f"products/batched/{t.name}", "z = tl.dot(x, y)", [t, t], out,
                    lambda x, y, o=out: x.astype(float if o.kind == "f" else int)
                    @ y.astype(float if o.kind == "f" else int), [(4, 8, 4), (4, 4, 8)], (4, 8, 8),
                    tolerance=0.0 if out is I32 else 1e-4, absolute=0.0 if out is I32 else 1e-4)
    # Batches of realistic size, which become loops instead of unrolled code.
    for n, m, k in ((8, 32, 64), (2, 64, 64), (1, 16, 32)):
        for t, out in ((F32, F32), (F16, F32), (BF16, F32), (F64, F64), (I8, I32), (E5, F32), (F16, F16)):
            dtype = f", out_dtype=tl.{out.lang}" if out is F16 else ""
            yield block(f"products/batched/{t.name}-{out.name}-{n}x{m}x{k}x{m}",
                        f"z = tl.dot(x, y{dtype})", [t, t], out,
                        lambda x, y, o=out: x.astype(float if o.kind == "f" else int)
                        @ y.astype(float if o.kind == "f" else int), [(n, m, k), (n, k, m)], (n, m, m),
                        tolerance=0.0 if out is I32 else (1e-2 if out is F16 else 1e-4),
                        absolute=0.0 if out is I32 else (5e-1 if out is F16 else 1e-3))
    for p in ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"):
        yield block(f"products/precision/{p}", f"z = tl.dot(x, y, input_precision='{p}')", [F32, F32], F32,
                    lambda x, y: x @ y, [(16, 16), (16, 16)], (16, 16), tolerance=1e-2, absolute=1e-1)
    yield block("products/accumulator/fp16", "z = tl.dot(x, y, acc=tl.full((16, 16), 2.0, tl.float32))",
                [F16, F16], F32, lambda x, y: x.astype(float) @ y + 2, [(16, 8), (8, 16)], (16, 16), 1e-4,
                absolute=1e-4)
    yield block("products/transposed/fp16", "z = tl.dot(x, tl.trans(y))", [F16, F16], F32,
                lambda x, y: x.astype(float) @ y.T.astype(float), [(16, 8), (16, 8)], (16, 16), 1e-4, absolute=1e-4)
    yield block("products/chain/fp16", "z = tl.dot(tl.dot(x, y).to(tl.float16), x)", [F16, F16], F32,
                lambda x, y: (x.astype(float) @ y).astype(np.float16).astype(float) @ x, [(16, 16), (16, 16)],
                (16, 16), 1e-2, low=-1, high=1, absolute=1e-2)
    yield block("products/softmax_between/fp32",
                "s = tl.dot(x, tl.trans(y))\np = tl.exp(s - tl.max(s, 1)[:, None])\n"
                "z = tl.dot(p, y) / tl.sum(p, 1)[:, None]", [F32, F32], F32, _attend, [(16, 8), (16, 8)], (16, 8),
                1e-4, absolute=1e-5)


def _attend(q, k):
    s = q.astype(float) @ k.T
    p = np.exp(s - s.max(1, keepdims=True))
    return p @ k / p.sum(1, keepdims=True)


def scaled():
    """dot_scaled, with a power of two as the scale of 32 elements along the inner dimension."""
    formats = {"e4m3": E4NV, "e5m2": E5, "bf16": BF16, "fp16": F16, "e2m1": None}
    e2m1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, 0, -.5, -1, -1.5, -2, -3, -4, -6])
    m, k, n = 16, 64, 16
    for fa, ta in formats.items():
        for fb, tb in formats.items():
            for has_scales in ("both", "left", "none"):
                if has_scales != "both" and (fa, fb) not in (("e4m3", "bf16"), ("e5m2", "e5m2"), ("e2m1", "bf16")):
                    continue
                name = f"scaled/{fa}-{fb}/{has_scales}"
                draw = rng(name)
                make = lambda t, shape: (sample(draw, t, shape) if t else draw.integers(0, 256, shape).astype(np.uint8))
                a = make(ta, (m, k if ta else k // 2))
                b = make(tb, (k if tb else k // 2, n))
                sa, sb = (draw.integers(125, 130, (rows, k // 32)).astype(np.uint8) for rows in (m, n))
                number = lambda t, v, axis: (t.decode(v).astype(float) if t else np.stack(
                    [e2m1[v & 15], e2m1[v >> 4]], axis + 1).reshape([s * (2 if i == axis else 1)
                                                                    for i, s in enumerate(v.shape)]))
                x, y = number(ta, a, 1), number(tb, b, 0)
                left, right = has_scales != "none", has_scales == "both"
                if left:
                    x = x * np.repeat(2.0**(sa.astype(float) - 127), 32, 1)
                if right:
                    y = y * np.repeat(2.0**(sb.astype(float) - 127), 32, 1).T
                body = (f"x = tl.load(X + {offsets(a.shape)})\ny = tl.load(Y + {offsets(b.shape)})\n"
                        f"s = tl.load(S + {offsets(sa.shape)})\nt = tl.load(T + {offsets(sb.shape)})\n"
                        f"z = tl.dot_scaled(x, {'s' if left else None}, '{fa}', y, {'t' if right else None}, '{fb}')\n"
                        f"tl.store(R + {offsets((m, n))}, z)")
                arguments = {"X": (ta or U8, a), "Y": (tb or U8, b), "S": (U8, sa), "T": (U8, sb),
                             "R": (F32, np.zeros((m, n), np.float32))}
                yield Case(name, body, arguments, {"R": x @ y}, 1e-2, absolute=0.05)


def cases():
    for family in (reductions, scans, movements, large_movements, products, scaled):
        yield from family()
