//===- ExpandMathInverseTrig.cpp - arc functions ----------------------------===//
// Arguments are reduced to a range in which the odd series is short. Then pi/2 or pi is added in
// two parts.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandMath.h"
#include "compiler/lower/polyfill/MathTables.h"

using namespace pumice::lower;

/// Returns asin(y) - y = y^3 p(y^2), for |y| <= 1/2.
static Val asinTail(Val y, Val square) {
  Elementwise &e = y.e();
  return y * square * polynomial(square, e.pick(tables::asinF32, tables::asinF64));
}

/// Computes the series for |x| <= 1/2, else pi/2 - 2 asin(sqrt((1 - |x|) / 2)). The error is below
/// 1.5 ulp.
Val polyfill::asin(Val x) {
  Elementwise &e = x.e();
  auto halfPi = e.pick(tables::halfPiF32, tables::halfPiF64);
  Val a = abs(x);
  Val small = le(a, 0.5);
  Val square = select(small, a * a, (1.0 - a) * 0.5);
  Val y = select(small, a, sqrt(square));
  Val tail = asinTail(y, square);
  // Computes pi/2 - 2y - 2 tail, with the first difference exact.
  Wide rest = fastTwoSum(e.number(halfPi[0]), -(y + y));
  Val large = rest.hi + (rest.lo + (halfPi[1] - (tail + tail)));
  Val result = select(small, a + tail, large);
  result = select(eqOrNan(x, 0), x, copySign(result, x));
  return select(gt(a, 1.0), e.nan(), result);
}

/// Computes pi/2 - asin(x) for |x| <= 1/2, else 2 asin(sqrt((1 - |x|) / 2)) or pi minus it. The
/// error is below 1.5 ulp.
Val polyfill::acos(Val x) {
  Elementwise &e = x.e();
  auto halfPi = e.pick(tables::halfPiF32, tables::halfPiF64);
  Val a = abs(x);
  Val small = le(a, 0.5), negative = lt(x, 0);
  Val square = select(small, a * a, (1.0 - a) * 0.5);
  Val y = select(small, x, sqrt(square));
  Val tail = asinTail(y, square);
  // For small x, the result is c - (y + tail) with c = pi/2. For large x, it is twice that sum,
  // with c = 0 if x is positive.
  Val useSum = ~small & ~negative;
  Val twiceIfLarge = select(small, e.number(1), e.number(2));
  Wide rest = fastTwoSum(twiceIfLarge * halfPi[0], -(twiceIfLarge * y));
  Val difference = rest.hi + (rest.lo + twiceIfLarge * (halfPi[1] - tail));
  Val result = select(useSum, 2.0 * (y + tail), difference);
  return select(gt(a, 1.0), e.nan(), select(isNan(x), x, result));
}

/// Computes atan(y/x) for finite y, x >= 0 that are not both zero. Let t be y/x. The formulas for
/// the three thirds of the quadrant are atan(t), pi/4 + atan((t - 1) / (t + 1)), and pi/2 +
/// atan(-1/t).
static Wide atanOfQuotient(Val y, Val x) {
  Elementwise &e = y.e();
  auto halfPi = e.pick(tables::halfPiF32, tables::halfPiF64);
  Val high = gt(y, x * 2.414213562373095), middle = gt(y, x * 0.4142135623730950);
  Val numerator = select(high, -x, select(middle, y - x, y));
  Val denominator = select(high, y, select(middle, y + x, x));
  Val t = numerator / denominator;
  Val square = t * t;
  Val tail = t * square * polynomial(square, e.pick(tables::atanF32, tables::atanF64));
  Val quarters = select(high, e.number(1), select(middle, e.number(0.5), e.number(0)));
  Wide sum = twoSum(quarters * halfPi[0], t);
  return {sum.hi, sum.lo + (tail + quarters * halfPi[1])};
}

/// The error is below 2 ulp.
Val polyfill::atan(Val x) {
  Elementwise &e = x.e();
  Val a = abs(x);
  // Replaces infinity, since the reduction would subtract it from infinity.
  Val finite = lt(a, e.pick(0x1p60, 0x1p120));
  Wide sum = atanOfQuotient(select(finite, a, e.number(e.pick(0x1p60, 0x1p120))), e.number(1));
  return select(eqOrNan(x, 0), x, copySign(sum.hi + sum.lo, x));
}

/// Selects the quadrant by the signs. Zeros and infinities give the same results as in C. The error
/// is below 2 ulp.
Val polyfill::atan2(Val y, Val x) {
  Elementwise &e = y.e();
  auto halfPi = e.pick(tables::halfPiF32, tables::halfPiF64);
  Val ay = abs(y), ax = abs(x);
  // Two infinities give the angle of a diagonal. If only one operand is infinite, it is replaced by
  // 1 and the other one by 0. Large numbers are scaled, since their sum could overflow.
  Val yInf = eq(ay, e.inf()), xInf = eq(ax, e.inf());
  Val one = e.number(1), zero = e.number(0);
  Val factor = select(gt(ay, e.pick(0x1p120, 0x1p1000)) | gt(ax, e.pick(0x1p120, 0x1p1000)),
                      e.number(0.125), one);
  Val anyInf = yInf | xInf;
  ay = select(anyInf, select(yInf, one, zero), ay * factor);
  ax = select(anyInf, select(xInf, one, zero), ax * factor);
  ax = select(eq(ax, 0) & eq(ay, 0), one, ax);

  Wide angle = atanOfQuotient(ay, ax);
  Wide pi = fastTwoSum(e.number(2 * halfPi[0]), -angle.hi);
  Val left = pi.hi + (pi.lo + (2 * halfPi[1] - angle.lo));
  Val result = select(signBit(x), left, angle.hi + angle.lo);
  return select(unordered(x, y), e.nan(), copySign(result, y));
}
