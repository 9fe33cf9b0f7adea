//===- Elementwise.h - polyfills written as arithmetic ----------------------===//
// A polyfill is written once, as arithmetic on `Val`, for scalars and vectors of any shape, and for
// f32 and f64. The operators of `Val` emit arith and math operations of the right type.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <type_traits>

namespace pumice::lower {

class Elementwise;

/// A value, and the builder with which its operators emit code. Comparisons of floats are ordered,
/// and those of integers are signed. Right shifts are logical.
class Val {
public:
  Val() = default;
  Val(Elementwise &builder, mlir::Value value) : builder(&builder), value(value) {}

  mlir::Value get() const { return value; }
  Elementwise &e() const { return *builder; }
  /// The type of one element.
  mlir::Type element() const { return mlir::getElementTypeOrSelf(value.getType()); }
  unsigned width() const { return element().getIntOrFloatBitWidth(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(element()); }
  /// Returns a constant of this value's type. Integers take the low bits of `bits`.
  Val likeBits(uint64_t bits) const;
  Val like(double number) const;
  template <typename T> Val constant(T number) const {
    if constexpr (std::is_floating_point_v<T>)
      return like(number);
    else
      return isFloat() ? like(static_cast<double>(number))
                       : likeBits(static_cast<uint64_t>(number));
  }

private:
  Elementwise *builder = nullptr;
  mlir::Value value;
};

/// Emits operations for one shape: scalars, or vectors like the expanded operation's.
class Elementwise {
public:
  /// `like` has the shape. `real` is f32 or f64, the type to compute in.
  Elementwise(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type like, mlir::FloatType real);

  mlir::ImplicitLocOpBuilder b;
  mlir::FloatType real;

  Val wrap(mlir::Value value) { return Val(*this, value); }
  mlir::Type shaped(mlir::Type element) const;
  mlir::VectorType vector() const { return shape; }

  bool isDouble() const { return real.isF64(); }
  unsigned fractionBits() const { return isDouble() ? 52 : 23; }
  int bias() const { return isDouble() ? 1023 : 127; }
  /// Returns `single` if the computed type is f32, or `dbl` if it is f64.
  template <typename T, typename U> auto pick(const T &single, const U &dbl) const {
    if constexpr (std::is_array_v<T>)
      return isDouble() ? llvm::ArrayRef<double>(dbl) : llvm::ArrayRef<double>(single);
    else
      return isDouble() ? dbl : single;
  }

  Val number(double value) { return constant(real, value); }
  Val integer(int64_t value, unsigned width = 32);
  Val constant(mlir::FloatType type, double value);
  Val inf() { return number(std::numeric_limits<double>::infinity()); }
  Val nan() { return number(std::numeric_limits<double>::quiet_NaN()); }

private:
  mlir::VectorType shape;
};

namespace detail {
Val binary(llvm::StringRef sign, Val a, Val b);
Val compare(mlir::arith::CmpFPredicate f, mlir::arith::CmpIPredicate i, Val a, Val b);
template <typename T> using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>, int>;
} // namespace detail

Val operator-(Val a);
Val operator~(Val a);
#define PUMICE_OPERATOR(SIGN)                                                                      \
  inline Val operator SIGN(Val a, Val b) { return detail::binary(#SIGN, a, b); }                   \
  template <typename T, detail::IfNumber<T> = 0> Val operator SIGN(Val a, T b) {                   \
    return a SIGN a.constant(b);                                                                   \
  }                                                                                                \
  template <typename T, detail::IfNumber<T> = 0> Val operator SIGN(T a, Val b) {                   \
    return b.constant(a) SIGN b;                                                                   \
  }
PUMICE_OPERATOR(+)
PUMICE_OPERATOR(-)
PUMICE_OPERATOR(*)
PUMICE_OPERATOR(/) // integers: unsigned
PUMICE_OPERATOR(%) // integers: unsigned
PUMICE_OPERATOR(&)
PUMICE_OPERATOR(|)
PUMICE_OPERATOR(^)
PUMICE_OPERATOR(<<)
PUMICE_OPERATOR(>>)
#undef PUMICE_OPERATOR

#define PUMICE_COMPARISON(NAME, FLOAT, INTEGER)                                                    \
  inline Val NAME(Val a, Val b) {                                                                  \
    return detail::compare(mlir::arith::CmpFPredicate::FLOAT, mlir::arith::CmpIPredicate::INTEGER, \
                           a, b);                                                                  \
  }                                                                                                \
  template <typename T, detail::IfNumber<T> = 0> Val NAME(Val a, T b) {                            \
    return NAME(a, a.constant(b));                                                                 \
  }
PUMICE_COMPARISON(lt, OLT, slt)
PUMICE_COMPARISON(le, OLE, sle)
PUMICE_COMPARISON(gt, OGT, sgt)
PUMICE_COMPARISON(ge, OGE, sge)
PUMICE_COMPARISON(eq, OEQ, eq)
PUMICE_COMPARISON(ne, UNE, ne)
/// For floats: equal or unordered. For integers: equal.
PUMICE_COMPARISON(eqOrNan, UEQ, eq)
/// For floats: at least one is NaN. For integers: unsigned less than.
PUMICE_COMPARISON(unordered, UNO, ult)
PUMICE_COMPARISON(below, ULT, ult)
#undef PUMICE_COMPARISON

Val select(Val condition, Val yes, Val no);
Val isNan(Val x);
Val abs(Val x);
Val sqrt(Val x);
Val roundEven(Val x);
/// Truncates toward zero. SPIR-V in MLIR has only Floor and Ceil.
Val truncate(Val x);
Val fma(Val a, Val b, Val c);
/// Returns the magnitude of `x` with the sign of `sign`.
Val copySign(Val x, Val sign);
/// Returns whether the sign bit is set, even of NaN or zero.
Val signBit(Val x);
Val shiftRightSigned(Val x, unsigned amount);

/// Convert the bits of a float to an integer of its width, and back.
Val bits(Val x);
Val asFloat(Val x, mlir::FloatType type);
/// Converts to a wider or narrower integer.
Val zext(Val x, unsigned width);
Val sext(Val x, unsigned width);
Val trunc(Val x, unsigned width);
/// Converts to another float type.
Val convert(Val x, mlir::FloatType type);
/// Convert a float in the range of i32 to an integer, and an integer to the computed float type.
Val toInt32(Val x);
Val toFloat(Val x);

/// Computes c[0] + x (c[1] + x (c[2] + ...)), by fused or unfused multiply-add.
Val polynomial(Val x, llvm::ArrayRef<double> coefficients);
/// Returns 2^k for an i32 k in the exponent range of normal numbers.
Val powerOfTwo(Val k);
/// Returns x * 2^k for |k| up to about twice the exponent range. If x >= 1, the result is rounded
/// only once.
Val scale(Val x, Val k);
/// Returns x * 2^k, rounded only once, for any x and k.
Val scaleByAny(Val x, Val k);

/// An unevaluated sum: `hi` is the rounded sum, and `lo` is its error.
struct Wide {
  Val hi, lo;
};
/// Returns a + b exactly. Needs |a| >= |b| (or a = 0).
Wide fastTwoSum(Val a, Val b);
/// Returns a + b exactly.
Wide twoSum(Val a, Val b);
/// Returns a * b, exact up to the last bit of `lo`. It does not use fma, since GLSL's Fma need not
/// be fused.
Wide twoProduct(Val a, Val b);
/// Multiplies wide numbers to about twice the type's precision.
Wide multiply(Wide a, Wide b);
Wide multiply(Wide a, Val b);

/// Divides wide numbers. `divideWide` keeps the quotient's error, and `divide` rounds.
Wide divideWide(Wide a, Wide b);
inline Val divide(Wide a, Wide b) {
  Wide quotient = divideWide(a, b);
  return quotient.hi + quotient.lo;
}

/// Returns an i1 that is true if `condition` holds in any element.
mlir::Value anyElement(Val condition);

} // namespace pumice::lower
