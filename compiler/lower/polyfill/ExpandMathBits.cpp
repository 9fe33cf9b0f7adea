//===- ExpandMathBits.cpp - classification, rounding, counting of bits ------===//
// Floats are classified by their bits, because a device that does not preserve NaN may fold
// comparisons with NaN. Bits are counted in i32, the only width that Vulkan's instructions support.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pumice::lower;

static bool isF32OrF64(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

namespace {
template <typename Op> struct ExpandClassification final : OpRewritePattern<Op> {
  ExpandClassification(MLIRContext *context, Val (*test)(Elementwise &, Val))
      : OpRewritePattern<Op>(context), test(test) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    if (!isF32OrF64(type))
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    Elementwise e(rewriter, op.getLoc(), type, cast<FloatType>(getElementTypeOrSelf(type)));
    Val pattern = bits(e.wrap(op.getOperand()));
    uint64_t mask = (uint64_t(1) << (pattern.width() - 1)) - 1;
    rewriter.replaceOp(op, test(e, pattern & mask).get());
    return success();
  }
  Val (*test)(Elementwise &, Val);
};
} // namespace

/// Return the bits of infinity, and of the smallest normal number.
static uint64_t infinityBits(Elementwise &e) {
  return e.pick(uint64_t(0x7F800000), uint64_t(0x7FF0000000000000));
}
static uint64_t firstNormalBits(Elementwise &e) { return uint64_t(1) << e.fractionBits(); }

// These take bits whose sign bit is cleared, so signed comparisons order the magnitudes.
static Val testFinite(Elementwise &e, Val a) { return lt(a, infinityBits(e)); }
static Val testInfinite(Elementwise &e, Val a) { return eq(a, infinityBits(e)); }
static Val testNan(Elementwise &e, Val a) { return gt(a, infinityBits(e)); }
static Val testNormal(Elementwise &e, Val a) {
  return below(a - firstNormalBits(e), infinityBits(e) - firstNormalBits(e));
}

namespace {
/// Expands isnormal on half precision in f32. Subnormal numbers of the narrow type are normal in
/// f32, so this compares with the narrow type's smallest normal number.
template <typename Op> struct ExpandNarrowNormal final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    auto narrow = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!narrow || narrow.getWidth() >= 32)
      return rewriter.notifyMatchFailure(op, "not narrow");
    Elementwise e(rewriter, op.getLoc(), type, rewriter.getF32Type());
    Val a = abs(convert(e.wrap(op.getOperand()), rewriter.getF32Type()));
    double smallest = APFloat::getSmallestNormalized(narrow.getFloatSemantics()).convertToDouble();
    rewriter.replaceOp(op, (ge(a, smallest) & testFinite(e, bits(a))).get());
    return success();
  }
};

/// Rounds to the nearest integer, and halves away from zero. The fraction is exact, and decides the
/// direction.
struct ExpandRound final : OpRewritePattern<math::RoundOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RoundOp op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op.getType()))
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    Elementwise e(rewriter, op.getLoc(), op.getType(),
                  cast<FloatType>(getElementTypeOrSelf(op.getType())));
    Val x = e.wrap(op.getOperand());
    Val whole = truncate(x);
    Val up = select(ge(abs(x - whole), 0.5), e.number(1), e.number(0));
    rewriter.replaceOp(op, copySign(abs(whole) + up, x).get());
    return success();
  }
};

struct ExpandTrunc final : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TruncOp op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op.getType()) && !getElementTypeOrSelf(op.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    rewriter.replaceOp(op, truncate(e.wrap(op.getOperand())).get());
    return success();
  }
};

struct ExpandCopySign final : OpRewritePattern<math::CopySignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CopySignOp op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op.getType()))
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    rewriter.replaceOp(op, copySign(e.wrap(op.getLhs()), e.wrap(op.getRhs())).get());
    return success();
  }
};

/// Computes min(max(value, low), high), and keeps NaN. GLSL's FClamp is undefined for NaN, and for
/// low > high.
struct ExpandClamp final : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op, PatternRewriter &rewriter) const override {
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    Val x = e.wrap(op.getValue()), low = e.wrap(op.getMin()), high = e.wrap(op.getMax());
    Val raised = select(lt(x, low), low, x);
    rewriter.replaceOp(op, select(gt(raised, high), high, raised).get());
    return success();
  }
};
} // namespace

template <typename Op> static Val count(Val x) { return x.e().wrap(Op::create(x.e().b, x.get())); }

/// Counts in i32. Narrower integers are widened, and the zeros that this adds are subtracted.
static Val countLeading(Val x) {
  unsigned width = x.width();
  if (width == 1)
    return ~x;
  if (width < 32)
    return trunc(count<math::CountLeadingZerosOp>(zext(x, 32)) - (32 - width), width);
  Val high = trunc(x >> 32, 32), low = trunc(x, 32);
  Val inHigh = count<math::CountLeadingZerosOp>(high) - (64 - width);
  Val inLow = count<math::CountLeadingZerosOp>(low) + (width - 32);
  return zext(select(eq(high, 0), inLow, inHigh), width);
}

static Val countTrailing(Val x) {
  unsigned width = x.width();
  if (width == 1)
    return ~x;
  if (width < 32) // a bit above the highest one ends the count
    return trunc(count<math::CountTrailingZerosOp>(zext(x, 32) | (1u << width)), width);
  Val high = trunc(x >> 32, 32), low = trunc(x, 32);
  if (width < 64)
    high = high | (1u << (width - 32));
  Val inHigh = count<math::CountTrailingZerosOp>(high) + 32;
  Val inLow = count<math::CountTrailingZerosOp>(low);
  return zext(select(eq(low, 0), inHigh, inLow), width);
}

static Val countSet(Val x) {
  unsigned width = x.width();
  if (width == 1)
    return x;
  if (width < 32)
    return trunc(count<math::CtPopOp>(zext(x, 32)), width);
  return zext(count<math::CtPopOp>(trunc(x >> 32, 32)) + count<math::CtPopOp>(trunc(x, 32)), width);
}

namespace {
template <typename Op> struct ExpandCount final : OpRewritePattern<Op> {
  ExpandCount(MLIRContext *context, Val (*polyfill)(Val))
      : OpRewritePattern<Op>(context), polyfill(polyfill) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
    if (!type || type.getWidth() == 32 || type.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "native, or not a width that SPIR-V has");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    rewriter.replaceOp(op, polyfill(e.wrap(op.getOperand())).get());
    return success();
  }
  Val (*polyfill)(Val);
};

/// Squares and multiplies for each bit of the exponent, in a loop that all elements of a vector
/// share. A negative exponent gives 1/base, rounded toward zero. This is zero unless the base is 1
/// or -1.
///   before: %r = math.ipowi %b, %n : i32
struct ExpandIntegerPower final : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
    if (!type || type.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "not a width that SPIR-V has");
    Location loc = op.getLoc();
    Elementwise e(rewriter, loc, op.getType(), rewriter.getF32Type());
    Val base = e.wrap(op.getLhs()), n = e.wrap(op.getRhs());
    if (type.getWidth() == 1) { // for b, n in {0, -1}, b^n is 0 only for 0^-1, which is undefined
      rewriter.replaceOp(op, (base | ~n).get());
      return success();
    }

    // while any n != 0: result *= n odd ? base : 1; base *= base; n >>= 1
    auto types = SmallVector<Type>(3, op.getType());
    auto loop = scf::WhileOp::create(
        rewriter, loc, types, ValueRange{base.constant(1).get(), base.get(), n.get()},
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          Elementwise inner(builder, loc, op.getType(), rewriter.getF32Type());
          Val more = ne(inner.wrap(args[2]), 0);
          scf::ConditionOp::create(builder, loc, anyElement(more), args);
        },
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          Elementwise inner(builder, loc, op.getType(), rewriter.getF32Type());
          Val result = inner.wrap(args[0]), power = inner.wrap(args[1]), rest = inner.wrap(args[2]);
          Val odd = ne(rest & 1, 0);
          Val next = select(odd, result * power, result);
          scf::YieldOp::create(builder, loc,
                               ValueRange{next.get(), (power * power).get(), (rest >> 1).get()});
        });
    Val result = e.wrap(loop.getResult(0));
    Val sign = select(ne(n & 1, 0), base, base.constant(1)); // (-1)^n
    Val inverse =
        select(eq(base, 1) | eq(base, -1), select(eq(base, 1), base, sign), base.constant(0));
    rewriter.replaceOp(op, select(lt(n, 0), inverse, result).get());
    return success();
  }
};
} // namespace

void pumice::lower::populateExpandMathBitPatterns(RewritePatternSet &patterns,
                                                  const ExpandMathOptions &) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandClassification<math::IsFiniteOp>>(context, testFinite);
  patterns.add<ExpandClassification<math::IsInfOp>>(context, testInfinite);
  patterns.add<ExpandClassification<math::IsNaNOp>>(context, testNan);
  patterns.add<ExpandClassification<math::IsNormalOp>>(context, testNormal);
  patterns.add<ExpandNarrowNormal<math::IsNormalOp>>(context, /*benefit=*/2);
  patterns.add<ExpandRound, ExpandTrunc, ExpandCopySign, ExpandClamp, ExpandIntegerPower>(context);
  patterns.add<ExpandCount<math::CountLeadingZerosOp>>(context, countLeading);
  patterns.add<ExpandCount<math::CountTrailingZerosOp>>(context, countTrailing);
  patterns.add<ExpandCount<math::CtPopOp>>(context, countSet);
}
