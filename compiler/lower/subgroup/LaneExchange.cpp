//===- LaneExchange.cpp - moves values of any type between lanes ------------===//
#include "compiler/lower/subgroup/LaneExchange.h"
#include "compiler/lower/subgroup/Subgroups.h"

using namespace mlir;
using namespace pumice;
using target::Feature;

static bool movesAsIs(const target::TargetEnv &env, Type type) {
  // OpenCL C's shuffles have no overload for booleans, so Intel's runtime does not link them.
  if (type.isInteger(1))
    return !env.isOpenCl();
  if (type.isInteger(32) || type.isF32() || type.isF64())
    return true;
  if (!env.has(Feature::shaderSubgroupExtendedTypes))
    return false;
  return (type.isInteger(8) && env.has(Feature::shaderInt8)) ||
         (type.isInteger(16) && env.has(Feature::shaderInt16)) ||
         (type.isInteger(64) && env.has(Feature::shaderInt64)) ||
         (type.isF16() && env.has(Feature::shaderFloat16));
}

/// Moves a value of 64 bits as two words.
/// before: %r = move %x : i64
/// after:  %r = (move hi(%x)) << 32 | move lo(%x)
static Value moveInTwoWords(OpBuilder &b, Location loc, Value value, lower::MoveScalar move) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value width = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value low = arith::TruncIOp::create(b, loc, i32, value);
  Value high = arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, value, width));
  Value newLow = arith::ExtUIOp::create(b, loc, i64, move(low));
  Value newHigh = arith::ExtUIOp::create(b, loc, i64, move(high));
  return arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, newHigh, width), newLow);
}

/// Moves an index as two words. Its width of 32 or 64 bits is not known here. Two shifts by 16 are
/// correct for both widths.
static Value moveIndex(OpBuilder &b, Location loc, Value value, lower::MoveScalar move) {
  Type i32 = b.getI32Type(), index = b.getIndexType();
  Value half = arith::ConstantIndexOp::create(b, loc, 16);
  Value high = arith::ShRUIOp::create(b, loc, value, half);
  high = arith::ShRUIOp::create(b, loc, high, half);
  Value newLow = move(arith::IndexCastUIOp::create(b, loc, i32, value));
  Value newHigh = move(arith::IndexCastUIOp::create(b, loc, i32, high));
  newHigh = arith::IndexCastUIOp::create(b, loc, index, newHigh);
  newHigh = arith::ShLIOp::create(b, loc, newHigh, half);
  newHigh = arith::ShLIOp::create(b, loc, newHigh, half);
  newLow = arith::IndexCastUIOp::create(b, loc, index, newLow);
  return arith::OrIOp::create(b, loc, newHigh, newLow);
}

static FailureOr<Value> exchangeVector(OpBuilder &b, Location loc, const target::TargetEnv &env,
                                       Value value, VectorType type, lower::MoveScalar move) {
  if (type.isScalable())
    return failure();
  SmallVector<Value> elements;
  SmallVector<int64_t> position(type.getRank(), 0);
  for (int64_t i = 0, count = type.getNumElements(); i < count; ++i) {
    int64_t rest = i;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      position[dim] = rest % type.getDimSize(dim);
      rest /= type.getDimSize(dim);
    }
    Value element = vector::ExtractOp::create(b, loc, value, position);
    FailureOr<Value> moved = lower::exchange(b, loc, env, element, move);
    if (failed(moved))
      return failure();
    elements.push_back(*moved);
  }
  return Value(vector::FromElementsOp::create(b, loc, type, elements));
}

FailureOr<Value> lower::exchange(OpBuilder &b, Location loc, const target::TargetEnv &env,
                                 Value value, MoveScalar move) {
  Type type = value.getType();
  if (auto vector = dyn_cast<VectorType>(type))
    return exchangeVector(b, loc, env, value, vector, move);
  if (type.isIndex())
    return moveIndex(b, loc, value, move);
  if (!type.isSignlessInteger() && !isa<FloatType>(type))
    return failure();
  if (movesAsIs(env, type))
    return move(value);
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type) ? width > 32 : width > 64)
    return failure();
  Value whole = toWhole(b, loc, value);
  Value moved = movesAsIs(env, whole.getType()) ? move(whole) : moveInTwoWords(b, loc, whole, move);
  return fromWhole(b, loc, moved, type);
}
