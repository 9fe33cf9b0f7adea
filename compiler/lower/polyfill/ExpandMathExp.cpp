//===- ExpandMathExp.cpp - exponentials and hyperbolic functions ------------===//
// Writes x = k ln2 + r with |r| <= ln2/2, and computes exp(r) by a polynomial. The power of two is
// applied last and in two steps, so that results near the ends of the range are accurate.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandMath.h"
#include "compiler/lower/polyfill/MathTables.h"

using namespace pumice::lower;

namespace {
/// Represents x as k ln2 + (r.hi + r.lo).
struct Reduced {
  Val k; // i32
  Wide r;
};
} // namespace

static Reduced reduceByLn2(Wide x) {
  Elementwise &e = x.hi.e();
  auto ln2 = e.pick(tables::ln2F32, tables::ln2F64);
  Val k = roundEven(x.hi * e.pick(tables::log2eF32, tables::log2eF64)[0]);
  // The first part of ln2 is so short that its product with k is exact.
  Val hi = x.hi - k * ln2[0];
  Val lo = x.lo.get() ? x.lo - k * ln2[1] : -(k * ln2[1]);
  return {toInt32(k), fastTwoSum(hi, lo)};
}

/// Returns exp(r) - 1 - r.hi.
static Val expTail(Wide r) {
  Elementwise &e = r.hi.e();
  Val p = polynomial(r.hi, e.pick(tables::expF32, tables::expF64));
  return fma(r.hi * r.hi, p, r.lo);
}

static Val clamp(Val x, double low, double high) {
  // The order of comparisons turns NaN into a number, since converting NaN to an integer is
  // undefined.
  Val upper = select(lt(x, high), x, x.like(high));
  return select(gt(upper, low), upper, x.like(low));
}

polyfill::Scaled polyfill::expScaled(Wide x) {
  Elementwise &e = x.hi.e();
  Wide inside = {clamp(x.hi, e.pick(-110.0, -760.0), e.pick(95.0, 720.0)), x.lo};
  Reduced reduced = reduceByLn2(inside);
  return {{e.number(1), reduced.r.hi + expTail(reduced.r)}, reduced.k};
}

Val polyfill::expWide(Wide x, int exponent) {
  Scaled result = expScaled(x);
  return scale(result.value.hi + result.value.lo, exponent ? result.k + exponent : result.k);
}

/// The error is below 1 ulp.
Val polyfill::exp(Val x) { return select(isNan(x), x, expWide({x, Val()})); }

/// Computes 2^x = 2^k 2^r, where r = x - k is exact. The error is below 1.5 ulp. Integers give
/// exact results.
Val polyfill::exp2(Val x) {
  Elementwise &e = x.e();
  Val inside = clamp(x, e.pick(-160.0, -1090.0), e.pick(140.0, 1040.0));
  Val k = roundEven(inside);
  Val r = inside - k;
  Val p = polynomial(r, e.pick(tables::exp2F32, tables::exp2F64));
  return select(isNan(x), x, scale(fma(r, p, r.like(1)), toInt32(k)));
}

/// Computes exp(x) - 1 = (2^k - 1) + 2^k (exp(r) - 1), and adds the large parts exactly. The error
/// is below 1.5 ulp.
Val polyfill::expm1(Val x) {
  Elementwise &e = x.e();
  Reduced reduced = reduceByLn2({clamp(x, e.pick(-20.0, -45.0), e.pick(95.0, 720.0)), Val()});
  // The largest 2^k is infinite, although the result is finite. The power is therefore applied in
  // two steps.
  Val k = select(lt(reduced.k, e.bias()), reduced.k, reduced.k.constant(e.bias()));
  Val power = powerOfTwo(k);
  Wide sum = twoSum(power - 1.0, power * reduced.r.hi);
  Val result = sum.hi + (sum.lo + power * expTail(reduced.r));
  // Zero keeps its sign, and NaN keeps its payload.
  return select(eqOrNan(x, 0), x, result * powerOfTwo(reduced.k - k));
}

/// Computes x + x^3 p(x^2) for |x| <= 1, else exp(x)/2 - exp(-x)/2. The error is below 2 ulp.
Val polyfill::sinh(Val x) {
  Elementwise &e = x.e();
  Val square = x * x;
  Val p = polynomial(square, e.pick(tables::sinhF32, tables::sinhF64));
  Val small = x + x * square * p;
  Val a = abs(x);
  Val half = expWide({a, Val()}, -1);
  Val result = select(le(a, 1.0), small, copySign(half - 0.25 / half, x));
  return select(eqOrNan(x, 0), x, result);
}

/// Computes exp(x)/2 + exp(-x)/2. The error is below 2 ulp.
Val polyfill::cosh(Val x) {
  Val half = expWide({abs(x), Val()}, -1);
  return select(isNan(x), x, half + 0.25 / half);
}

/// Computes x + x^3 p(x^2) for |x| <= 0.625, else 1 - 2 / (exp(2x) + 1). The error is below 2 ulp.
Val polyfill::tanh(Val x) {
  Elementwise &e = x.e();
  Val square = x * x;
  Val p = polynomial(square, e.pick(tables::tanhF32, tables::tanhF64));
  Val small = x + x * square * p;
  Val a = abs(x);
  Val large = 1.0 - 2.0 / (expWide({a + a, Val()}) + 1.0);
  Val result = select(le(a, 0.625), small, copySign(large, x));
  return select(eqOrNan(x, 0), x, result);
}
