//===- ExpandFloatConversions.cpp - rounding modes, floats of 4 to 8 bits ---===//
//   before: %h = arith.truncf %x downward : f32 to f16      %w = arith.extf %b : f8E5M2 to f32
//   after:  integer arithmetic on the bits, exact for every input
//
// A narrow float is bit-cast to an integer of its width, so that later passes only move it. Like
// APFloat, an overflow gives infinity if the type has it, else NaN, else the largest number. In
// types without NaN, NaN becomes the largest number.
//
// f8E8M0FNU has no sign and no zero. In this type, negative numbers become NaN, and numbers below
// 2^-127 become 2^-127.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/Elementwise.h"
#include "compiler/lower/polyfill/ExpandArith.h"

using namespace mlir;
using namespace pumice::lower;
using arith::RoundingMode;
using llvm::APFloat;
using llvm::fltSemantics;

static FloatType floatType(Type type) { return dyn_cast<FloatType>(getElementTypeOrSelf(type)); }

/// Returns whether the type is one of 4 to 8 bits, for which SPIR-V has no conversions.
static bool isTiny(FloatType type) { return type && type.getWidth() <= 8; }

namespace {
/// The encoding of a float type: an optional sign, an exponent, and a fraction.
struct Encoding {
  explicit Encoding(FloatType type)
      : semantics(type.getFloatSemantics()), width(type.getWidth()),
        fraction(APFloat::semanticsPrecision(semantics) - 1),
        minExponent(APFloat::semanticsMinExponent(semantics)),
        hasSign(APFloat::semanticsHasSignedRepr(semantics)),
        hasInf(APFloat::semanticsHasInf(semantics)), hasNan(APFloat::semanticsHasNaN(semantics)),
        hasZero(APFloat::semanticsHasZero(semantics)) {
    largest = APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue();
    if (hasInf)
      infinity = APFloat::getInf(semantics).bitcastToAPInt().getZExtValue();
    if (hasNan)
      nan = APFloat::getQNaN(semantics).bitcastToAPInt().getZExtValue();
  }
  /// Returns whether the pattern of minus zero is NaN, as in the FNUZ types.
  bool nanIsMinusZero() const { return hasSign && hasNan && nan == uint64_t(1) << (width - 1); }

  const fltSemantics &semantics;
  unsigned width, fraction;
  int minExponent;
  bool hasSign, hasInf, hasNan, hasZero;
  uint64_t largest, infinity = 0, nan = 0;
};
} // namespace

//===- To narrower types: any rounding mode ---------------------------------===//

/// Returns whether rounding increases the last place of the kept bits of a significand.
static Val roundsUp(Val kept, Val rest, Val half, Val negative, RoundingMode mode) {
  switch (mode) {
  case RoundingMode::to_nearest_even:
    return gt(rest, half) | (eq(rest, half) & ne(kept & 1, 0));
  case RoundingMode::to_nearest_away:
    return ge(rest, half);
  case RoundingMode::upward:
    return ne(rest, 0) & ~negative;
  case RoundingMode::downward:
    return ne(rest, 0) & negative;
  case RoundingMode::toward_zero:
    break;
  }
  return negative.constant(0);
}

/// Returns the result for a finite number that is too large for the type.
static Val overflowed(Val like, Val negative, const Encoding &to, RoundingMode mode) {
  Val largest = like.constant(to.largest);
  Val beyond = to.hasInf ? like.constant(to.infinity) : to.hasNan ? like.constant(to.nan) : largest;
  switch (mode) {
  case RoundingMode::toward_zero:
    return largest;
  case RoundingMode::upward:
    return select(negative, largest, beyond);
  case RoundingMode::downward:
    return select(negative, beyond, largest);
  default:
    return beyond;
  }
}

/// Rounds and encodes the magnitude of a number. `magnitude` has the number's bits in the encoding
/// `from`, without the sign.
static Val encodeFinite(Val magnitude, Val negative, const Encoding &from, const Encoding &to,
                        RoundingMode mode) {
  // The number is significand * 2^(exponent - from.fraction), even if it is subnormal.
  Val field = magnitude >> from.fraction;
  Val fractionPart = magnitude & ((uint64_t(1) << from.fraction) - 1);
  Val normal = ne(field, 0);
  Val significand = select(normal, fractionPart | (uint64_t(1) << from.fraction), fractionPart);
  Val exponent = select(normal, field, field.constant(1)) + (from.minExponent - 1);

  // Below the type's smallest exponent, more bits are dropped. Two more than the width of the
  // significand are enough, because all its bits are then in `rest`.
  Val below = exponent.constant(to.minExponent) - exponent;
  Val extra = select(gt(below, 0), below, below.constant(0));
  unsigned least = from.fraction - to.fraction, most = from.fraction + 2;
  Val drop = extra + least;
  drop = select(lt(drop, most), drop, drop.constant(most));
  Val one = drop.constant(1);
  Val kept = significand >> drop;
  Val rest = significand & ((one << drop) - 1);
  Val half = one << (drop - 1);
  kept = kept + zext(roundsUp(kept, rest, half, negative, mode), kept.width());

  // A carry out of the fraction increments the exponent without further code. Subnormal numbers
  // have exponent field zero and no implicit bit. In types without zero and subnormal numbers,
  // normal numbers start at exponent field zero.
  Val aboveLeast = exponent + extra - to.minExponent;
  Val encoded = (aboveLeast << to.fraction) + kept;
  if (!to.hasZero) {
    encoded = select(lt(encoded, 1), encoded.constant(0), encoded - 1);
    if (from.width == 32) {
      // The values of f32's subnormal numbers are close to the first two powers of two of the type.
      uint64_t first =
          mode == RoundingMode::upward ? 0x400001
          : llvm::is_contained({RoundingMode::to_nearest_even, RoundingMode::to_nearest_away}, mode)
              ? 0x600000
              : 0x800000;
      encoded = select(normal, encoded, zext(ge(magnitude, first), 32));
    }
  }
  return select(gt(encoded, to.largest), overflowed(encoded, negative, to, mode), encoded);
}

/// Converts x, an f32 or f64, to another float type.
static Val encode(Val x, FloatType type, RoundingMode mode) {
  Encoding from(cast<FloatType>(x.element())), to(type);
  Val pattern = bits(x);
  uint64_t signMask = uint64_t(1) << (from.width - 1);
  Val magnitude = pattern & (signMask - 1);
  Val negative = lt(pattern, 0);

  Val result = encodeFinite(magnitude, negative, from, to, mode);
  Val largest = result.constant(to.largest);
  Val ofNan = to.hasNan ? result.constant(to.nan) : largest;
  Val ofInf = to.hasInf ? result.constant(to.infinity) : ofNan;
  result = select(eq(magnitude, from.infinity), ofInf, result);
  result = select(gt(magnitude, from.infinity), ofNan, result);
  if (to.hasSign) {
    Val sign = select(negative, result.constant(uint64_t(1) << (to.width - 1)), result.constant(0));
    if (to.nanIsMinusZero())
      sign = select(eq(result, 0) | eq(result, to.nan), result.constant(0), sign);
    result = result | sign;
  } else {
    result = select(negative & ne(magnitude, 0), result.constant(to.nan), result);
  }
  return asFloat(trunc(result, to.width), type);
}

namespace {
struct ExpandTruncate final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    FloatType from = floatType(op.getIn().getType()), to = floatType(op.getType());
    // Without a rounding mode, the target's conversion to the nearest number is used. From f64 to
    // bf16, the target lacks this conversion, and a conversion through f32 would round twice.
    bool native = !op.getRoundingmode() && !isTiny(to) && !(to.isBF16() && from.isF64());
    if (native || !from || from.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "native");
    FloatType real = from.isF64() ? from : cast<FloatType>(rewriter.getF32Type());
    Elementwise e(rewriter, op.getLoc(), op.getType(), real);
    Val x = e.wrap(op.getIn());
    if (from != real)
      x = convert(x, real);
    RoundingMode mode = op.getRoundingmode().value_or(RoundingMode::to_nearest_even);
    rewriter.replaceOp(op, encode(x, to, mode).get());
    return success();
  }
};
} // namespace

//===- To wider types: exact ------------------------------------------------===//

/// Converts a tiny float to f32.
static Val decode(Val x) {
  Elementwise &e = x.e();
  auto type = cast<FloatType>(x.element());
  Encoding from(type);
  Val pattern = zext(bits(x), 32);
  unsigned magnitudeBits = from.width - from.hasSign;
  Val magnitude = pattern & ((1u << magnitudeBits) - 1);
  Val result;
  if (!from.hasZero) {
    // The number consists of an exponent only. The first power, 2^-127, is subnormal in f32.
    result =
        asFloat(select(eq(magnitude, 0), magnitude.constant(1u << 22), magnitude << 23), e.real);
  } else {
    // Adjusts the exponent by the difference between the two biases. A subnormal number is an
    // integer times a power of two.
    unsigned rebase = 127 + from.minExponent - 1;
    Val normal = (magnitude << (23 - from.fraction)) + (rebase << 23);
    Val subnormal = toFloat(magnitude) * std::ldexp(1.0, from.minExponent - int(from.fraction));
    result = select(lt(magnitude, 1u << from.fraction), subnormal, asFloat(normal, e.real));
  }
  if (from.hasInf)
    result = select(eq(magnitude, from.infinity), e.inf(), result);
  if (from.hasSign)
    result = asFloat(bits(result) | ((pattern >> magnitudeBits) << 31), e.real);
  if (!from.hasNan)
    return result;
  Val isNan = from.hasInf             ? gt(magnitude, from.infinity)
              : from.nanIsMinusZero() ? eq(pattern, from.nan)
                                      : eq(magnitude, from.nan & ((1u << magnitudeBits) - 1));
  return select(isNan, e.nan(), result);
}

namespace {
struct ExpandExtend final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    FloatType from = floatType(op.getIn().getType()), to = floatType(op.getType());
    if (!isTiny(from))
      return rewriter.notifyMatchFailure(op, "native");
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    Val result = decode(e.wrap(op.getIn()));
    // A conversion from one tiny type to a wider tiny type, which is exact.
    if (to != e.real)
      result = convert(result, to);
    rewriter.replaceOp(op, result.get());
    return success();
  }
};

/// Computes in * 2^scale in the result's type, as MLIR's documentation of the operation says.
struct ExpandScalingExtend final : OpRewritePattern<arith::ScalingExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ScalingExtFOp op, PatternRewriter &rewriter) const override {
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    FloatType type = floatType(op.getType());
    auto exponent = cast<FloatType>(Float8E8M0FNUType::get(rewriter.getContext()));
    Val in = e.wrap(op.getIn());
    Val scale = convert(convert(e.wrap(op.getScale()), exponent), type);
    rewriter.replaceOp(op, ((in.element() == type ? in : convert(in, type)) * scale).get());
    return success();
  }
};

struct ExpandScalingTruncate final : OpRewritePattern<arith::ScalingTruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ScalingTruncFOp op,
                                PatternRewriter &rewriter) const override {
    Elementwise e(rewriter, op.getLoc(), op.getType(), rewriter.getF32Type());
    auto exponent = cast<FloatType>(Float8E8M0FNUType::get(rewriter.getContext()));
    Val in = e.wrap(op.getIn());
    Val scale = convert(convert(e.wrap(op.getScale()), exponent), cast<FloatType>(in.element()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), (in / scale).get(),
                                                 op.getRoundingmodeAttr(), op.getFastmathAttr());
    return success();
  }
};

/// Computes arithmetic on tiny floats in f32.
///   before: %s = arith.addf %a, %b : f8E4M3FN
///   after:  %s = truncf(extf %a + extf %b)
struct WidenTinyArithmetic final : RewritePattern {
  explicit WidenTinyArithmetic(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp,
             arith::RemFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::CmpFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp>(op))
      return failure();
    FloatType operand = floatType(op->getOperand(0).getType());
    FloatType result = floatType(op->getResult(0).getType());
    if (!isTiny(operand) && !isTiny(result))
      return rewriter.notifyMatchFailure(op, "not tiny");
    Elementwise e(rewriter, op->getLoc(), op->getResult(0).getType(), rewriter.getF32Type());
    SmallVector<Value> operands;
    for (Value value : op->getOperands())
      operands.push_back(isTiny(operand) ? convert(e.wrap(value), e.real).get() : value);
    Type type = isTiny(result) ? e.shaped(e.real) : op->getResult(0).getType();
    OperationState state(op->getLoc(), op->getName(), operands, type, op->getAttrs());
    Val wide = e.wrap(rewriter.create(state)->getResult(0));
    rewriter.replaceOp(op, (isTiny(result) ? convert(wide, result) : wide).get());
    return success();
  }
};
} // namespace

void pumice::lower::populateExpandFloatConversionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandTruncate, ExpandExtend, ExpandScalingExtend, ExpandScalingTruncate,
               WidenTinyArithmetic>(patterns.getContext());
}
