//===- ExpandArithIntegers.cpp - divisions, remainders, wide products -------===//
// In Vulkan, OpSRem is undefined if an operand is negative. Signed remainders are therefore
// computed from unsigned ones.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/Elementwise.h"
#include "compiler/lower/polyfill/ExpandArith.h"

using namespace mlir;
using namespace pumice::lower;

static Val signedQuotient(Val a, Val b) {
  return a.e().wrap(a.e().b.createOrFold<arith::DivSIOp>(a.get(), b.get()));
}

/// Divides toward minus infinity. The quotient is one less if the rest and the divisor have
/// different signs.
static Val floorDivide(Val a, Val b) {
  Val quotient = signedQuotient(a, b);
  Val rest = a - quotient * b;
  return select(ne(rest, 0) & lt(rest ^ b, 0), quotient - 1, quotient);
}

static Val ceilDivide(Val a, Val b) {
  Val quotient = signedQuotient(a, b);
  Val rest = a - quotient * b;
  return select(ne(rest, 0) & ge(rest ^ b, 0), quotient + 1, quotient);
}

static Val ceilDivideUnsigned(Val a, Val b) {
  Val quotient = a / b;
  return select(ne(quotient * b, a), quotient + 1, quotient);
}

/// Computes the remainder with the sign of the dividend. Negating the smallest number wraps, but
/// the result has the right magnitude as an unsigned number.
static Val signedRemainder(Val a, Val b) {
  Val negative = lt(a, 0);
  Val rest = select(negative, -a, a) % select(lt(b, 0), -b, b);
  return select(negative, -rest, rest);
}

namespace {
template <typename Op> struct ExpandDivision final : OpRewritePattern<Op> {
  ExpandDivision(MLIRContext *context, Val (*polyfill)(Val, Val))
      : OpRewritePattern<Op>(context), polyfill(polyfill) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (getElementTypeOrSelf(op.getType()).isInteger(1))
      return rewriter.notifyMatchFailure(op, "a boolean");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    rewriter.replaceOp(op, polyfill(e.wrap(op.getLhs()), e.wrap(op.getRhs())).get());
    return success();
  }
  Val (*polyfill)(Val, Val);
};

/// Expands an addition with carry. The sum has wrapped if it is smaller than an operand.
struct ExpandAddExtended final : OpRewritePattern<arith::AddUIExtendedOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddUIExtendedOp op,
                                PatternRewriter &rewriter) const override {
    Elementwise e(rewriter, op.getLoc(), op.getSum().getType(), rewriter.getF32Type());
    Val a = e.wrap(op.getLhs()), b = e.wrap(op.getRhs());
    if (getElementTypeOrSelf(op.getSum().getType()).isInteger(1)) {
      rewriter.replaceOp(op, {(a ^ b).get(), (a & b).get()});
      return success();
    }
    Val sum = a + b;
    rewriter.replaceOp(op, {sum.get(), below(sum, a).get()});
    return success();
  }
};

/// Computes both halves of a product. Uses a wider type if there is one, and otherwise four
/// products of half words.
template <typename Op> struct ExpandMulExtended final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  static constexpr bool isSigned = std::is_same_v<Op, arith::MulSIExtendedOp>;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getLow().getType();
    auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    if (!element || element.getWidth() == 32 || element.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "native, or not a width that SPIR-V has");
    Elementwise e(rewriter, op.getLoc(), type, rewriter.getF32Type());
    Val a = e.wrap(op.getLhs()), b = e.wrap(op.getRhs());
    unsigned width = element.getWidth();
    if (width == 1) { // -1 * -1 = 1, and the upper bit of this product is zero
      rewriter.replaceOp(op, {(a & b).get(), a.constant(0).get()});
      return success();
    }
    if (width == 64) {
      rewriter.replaceOp(op, {(a * b).get(), highProduct(a, b).get()});
      return success();
    }
    auto extend = [](Val x, unsigned bits) { return isSigned ? sext(x, bits) : zext(x, bits); };
    if (width <= 16) {
      Val product = extend(a, 32) * extend(b, 32);
      rewriter.replaceOp(op, {trunc(product, width).get(), trunc(product >> width, width).get()});
      return success();
    }
    // Computes in a word of 32 or 64 bits that holds each factor. The upper half of the product
    // begins within the low word of the full product. Widths up to 31 use 32-bit words, since not
    // every target has 64-bit integers.
    unsigned word = width < 32 ? 32 : 64;
    Val x = extend(a, word), y = extend(b, word), low, high;
    if (word == 32) {
      auto product = Op::create(rewriter, op.getLoc(), x.get(), y.get());
      low = e.wrap(product.getLow());
      high = e.wrap(product.getHigh());
    } else {
      low = x * y;
      high = highProduct(x, y);
    }
    Val upper = (low >> width) | (high << (word - width));
    rewriter.replaceOp(op, {trunc(low, width).get(), trunc(upper, width).get()});
    return success();
  }

  static Val highProduct(Val a, Val b) {
    constexpr uint64_t low32 = 0xFFFFFFFF;
    Val a0 = a & low32, a1 = a >> 32, b0 = b & low32, b1 = b >> 32;
    Val middle = a1 * b0 + ((a0 * b0) >> 32);
    Val other = a0 * b1 + (middle & low32);
    Val high = a1 * b1 + (middle >> 32) + (other >> 32);
    if (!isSigned)
      return high;
    // For each negative factor, the unsigned product is too large by 2^64 times the other factor.
    Val zero = a.constant(0);
    return high - select(lt(a, 0), b, zero) - select(lt(b, 0), a, zero);
  }
};
} // namespace

void pumice::lower::populateExpandIntegerPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandDivision<arith::FloorDivSIOp>>(context, floorDivide);
  patterns.add<ExpandDivision<arith::CeilDivSIOp>>(context, ceilDivide);
  patterns.add<ExpandDivision<arith::CeilDivUIOp>>(context, ceilDivideUnsigned);
  patterns.add<ExpandDivision<arith::RemSIOp>>(context, signedRemainder);
  patterns.add<ExpandAddExtended, ExpandMulExtended<arith::MulSIExtendedOp>,
               ExpandMulExtended<arith::MulUIExtendedOp>>(context);
}
