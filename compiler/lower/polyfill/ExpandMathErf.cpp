//===- ExpandMathErf.cpp - the error function and its complement ------------===//
// Computes erfc(x) = exp(-x^2) p(t) / (1 + 2x) with t = (x - 4) / (x + 4). One polynomial suffices
// for all x >= 0, since exp(x^2) erfc(x) (1 + 2x) is smooth and close to one. The square of x is a
// pair of numbers, for more precision. 1 - erfc(x) needs fewer digits, so erf of f32 has a cheaper
// complement.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandMath.h"
#include "compiler/lower/polyfill/MathTables.h"

using namespace pumice::lower;

/// Returns erfc(a) for a >= 0. For NaN, the result is arbitrary.
static Val erfcPositive(Val a) {
  Elementwise &e = a.e();
  // Beyond the limit, the result is zero.
  Val limit = e.number(e.pick(10.5, 27.5));
  Val x = select(lt(a, limit), a, limit);
  Val t = (x - 4.0) / (x + 4.0);
  llvm::ArrayRef<double> c = e.pick(tables::erfcF32, tables::erfcF64);
  Wide p = fastTwoSum(e.number(c[0]), t * polynomial(t, c.drop_front()));
  Wide square = twoProduct(x, x);
  // The three factors keep their errors, since rounding each of them would add up to 3 ulp.
  polyfill::Scaled power = polyfill::expScaled({-square.hi, -square.lo});
  Wide quotient = divideWide(p, twoSum(x + x, e.number(1)));
  Wide product = multiply(fastTwoSum(power.value.hi, power.value.lo), quotient);
  return scale(product.hi + product.lo, power.k);
}

/// Returns erf(x) for |x| <= 1.
static Val erfSmall(Val x) {
  Val p = polynomial(x * x, x.e().pick(tables::erfF32, tables::erfF64));
  return fma(x, p, x);
}

/// Returns erfc(a) for a >= 1 in f32, with an absolute error that does not matter in 1 - erfc(a):
/// 2^p(a - 1), where the polynomial approximates the logarithm.
static Val erfcTail(Val a) {
  // Beyond the limit, the complement is less than half a unit in the last place of one.
  Val limit = a.e().number(4.0);
  Val t = select(lt(a, limit), a, limit) - 1.0;
  Val y = polynomial(t, tables::log2ErfcF32);
  Val k = roundEven(y);
  Val r = y - k; // exact
  return fma(r, polynomial(r, tables::exp2F32), r.like(1)) * powerOfTwo(toInt32(k));
}

/// Computes x + x p(x^2) for |x| <= 1, else 1 - erfc(|x|). The error is below 1.5 ulp.
Val polyfill::erf(Val x) {
  Val a = abs(x);
  Val complement = x.e().isDouble() ? erfcPositive(a) : erfcTail(a);
  Val result = select(le(a, 1.0), erfSmall(x), copySign(1.0 - complement, x));
  return select(eqOrNan(x, 0), x, result);
}

/// Computes 1 - erf(x) for |x| <= 1/2. Other values are erfcPositive(|x|), or 2 minus it. The error
/// is below 2 ulp.
Val polyfill::erfc(Val x) {
  Val a = abs(x);
  Val positive = erfcPositive(a);
  Val large = select(lt(x, 0), 2.0 - positive, positive);
  Val result = select(le(a, 0.5), 1.0 - erfSmall(x), large);
  return select(isNan(x), x, result);
}
