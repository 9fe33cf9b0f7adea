//===- ProgramVariables.h - finds OpenCL's program-scope variables ----------===//
#pragma once

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir {
class ModuleOp;
}

namespace pumice::spirv_import {

/// Returns OpenCL's variables of program scope. These are variables of class CrossWorkgroup,
/// constants that contain addresses, and constants whose address an initializer contains. All
/// kernels of a module share the memory of these variables, so the order is the same for every
/// entry point.
llvm::SmallVector<mlir::spirv::GlobalVariableOp> programVariables(mlir::ModuleOp module);

} // namespace pumice::spirv_import
