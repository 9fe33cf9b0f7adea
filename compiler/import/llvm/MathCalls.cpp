//===- MathCalls.cpp - OpenCL's functions that math has ---------------------===//
// The passes behind expand what Vulkan lacks, or computes less accurately than docs/precision.md
// says. native_ and half_ functions permit the device's own functions.
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;
using Function = Value (*)(Call &c, arith::FastMathFlags flags);

template <typename Op> static Value one(Call &c, arith::FastMathFlags flags) {
  return c.op<Op>(c.x[0], flags);
}
template <typename Op> static Value two(Call &c, arith::FastMathFlags flags) {
  return c.op<Op>(c.x[0], c.x[1], flags);
}
static Value fused(Call &c, arith::FastMathFlags) {
  return c.op<math::FmaOp>(c.x[0], c.x[1], c.x[2]);
}
static Value exp10(Call &c, arith::FastMathFlags flags) {
  return c.op<math::PowFOp>(c.constant(c.result, 10.0), c.x[0], flags);
}
static Value reciprocal(Call &c, arith::FastMathFlags) {
  return c.op<arith::DivFOp>(c.constant(c.result, 1.0), c.x[0]);
}
static Value divided(Call &c, arith::FastMathFlags) { return c.op<arith::DivFOp>(c.x[0], c.x[1]); }

/// Divides an angle by pi.
template <typename Op> static Value perPi(Call &c, arith::FastMathFlags flags) {
  return c.op<arith::MulFOp>(one<Op>(c, flags), c.constant(c.result, std::numbers::inv_pi));
}
static Value atan2PerPi(Call &c, arith::FastMathFlags flags) {
  return c.op<arith::MulFOp>(two<math::Atan2Op>(c, flags),
                             c.constant(c.result, std::numbers::inv_pi));
}

/// Returns x minus the nearest multiple of 2, which is exact.
static Value withoutTurns(Call &c, Value x) {
  Type type = x.getType();
  Value half = c.op<arith::MulFOp>(x, c.constant(type, 0.5));
  Value turns = c.op<math::RoundEvenOp>(half);
  return c.op<arith::SubFOp>(x, c.op<arith::MulFOp>(turns, c.constant(type, 2.0)));
}

/// Returns sin(pi · r) for -1 <= r <= 1. Beyond 0.5, the angle from pi is smaller and exact.
static Value sineOfHalfTurns(Call &c, Value r) {
  Type type = r.getType();
  Value size = c.op<math::AbsFOp>(r);
  Value beyond = c.compare(arith::CmpFPredicate::OGT, size, c.constant(type, 0.5));
  Value other = c.op<arith::SubFOp>(c.constant(type, 1.0), size);
  Value angle = c.op<math::CopySignOp>(c.select(beyond, other, size), r);
  return c.op<math::SinOp>(c.op<arith::MulFOp>(angle, c.constant(type, std::numbers::pi)));
}
static Value cosineOfHalfTurns(Call &c, Value r) {
  Value size = c.op<math::AbsFOp>(r);
  return sineOfHalfTurns(c, c.op<arith::SubFOp>(c.constant(r.getType(), 0.5), size));
}
/// Gives zeros the sign of the argument.
static Value signedZero(Call &c, Value sine) {
  Type type = sine.getType();
  Value zero = c.constant(type, 0.0);
  return c.select(c.compare(arith::CmpFPredicate::OEQ, sine, zero),
                  c.op<math::CopySignOp>(zero, c.x[0]), sine);
}
static Value sinPi(Call &c, arith::FastMathFlags) {
  return signedZero(c, sineOfHalfTurns(c, withoutTurns(c, c.x[0])));
}
static Value cosPi(Call &c, arith::FastMathFlags) {
  return cosineOfHalfTurns(c, withoutTurns(c, c.x[0]));
}
static Value tanPi(Call &c, arith::FastMathFlags) {
  Value r = withoutTurns(c, c.x[0]);
  return c.op<arith::DivFOp>(signedZero(c, sineOfHalfTurns(c, r)), cosineOfHalfTurns(c, r));
}

/// Returns the n-th root. An odd root of a negative number is negative.
static Value root(Call &c, arith::FastMathFlags) {
  using P = arith::CmpIPredicate;
  Type type = c.result, integers = c.integers(type);
  Value x = c.x[0], n = c.x[1];
  Value size = c.op<math::AbsFOp>(x), degree = c.op<arith::SIToFPOp>(type, n);
  Value one = c.constant(type, 1.0);
  Value inverse = c.op<arith::DivFOp>(one, degree);
  // The rounding of 1/n would cost many digits of large numbers, so it is made up for. The product
  // of n and the upper digits of the inverse is exact.
  unsigned width = Build::bits(type);
  Value mask = c.constant(integers, int64_t(-1) << (width == 64 ? 32 : 12));
  Value upper = c.fromBits(c.op<arith::AndIOp>(c.toBits(inverse), mask), type);
  Value lower = c.op<arith::SubFOp>(inverse, upper);
  Value rest = c.op<arith::SubFOp>(one, c.op<arith::MulFOp>(upper, degree));
  rest = c.op<arith::SubFOp>(rest, c.op<arith::MulFOp>(lower, degree));
  Value correction =
      c.op<arith::MulFOp>(c.op<arith::MulFOp>(rest, inverse), c.op<math::LogOp>(size));
  Value made = c.op<math::PowFOp>(size, inverse);
  Value better = c.op<arith::AddFOp>(made, c.op<arith::MulFOp>(made, correction));
  Value isFinite = c.op<math::IsFiniteOp>(better);
  made = c.select(isFinite, better, made);
  Value zero = c.constant(n.getType(), 0);
  Value isEven = c.compare(P::eq, c.op<arith::AndIOp>(n, c.constant(n.getType(), 1)), zero);
  made = c.select(isEven, made, c.op<math::CopySignOp>(made, x));
  Value isNegative = c.compare(arith::CmpFPredicate::OLT, x, c.constant(type, 0.0));
  Value isBad =
      c.op<arith::OrIOp>(c.op<arith::AndIOp>(isNegative, isEven), c.compare(P::eq, n, zero));
  return c.select(isBad, c.constant(type, std::numeric_limits<double>::quiet_NaN()), made);
}

/// Returns x^y as exp(y · log(x)), so that infinity and 1 in the wrong places give NaN.
static Value positivePower(Call &c, arith::FastMathFlags flags) {
  using F = arith::CmpFPredicate;
  Type type = c.result;
  Value x = c.x[0], y = c.x[1], zero = c.constant(type, 0.0);
  Value made = c.op<math::PowFOp>(c.op<math::AbsFOp>(x), y, flags);
  Value isEdge = c.op<arith::OrIOp>(c.compare(F::OEQ, x, zero), c.op<math::IsInfOp>(x));
  Value bad = c.op<arith::AndIOp>(c.compare(F::OEQ, y, zero), isEdge);
  Value isOne = c.compare(F::OEQ, x, c.constant(type, 1.0));
  bad = c.op<arith::OrIOp>(bad, c.op<arith::AndIOp>(isOne, c.op<math::IsInfOp>(y)));
  bad = c.op<arith::OrIOp>(bad, c.compare(F::OLT, x, zero));
  bad = c.op<arith::OrIOp>(bad, c.compare(F::UNO, x, y));
  return c.select(bad, c.constant(type, std::numeric_limits<double>::quiet_NaN()), made);
}

/// ln 2 as a sum, whose first part has few digits: its product with an exponent is exact in f32.
static constexpr double ln2High = 0.693359375, ln2Low = std::numbers::ln2 - ln2High;

/// Returns e^x or 2^x. GLSL's functions of f32 lose more digits than OpenCL permits.
static Value power(Call &c, bool ofTwo, arith::FastMathFlags flags) {
  Value x = c.x[0];
  Type type = x.getType();
  if (!getElementTypeOrSelf(type).isF32() || flags != arith::FastMathFlags::none)
    return ofTwo ? c.op<math::Exp2Op>(x, flags) : c.op<math::ExpOp>(x, flags);
  constexpr double bound = 250; // beyond, results are zero or infinite
  Value held = c.op<arith::MaxNumFOp>(x, c.constant(type, -bound));
  held = c.op<arith::MinNumFOp>(held, c.constant(type, bound));
  auto times = [&](Value a, double b) { return c.op<arith::MulFOp>(a, c.constant(type, b)); };
  Value whole = c.op<math::RoundEvenOp>(ofTwo ? held : times(held, std::numbers::log2e));
  Value rest;
  if (ofTwo) {
    rest = times(c.op<arith::SubFOp>(held, whole), std::numbers::ln2);
  } else {
    rest = c.op<arith::SubFOp>(held, times(whole, ln2High));
    rest = c.op<arith::SubFOp>(rest, times(whole, ln2Low));
  }
  Value part = c.op<arith::AddFOp>(c.op<math::ExpM1Op>(rest), c.constant(type, 1.0));
  Value made = scaleByPower(c, part, c.op<arith::FPToSIOp>(c.integers(type), whole));
  return c.select(c.op<math::IsNaNOp>(x), x, made);
}

/// Returns ln x or log2 x, from the exponent and the logarithm of the rest.
static Value logarithm(Call &c, Value x, bool ofTwo, arith::FastMathFlags flags) {
  using F = arith::CmpFPredicate;
  Type type = x.getType(), integers = c.integers(type);
  if (!getElementTypeOrSelf(type).isF32() || flags != arith::FastMathFlags::none)
    return ofTwo ? c.op<math::Log2Op>(x, flags) : c.op<math::LogOp>(x, flags);
  auto [exponent, rest] = splitExponent(c, x);
  Value isHigh = c.compare(F::OGT, rest, c.constant(type, std::numbers::sqrt2));
  rest = c.select(isHigh, c.op<arith::MulFOp>(rest, c.constant(type, 0.5)), rest);
  exponent = c.select(isHigh, c.op<arith::AddIOp>(exponent, c.constant(integers, 1)), exponent);
  Value count = c.op<arith::SIToFPOp>(type, exponent);
  auto times = [&](Value a, double b) { return c.op<arith::MulFOp>(a, c.constant(type, b)); };
  Value small = c.op<math::Log1pOp>(c.op<arith::SubFOp>(rest, c.constant(type, 1.0)));
  Value made = ofTwo ? c.op<arith::AddFOp>(count, times(small, std::numbers::log2e))
                     : c.op<arith::AddFOp>(times(count, ln2High),
                                           c.op<arith::AddFOp>(small, times(count, ln2Low)));
  double infinity = std::numeric_limits<double>::infinity();
  Value zero = c.constant(type, 0.0);
  made = c.select(c.compare(F::OEQ, x, zero), c.constant(type, -infinity), made);
  made = c.select(c.compare(F::OLT, x, zero),
                  c.constant(type, std::numeric_limits<double>::quiet_NaN()), made);
  made = c.select(c.compare(F::OEQ, x, c.constant(type, infinity)), x, made);
  return c.select(c.op<math::IsNaNOp>(x), x, made);
}

Value llvm_import::naturalLogarithm(Call &c, Value x) {
  return logarithm(c, x, /*ofTwo=*/false, arith::FastMathFlags::none);
}
Value llvm_import::sineOfPi(Call &c, Value x) { return sineOfHalfTurns(c, withoutTurns(c, x)); }

static const llvm::StringMap<Function> &functions() {
  static const llvm::StringMap<Function> all = {
      {"sin", one<math::SinOp>},
      {"cos", one<math::CosOp>},
      {"tan", one<math::TanOp>},
      {"asin", one<math::AsinOp>},
      {"acos", one<math::AcosOp>},
      {"atan", one<math::AtanOp>},
      {"sinh", one<math::SinhOp>},
      {"cosh", one<math::CoshOp>},
      {"tanh", one<math::TanhOp>},
      {"asinh", one<math::AsinhOp>},
      {"acosh", one<math::AcoshOp>},
      {"atanh", one<math::AtanhOp>},
      {"exp", [](Call &c, arith::FastMathFlags f) { return power(c, false, f); }},
      {"exp2", [](Call &c, arith::FastMathFlags f) { return power(c, true, f); }},
      {"expm1", one<math::ExpM1Op>},
      {"log", [](Call &c, arith::FastMathFlags f) { return logarithm(c, c.x[0], false, f); }},
      {"log2", [](Call &c, arith::FastMathFlags f) { return logarithm(c, c.x[0], true, f); }},
      {"log10", one<math::Log10Op>},
      {"log1p", one<math::Log1pOp>},
      {"sqrt", one<math::SqrtOp>},
      {"rsqrt", one<math::RsqrtOp>},
      {"cbrt", one<math::CbrtOp>},
      {"erf", one<math::ErfOp>},
      {"erfc", one<math::ErfcOp>},
      {"floor", one<math::FloorOp>},
      {"ceil", one<math::CeilOp>},
      {"trunc", one<math::TruncOp>},
      {"rint", one<math::RoundEvenOp>},
      {"round", one<math::RoundOp>},
      {"fabs", one<math::AbsFOp>},
      {"atan2", two<math::Atan2Op>},
      {"pow", two<math::PowFOp>},
      {"powr", positivePower},
      {"pown", two<math::FPowIOp>},
      {"copysign", two<math::CopySignOp>},
      {"fmod", two<arith::RemFOp>},
      {"fma", fused},
      {"mad", fused},
      {"exp10", exp10},
      {"recip", reciprocal},
      {"divide", divided},
      {"asinpi", perPi<math::AsinOp>},
      {"acospi", perPi<math::AcosOp>},
      {"atanpi", perPi<math::AtanOp>},
      {"atan2pi", atan2PerPi},
      {"sinpi", sinPi},
      {"cospi", cosPi},
      {"tanpi", tanPi},
      {"rootn", root},
  };
  return all;
}

Made llvm_import::translateMath(Call &c) {
  if (!c.isFloat() || !c.result)
    return std::nullopt;
  StringRef name = c.name;
  bool isNative = name.consume_front("native_") || name.consume_front("half_");
  auto found = functions().find(name);
  if (found == functions().end())
    return std::nullopt;
  static const llvm::StringLiteral inFloat[] = {"sinpi",  "cospi",   "tanpi", "asinpi", "acospi",
                                                "atanpi", "atan2pi", "rootn", "powr",   "fma",
                                                "mad",    "exp10",   "pow",   "pown"};
  NarrowResult narrow(c, llvm::is_contained(inFloat, name));
  return narrow.finish(
      found->second(c, isNative ? arith::FastMathFlags::afn : arith::FastMathFlags::none));
}
