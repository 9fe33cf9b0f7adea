//===- ExpandMathLog.cpp - logarithms and inverse hyperbolic functions ------===//
// Writes x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1 and s = f / (2 + f). Then log(m) =
// log((1+s)/(1-s)) = 2s + s^3 p(s^2). The sum adds f last, because f is exact.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandMath.h"
#include "compiler/lower/polyfill/MathTables.h"

#include <numbers>

using namespace pumice::lower;

namespace {
/// Represents x as 2^k (1 + f). k has been converted to the float type of the computation.
struct Parts {
  Val k, f;
  /// 2^-k, if it was requested.
  Val inverse;
};
} // namespace

/// Decomposes positive finite numbers. For other x, the parts are arbitrary.
static Parts decompose(Val x, bool inverse = false) {
  Elementwise &e = x.e();
  unsigned width = e.real.getWidth(), fraction = e.fractionBits();
  Val subnormal = lt(x, e.pick(0x1p-126, 0x1p-1022));
  Val pattern = bits(select(subnormal, x * e.pick(0x1p25, 0x1p54), x));
  // Subtracts the bits of sqrt(1/2), so that the exponent field of the difference changes at m =
  // sqrt(2).
  Val shifted = pattern - int64_t(e.pick(0x3F3504F3ull, 0x3FE6A09E667F3BCDull));
  Val exponent = shiftRightSigned(shifted, fraction);
  Val m = asFloat(pattern - (exponent << fraction), e.real);
  Val k = toFloat(trunc(exponent, 32) - select(subnormal, e.integer(e.pick(25, 54)), e.integer(0)));
  Parts parts{k, m - 1.0, Val()};
  if (inverse)
    parts.inverse = asFloat((e.integer(e.bias(), width) - exponent) << fraction, e.real);
  return parts;
}

/// Returns the tail in log(1 + f) = f - (f^2/2 - tail), for sqrt(1/2) <= 1 + f <= sqrt(2).
static Val logTail(Val f, Val halfSquare) {
  Elementwise &e = f.e();
  Val s = f / (f + 2.0);
  Val z = s * s;
  return s * (halfSquare + z * polynomial(z, e.pick(tables::logF32, tables::logF64)));
}

/// Returns log(1 + f), with the error of the last sum.
static Wide logOnePlus(Val f) {
  Val halfSquare = f * f * 0.5;
  return fastTwoSum(f, logTail(f, halfSquare) - halfSquare);
}

/// Replaces the result for the special values of log, log2 and log10.
static Val specialCases(Val x, Val result) {
  Elementwise &e = x.e();
  Val special = select(eq(x, 0), -e.inf(), select(lt(x, 0), e.nan(), x));
  Val ordinary = gt(x, 0) & lt(x, e.inf());
  return select(ordinary, result, special);
}

/// The error is below 1 ulp.
Val polyfill::log(Val x) {
  Elementwise &e = x.e();
  auto ln2 = e.pick(tables::ln2F32, tables::ln2F64);
  Parts parts = decompose(x);
  Val halfSquare = parts.f * parts.f * 0.5;
  Val tail = logTail(parts.f, halfSquare) + parts.k * ln2[1];
  return specialCases(x, parts.k * ln2[0] - ((halfSquare - tail) - parts.f));
}

/// Computes k + log(m) log2(e), which is exact for powers of two. The error is below 1.5 ulp.
Val polyfill::log2(Val x) {
  Elementwise &e = x.e();
  auto factor = e.pick(tables::log2eF32, tables::log2eF64);
  Parts parts = decompose(x);
  Wide m = logOnePlus(parts.f);
  Val low = m.hi * factor[1] + m.lo * factor[0];
  return specialCases(x, parts.k + (m.hi * factor[0] + low));
}

/// Computes k log10(2) + log(m) log10(e), with the first product exact. The error is below 1.5 ulp.
Val polyfill::log10(Val x) {
  Elementwise &e = x.e();
  auto factor = e.pick(tables::log10eF32, tables::log10eF64);
  auto log10of2 = e.pick(tables::log10of2F32, tables::log10of2F64);
  Parts parts = decompose(x);
  Wide m = logOnePlus(parts.f);
  Val low = parts.k * log10of2[1] + (m.hi * factor[1] + m.lo * factor[0]);
  return specialCases(x, parts.k * log10of2[0] + (m.hi * factor[0] + low));
}

/// Computes log(u) + c/u, where u is 1 + x rounded and c is the rounding error. The error of the
/// result is below 1.5 ulp.
Val polyfill::log1p(Val x) {
  Elementwise &e = x.e();
  auto ln2 = e.pick(tables::ln2F32, tables::ln2F64);
  Wide u = twoSum(e.number(1), x);
  Parts parts = decompose(u.hi);
  Val correction = u.lo / u.hi;
  Val halfSquare = parts.f * parts.f * 0.5;
  Val tail = logTail(parts.f, halfSquare) + (parts.k * ln2[1] + correction);
  Val result = parts.k * ln2[0] - ((halfSquare - tail) - parts.f);
  return select(eq(x, 0), x, specialCases(u.hi, result));
}

/// Computes log(m) with s as a wide number. The low part of s is the remainder of the division,
/// divided by the divisor. The relative error is below 2^-65 (f64) or 2^-34 (f32).
Wide polyfill::logWide(Val x) {
  Elementwise &e = x.e();
  auto ln2 = e.pick(tables::ln2F32, tables::ln2F64);
  auto twoThirds = e.pick(tables::twoThirdsF32, tables::twoThirdsF64);
  Parts parts = decompose(x);

  Wide divisor = fastTwoSum(e.number(2), parts.f);
  Wide quotient = divideWide({parts.f, e.number(0)}, divisor);
  Wide s = fastTwoSum(quotient.hi, quotient.lo);

  Wide z = multiply(s, s);
  Val tail = z.hi * polynomial(z.hi, e.pick(tables::logTailF32, tables::logTailF64));
  Wide factor = fastTwoSum(e.number(twoThirds[0]), tail + twoThirds[1]);
  Wide cubic = multiply(multiply(s, z), factor);

  Wide sum = fastTwoSum(s.hi + s.hi, cubic.hi);
  Val low = sum.lo + (cubic.lo + (s.lo + s.lo));
  // In k * ln2, the product with ln2[0] is exact, and the one with ln2[1] is almost exact.
  Wide result = twoSum(parts.k * ln2[0], sum.hi);
  Wide middle = twoSum(result.hi, parts.k * ln2[1]);
  return fastTwoSum(middle.hi, middle.lo + (result.lo + (low + parts.k * ln2[2])));
}

/// Computes log1p(a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|. If a^2 would overflow, computes
/// log(a) + ln2. The error is below 2 ulp.
Val polyfill::asinh(Val x) {
  Elementwise &e = x.e();
  Val a = abs(x);
  Val large = gt(a, e.pick(0x1p14, 0x1p28));
  Val square = a * a;
  Val argument = a + square / (1.0 + sqrt(square + 1.0));
  // For large a, log1p(a - 1) computes log(a).
  Val result = log1p(select(large, a - 1.0, argument));
  Val shifted = result + select(large, e.number(std::numbers::ln2), e.number(0));
  return select(eqOrNan(x, 0), x, copySign(shifted, x));
}

/// Computes log1p(t + sqrt(2t + t^2)) with t = x - 1. If t^2 would overflow, computes log(x) + ln2.
/// The error is below 2.5 ulp.
Val polyfill::acosh(Val x) {
  Elementwise &e = x.e();
  Val large = gt(x, e.pick(0x1p14, 0x1p28));
  Val t = x - 1.0;
  Val argument = t + sqrt(t * 2.0 + t * t);
  Val result = log1p(select(large, t, argument));
  Val shifted = result + select(large, e.number(std::numbers::ln2), e.number(0));
  return select(lt(x, 1), e.nan(), shifted);
}

/// Computes log1p(2a / (1 - a)) / 2 with a = |x|. The error is below 2 ulp.
Val polyfill::atanh(Val x) {
  Val a = abs(x);
  Val result = 0.5 * log1p((a + a) / (1.0 - a));
  return select(eqOrNan(x, 0), x, copySign(result, x));
}
