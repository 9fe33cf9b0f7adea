//===- ExpandMathErf.cpp - the error function and its complement ------------===//
// erfc(x) = exp(-x^2) p(t) / (1 + 2x) with t = (x - 4) / (x + 4): one polynomial for all x >= 0,
// since exp(x^2) erfc(x) (1 + 2x) is smooth and stays near one. x^2 is carried in two numbers.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/ExpandMath.h"
#include "compiler/lower/MathTables.h"

using namespace pumice::lower;

/// erfc(a) for a >= 0; NaN gives some number.
static Val erfcPositive(Val a) {
  Elementwise &e = a.e();
  // Beyond, the result is zero.
  Val limit = e.number(e.pick(10.5, 27.5));
  Val x = select(lt(a, limit), a, limit);
  Val t = (x - 4.0) / (x + 4.0);
  Val p = polynomial(t, e.pick(tables::erfcF32, tables::erfcF64));
  Wide square = twoProduct(x, x);
  return polyfill::expWide({-square.hi, -square.lo}) * (p / (1.0 + 2.0 * x));
}

/// |x| <= 1: x + x p(x^2); else 1 - erfc(|x|). Below 1.5 ulp.
Val polyfill::erf(Val x) {
  Elementwise &e = x.e();
  Val square = x * x;
  Val small = fma(x, polynomial(square, e.pick(tables::erfF32, tables::erfF64)), x);
  Val a = abs(x);
  Val result = select(le(a, 1.0), small, copySign(1.0 - erfcPositive(a), x));
  return select(eqOrNan(x, 0), x, result);
}

/// erfc(x), or 2 - erfc(-x). Below 4 ulp.
Val polyfill::erfc(Val x) {
  Val positive = erfcPositive(abs(x));
  return select(isNan(x), x, select(lt(x, 0), 2.0 - positive, positive));
}
