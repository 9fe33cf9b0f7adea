//===- FlattenModule.h - a spirv.module's contents in the reader's form -----===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::spirv {
class ModuleOp;
}

namespace pumice::spirv_import {

/// Moves functions and variables into `outer`, with entry points, execution modes and
/// specialization constants as attributes and constants, and erases `module`.
mlir::LogicalResult dissolve(mlir::spirv::ModuleOp module, mlir::ModuleOp outer);

} // namespace pumice::spirv_import
