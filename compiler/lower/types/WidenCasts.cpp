//===- WidenCasts.cpp - conversions and constants of widened types ----------===//
//   before: %b = arith.truncf %x : f32 to bf16
//   after:  %b = the f32 nearest to %x whose low 16 bits are zero
//===-------------------------------------------------------------------------===//
#include "compiler/lower/types/StorageTypes.h"
#include "compiler/lower/types/WidenTypes.h"

using namespace mlir;
using namespace pumice::lower;

namespace {

/// The base of the patterns below. It gives the types that hold the operand and the result.
template <typename Op> struct WidenCast : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  struct Types {
    Type from, to;         // scalars of the program
    Type heldFrom, heldTo; // the types that hold them
  };
  Types typesOf(Op op) const {
    auto &widener = *static_cast<const Widener *>(this->getTypeConverter());
    Type from = getElementTypeOrSelf(op->getOperand(0)),
         to = getElementTypeOrSelf(op->getResult(0));
    return {from, to, widener.held(from), widener.held(to)};
  }
};

template <typename Op> struct WidenExtension final : WidenCast<Op> {
  using WidenCast<Op>::WidenCast;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto types = this->typesOf(op);
    WideBuilder w{rewriter, op.getLoc()};
    Extend how = std::is_same_v<Op, arith::ExtSIOp> ? Extend::Sign : Extend::Zero;
    Value value = adaptor.getIn();
    if (how != knownExtension(op.getIn()))
      value = w.extended(value, types.from, how);
    rewriter.replaceOp(op, w.resized(value, types.heldTo, how));
    return success();
  }
};

/// Masks the lowest bit of a truncation to i1. A truncation of an extended value would be folded to
/// a truncation of the narrow type, which the target may not support.
struct WidenTruncI final : WidenCast<arith::TruncIOp> {
  using WidenCast::WidenCast;
  LogicalResult matchAndRewrite(arith::TruncIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    WideBuilder w{rewriter, op.getLoc()};
    if (getElementTypeOrSelf(typesOf(op).heldTo).isInteger(1)) {
      Type type = adaptor.getIn().getType();
      auto element = cast<IntegerType>(getElementTypeOrSelf(type));
      TypedAttr one = rewriter.getIntegerAttr(element, 1);
      if (auto vector = dyn_cast<VectorType>(type))
        one = DenseElementsAttr::get(vector, Attribute(one));
      Value bit = arith::AndIOp::create(rewriter, op.getLoc(), adaptor.getIn(),
                                        arith::ConstantOp::create(rewriter, op.getLoc(), one));
      Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
      rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne, bit, zero);
      return success();
    }
    rewriter.replaceOp(op, w.resized(adaptor.getIn(), typesOf(op).heldTo, Extend::None));
    return success();
  }
};

struct WidenExtF final : WidenCast<arith::ExtFOp> {
  using WidenCast::WidenCast;
  LogicalResult matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type result = getTypeConverter()->convertType(op.getType());
    if (adaptor.getIn().getType() == result)
      rewriter.replaceOp(op, adaptor.getIn());
    else
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, result, adaptor.getIn());
    return success();
  }
};

struct WidenTruncF final : WidenCast<arith::TruncFOp> {
  using WidenCast::WidenCast;
  LogicalResult matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto mode = op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
    if (mode != arith::RoundingMode::to_nearest_even)
      return op.emitError() << "rounds to " << typesOf(op).to << " with the mode "
                            << arith::stringifyRoundingMode(mode)
                            << "; only to_nearest_even is emulated";
    WideBuilder w{rewriter, op.getLoc()};
    Value value = adaptor.getIn();
    if (getElementTypeOrSelf(value).isF64())
      value = w.truncatedToOdd(value);
    rewriter.replaceOp(op, w.rounded(value, cast<FloatType>(typesOf(op).to)));
    return success();
  }
};

template <typename Op> struct WidenIntToFloat final : WidenCast<Op> {
  using WidenCast<Op>::WidenCast;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto types = this->typesOf(op);
    WideBuilder w{rewriter, op.getLoc()};
    constexpr bool isSigned = std::is_same_v<Op, arith::SIToFPOp>;
    Extend how = isSigned ? Extend::Sign : Extend::Zero;
    Value value = w.extended(adaptor.getIn(), types.from, how);
    if (types.from.isInteger(1))
      value = w.resized(value, rewriter.getI32Type(), how);
    if (types.to == types.heldTo) {
      rewriter.replaceOpWithNewOp<Op>(op, op.getType(), value);
      return success();
    }
    bool isExact = types.from.getIntOrFloatBitWidth() <= 24;
    Type floats = withShapeOf(value.getType(), types.heldTo);
    Value wide = isExact ? Op::create(rewriter, op.getLoc(), floats, value).getResult()
                         : w.convertedToOdd(value, isSigned);
    rewriter.replaceOp(op, w.rounded(wide, cast<FloatType>(types.to)));
    return success();
  }
};

template <typename Op> struct WidenFloatToInt final : WidenCast<Op> {
  using WidenCast<Op>::WidenCast;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto types = this->typesOf(op);
    WideBuilder w{rewriter, op.getLoc()};
    Type computed = types.to.isInteger(1) ? rewriter.getI32Type() : types.heldTo;
    Type type = withShapeOf(op.getType(), computed);
    Value value = Op::create(rewriter, op.getLoc(), type, adaptor.getIn());
    rewriter.replaceOp(op, w.resized(value, types.heldTo, Extend::None));
    return success();
  }
};

struct WidenConstant final : WidenCast<arith::ConstantOp> {
  using WidenCast::WidenCast;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type held =
        static_cast<const Widener *>(getTypeConverter())->held(getElementTypeOrSelf(op.getType()));
    auto asBits = [&](const APInt &bits) { return bits.zext(held.getIntOrFloatBitWidth()); };
    auto asWide = [](APFloat value) {
      bool lost = false;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
      return value.bitcastToAPInt();
    };
    bool isFloat = isa<FloatType>(held);
    TypedAttr wide;
    if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
      auto floats = dyn_cast<FloatType>(dense.getElementType());
      wide = !floats   ? cast<DenseIntElementsAttr>(dense).mapValues(held, asBits)
             : isFloat ? cast<DenseFPElementsAttr>(dense).mapValues(held, asWide)
                       : cast<DenseFPElementsAttr>(dense).mapValues(
                             held, [&](const APFloat &v) { return asBits(v.bitcastToAPInt()); });
    } else if (auto integer = dyn_cast<IntegerAttr>(op.getValue())) {
      wide = IntegerAttr::get(held, asBits(integer.getValue()));
    } else if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
      APInt bits = isFloat ? asWide(number.getValue()) : asBits(number.getValue().bitcastToAPInt());
      if (isFloat)
        wide = FloatAttr::get(held, APFloat(APFloat::IEEEsingle(), bits));
      else
        wide = IntegerAttr::get(held, bits);
    } else {
      return rewriter.notifyMatchFailure(op, "unknown kind of constant");
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, wide);
    return success();
  }
};

struct WidenAddUIExtended final : WidenCast<arith::AddUIExtendedOp> {
  using WidenCast::WidenCast;
  LogicalResult matchAndRewrite(arith::AddUIExtendedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Types types = typesOf(op);
    WideBuilder w{rewriter, op.getLoc()};
    Value sum = w.op<arith::AddIOp>(w.extended(adaptor.getLhs(), types.from, Extend::Zero),
                                    w.extended(adaptor.getRhs(), types.from, Extend::Zero));
    uint64_t largest = (uint64_t(1) << types.from.getIntOrFloatBitWidth()) - 1;
    Value overflow = w.op(arith::CmpIPredicate::ugt, sum, w.constant(sum, types.heldFrom, largest));
    rewriter.replaceOp(op, {sum, overflow});
    return success();
  }
};

/// Takes the double-width product of two N-bit numbers from a product of the wide types that hold
/// them.
template <typename Op> struct WidenMulExtended final : WidenCast<Op> {
  using WidenCast<Op>::WidenCast;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto types = this->typesOf(op);
    WideBuilder w{rewriter, op.getLoc()};
    Extend how = std::is_same_v<Op, arith::MulSIExtendedOp> ? Extend::Sign : Extend::Zero;
    unsigned width = types.from.getIntOrFloatBitWidth();
    unsigned held = types.heldFrom.getIntOrFloatBitWidth();
    auto product = Op::create(rewriter, op.getLoc(), w.extended(adaptor.getLhs(), types.from, how),
                              w.extended(adaptor.getRhs(), types.from, how));
    auto c = [&](uint64_t value) { return w.constant(product.getLow(), types.heldFrom, value); };
    Value fromLow = w.op<arith::ShRUIOp>(product.getLow(), c(width));
    Value fromHigh = w.op<arith::ShLIOp>(product.getHigh(), c(held - width));
    Value high = w.op<arith::OrIOp>(fromLow, fromHigh);
    rewriter.replaceOp(op, {product.getLow(), high});
    return success();
  }
};

struct WidenCountLeadingZeros final : WidenCast<math::CountLeadingZerosOp> {
  using WidenCast::WidenCast;
  LogicalResult matchAndRewrite(math::CountLeadingZerosOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Types types = typesOf(op);
    WideBuilder w{rewriter, op.getLoc()};
    unsigned unused = types.heldFrom.getIntOrFloatBitWidth() - types.from.getIntOrFloatBitWidth();
    Value value = w.extended(adaptor.getOperand(), types.from, Extend::Zero);
    value = math::CountLeadingZerosOp::create(rewriter, op.getLoc(), value);
    rewriter.replaceOp(op, w.op<arith::SubIOp>(value, w.constant(value, types.heldFrom, unused)));
    return success();
  }
};

struct WidenCountTrailingZeros final : WidenCast<math::CountTrailingZerosOp> {
  using WidenCast::WidenCast;
  LogicalResult matchAndRewrite(math::CountTrailingZerosOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Types types = typesOf(op);
    WideBuilder w{rewriter, op.getLoc()};
    Value value = adaptor.getOperand();
    // Sets the bit just above the type's highest bit. Zero then has as many trailing zeros as the
    // type has bits.
    uint64_t above = uint64_t(1) << types.from.getIntOrFloatBitWidth();
    value = w.op<arith::OrIOp>(value, w.constant(value, types.heldFrom, above));
    rewriter.replaceOpWithNewOp<math::CountTrailingZerosOp>(op, value);
    return success();
  }
};

/// Computes fma in f32. The operands and their product are exact in f32. The sum is rounded to odd,
/// so that only the second rounding loses information.
template <typename Op> struct WidenFma final : WidenCast<Op> {
  using WidenCast<Op>::WidenCast;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    WideBuilder w{rewriter, op.getLoc()};
    ValueRange operands = adaptor.getOperands();
    Value sum = w.fmaToOdd(operands[0], operands[1], operands[2]);
    auto narrow = cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    rewriter.replaceOp(op, w.rounded(sum, narrow));
    return success();
  }
};

} // namespace

void pumice::lower::populateWidenCastPatterns(const Widener &widener, RewritePatternSet &patterns) {
  patterns
      .add<WidenExtension<arith::ExtSIOp>, WidenExtension<arith::ExtUIOp>, WidenTruncI, WidenExtF,
           WidenTruncF, WidenIntToFloat<arith::SIToFPOp>, WidenIntToFloat<arith::UIToFPOp>,
           WidenFloatToInt<arith::FPToSIOp>, WidenFloatToInt<arith::FPToUIOp>, WidenConstant,
           WidenAddUIExtended, WidenMulExtended<arith::MulSIExtendedOp>,
           WidenMulExtended<arith::MulUIExtendedOp>, WidenCountLeadingZeros,
           WidenCountTrailingZeros, WidenFma<math::FmaOp>, WidenFma<vector::FMAOp>>(
          widener, patterns.getContext());
}

bool pumice::lower::hasWideningCast(Operation *op, bool onlyMoves) {
  if (isa<arith::BitcastOp, arith::ConstantOp, vector::BitCastOp>(op))
    return true;
  return !onlyMoves &&
         isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ExtFOp, arith::TruncFOp,
             arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
             arith::AddUIExtendedOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::FmaOp, vector::FMAOp>(op);
}
