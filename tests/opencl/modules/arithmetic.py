"""Arithmetic, comparisons, logic and conversions: every instruction, type and width of vectors."""
import math

import numpy as np

from case import (FLOATS, INTEGERS, NUMPY, WIDTHS, elementwise, integers, of_width, random_of, reals, rows, signed)


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def reverse(a, n):
    return int(f"{a:0{n}b}"[::-1], 2)


# Functions of two numbers and of their bits; the second column says what the second operand is.
INTEGER = {
    "IAdd": lambda a, b, n: a + b, "ISub": lambda a, b, n: a - b, "IMul": lambda a, b, n: a * b,
    "BitwiseAnd": lambda a, b, n: a & b, "BitwiseOr": lambda a, b, n: a | b, "BitwiseXor": lambda a, b, n: a ^ b,
    "UDiv": lambda a, b, n: a // b, "UMod": lambda a, b, n: a % b,
    "SDiv": lambda a, b, n: truncated(signed(a, n), signed(b, n)),
    "SRem": lambda a, b, n: signed(a, n) - truncated(signed(a, n), signed(b, n)) * signed(b, n),
    "SMod": lambda a, b, n: signed(a, n) % signed(b, n),
    "ShiftLeftLogical": lambda a, b, n: a << b, "ShiftRightLogical": lambda a, b, n: a >> b,
    "ShiftRightArithmetic": lambda a, b, n: signed(a, n) >> b,
}
UNARY = {"SNegate": lambda a, n: -a, "Not": lambda a, n: ~a, "BitCount": lambda a, n: bin(a).count("1")}
COMPARED = {"IEqual": lambda a, b: a == b, "INotEqual": lambda a, b: a != b, "UGreaterThan": lambda a, b: a > b,
            "UGreaterThanEqual": lambda a, b: a >= b, "ULessThan": lambda a, b: a < b,
            "ULessThanEqual": lambda a, b: a <= b}
SIGNED = {"SGreaterThan": "UGreaterThan", "SGreaterThanEqual": "UGreaterThanEqual", "SLessThan": "ULessThan",
          "SLessThanEqual": "ULessThanEqual"}
REAL = {"FAdd": lambda a, b: a + b, "FSub": lambda a, b: a - b, "FMul": lambda a, b: a * b, "FRem": math.fmod,
        "FMod": lambda a, b: math.fmod(a, b) + (b if math.fmod(a, b) and (math.fmod(a, b) < 0) != (b < 0) else 0),
        "FDiv": lambda a, b: a / b}
ORDERED = {"Equal": lambda a, b: a == b, "NotEqual": lambda a, b: a != b, "LessThan": lambda a, b: a < b,
           "GreaterThan": lambda a, b: a > b, "LessThanEqual": lambda a, b: a <= b,
           "GreaterThanEqual": lambda a, b: a >= b}
CLASSES = {"IsNan": math.isnan, "IsInf": math.isinf, "IsFinite": math.isfinite,
           "SignBitSet": lambda a: math.copysign(1, a) < 0}


def simple(operation, result, *operands):
    return lambda m, *given: m.op(f"Op{operation}", result, *given)


def case_of(operation, result, operands, values, expect, emit=None, **options):
    name = f"{operation}/{'-'.join(operands)}"
    return elementwise(name, emit or simple(operation, result), [result], operands, values, [expect], **options)


def second(rng, operation, element, n, t, a):
    if operation.startswith("Shift"):
        return random_of(rng, t, n, 0, int(element[1:]))
    b = random_of(rng, t, n)
    if operation[1:] in ("Div", "Mod", "Rem"):
        bits = int(element[1:])
        b = np.where(b == 0, 3, b)  # division by zero, and of the least number by -1, are undefined
        return np.where((b == (1 << bits) - 1) & (a == 1 << bits - 1), 5, b).astype(b.dtype)
    return b


def of_integers(rng):
    for element in INTEGERS:
        bits = int(element[1:])
        for width in WIDTHS:
            t, n, truth = of_width(element, width), rows(width), of_width("bool", width)
            for operation, function in INTEGER.items():
                a = random_of(rng, t, n)
                b = second(rng, operation, element, n, t, a)
                yield case_of(operation, t, (t, t), (a, b), integers(lambda x, y: function(x, y, bits), t, a, b))
            for operation, function in UNARY.items():
                a = random_of(rng, t, n)
                yield case_of(operation, t, (t,), (a,), integers(lambda x: function(x, bits), t, a))
            for operation in (*COMPARED, *SIGNED):
                a, b = random_of(rng, t, n), random_of(rng, t, n)
                b[::3] = a[::3]
                function = COMPARED[SIGNED.get(operation, operation)]
                sign = (lambda v: signed(v, bits)) if operation in SIGNED else (lambda v: v)
                yield case_of(operation, truth, (t, t), (a, b),
                              integers(lambda x, y: function(sign(x), sign(y)), truth, a, b))
            yield from wide_results(rng, element, t, n, bits)


def wide_results(rng, element, t, n, bits):
    functions = {"IAddCarry": lambda a, b: (a + b, a + b >> bits), "ISubBorrow": lambda a, b: (a - b, a < b),
                 "UMulExtended": lambda a, b: (a * b, a * b >> bits),
                 "SMulExtended": lambda a, b: (a * b, signed(a, bits) * signed(b, bits) >> bits)}
    for operation, function in functions.items():
        a, b = random_of(rng, t, n), random_of(rng, t, n)

        def emit(m, x, y, operation=operation):
            both = m.op(f"Op{operation}", m.struct(t, t), x, y)
            return tuple(m.op("OpCompositeExtract", t, both, i) for i in range(2))
        expect = [integers(lambda x, y, i=i: function(x, y)[i], t, a, b) for i in range(2)]
        yield elementwise(f"{operation}/{t}", emit, [t, t], [t, t], [a, b], expect)
    if element in ("i32", "i64"):
        a = random_of(rng, t, n)

        def reversing(m, x):
            m.needs("BitInstructions")
            m.extension("SPV_KHR_bit_instructions")
            return m.op("OpBitReverse", t, x)
        yield case_of("BitReverse", t, (t,), (a,), integers(lambda x: reverse(x, bits), t, a), reversing)


def special(rng, t, n):
    a = random_of(rng, t, n)
    flat = a.reshape(-1)
    flat[:8] = [math.nan, math.inf, -math.inf, -0.0, 0.0, 1.0, math.nan, -math.inf][:flat.size]
    return rng.permutation(flat).reshape(a.shape)


def of_floats(rng):
    for element in FLOATS:
        for width in WIDTHS:
            t, n, truth = of_width(element, width), rows(width), of_width("bool", width)
            for operation, function in REAL.items():
                a, b = random_of(rng, t, n), random_of(rng, t, n)
                loose = {"tolerance": {"ulps": 2.5}} if operation in ("FDiv", "FMod") else {}
                if operation == "FMod":
                    a, b = np.floor(a), np.floor(b) + 0.5  # exact results
                yield case_of(operation, t, (t, t), (a, b), reals(function, t, a, b), **loose)
            a = special(rng, t, n)
            yield case_of("FNegate", t, (t,), (a,), -a)
            for name, function in ORDERED.items():
                a, b = special(rng, t, n), special(rng, t, n)
                b[::3] = a[::3]
                unordered = np.isnan(a) | np.isnan(b)
                found = integers(function, truth, a, b)
                yield case_of(f"FOrd{name}", truth, (t, t), (a, b), np.where(unordered, 0, found))
                yield case_of(f"FUnord{name}", truth, (t, t), (a, b), np.where(unordered, 1, found))
            yield from classes(rng, element, width)
            if width > 1:
                yield from with_vectors(rng, element, width)


def classes(rng, element, width):
    t, n, truth = of_width(element, width), rows(width), of_width("bool", width)
    a, b = special(rng, t, n), special(rng, t, n)
    unordered = np.isnan(a) | np.isnan(b)
    for operation, expect in (("Ordered", ~unordered), ("Unordered", unordered),
                              ("LessOrGreater", ~unordered & (a != b))):
        yield case_of(operation, truth, (t, t), (a, b), expect.astype(np.uint8))
    for operation, function in CLASSES.items():
        yield case_of(operation, truth, (t,), (a,), integers(function, truth, a))
    normal = np.isfinite(a) & (np.abs(a) >= np.finfo(NUMPY[element]).tiny)
    yield case_of("IsNormal", truth, (t,), (a,), normal.astype(np.uint8))


def with_vectors(rng, element, width):
    t, n = of_width(element, width), rows(width)
    a, s = random_of(rng, t, n), random_of(rng, element, n)
    yield case_of("VectorTimesScalar", t, (t, element), (a, s), (a * s).astype(a.dtype))
    a, b = (np.floor(random_of(rng, t, n)) for _ in range(2))  # exact sums
    yield case_of("Dot", element, (t, t), (a, b), (a * b).sum(1).astype(a.dtype))


def of_booleans(rng):
    rules = {"LogicalEqual": lambda a, b: a == b, "LogicalNotEqual": lambda a, b: a != b,
             "LogicalOr": lambda a, b: a | b, "LogicalAnd": lambda a, b: a & b}
    for width in WIDTHS:
        t, n = of_width("bool", width), rows(width)
        for operation, function in rules.items():
            a, b = random_of(rng, t, n), random_of(rng, t, n)
            yield case_of(operation, t, (t, t), (a, b), function(a, b).astype(np.uint8))
        a = random_of(rng, t, n)
        yield case_of("LogicalNot", t, (t,), (a,), 1 - a)
        if width > 1:
            a[0], a[1] = 1, 0
            yield case_of("Any", "bool", (t,), (a,), a.any(1).astype(np.uint8))
            yield case_of("All", "bool", (t,), (a,), a.all(1).astype(np.uint8))
        for element in (*INTEGERS, *FLOATS, "bool"):
            v = of_width(element, width)
            c, x, y = random_of(rng, t, n), random_of(rng, v, n), random_of(rng, v, n)
            yield case_of("Select", v, (t, v, v), (c, x, y), np.where(c, x, y))


def cases(rng):
    yield from of_integers(rng)
    yield from of_floats(rng)
    yield from of_booleans(rng)
