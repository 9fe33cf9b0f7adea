"""Element-wise operators, functions and conversions."""
import math

import numpy as np

from case import elementwise
from values import *  # noqa: F403 - types are used by their names


def _c_divide(x, y):
    """Divides and rounds towards zero, as Triton's // on tensors does."""
    quotient = np.abs(x.astype(object)) // np.abs(y.astype(object))
    return np.where((x < 0) != (y < 0), -quotient, quotient)


def _wrapped(reference, type):
    """Wraps a reference on integers of any size to the low bits of the type."""
    def wrap(*operands):
        result = np.asarray(reference(*[o.astype(object) for o in operands]))
        bits = np.array([int(v) & ((1 << type.bits) - 1) for v in result.reshape(-1)], np.uint64)
        return bits.astype(f"u{type.bits // 8}").view(type.storage).reshape(result.shape)
    return wrap


def _nonzero(rng_name, type, shape=(64,)):
    from case import rng
    draw = rng(rng_name)
    y = sample(draw, type, shape)
    y[y == 0] = 3
    return [sample(draw, type, shape), y]


def operators():
    for t in INTEGERS:
        for name, text, ref in (("add", "x + y", lambda x, y: x + y), ("sub", "x - y", lambda x, y: x - y),
                                ("mul", "x * y", lambda x, y: x * y), ("and", "x & y", lambda x, y: x & y),
                                ("or", "x | y", lambda x, y: x | y), ("xor", "x ^ y", lambda x, y: x ^ y)):
            yield elementwise(f"operators/{name}/{t.name}", text, [t, t], t, _wrapped(ref, t))
        yield elementwise(f"operators/not/{t.name}", "~x", [t], t, lambda x: ~x)
        yield elementwise(f"operators/minus/{t.name}", "0 - x", [t], t, _wrapped(lambda x: -x, t))
        div = f"operators/floordiv/{t.name}"
        yield elementwise(div, "x // y", [t, t], t, _wrapped(lambda x, y: _c_divide(x, y), t),
                          data=_nonzero(div, t))
        rem = f"operators/mod/{t.name}"
        yield elementwise(rem, "x % y", [t, t], t, _wrapped(lambda x, y: x - y * _c_divide(x, y), t),
                          data=_nonzero(rem, t))
        yield elementwise(f"operators/shl/{t.name}", "x << y", [t, t], t,
                          _wrapped(lambda x, y: x * 2**y, t), low=[None, 0], high=[None, t.bits - 1])
        yield elementwise(f"operators/shr/{t.name}", "x >> y", [t, t], t,
                          _wrapped(lambda x, y: x // 2**y, t), low=[None, 0], high=[None, t.bits - 1])
        yield elementwise(f"operators/truediv/{t.name}", "x / y", [t, t], F32,
                          lambda x, y: x.astype(float) / y, data=_nonzero(div, t))
    for t in FLOATS:
        for name, text, ref in (("add", "x + y", lambda x, y: x + y), ("sub", "x - y", lambda x, y: x - y),
                                ("mul", "x * y", lambda x, y: x * y), ("truediv", "x / y", lambda x, y: x / y),
                                ("mod", "x % y", np.fmod)):
            yield elementwise(f"operators/{name}/{t.name}", text, [t, t], t, ref)
        yield elementwise(f"operators/minus/{t.name}", "-x", [t], t, lambda x: -x)
    for t in NUMBERS:
        few = dict(low=-3, high=3) if t.kind != "u" else dict(low=0, high=4)
        for name, text, ref in (("eq", "x == y", np.equal), ("ne", "x != y", np.not_equal),
                                ("lt", "x < y", np.less), ("le", "x <= y", np.less_equal),
                                ("gt", "x > y", np.greater), ("ge", "x >= y", np.greater_equal)):
            yield elementwise(f"comparisons/{name}/{t.name}", text, [t, t], I1, ref, **few)
        yield elementwise(f"operators/where/{t.name}", "tl.where(y > x, x, y)", [t, t], t, np.minimum)
    for name, text, ref in (("and", "x & y", np.logical_and), ("or", "x | y", np.logical_or),
                            ("xor", "x ^ y", np.logical_xor), ("eq", "x == y", np.equal),
                            ("not", "~x", lambda x, y: ~x), ("logical_not", "not x", lambda x, y: ~x),
                            ("logical_and", "x.logical_and(y)", np.logical_and),
                            ("logical_or", "x.logical_or(y)", np.logical_or)):
        yield elementwise(f"operators/{name}/i1", text, [I1, I1], I1, ref)
    mixed = [(I8, I32, I32), (U8, I8, U8), (I16, U16, U16), (I32, I64, I64), (U8, I32, I32), (U32, I64, I64),
             (I32, F32, F32), (I64, F16, F16), (F16, F32, F32), (BF16, F32, F32), (F32, F64, F64),
             (F16, BF16, F16), (I1, I32, I32), (I1, F32, F32), (U32, I32, U32)]
    for a, b, out in mixed:
        as_out = lambda v, o=out: v.astype(o.storage if o.kind in "iu" else np.float64)
        ref = lambda x, y: as_out(x) + as_out(y)
        yield elementwise(f"operators/add/{a.name}-{b.name}", "x + y", [a, b], out,
                          (lambda x, y, o=out, r=as_out: r(x, o) + r(y, o)), low=0, high=20,
                          absolute=40 * out.epsilon if out.kind == "f" else 0.0)


def functions():
    both = FLOATS
    for t in (F32, F64, F16, BF16):
        tol = {F32: 4e-6, F64: 1e-14}.get(t)
        kw = dict(tolerance=tol) if tol else {}
        wide = t in (F32, F64)
        x_of = lambda s: s if wide else f"({s}.to(tl.float32))"
        for name, ref, low, high in (("exp", np.exp, -8, 8), ("exp2", np.exp2, -8, 8), ("log", np.log, .01, 90),
                                     ("log2", np.log2, .01, 90), ("sin", np.sin, -9, 9), ("cos", np.cos, -9, 9),
                                     ("sqrt", np.sqrt, 0, 90), ("rsqrt", lambda x: 1 / np.sqrt(x), .01, 90),
                                     ("erf", np.vectorize(math.erf), -3, 3)):
            kw_here = dict(kw)
            yield elementwise(f"functions/{name}/{t.name}", f"tl.{name}({x_of('x')})", [t], t, ref, low=low,
                              high=high, absolute=1e-6 if not wide or t is F32 else 1e-14, **kw_here)
        for name, ref in (("floor", np.floor), ("ceil", np.ceil)):
            yield elementwise(f"functions/{name}/{t.name}", f"tl.{name}({x_of('x')})", [t], t, ref)
        yield elementwise(f"functions/sigmoid/{t.name}", f"tl.sigmoid({x_of('x')})", [t], t,
                          lambda x: 1 / (1 + np.exp(-x.astype(float))), **kw)
        yield elementwise(f"functions/fma/{t.name}", "tl.fma(x, y, z)", [t, t, t], t,
                          lambda x, y, z: x.astype(float) * y + z, absolute=8 * t.epsilon)
        yield elementwise(f"functions/clamp/{t.name}", "tl.clamp(x, y, z)", [t, t, t], t,
                          lambda x, y, z: np.minimum(np.maximum(x, y), z), low=[-4, -2, 0], high=[4, 0, 2])
    for t in NUMBERS:
        yield elementwise(f"functions/minimum/{t.name}", "tl.minimum(x, y)", [t, t], t, np.minimum)
        yield elementwise(f"functions/maximum/{t.name}", "tl.maximum(x, y)", [t, t], t, np.maximum)
        yield elementwise(f"functions/abs/{t.name}", "tl.abs(x)", [t], t, np.abs)
    for t in (I32, U32, I64, U64):
        yield elementwise(f"functions/umulhi/{t.name}", "tl.umulhi(x, y)", [t, t], t,
                          lambda x, y, n=t.bits, s=t.storage: np.array(
                              [((int(a) % 2**n) * (int(b) % 2**n)) >> n for a, b in zip(x, y)],
                              f"u{n // 8}").view(s))
    for name, text in (("sqrt_rn", "tl.sqrt_rn(x)"),):
        yield elementwise(f"functions/{name}/fp32", text, [F32], F32, np.sqrt, low=0, high=90, tolerance=1e-7)
    yield elementwise("functions/div_rn/fp32", "tl.div_rn(x, y)", [F32, F32], F32, lambda x, y: x / y,
                      tolerance=1e-7)
    yield elementwise("functions/fdiv/fp32", "tl.fdiv(x, y)", [F32, F32], F32, lambda x, y: x / y)
    yield elementwise("functions/fdiv_ieee/fp32", "tl.fdiv(x, y, ieee_rounding=True)", [F32, F32], F32,
                      lambda x, y: x / y, tolerance=1e-7)
    for t in (F16, BF16, F32, F64):
        nan = t.encode(np.array([np.nan, 1, np.nan, 2] * 16)), t.encode(np.array([1, np.nan, np.nan, 3.] * 16))
        yield elementwise(f"functions/maximum_nan/{t.name}",
                          "tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)", [t, t], t, np.maximum,
                          data=list(nan))
        yield elementwise(f"functions/minimum_nan_none/{t.name}", "tl.minimum(x, y)", [t, t], t, np.fmin,
                          data=list(nan))
        yield elementwise(f"functions/clamp_nan/{t.name}",
                          "tl.clamp(x, 0.5, 1.5, propagate_nan=tl.PropagateNan.ALL)", [t], t,
                          lambda x: np.clip(x, 0.5, 1.5), data=[nan[0]])


def conversions():
    everything = [I1] + INTEGERS + FLOATS + EIGHTS
    for a in everything:
        for b in everything:
            if a is b or (a in EIGHTS and b not in FLOATS) or (b in EIGHTS and a not in FLOATS):
                continue
            low, high = (-100, 100) if a.kind != "u" and b.kind != "u" else (0, 100)
            if a in EIGHTS or b in EIGHTS:
                low, high = (-1.8, 1.8) if E4B15 in (a, b) else (-50, 50)
            if a.kind == b.kind and a.kind in "iu":
                low = high = None

            def ref(x, a=a, b=b):
                if b.kind in "iu" and a.kind == "f":
                    return np.trunc(x.astype(float)).astype(b.storage)
                return x if a.kind != "b" else x.astype(np.int8)
            out = elementwise(f"conversions/cast/{a.name}-{b.name}", f"x.to(tl.{b.lang})", [a], b, ref,
                              low=low, high=high, tolerance=0.0 if b.kind != "f" or True else None)
            yield out
    for a, b in ((F32, I32), (I32, F32), (F16, I16), (BF16, I16), (I16, BF16), (F64, I64), (I64, F64), (E5, I8),
                 (I8, E4NV), (U32, F32), (F16, BF16), (I8, U8)):
        case = elementwise(f"conversions/bitcast/{a.name}-{b.name}", f"x.to(tl.{b.lang}, bitcast=True)", [a], b,
                           lambda x: np.zeros(64))
        case.expected, case.tolerance = {"R": case.arguments["X"][1].view(b.storage)}, 0.0
        yield case
    for a, b in ((F32, F16), (F32, BF16), (F32, E4B15), (F16, E4B15)):
        def toward_zero(x, b=b):
            bits = x.astype(np.float64)
            near = b.decode(b.encode(bits)).astype(np.float64)
            codes = b.encode(near)
            step = codes.view(f"u{codes.itemsize}")
            less = b.decode((step - 1).view(codes.dtype))
            return np.where(np.abs(near) > np.abs(bits), less, near)
        yield elementwise(f"conversions/rtz/{a.name}-{b.name}",
                          f"x.to(tl.{b.lang}, fp_downcast_rounding='rtz')", [a], b, toward_zero, tolerance=0.0,
                          low=-1.8 if b is E4B15 else None, high=1.8 if b is E4B15 else None)
    # Ties, subnormal numbers, and numbers out of range.
    edges = np.array([0.0, -0.0, 2.0**-18, 3 * 2.0**-18, 5 * 2.0**-18, 2.0**-14, 15 * 2.0**-18, 2.0**-19, 1.0625, 1.1875,
                      1.8125, 1.875, 1.9, -2.0, np.nan, -np.inf] * 4, np.float32)
    yield elementwise("conversions/edges/fp32-fp8e4b15", "x.to(tl.float8e4b15)", [F32], E4B15,
                      lambda x: np.clip(np.where(np.isnan(x), 1.875, x), -1.875, 1.875), data=[edges], tolerance=0.0)
    for a in (F32, F16, BF16, F64):
        for b, most in ((E4NV, 448.0), (E5, 57344.0), (E4B8, 240.0), (E5B16, 57344.0)):
            beyond = np.array([1, most, most * 1.03, most * 1.1, np.inf, -np.inf, -most * 1.1, np.nan] * 8)
            yield elementwise(f"conversions/beyond/{a.name}-{b.name}", f"x.to(tl.{b.lang})", [a], b,
                              lambda x, most=most: np.clip(x.astype(float), -most, most),
                              data=[a.encode(beyond)], tolerance=0.0)


def shapes():
    for shape in ((1,), (2,), (128,), (1, 1), (4, 16), (16, 4), (1, 32), (32, 1), (2, 4, 8), (8, 1, 4), (4, 4, 4)):
        name = "x".join(map(str, shape))
        yield elementwise(f"shapes/add/{name}", "x + y", [F32, F32], F32, lambda x, y: x + y, shape=shape)
        yield elementwise(f"shapes/add/{name}-i8", "x + y", [I8, I8], I8, lambda x, y: x + y, shape=shape)


def cases():
    for family in (operators, functions, conversions, shapes):
        yield from family()
