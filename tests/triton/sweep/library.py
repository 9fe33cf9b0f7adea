"""Functions of libdevice, by their names in the module of Triton's CUDA backend."""
import math

import numpy as np

import library_ends
import library_rounding
from case import elementwise
from values import *  # noqa: F403 - types are used by their names

V = np.vectorize
ONE = {
    "acos": (np.arccos, -.99, .99), "acosh": (np.arccosh, 1.1, 9), "asin": (np.arcsin, -.99, .99),
    "asinh": (np.arcsinh, -9, 9), "atan": (np.arctan, -9, 9), "atanh": (np.arctanh, -.99, .99),
    "cbrt": (np.cbrt, -90, 90), "ceil": (np.ceil, -9, 9), "cos": (np.cos, -9, 9), "cosh": (np.cosh, -5, 5),
    "cospi": (lambda x: np.cos(np.pi * x), -3, 3), "erf": (V(math.erf), -3, 3), "erfc": (V(math.erfc), -2, 3),
    "exp": (np.exp, -9, 9), "exp10": (lambda x: 10.0**x, -4, 4), "exp2": (np.exp2, -9, 9),
    "expm1": (np.expm1, -3, 3), "abs": (np.abs, -9, 9), "floor": (np.floor, -9, 9),
    "lgamma": (V(math.lgamma), .1, 30), "log": (np.log, .01, 90), "log10": (np.log10, .01, 90),
    "log1p": (np.log1p, -.9, 9), "log2": (np.log2, .01, 90), "logb": (lambda x: np.floor(np.log2(x)), .01, 90),
    "nearbyint": (np.rint, -9, 9), "rint": (np.rint, -9, 9), "rcbrt": (lambda x: 1 / np.cbrt(x), .1, 90),
    "round": (lambda x: np.sign(x) * np.floor(np.abs(x) + .5), -9, 9), "rsqrt": (lambda x: x**-.5, .1, 90),
    "sin": (np.sin, -9, 9), "sinh": (np.sinh, -5, 5), "sinpi": (lambda x: np.sin(np.pi * x), -3, 3),
    "sqrt": (np.sqrt, 0, 90), "tan": (np.tan, -1.4, 1.4), "tanh": (np.tanh, -5, 5),
    "tgamma": (V(math.gamma), .5, 9), "trunc": (np.trunc, -9, 9),
    "normcdf": (V(lambda x: .5 * math.erfc(-x / math.sqrt(2))), -3, 3),
    "erfcx": (V(lambda x: math.exp(x * x) * math.erfc(x)), 0, 4),
}
LOOSE = {"lgamma", "tgamma", "erfcx", "erfc", "sinpi", "cospi", "tan", "normcdf"}
TWO = {
    "atan2": (np.arctan2, -9, 9), "copysign": (np.copysign, -9, 9), "fdim": (lambda x, y: np.maximum(x - y, 0), -9, 9),
    "fmod": (np.fmod, 1, 9), "hypot": (np.hypot, -9, 9), "nextafter": (np.nextafter, -9, 9),
    "pow": (np.power, .1, 5), "rhypot": (lambda x, y: 1 / np.hypot(x, y), 1, 9),
    "remainder": (V(math.remainder), 1, 9), "div_rn": (lambda x, y: x / y, 1, 9), "add_rn": (np.add, 1, 9),
    "mul_rn": (np.multiply, 1, 9), "sub_rn": (np.subtract, 1, 9),
}
SINGLE = {  # for f32 only
    "fast_sinf": (np.sin, -3, 3), "fast_cosf": (np.cos, -3, 3), "fast_tanf": (np.tan, -1, 1),
    "fast_expf": (np.exp, -5, 5), "fast_exp10f": (lambda x: 10.0**x, -3, 3), "fast_log2f": (np.log2, .1, 9),
    "fast_logf": (np.log, .1, 9), "fast_log10f": (np.log10, .1, 9), "saturatef": (lambda x: np.clip(x, 0, 1), -2, 2),
    "rcp_rn": (lambda x: 1 / x, 1, 9), "sqrt_rn": (np.sqrt, 0, 9), "rsqrt_rn": (lambda x: x**-.5, 1, 9),
}
TESTS = {"isnan": np.isnan, "isinf": np.isinf, "finitef": np.isfinite, "isfinited": np.isfinite,
         "signbit": np.signbit}


def floats():
    for t in (F32, F64):
        for name, (ref, low, high) in ONE.items():
            loose = 50 if name in LOOSE else 8
            yield elementwise(f"libdevice/{name}/{t.name}", f"libdevice.{name}(x)", [t], t,
                              lambda x, r=ref: r(x.astype(np.float64)), low=low, high=high,
                              tolerance=loose * t.epsilon, absolute=loose * t.epsilon)
        for name, (ref, low, high) in TWO.items():
            yield elementwise(f"libdevice/{name}/{t.name}", f"libdevice.{name}(x, y)", [t, t], t, ref, low=low,
                              high=high, tolerance=8 * t.epsilon, absolute=8 * t.epsilon)
        yield elementwise(f"libdevice/fma/{t.name}", "libdevice.fma(x, y, z)", [t, t, t], t,
                          lambda x, y, z: x.astype(float) * y + z, absolute=8 * t.epsilon)
        yield elementwise(f"libdevice/fma_rn/{t.name}", "libdevice.fma_rn(x, y, z)", [t, t, t], t,
                          lambda x, y, z: x.astype(float) * y + z, absolute=8 * t.epsilon)
        yield elementwise(f"libdevice/norm3d/{t.name}", "libdevice.norm3d(x, y, z)", [t, t, t], t,
                          lambda x, y, z: np.sqrt(x * x + y * y + z * z), tolerance=8 * t.epsilon)
        for name in ("ldexp", "scalbn"):
            yield elementwise(f"libdevice/{name}/{t.name}", f"libdevice.{name}(x, y)", [t, I32], t,
                              lambda x, y: np.ldexp(x, y), low=-9, high=9)
        yield elementwise(f"libdevice/pow_int/{t.name}", "libdevice.pow(x, y)", [t, I32], t,
                          lambda x, y: np.power(x, y), low=[1, -4], high=[3, 4], tolerance=20 * t.epsilon)
        yield elementwise(f"libdevice/ilogb/{t.name}", "libdevice.ilogb(x)", [t], I32,
                          lambda x: np.floor(np.log2(x)), low=.01, high=90)
        for name, ref in TESTS.items():
            if (name == "finitef" and t is F64) or (name == "isfinited" and t is F32):
                continue
            odd = t.encode(np.array([0.5, -1, np.nan, np.inf, -np.inf, 0, 1e30, -2] * 8))
            yield elementwise(f"libdevice/{name}/{t.name}", f"libdevice.{name}(x) != 0", [t], I1, ref, data=[odd])
    yield elementwise("libdevice/rcp64h/fp64", "libdevice.rcp64h(x)", [F64], F64, _upper_inverse, tolerance=0.0)
    for name, (ref, low, high) in SINGLE.items():
        yield elementwise(f"libdevice/{name}/fp32", f"libdevice.{name}(x)", [F32], F32, ref, low=low, high=high,
                          tolerance=1e-5, absolute=1e-5)
    yield elementwise("libdevice/fast_powf/fp32", "libdevice.fast_powf(x, y)", [F32, F32], F32, np.power, low=.2,
                      high=3, tolerance=1e-5)
    yield elementwise("libdevice/fast_dividef/fp32", "libdevice.fast_dividef(x, y)", [F32, F32], F32,
                      lambda x, y: x / y, low=1, high=3, tolerance=1e-5)


def _upper(x):
    return (x.view(np.int64) >> 32 << 32).view(np.float64)


def _upper_inverse(x):
    return _upper(1 / _upper(x))


def integers():
    for t in (I32, I64):
        n = t.bits
        whole = lambda v, n=n: int(v) % 2**n
        for name, ref in (("clz", lambda v, n=n: n - whole(v).bit_length()), ("popc", lambda v: bin(whole(v)).count("1")),
                          ("ffs", lambda v: (whole(v) & -whole(v)).bit_length())):
            yield elementwise(f"libdevice/{name}/{t.name}", f"libdevice.{name}(x)", [t], I32,
                              lambda x, r=ref: np.array([r(v) for v in x]))
        yield elementwise(f"libdevice/brev/{t.name}", "libdevice.brev(x)", [t], t, lambda x, n=n, t=t: np.array(
            [int(f"{int(v) % 2**n:0{n}b}"[::-1], 2) for v in x], f"u{n // 8}").view(t.storage))
        yield elementwise(f"libdevice/abs/{t.name}", "libdevice.abs(x)", [t], t, np.abs)
        yield elementwise(f"libdevice/mulhi/{t.name}", "libdevice.mulhi(x, y)", [t, t], t,
                          lambda x, y, n=n: np.array([(int(a) * int(b)) >> n for a, b in zip(x, y)]))
    yield elementwise("libdevice/mul24/i32", "libdevice.mul24(x, y)", [I32, I32], I32, lambda x, y: x * y,
                      low=-2000, high=2000)
    yield elementwise("libdevice/sad/i32", "libdevice.sad(x, y, z.to(tl.uint32))", [I32, I32, U32], I32,
                      lambda x, y, z: np.abs(x - y) + z, low=0, high=1000)
    yield elementwise("libdevice/hadd/i32", "libdevice.hadd(x, y)", [I32, I32], I32,
                      lambda x, y: (x.astype(np.int64) + y) >> 1)
    yield elementwise("libdevice/rhadd/i32", "libdevice.rhadd(x, y)", [I32, I32], I32,
                      lambda x, y: (x.astype(np.int64) + y + 1) >> 1)
    yield elementwise("libdevice/byte_perm/i32", "libdevice.byte_perm(x, y, z)", [I32, I32, I32], I32, _byte_perm)


def _byte_perm(x, y, z):
    out = []
    for a, b, s in zip(x, y, z):
        both = int(a) % 2**32 | (int(b) % 2**32) << 32
        out.append(sum((both >> (8 * ((int(s) % 2**32) >> (4 * i) & 7)) & 255) << (8 * i) for i in range(4)))
    return np.array(out, np.uint32).view(np.int32)


def bits():
    for name, a, b, low, high in (("float_as_int", F32, I32, None, None), ("int_as_float", I32, F32, 0, 1 << 30),
                                  ("float_as_uint", F32, U32, None, None), ("uint_as_float", U32, F32, 0, 1 << 30),
                                  ("double_as_longlong", F64, I64, None, None),
                                  ("longlong_as_double", I64, F64, 0, 1 << 61)):
        case = elementwise(f"libdevice/{name}", f"libdevice.{name}(x)", [a], b, lambda x: np.zeros(64), low=low,
                           high=high)
        case.expected, case.tolerance = {"R": case.arguments["X"][1].view(b.storage)}, 0.0
        yield case
    halves = lambda x: x.view(np.uint32).view(np.int32).reshape(-1, 2)
    for name, half in (("double2loint", 0), ("double2hiint", 1)):
        yield elementwise(f"libdevice/{name}", f"libdevice.{name}(x)", [F64], I32, lambda x, h=half: halves(x)[:, h])
    yield elementwise("libdevice/hiloint2double", "libdevice.hiloint2double(x, y)", [I32, I32], F64,
                      lambda high, low: np.stack([low, high], -1).view(np.float64)[:, 0], tolerance=0.0)


def cases():
    for family in (floats, integers, bits, library_ends.cases, library_rounding.cases):
        yield from family()
