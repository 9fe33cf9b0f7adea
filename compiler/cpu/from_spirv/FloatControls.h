//===- FloatControls.h - float arithmetic by an entry point's rules -------===//
// Decorations and execution modes control how floats are rounded, whether denormals are kept, and
// what may be contracted. All code that adds or multiplies a program's floats uses these functions.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace pumice::cpu {

class Lowering;

/// The rules for the floats of an entry point, and of the current instruction. Sets of widths are
/// sums of 16, 32 and 64. bfloat16 is in none of them, since SPIR-V has no modes for it.
class FloatRules {
public:
  /// Reads the entry point's modes.
  void setModes(mlir::Operation *entryPoint);
  /// Reads an instruction's decorations.
  void setInstruction(mlir::Operation *instruction);

  bool flushes(mlir::Type type) const { return contains(flush, type); }
  bool roundsTowardZero(mlir::Type type) const { return contains(towardZero, type); }
  bool flushesAny() const { return flush != 0; }
  /// Returns arith::FastMathFlags as a number, since their header is large.
  uint32_t flags(mlir::Type type) const;

private:
  static bool contains(uint32_t widths, mlir::Type type);
  uint32_t flush = 0, towardZero = 0;
  bool contractionOff = false;
  bool isListed = false; // FloatControls2: everything that the modes do not allow is forbidden
  // FPFastMathDefault for 16, 32 and 64 bits. `hasDefault` has the widths that are set.
  uint32_t defaults[3] = {};
  uint32_t hasDefault = 0;
  bool noContraction = false;
  std::optional<uint32_t> mode; // FPFastMathMode
};

/// Returns whether an instruction's operands and results are numbers, not bits that are passed on.
bool computesFloats(llvm::StringRef instruction);

namespace floats {

mlir::Value add(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value sub(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value mul(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value div(Lowering &l, mlir::Value x, mlir::Value y);
/// Returns x[0] y[0] + x[1] y[1] + …, in this order.
mlir::Value dot(Lowering &l, llvm::ArrayRef<mlir::Value> x, llvm::ArrayRef<mlir::Value> y);
/// Returns x y + z, rounded once if rounding is to nearest.
mlir::Value multiplyAdd(Lowering &l, mlir::Value x, mlir::Value y, mlir::Value z);
/// Converts to another float type, with the entry point's rounding.
mlir::Value convert(Lowering &l, mlir::Type type, mlir::Value x);
/// Returns zero with the sign of x if x is a denormal of a width that is flushed, and x otherwise.
mlir::Value flushed(Lowering &l, mlir::Value x);

} // namespace floats
} // namespace pumice::cpu
