//===- ExpandIndex.cpp - the index dialect as arith, poison as zero ---------===//
//   before: %q = index.floordivs %a, %b
//   after:  %q = arith.floordivsi %a, %b : index          (which is then expanded like any other)
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/Elementwise.h"
#include "compiler/lower/polyfill/ExpandArith.h"

#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace pumice::lower;

namespace {
template <typename From, typename To> struct Rename final : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<To>(op, op->getResultTypes(), op->getOperands());
    return success();
  }
};

/// Expands casts of index. A cast from a type to itself disappears.
template <typename From, typename To> struct ExpandCast final : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op, PatternRewriter &rewriter) const override {
    Type from = op.getInput().getType(), to = op.getOutput().getType();
    if (from == to) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    if (!from.isSignlessIntOrIndex() || !to.isSignlessIntOrIndex())
      return rewriter.notifyMatchFailure(op, "not a signless integer");
    rewriter.replaceOpWithNewOp<To>(op, to, op.getInput());
    return success();
  }
};

struct ExpandCompare final : OpRewritePattern<index::CmpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(index::CmpOp op, PatternRewriter &rewriter) const override {
    // Converts by name, since the two enumerations have different orders.
    auto predicate = arith::symbolizeCmpIPredicate(index::stringifyIndexCmpPredicate(op.getPred()));
    if (!predicate)
      return rewriter.notifyMatchFailure(op, "a predicate that arith does not know");
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, *predicate, op.getLhs(), op.getRhs());
    return success();
  }
};

template <typename Op> struct ExpandConstant final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(op.getValueAttr()));
    return success();
  }
};

struct ExpandSizeOf final : OpRewritePattern<index::SizeOfOp> {
  ExpandSizeOf(MLIRContext *context, unsigned indexBits)
      : OpRewritePattern(context), indexBits(indexBits) {}
  LogicalResult matchAndRewrite(index::SizeOfOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, indexBits);
    return success();
  }
  unsigned indexBits;
};

/// Computes operations whose results depend on the width of index on integers of that width.
///
/// before: %n = math.ctlz %i : index
/// after:  %0 = arith.index_cast %i : index to i32, %1 = math.ctlz %0 : i32, %n = cast of %1
template <typename Op> struct ComputeOnInteger final : OpRewritePattern<Op> {
  ComputeOnInteger(MLIRContext *context, unsigned indexBits)
      : OpRewritePattern<Op>(context), indexBits(indexBits) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op->getOperand(0).getType();
    if (!getElementTypeOrSelf(type).isIndex())
      return rewriter.notifyMatchFailure(op, "not on index");
    Type integer = rewriter.getIntegerType(indexBits);
    if (auto vector = dyn_cast<VectorType>(type))
      integer = vector.clone(integer);
    SmallVector<Value> operands, results;
    for (Value operand : op->getOperands())
      operands.push_back(arith::IndexCastOp::create(rewriter, op.getLoc(), integer, operand));
    auto computed = Op::create(rewriter, op.getLoc(),
                               SmallVector<Type>(op->getNumResults(), integer), operands);
    for (Value result : computed->getResults())
      results.push_back(arith::IndexCastOp::create(rewriter, op.getLoc(), type, result));
    rewriter.replaceOp(op, results);
    return success();
  }
  unsigned indexBits;
};

/// Replaces poison by zero. Any value would be correct.
struct ExpandPoison final : OpRewritePattern<ub::PoisonOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, PatternRewriter &rewriter) const override {
    TypedAttr zero = rewriter.getZeroAttr(op.getType());
    if (!zero)
      return rewriter.notifyMatchFailure(op, "of a type without a zero");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
};
} // namespace

void pumice::lower::populateExpandIndexPatterns(RewritePatternSet &patterns, unsigned indexBits) {
  patterns
      .add<Rename<index::AddOp, arith::AddIOp>, Rename<index::SubOp, arith::SubIOp>,
           Rename<index::MulOp, arith::MulIOp>, Rename<index::DivSOp, arith::DivSIOp>,
           Rename<index::DivUOp, arith::DivUIOp>, Rename<index::CeilDivSOp, arith::CeilDivSIOp>,
           Rename<index::CeilDivUOp, arith::CeilDivUIOp>,
           Rename<index::FloorDivSOp, arith::FloorDivSIOp>, Rename<index::RemSOp, arith::RemSIOp>,
           Rename<index::RemUOp, arith::RemUIOp>, Rename<index::MaxSOp, arith::MaxSIOp>,
           Rename<index::MaxUOp, arith::MaxUIOp>, Rename<index::MinSOp, arith::MinSIOp>,
           Rename<index::MinUOp, arith::MinUIOp>, Rename<index::ShlOp, arith::ShLIOp>,
           Rename<index::ShrSOp, arith::ShRSIOp>, Rename<index::ShrUOp, arith::ShRUIOp>,
           Rename<index::AndOp, arith::AndIOp>, Rename<index::OrOp, arith::OrIOp>,
           Rename<index::XOrOp, arith::XOrIOp>, ExpandCast<index::CastSOp, arith::IndexCastOp>,
           ExpandCast<index::CastUOp, arith::IndexCastUIOp>, ExpandCompare,
           ExpandConstant<index::ConstantOp>, ExpandConstant<index::BoolConstantOp>, ExpandPoison>(
          patterns.getContext());
  patterns.add<ExpandSizeOf, ComputeOnInteger<arith::MulSIExtendedOp>,
               ComputeOnInteger<arith::MulUIExtendedOp>, ComputeOnInteger<math::IPowIOp>,
               ComputeOnInteger<math::CountLeadingZerosOp>,
               ComputeOnInteger<math::CountTrailingZerosOp>, ComputeOnInteger<math::CtPopOp>>(
      patterns.getContext(), indexBits);
}
