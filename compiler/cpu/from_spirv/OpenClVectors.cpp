//===- OpenClVectors.cpp - lengths of vectors -------------------------------===//
// Sums of squares must neither overflow nor underflow. For f16 and f32, they are computed in the
// next wider type. Vectors of f64 are first scaled by a power of two, so that the largest element
// is near 1.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/OpenCl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

using F = arith::CmpFPredicate;

static Value is(Lowering &l, F how, Value x, Value y) {
  return arith::CmpFOp::create(l.b, how, x, y);
}
static Value select(Lowering &l, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(l.b, condition, yes, no);
}

namespace {
/// The elements of a vector times a scale, in a type that can hold their squares.
struct Scaled {
  Scalars numbers;
  Value back;   // 1 / scale, which is a power of two; null means 1
  Value length; // the length of the scaled vector
};
} // namespace

static Scalars widened(Lowering &l, const Scalars &x) {
  Type type = x[0].getType();
  if (type.isF64())
    return x;
  Type wide = type.isF32() ? l.b.getF64Type() : l.b.getF32Type();
  Scalars result;
  for (Value each : x)
    result.push_back(arith::ExtFOp::create(l.b, wide, each));
  return result;
}

static Value narrowed(Lowering &l, Type type, Value x) {
  return x.getType() == type ? x : arith::TruncFOp::create(l.b, type, x).getResult();
}

static Scaled scaled(Lowering &l, Scalars x) {
  Type type = x[0].getType();
  Scaled result{x, {}, {}};
  if (type.isF64()) {
    Value most = math::AbsFOp::create(l.b, x[0]);
    for (Value each : ArrayRef(x).drop_front())
      most = arith::MaxNumFOp::create(l.b, most, math::AbsFOp::create(l.b, each));
    Value isLarge = is(l, F::OGT, most, l.real(type, 0x1p500));
    Value isSmall = is(l, F::OLT, most, l.real(type, 0x1p-500));
    auto power = [&](double ofLarge, double ofSmall) {
      Value other = select(l, isSmall, l.real(type, ofSmall), l.real(type, 1));
      return select(l, isLarge, l.real(type, ofLarge), other);
    };
    Value scale = power(0x1p-600, 0x1p600);
    result.back = power(0x1p600, 0x1p-600);
    for (Value &each : result.numbers)
      each = arith::MulFOp::create(l.b, each, scale);
  }
  Value sum = arith::MulFOp::create(l.b, result.numbers[0], result.numbers[0]);
  for (Value each : ArrayRef(result.numbers).drop_front())
    sum = math::FmaOp::create(l.b, each, each, sum);
  result.length = math::SqrtOp::create(l.b, sum);
  return result;
}

static LogicalResult finishLength(Lowering &l, Operation *op, const Scalars &wide, Type type) {
  Scaled vector = scaled(l, wide);
  Value length = vector.length;
  if (vector.back)
    length = arith::MulFOp::create(l.b, length, vector.back);
  return l.finish(op, {narrowed(l, type, length)});
}

LogicalResult opencl::length(Lowering &l, Operation *op) {
  Scalars x = l.get(op->getOperand(0));
  return finishLength(l, op, widened(l, x), x[0].getType());
}

LogicalResult opencl::distance(Lowering &l, Operation *op) {
  Scalars x = l.get(op->getOperand(0)), a = widened(l, x);
  Scalars b = widened(l, l.get(op->getOperand(1)));
  for (auto [own, other] : llvm::zip(a, b))
    own = arith::SubFOp::create(l.b, own, other);
  return finishLength(l, op, a, x[0].getType());
}

/// A vector of zeros stays unchanged. If elements are infinite, each infinity counts as 1, and
/// every other element as 0.
LogicalResult opencl::normalize(Lowering &l, Operation *op) {
  Scalars x = l.get(op->getOperand(0)), wide = widened(l, x);
  Type type = wide[0].getType();
  Value zero = l.real(type, 0), one = l.real(type, 1);
  Value endless = l.real(type, std::numeric_limits<double>::infinity());
  Scalars infinite;
  Value any = l.integer(0, 1);
  for (Value each : wide) {
    infinite.push_back(is(l, F::OEQ, math::AbsFOp::create(l.b, each), endless));
    any = arith::OrIOp::create(l.b, any, infinite.back());
  }
  for (auto [each, isInfinite] : llvm::zip(wide, infinite)) {
    Value unit = math::CopySignOp::create(l.b, one, each);
    Value rest = select(l, isInfinite, unit, arith::MulFOp::create(l.b, each, zero));
    each = select(l, any, rest, each);
  }
  Scaled vector = scaled(l, wide);
  Value isZero = is(l, F::OEQ, vector.length, zero);
  Value divisor = select(l, isZero, one, vector.length);
  Value isNan = is(l, F::UNO, vector.length, vector.length);
  Scalars result;
  for (Value each : vector.numbers) {
    Value unit = arith::DivFOp::create(l.b, each, divisor);
    result.push_back(narrowed(l, x[0].getType(), select(l, isNan, vector.length, unit)));
  }
  return l.finish(op, result);
}
