"""Runs bf16 and f16 code after LegalizeStorage and WidenTypes, and compares with rounded doubles.

Conversions are tested with all 65536 values, and arithmetic with edge cases and random pairs.
"""
import sys

import numpy as np

import cpu

PASSES = ["--pumice-legalize-storage", "--pumice-widen-types", "--pumice-emulate-atomics"]
SEED = 20260102
np.seterr(all="ignore")  # NaNs are inputs here


class Format:
    def __init__(self, name, fraction, smallest, largest):
        self.name, self.fraction, self.smallest, self.largest = name, fraction, smallest, largest

    def decode(self, bits):
        """Converts uint16 to float64, exactly."""
        if self.name == "f16":
            return bits.view(np.float16).astype(np.float64)
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)

    def round(self, x):
        """Rounds float64 to the format, to nearest even. The result is a float64."""
        with np.errstate(all="ignore"):
            finite = np.isfinite(x)
            exponent = np.frexp(np.where(finite, x, 0.0))[1] - 1
            exponent = np.maximum(exponent, self.smallest)
            quantum = np.ldexp(1.0, exponent - self.fraction)
            result = np.where(finite, np.rint(x / quantum) * quantum, x)
            return np.where(np.abs(result) >= 2.0 ** (self.largest + 1),
                            np.copysign(np.inf, result), result)


BF16 = Format("bf16", 7, -126, 127)
F16 = Format("f16", 10, -14, 15)


def to_odd(s, error):
    """Returns a double as if rounded to odd, given its rounding error."""
    bits = s.view(np.uint64)
    inexact = np.isfinite(s) & (error != 0) & np.isfinite(error)
    towards_zero = inexact & ((error < 0) != (s < 0))
    bits = np.where(towards_zero & (bits & 1 == 0), bits - 1, bits)
    return np.where(inexact, bits | 1, bits).view(np.float64)


def fused(a, b, c):
    with np.errstate(all="ignore"):
        p = a * b  # exact: 22 bits
        s = p + c
        t = s - p
        return to_odd(s, (p - (s - t)) + (c - t))


def operands(rng, count):
    edges = np.array([0, 1, 2, 3, 0x7f, 0x80, 0x81, 0x3ff, 0x400, 0x401, 0x3c00, 0x3f80, 0x7bff,
                      0x7c00, 0x7e00, 0x7f7f, 0x7f80, 0x7fc0, 0x7fff, 0x0001, 0x3bff, 0x3f7f],
                     np.uint16)
    edges = np.concatenate([edges, edges | np.uint16(0x8000)])
    n = edges.size
    random = rng.integers(0, 65536, (3, count), dtype=np.uint16)
    near = random[0] + rng.integers(-300, 300, count).astype(np.int16).view(np.uint16)
    return (np.concatenate([np.repeat(edges, n), random[0], random[0]]),
            np.concatenate([np.tile(edges, n), random[1], near]),
            np.concatenate([np.resize(edges[::-1], n * n), random[2], random[1]]))


def arithmetic(fmt, features, rng, failures):
    t = fmt.name
    x, y, z = operands(rng, 60000)
    a, b, c = fmt.decode(x), fmt.decode(y), fmt.decode(z)
    cases = {}

    def add(name, op, reference, out=t):
        body = "".join(f"      %{v} = memref.load %b{i}[%i] : memref<?x{t}>\n"
                       for i, v in enumerate("xyz"))
        cases[name] = (cpu.kernel(name, [t, t, t, out], body + op.format(t=t) +
                                  f"      memref.store %r, %b3[%i] : memref<?x{out}>\n", x.size),
                       reference, out)

    with np.errstate(all="ignore"):
        for name, value in [("addf", a + b), ("subf", a - b), ("mulf", a * b), ("divf", a / b),
                            ("remf", np.fmod(a, b)),
                            ("maxnumf", np.fmax(a, b)), ("minnumf", np.fmin(a, b)),
                            ("maximumf", np.maximum(a, b)), ("minimumf", np.minimum(a, b))]:
            add(name, f"      %r = arith.{name} %x, %y : {{t}}\n", fmt.round(value))
        add("sqrt", "      %r = math.sqrt %x : {t}\n", fmt.round(np.sqrt(a)))
        add("floor", "      %r = math.floor %x : {t}\n", np.floor(a))
        add("absf", "      %r = math.absf %x : {t}\n", np.abs(a))
        add("negf", "      %r = arith.negf %x : {t}\n", -a)
        add("fma", "      %r = math.fma %x, %y, %z : {t}\n", fmt.round(fused(a, b, c)))
        chain = fmt.round(fmt.round(fmt.round(a * b) + c) * b)
        add("chain", "      %p = arith.mulf %x, %y : {t}\n      %s = arith.addf %p, %z : {t}\n"
            "      %r = arith.mulf %s, %y : {t}\n", chain)
        add("constant", "      %k = arith.constant 0.1 : {t}\n      %r = arith.mulf %x, %k : {t}\n",
            fmt.round(a * fmt.round(np.float64([0.1]))))
        add("loop", """      %r = scf.for %k = %zero to %count step %count iter_args(%s = %x) -> {t} {{
        %n = arith.addf %s, %y : {t}
        scf.yield %n : {t}
      }}
""", fmt.round(a + b))
        add("vectors", """      %v = vector.from_elements %x, %y : vector<2x{t}>
      %w = vector.broadcast %z : {t} to vector<2x{t}>
      %m = arith.mulf %v, %w : vector<2x{t}>
      %r = vector.extract %m[1] : {t} from vector<2x{t}>
""", fmt.round(b * c))
        for name, value in [("olt", a < b), ("oge", a >= b), ("une", a != b),
                            ("uno", np.isnan(a) | np.isnan(b))]:
            add("cmp" + name, f"      %r = arith.cmpf {name}, %x, %y : {{t}}\n", value, "i1")
    ours = cpu.Library(cpu.module([text for text, _, _ in cases.values()], features), PASSES)
    for name, (_, reference, out) in cases.items():
        result = np.zeros(x.size + 8, np.uint8 if out == "i1" else np.uint16)
        ours(name, x, y, z, result)
        got = result[:x.size] != 0 if out == "i1" else fmt.decode(result[:x.size])
        if name in ("maxnumf", "minnumf", "maximumf", "minimumf"):
            reference = np.where(got == reference, got, reference)  # zeros may have either sign
        skip = np.zeros(x.size, bool)
        if name == "fma" and t == "bf16":  # the product must be a normal f32, as documented
            p = np.abs(a * b)
            skip = (p >= 2.0 ** 128) | ((p < 2.0 ** -126) & (p > 0))
        compare(f"{t} {name}", got, reference, [x, y, z], skip, failures)


def compare(name, got, reference, inputs, skip, failures):
    if got.dtype == bool:
        same = got == reference
    else:
        same = (got == reference) & (np.signbit(got) == np.signbit(reference))
        same |= np.isnan(got) & np.isnan(reference)
    wrong = np.flatnonzero(~(same | skip))
    if wrong.size:
        i = wrong[0]
        failures.append(name)
        print(f"FAIL {name}: {wrong.size} of {got.size} wrong, first "
              f"{[hex(v[i]) if v.dtype.kind == 'u' else v[i] for v in inputs]} gives {got[i]!r}, "
              f"expected {reference[i]!r}")


def integers(fmt, rng, add):
    """Returns integers that are rounded, and integers halfway between two values."""
    t = fmt.name
    for width in (8, 24, 32, 64):
        kind = cpu.dtype_for(width)
        numbers = rng.integers(0, 1 << width, 40000, dtype=np.uint64, endpoint=False)
        numbers >>= rng.integers(0, width, 40000, dtype=np.uint64)
        half = np.uint64(1) << rng.integers(0, width, 40000, dtype=np.uint64)
        numbers = np.concatenate([numbers, half, half + np.uint64(1), half - np.uint64(1),
                                  (half | (half >> np.uint64(8))) + np.uint64(1),
                                  (half | (half >> np.uint64(11))) + np.uint64(1)])
        numbers &= np.uint64((1 << width) - 1)
        signed = numbers.astype(object)
        signed = np.array([int(n) - (1 << width) if int(n) >> (width - 1) else int(n)
                           for n in signed], dtype=object)
        odd = lambda v: np.array([exact_to_odd(int(n)) for n in v])
        add(f"uitofp{width}", f"i{width}", t, f"      %r = arith.uitofp %x : i{width} to {{t}}\n",
            numbers.astype(kind), fmt.round(odd(numbers)))
        add(f"sitofp{width}", f"i{width}", t, f"      %r = arith.sitofp %x : i{width} to {{t}}\n",
            numbers.astype(kind), fmt.round(odd(signed)))


def conversions(fmt, features, rng, failures):
    t = fmt.name
    every = np.arange(65536, dtype=np.uint16)
    value = fmt.decode(every)
    texts, checks = [], []

    def add(name, from_, to, op, source, reference, skip=None):
        body = (f"      %x = memref.load %b0[%i] : memref<?x{from_}>\n" +
                op.format(t=t) + f"      memref.store %r, %b1[%i] : memref<?x{to}>\n")
        texts.append(cpu.kernel(name, [from_, to], body, source.size))
        checks.append((name, to, source, reference, skip))

    add("copy", t, t, "      %r = arith.bitcast %x : {t} to {t}\n", every, value)
    add("bits", t, "i16", "      %r = arith.bitcast %x : {t} to i16\n", every, every)
    add("from_bits", "i16", t, "      %r = arith.bitcast %x : i16 to {t}\n", every, value)
    four = "      %v = vector.from_elements %x, %x, %x, %x : vector<4x{t}>\n"
    words = four + "      %w = vector.bitcast %v : vector<4x{t}> to vector<2xi32>\n"
    add("vector_bits", t, "i32",
        words + "      %r = vector.extract %w[1] : i32 from vector<2xi32>\n", every,
        every.astype(np.uint32) * np.uint32(0x10001))
    add("vector_from_bits", t, t, words + """      %u = vector.bitcast %w : vector<2xi32> to vector<4x{t}>
      %r = vector.extract %u[3] : {t} from vector<4x{t}>
""", every, value)
    add("vector_halves", t, "i16", four + """      %u = vector.bitcast %v : vector<4x{t}> to vector<4xi16>
      %r = vector.extract %u[2] : i16 from vector<4xi16>
""", every, every)
    add("extf", t, "f32", "      %r = arith.extf %x : {t} to f32\n", every, value)
    add("extf64", t, "f64", "      %r = arith.extf %x : {t} to f64\n", every, value)

    # Each upper half of an f32 is combined with lower halves around ties, and with random ones.
    lower = np.concatenate([np.uint32([0, 1, 0x0fff, 0x1000, 0x1001, 0x2000, 0x3000, 0x7fff,
                                       0x8000, 0x8001, 0xffff]),
                            rng.integers(0, 65536, 5, dtype=np.uint32)])
    floats = ((every.astype(np.uint32)[:, None] << 16) | lower).reshape(-1).view(np.float32)
    add("truncf", "f32", t, "      %r = arith.truncf %x : f32 to {t}\n", floats,
        fmt.round(floats.astype(np.float64)))
    with np.errstate(all="ignore"):
        ties = (value[:, None] + fmt.round(value * (1 + 2.0 ** -fmt.fraction))[:, None]) / 2
        doubles = np.concatenate([(ties * (1 + 2.0 ** -50 * k)).reshape(-1) for k in (-1, 0, 1)] +
                                 [np.ldexp(rng.standard_normal(50000), rng.integers(-40, 40, 50000))])
    add("truncf64", "f64", t, "      %r = arith.truncf %x : f64 to {t}\n", doubles,
        fmt.round(doubles))
    integers(fmt, rng, add)
    small = np.where(np.abs(value) < 120, value, 0)
    add("fptosi", t, "i8", "      %r = arith.fptosi %x : {t} to i8\n", fmt_bits(fmt, small),
        np.trunc(small).astype(np.int64).astype(np.uint8))
    positive = np.where((value >= 0) & (value < 60000), value, 0)
    add("fptoui", t, "i16", "      %r = arith.fptoui %x : {t} to i16\n", fmt_bits(fmt, positive),
        np.trunc(positive).astype(np.uint16))

    ours = cpu.Library(cpu.module(texts, features), PASSES)
    kinds = {"f32": np.float32, "f64": np.float64, t: np.uint16, "i8": np.uint8, "i16": np.uint16,
             "i32": np.uint32}
    for name, to, source, reference, skip in checks:
        result = np.zeros(source.size + 8, kinds[to])
        ours(name, source, result)
        got = result[:source.size]
        if to == t:
            got = fmt.decode(got)
        elif to in ("f32", "f64"):
            got = got.astype(np.float64)
        else:
            got, reference = got.astype(np.float64), reference.astype(np.float64)
        compare(f"{t} {name}", got, reference, [source],
                np.zeros(source.size, bool) if skip is None else skip, failures)
    # NaNs keep their bits if they are only moved.
    result = np.zeros(65544, np.uint16)
    ours("copy", every, result)
    if not (result[:65536] == every).all():
        failures.append(f"{t} NaN payloads")
        print("FAIL", failures[-1])


def exact_to_odd(n):
    """Converts an integer to a double, rounded to odd."""
    magnitude, shift = abs(n), max(0, abs(n).bit_length() - 53)
    kept = magnitude >> shift
    kept |= (kept << shift) != magnitude
    return float(kept << shift) * (-1 if n < 0 else 1)


def fmt_bits(fmt, values):
    if fmt.name == "f16":
        return values.astype(np.float16).view(np.uint16)
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def main():
    print("seed", SEED)
    failures = []
    for fmt in (BF16, F16):
        for features in ([], ["storageBuffer16BitAccess"],
                         ["storageBuffer16BitAccess", "shaderInt16"]):
            rng = np.random.default_rng(SEED)
            before = len(failures)
            arithmetic(fmt, features, rng, failures)
            conversions(fmt, features + ["shaderInt64", "shaderFloat64"], rng, failures)
            print(f"{fmt.name} on {{{', '.join(features)}}}: {len(failures) - before} failed")
    return len(failures)


if __name__ == "__main__":
    sys.exit(main() != 0)
