"""Functions of several arguments or results, tests of floats, and fast approximations."""
import math

import numpy as np

from corpus.elementwise import COUNT, FLOATS, Module, decode, encode, output

MODULE = Module("mathematics")
# Results are rounded once from f32, and so is the reference. For f32 and f64, docs/precision.md has the bounds; f64
# adds the error of NumPy's own functions.
NARROW = {"bf16": 1, "f16": 1}
EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.0]


def with_edges(c, type):
    """Returns two inputs that combine every pair of special values."""
    values = c.floats(2, COUNT, dtype=np.float64)
    values[0][:49], values[1][:49] = np.repeat(EDGES, 7), np.tile(EDGES, 7)
    return [encode(v, type) for v in values]


def add_exact(type):
    """Tests functions that do not round, or that are defined by bits."""
    def fma(c):  # halves and quarters give the same result with and without fusing
        arrays = [encode(c.integers(COUNT, low=-4, high=5) / 2, type) for _ in range(3)]
        a, b, d = (decode(array, type) for array in arrays)
        return arrays, [output(encode(a * b + d, type), type)]

    def copysign(c):
        arrays = with_edges(c, type)
        arrays[0][np.isnan(decode(arrays[0], type))] = encode(3, type)  # a NaN's sign may be lost
        return arrays, [output(encode(np.copysign(*(decode(v, type) for v in arrays)), type), type)]

    def clampf(c):
        x = with_edges(c, type)[0]
        low, high = (encode(np.full(COUNT, v), type) for v in (-1.5, 2.25))
        low[::3] = encode(-np.inf, type)
        exact = np.clip(decode(x, type), decode(low, type), decode(high, type))
        return [x, low, high], [output(encode(exact, type), type)]

    add = MODULE.add
    add(f"fma_{type}", [type] * 3, [type], [f"%r0 = math.fma %a0, %a1, %a2 : {type}"], fma,
        quick=True)
    add(f"copysign_{type}", [type] * 2, [type], [f"%r0 = math.copysign %a0, %a1 : {type}"],
        copysign, quick=True)
    add(f"clampf_{type}", [type] * 3, [type], [f"%r0 = math.clampf %a0 to [%a1, %a2] : {type}"],
        clampf, quick=True)


def add_tests(type):
    """Returns the bits of every kind of number, including subnormal ones."""
    def tests(c):
        kind = np.uint16 if type == "bf16" else f"uint{type[1:]}"
        largest = np.iinfo(kind).max
        bits = c.integers(COUNT, dtype=kind, low=0, high=largest)
        mantissa = {"bf16": 7, "f16": 10, "f32": 23, "f64": 52}[type]
        exponents = np.array((largest >> 1) >> mantissa << mantissa, kind)  # infinity
        sign = np.array(largest - (largest >> 1), kind)
        bits[:8] = [0, sign, exponents, exponents | sign, exponents | 1, 1, sign | 5,
                    exponents | sign | (exponents >> 1 & ~exponents)]
        exponent, fraction = bits & exponents, bits & ~(exponents | sign)
        every = exponent == exponents
        expect = [~every, every & (fraction == 0), every & (fraction != 0),
                  ~every & (exponent != 0)]
        array = bits if type == "bf16" else bits.view(f"float{type[1:]}")
        return [array], [output(e.astype(np.uint8)) for e in expect]

    names = ["isfinite", "isinf", "isnan", "isnormal"]
    MODULE.add(f"classify_{type}", [type], ["i1"] * 4,
               [f"%r{i} = math.{name} %a0 : {type}" for i, name in enumerate(names)], tests,
               quick=True)


def add_functions(type):
    bound = NARROW.get(type)

    def sincos(c):
        x = encode(c.floats(COUNT, dtype=np.float64, low=-100, high=100), type)
        ulps = bound or {"f32": 1.5, "f64": 5}[type]
        return [x], [output(encode(f(decode(x, type)), type), type, ulps=ulps)
                     for f in (np.sin, np.cos)]

    def atan2(c):
        y, x = (encode(c.floats(COUNT, dtype=np.float64), type) for _ in range(2))
        y[:4], x[:4] = encode([0.0, -0.0, 0.0, -0.0], type), encode([1, 1, -1, -1], type)
        exact = encode(np.arctan2(decode(y, type), decode(x, type)), type)
        return [y, x], [output(exact, type, ulps=bound or {"f32": 2.5, "f64": 6}[type])]

    def powf(c):
        x = encode(c.floats(COUNT, dtype=np.float64, low=0.1, high=4), type)
        y = encode(c.floats(COUNT, dtype=np.float64, low=-5, high=5), type)
        x[:4], y[:4] = encode([-2, -2, -3, 0], type), encode([3, -2, 0, 2], type)
        exact = encode(decode(x, type) ** decode(y, type), type)
        return [x, y], [output(exact, type, ulps=bound or {"f32": 1.5, "f64": 5}[type])]

    def fpowi(c):
        x = encode(c.floats(COUNT, dtype=np.float64, low=-3, high=3), type)
        x[np.abs(decode(x, type)) < 0.25] = encode(0.5, type)
        n = c.integers(COUNT, low=-5, high=9)
        exact = encode(decode(x, type) ** n, type)
        return [x, n], [output(exact, type, ulps=bound or {"f32": 1.5, "f64": 5}[type])]

    add = MODULE.add
    add(f"sincos_{type}", [type], [type] * 2, [f"%r0, %r1 = math.sincos %a0 : {type}"], sincos)
    add(f"atan2_{type}", [type] * 2, [type], [f"%r0 = math.atan2 %a0, %a1 : {type}"], atan2)
    add(f"powf_{type}", [type] * 2, [type], [f"%r0 = math.powf %a0, %a1 : {type}"], powf)
    add(f"fpowi_{type}", [type, "i32"], [type], [f"%r0 = math.fpowi %a0, %a1 : {type}, i32"], fpowi)


for _type in FLOATS:
    add_exact(_type)
    add_tests(_type)
    add_functions(_type)


def add_integer_power(width):
    def ipowi(c):
        base = c.integers(COUNT, dtype=f"int{width}")
        power = c.integers(COUNT, dtype=f"int{width}", low=-3, high=20)
        base[(base == 0) & (power < 0)] = 3  # a division by zero is undefined
        base[:6], power[:6] = [1, -1, -1, 0, 2, 7], [-5, -3, -2, 0, -1, 1]
        expect = []
        for b, n in zip(base.tolist(), power.tolist()):
            value = b**n if n >= 0 else {1: 1, -1: -1 if n % 2 else 1}.get(b, 0)
            expect.append(value & ((1 << width) - 1))
        return [base, power], [output(np.array(expect, f"uint{width}").view(f"int{width}"))]

    MODULE.add(f"ipowi_i{width}", [f"i{width}"] * 2, [f"i{width}"],
               [f"%r0 = math.ipowi %a0, %a1 : i{width}"], ipowi)


for _width in (8, 16, 32, 64):
    add_integer_power(_width)

# `afn` in f32: the functions of GLSL.std.450, with the bounds of Vulkan's table
# (absolute, or in ulp). Functions that Vulkan derives from others have wider bounds.
FAST = {
    "sin": (np.sin, -math.pi, math.pi, 2**-11, 0), "cos": (np.cos, -math.pi, math.pi, 2**-11, 0),
    "tan": (np.tan, -1, 1, 2**-8, 0), "asin": (np.arcsin, -0.9, 0.9, 2**-9, 4096),
    "acos": (np.arccos, -0.9, 0.9, 2**-9, 4096), "atan": (np.arctan, -50, 50, 0, 4096),
    "sinh": (np.sinh, -4, 4, 2**-15, 64), "cosh": (np.cosh, -4, 4, 0, 64),
    "tanh": (np.tanh, -4, 4, 2**-15, 64), "asinh": (np.arcsinh, -4, 50, 2**-12, 64),
    "acosh": (np.arccosh, 1.5, 50, 2**-15, 64), "atanh": (np.arctanh, -0.9, 0.9, 2**-15, 64),
}


def add_fast(name):
    reference, low, high, absolute, ulps = FAST[name]

    def make(c):
        x = c.floats(COUNT, low=low, high=high)
        exact = reference(x.astype(np.float64)).astype(np.float32)
        return [x], [output(exact, absolute=absolute, ulps=ulps)]

    MODULE.add(f"fast_{name}", ["f32"], ["f32"],
               [f"%r0 = math.{name} %a0 fastmath<afn> : f32"], make)


for _name in FAST:
    add_fast(_name)


def fast_atan2(c):
    y, x = c.floats(2, COUNT)
    return [y, x], [output(np.arctan2(y, x), ulps=4096)]


def fast_powf(c):  # exp2(y log2 x)
    x, y = c.floats(COUNT, low=0.5, high=4), c.floats(COUNT, low=-3, high=3)
    return [x, y], [output(x**y, relative=2**-16)]


MODULE.add("fast_atan2", ["f32"] * 2, ["f32"],
           ["%r0 = math.atan2 %a0, %a1 fastmath<afn> : f32"], fast_atan2)
MODULE.add("fast_powf", ["f32"] * 2, ["f32"],
           ["%r0 = math.powf %a0, %a1 fastmath<afn> : f32"], fast_powf)
