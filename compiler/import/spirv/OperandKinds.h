//===- OperandKinds.h - checks an instruction's operands --------------------===//
#pragma once

#include "mlir/IR/ValueRange.h"

#include <string>

namespace pumice::spirv_import {

/// Checks instructions that MLIR's verifiers do not know (spvx.op). Returns a description of the
/// result or operand whose type is wrong, or an empty text. `type` is null for instructions without
/// a result.
std::string misfit(uint32_t opcode, mlir::Type type, mlir::ValueRange operands);

} // namespace pumice::spirv_import
