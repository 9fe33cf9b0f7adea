//===- MathPatterns.cpp - patterns for math that upstream lacks -------------===//
//   before: %0 = math.exp2 %x : f32              %1 = math.cttz %n : i32
//   after:  %0 = spirv.GL.Exp2 %x : f32          %1 = UMin(spirv.GL.FindILsb %n, 32)
// ExpandMath has left only types that these instructions support.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/KernelConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

template <typename MathOp, typename SpirvOp>
struct ConvertUnary final : OpConversionPattern<MathOp> {
  using OpConversionPattern<MathOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(MathOp op, typename MathOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "not a type of SPIR-V");
    rewriter.replaceOpWithNewOp<SpirvOp>(op, type, adaptor.getOperand());
    return success();
  }
};

/// Converts cttz. For zero, the result of FindILsb is -1, the largest unsigned number, but
/// math.cttz requires the width.
struct ConvertTrailingZeros final : OpConversionPattern<math::CountTrailingZerosOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(math::CountTrailingZerosOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type || !getElementTypeOrSelf(type).isInteger(32))
      return rewriter.notifyMatchFailure(op, "not of 32 bits");
    Attribute width = rewriter.getI32IntegerAttr(32);
    if (auto vector = dyn_cast<VectorType>(type))
      width = DenseElementsAttr::get(vector, width);
    Value lowest = spv::GLFindILsbOp::create(rewriter, op.getLoc(), type, adaptor.getOperand());
    Value limit = spv::ConstantOp::create(rewriter, op.getLoc(), type, width);
    rewriter.replaceOpWithNewOp<spv::GLUMinOp>(op, type, lowest, limit);
    return success();
  }
};

/// OpenCL's dialect in MLIR has no instructions that count zeros, but OpBitCount exists for both
/// APIs. Leading zeros: all bits below the highest set bit are set first. Trailing zeros: these are
/// the bits of ~x & (x - 1).
template <typename MathOp, bool leading> struct CountZeros final : OpConversionPattern<MathOp> {
  using OpConversionPattern<MathOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(MathOp op, typename MathOp::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    bool openCl = this->template getTypeConverter<KernelTypeConverter>()->style().openCl;
    if (!openCl || !type || !getElementTypeOrSelf(type).isInteger(32))
      return b.notifyMatchFailure(op, "not for OpenCL, or not of 32 bits");
    Location loc = op.getLoc();
    auto constant = [&](int32_t value) -> Value {
      Attribute number = b.getI32IntegerAttr(value);
      if (auto vector = dyn_cast<VectorType>(type))
        number = DenseElementsAttr::get(vector, number);
      return spv::ConstantOp::create(b, loc, type, cast<TypedAttr>(number));
    };
    Value x = adaptor.getOperand();
    if (leading)
      for (int32_t shift : {1, 2, 4, 8, 16})
        x = spv::BitwiseOrOp::create(
            b, loc, x, spv::ShiftRightLogicalOp::create(b, loc, type, x, constant(shift)));
    Value flipped = spv::NotOp::create(b, loc, x);
    if (!leading)
      flipped =
          spv::BitwiseAndOp::create(b, loc, flipped, spv::ISubOp::create(b, loc, x, constant(1)));
    b.replaceOpWithNewOp<spv::BitCountOp>(op, type, flipped);
    return success();
  }
};

/// Converts comparisons that only test for NaN. MLIR's own pattern uses OpUnordered, which only
/// OpenCL has.
struct ConvertNanCompare final : OpConversionPattern<arith::CmpFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::CmpFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool wantsOrdered = op.getPredicate() == arith::CmpFPredicate::ORD;
    if (!wantsOrdered && op.getPredicate() != arith::CmpFPredicate::UNO)
      return rewriter.notifyMatchFailure(op, "compares numbers");
    Location loc = op.getLoc();
    Value result = spv::IsNanOp::create(rewriter, loc, adaptor.getLhs());
    if (adaptor.getLhs() != adaptor.getRhs())
      result = spv::LogicalOrOp::create(rewriter, loc, result,
                                        spv::IsNanOp::create(rewriter, loc, adaptor.getRhs()));
    if (wantsOrdered)
      result = spv::LogicalNotOp::create(rewriter, loc, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void pumice::spirv::populateMathPatterns(const KernelTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns
      .add<ConvertUnary<math::Exp2Op, spv::GLExp2Op>, ConvertUnary<math::Log2Op, spv::GLLog2Op>,
           ConvertUnary<math::CtPopOp, spv::BitCountOp>, ConvertNanCompare, ConvertTrailingZeros>(
          converter, patterns.getContext(), PatternBenefit(10));
  patterns.add<CountZeros<math::CountLeadingZerosOp, true>,
               CountZeros<math::CountTrailingZerosOp, false>>(converter, patterns.getContext(),
                                                              PatternBenefit(20));
}
