//===- ExpandArithBooleans.cpp - arithmetic on i1 ---------------------------===//
//   before: %s = arith.addi %a, %b : i1
//   after:  %s = arith.xori %a, %b : i1
//
// An i1 is 0 or 1 if it is unsigned, and 0 or -1 if it is signed. SPIR-V's booleans have logical
// operations only. For some casts, upstream's conversion treats every i1 as unsigned.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/Elementwise.h"
#include "compiler/lower/polyfill/ExpandArith.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice::lower;

static bool isBoolean(Type type) { return getElementTypeOrSelf(type).isInteger(1); }

// A division is defined only for a divisor of 1 (or -1), and a shift only for an amount of 0.
static Val first(Val a, Val) { return a; }
static Val never(Val a, Val) { return a.constant(0); }
static Val both(Val a, Val b) { return a & b; }
static Val either(Val a, Val b) { return a | b; }
static Val differ(Val a, Val b) { return a ^ b; }

namespace {
template <typename Op> struct ExpandBinary final : OpRewritePattern<Op> {
  ExpandBinary(MLIRContext *context, Val (*polyfill)(Val, Val))
      : OpRewritePattern<Op>(context), polyfill(polyfill) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isBoolean(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a boolean");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    rewriter.replaceOp(op, polyfill(e.wrap(op.getLhs()), e.wrap(op.getRhs())).get());
    return success();
  }
  Val (*polyfill)(Val, Val);
};

struct ExpandCompare final : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const override {
    using enum arith::CmpIPredicate;
    if (!isBoolean(op.getLhs().getType()) || llvm::is_contained({eq, ne}, op.getPredicate()))
      return rewriter.notifyMatchFailure(op, "not an ordering of booleans");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    Val a = e.wrap(op.getLhs()), b = e.wrap(op.getRhs());
    Val result;
    switch (op.getPredicate()) {
    case ult:
    case sgt: // 0 > -1
      result = ~a & b;
      break;
    case ugt:
    case slt:
      result = a & ~b;
      break;
    case ule:
    case sge:
      result = ~a | b;
      break;
    default: // uge, sle
      result = a | ~b;
    }
    rewriter.replaceOp(op, result.get());
    return success();
  }
};

/// Converts an i1 to a float: true is 1 if the i1 is unsigned, or -1 if it is signed.
template <typename Op, int one> struct ExpandToFloat final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isBoolean(op.getIn().getType()))
      return rewriter.notifyMatchFailure(op, "not a boolean");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    rewriter.replaceOp(
        op, select(e.wrap(op.getIn()), e.constant(type, one), e.constant(type, 0)).get());
    return success();
  }
};

/// Converts a float to i1, rounding toward zero. Floats out of range are undefined.
template <typename Op, int one> struct ExpandFromFloat final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isBoolean(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a boolean");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    Val x = e.wrap(op.getIn());
    rewriter.replaceOp(op, (one > 0 ? ge(x, one) : le(x, one)).get());
    return success();
  }
};

/// Converts between i1 and index through i32, which has both conversions.
template <typename Op, typename Extend> struct ExpandIndexCast final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    Type i32 = e.shaped(rewriter.getI32Type());
    if (isBoolean(op.getIn().getType())) {
      Value wide = Extend::create(rewriter, op.getLoc(), i32, op.getIn());
      rewriter.replaceOpWithNewOp<Op>(op, op.getType(), wide);
      return success();
    }
    if (!isBoolean(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a boolean");
    Value narrow = Op::create(rewriter, op.getLoc(), i32, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), narrow);
    return success();
  }
};

/// Returns the operand, since |-1| wraps to -1.
struct ExpandAbsolute final : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::AbsIOp op, PatternRewriter &rewriter) const override {
    if (!isBoolean(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a boolean");
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};
} // namespace

void pumice::lower::populateExpandBooleanPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  auto binary = [&]<typename... Ops>(Val (*polyfill)(Val, Val)) {
    (patterns.add<ExpandBinary<Ops>>(context, polyfill), ...);
  };
  binary.operator()<arith::AddIOp, arith::SubIOp>(differ);
  binary.operator()<arith::MulIOp, arith::MinUIOp, arith::MaxSIOp>(both);
  binary.operator()<arith::MaxUIOp, arith::MinSIOp>(either);
  binary.operator()<arith::DivUIOp, arith::DivSIOp, arith::CeilDivUIOp, arith::CeilDivSIOp,
                    arith::FloorDivSIOp, arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(first);
  binary.operator()<arith::RemUIOp, arith::RemSIOp>(never);
  patterns.add<ExpandCompare, ExpandAbsolute, ExpandToFloat<arith::UIToFPOp, 1>,
               ExpandToFloat<arith::SIToFPOp, -1>, ExpandFromFloat<arith::FPToUIOp, 1>,
               ExpandFromFloat<arith::FPToSIOp, -1>,
               ExpandIndexCast<arith::IndexCastOp, arith::ExtSIOp>,
               ExpandIndexCast<arith::IndexCastUIOp, arith::ExtUIOp>>(context);
}
