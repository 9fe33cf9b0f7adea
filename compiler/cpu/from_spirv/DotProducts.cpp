//===- DotProducts.cpp - dot products of integers ---------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static Value extended(Lowering &l, Value x, unsigned width, bool isSigned) {
  Type type = l.b.getIntegerType(width);
  if (x.getType() == type)
    return x;
  return isSigned ? arith::ExtSIOp::create(l.b, type, x).getResult()
                  : arith::ExtUIOp::create(l.b, type, x).getResult();
}

/// Returns the components of a vector, or the four bytes of a word.
static Scalars components(Lowering &l, Value operand) {
  Scalars parts = l.get(operand);
  if (isa<VectorType>(operand.getType()))
    return parts;
  Scalars bytes;
  for (int64_t at = 0; at < 32; at += 8) {
    Value moved = arith::ShRUIOp::create(l.b, parts[0], l.integer(at));
    bytes.push_back(arith::TruncIOp::create(l.b, l.b.getI8Type(), moved));
  }
  return bytes;
}

static Value sumOf(Lowering &l, Operation *op, bool xSigned, bool ySigned, unsigned width) {
  Scalars xs = components(l, op->getOperand(0)), ys = components(l, op->getOperand(1));
  Value sum;
  for (auto [x, y] : llvm::zip(xs, ys)) {
    Value term =
        arith::MulIOp::create(l.b, extended(l, x, width, xSigned), extended(l, y, width, ySigned));
    sum = sum ? arith::AddIOp::create(l.b, sum, term).getResult() : term;
  }
  return sum;
}

static unsigned componentWidth(Value operand) {
  auto vector = dyn_cast<VectorType>(operand.getType());
  return vector ? vector.getElementTypeBitWidth() : 8;
}

/// Computes a dot product that wraps around. The computation has the width of the result or of the
/// components, whichever is larger.
template <bool xSigned, bool ySigned> static LogicalResult lowerDot(Lowering &l, Operation *op) {
  Type type = l.types.scalar(op->getResult(0).getType());
  unsigned width = type.getIntOrFloatBitWidth();
  unsigned each = std::max(width, componentWidth(op->getOperand(0)));
  Value sum = sumOf(l, op, xSigned, ySigned, each);
  return l.finish(op, {each > width ? arith::TruncIOp::create(l.b, type, sum).getResult() : sum});
}

/// Returns x + y, clamped to the range of the type.
static Value addSaturated(Lowering &l, Value x, Value y, bool isSigned) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Value sum = arith::AddIOp::create(l.b, x, y);
  Value zero = l.integer(0, width);
  if (!isSigned) {
    Value wrapped = arith::CmpIOp::create(l.b, arith::CmpIPredicate::ult, sum, x);
    return arith::SelectOp::create(l.b, wrapped, l.integer(-1, width), sum);
  }
  Value turned = arith::AndIOp::create(l.b, arith::XOrIOp::create(l.b, x, sum),
                                       arith::XOrIOp::create(l.b, y, sum));
  auto isNegative = [&](Value v) {
    return arith::CmpIOp::create(l.b, arith::CmpIPredicate::slt, v, zero).getResult();
  };
  Value low = l.integer(APInt::getSignedMinValue(width).getSExtValue(), width);
  Value high = l.integer(APInt::getSignedMaxValue(width).getSExtValue(), width);
  Value end = arith::SelectOp::create(l.b, isNegative(x), low, high);
  return arith::SelectOp::create(l.b, isNegative(turned), end, sum);
}

/// Computes a dot product and adds an accumulator. Only the addition of the accumulator saturates.
/// If the sum before it overflows the result's type, the result is undefined. For types narrower
/// than 64 bits, the sum is exact, and then clamped.
template <bool xSigned, bool ySigned>
static LogicalResult lowerSaturated(Lowering &l, Operation *op) {
  Type type = l.types.scalar(op->getResult(0).getType());
  unsigned width = type.getIntOrFloatBitWidth();
  Value sum = sumOf(l, op, xSigned, ySigned, 64), accumulator = l.scalar(op->getOperand(2));
  if (width == 64)
    return l.finish(op, {addSaturated(l, sum, accumulator, xSigned)});
  sum = arith::AddIOp::create(l.b, sum, extended(l, accumulator, 64, xSigned));
  Value low = l.integer(xSigned ? APInt::getSignedMinValue(width).getSExtValue() : 0, 64);
  APInt most = xSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  Value high = l.integer(static_cast<int64_t>(most.getZExtValue()), 64);
  sum = arith::MinSIOp::create(l.b, arith::MaxSIOp::create(l.b, sum, low), high);
  return l.finish(op, {arith::TruncIOp::create(l.b, type, sum)});
}

static constexpr Rule rulesOfDotProducts[] = {
    {"SDot", lowerDot<true, true>},   {"SDotAccSat", lowerSaturated<true, true>},
    {"SUDot", lowerDot<true, false>}, {"SUDotAccSat", lowerSaturated<true, false>},
    {"UDot", lowerDot<false, false>}, {"UDotAccSat", lowerSaturated<false, false>},
};

ArrayRef<Rule> pumice::cpu::dotProductRules() { return rulesOfDotProducts; }
