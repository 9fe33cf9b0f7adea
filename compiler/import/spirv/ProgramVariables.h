//===- ProgramVariables.h - variables that live as long as the program ----===//
#pragma once

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir {
class ModuleOp;
}

namespace pumice::spirv_import {

/// Returns OpenCL's variables of program scope. These are those of class CrossWorkgroup, and
/// constants that hold addresses or whose address a variable begins with. Kernels of one module
/// share their memory. So the reader returns all of them in the same order for every entry point.
llvm::SmallVector<mlir::spirv::GlobalVariableOp> programVariables(mlir::ModuleOp module);

} // namespace pumice::spirv_import
