//===- LibraryCode.h - builds formulas of arith and math --------------------===//
// A Number is an SSA value, which is a scalar or a tile. Its operators append operations.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <numbers>

namespace pumice::triton::distribute::library {

struct Number {
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value value;

  mlir::Type type() const { return value.getType(); }
  mlir::Type element() const { return mlir::getElementTypeOrSelf(type()); }
  unsigned bits() const { return element().getIntOrFloatBitWidth(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(element()); }
  bool isDouble() const { return element().isF64(); }

  /// Returns this type with another element type.
  mlir::Type with(mlir::Type element) const {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type());
    return tensor ? tensor.clone(element) : element;
  }
  mlir::Type integers(unsigned bits) const { return with(b->getIntegerType(bits)); }

  template <typename Op> Number apply() const { return {b, Op::create(*b, value)}; }
  template <typename Op> Number apply(Number y) const {
    return {b, Op::create(*b, value, y.value)};
  }
  template <typename Op> Number to(mlir::Type type) const {
    return {b, Op::create(*b, type, value)};
  }

  /// Returns a constant of this type.
  Number number(double x) const {
    auto whole = [&](mlir::Attribute one) -> mlir::TypedAttr {
      if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type()))
        return mlir::DenseElementsAttr::get(tensor, one);
      return llvm::cast<mlir::TypedAttr>(one);
    };
    mlir::Attribute one = isFloat() ? mlir::Attribute(b->getFloatAttr(element(), x))
                                    : b->getIntegerAttr(element(), static_cast<int64_t>(x));
    return {b, mlir::arith::ConstantOp::create(*b, whole(one))};
  }

  Number bitsOf() const { return to<mlir::arith::BitcastOp>(integers(bits())); }
  Number asFloat(mlir::Type type) const { return to<mlir::arith::BitcastOp>(type); }
  Number abs() const {
    return isFloat() ? apply<mlir::math::AbsFOp>() : apply<mlir::math::AbsIOp>();
  }
  /// Selects `yes` where this i1 is true, and `no` elsewhere.
  Number choose(Number yes, Number no) const {
    return {b, mlir::arith::SelectOp::create(*b, value, yes.value, no.value)};
  }
};

inline Number operator+(Number x, Number y) {
  return x.isFloat() ? x.apply<mlir::arith::AddFOp>(y) : x.apply<mlir::arith::AddIOp>(y);
}
inline Number operator-(Number x, Number y) {
  return x.isFloat() ? x.apply<mlir::arith::SubFOp>(y) : x.apply<mlir::arith::SubIOp>(y);
}
inline Number operator*(Number x, Number y) {
  return x.isFloat() ? x.apply<mlir::arith::MulFOp>(y) : x.apply<mlir::arith::MulIOp>(y);
}
inline Number operator/(Number x, Number y) { return x.apply<mlir::arith::DivFOp>(y); }
inline Number operator-(Number x) {
  return x.isFloat() ? x.apply<mlir::arith::NegFOp>() : x.number(0) - x;
}
inline Number operator+(Number x, double y) { return x + x.number(y); }
inline Number operator-(Number x, double y) { return x - x.number(y); }
inline Number operator*(Number x, double y) { return x * x.number(y); }
inline Number operator/(Number x, double y) { return x / x.number(y); }
inline Number operator/(double x, Number y) { return y.number(x) / y; }
inline Number operator-(double x, Number y) { return y.number(x) - y; }
inline Number operator&(Number x, Number y) { return x.apply<mlir::arith::AndIOp>(y); }
inline Number operator|(Number x, Number y) { return x.apply<mlir::arith::OrIOp>(y); }
inline Number operator^(Number x, Number y) { return x.apply<mlir::arith::XOrIOp>(y); }
inline Number operator&(Number x, int64_t y) { return x & x.number(static_cast<double>(y)); }
inline Number operator<<(Number x, int64_t y) {
  return x.apply<mlir::arith::ShLIOp>(x.number(static_cast<double>(y)));
}
/// Shifts right logically, so that zeros enter.
inline Number operator>>(Number x, int64_t y) {
  return x.apply<mlir::arith::ShRUIOp>(x.number(static_cast<double>(y)));
}

/// Compares floats by ordered comparisons, and integers as signed numbers.
inline Number compare(Number x, Number y, mlir::arith::CmpFPredicate floats,
                      mlir::arith::CmpIPredicate integers) {
  mlir::ImplicitLocOpBuilder &b = *x.b;
  return {x.b, x.isFloat()
                   ? mlir::arith::CmpFOp::create(b, floats, x.value, y.value).getResult()
                   : mlir::arith::CmpIOp::create(b, integers, x.value, y.value).getResult()};
}
inline Number operator<(Number x, Number y) {
  return compare(x, y, mlir::arith::CmpFPredicate::OLT, mlir::arith::CmpIPredicate::slt);
}
inline Number operator>(Number x, Number y) { return y < x; }
inline Number operator>=(Number x, Number y) {
  return compare(x, y, mlir::arith::CmpFPredicate::OGE, mlir::arith::CmpIPredicate::sge);
}
inline Number operator==(Number x, Number y) {
  return compare(x, y, mlir::arith::CmpFPredicate::OEQ, mlir::arith::CmpIPredicate::eq);
}
inline Number isNan(Number x) { return x.apply<mlir::math::IsNaNOp>(); }
inline Number operator<(Number x, double y) { return x < x.number(y); }
inline Number operator>(Number x, double y) { return x > x.number(y); }
inline Number operator==(Number x, double y) { return x == x.number(y); }

inline Number fma(Number x, Number y, Number z) {
  return {x.b, mlir::math::FmaOp::create(*x.b, x.value, y.value, z.value)};
}
/// Computes c[0] + x (c[1] + x (…)).
inline Number polynomial(Number x, llvm::ArrayRef<double> c) {
  Number sum = x.number(c.back());
  for (double each : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, x.number(each));
  return sum;
}

/// Computes the polynomial whose coefficients suit the type of x.
inline Number polynomial(Number x, llvm::ArrayRef<double> ofDouble,
                         llvm::ArrayRef<double> ofSingle) {
  return polynomial(x, x.isDouble() ? ofDouble : ofSingle);
}

/// The number fraction · 2^exponent.
struct Scaled {
  Number fraction, exponent;
};

// LibrarySpecial.cpp: parts that several functions use, and gamma functions
Scaled exponential(Number x, Number rest); // exp(x + rest)
Number logarithm(Number x);
/// Returns x · 2^n, rounded only once. n is i32.
Number scaleByPower(Number x, Number n);
Number gamma(Number x);
Number logGamma(Number x);
Number sinPi(Number x);
Number cosPi(Number x);
// LibraryError.cpp
Number inverseErf(Number x);
Number inverseErfc(Number x);
Number scaledErfc(Number x);
Number normalDistribution(Number x);
// LibraryBessel.cpp: Bessel functions of orders 0 and 1, and of any order
Number besselI(Number x, int order);
Number besselJ(Number x, int order);
Number besselY(Number x, int order);
Number besselJOf(Number order, Number x);
Number besselYOf(Number order, Number x);

} // namespace pumice::triton::distribute::library
