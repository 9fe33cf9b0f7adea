//===- FloatControls.h - float arithmetic by an entry point's rules ---------===//
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

/// The rules for floats in an entry point, and in the current instruction. A set of widths is a sum
/// of 16, 32 and 64. It never contains bfloat16, because SPIR-V has no modes for that type.
class FloatRules {
public:
  /// Reads the execution modes of the entry point.
  void setModes(mlir::Operation *entryPoint);
  /// Reads the decorations of an instruction.
  void setInstruction(mlir::Operation *instruction);

  bool flushes(mlir::Type type) const { return contains(flush, type); }
  bool roundsTowardZero(mlir::Type type) const { return contains(towardZero, type); }
  bool flushesAny() const { return flush != 0; }
  /// Returns arith::FastMathFlags as a number, because the header that declares them is large.
  uint32_t flags(mlir::Type type) const;

private:
  static bool contains(uint32_t widths, mlir::Type type);
  uint32_t flush = 0, towardZero = 0;
  bool contractionOff = false;
  bool isListed = false; // FloatControls2: the modes list what is allowed
  // FPFastMathDefault for 16, 32 and 64 bits. `hasDefault` is the set of widths that have one.
  uint32_t defaults[3] = {};
  uint32_t hasDefault = 0;
  bool noContraction = false;
  std::optional<uint32_t> mode; // FPFastMathMode
};

/// Returns whether an instruction computes with floats, instead of only passing on their bits.
bool computesFloats(llvm::StringRef instruction);

namespace floats {

mlir::Value add(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value sub(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value mul(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value div(Lowering &l, mlir::Value x, mlir::Value y);
/// Returns x[0] y[0] + x[1] y[1] + …, in this order.
mlir::Value dot(Lowering &l, llvm::ArrayRef<mlir::Value> x, llvm::ArrayRef<mlir::Value> y);
/// Returns x y + z. The result is rounded only once if the rounding mode is to nearest.
mlir::Value multiplyAdd(Lowering &l, mlir::Value x, mlir::Value y, mlir::Value z);
/// Converts to another float type, in the entry point's rounding mode.
mlir::Value convert(Lowering &l, mlir::Type type, mlir::Value x);
/// If x is a denormal number of a width that is flushed, returns zero with the sign of x. Otherwise
/// returns x.
mlir::Value flushed(Lowering &l, mlir::Value x);

} // namespace floats
} // namespace pumice::cpu
