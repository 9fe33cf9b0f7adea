//===- ExpandArithDivisions.cpp - divisions of 64-bit integers --------------===//
// Only targets with noLongDivisions need these. A constant divisor becomes a product with its
// reciprocal. For other divisors, a float's reciprocal is refined by two of Newton's steps. If all
// numbers have 32 bits, they are divided as such.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/Elementwise.h"
#include "compiler/lower/polyfill/ExpandArith.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/DivisionByConstantInfo.h"

using namespace mlir;
using namespace pumice::lower;

namespace {

template <typename Op> Val highProduct(Val a, Val b) {
  return a.e().wrap(Op::create(a.e().b, a.get(), b.get()).getHigh());
}

Val highUnsigned(Val a, Val b) { return highProduct<arith::MulUIExtendedOp>(a, b); }

Val halfToFloat(Val x) {
  return x.e().wrap(arith::UIToFPOp::create(x.e().b, x.e().shaped(x.e().real), trunc(x, 32).get()));
}

/// Converts a float below 2^32 to an integer of 64 bits.
Val floatToHalf(Val x) {
  Type i32 = x.e().shaped(x.e().b.getI32Type());
  return zext(x.e().wrap(arith::FPToUIOp::create(x.e().b, i32, x.get())), 64);
}

/// Divides unsigned numbers. The first estimate of 2^64 / d is too small by at most 2^-20 of it,
/// although the reciprocal and the conversions to floats may be wrong by 4 units in the last place.
/// After two steps, the quotient is too small by at most 2.
Val quotientOfAny(Val n, Val d) {
  Val divisor = halfToFloat(d >> 32) * 0x1p32 + halfToFloat(d);
  Val estimate = divisor.like(1) / divisor * (0x1p64 - 0x1p44);
  Val high = floatToHalf(estimate * 0x1p-32);
  Val rest = estimate - halfToFloat(high) * 0x1p32;
  Val reciprocal = (high << 32) | floatToHalf(rest);
  for (int step = 0; step < 2; ++step)
    reciprocal = reciprocal + highUnsigned(reciprocal, -d * reciprocal);
  Val quotient = highUnsigned(n, reciprocal), left = n - quotient * d;
  for (int step = 0; step < 2; ++step) {
    Val more = ~below(left, d);
    quotient = select(more, quotient + 1, quotient);
    left = select(more, left - d, left);
  }
  return quotient;
}

Val quotientOfVariables(Val n, Val d) {
  Elementwise &e = n.e();
  Type type = n.get().getType();
  auto emit = [&](OpBuilder &builder, Location loc, Val (*divide)(Val, Val)) {
    Elementwise inner(builder, loc, type, e.real);
    scf::YieldOp::create(builder, loc, divide(inner.wrap(n.get()), inner.wrap(d.get())).get());
  };
  auto branch = scf::IfOp::create(
      e.b, e.b.getLoc(), anyElement(ne((n | d) >> 32, 0)),
      [&](OpBuilder &builder, Location loc) { emit(builder, loc, quotientOfAny); },
      [&](OpBuilder &builder, Location loc) {
        emit(builder, loc, [](Val x, Val y) { return zext(trunc(x, 32) / trunc(y, 32), 64); });
      });
  return e.wrap(branch.getResult(0));
}

Val quotientByConstant(Val n, const APInt &divisor) {
  if (divisor.isPowerOf2())
    return n >> divisor.logBase2();
  auto info = llvm::UnsignedDivisionByConstantInfo::get(divisor);
  Val quotient = highUnsigned(n >> info.PreShift, n.likeBits(info.Magic.getZExtValue()));
  if (info.IsAdd) // the magic number has one more bit
    quotient = ((n - quotient) >> 1) + quotient;
  return quotient >> info.PostShift;
}

/// Returns the divisor if it is the same constant for all elements. Zero does not count.
std::optional<APInt> constantOf(Val d) {
  APInt number;
  return matchPattern(d.get(), m_ConstantInt(&number)) && !number.isZero()
             ? std::optional(number.zextOrTrunc(64))
             : std::nullopt;
}

Val unsignedQuotient(Val n, Val d) {
  std::optional<APInt> divisor = constantOf(d);
  return divisor ? quotientByConstant(n, *divisor) : quotientOfVariables(n, d);
}

Val unsignedRemainder(Val n, Val d) {
  std::optional<APInt> divisor = constantOf(d);
  if (divisor && divisor->isPowerOf2())
    return n & (divisor->getZExtValue() - 1);
  return n - unsignedQuotient(n, d) * d;
}

/// Divides the magnitudes. Negating the smallest number gives its magnitude, as an unsigned number.
Val signedQuotient(Val n, Val d) {
  auto magnitude = [](Val x) { return select(lt(x, 0), -x, x); };
  std::optional<APInt> divisor = constantOf(d);
  Val quotient =
      divisor ? quotientByConstant(magnitude(n), divisor->isNegative() ? -*divisor : *divisor)
              : quotientOfVariables(magnitude(n), magnitude(d));
  return select(lt(n ^ d, 0), -quotient, quotient);
}

template <typename Op> struct ExpandLongDivision final : OpRewritePattern<Op> {
  ExpandLongDivision(MLIRContext *context, unsigned indexBits, Val (*polyfill)(Val, Val))
      : OpRewritePattern<Op>(context), indexBits(indexBits), polyfill(polyfill) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    bool isIndex = element.isIndex();
    if (isIndex ? indexBits != 64 : !element.isInteger(64))
      return rewriter.notifyMatchFailure(op, "not of 64 bits");
    Elementwise e(rewriter, op.getLoc(), type, rewriter.getF32Type());
    auto cast = [&](Value value, Type to) -> Value {
      return isIndex ? e.b.createOrFold<arith::IndexCastOp>(e.shaped(to), value) : value;
    };
    Type i64 = rewriter.getI64Type();
    Val result = polyfill(e.wrap(cast(op.getLhs(), i64)), e.wrap(cast(op.getRhs(), i64)));
    rewriter.replaceOp(op, cast(result.get(), element));
    return success();
  }

  unsigned indexBits;
  Val (*polyfill)(Val, Val);
};
} // namespace

void pumice::lower::populateExpandLongDivisionPatterns(RewritePatternSet &patterns,
                                                       unsigned indexBits) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandLongDivision<arith::DivUIOp>>(context, indexBits, unsignedQuotient);
  patterns.add<ExpandLongDivision<arith::DivSIOp>>(context, indexBits, signedQuotient);
  patterns.add<ExpandLongDivision<arith::RemUIOp>>(context, indexBits, unsignedRemainder);
}
