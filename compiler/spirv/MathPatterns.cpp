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

/// Converts products of twice the width for OpenCL, whose drivers often lack OpUMulExtended and
/// OpSMulExtended. Numbers of up to 32 bits are multiplied in 64 bits. Of those of 64 bits, the
/// high half is the sum of four products of halves.
template <typename MulOp, bool isSigned> struct ConvertProduct final : OpConversionPattern<MulOp> {
  using OpConversionPattern<MulOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(MulOp op, typename MulOp::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = this->getTypeConverter()->convertType(op.getLhs().getType());
    bool openCl = this->template getTypeConverter<KernelTypeConverter>()->style().openCl;
    if (!openCl || !type)
      return b.notifyMatchFailure(op, "not for OpenCL");
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Value low = spv::IMulOp::create(b, op.getLoc(), x, y);
    b.replaceOp(op, {low, width == 64 ? highOfLong(b, op.getLoc(), x, y)
                                      : highOfShort(b, op.getLoc(), x, y, width)});
    return success();
  }

private:
  static Value number(OpBuilder &b, Location loc, Type type, int64_t value) {
    TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return spv::ConstantOp::create(b, loc, type, attr);
  }

  static Value highOfShort(OpBuilder &b, Location loc, Value x, Value y, unsigned width) {
    Type type = x.getType(), wide = b.getI64Type();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    auto extend = [&](Value value) -> Value {
      if (isSigned)
        return spv::SConvertOp::create(b, loc, wide, value);
      return spv::UConvertOp::create(b, loc, wide, value);
    };
    Value product = spv::IMulOp::create(b, loc, extend(x), extend(y));
    Value high =
        spv::ShiftRightLogicalOp::create(b, loc, wide, product, number(b, loc, wide, width));
    return spv::UConvertOp::create(b, loc, type, high);
  }

  static Value highOfLong(OpBuilder &b, Location loc, Value x, Value y) {
    Type type = x.getType();
    Value half = number(b, loc, type, 32), mask = number(b, loc, type, 0xffffffff);
    auto low = [&](Value v) -> Value { return spv::BitwiseAndOp::create(b, loc, v, mask); };
    auto high = [&](Value v) -> Value {
      return spv::ShiftRightLogicalOp::create(b, loc, type, v, half);
    };
    auto times = [&](Value v, Value w) -> Value { return spv::IMulOp::create(b, loc, v, w); };
    auto plus = [&](Value v, Value w) -> Value { return spv::IAddOp::create(b, loc, v, w); };
    Value crossed = times(low(x), high(y)), other = times(high(x), low(y));
    Value middle = plus(plus(high(times(low(x), low(y))), low(crossed)), low(other));
    Value result =
        plus(plus(times(high(x), high(y)), high(crossed)), plus(high(other), high(middle)));
    if (!isSigned)
      return result;
    Value sign = number(b, loc, type, 63);
    auto ifNegative = [&](Value v, Value w) -> Value { // w if v is negative, otherwise 0
      Value all = spv::ShiftRightArithmeticOp::create(b, loc, type, v, sign);
      return spv::BitwiseAndOp::create(b, loc, all, w);
    };
    result = spv::ISubOp::create(b, loc, result, ifNegative(x, y));
    return spv::ISubOp::create(b, loc, result, ifNegative(y, x));
  }
};

/// Converts a sum with its carry for OpenCL, whose drivers often lack OpIAddCarry.
struct ConvertCarry final : OpConversionPattern<arith::AddUIExtendedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::AddUIExtendedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (!getTypeConverter<KernelTypeConverter>()->style().openCl)
      return b.notifyMatchFailure(op, "not for OpenCL");
    Value sum = spv::IAddOp::create(b, op.getLoc(), adaptor.getLhs(), adaptor.getRhs());
    Value carry = spv::ULessThanOp::create(b, op.getLoc(), sum, adaptor.getLhs());
    b.replaceOp(op, {sum, carry});
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
  patterns.add<ConvertCarry, ConvertProduct<arith::MulUIExtendedOp, false>,
               ConvertProduct<arith::MulSIExtendedOp, true>,
               CountZeros<math::CountLeadingZerosOp, true>,
               CountZeros<math::CountTrailingZerosOp, false>>(converter, patterns.getContext(),
                                                              PatternBenefit(20));
}
