//===- SpirvConstants.h - values of a module's constants --------------------===//
#pragma once

#include "executable/SpirvReflection.h"

#include <optional>

namespace pumice::executable {

/// A scalar constant: zeros above its type.
struct SpirvConstant {
  uint64_t bits = 0;
  uint32_t bytes = 4;
  bool isSigned = false;
  uint32_t specId = noSpecId; // a specialization constant that the value depends on

  /// As the number that it is: negative where its type may be.
  int64_t number() const;
  /// Drops the bits above its type.
  void clip();
};

/// Evaluates OpSpecConstantOp `opcode` of scalars. The result is `type` with other bits. Returns
/// nothing for operations on floats and vectors, and if the operands have no result, as in a
/// division by 0.
std::optional<SpirvConstant> evaluate(uint32_t opcode, std::span<const SpirvConstant> operands,
                                      SpirvConstant type);

} // namespace pumice::executable
