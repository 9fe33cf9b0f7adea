//===- WidenTypes.h - narrow values in wide registers -----------------------===//
// If the target has no arithmetic on a type, another type holds its values:
//
//   iN, f8   the next wider integer of the target, whose bits above N are unspecified; an operation
//            that depends on these bits (division, comparison, extension, ...) sets them first
//
//   bf16     an f32 whose low 16 bits are zero
//
//   f16      an f32 that f16 can represent
//
// A float operation runs in f32, and its result is immediately rounded to the narrow type. If the
// result is a normal number of f32, +, -, *, / and sqrt are correctly rounded. The reason is that
// f32 has 24 bits of precision, and 24 >= 2 * 11 + 2. Rounding twice then equals rounding once.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Transforms/DialectConversion.h"

namespace pumice::lower {

/// Says which types a target computes with, and converts other types.
class Widener : public mlir::TypeConverter {
public:
  explicit Widener(const target::TargetEnv &env);

  /// Returns the scalar type that holds `element`, or null if no type of the target is wide enough.
  mlir::Type held(mlir::Type element) const;
  bool isWidened(mlir::Type type) const;
  const target::TargetEnv &env;
};

/// Says how an operation needs the high bits of an integer operand, which are unspecified, to be
/// set.
enum class Extend { None, Zero, Sign };

/// Emits the operations of one pattern. `wide` values hold elements of `narrow`, as scalars or
/// vectors.
struct WideBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value extended(mlir::Value wide, mlir::Type narrow, Extend how);
  /// Sign-extends, zero-extends or truncates to integers of the type `element`.
  mlir::Value resized(mlir::Value value, mlir::Type element, Extend how);

  /// Returns the nearest value of the narrow float type. Ties go to even. All values are held as
  /// f32.
  mlir::Value rounded(mlir::Value f32, mlir::FloatType narrow);
  /// Convert a float held as f32 to its bits in memory, and back. The bits are the low bits of an
  /// i32, and the higher bits are zero.
  mlir::Value floatToBits(mlir::Value f32, mlir::FloatType narrow);
  mlir::Value bitsToFloat(mlir::Value bits, mlir::FloatType narrow);
  /// Convert an f64 and an integer to f32, rounding to odd. Rounding the result again gives the
  /// same value as rounding the operand once.
  mlir::Value truncatedToOdd(mlir::Value f64);
  mlir::Value convertedToOdd(mlir::Value integer, bool isSigned);
  /// Returns a * b + c, also rounded to odd, for f32 operands whose product is exact.
  mlir::Value fmaToOdd(mlir::Value a, mlir::Value b, mlir::Value c);

  mlir::Value constant(mlir::Value like, mlir::Type element, uint64_t value);
  mlir::Value bits(mlir::Value f32);
  mlir::Value asFloat(mlir::Value i32);
  template <typename Op> mlir::Value op(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(b, loc, lhs, rhs);
  }
  mlir::Value op(mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);

private:
  mlir::Value roundedToF16(mlir::Value f32);
};

/// Returns whether a pattern performs `op` on widened types. With `onlyMoves`, this includes types
/// whose values `op` only moves (f8).
bool hasWideningRow(mlir::Operation *op, bool onlyMoves);
bool hasWideningCast(mlir::Operation *op, bool onlyMoves);
/// Returns whether `op` computes with i1 as a number, which no target supports.
bool isBooleanArithmetic(mlir::Operation *op);
/// Returns how the operation that computes `narrow` extends it in the integer that holds it.
Extend knownExtension(mlir::Value narrow);

void populateWidenTablePatterns(const Widener &widener, mlir::RewritePatternSet &patterns);
void populateWidenBitcastPatterns(const Widener &widener, mlir::RewritePatternSet &patterns);
void populateWidenCastPatterns(const Widener &widener, mlir::RewritePatternSet &patterns);

} // namespace pumice::lower
