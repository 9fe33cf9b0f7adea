//===- Avx512Math.cpp - functions that AVX-512 has instructions for ---------===//
//   before: %r = math.rsqrt %x : vector<16xf32>
//   after:  %y = vrsqrt14ps %x                  (to 2^-14)
//           %e = fma -(%x * %y), %y, 1
//           %r = %e is not NaN ? fma %y * 0.5, %e, %y : %y
// A square root and a division occupy their unit for 30 cycles or more. This form has six
// instructions. One Newton step reduces the error to 2^-27. Together with the rounding of the step,
// the error is less than 1.1 units in the last place; Vulkan allows 2. For 0, infinity and negative
// numbers, the estimate is already exact, and the step would turn it into NaN.
//
//   before: %r = math.exp %x : vector<16xf32>
//   after:  %k = roundeven(%x / ln 2);  %r = vscalefps(1 + %d + %d * %d * p(%d), %k)
// Here %d is the remainder, computed by fma. The scaling replaces eight integer instructions, and
// handles gradual underflow. The error is less than 1 unit in the last place.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Avx512Math.h"

#include "compiler/lower/polyfill/MathTables.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice::lower;

namespace {

/// Emits operations on vectors of 16 f32.
struct Writer {
  Writer(Location loc, OpBuilder &builder)
      : b(loc, builder), type(VectorType::get({16}, builder.getF32Type())) {}

  Value all(double value) {
    auto values = DenseElementsAttr::get(type, static_cast<float>(value));
    return LLVM::ConstantOp::create(b, type, values);
  }
  Value multiply(Value x, Value y) { return LLVM::FMulOp::create(b, x, y); }
  Value add(Value x, Value y) { return LLVM::FAddOp::create(b, x, y); }
  Value negate(Value x) { return LLVM::FNegOp::create(b, x); }
  Value fma(Value x, Value y, Value z) { return LLVM::FMAOp::create(b, x, y, z); }
  Value choose(LLVM::FCmpPredicate predicate, Value x, Value y, Value yes, Value no) {
    return LLVM::SelectOp::create(b, LLVM::FCmpOp::create(b, predicate, x, y), yes, no);
  }
  /// Clamps `x` but keeps a NaN, because vminps and vmaxps return their second operand if one is
  /// NaN.
  Value clamp(Value x, double low, double high) {
    Value upper = intrinsic("llvm.x86.avx512.min.ps.512", {all(high), x, currentRounding()});
    return intrinsic("llvm.x86.avx512.max.ps.512", {all(low), upper, currentRounding()});
  }
  Value integer(Type word, int64_t value) {
    return LLVM::ConstantOp::create(b, word, b.getIntegerAttr(word, value));
  }
  Value intrinsic(StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands).getResult(0);
  }
  Value currentRounding() { return integer(b.getI32Type(), 4); }
  Value rsqrt14(Value x) {
    return intrinsic("llvm.x86.avx512.rsqrt14.ps.512",
                     {x, LLVM::ZeroOp::create(b, type), integer(b.getI16Type(), -1)});
  }
  /// Returns x * 2^k.
  Value scale(Value x, Value k) {
    return intrinsic(
        "llvm.x86.avx512.mask.scalef.ps.512",
        {x, k, LLVM::ZeroOp::create(b, type), integer(b.getI16Type(), -1), currentRounding()});
  }
  Value roundEven(Value x) { return LLVM::RoundEvenOp::create(b, type, x); }
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = all(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, all(coefficient));
    return sum;
  }

  Value rsqrt(Value x) {
    Value y = rsqrt14(x);
    Value error = fma(negate(multiply(x, y)), y, all(1));
    Value better = fma(multiply(y, all(0.5)), error, y);
    return choose(LLVM::FCmpPredicate::ord, error, error, better, y);
  }
  Value exp(Value x) {
    Value inside = clamp(x, -110, 95);
    Value k = roundEven(multiply(inside, all(tables::log2eF32[0])));
    Value d = fma(k, all(-tables::ln2F32[0]), inside);
    d = fma(k, all(-tables::ln2F32[1]), d);
    Value tail = fma(multiply(d, d), polynomial(d, tables::expF32), d);
    return scale(add(tail, all(1)), k);
  }
  Value exp2(Value x) {
    Value inside = clamp(x, -160, 140);
    Value k = roundEven(inside);
    Value d = LLVM::FSubOp::create(b, inside, k);
    return scale(fma(d, polynomial(d, tables::exp2F32), all(1)), k);
  }

  ImplicitLocOpBuilder b;
  VectorType type;
};

template <typename Op> struct ToAvx512 final : ConvertOpToLLVMPattern<Op> {
  ToAvx512(const LLVMTypeConverter &types, Value (Writer::*function)(Value), int64_t leastLanes)
      : ConvertOpToLLVMPattern<Op>(types, /*benefit=*/2), function(function),
        leastLanes(leastLanes) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    int64_t lanes = vector && vector.getRank() == 1 ? vector.getNumElements() : 1;
    if (!getElementTypeOrSelf(op.getType()).isF32() || lanes < leastLanes || lanes > 16)
      return rewriter.notifyMatchFailure(op, "not a vector of that many f32");
    Writer writer(op.getLoc(), rewriter);
    Value x = adaptor.getOperand(), zero = writer.integer(rewriter.getI32Type(), 0);
    SmallVector<int32_t> wider(16, -1), own(lanes);
    std::iota(wider.begin(), wider.begin() + lanes, 0);
    std::iota(own.begin(), own.end(), 0);
    if (!vector) // a vector of 16 costs no more than a scalar
      x = LLVM::InsertElementOp::create(writer.b, LLVM::PoisonOp::create(writer.b, writer.type), x,
                                        zero);
    else if (lanes < 16)
      x = LLVM::ShuffleVectorOp::create(writer.b, x, x, wider);
    Value result = (writer.*function)(x);
    if (!vector)
      result = LLVM::ExtractElementOp::create(writer.b, result, zero);
    else if (lanes < 16)
      result = LLVM::ShuffleVectorOp::create(writer.b, result, result, own);
    rewriter.replaceOp(op, result);
    return success();
  }

  Value (Writer::*function)(Value);
  int64_t leastLanes;
};

} // namespace

void pumice::cpu::populateAvx512MathPatterns(const LLVMTypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<ToAvx512<math::RsqrtOp>>(types, &Writer::rsqrt, 16);
  patterns.add<ToAvx512<math::ExpOp>>(types, &Writer::exp, 1);
  patterns.add<ToAvx512<math::Exp2Op>>(types, &Writer::exp2, 1);
}
