//===- Elementwise.cpp - polyfills written as arithmetic --------------------===//
#include "compiler/lower/polyfill/Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace pumice::lower {

Elementwise::Elementwise(OpBuilder &builder, Location loc, Type like, FloatType real)
    : b(loc, builder), real(real), shape(dyn_cast<VectorType>(like)) {}

Type Elementwise::shaped(Type element) const {
  VectorType like = shape; // clone() is not const
  return like ? like.clone(element) : element;
}

static Value splat(Elementwise &e, TypedAttr scalar) {
  if (!e.vector())
    return arith::ConstantOp::create(e.b, scalar);
  auto type = cast<VectorType>(e.shaped(scalar.getType()));
  return arith::ConstantOp::create(e.b, DenseElementsAttr::get(type, scalar));
}

Val Elementwise::constant(FloatType type, double value) {
  return wrap(splat(*this, b.getFloatAttr(type, value)));
}

Val Elementwise::integer(int64_t value, unsigned width) {
  APInt bits(width, static_cast<uint64_t>(value), /*isSigned=*/false, /*implicitTrunc=*/true);
  return wrap(splat(*this, b.getIntegerAttr(b.getIntegerType(width), bits)));
}

Val Val::like(double number) const { return e().constant(cast<FloatType>(element()), number); }

Val Val::likeBits(uint64_t bits) const {
  if (element().isIndex())
    return e().wrap(splat(e(), e().b.getIndexAttr(static_cast<int64_t>(bits))));
  return e().integer(static_cast<int64_t>(bits), width());
}

template <typename Op, typename... Args> static Val emit(Val a, Args... args) {
  return a.e().wrap(a.e().b.createOrFold<Op>(a.get(), args.get()...));
}

Val detail::binary(StringRef sign, Val a, Val b) {
  bool real = a.isFloat();
  if (sign == "+")
    return real ? emit<arith::AddFOp>(a, b) : emit<arith::AddIOp>(a, b);
  if (sign == "-")
    return real ? emit<arith::SubFOp>(a, b) : emit<arith::SubIOp>(a, b);
  if (sign == "*")
    return real ? emit<arith::MulFOp>(a, b) : emit<arith::MulIOp>(a, b);
  if (sign == "/")
    return real ? emit<arith::DivFOp>(a, b) : emit<arith::DivUIOp>(a, b);
  if (sign == "%")
    return emit<arith::RemUIOp>(a, b);
  if (sign == "&")
    return emit<arith::AndIOp>(a, b);
  if (sign == "|")
    return emit<arith::OrIOp>(a, b);
  if (sign == "^")
    return emit<arith::XOrIOp>(a, b);
  return sign == "<<" ? emit<arith::ShLIOp>(a, b) : emit<arith::ShRUIOp>(a, b);
}

Val detail::compare(arith::CmpFPredicate f, arith::CmpIPredicate i, Val a, Val b) {
  ImplicitLocOpBuilder &builder = a.e().b;
  Value result = a.isFloat() ? builder.createOrFold<arith::CmpFOp>(f, a.get(), b.get())
                             : builder.createOrFold<arith::CmpIOp>(i, a.get(), b.get());
  return a.e().wrap(result);
}

Val operator-(Val a) { return a.isFloat() ? emit<arith::NegFOp>(a) : a.likeBits(0) - a; }
Val operator~(Val a) { return a ^ a.likeBits(~uint64_t(0)); }

Val select(Val condition, Val yes, Val no) { return emit<arith::SelectOp>(condition, yes, no); }
Val isNan(Val x) { return unordered(x, x); }
Val abs(Val x) { return emit<math::AbsFOp>(x); }
Val sqrt(Val x) { return emit<math::SqrtOp>(x); }
Val roundEven(Val x) { return emit<math::RoundEvenOp>(x); }
Val fma(Val a, Val b, Val c) { return emit<math::FmaOp>(a, b, c); }
Val truncate(Val x) {
  // Ceil keeps the sign of numbers in (-1, 0), whose result is -0. Floor keeps the sign of -0.
  return select(lt(x, 0), emit<math::CeilOp>(x), emit<math::FloorOp>(x));
}

static uint64_t signMask(Val x) { return uint64_t(1) << (x.width() - 1); }

Val copySign(Val x, Val sign) {
  Val magnitude = bits(x) & (signMask(x) - 1);
  return asFloat(magnitude | (bits(sign) & signMask(x)), cast<FloatType>(x.element()));
}

Val signBit(Val x) { return lt(bits(x), 0); }

Val shiftRightSigned(Val x, unsigned amount) { return emit<arith::ShRSIOp>(x, x.constant(amount)); }

template <typename Op> static Val cast(Val x, Type element) {
  if (x.element() == element)
    return x;
  return x.e().wrap(x.e().b.createOrFold<Op>(x.e().shaped(element), x.get()));
}

Val bits(Val x) { return cast<arith::BitcastOp>(x, x.e().b.getIntegerType(x.width())); }
Val asFloat(Val x, FloatType type) { return cast<arith::BitcastOp>(x, type); }
Val zext(Val x, unsigned width) { return cast<arith::ExtUIOp>(x, x.e().b.getIntegerType(width)); }
Val sext(Val x, unsigned width) { return cast<arith::ExtSIOp>(x, x.e().b.getIntegerType(width)); }
Val trunc(Val x, unsigned width) { return cast<arith::TruncIOp>(x, x.e().b.getIntegerType(width)); }

Val convert(Val x, FloatType type) {
  unsigned from = x.width(), to = type.getWidth();
  return from < to ? cast<arith::ExtFOp>(x, type) : cast<arith::TruncFOp>(x, type);
}

Val toInt32(Val x) { return cast<arith::FPToSIOp>(x, x.e().b.getI32Type()); }
Val toFloat(Val x) { return cast<arith::SIToFPOp>(x, x.e().real); }

Val polynomial(Val x, ArrayRef<double> coefficients) {
  Val sum = x.like(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, x.like(c));
  return sum;
}

Val powerOfTwo(Val k) {
  Elementwise &e = k.e();
  Val exponent = k + e.bias();
  return asFloat(sext(exponent, e.real.getWidth()) << e.fractionBits(), e.real);
}

Val scale(Val x, Val k) {
  // The first product is exact. The second one rounds once if the result is subnormal.
  Val half = shiftRightSigned(k, 1);
  return x * powerOfTwo(half) * powerOfTwo(k - half);
}

Val scaleByAny(Val x, Val k) {
  Elementwise &e = x.e();
  int32_t most = e.pick(294, 2200); // from the smallest number to beyond the largest one
  int32_t atOnce = e.pick(120, 1000);
  k = select(lt(k, -most), k.constant(-most), select(gt(k, most), k.constant(most), k));
  // A single product is rounded once. With three products, the roundings of the first two are far
  // below the last place of the result.
  Val third = shiftRightSigned(k * 21846, 16);
  third = select(below(k + atOnce, 2 * atOnce + 1), k.constant(0), third);
  Val part = powerOfTwo(third);
  return x * part * part * powerOfTwo(k - third - third);
}

Wide fastTwoSum(Val a, Val b) {
  Val sum = a + b;
  return {sum, b - (sum - a)};
}

Wide twoSum(Val a, Val b) {
  Val sum = a + b;
  Val fromB = sum - a;
  return {sum, (a - (sum - fromB)) + (b - fromB)};
}

/// Splits a float exactly into the upper half of its significand and the rest.
static Wide halves(Val x) {
  Elementwise &e = x.e();
  unsigned low = (e.fractionBits() + 2) / 2;
  Val upper = asFloat(bits(x) & ~((uint64_t(1) << low) - 1), e.real);
  return {upper, x - upper};
}

Wide twoProduct(Val a, Val b) {
  Wide x = halves(a), y = halves(b);
  Val product = a * b;
  Val rest = ((x.hi * y.hi - product) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo;
  return {product, rest};
}

Wide multiply(Wide a, Val b) {
  Wide product = twoProduct(a.hi, b);
  return fastTwoSum(product.hi, product.lo + a.lo * b);
}

Wide multiply(Wide a, Wide b) {
  Wide product = twoProduct(a.hi, b.hi);
  return fastTwoSum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

Wide divideWide(Wide a, Wide b) {
  Val quotient = a.hi / b.hi;
  Wide product = twoProduct(quotient, b.hi);
  Val rest = (((a.hi - product.hi) - product.lo) + a.lo) - quotient * b.lo;
  return {quotient, rest / b.hi};
}

Value anyElement(Val condition) {
  auto type = dyn_cast<VectorType>(condition.get().getType());
  if (!type)
    return condition.get();
  ImplicitLocOpBuilder &b = condition.e().b;
  Value any;
  for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
    SmallVector<int64_t> position;
    for (int64_t rest = i, dim = type.getRank() - 1; dim >= 0; --dim) {
      position.insert(position.begin(), rest % type.getDimSize(dim));
      rest /= type.getDimSize(dim);
    }
    Value element = vector::ExtractOp::create(b, condition.get(), position);
    any = any ? arith::OrIOp::create(b, any, element).getResult() : element;
  }
  return any;
}

} // namespace pumice::lower
