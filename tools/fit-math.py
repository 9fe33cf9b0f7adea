#!/usr/bin/env python3
"""Writes compiler/lower/polyfill/MathTables.h: the coefficients that pumice-expand-math evaluates.

    python tools/fit-math.py > compiler/lower/polyfill/MathTables.h && clang-format-22 -i compiler/lower/polyfill/MathTables.h

Needs mpmath.

Every polynomial interpolates its function at Chebyshev nodes, in 80 digits. It has the lowest degree whose
error is below the tolerance of the type. The error is measured with rounded coefficients, relative to the
function that the polynomial is part of. It is written next to the coefficients.
"""
import struct
import sys

from mpmath import mp, mpf, cos, pi, log, exp, sinh, tanh, atan, asin, sin, erf, erfc, sqrt, matrix, lu_solve, floor, nint

mp.dps = 80


def to_f32(v):
    return struct.unpack("<f", struct.pack("<f", float(v)))[0]


def to_f64(v):
    return float(v)


def fit(g, lo, hi, degree):
    """Returns the monomial coefficients of the interpolant of g at the Chebyshev nodes of [lo, hi]."""
    n = degree + 1
    nodes = [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    a = matrix(n, n)
    b = matrix(n, 1)
    for i, x in enumerate(nodes):
        b[i] = g(x)
        for j in range(n):
            a[i, j] = x**j
    return list(lu_solve(a, b))


def error(g, weight, coefs, lo, hi):
    worst = mpf(0)
    steps = 400
    for i in range(steps + 1):
        x = lo + (hi - lo) * mpf(i) / steps
        p = mpf(0)
        for c in reversed(coefs):
            p = p * x + c
        worst = max(worst, abs(p - g(x)) * abs(weight(x)))
    return worst


TYPES = (("F32", to_f32, mpf(2) ** -27), ("F64", to_f64, mpf(2) ** -57))


def emit(name, what, g, weight, lo, hi, types=TYPES):
    """Fits g. `weight` converts an error of g to a relative error of the function."""
    lo, hi = mpf(lo), mpf(hi)
    for suffix, rounded, tolerance in types:
        for degree in range(1, 40):
            coefs = fit(g, lo, hi, degree)
            if error(g, weight, coefs, lo, hi) < tolerance:
                break
        coefs = [rounded(c) for c in coefs]
        found = error(g, weight, [mpf(c) for c in coefs], lo, hi)
        print(f"/// {what}; error 2^{float(log(found, 2)):.1f}.")
        print(f"inline constexpr double {name}{suffix}[] = {{")
        for c in coefs:
            print(f"    {c:.9g}," if suffix == "F32" else f"    {c:.17g},")
        print("};\n")


def away_from_zero(f):
    """Evaluates a series with a removable singularity at zero slightly away from zero."""
    return lambda x: f(x if abs(x) > mpf(10) ** -20 else mpf(10) ** -20)


def pieces(name, value, bits, count, what):
    """Writes value as a sum of `count` numbers of at most `bits` bits; the last one holds the rest."""
    print(f"/// {what}")
    print(f"inline constexpr double {name}[] = {{")
    rest = value
    for i in range(count):
        if i == count - 1:
            part = mpf(float(rest)) if bits > 24 or bits == 0 else mpf(to_f32(rest))
        else:
            scale = mpf(2) ** (bits - 1 - int(floor(log(abs(rest), 2))))
            part = floor(rest * scale) / scale
        rest -= part
        print(f"    {float(part).hex()},")
    print("};\n")


def split(name, value, what):
    """Writes value as two doubles, and as two floats."""
    for suffix, rounded in (("F32", to_f32), ("F64", to_f64)):
        hi = mpf(rounded(value))
        print(f"/// {what}: high and low part.")
        print(f"inline constexpr double {name}{suffix}[] = {{{float(hi).hex()}, {float(rounded(value - hi)).hex()}}};\n")


def short(name, value, bits32, bits64, what):
    """Writes value as a short high part and the rest. Products of small integers and the high part are exact."""
    for suffix, rounded, bits in (("F32", to_f32, bits32), ("F64", to_f64, bits64)):
        scale = mpf(2) ** (bits - 1 - int(floor(log(abs(value), 2))))
        hi = nint(value * scale) / scale
        mid = mpf(rounded(value - hi))
        lo = rounded(value - hi - mid)
        print(f"/// {what}: {bits} bits, then the rest twice.")
        print(f"inline constexpr double {name}{suffix}[] = {{{float(hi).hex()}, {float(mid).hex()}, {float(lo).hex()}}};\n")


def main():
    print("//===- MathTables.h - coefficients, written by tools/fit-math.py ------------===//")
    print("// Lowest power first. Do not edit: change the script and run it again.")
    print("//===-------------------------------------------------------------------------===//")
    print("#pragma once\n\nnamespace pumice::lower::tables {\n")
    ln2 = log(mpf(2))
    h = ln2 / 2 * mpf("1.01")
    emit("exp", "exp(r) = 1 + r + r^2 p(r), |r| <= ln2/2", away_from_zero(lambda r: (exp(r) - 1 - r) / r**2),
         lambda r: r, -h, h)
    emit("exp2", "2^r = 1 + r p(r), |r| <= 1/2", away_from_zero(lambda r: (exp(r * ln2) - 1) / r),
         lambda r: r, "-0.505", "0.505")

    def atanh_tail(z):
        s = sqrt(z)
        return (log((1 + s) / (1 - s)) - 2 * s) / (s * z)

    top = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * mpf("1.02")
    emit("log", "log((1+s)/(1-s)) = 2s + s^3 p(s^2), |s| <= 0.1716", away_from_zero(atanh_tail),
         lambda z: z / 2, 0, top)
    # The series that ends a logarithm with extra bits. Its tolerance is a fraction of the type's.
    emit("logTail", "log((1+s)/(1-s)) = 2s + 2/3 s^3 + s^5 p(s^2), |s| <= 0.1716; the wide logarithm",
         lambda z: (atanh_tail(max(z, mpf(10) ** -20)) - mpf(2) / 3) / max(z, mpf(10) ** -20),
         lambda z: z * z / 2 * mpf(2) ** 9, 0, top)

    def odd(f):
        return away_from_zero(lambda z: (f(sqrt(z)) - sqrt(z)) / (sqrt(z) * z))

    def odd_weight(f):
        return away_from_zero(lambda z: z * sqrt(z) / f(sqrt(z)))

    emit("sinh", "sinh(x) = x + x^3 p(x^2), |x| <= 1", odd(sinh), odd_weight(sinh), 0, "1.0")
    emit("tanh", "tanh(x) = x + x^3 p(x^2), |x| <= 0.625", odd(tanh), odd_weight(tanh), 0, mpf("0.625") ** 2)
    emit("atan", "atan(x) = x + x^3 p(x^2), |x| <= tan(pi/8)", odd(atan), odd_weight(atan), 0, mpf("0.4143") ** 2)
    emit("asin", "asin(x) = x + x^3 p(x^2), |x| <= 1/2", odd(asin), odd_weight(asin), 0, "0.25")
    quarter = (pi / 4 * mpf("1.001")) ** 2
    emit("sin", "sin(r) = r + r^3 p(r^2), |r| <= pi/4", odd(sin), odd_weight(sin), 0, quarter)
    emit("cos", "cos(r) = 1 - r^2/2 + r^4 p(r^2), |r| <= pi/4",
         away_from_zero(lambda z: (cos(sqrt(z)) - 1 + z / 2) / (z * z)), lambda z: z * z, 0, quarter)
    emit("erf", "erf(x) = x + x p(x^2), |x| <= 1", away_from_zero(lambda z: erf(sqrt(z)) / sqrt(z) - 1),
         lambda z: 1, 0, "1.0")

    def log2_erfc(t):
        return log(erfc(1 + t)) / ln2

    emit("log2Erfc", "log2(erfc(1 + t)) = p(t), 0 <= t <= 3; weighted by erfc", log2_erfc,
         lambda t: erfc(1 + t) * ln2, 0, 3, TYPES[:1])

    def erfcx_of_t(t):
        x = 4 * (1 + t) / (1 - t)
        return (1 + 2 * x) * exp(x * x) * erfc(x)

    emit("erfc", "erfc(x) = exp(-x^2) / (1+2x) p(t), t = (x-4)/(x+4), 0 <= x <= 28", erfcx_of_t,
         lambda t: 1 / erfcx_of_t(t), -1, "0.75")

    short("ln2", ln2, 14, 32, "ln 2")
    short("log10of2", log(mpf(2)) / log(mpf(10)), 12, 40, "log10 2")
    split("log2e", 1 / ln2, "log2 e")
    split("log10e", 1 / log(mpf(10)), "log10 e")
    split("halfPi", pi / 2, "pi/2")
    split("twoThirds", mpf(2) / 3, "2/3")
    pieces("halfPiPiecesF32", pi / 2, 9, 4, "pi/2 in pieces of 9 bits: their products with n < 2^15 are exact.")
    pieces("halfPiPiecesF64", pi / 2, 30, 4, "pi/2 in pieces of 30 bits: their products with n < 2^23 are exact.")

    words = 40
    bits = int(floor(2 / pi * mpf(2) ** (32 * words)))
    mp.dps = 500
    bits = int(floor(2 / pi * mpf(2) ** (32 * words)))
    print("/// 2/pi: the bits after the point, 32 a word, the first word zero so that a window may start early.")
    print("inline constexpr unsigned twoOverPi[] = {\n    0x00000000,")
    for i in range(words):
        print(f"    0x{(bits >> (32 * (words - 1 - i))) & 0xFFFFFFFF:08X},")
    print("};\n\n} // namespace pumice::lower::tables")


if __name__ == "__main__":
    sys.exit(main())
