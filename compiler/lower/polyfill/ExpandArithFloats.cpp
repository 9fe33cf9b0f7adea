//===- ExpandArithFloats.cpp - minima, maxima, remainders of floats ---------===//
#include "compiler/lower/polyfill/Elementwise.h"
#include "compiler/lower/polyfill/ExpandArith.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pumice::lower;

/// Returns f32 or f64 if the computation is in this type. Returns null for narrower types, which
/// must be widened first.
static FloatType computedType(Type type) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return real && (real.isF32() || real.isF64()) ? real : FloatType();
}

namespace {
/// Computes operations on narrow floats in f32. This never rounds: a result is one of the operands,
/// or a remainder that the narrow type represents exactly.
template <typename Op> struct WidenBinary final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto narrow = dyn_cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (!narrow || narrow.getWidth() >= 32)
      return rewriter.notifyMatchFailure(op, "not narrow");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    Val a = convert(e.wrap(op.getLhs()), e.real), b = convert(e.wrap(op.getRhs()), e.real);
    Val result = e.wrap(
        Op::create(rewriter, op.getLoc(), a.get(), b.get(), op.getFastmathAttr()).getResult());
    rewriter.replaceOp(op, convert(result, narrow).get());
    return success();
  }
};

/// Expands maximumf and minimumf. GLSL's FMax and FMin may return either operand if one is NaN, or
/// if both are zeros of different sign.
///
///   before: %r = arith.maximumf %a, %b : f32
///   after:  %m = arith.maxnumf %a, %b fastmath<nnan> : f32, and selects that correct it
template <typename Op, typename Native> struct ExpandMinMax final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  static constexpr bool isMaximum = std::is_same_v<Op, arith::MaximumFOp>;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    using enum arith::FastMathFlags;
    FloatType real = computedType(op.getType());
    if (!real)
      return rewriter.notifyMatchFailure(op, "of a type that is widened first");
    arith::FastMathFlags flags = op.getFastmath();
    Elementwise e(rewriter, op.getLoc(), op.getType(), real);
    Val a = e.wrap(op.getLhs()), b = e.wrap(op.getRhs());
    Val result = e.wrap(
        Native::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs(), flags | nnan).getResult());
    if (!arith::bitEnumContainsAny(flags, nsz)) {
      // Equal numbers have equal bits unless they are zeros, whose signs are combined.
      Val merged = isMaximum ? bits(a) & bits(b) : bits(a) | bits(b);
      result = select(eq(a, b), asFloat(merged, real), result);
    }
    if (!arith::bitEnumContainsAny(flags, nnan))
      result = select(unordered(a, b), a + b, result);
    rewriter.replaceOp(op, result.get());
    return success();
  }
};

/// Expands comparisons with constant results.
struct ExpandConstantCompare final : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpFOp op, PatternRewriter &rewriter) const override {
    using enum arith::CmpFPredicate;
    if (!llvm::is_contained({AlwaysFalse, AlwaysTrue}, op.getPredicate()))
      return rewriter.notifyMatchFailure(op, "native");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    rewriter.replaceOp(op, e.integer(op.getPredicate() == AlwaysTrue, 1).get());
    return success();
  }
};
} // namespace

namespace {
/// A float as significand * 2^(exponent - bias - fraction bits). It may be subnormal.
struct Unpacked {
  Val significand, exponent;
};
} // namespace

static Unpacked unpack(Val magnitude) {
  unsigned fraction = magnitude.e().fractionBits();
  Val exponent = magnitude >> fraction;
  Val significand = magnitude & ((uint64_t(1) << fraction) - 1);
  Val normal = ne(exponent, 0);
  return {select(normal, significand | (uint64_t(1) << fraction), significand),
          select(normal, exponent, exponent.constant(1))};
}

static Val leadingZeros(Val x) {
  return x.e().wrap(math::CountLeadingZerosOp::create(x.e().b, x.get()));
}

/// Computes C's fmod exactly, by long division of the significands. Each step handles as many bits
/// as fit in the type. All elements of a vector share the loop. For a finished element, further
/// steps shift by zero bits and change nothing.
static Val exactRemainder(Val x, Val y) {
  Elementwise &e = x.e();
  unsigned width = e.real.getWidth(), fraction = e.fractionBits(), stepBits = width - fraction - 1;
  uint64_t signMask = uint64_t(1) << (width - 1);
  Val ax = bits(x) & (signMask - 1), ay = bits(y) & (signMask - 1);
  Unpacked a = unpack(ax), b = unpack(ay);
  Val divisor = select(eq(b.significand, 0), b.significand.constant(1), b.significand);
  Val smaller = lt(ax, ay);
  Val distance = select(smaller, ax.constant(0), a.exponent - b.exponent);

  auto loop = scf::WhileOp::create(
      e.b, e.b.getLoc(), mlir::TypeRange{ax.get().getType(), ax.get().getType()},
      ValueRange{(a.significand % divisor).get(), distance.get()},
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Elementwise inner(builder, loc, x.get().getType(), e.real);
        Val more = gt(inner.wrap(args[1]), 0);
        scf::ConditionOp::create(builder, loc, anyElement(more), args);
      },
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Elementwise inner(builder, loc, x.get().getType(), e.real);
        Val rest = inner.wrap(args[0]), left = inner.wrap(args[1]);
        Val step = select(lt(left, stepBits), left, left.constant(stepBits));
        Val next = (rest << step) % inner.wrap(divisor.get());
        scf::YieldOp::create(builder, loc, ValueRange{next.get(), (left - step).get()});
      });
  Val rest = e.wrap(loop.getResult(0));

  // Converts the rest back to a float. Its top bit moves to the place of the implicit bit, unless
  // the smallest exponent stops it earlier.
  Val zeros = leadingZeros(rest | 1) - (width - fraction - 1);
  Val room = b.exponent - 1;
  Val shift = select(lt(zeros, room), zeros, room);
  Val packed = ((b.exponent - shift - 1) << fraction) + (rest << shift);
  Val magnitude = select(smaller, ax, packed);
  magnitude = select(eq(rest, 0) & ~smaller, ax.constant(0), magnitude);
  Val result = asFloat(magnitude | (bits(x) & signMask), e.real);
  uint64_t infinity = ((uint64_t(1) << (width - fraction - 1)) - 1) << fraction;
  Val valid = lt(ax, infinity) & le(ay, infinity) & ne(ay, 0);
  return select(valid, result, e.nan());
}

namespace {
/// Expands remainders exactly. SPIR-V's OpFRem may compute x - y * trunc(x / y) and round at each
/// step, which gives wrong results for large quotients.
struct ExpandRemainder final : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    FloatType real = computedType(op.getType());
    if (!real ||
        (real.isF32() && arith::bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn)))
      return rewriter.notifyMatchFailure(op, "widened first, or approximate");
    Elementwise e(rewriter, op.getLoc(), op.getType(), real);
    rewriter.replaceOp(op, exactRemainder(e.wrap(op.getLhs()), e.wrap(op.getRhs())).get());
    return success();
  }
};
} // namespace

void pumice::lower::populateExpandFloatPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandMinMax<arith::MaximumFOp, arith::MaxNumFOp>,
               ExpandMinMax<arith::MinimumFOp, arith::MinNumFOp>, WidenBinary<arith::MaximumFOp>,
               WidenBinary<arith::MinimumFOp>, WidenBinary<arith::RemFOp>, ExpandConstantCompare,
               ExpandRemainder>(patterns.getContext());
}
