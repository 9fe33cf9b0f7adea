//===- ExpandMathPow.cpp - powers and the cube root -------------------------===//
// Computes |x|^y = exp(y log|x|). The logarithm and the product are pairs of numbers. A single
// number would lose as many bits as the exponent of the result has.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandMath.h"
#include "compiler/lower/polyfill/MathTables.h"

#include <cmath>

using namespace pumice::lower;

/// Returns a^(y.hi + y.lo) for positive finite a.
static Val powPositive(Val a, Wide y) {
  Wide log = polyfill::logWide(a);
  Wide product = twoProduct(y.hi, log.hi);
  Val low = product.lo + y.hi * log.lo;
  if (y.lo.get())
    low = low + y.lo * log.hi;
  // If the product is out of range, its low part is irrelevant, but may be NaN (infinity minus
  // infinity).
  Val ordinary = lt(abs(product.hi), 2000.0);
  return polyfill::expWide({product.hi, select(ordinary, low, low.like(0))});
}

/// Computes IEEE 754's pow with all its special values. The error is below 1 ulp (f32, f64).
Val polyfill::pow(Val x, Val y) {
  Elementwise &e = x.e();
  Val a = abs(x);
  Val isInteger = eq(truncate(y), y);
  Val halfY = y * 0.5;
  Val isOdd = isInteger & ne(truncate(halfY), halfY);

  Val result = powPositive(a, {y, Val()});
  // Zero or infinity to a power other than zero is zero or infinity.
  Val extreme = eq(a, 0) | eq(a, e.inf());
  Val isZero = eq(a, 0) ^ lt(y, 0);
  result = select(extreme, select(isZero, e.number(0), e.inf()), result);
  // 1^y is 1. The logarithm of 1 is zero, but an infinite y would turn it into NaN.
  result = select(eq(a, 1), e.number(1), result);
  // A negative base to an odd power gives a negative result. A negative base to a fractional power
  // is undefined, unless it is zero or infinity.
  result = select(signBit(x) & isOdd, -result, result);
  result = select(lt(x, 0) & ~isInteger & ~extreme, e.nan(), result);
  result = select(unordered(x, y), e.nan(), result);
  return select(eq(x, 1) | eq(y, 0), e.number(1), result);
}

/// Converts the exponent to an exact sum of two numbers, and continues like pow. The error is below
/// 1 ulp.
Val polyfill::powInteger(Val x, Val n) {
  Elementwise &e = x.e();
  Val odd = ne(n & 1, 0);
  Val negative = lt(n, 0);
  Val nonZero = ne(n, 0);
  Wide y;
  if (n.width() > 32 && !e.isDouble()) {
    // With exponents beyond 2^31, all bases give zero or infinity, except for those of magnitude 0
    // and 1. So the exponent may saturate.
    Val upper = select(gt(n, INT32_MAX), n.constant(INT32_MAX), n);
    n = trunc(select(lt(upper, -INT32_MAX), n.constant(-INT32_MAX), upper), 32);
  }
  if (n.width() < e.fractionBits() + 2) {
    y = {toFloat(n), Val()};
  } else {
    // The upper part is signed and the lower part unsigned, so that both convert exactly.
    unsigned low = n.width() - e.fractionBits();
    Val lower = n & ((uint64_t(1) << low) - 1);
    Val upper = toFloat(shiftRightSigned(n, low)) * std::ldexp(1.0, static_cast<int>(low));
    y = fastTwoSum(upper, toFloat(lower));
  }
  Val a = abs(x);
  Val result = powPositive(a, y);
  Val extreme = eq(a, 0) | eq(a, e.inf());
  Val isZero = eq(a, 0) ^ negative;
  result = select(extreme, select(isZero, e.number(0), e.inf()), result);
  result = select(signBit(x) & odd, -result, result);
  result = select(isNan(x), x, result);
  return select(nonZero, result, e.number(1));
}

/// Divides the exponent by three for a first guess, and refines it by Halley's iteration. Before
/// the last iteration, the guess is shortened so that its square is exact. The error is below 1
/// ulp.
Val polyfill::cbrt(Val x) {
  Elementwise &e = x.e();
  Val a = abs(x);
  Val tiny = lt(a, e.pick(0x1p-100, 0x1p-900));
  Val scaled = select(tiny, a * e.pick(0x1p24, 0x1p54), a);
  // The constant is slightly less than (2/3) bias, which minimizes the error of a linear guess.
  Val guess = e.isDouble() ? zext(trunc(bits(scaled) >> 32, 32) / 3 + 715094163, 64) << 32
                           : bits(scaled) / 3 + 709958130;
  Val t = asFloat(guess, e.real);
  for (int i = 0; i < e.pick(1, 2); ++i) {
    // Factors of 1/4 keep the sums finite.
    Val cube = t * t * (t * 0.25), quarter = scaled * 0.25;
    t = t * ((cube + (quarter + quarter)) / ((cube + cube) + quarter));
  }
  t = asFloat(bits(t) & ~((uint64_t(1) << e.pick(12, 27)) - 1), e.real);
  Val r = scaled / (t * t);
  t = t + t * ((r - t) / ((t + t) + r));
  t = select(tiny, t * e.pick(0x1p-8, 0x1p-18), t);
  Val ordinary = gt(a, 0) & lt(a, e.inf());
  return select(ordinary, copySign(t, x), x);
}
