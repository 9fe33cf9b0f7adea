//===- DistributeViews.cpp - views, which only rename registers -------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/lower/tile/TilePatterns.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

namespace {

/// Replaces a view by its operand: both layouts have the same registers in the same order.
template <typename Op> struct DistributeRenaming final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getTensor());
    return success();
  }
};

/// Finds the operand's register that each register of the result repeats. This is a conversion
/// within a lane. Its target is the result's layout without the bits that distinguish repeated
/// elements.
struct DistributeBroadcast final : OpConversionPattern<tile::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::BroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = op.getTensor().getType(), to = op.getResult().getType();
    Result<LinearLayout> repeated = layoutOf(to);
    for (unsigned axis = 0; repeated.isOk() && axis < from.getRank(); ++axis)
      if (from.getDimSize(axis) != to.getDimSize(axis))
        repeated = tile::collapse(*repeated, axis);
    if (!repeated.isOk())
      return refuse(op, repeated.status());
    Result<tile::LaneExchange> plan = tile::planLaneExchange(layoutOf(from), *repeated);
    if (!plan.isOk())
      return refuse(op, plan.status());
    LaneCode code = laneCode(rewriter, op, layoutOf(from));
    rewriter.replaceOp(op, code.pack(code.exchange(*plan, code.unpack(adaptor.getTensor()))));
    return success();
  }
};

struct DistributeJoin final : OpConversionPattern<tile::JoinOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::JoinOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LaneCode code = laneCode(rewriter, op, layoutOf(op.getFirst().getType()));
    Registers joined;
    for (auto [first, second] :
         llvm::zip_equal(code.unpack(adaptor.getFirst()), code.unpack(adaptor.getSecond()))) {
      joined.push_back(first);
      joined.push_back(second);
    }
    rewriter.replaceOp(op, code.pack(joined));
    return success();
  }
};

struct DistributeSplit final : OpConversionPattern<tile::SplitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::SplitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &layout = layoutOf(op.getTensor().getType());
    Result<unsigned> bit = tile::splitBit(layout);
    if (!bit.isOk())
      return refuse(op, bit.status());
    LaneCode code = laneCode(rewriter, op, layout);
    Registers halves[2];
    for (auto [reg, value] : llvm::enumerate(code.unpack(adaptor.getTensor())))
      halves[reg >> *bit & 1].push_back(value);
    rewriter.replaceOp(op, {code.pack(halves[0]), code.pack(halves[1])});
    return success();
  }
};

struct DistributeCat final : OpConversionPattern<tile::CatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::CatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LaneCode code = laneCode(rewriter, op, layoutOf(op.getFirst().getType()));
    Registers both = code.unpack(adaptor.getFirst());
    both.append(code.unpack(adaptor.getSecond()));
    rewriter.replaceOp(op, code.pack(both));
    return success();
  }
};

} // namespace

void pumice::lower::tiles::addViewPatterns(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns.add<DistributeRenaming<tile::ExpandDimsOp>, DistributeRenaming<tile::TransOp>,
               DistributeRenaming<tile::ReshapeOp>, DistributeBroadcast, DistributeJoin,
               DistributeSplit, DistributeCat>(types, patterns.getContext());
}
