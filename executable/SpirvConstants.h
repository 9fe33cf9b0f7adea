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
  uint32_t specId = noSpecId; // the specialization constant on which it depends

  /// Returns the value as a number. It is negative only if the type is signed.
  int64_t number() const;
  /// Clears the bits above the type.
  void clip();
};

/// Evaluates the scalar operation `opcode` of OpSpecConstantOp. The result has the type of `type`.
/// Returns nothing for operations on floats and vectors, or if the result is undefined, for example
/// in a division by 0.
std::optional<SpirvConstant> evaluate(uint32_t opcode, std::span<const SpirvConstant> operands,
                                      SpirvConstant type);

} // namespace pumice::executable
