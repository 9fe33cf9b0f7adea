"""Floating-point arithmetic and mathematical functions, within the bounds of docs/precision.md."""
import math

import numpy as np

from corpus.case import Buffer, Launch, case, from_bf16, to_bf16

COUNT = 256

# name: (reference, lowest, highest, bound in ulp for f32 and f64, absolute error allowed in f32).
# Native instructions have Vulkan's own bounds.
FUNCTIONS = {
    "exp": (np.exp, -80, 80, 3 + 2 * 80, 1, 0), "exp2": (np.exp2, -100, 100, 3 + 2 * 100, 1.5, 0),
    "expm1": (np.expm1, -20, 20, 1.5, 1.5, 0), "log": (np.log, 1e-3, 1e3, 3, 1, 2**-21),
    "log2": (np.log2, 1e-3, 1e3, 3, 1.5, 2**-21), "log10": (np.log10, 1e-3, 1e3, 1.5, 1.5, 0),
    "log1p": (np.log1p, -0.9, 10, 1.5, 1.5, 0), "sin": (np.sin, -1e4, 1e4, 1, 1, 0),
    "cos": (np.cos, -1e4, 1e4, 1, 1, 0), "tan": (np.tan, -100, 100, 1.5, 1.5, 0),
    "asin": (np.arcsin, -1, 1, 1.5, 1.5, 0), "acos": (np.arccos, -1, 1, 1.5, 1.5, 0),
    "atan": (np.arctan, -50, 50, 2, 2, 0), "sinh": (np.sinh, -20, 20, 2, 2, 0),
    "cosh": (np.cosh, -20, 20, 2, 2, 0), "tanh": (np.tanh, -5, 5, 2, 2, 0),
    "asinh": (np.arcsinh, -100, 100, 2, 2, 0), "acosh": (np.arccosh, 1, 100, 2.5, 2.5, 0),
    "atanh": (np.arctanh, -0.99, 0.99, 2, 2, 0), "cbrt": (np.cbrt, -1e3, 1e3, 1, 1, 0),
    "erf": (np.vectorize(math.erf), -4, 4, 1.5, 1.5, 0),
    "erfc": (np.vectorize(math.erfc), -4, 4, 2, 2, 0), "sqrt": (np.sqrt, 0, 1e6, 1, 1, 0),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0.01, 1e3, 2, 2, 0), "floor": (np.floor, -99, 99, 0, 0, 0),
    "ceil": (np.ceil, -99, 99, 0, 0, 0), "trunc": (np.trunc, -99, 99, 0, 0, 0),
    "roundeven": (np.rint, -99, 99, 0, 0, 0), "absf": (np.abs, -99, 99, 0, 0, 0),
    "round": (lambda x: np.trunc(x + np.copysign(0.5, x)), -99, 99, 0, 0, 0),
}


def functions():
    """Registers a kernel for each function and type."""
    kernels = []
    for type in ("bf16", "f16", "f32", "f64"):
        for name in FUNCTIONS:
            kernels.append(f"""
    gpu.func @{name}_{type}(%x: memref<?x{type}>, %y: memref<?x{type}>) kernel
        attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
      %i = gpu.global_id x
      %a = memref.load %x[%i] : memref<?x{type}>
      %b = math.{name} %a : {type}
      memref.store %b, %y[%i] : memref<?x{type}>
      gpu.return
    }}""")
    return "module attributes {gpu.container_module} {\n  gpu.module @functions {" + \
        "".join(kernels) + "\n  }\n}\n"


def function(c, name, type):
    reference, low, high, ulps32, ulps64, absolute = FUNCTIONS[name]
    dtype = np.dtype(f"float{type[1:]}")
    x = c.floats(COUNT, dtype=dtype, low=low, high=high)
    if name in ("round", "roundeven", "floor", "ceil", "trunc"):
        x[::2] = np.rint(x[::2] * 2) / 2  # halves
    exact = reference(x.astype(np.float64)).astype(dtype)
    # The reference is rounded, and NumPy's own f64 functions have errors of a few ulp.
    wide = type == "f64" and ulps64
    ulps = (ulps64 + 4 if wide else 0) if type == "f64" else ulps32 + (0.5 if ulps32 else 0)
    return Launch([Buffer(x), Buffer(np.zeros_like(x), exact, ulps=ulps,
                                     absolute=absolute if type == "f32" else 0)], groups=[4])


# f16 and bf16 are computed in f32 and rounded once; where the target computes in f16, Vulkan's
# bounds for it hold: the lowest and highest arguments there, the bound in ulp, the absolute error
# allowed.
HALF = {"exp": (-8, 8, 1 + 2 * 8, 0), "exp2": (-12, 12, 1 + 2 * 12, 0),
        "log": (1e-3, 1e3, 3, 2**-7), "log2": (1e-3, 1e3, 3, 2**-7), "expm1": (-8, 8, 1, 0),
        "sinh": (-8, 8, 1, 0),
        "cosh": (-8, 8, 1, 0), "sqrt": (0, 6e4, 1, 0), "rsqrt": (0.01, 1e3, 2, 0)}


def narrow_function(c, name, type):
    reference, low, high, *_ = FUNCTIONS[name]
    low, high, ulps, absolute = HALF.get(name, (low, high, 1 if FUNCTIONS[name][3] else 0, 0))
    x = c.floats(COUNT, low=low, high=high)
    if name in ("round", "roundeven", "floor", "ceil", "trunc"):
        x[::2] = np.rint(x[::2] * 2) / 2  # halves
    if type == "f16":
        x = x.astype(np.float16)
        exact = reference(x.astype(np.float64)).astype(np.float16)
        return Launch([Buffer(x), Buffer(np.zeros_like(x), exact, ulps=ulps, absolute=absolute)],
                      groups=[4])
    x = to_bf16(np.clip(x, low, high * (1 - 2**-7) if high > 0 else high))
    exact = to_bf16(reference(from_bf16(x).astype(np.float64)).astype(np.float32))
    return Launch([Buffer(x, type="bf16"),
                   Buffer(np.zeros_like(x), exact, "bf16", ulps=min(ulps, 1), absolute=absolute)],
                  groups=[4])


for _type in ("bf16", "f16"):
    for _name in FUNCTIONS:
        case(functions, f"{_name}_{_type}", quick=_name in ("sin", "exp"))(
            lambda c, name=_name, type=_type: narrow_function(c, name, type))
for _type in ("f32", "f64"):
    for _name in FUNCTIONS:
        case(functions, f"{_name}_{_type}", quick=_name in ("sin", "exp", "round", "erf"))(
            lambda c, name=_name, type=_type: function(c, name, type))


# Arithmetic: each operation rounds once, to its own type. ----------------------------------------

OPERATIONS = ["addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf", "negf",
              "remf"]
PREDICATES = ["oeq", "one", "olt", "oge", "une", "ult", "ord", "uno"]


def float_arithmetic():
    kernels = []
    for type in ("bf16", "f16", "f32", "f64"):
        lines = []
        for row, name in enumerate(OPERATIONS):
            operands = "%a" if name == "negf" else "%a, %b"
            lines += [f"%r{row} = arith.{name} {operands} : {type}",
                      f"%c{row} = arith.constant {row} : index",
                      f"memref.store %r{row}, %out[%c{row}, %i] : memref<10x?x{type}>"]
        for row, name in enumerate(PREDICATES):
            lines += [f"%p{row} = arith.cmpf {name}, %a, %b : {type}",
                      f"%d{row} = arith.constant {row} : index",
                      f"memref.store %p{row}, %is[%d{row}, %i] : memref<8x?xi1>"]
        kernels.append(f"""
    gpu.func @floats_{type}(%x: memref<?x{type}>, %y: memref<?x{type}>,
                            %out: memref<10x?x{type}>, %is: memref<8x?xi1>) kernel
        attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
      %i = gpu.global_id x
      %a = memref.load %x[%i] : memref<?x{type}>
      %b = memref.load %y[%i] : memref<?x{type}>
      """ + "\n      ".join(lines) + """
      gpu.return
    }""")
    return "module attributes {gpu.container_module} {\n  gpu.module @floats {" + \
        "".join(kernels) + "\n  }\n}\n"


def compute(a, b):
    """Computes in a type so wide that rounding its result once more does no harm."""
    nan = np.isnan(a) | np.isnan(b)
    larger, smaller = np.fmax(a, b), np.fmin(a, b)
    larger = np.where((a == 0) & (b == 0), a + b, larger)  # the maximum is -0 only if both are
    smaller = np.where((a == 0) & (b == 0), -(-a + -b), smaller)
    return [a + b, a - b, a * b, a / b, np.where(nan, np.nan, larger),
            np.where(nan, np.nan, smaller), larger, smaller, -a, np.fmod(a, b)]


def floats(c, type):
    dtype = np.dtype("float32" if type == "bf16" else f"float{type[1:]}")
    a, b = c.floats(2, 64, dtype=dtype, low=-8, high=8)
    edges = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.0], dtype)
    a[:49], b[:49] = np.repeat(edges, 7), np.tile(edges, 7)
    if type == "bf16":
        a, b = from_bf16(to_bf16(a)), from_bf16(to_bf16(b))
    wide = np.float64
    with np.errstate(all="ignore"):
        rows = np.stack(compute(a.astype(wide), b.astype(wide)))
    nan = np.isnan(a) | np.isnan(b)
    tests = np.stack([a == b, (a != b) & ~nan, a < b, a >= b, (a != b) | nan, (a < b) | nan, ~nan,
                      nan]).astype(np.uint8)
    flags = Buffer(np.full_like(tests, 9), tests)
    if type == "bf16":
        bits = to_bf16(rows.astype(np.float32))
        return Launch([Buffer(to_bf16(a), type="bf16"), Buffer(to_bf16(b), type="bf16"),
                       Buffer(np.zeros_like(bits), bits, "bf16"), flags])
    with np.errstate(all="ignore"):
        rows = rows.astype(dtype)
    return Launch([Buffer(a), Buffer(b), Buffer(np.zeros_like(rows), rows), flags])


for _type in ("bf16", "f16", "f32", "f64"):
    case(float_arithmetic, f"floats_{_type}", quick=True)(lambda c, type=_type: floats(c, type))
