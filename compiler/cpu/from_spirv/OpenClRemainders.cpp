//===- OpenClRemainders.cpp - fmod, remainder, remquo -----------------------===//
// Computes a remainder by a loop. While r >= y, an iteration computes q = trunc(r / s), and
// subtracts q s from r with a fused multiply-add. Here s = y 2^k is so close to r that q has fewer
// bits than the type. The difference is then exact, because it is less than s and a multiple of the
// last place of s. If rounding made q too large by one, s is added again.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/Loops.h"
#include "compiler/cpu/from_spirv/OpenCl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

/// The parameters of a float format.
struct Format {
  FloatType type;
  int64_t width, fraction, bias;

  explicit Format(FloatType type)
      : type(type), width(type.getWidth()), fraction(type.getFPMantissaWidth() - 1),
        bias((int64_t{1} << (width - fraction - 2)) - 1) {}
};

struct Division {
  Value rest;     // the remainder of the magnitudes
  Value quotient; // the low bits of the quotient, as i64
};
} // namespace

static Value is(Lowering &l, F how, Value x, Value y) {
  return arith::CmpFOp::create(l.b, how, x, y);
}
static Value is(Lowering &l, I how, Value x, Value y) {
  return arith::CmpIOp::create(l.b, how, x, y);
}
static Value select(Lowering &l, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(l.b, condition, yes, no);
}

/// Returns 2^k. The exponent k must be that of a normal number.
static Value powerOfTwo(Lowering &l, const Format &f, Value k) {
  Type bits = l.b.getIntegerType(f.width);
  Value biased = arith::AddIOp::create(l.b, k, l.integer(f.bias, f.width));
  Value moved = arith::ShLIOp::create(l.b, bits, biased, l.integer(f.fraction, f.width));
  return arith::BitcastOp::create(l.b, f.type, moved);
}

/// Returns the exponent of a positive number. Subnormal numbers are scaled up first.
static Value exponent(Lowering &l, const Format &f, Value x) {
  Type bits = l.b.getIntegerType(f.width);
  Value least = powerOfTwo(l, f, l.integer(1 - f.bias, f.width));
  Value isSmall = is(l, F::OLT, x, least);
  Value up = powerOfTwo(l, f, l.integer(f.fraction + 1, f.width));
  Value scaled = select(l, isSmall, arith::MulFOp::create(l.b, x, up), x);
  Value whole = arith::ShRUIOp::create(l.b, arith::BitcastOp::create(l.b, bits, scaled).getResult(),
                                       l.integer(f.fraction, f.width));
  Value less =
      select(l, isSmall, l.integer(f.bias + f.fraction + 1, f.width), l.integer(f.bias, f.width));
  return arith::SubIOp::create(l.b, whole, less);
}

/// Emits one iteration of the loop. It requires r >= y.
static Scalars reduce(Lowering &l, const Format &f, Value y, Value yExponent, Value r,
                      Value quotient) {
  Value apart = arith::SubIOp::create(l.b, exponent(l, f, r), yExponent);
  Value k = arith::MaxSIOp::create(
      l.b, arith::SubIOp::create(l.b, apart, l.integer(f.fraction - 1, f.width)).getResult(),
      l.integer(0, f.width));
  // Multiplies by 2^k in two steps, because k may exceed the range of exponents.
  Value half = arith::ShRUIOp::create(l.b, k, l.integer(1, f.width));
  Value rest = arith::SubIOp::create(l.b, k, half);
  Value s =
      arith::MulFOp::create(l.b, arith::MulFOp::create(l.b, y, powerOfTwo(l, f, half)).getResult(),
                            powerOfTwo(l, f, rest));
  Value q = math::TruncOp::create(l.b, arith::DivFOp::create(l.b, r, s).getResult());
  Value next = math::FmaOp::create(l.b, arith::NegFOp::create(l.b, q), s, r);
  Value tooMuch = is(l, F::OLT, next, l.real(f.type, 0));
  next = select(l, tooMuch, arith::AddFOp::create(l.b, next, s), next);
  Value one = l.real(f.type, 1);
  q = select(l, tooMuch, arith::SubFOp::create(l.b, q, one), q);
  // The quotient keeps only its low 64 bits.
  Type wide = l.b.getI64Type();
  Value by = f.width < 64 ? arith::ExtUIOp::create(l.b, wide, k).getResult() : k;
  Value far = is(l, I::ugt, by, l.integer(63, 64));
  Value whole = arith::FPToSIOp::create(l.b, wide, q);
  Value moved = arith::ShLIOp::create(
      l.b, whole, arith::AndIOp::create(l.b, by, l.integer(63, 64)).getResult());
  moved = select(l, far, l.integer(0, 64), moved);
  return {next, arith::AddIOp::create(l.b, quotient, moved)};
}

static Division divide(Lowering &l, const Format &f, Value x, Value y) {
  Value infinite = arith::ConstantOp::create(
      l.b, l.b.getFloatAttr(f.type, APFloat::getInf(f.type.getFloatSemantics())));
  Value divisible = is(l, F::OGT, y, l.real(f.type, 0)), finite = is(l, F::OLT, x, infinite);
  Value possible = arith::AndIOp::create(l.b, divisible, finite);
  Value yExponent = exponent(l, f, y);
  Scalars end = loopWhile(
      l, {x, l.integer(0, 64)},
      [&](ArrayRef<Value> at) -> Value {
        return arith::AndIOp::create(l.b, possible, is(l, F::OGE, at[0], y));
      },
      [&](ArrayRef<Value> at) { return reduce(l, f, y, yExponent, at[0], at[1]); });
  Value nan = arith::ConstantOp::create(
      l.b, l.b.getFloatAttr(f.type, APFloat::getNaN(f.type.getFloatSemantics())));
  Value ordered = is(l, F::ORD, x, y);
  return {select(l, arith::AndIOp::create(l.b, possible, ordered), end[0], nan), end[1]};
}

/// Divides the magnitudes; the remainder gets the sign of x. Types narrower than f32 are computed
/// in f32.
static Division divideSigned(Lowering &l, Type type, ArrayRef<Value> x, bool nearest) {
  Type wide = type.getIntOrFloatBitWidth() < 32 ? l.b.getF32Type() : type;
  auto widened = [&](Value value) -> Value {
    return value.getType() == wide ? value : arith::ExtFOp::create(l.b, wide, value).getResult();
  };
  Format f(cast<FloatType>(wide));
  Value own = widened(x[0]);
  Value y = math::AbsFOp::create(l.b, widened(x[1]));
  Division d = divide(l, f, math::AbsFOp::create(l.b, own), y);
  if (nearest) {
    Value left = arith::SubFOp::create(l.b, y, d.rest), one = l.integer(1, 64);
    Value odd = is(l, I::ne, arith::AndIOp::create(l.b, d.quotient, one), l.integer(0, 64));
    Value tie = arith::AndIOp::create(l.b, is(l, F::OEQ, d.rest, left), odd);
    Value up = arith::OrIOp::create(l.b, is(l, F::OGT, d.rest, left), tie);
    d.rest = select(l, up, arith::NegFOp::create(l.b, left), d.rest);
    d.quotient = select(l, up, arith::AddIOp::create(l.b, d.quotient, one), d.quotient);
  }
  Type bits = l.b.getIntegerType(f.width);
  auto bitsOf = [&](Value value) { return arith::BitcastOp::create(l.b, bits, value).getResult(); };
  Value sign = arith::AndIOp::create(
      l.b, bitsOf(own), l.integer(APInt::getSignMask(f.width).getSExtValue(), f.width));
  Value made = arith::XOrIOp::create(l.b, bitsOf(d.rest), sign);
  d.rest = arith::BitcastOp::create(l.b, f.type, made);
  if (f.type != type)
    d.rest = arith::TruncFOp::create(l.b, type, d.rest);
  return d;
}

Value opencl::fmod(Lowering &l, Type type, ArrayRef<Value> x) {
  return divideSigned(l, type, x, /*nearest=*/false).rest;
}

Value opencl::remainder(Lowering &l, Type type, ArrayRef<Value> x) {
  return divideSigned(l, type, x, /*nearest=*/true).rest;
}

/// Stores the lowest seven bits of the quotient, with its sign, through the pointer.
LogicalResult opencl::remquo(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(2));
  if (failed(pointer))
    return failure();
  Scalars rests, quotients;
  for (auto [x, y] : llvm::zip(l.get(op->getOperand(0)), l.get(op->getOperand(1)))) {
    Division d = divideSigned(l, x.getType(), {x, y}, /*nearest=*/true);
    Value low = arith::TruncIOp::create(
        l.b, l.b.getI32Type(),
        arith::AndIOp::create(l.b, d.quotient, l.integer(0x7f, 64)).getResult());
    Value signs = math::CopySignOp::create(l.b, l.real(x.getType(), 1), x);
    Value other = math::CopySignOp::create(l.b, l.real(x.getType(), 1), y);
    Value negated = arith::SubIOp::create(l.b, l.integer(0), low);
    Value isNan = is(l, F::UNO, d.rest, d.rest);
    rests.push_back(d.rest);
    Value signedLow = select(l, is(l, F::ONE, signs, other), negated, low);
    quotients.push_back(select(l, isNan, l.integer(0), signedLow));
  }
  return failed(l.store(*pointer, quotients)) ? failure() : l.finish(op, rests);
}
