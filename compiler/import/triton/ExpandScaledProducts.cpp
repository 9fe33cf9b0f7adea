//===- ExpandScaledProducts.cpp - tt.dot_scaled → tt.dot --------------------===//
//   before: %r = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e4m3 rhs = e2m1 {…}
//   after:  %x = arith.extf %a : tensor<32x64xf8E4M3FN> to tensor<32x64xf32>
//           %f = (each exponent of %s as a power of two, repeated for its 32 elements of a row)
//           %y = (both halves of each byte of %b as f32, times the powers of %t)
//           %r = tt.dot (arith.mulf %x, %f), %y, %c
// Needs: nothing. Leaves: no tt.dot_scaled.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pumice::triton {
#define GEN_PASS_DEF_EXPANDSCALEDPRODUCTS
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;

static SmallVector<int64_t> shapeOf(Value tensor) {
  return llvm::to_vector(cast<RankedTensorType>(tensor.getType()).getShape());
}

namespace {

/// Emits operations on tensors.
struct Steps {
  ImplicitLocOpBuilder &b;

  Value splat(Type like, Attribute one) {
    auto type = cast<RankedTensorType>(like);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, one));
  }
  Value integer(Value like, int64_t value) {
    return splat(like.getType(), b.getIntegerAttr(getElementTypeOrSelf(like), value));
  }
  Value number(Value like, double value) {
    return splat(like.getType(), b.getFloatAttr(getElementTypeOrSelf(like), value));
  }
  Type with(Value like, Type element) { return withScalar(like.getType(), element); }

  /// Returns the tensor with its last two dimensions exchanged.
  Value transposed(Value tensor) {
    SmallVector<int64_t> shape = shapeOf(tensor);
    size_t rank = shape.size();
    SmallVector<int32_t> order(rank);
    for (size_t i = 0; i < rank; ++i)
      order[i] = static_cast<int32_t>(i);
    std::swap(order[rank - 1], order[rank - 2]);
    std::swap(shape[rank - 1], shape[rank - 2]);
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(tensor));
    return TransOp::create(b, type, tensor, order);
  }
  Value reshaped(Value tensor, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(tensor));
    return ReshapeOp::create(b, type, tensor);
  }

  /// Returns the value of a 4-bit float as f32. The float has one sign bit, two bits of exponent,
  /// and one of mantissa.
  Value ofHalfByte(Value bits) {
    Value wide = arith::ExtUIOp::create(b, with(bits, b.getI32Type()), bits);
    Value magnitude = arith::AndIOp::create(b, wide, integer(wide, 7));
    // Codes from 2 on are normal numbers. The exponent and the mantissa move to their places in
    // f32, and the bias changes from 1 to 127.
    Value moved = arith::ShLIOp::create(b, magnitude, integer(wide, 22));
    Value normal = arith::AddIOp::create(b, moved, integer(wide, 126 << 23));
    Type f32 = with(bits, b.getF32Type());
    Value value = arith::BitcastOp::create(b, f32, normal);
    auto isEqual = [&](int64_t code) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, magnitude, integer(wide, code));
    };
    value = arith::SelectOp::create(b, isEqual(0), number(value, 0), value);
    value = arith::SelectOp::create(b, isEqual(1), number(value, 0.5), value);
    Value sign = arith::AndIOp::create(b, wide, integer(wide, 8));
    Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, sign, integer(wide, 0));
    return arith::SelectOp::create(b, isNegative, arith::NegFOp::create(b, value), value);
  }

  /// Splits each byte into two elements along the last dimension, the lower half first.
  Value unpacked(Value bytes) {
    Value low = arith::AndIOp::create(b, bytes, integer(bytes, 15));
    Value high = arith::ShRUIOp::create(b, bytes, integer(bytes, 4));
    low = ofHalfByte(low);
    high = ofHalfByte(high);
    SmallVector<int64_t> shape = shapeOf(bytes), pairs = shape;
    pairs.push_back(2);
    shape.back() *= 2;
    auto type = RankedTensorType::get(pairs, b.getF32Type());
    return reshaped(JoinOp::create(b, type, low, high), shape);
  }

  /// Converts an operand to f32. Two e2m1 elements share a byte. With `packsLast`, they are
  /// neighbours in the last dimension, and otherwise in the dimension before it.
  Value asF32(Value operand, ScaledFormat format, bool packsLast) {
    if (format == ScaledFormat::E2M1)
      return packsLast ? unpacked(operand) : transposed(unpacked(transposed(operand)));
    return arith::ExtFOp::create(b, with(operand, b.getF32Type()), operand);
  }

  /// Converts a scale to f32. A scale is an f8 number, or an exponent with a bias of 127 whose
  /// highest code means NaN.
  Value asFactor(Value scale) {
    Type f32 = with(scale, b.getF32Type());
    if (isa<FloatType>(getElementTypeOrSelf(scale)))
      return arith::ExtFOp::create(b, f32, scale);
    Value wide = arith::ExtUIOp::create(b, with(scale, b.getI32Type()), scale);
    Value bits = arith::ShLIOp::create(b, wide, integer(wide, 23));
    // 2^-127 is subnormal in f32, so it needs special bits.
    Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, wide, integer(wide, 0));
    bits = arith::SelectOp::create(b, isZero, integer(bits, 1 << 22), bits);
    Value isNone = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, wide, integer(wide, 255));
    bits = arith::SelectOp::create(b, isNone, integer(bits, 0x7FC00000), bits);
    return arith::BitcastOp::create(b, f32, bits);
  }

  /// Repeats the scale of each group in a row, so that each of the `depth` elements in the row has
  /// its own.
  Value spread(Value scale, int64_t depth) {
    Value factor = asFactor(scale);
    SmallVector<int64_t> shape = shapeOf(factor), rows = shape, whole = shape;
    int64_t group = depth / shape.back();
    shape.push_back(1);
    Value lifted = ExpandDimsOp::create(b, RankedTensorType::get(shape, b.getF32Type()), factor,
                                        static_cast<int32_t>(rows.size()));
    shape.back() = group;
    Value repeated = BroadcastOp::create(b, RankedTensorType::get(shape, b.getF32Type()), lifted);
    whole.back() = depth;
    return reshaped(repeated, whole);
  }
};

} // namespace

static void expand(DotScaledOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Steps steps{b};
  Value left = steps.asF32(op.getA(), op.getAFormat(), op.getLhsKPack());
  Value right = steps.asF32(op.getB(), op.getBFormat(), !op.getRhsKPack());
  int64_t depth = shapeOf(left).back();
  if (Value scale = op.getAScale())
    left = arith::MulFOp::create(b, left, steps.spread(scale, depth));
  if (Value scale = op.getBScale())
    right = arith::MulFOp::create(b, right, steps.transposed(steps.spread(scale, depth)));
  Value accumulator = op.getC();
  Type type = accumulator.getType(), f32 = steps.with(accumulator, b.getF32Type());
  if (type != f32 && !getElementTypeOrSelf(type).isF64())
    accumulator = arith::ExtFOp::create(b, f32, accumulator);
  Value product = DotOp::create(b, accumulator.getType(), left, right, accumulator,
                                InputPrecision::IEEE, /*maxNumImpreciseAcc=*/0);
  if (product.getType() != type)
    product = arith::TruncFOp::create(b, type, product);
  op.replaceAllUsesWith(product);
  op.erase();
}

namespace {

struct ExpandScaledProducts final : triton::impl::ExpandScaledProductsBase<ExpandScaledProducts> {
  void runOnOperation() override {
    getOperation().walk([](DotScaledOp op) { expand(op); });
  }
};

} // namespace
