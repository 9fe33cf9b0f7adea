//===- FloatControls.h - sums as an entry point wants them ------------------===//
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
  /// From the entry point's modes.
  void setModes(mlir::Operation *entryPoint);
  /// From an instruction's decorations.
  void setInstruction(mlir::Operation *instruction);

  bool flushes(mlir::Type type) const { return contains(flush, type); }
  bool roundsTowardZero(mlir::Type type) const { return contains(towardZero, type); }
  bool flushesAny() const { return flush != 0; }
  /// arith::FastMathFlags, which are a heavy header's.
  uint32_t flags(mlir::Type type) const;

private:
  static bool contains(uint32_t widths, mlir::Type type);
  uint32_t flush = 0, towardZero = 0;
  bool contractionOff = false;
  bool isListed = false;     // FloatControls2: what modes do not allow is forbidden
  uint32_t defaults[3] = {}; // FPFastMathDefault for 16, 32, 64 bits, of those in `hasDefault`
  uint32_t hasDefault = 0;
  bool noContraction = false;
  std::optional<uint32_t> mode; // FPFastMathMode
};

/// Instructions whose operands and results are numbers, not bits that are passed on.
bool computesFloats(llvm::StringRef instruction);

namespace floats {

mlir::Value add(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value sub(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value mul(Lowering &l, mlir::Value x, mlir::Value y);
mlir::Value div(Lowering &l, mlir::Value x, mlir::Value y);
/// x[0] y[0] + x[1] y[1] + …, in this order.
mlir::Value dot(Lowering &l, llvm::ArrayRef<mlir::Value> x, llvm::ArrayRef<mlir::Value> y);
/// x y + z, rounded once where rounding is to nearest.
mlir::Value multiplyAdd(Lowering &l, mlir::Value x, mlir::Value y, mlir::Value z);
/// A float of another type, rounded as the entry point says.
mlir::Value convert(Lowering &l, mlir::Type type, mlir::Value x);
/// Zero of x's sign where x is a denormal of a width that is flushed; anything else is x.
mlir::Value flushed(Lowering &l, mlir::Value x);

} // namespace floats
} // namespace pumice::cpu
