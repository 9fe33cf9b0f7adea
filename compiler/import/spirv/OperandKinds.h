//===- OperandKinds.h - what an instruction's operands must be --------------===//
#pragma once

#include "mlir/IR/ValueRange.h"

#include <string>

namespace pumice::spirv_import {

/// For instructions that no verifier of MLIR's knows (spvx.op): what is wrong with the type of the
/// result or of an operand; empty where nothing is. `type` is null for instructions without result.
std::string misfit(uint32_t opcode, mlir::Type type, mlir::ValueRange operands);

} // namespace pumice::spirv_import
