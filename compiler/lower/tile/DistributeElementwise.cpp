//===- DistributeElementwise.cpp - element-wise operations on registers -----===//
#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

namespace {

/// Replaces an element-wise operation by the same operation on vectors of registers.
struct DistributeElementwise final : ConversionPattern {
  DistributeElementwise(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) && !isa<ub::PoisonOp>(op))
      return rewriter.notifyMatchFailure(op, "does more than work on each element");
    auto converted = convertOpResultTypes(op, operands, *getTypeConverter(), rewriter);
    if (failed(converted))
      return failure();
    rewriter.replaceOp(op, (*converted)->getResults());
    return success();
  }
};

struct DistributeConstant final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<VectorType>(getTypeConverter()->convertType(op.getType()));
    auto value = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!type || !value)
      return op.emitOpError("has different elements; make them from tile.range, or load them");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, value.getSplatValue<Attribute>()));
    return success();
  }
};

} // namespace

void tiles::addElementwisePatterns(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<DistributeElementwise, DistributeConstant>(types, patterns.getContext());
}
