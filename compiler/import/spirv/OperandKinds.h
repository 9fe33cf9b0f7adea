//===- OperandKinds.h - checks an instruction's operands ------------------===//
#pragma once

#include "mlir/IR/ValueRange.h"

#include <string>

namespace pumice::spirv_import {

/// Describes a wrong type of the result or of an operand, or returns an empty text. Checks
/// instructions that MLIR's verifiers do not know (spvx.op). `type` is null for instructions
/// without result.
std::string misfit(uint32_t opcode, mlir::Type type, mlir::ValueRange operands);

} // namespace pumice::spirv_import
