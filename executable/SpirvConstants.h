//===- SpirvConstants.h - values of a module's constants --------------------===//
#pragma once

#include "executable/SpirvReflection.h"

#include <optional>

namespace pumice::executable {

/// A scalar constant. The bits above its type are zero.
struct SpirvConstant {
  uint64_t bits = 0;
  uint32_t bytes = 4;
  bool isSigned = false;
  uint32_t specId = noSpecId; // a specialization constant that the value depends on

  /// Returns the number, which is negative only if the type is signed.
  int64_t number() const;
  /// Clears the bits above its type.
  void clip();
};

/// Evaluates OpSpecConstantOp `opcode` of scalars. The result has the type of `type`. Returns
/// nothing for operations on floats and vectors, or if the result is undefined, as in a division by
/// 0.
std::optional<SpirvConstant> evaluate(uint32_t opcode, std::span<const SpirvConstant> operands,
                                      SpirvConstant type);

} // namespace pumice::executable
