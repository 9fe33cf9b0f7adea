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
static Value sinPi(Call &c, arith::FastMathFlags) {
  return sineOfHalfTurns(c, withoutTurns(c, c.x[0]));
}
static Value cosPi(Call &c, arith::FastMathFlags) {
  return cosineOfHalfTurns(c, withoutTurns(c, c.x[0]));
}
static Value tanPi(Call &c, arith::FastMathFlags) {
  Value r = withoutTurns(c, c.x[0]);
  return c.op<arith::DivFOp>(sineOfHalfTurns(c, r), cosineOfHalfTurns(c, r));
}

/// Returns the n-th root. An odd root of a negative number is negative.
static Value root(Call &c, arith::FastMathFlags) {
  Type type = c.result;
  Value x = c.x[0], n = c.x[1];
  Value inverse = c.op<arith::DivFOp>(c.constant(type, 1.0), c.op<arith::SIToFPOp>(type, n));
  Value size = c.op<math::PowFOp>(c.op<math::AbsFOp>(x), inverse);
  Value odd = c.op<arith::AndIOp>(n, c.constant(n.getType(), int64_t(1)));
  Value isOdd = c.compare(arith::CmpIPredicate::ne, odd, c.constant(n.getType(), int64_t(0)));
  Value isNegative = c.compare(arith::CmpFPredicate::OLT, x, c.constant(type, 0.0));
  Value nan = c.constant(type, std::numeric_limits<double>::quiet_NaN());
  Value made = c.select(isOdd, c.op<math::CopySignOp>(size, x), size);
  Value isBad = c.op<arith::AndIOp>(
      isNegative, c.compare(arith::CmpIPredicate::eq, odd, c.constant(n.getType(), int64_t(0))));
  return c.select(isBad, nan, made);
}

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
      {"exp", one<math::ExpOp>},
      {"exp2", one<math::Exp2Op>},
      {"expm1", one<math::ExpM1Op>},
      {"log", one<math::LogOp>},
      {"log2", one<math::Log2Op>},
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
      {"powr", two<math::PowFOp>},
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
  return found->second(c, isNative ? arith::FastMathFlags::afn : arith::FastMathFlags::none);
}
