//===- FlattenModule.h - dissolves a spirv.module ---------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::spirv {
class ModuleOp;
}

namespace pumice::spirv_import {

/// Moves functions and variables into `outer`, and erases `module`. Entry points and execution
/// modes become attributes, and specialization constants become constants.
mlir::LogicalResult dissolve(mlir::spirv::ModuleOp module, mlir::ModuleOp outer);

} // namespace pumice::spirv_import
